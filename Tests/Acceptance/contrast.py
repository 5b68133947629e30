"""How well the words of a page stand out, as WCAG 2.2 (1.4.3 and 1.4.6) counts it, from what a browser computes."""

from __future__ import annotations

from viewer import Browser

#: Every word that is drawn, with its colours: of text, and of what is painted behind it.
WORDS = """
(() => {
  const channels = text => {
    const found = text.match(/rgba?\\(([^)]+)\\)/);
    if (!found) return null;
    const [r, g, b, a] = found[1].split(/[ ,/]+/).map(Number);
    return [r, g, b, a === undefined || Number.isNaN(a) ? 1 : a];
  };
  const over = (top, under) => [0, 1, 2].map(n => top[n] * top[3] + under[n] * (1 - top[3]));
  const behind = element => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const color = channels(getComputedStyle(one).backgroundColor);
      if (color && color[3] > 0) { layers.push(color); if (color[3] === 1) break; }
    }
    return layers.reduceRight((under, top) => over(top, under), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || !element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) continue;
    const style = getComputedStyle(element);
    const color = channels(element.closest("svg") ? style.fill : style.color);
    if (!color || element.closest("button:disabled,script,style,title")) continue;
    const back = behind(element);
    const size = parseFloat(style.fontSize), isBold = parseInt(style.fontWeight) >= 700;
    found.push({text: text.slice(0, 40), place: element.tagName + "." + (element.getAttribute("class") || ""),
                color: over(color, back), back, isLarge: size >= 24 || isBold && size >= 18.66});
  }
  return found;
})()
"""


def luminance(color: list[float]) -> float:
    """The relative luminance of an sRGB colour, channels 0 to 255."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (channel / 255 for channel in color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(one: list[float], other: list[float]) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def faint_words(browser: Browser) -> tuple[int, list[str]]:
    """How many words the page has, and those that stand out by less than 4.5 (3 where they are large)."""
    words = browser.value(WORDS)
    faint = {
        f"{word['place']}: {word['text']!r} {ratio(word['color'], word['back']):.2f}"
        for word in words
        if ratio(word["color"], word["back"]) < (3 if word["isLarge"] else 4.5)
    }
    return len(words), sorted(faint)
