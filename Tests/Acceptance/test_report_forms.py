"""What reports say, read by other people's parsers; and how they look on a terminal."""

from __future__ import annotations

import csv
import fcntl
import html.parser
import io
import os
import pty
import re
import struct
import subprocess
import termios
import xml.etree.ElementTree as ElementTree
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from conftest import BINARY, Tool
from helpers import read_events, read_report, steady, write_scenario

#: Virtual runs begin then unless the scenario says otherwise.
START = datetime(2026, 1, 5, tzinfo=timezone.utc).timestamp() * 1000
NAME = "ios-a_1"


@pytest.fixture(scope="module")
def long_run(tmp_path_factory) -> tuple[Tool, Path, list[dict]]:
    """An hour with five minutes of outage, long enough that intervals of the series are joined."""
    folder = tmp_path_factory.mktemp("long")
    tool = Tool(folder)
    scenario = steady(
        6,
        "1h",
        timeline=[
            {"at": "20m", "for": "5m", "collector": {"fault": "outage"}},
            {"at": "50m", "for": "20s", "share": 0.5, "device": {"network": "none"}},
        ],
        thresholds={"events_lost": ["rate<0.5", "rate<0.5"], "event_freshness": ["p(95)<1"]},
    )
    scenario["populations"][0]["name"] = NAME
    events = folder / "events.ndjson"
    command = ["simulate", write_scenario(folder, scenario), "--out", folder / "run", "--events", events]
    tool.run(*command).expect(99)
    return tool, folder / "run", read_events(events)


def series(folder: Path) -> list[dict[str, float]]:
    text = (folder / "timeseries.csv").read_text()
    return [{key: float(cell) for key, cell in row.items() if key != "timeline"} for row in csv.DictReader(io.StringIO(text))]


def test_extremes_are_those_of_single_seconds(long_run):
    """The peaks of joined intervals, counted again from the events' own lines."""
    _, folder, events = long_run
    table = series(folder)
    assert table[0]["seconds"] == 4, "the run is too short to have joined intervals"
    delivered = Counter(int((line["acked_at"] - START) // 1000) for line in events if line["fate"] == "delivered")
    assert sum(delivered.values()) > 10_000
    hidden = 0
    for row in table[:-1]:
        seconds = [delivered[int(row["second"]) + offset] for offset in range(int(row["seconds"]))]
        assert (row["delivered_per_second_min"], row["delivered_per_second_max"]) == (min(seconds), max(seconds)), row
        assert row["delivered_events"] == sum(seconds)
        hidden += max(seconds) > 2 * sum(seconds) / len(seconds)
    assert hidden, "no interval hides a peak: the run shows nothing"


def test_extremes_enclose_what_they_stand_beside(long_run):
    table = series(long_run[1])
    rates = {"captured": "captured_events", "delivered": "delivered_events", "requests": "requests"}
    rates |= {"failed_requests": "failed_requests", "sent_bytes": "sent_bytes"}
    for row in table[:-1]:
        for name, count in rates.items():
            mean = row[count] / row["seconds"]
            assert row[f"{name}_per_second_min"] <= mean + 1e-9 and mean <= row[f"{name}_per_second_max"] + 1e-9, row
        for gauge in ("stored_rows", "active_devices", "connections"):
            assert row[f"{gauge}_min"] <= row[gauge] <= row[f"{gauge}_max"], row
    report = read_report(long_run[1])
    assert max(row["stored_rows_max"] for row in table) == report["metrics"]["store_depth"]["max"]
    assert max(row["active_devices_max"] for row in table) == report["metrics"]["devices_active"]["max"]


def test_close_ups_hold_the_seconds_around_their_entries(long_run):
    _, folder, events = long_run
    report = read_report(folder)
    assert [close["mark"] for close in report["close_ups"]] == [0, 1]
    delivered = Counter(int((line["acked_at"] - START) // 1000) for line in events if line["fate"] == "delivered")
    for close in report["close_ups"]:
        columns = close["series"]["columns"]
        rows = [dict(zip(columns, row)) for row in close["series"]["rows"]]
        mark = report["marks"][close["mark"]]
        assert rows[0]["second"] <= mark["from_seconds"] - 60
        assert rows[-1]["second"] + rows[-1]["seconds"] >= mark["until_seconds"] + 120
        assert rows[0]["seconds"] < report["series"]["rows"][0][1]
        for row in rows[:-1]:
            first = int(row["second"])
            seconds = range(first, first + int(row["seconds"]))
            assert row["delivered_events"] == sum(delivered[second] for second in seconds), row
    failed = dict(zip(columns, zip(*report["close_ups"][0]["series"]["rows"])))["failed_requests"]
    assert sum(failed) == report["metrics"]["http_req_failed"]["passes"] > 0


class Outline(html.parser.HTMLParser):
    """Which pictures stand in which part of a page that can be opened."""

    def __init__(self, text: str):
        super().__init__()
        self.pictures: Counter[str] = Counter()
        self.bands = 0
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        classes = dict(attributes).get("class") or ""
        if tag == "details":
            self._open.append(classes)
        if tag == "svg" and "chart" in classes.split():
            self.pictures["close" if "closeup" in self._open else "open"] += 1
        if tag == "path" and classes.startswith("band"):
            self.bands += 1

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        if tag == "details":
            self._open.pop()


def test_the_page_shows_bands_and_each_entry_closely(long_run):
    tool, folder, _ = long_run
    page = Outline((folder / "report.html").read_text())
    assert page.bands > 0
    # Seven charts for each of two entries, drawn for two screens.
    assert page.pictures["close"] == 2 * 7 * 2
    again = tool.run("report", folder, "--format", "html").expect(0).out
    assert again == (folder / "report.html").read_text()


def test_prometheus_is_read_by_its_own_client(long_run):
    tool, folder, _ = long_run
    text = tool.run("report", folder, "--format", "prometheus").expect(0).out
    families = {family.name: family for family in text_string_to_metric_families(text)}
    report = read_report(folder)
    series = [(sample.name, tuple(sorted(sample.labels.items()))) for f in families.values() for sample in f.samples]
    assert len(series) == len(set(series)) > 100, "a series appears twice"
    fates = Counter()
    for sample in families["beaconswarm_events"].samples:
        fates[sample.labels["fate"]] += sample.value
    assert sum(fates.values()) == report["events"]["captured"] and fates["delivered"] == report["events"]["delivered"]
    assert {s.labels["population"] for s in families["beaconswarm_population_events"].samples} == {NAME}
    freshness = families["beaconswarm_event_freshness_seconds"]
    assert freshness.type == "summary"
    p95 = next(s.value for s in freshness.samples if s.labels.get("quantile") == "0.95")
    assert p95 == pytest.approx(report["metrics"]["event_freshness"]["p(95)"] / 1000)
    assert families["beaconswarm_http_reqs"].type == "counter"
    thresholds = families["beaconswarm_threshold_ok"].samples
    assert {(s.labels["metric"], s.value) for s in thresholds} == {("events_lost", 1), ("event_freshness", 0)}


def test_junit_names_what_was_broken(long_run):
    root = ElementTree.parse(long_run[1] / "junit.xml").getroot()
    failed = {case.get("name") for case in root.iter("testcase") if case.find("failure") is not None}
    assert failed == {"event_freshness: p(95)<1"}
    assert int(root.get("failures")) == 1 and int(root.get("tests")) == len(list(root.iter("testcase")))


def test_a_damaged_report_is_refused_with_its_place(long_run, tmp_path: Path):
    tool, folder, _ = long_run
    whole = (folder / "report.json").read_text()
    opening, rest = whole.split('"close_ups"')
    damaged = tmp_path / "report.json"
    for text, place in [
        (whole[: len(whole) // 2], "line "),
        (whole.replace('"captured"', '"caught"', 1), "events.captured"),
        (opening + '"close_ups"' + re.sub(r'"mark": 0', '"mark": 7', rest, count=1), "close_ups[0].mark"),
        ("", "line 1"),
    ]:
        damaged.write_text(text)
        for form in ("html", "csv", "junit"):
            finished = tool.run("report", damaged, "--format", form)
            assert finished.code not in (0, 70) and finished.out == "", str(finished)
            assert place in finished.err, str(finished)


# Terminals


def in_terminal(arguments: list[object], columns: int, term: str | None) -> str:
    """What a terminal of that width gets to see, both outputs."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BEACONSWARM_")}
    for name in ("NO_COLOR", "TERM", "COLUMNS"):
        environment.pop(name, None)
    if term is not None:
        environment["TERM"] = term
    process = subprocess.Popen(
        [str(BINARY), *map(str, arguments)], stdin=slave, stdout=slave, stderr=slave, env=environment
    )
    os.close(slave)
    seen = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    os.close(master)
    process.wait()
    return seen.decode().replace("\r\n", "\n")


ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def breakable(text: str) -> list[str]:
    """Lines of more than one word. Of the command that repeats a run, paths stay whole, to be copied, however long the
    folders of the program and of its tests are."""
    return [line for line in text.split("\n") if len(line.removesuffix("\\").split()) != 1]


@pytest.mark.parametrize("columns", [40, 60, 80, 132])
def test_the_summary_fits_the_terminal(long_run, columns: int):
    text = in_terminal(["report", long_run[1]], columns, "xterm-256color")
    assert ESCAPES.search(text), "no colours on a terminal that has them"
    lines = breakable(ESCAPES.sub("", text))
    assert len(lines) > 40 and max(map(len, lines)) <= columns, max(lines, key=len)


@pytest.mark.parametrize("term", ["dumb", None])
def test_a_dumb_terminal_gets_plain_lines(long_run, tmp_path: Path, term: str | None):
    assert "\x1b" not in in_terminal(["report", long_run[1]], 80, term)
    scenario = write_scenario(tmp_path, steady(3, "1m"))
    text = in_terminal(["simulate", scenario, "--out", tmp_path / "run"], 80, term)
    assert "\x1b" not in text and "\r" not in text, repr(text)
    assert "LEDGER" in text


@pytest.mark.parametrize("columns", [40, 80])
def test_the_status_line_fits_the_terminal(tmp_path: Path, columns: int):
    # The first line is shown after half a second: a fast machine shall not be done by then.
    scenario = write_scenario(tmp_path, steady(10, "1h"))
    text = in_terminal(["simulate", scenario, "--out", tmp_path / "run"], columns, "xterm")
    shown = [line for part in ESCAPES.sub("", text).split("\r") for line in part.split("\n")]
    assert any("simulating" in line for line in shown), "no status line was shown"
    # Paths stay whole, to be copied.
    long = [line for line in shown if len(line) > columns and "/" not in line]
    assert not long, long


def test_a_search_fits_the_terminal(tmp_path: Path):
    """Lines that are said begin where nothing stands; tables keep their columns; the verdict is broken between words."""
    scenario = write_scenario(tmp_path, steady(40, "10s"))
    arguments = ["capacity", scenario, "--virtual", "--max", "80", "--out", tmp_path / "out"]
    said = in_terminal(arguments, 80, "xterm")
    # A status line that was not cleared stands before what is said next.
    lines = [ESCAPES.sub("", re.split(r"\r\x1b\[2K", line)[-1]) for line in said.split("\n")]
    assert any(line.startswith("beaconswarm ") for line in lines), said
    assert "step 0" not in said
    head = next(line for line in lines if line.startswith("step  "))
    assert head.endswith("  verdict") and re.search("load {2,}req/s {2,}events/s", head), head
    first = next(line for line in lines if re.match(" +1 {2,}", line))
    assert re.search(" {2}[✓✗!] ", first), first
    summary = lines[next(index for index, line in enumerate(lines) if " · capacity · " in line):]
    # Paths stay whole, to be copied.
    long = [line for line in summary if len(line) > 80 and str(tmp_path) not in line and str(BINARY) not in line]
    assert not long, long


def test_without_a_terminal_lines_have_80_columns(long_run):
    tool, folder, _ = long_run
    text = tool.run("report", folder, env={"COLUMNS": ""}).expect(0).out
    assert "\x1b" not in text and 70 < max(map(len, breakable(text))) <= 80
    wide = tool.run("report", folder, env={"COLUMNS": "132"}).expect(0).out
    assert 100 < max(map(len, breakable(wide))) <= 132
