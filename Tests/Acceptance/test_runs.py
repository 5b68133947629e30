"""`runs`: the runs of a folder as a list and as a page."""

from __future__ import annotations

import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from conftest import BINARY, Tool
from helpers import steady, write_scenario
from processes import finish


class Page(HTMLParser):
    """What of a page can be looked at: its elements with their attributes, and its text."""

    def __init__(self, path: Path):
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Three runs of one scenario, the second of which fails, one of another, one with two seeds, and what is no run."""
    folder = tmp_path_factory.mktemp("runs")
    scenario = write_scenario(folder, steady(2, "5s", name="first"), "s.json")
    other = write_scenario(folder, steady(2, "5s", name="other", description="<b>bold</b>"), "o.json")

    def simulate(path: Path, out: str, *options: str, commit: str = "", code: int = 0) -> None:
        environment = {"PATH": "/usr/bin:/bin", "BEACONSWARM_COMMIT": commit}
        command = [BINARY, "simulate", path, "--out", folder / "reports" / out, "-q", *options]
        done = finish(list(map(str, command)), env=environment)
        assert done.returncode == code, done.stderr

    (folder / "reports").mkdir()
    simulate(scenario, "one", commit="a" * 40)
    simulate(scenario, "deep/two #2", "--set", 'thresholds={"events_captured": ["count<1"]}', commit="b" * 40, code=99)
    simulate(scenario, "three", commit="release-7")
    simulate(other, "four")
    simulate(scenario, "five", "--seeds", "2")
    for number, name in enumerate(["one", "deep/two #2", "three", "four"]):
        # A run's moment is that of the machine; the order shall be that of the names.
        path = folder / "reports" / name / "report.json"
        path.write_text(re.sub(r'("started_at": ")[^"]*', rf"\g<1>2026-03-0{number + 1}T18:04:00.000Z", path.read_text()))
    (folder / "reports/empty").mkdir()
    (folder / "reports/broken").mkdir()
    (folder / "reports/broken/report.json").write_text("{}")
    return folder


def test_runs_are_listed_in_their_order(tool: Tool, folder: Path):
    finished = tool.run("runs", folder / "reports", "--metric", "events_captured").expect(0)
    head, *rows = finished.out.splitlines()
    assert head.split()[-2:] == ["events_captured", "folder"]
    paths = [row.split("  ")[-1].removeprefix(f"{folder}/reports/") for row in rows]
    assert paths == ["one", "deep/two #2", "three", "four", "five"]
    captured = json.loads((folder / "reports/one/report.json").read_text())["events"]["captured"]
    assert re.match(rf"2026-03-01 18:04  passed +first +virtual +aaaaaaaaa +{captured} ", rows[0])
    assert "failed (99)" in rows[1] and "bbbbbbbbb" in rows[1] and "release-7" in rows[2] and "variants" in rows[4]
    assert "broken" in finished.err and "empty" not in finished.err


def test_the_page_shows_trends_verdicts_and_links(tool: Tool, folder: Path, tmp_path: Path):
    # Moved as a whole: the links still lead to the runs.
    moved = tmp_path / "moved"
    shutil.copytree(folder / "reports", moved / "reports")
    tool.run("runs", moved / "reports", "--html", moved / "index.html").expect(0)
    page = Page(moved / "index.html")
    assert not page.all("script") and "http:" not in (moved / "index.html").read_text().split("</head>")[1]
    links = [unquote(link["href"]) for link in page.all("a")]
    assert sorted(links) == sorted(
        f"./reports/{name}/report.html" for name in ["one", "deep/two #2", "three", "four", "five"]
    )
    assert all((moved / link).is_file() for link in links)
    words = " ".join(page.text.split())
    assert "passed → failed (99)" in words and "failed → passed" in words
    assert page.text.count("the scenario or its options changed") == 2
    assert "<b>bold</b>" in page.text and not page.all("b") and "aaaaaaaaa" in page.text
    # A dot for each run and metric, in each of two pictures: one for a laptop, one for a phone. One run is no trend.
    dots = [one["class"] for one in page.all("circle") if one.get("class", "").startswith("dot of-")]
    assert dots.count("dot of-failed") == 4 * 2 and dots.count("dot of-passed") == 2 * 4 * 2


def test_two_runs_are_side_by_side_as_compare_shows_them(tool: Tool, folder: Path, tmp_path: Path):
    path = tmp_path / "page.html"
    tool.run("runs", folder / "reports", "--html", path).expect(0)
    page = Page(path)
    pairs = sorted(one["class"] for one in page.all("div") if one.get("class", "").startswith("pair "))
    # Three runs of one scenario; the other scenario has one, and nothing to be held against.
    assert pairs == ["pair p0-1", "pair p0-2", "pair p1-2"]
    picks = [one["class"] for one in page.all("input")]
    assert sorted(picks) == ["b0", "b1", "c1", "c2"]
    assert [one["class"] for one in page.all("input") if "checked" in one] == ["b1", "c2"]
    style = path.read_text().split("</head>")[0]
    for pair in pairs:
        base, candidate = re.findall(r"\d", pair)
        assert f".picks:has(.b{base}:checked):has(.c{candidate}:checked) .p{base}-{candidate}{{display:block}}" in style
    # A base that is not earlier has no pair, and is told so.
    assert ".picks:has(.b1:checked):has(.c1:checked) .unordered{display:block}" in style
    assert "pick an earlier base" in page.text
    compared = tool.run(
        "compare", folder / "reports/one", folder / "reports/three", "--format", "html"
    ).expect(0)
    verdict = re.search(r'<p class="why">(.*?)</p>', compared.out)[1]
    assert verdict in path.read_text()
    identifiers = [one["id"] for _, one in page.elements if "id" in one]
    assert len(identifiers) == len(set(identifiers))


def test_runs_that_look_alike_are_told_apart(tool: Tool, folder: Path, tmp_path: Path):
    (tmp_path / "mine").mkdir()
    for number, moment in enumerate(["18:04:00", "18:04:00", "18:04:07", "18:05:00"]):
        copy = tmp_path / "mine" / f"run-{number}"
        shutil.copytree(folder / "reports/one", copy)
        text = (copy / "report.json").read_text()
        changed = re.sub(r'("started_at": ")[^"]*', rf"\g<1>2026-03-01T{moment}.000Z", text)
        (copy / "report.json").write_text(changed)
    done = finish([BINARY, "runs", ".", "--html", "../page.html"], cwd=tmp_path / "mine")
    assert done.returncode == 0, done.stderr
    page = Page(tmp_path / "page.html")
    text = " ".join(page.text.split())
    for label in ("18:04:00 · aaaaaaaaa · passed · run-0", "18:04:07 · aaaaaaaaa · passed", "18:05 · aaaaaaaaa · passed"):
        assert f"2026-03-01 {label}" in text, label
    # A folder that is named by where one stands is called by its own name.
    assert "<h1>mine</h1>" in (tmp_path / "page.html").read_text()


def test_a_page_takes_the_place_of_a_page_and_of_nothing_else(tool: Tool, folder: Path, tmp_path: Path):
    path = tmp_path / "page.html"
    tool.run("runs", folder / "reports", "--html", path).expect(0)
    before = path.read_bytes()
    tool.run("runs", folder / "reports", "--html", path).expect(0)
    assert path.read_bytes() == before
    path.write_text("mine")
    assert "page.html" in tool.run("runs", folder / "reports", "--html", path).expect(64).err
    assert path.read_text() == "mine"


def test_a_population_that_no_run_has_is_told_once(tool: Tool, folder: Path):
    names = ("http_reqs", "http_reqs{population:ios}", "http_reqs{population:io}")
    done = tool.run("runs", folder / "reports", *(word for name in names for word in ("--metric", name))).expect(0)
    assert done.err.count("--metric") == 1 and "did you mean ios?" in done.err
    (row,) = [line.split() for line in done.out.splitlines() if line.endswith("reports/one")]
    # A single population is the fleet.
    assert row[-4] == row[-3] != "–" and row[-2] == "–"


def test_what_is_not_there_is_told(tool: Tool, folder: Path, tmp_path: Path):
    assert "nowhere" in tool.run("runs", "nowhere").expect(64).err
    assert "events_lost" in tool.run("runs", folder / "reports", "--metric", "events_losst").expect(64).err
    (tmp_path / "none").mkdir()
    assert "no runs" in tool.run("runs", "none").expect(0).out


def test_what_is_no_file_or_tells_escape_sequences_is_left_out_harmlessly(tool: Tool, tmp_path: Path):
    """A pipe of a report's name is not waited for, and what a damaged report quotes does nothing to a terminal."""
    tool.run("simulate", write_scenario(tmp_path, steady(2, "5s")), "--out", "all/whole", "-q").expect(0)
    report = json.loads((tmp_path / "all/whole/report.json").read_text())
    for name in ("pipe", "weird"):
        (tmp_path / "all" / name).mkdir()
    os.mkfifo(tmp_path / "all/pipe/report.json")
    (tmp_path / "all/weird/report.json").write_text(json.dumps(report | {"verdict": "weird\u001b[2J"}))
    listed = tool.run("runs", "all").expect(0)
    assert "all/whole" in listed.out and "all/pipe" not in listed.out and "all/weird" not in listed.out
    assert "left out: cannot read all/pipe/report.json: it is no regular file" in listed.err, str(listed)
    shown = tool.run("report", "all/weird").expect(104)
    assert "weird" in shown.err and "weird" in listed.err
    assert "\u001b" not in shown.err + listed.err, repr(shown.err + listed.err)
    assert "no regular file" in tool.run("report", "all/pipe").expect(64).err
