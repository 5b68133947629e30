"""Every page can be read: its words stand out in light and dark, and it fits a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Tool
from contrast import faint_words, ratio
from helpers import steady, write_scenario
from viewer import Browser, browsing

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> list[Path]:
    """One of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    tool = Tool(folder)
    scenario = write_scenario(folder, steady(20, "2m", variants={"slow": {"populations.0.sdk.upload.flushInterval": "30s"}}))
    vary = ["--vary", "populations.0.sdk.upload.batch=10,50"]
    tool.run("simulate", ROOT / "scenarios" / "outage-recovery.json", "--devices", 100, "--out", "runs/run").expect(0)
    tool.run("simulate", scenario, "--seeds", 2, "--out", "runs/lab").expect(0)
    tool.run("sweep", scenario, *vary, "--out", "sweep").expect(0)
    tool.run("capacity", scenario, "--virtual", "--max", 40, "--variant", "base", "--out", "search").expect(0)
    tool.run("generate", scenario, "--variant", "base", "--out", "data").expect(0)
    tool.run("runs", "runs", "--html", "runs.html").expect(0)
    tool.run("compare", "runs/lab", "runs/lab", "--out", "compared").expect(0)
    found = sorted(folder.glob("*.html")) + sorted(folder.glob("*/*.html")) + sorted(folder.glob("runs/*/*.html"))
    assert len(found) == 7, found
    return found


@pytest.fixture(scope="module")
def browser():
    yield from browsing()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out(browser: Browser, pages: list[Path], scheme: str):
    browser.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    for page in pages:
        browser.open(page.as_uri())
        browser.wait_for(f"document.readyState === 'complete' && location.href === {page.as_uri()!r}")
        count, faint = faint_words(browser)
        assert count > 5 and faint == [], (page, faint)
    # What would not stand out is found.
    browser.value("document.querySelector('h1').style.color = getComputedStyle(document.body).backgroundColor")
    assert len(faint_words(browser)[1]) == 1
    # The examples of WCAG's own understanding documents.
    assert round(ratio([0x77] * 3, [255] * 3), 2) == 4.48 and ratio([0] * 3, [255] * 3) == 21


def test_nothing_is_wider_than_a_phone(browser: Browser, pages: list[Path]):
    browser.resize(390, 844)
    for page in pages:
        browser.open(page.as_uri())
        browser.wait_for(f"document.readyState === 'complete' && location.href === {page.as_uri()!r}")
        assert browser.value("document.documentElement.scrollWidth") <= 390, page
        # Tables say that there is more at the right where there is, as far as the browser knows.
        browser.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        browser.wait_for(
            "!CSS.supports('animation-timeline: scroll()') || [...document.querySelectorAll('.many')].every(one =>"
            " (one.scrollWidth > one.clientWidth) === (getComputedStyle(one, '::before').fontSize !== '0px'))"
        )
