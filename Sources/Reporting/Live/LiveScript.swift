/// The script of the page of a run that goes on: without a framework, and without any address but its own server's.
///
/// It replaces the parts that the server sends, and leaves alone what the reader did with them: what is unfolded, how far
/// tables are scrolled, where the focus is. A part in which text is selected waits.
package enum LiveScript {
    package static let text = """
        "use strict";
        (() => {
        const token = new URLSearchParams(location.search).get("token") || "";
        const query = "?token=" + encodeURIComponent(token);
        const find = id => document.getElementById(id);
        const bar = find("bar"), line = find("line"), link = find("link");
        const buttons = [find("drain"), find("stop")];
        let source = null, last = "", heard = Date.now(), over = false, asked = 0;

        // By what it is of, not by its place: charts come as soon as they have something to show.
        const name = one => {
          const words = one.matches("details") ? one.querySelector("summary") : one;
          const figure = one.closest("figure"), section = one.closest("section");
          const outer = one.parentElement.closest("details");
          return JSON.stringify([
            one.tagName, one.getAttribute("aria-label") || words && words.textContent, section && section.id,
            figure && figure.querySelector("figcaption").textContent, outer && name(outer)]);
        };
        const named = part => {
          const all = new Map();
          for (const one of part.querySelectorAll("details,summary,.scroll")) {
            let own = name(one);
            while (all.has(own)) own += "+";
            all.set(own, one);
          }
          return all;
        };
        const state = part => [...named(part)].map(([own, one]) => (
          {own, open: one.open, left: one.scrollLeft, focus: one === document.activeElement}));
        const restore = (part, was) => {
          const all = named(part);
          for (const {own, open, left, focus} of was) {
            const one = all.get(own);
            if (!one) continue;
            if (open) one.open = true;
            if (left) one.scrollLeft = left;
            if (focus) one.focus({preventScroll: true});
          }
        };
        const waiting = new Map();
        const selects = part => {
          const chosen = getSelection();
          return chosen && !chosen.isCollapsed && chosen.containsNode(part, true);
        };
        const draw = (id, html) => {
          const part = document.querySelector('[data-part="' + CSS.escape(id) + '"]');
          if (!part) return;
          if (selects(part)) { waiting.set(id, html); return; }
          waiting.delete(id);
          const was = state(part);
          part.innerHTML = html;
          restore(part, was);
        };
        document.addEventListener("selectionchange", () => {
          for (const [id, html] of [...waiting]) draw(id, html);
        });

        const say = text => { if (link.textContent !== text) link.textContent = text; };
        const show = news => {
          line.textContent = news.line;
          if (typeof news.share === "number") bar.value = news.share; else bar.removeAttribute("value");
          document.title = news.title;
          asked = Math.max(asked, news.asked);
          buttons[0].disabled = over || asked > 0;
          buttons[1].disabled = over || asked > 1;
        };

        const finish = news => {
          over = true;
          if (source) source.close();
          buttons.forEach(one => { one.disabled = true; });
          say(news.text);
          document.querySelector("footer").textContent = news.foot;
        };
        const listen = () => {
          if (over) return;
          if (source) source.close();
          heard = Date.now();
          const since = last ? "&since=" + encodeURIComponent(last) : "";
          const own = new EventSource("events" + query + since);
          source = own;
          const on = (name, act) => own.addEventListener(name, event => {
            if (own !== source) return;
            heard = Date.now();
            if (event.lastEventId) last = event.lastEventId;
            act(JSON.parse(event.data));
          });
          on("status", news => { say("connected"); show(news); });
          on("parts", news => news.forEach(part => draw(part.id, part.html)));
          on("end", finish);
          own.onerror = () => {
            if (own !== source || over) return;
            say("no connection: the run may be over; trying again");
            if (own.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
          };
        };
        // A laptop that slept, or a network that went away without a word: nothing is heard any more.
        setInterval(() => { if (!over && Date.now() - heard > 12000) listen(); }, 2000);
        addEventListener("online", listen);

        const post = (name, level, question) => async () => {
          if (question && !confirm(question)) return;
          asked = Math.max(asked, level);
          buttons.forEach((one, i) => { one.disabled = asked > i; });
          try {
            const answer = await fetch(name + query, {method: "POST"});
            if (!answer.ok) throw new Error(answer.status);
          } catch (error) {
            asked = 0;
            buttons.forEach(one => { one.disabled = over; });
            say("that did not get through: " + error.message);
          }
        };
        buttons[0].addEventListener("click", post("drain", 1, ""));
        buttons[1].addEventListener(
          "click", post("stop", 2, "End at once, without a drain? The report will have what was measured so far."));
        listen();
        })();

        """
}
