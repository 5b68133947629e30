"""`--ui`: what a run's page is sent while the run goes on, who may see it, and what its buttons do."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import real_clock
from conftest import Running, Tool
from contrast import faint_words
from helpers import SCENARIOS, closed_port, free_port, read_report, steady, write_scenario
from otlp_sink import Sink
from viewer import Browser, Page, Stream, browsing, page_of

#: Seconds that it takes: the longest go first.
LONG = 190

#: What a page would do if a scenario's words were not escaped.
NASTY = '<img src=x onerror="document.title=1"><script>document.title=2</script>'


def outage(duration: str = "14s", lasts: str = "8s", **changes) -> dict:
    """A run with some seconds without a collector: long enough to be drawn, however slow the machine is."""
    entry = {"at": "2s", "for": lasts, "name": "dark", "collector": {"fault": "outage"}}
    return steady(20, duration, timeline=[entry], description=NASTY, **changes)


def watched(running: Running) -> Stream:
    """The stream of a program that ends by itself within seconds; where it did before it was watched, there is no
    result."""
    try:
        return page_of(running).stream()
    except (OSError, http.client.HTTPException):
        running.wait().expect(0)
        real_clock.inconclusive("the program was over before it was watched")


def captured(parts: dict[str, str]) -> int:
    """The events that the page says were captured."""
    found = re.search(r"([\d,]+) events were captured", parts.get("ledger", ""))
    return int(found[1].replace(",", "")) if found else 0


def test_two_viewers_see_a_run_as_it_comes_and_its_report_at_the_end(tool: Tool, tmp_path: Path):
    """One entry of the timeline is soon over and another one lasts, so that both are seen however late a view comes."""
    out = tmp_path / "out"
    scenario = outage("300s", "290s")
    scenario["timeline"].insert(0, scenario["timeline"][0] | {"at": "500ms", "for": "1s", "name": "brief"})
    running = tool.start("run", "--ui", write_scenario(tmp_path, scenario), "--out", out)
    page = page_of(running)
    first = page.stream()
    counts, words, asked = [], set(), False
    first.until(lambda event: event.name == "parts" and captured(first.parts) > 0, "showed events")
    # Whoever comes later sees all of it, and whoever comes back what is new.
    second, back = page.stream(), page.stream(first.last)
    whole = second.until(lambda event: event.name == "parts", "saw anything")
    assert {part["id"] for part in whole.data} >= {"name", "now", "timeline", "ledger", "log"}
    for event in first.events():
        if event.name == "parts":
            counts.append(captured(first.parts))
            words |= set(re.findall(r'<li class="(\w+)"', first.parts["timeline"]))
        if not asked and len(set(counts)) > 2 and {"force", "over"} <= words:
            asked = page.ask("POST", "/drain")[0] == 202
        if event.name == "end":
            break
    assert asked and counts == sorted(counts), (counts, words)
    for other in (second, back):
        other.until(lambda event: event.name == "end", "heard of the end")
    assert second.parts == first.parts
    running.wait().expect(105)
    # What the page shows at the end is drawn by the same code as the report.
    report = (out / "report.html").read_text()
    for name, html in first.parts.items():
        if name not in ("now", "timeline", "log"):
            assert html in report, name
    assert '<div class="verdict interrupted">' in first.parts["now"]
    assert captured(first.parts) == read_report(out)["events"]["captured"]
    # Somebody else's words are text.
    assert "<img" not in "".join(first.parts.values()) and "&lt;img" in first.parts["name"]


def test_who_has_seen_a_version_gets_what_changed_since(tool: Tool, tmp_path: Path):
    running = tool.start("run", write_scenario(tmp_path, steady(4, "60s")), "--ui")
    page = page_of(running)
    stream = page.stream()
    stream.until(lambda event: event.name == "parts" and captured(stream.parts) > 0, "showed events")
    stream.until(lambda event: event.name == "parts", "showed more")
    again = page.stream(stream.last)
    news = {part["id"] for part in again.until(lambda event: event.name == "parts", "showed what is new").data}
    assert "name" not in news and "now" in news, "what was run does not change, how it goes does"
    for nonsense in ("nobody-7", stream.last.split("-")[0] + "-999999", "x" * 9000):
        other = page.stream(nonsense)
        everything = {part["id"] for part in other.until(lambda event: event.name == "parts", "showed all").data}
        assert "name" in everything
    assert page.ask("POST", "/stop")[0] == 202
    running.wait().expect(105)


@pytest.mark.parametrize("options", [[], ["--repeat", 2]])
def test_a_page_has_the_scenarios_name_however_often_it_is_run(tool: Tool, tmp_path: Path, options: list):
    """And not that of its file; there is none for a scenario that is not sound."""
    path = write_scenario(tmp_path, steady(4, "60s"), "another-name.json")
    running = tool.start("run", path, "--ui", *options)
    page = page_of(running)
    status, _, html = page.ask("GET", "/")
    assert status == 200 and "<title>acceptance – Beaconswarm</title>" in html.decode()
    assert page.ask("POST", "/stop")[0] == 202
    running.wait().expect(105)
    wrong = tool.run("run", write_scenario(tmp_path, steady(4, "never")), "--ui", *options).expect(104)
    assert "/duration" in wrong.err and "http://" not in wrong.err


def test_nothing_is_shown_or_done_without_the_token(tool: Tool, tmp_path: Path):
    running = tool.start("run", write_scenario(tmp_path, steady(4, "60s")), "--ui=127.0.0.1:0")
    page = page_of(running)
    assert len(page.token) >= 32
    for wrong in (None, "x", page.token[:-1], page.token + "0", page.token[:-1] + "~"):
        for method, path in [("GET", "/"), ("GET", "/events"), ("GET", "/metrics"), ("POST", "/drain"), ("GET", "/none")]:
            status, _, body = page.ask(method, path, wrong)
            assert status == 403 and page.token.encode() not in body, (method, path, wrong)
    for scheme, status in [("Bearer ", 200), ("bearer ", 200), ("Basic ", 403)]:
        assert page.ask("GET", "/metrics", None, Authorization=scheme + page.token)[0] == status
    for method, path, status in [("GET", "/none", 404), ("GET", "/drain", 405), ("POST", "/", 405), ("PUT", "/stop", 405)]:
        assert page.ask(method, path)[0] == status
    status, headers, body = page.ask("GET", "/")
    assert status == 200 and headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert b"http" not in re.sub(rb"<svg.*?</svg>", b"", body), "the page names no other address"
    assert page.ask("GET", "/watch.js", None)[0] == 200
    assert running.process.poll() is None, "none of it ended the run"
    assert page.ask("POST", "/stop")[0] == 202
    running.wait().expect(105)


def test_who_asks_for_the_end_hears_so_even_where_the_process_ends_at_once(tool: Tool, tmp_path: Path):
    """While devices are made nothing has begun, and the process ends there and then."""
    for _ in range(3):
        running = tool.start("simulate", write_scenario(tmp_path, steady(2_000_000, "1h")), "--ui")
        page = page_of(running)
        while (status := page.ask("POST", "/stop")[0]) == 409:
            pass
        assert status == 202
        running.wait().expect(105)


@pytest.mark.parametrize(("verb", "duration"), [("run", "300s"), ("simulate", "900d")])
def test_drain_ends_a_run_as_ctrl_c_does(tool: Tool, tmp_path: Path, verb: str, duration: str):
    out = tmp_path / "out"
    running = tool.start(verb, write_scenario(tmp_path, steady(20, duration)), "--out", out, "--ui")
    page = page_of(running)
    stream = page.stream()
    stream.until(lambda event: event.name == "parts" and captured(stream.parts) > 0, "showed events")
    assert page.ask("POST", "/drain")[0] == 202
    try:
        assert page.ask("POST", "/drain")[0] in (202, 409), "asking twice is asking once"
    except (OSError, http.client.HTTPException):
        # Little was left to be drained, and the program is over.
        running.wait().expect(105)
    ending = stream.until(lambda event: event.name == "end", "heard of the end")
    assert "105" in ending.data["text"]
    finished = running.wait().expect(105)
    report = read_report(out)
    assert report["interrupted"] and not report["partial"] and report["events"]["balance"] == 0
    assert "stopping" in finished.err and "at once" not in finished.err.split("stopping")[0]
    assert '<div class="verdict interrupted">' in stream.parts["now"]


def test_a_viewer_who_reads_nothing_holds_up_nothing(tool: Tool, tmp_path: Path):
    running = tool.start("run", write_scenario(tmp_path, outage()), "--out", tmp_path / "out", "--ui")
    page = page_of(running)
    sleepers = []
    for _ in range(3):
        sleeper = socket.socket()
        sleeper.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        sleeper.connect(("127.0.0.1", page.port))
        sleeper.sendall(f"GET /events?token={page.token} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        sleepers.append(sleeper)
    stream = page.stream()
    stream.until(lambda event: event.name == "end", "heard of the end")
    running.wait().expect(0)
    assert captured(stream.parts) == read_report(tmp_path / "out")["events"]["captured"]


def test_an_address_that_cannot_be_is_64_before_anything_is_run(tool: Tool, tmp_path: Path):
    scenario = write_scenario(tmp_path, steady(2, "2s"))
    for wrong, word in [("nowhere", "HOST:PORT"), ("127.0.0.1:70000", "65535"), ("[]:80", "HOST:PORT")]:
        finished = tool.run("simulate", scenario, f"--ui={wrong}", "--out", tmp_path / "out").expect(64)
        assert wrong in finished.err and word in finished.err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        finished = tool.run("run", scenario, f"--ui=127.0.0.1:{port}", "--out", tmp_path / "out").expect(64)
        assert str(port) in finished.err and "cannot listen" in finished.err
    finished = tool.run("run", scenario, "--ui", "--out", tmp_path / "out", env={"BEACONSWARM_UI_TOKEN": "short"}).expect(64)
    assert "BEACONSWARM_UI_TOKEN" in finished.err and not (tmp_path / "out").exists()


def test_another_address_than_loopback_is_taken_at_its_word_with_a_warning(tool: Tool, tmp_path: Path):
    scenario = write_scenario(tmp_path, steady(2, "2s"))
    finished = tool.run("simulate", scenario, "--ui", "0.0.0.0:0", "--out", tmp_path / "out").expect(0)
    assert "http://0.0.0.0:" in finished.err and "other machines" in finished.err
    quiet = tool.run("simulate", scenario, "--ui", ":0", "-q", "--out", tmp_path / "quiet").expect(0)
    assert "http://127.0.0.1:" in quiet.err and "other machines" not in quiet.err


def sweep(tool: Tool, folder: Path, scenario: Path) -> list:
    vary = "populations.0.sdk.upload.batch=" + ",".join(map(str, range(10, 200, 10)))
    return ["sweep", scenario, "--vary", vary, "--out", folder / "out"]


def generate(tool: Tool, folder: Path, scenario: Path) -> list:
    return ["generate", scenario, "--out", folder / "out", "--days", "400"]


def capacity(tool: Tool, folder: Path, scenario: Path) -> list:
    return ["capacity", scenario, "--virtual", "--out", folder / "out", "--max-time", "60s"]


@pytest.mark.parametrize("command", [sweep, generate, capacity], ids=lambda command: command.__name__)
def test_other_verbs_tell_how_far_they_are_and_can_be_ended(tool: Tool, tmp_path: Path, command):
    scenario = write_scenario(tmp_path, steady(40, "3h"))
    running = tool.start(*command(tool, tmp_path, scenario), "--ui")
    page = page_of(running)
    stream = page.stream()
    status = stream.until(lambda event: event.name == "status" and event.data["share"] is not None, "told how far it is")
    assert 0 <= status.data["share"] <= 1 and status.data["line"], status
    assert page.ask("POST", "/drain")[0] == 202
    end = stream.until(lambda event: event.name == "end", "heard of the end")
    running.wait().expect(105)
    # What was broken off is no report.
    assert end.data["foot"] == f"Drawn as it happened; what there is so far is in {tmp_path / 'out'}.", end
    assert f"what there is so far is in {tmp_path / 'out'}, and" in end.data["text"], end


def test_a_search_shows_the_loads_that_it_tried(tool: Tool, tmp_path: Path):
    out = tmp_path / "out"
    running = tool.start(
        "capacity", write_scenario(tmp_path, steady(40, "10s")), "--virtual", "--max", "200", "--out", out, "--ui")
    stream = watched(running)
    stream.until(lambda event: event.name == "end", "heard of the end")
    running.wait().expect(0)
    page = (out / "capacity.html").read_text()
    for name in ("now", "series", "thresholds", "run"):
        assert stream.parts[name] and stream.parts[name] in page, name
    assert "<caption>" in stream.parts["series"]


def test_a_sweep_shows_the_points_that_it_played(tool: Tool, tmp_path: Path):
    scenario = write_scenario(tmp_path, steady(40, "1m"))
    vary = ["--vary", "populations.0.sdk.upload.flushInterval=5s,15s", "--vary", "populations.0.sdk.upload.batch=10,50"]
    running = tool.start("sweep", scenario, *vary, "--seeds", 2, "--out", tmp_path / "out", "--ui")
    stream = watched(running)
    end = stream.until(lambda event: event.name == "end", "heard of the end")
    running.wait().expect(0)
    assert end.data["foot"] == f"Drawn as it happened; the report is in {tmp_path / 'out'}.", end
    assert "On the front<" in stream.parts["now"] and "so far" not in stream.parts["now"]
    assert "4 of 4" in stream.parts["now"] and "8 of 8" in stream.parts["now"]
    page = (tmp_path / "out" / "sweep.html").read_text()
    picture = stream.parts["series"].split("<table>")[0].rsplit("<section", 1)[0]
    assert "<svg" in picture and picture in page
    # A row for each point; what sorts a table is in the style sheet of the page alone.
    assert stream.parts["series"].count('<th scope="row">') == 4 and "sort-0" not in stream.parts["series"]


def test_variants_are_shown_side_by_side(tool: Tool, tmp_path: Path):
    scenario = steady(40, "1m", variants={"slow": {"populations.0.sdk.upload.flushInterval": "30s"}})
    running = tool.start("simulate", write_scenario(tmp_path, scenario), "--seeds", 2, "--out", tmp_path / "out", "--ui")
    stream = watched(running)
    stream.until(lambda event: event.name == "end", "heard of the end")
    running.wait().expect(0)
    page = (tmp_path / "out" / "report.html").read_text()
    for name in ("now", "series"):
        assert stream.parts[name] and stream.parts[name] in page, name


# Metrics


def families(page: Page) -> dict:
    status, headers, body = page.ask("GET", "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
    found = list(text_string_to_metric_families(body.decode()))
    assert len({family.name for family in found}) == len(found), "each family once"
    return {family.name: family for family in found}


def sample(all_families: dict, name: str, **labels) -> float:
    (value,) = [
        one.value for family in all_families.values() for one in family.samples if one.name == name and one.labels == labels
    ]
    return value


def test_a_scraper_reads_what_the_report_will_say(tool: Tool, tmp_path: Path):
    token = "a-token-of-ones-own_1"
    running = tool.start(
        "run", write_scenario(tmp_path, outage("300s")), "--out", tmp_path / "out", "--ui", "127.0.0.1:0",
        env={"BEACONSWARM_UI_TOKEN": token},
    )
    page = page_of(running)
    assert page.token == token
    stream = page.stream()
    stream.until(lambda event: event.name == "parts" and stream.parts.get("answers"), "showed answers")
    early = families(page)
    stream.until(lambda event: event.name == "status" and (event.data["share"] or 0) > 0.05, "came far")
    late = families(page)
    for name in ("beaconswarm_http_reqs_total", "beaconswarm_events_captured_total", "k6_http_reqs_total", "k6_data_sent_total"):
        assert 0 < sample(early, name) <= sample(late, name), name
    assert early["beaconswarm_http_reqs"].type == "counter" and early["k6_vus"].type == "gauge"
    assert sample(late, "k6_http_reqs_total") == sample(late, "beaconswarm_http_reqs_total")
    # What k6 calls the duration of a request has no wait for a connection in it.
    service = sample(late, "beaconswarm_http_req_service_seconds", quantile="0.95")
    assert sample(late, "k6_http_req_duration_p95") == pytest.approx(service)
    answers = [one.value for one in late["beaconswarm_answers"].samples]
    assert sum(answers) == sample(late, "beaconswarm_http_reqs_total")
    assert 0.05 < sample(late, "beaconswarm_progress_ratio") < 1
    assert page.ask("POST", "/drain")[0] == 202
    running.wait().expect(105)
    report = read_report(tmp_path / "out")
    assert sample(late, "beaconswarm_events_captured_total") <= report["metrics"]["events_captured"]["count"]


def test_with_a_warm_up_counters_are_of_one_span_and_fates_of_the_whole_run(tool: Tool, tmp_path: Path, sink: Sink):
    scenario = outage("6s", "3s", measureFrom="4s")
    tool.run("run", write_scenario(tmp_path, scenario), "--out", tmp_path / "out", "--otlp", sink.url).expect(0, 96)
    report = read_report(tmp_path / "out")

    def figures(number: int) -> dict:
        found = sink.metrics(number)
        points = {name: one.sum.data_points or one.gauge.data_points for name, one in found.items()}
        return {name: sum(point.as_double for point in own) for name, own in points.items()}

    last = figures(-1)
    uploads = last["beaconswarm_http_reqs_total"]
    assert 0 < uploads == report["metrics"]["http_reqs"]["count"] < sum(report["answers"].values())
    assert last["beaconswarm_answers_total"] == sum(report["measured_answers"].values()) == uploads
    assert last["beaconswarm_http_reqs_failed_total"] <= uploads
    assert last["beaconswarm_events_delivered_total"] == report["measured_deliveries"] < report["events"]["delivered"]
    assert last["beaconswarm_events_delivered_total"] <= last["beaconswarm_events_captured_total"]
    # What shares of all events are made of, here and in what is made of the report later.
    assert last["beaconswarm_events"] == last["beaconswarm_population_events"] == report["events"]["captured"]
    text = tool.run("report", tmp_path / "out", "--format", "prometheus").expect(0).out
    again = {family.name: family for family in text_string_to_metric_families(text)}
    assert sum(one.value for one in again["beaconswarm_events"].samples) == report["events"]["captured"]


def test_the_page_shows_what_the_target_tells_of_itself(tool: Tool, tmp_path: Path):
    """Beaconswarm's own figures will do for those of a target: one run asks another."""
    token = "a-token-of-ones-own_2"
    told = tool.start(
        "run", write_scenario(tmp_path, outage("300s")), "--out", tmp_path / "told", "--ui", "127.0.0.1:0",
        env={"BEACONSWARM_UI_TOKEN": token},
    )
    target = page_of(told)
    running = tool.start(
        "run", write_scenario(tmp_path, outage("16s")), "--out", tmp_path / "out", "--ui", "127.0.0.1:0",
        "--scrape", f"http://127.0.0.1:{target.port}/metrics?token={token}", "--scrape-only", "beaconswarm_connections",
    )
    stream = page_of(running).stream()
    stream.until(lambda event: event.name == "parts" and "beaconswarm_connections" in stream.parts.get("target", ""), "drew it")
    assert token not in stream.parts["target"]
    assert f"Asked of http://127.0.0.1:{target.port}/metrics every" in stream.parts["target"]
    running.wait().expect(0)
    assert read_report(tmp_path / "out")["target_metrics"]["series"][0]["name"] == "beaconswarm_connections"
    assert target.ask("POST", "/stop")[0] == 202
    told.wait().expect(105)


def test_the_dashboard_asks_for_figures_that_there_are(tool: Tool, tmp_path: Path):
    """Each selector of its queries finds samples in what a run gives (a real Prometheus asks the queries themselves)."""
    running = tool.start("run", write_scenario(tmp_path, outage("300s")), "--ui")
    page = page_of(running)
    stream = page.stream()
    stream.until(lambda event: event.name == "status" and (event.data["share"] or 0) > 0.04, "came far")
    samples = [one for family in families(page).values() for one in family.samples]
    queries = dashboard_queries()
    assert len(queries) > 15
    for query in queries:
        selectors = re.findall(r"((?:beaconswarm|k6)_\w+)\{([^}]*)\}", query)
        assert selectors, query
        for name, text in selectors:
            labels = dict(re.findall(r'(\w+)="([^"]*)"', text))
            found = [one for one in samples if one.name == name and labels.items() <= one.labels.items()]
            assert found, f"{name} {labels} of {query}"
        for group in re.findall(r"by \(([^)]*)\)", query):
            assert all(label in one.labels for label in group.split(", ") for one in found), query
    assert page.ask("POST", "/stop")[0] == 202
    running.wait().expect(105)


def dashboard_queries() -> list[str]:
    dashboard = json.loads((SCENARIOS / "deploy" / "grafana-dashboard.json").read_text())
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_a_real_prometheus_answers_every_query_of_the_dashboard(tool: Tool, tmp_path: Path):
    program = shutil.which("prometheus")
    if not program:
        pytest.skip("no Prometheus is installed (Debian: prometheus)")
    running = tool.start("run", write_scenario(tmp_path, outage("300s")), "--ui")
    page = page_of(running)
    configuration = tmp_path / "prometheus.yml"
    configuration.write_text(
        "global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: beaconswarm\n"
        f"  authorization: {{credentials: {page.token}}}\n  static_configs: [{{targets: ['127.0.0.1:{page.port}']}}]\n"
    )
    address = f"127.0.0.1:{free_port()}"
    server = subprocess.Popen(
        [program, f"--config.file={configuration}", f"--storage.tsdb.path={tmp_path / 'tsdb'}", f"--web.listen-address={address}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )

    def result(query: str) -> list:
        query = query.replace("$__rate_interval", "10s").replace("$job", ".+")
        url = f"http://{address}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            if error.code == 503:
                return []  # It is not ready yet.
            pytest.fail(f"{query}: {error.read().decode()}")
        except OSError:
            return []

    try:
        # The longest of its rates looks at ten seconds, of which a late Prometheus may miss some.
        running.wait_until(lambda: result("beaconswarm_progress_ratio > 0.06"), "was scraped")
        for query in dashboard_queries():
            running.wait_until(lambda query=query: result(query), f"answered {query}")
        if checker := shutil.which("promtool"):
            text = page.ask("GET", "/metrics")[2]
            checked = subprocess.run([checker, "check", "metrics"], input=text, capture_output=True)
            assert checked.returncode == 0 and not checked.stderr, checked.stderr.decode()
    finally:
        server.kill()
        server.wait()
    assert page.ask("POST", "/stop")[0] == 202
    running.wait().expect(105)


# OpenTelemetry


@pytest.fixture
def sink():
    sink = Sink()
    yield sink
    sink.close()


def test_figures_are_pushed_while_a_run_goes_on_and_at_its_end(tool: Tool, tmp_path: Path, sink: Sink):
    out = tmp_path / "out"
    finished = tool.run(
        "run", write_scenario(tmp_path, steady(10, "12s")), "--out", out, "--otlp", sink.url,
        env={"OTEL_EXPORTER_OTLP_HEADERS": "api-key=hush%20hush"},
    ).expect(0)
    assert len(sink.requests) >= 2
    for path, headers, message in sink.requests:
        assert path == "/v1/metrics" and headers["Content-Type"] == "application/json" and headers["api-key"] == "hush hush"
        names = {one.key: one.value.string_value for one in message.resource_metrics[0].resource.attributes}
        assert names["service.name"] == "beaconswarm" and names["beaconswarm.scenario"] == "acceptance"
    assert "hush" not in finished.err and "--otlp" not in finished.err
    report = read_report(out)
    last = sink.metrics(-1)
    for name, metric in [("beaconswarm_events_captured_total", "events_captured"), ("k6_http_reqs_total", "http_reqs")]:
        (point,) = last[name].sum.data_points
        assert point.as_double == report["metrics"][metric]["count"] and last[name].sum.is_monotonic
        (early,) = sink.metrics(0)[name].sum.data_points
        assert 0 < early.as_double < point.as_double and early.time_unix_nano < point.time_unix_nano
        assert early.start_time_unix_nano == point.start_time_unix_nano
    # What was pushed once and is nothing any more is pushed as that: nobody else tells its receiver.
    info = {
        one.value.string_value: point.as_double
        for point in last["beaconswarm_run_info"].gauge.data_points for one in point.attributes if one.key == "verdict"
    }
    assert info == {"unfinished": 0, report["verdict"]: 1}
    (summary,) = last["beaconswarm_event_freshness_seconds"].summary.data_points
    freshness = report["metrics"]["event_freshness"]
    assert summary.count == freshness["count"]
    assert {one.quantile: one.value for one in summary.quantile_values}[0.95] == pytest.approx(freshness["p(95)"] / 1000)


def test_counters_of_runs_one_after_the_other_begin_anew(tool: Tool, tmp_path: Path, sink: Sink):
    """A receiver adds up what was counted since a start: each run has its own."""
    path = write_scenario(tmp_path, steady(3, "12s"))
    tool.run("run", path, "--repeat", 2, "--out", tmp_path / "out", "--otlp", sink.url, "-q").expect(0, 96)
    series: dict[int, list] = {}
    shares: dict[int, list] = {}
    for number in range(len(sink.requests)):
        (point,) = sink.metrics(number)["k6_http_reqs_total"].sum.data_points
        series.setdefault(point.start_time_unix_nano, []).append(point)
        ratio = sink.metrics(number).get("beaconswarm_progress_ratio")
        told = [one.as_double for one in ratio.gauge.data_points] if ratio else []
        shares.setdefault(point.start_time_unix_nano, []).extend(told)
    (_, first), (start, second) = sorted(series.items())
    assert start == first[-1].time_unix_nano
    # How much is done is of both.
    (before, after) = (shares[key] for key in sorted(shares))
    assert before == sorted(before) and max(before, default=0) <= 0.5, shares
    assert after == sorted(after) and after[0] >= 0.5 and after[-1] == 1, shares
    for points in (first, second):
        counts = [point.as_double for point in points]
        assert counts == sorted(counts)
    assert second[-1].as_double == read_report(tmp_path / "out/variants/base/seeds/8")["metrics"]["http_reqs"]["count"]


def test_a_push_that_fails_is_counted_and_the_run_goes_on(tool: Tool, tmp_path: Path, sink: Sink):
    sink.status = 503
    scenario = write_scenario(tmp_path, steady(4, "5s"))
    finished = tool.run("simulate", scenario, "--out", tmp_path / "out", "--otlp", sink.url + "/?key=hush").expect(0)
    assert "answered 503" in finished.err and "1 of 1 pushes" in finished.err and "hush" not in finished.err
    with closed_port() as port:
        finished = tool.run(
            "simulate", scenario, "--out", tmp_path / "nobody", "--otlp", f"http://127.0.0.1:{port}").expect(0)
    assert "cannot connect" in finished.err and "1 of 1 pushes" in finished.err
    finished = tool.run("simulate", scenario, "--out", tmp_path / "x", "--otlp", "ftp://127.0.0.1").expect(64)
    assert "ftp://127.0.0.1" in finished.err and not (tmp_path / "x").exists()


# In a browser


@pytest.fixture
def browser():
    yield from browsing()


def test_a_browser_shows_the_run_and_drains_it(tool: Tool, tmp_path: Path, browser: Browser):
    running = tool.start("run", write_scenario(tmp_path, outage("300s", "270s")), "--out", tmp_path / "out", "--ui")
    browser.open(page_of(running).url)
    shown = "document.querySelector('[data-part=ledger] p').innerText"
    browser.wait_for("!!document.querySelector('[data-part=ledger] svg')")
    before = browser.value(shown)
    browser.wait_for("document.querySelector('.course .force') !== null")
    browser.wait_for(f"{shown} !== {json.dumps(before)}")
    assert browser.value("document.getElementById('bar').value") > 0
    assert browser.value("document.getElementById('link').innerText") == "connected"
    # A scenario's words are words.
    assert browser.value("document.querySelectorAll('img').length") == 0
    assert NASTY in browser.value("document.querySelector('.lead').innerText")
    # What the reader unfolded stays so when the part is drawn anew.
    browser.value("document.querySelector('[data-part=ledger] details').open = true")
    browser.value("window.old = document.querySelector('[data-part=ledger] details')")
    browser.wait_for("document.querySelector('[data-part=ledger] details') !== window.old")
    assert browser.value("document.querySelector('[data-part=ledger] details').open")
    assert faint_words(browser)[1] == []
    # On a phone nothing is wider than the screen.
    browser.resize(390, 844)
    assert browser.value("document.documentElement.scrollWidth") <= 390
    assert browser.value("document.getElementById('drain').getBoundingClientRect().height") >= 44
    # A reload shows it again.
    browser.reload()
    browser.wait_for("!!document.querySelector('[data-part=ledger] svg')")
    # By keyboard: the first stop of the page is its first button.
    browser.press("Tab")
    assert browser.value("document.activeElement.id") == "drain"
    assert browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press("Enter")
    browser.wait_for("document.getElementById('link').innerText.startsWith('The program has ended')")
    assert browser.value("document.querySelector('.verdict').className") == "verdict interrupted"
    assert browser.value("document.getElementById('drain').disabled")
    assert str(tmp_path / "out") in browser.value("document.querySelector('footer').innerText")
    assert faint_words(browser)[1] == []
    running.wait().expect(105)
    assert browser.complaints == []


#: A page that is drawn by the test, with as many tables as it is told, instead of by the run that it is of.
DRAWN = """<!doctype html><div data-part="series"></div><progress id="bar"></progress><i id="line"></i><i id="link"></i>
<button id="drain"></button><button id="stop"></button><footer></footer>
<script>class EventSource {
constructor() { window.own = this; this.acts = {}; }
addEventListener(name, act) { this.acts[name] = act; }
close() {}
}
const figure = title => `<figure><figcaption>${title}</figcaption><details><summary>Table</summary>
<div class="scroll" aria-label="x" style="width:50px;overflow:auto"><p style="width:500px">x</p></div></details></figure>`;
const draw = titles => own.acts.parts(
{data: JSON.stringify([{id: "series", html: titles.map(figure).join("")}])});
</script><script>%s</script>"""


def test_what_a_reader_unfolded_is_told_by_what_it_is_of(tool: Tool, tmp_path: Path, browser: Browser):
    """Charts come as soon as they have something to show, before those that the reader unfolded."""
    running = tool.start("run", "--ui", write_scenario(tmp_path, steady(2, "60s")), "--out", tmp_path / "out")
    page = page_of(running)
    (tmp_path / "page.html").write_text(DRAWN % page.ask("GET", "/watch.js")[2].decode())
    page.ask("POST", "/stop")
    browser.open((tmp_path / "page.html").as_uri())
    browser.wait_for("window.own !== undefined && own.acts.parts !== undefined")
    browser.value("draw(['Uploads', 'Devices'])")
    browser.value("document.querySelectorAll('details')[0].open = true")
    browser.value("document.querySelectorAll('.scroll')[0].scrollLeft = 30")
    browser.value("document.querySelectorAll('summary')[1].focus()")
    browser.value("draw(['Freshness', 'Uploads', 'Devices'])")
    assert browser.value("[...document.querySelectorAll('details')].map(one => one.open)") == [False, True, False]
    assert browser.value("document.querySelectorAll('.scroll')[1].scrollLeft") == 30
    assert browser.value("document.activeElement === document.querySelectorAll('summary')[2]")
    running.wait()
