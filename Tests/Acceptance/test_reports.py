"""What a run leaves behind: whole, broken off, or on a full disk."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from conftest import HANG, Tool
from helpers import form_body, post, read_events, read_report, rows, steady, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 40

FORMATS = ["html", "md", "csv", "junit", "prometheus", "json"]


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory) -> tuple[Tool, Path]:
    """A simulated run with a fault, thresholds and names that need escaping."""
    folder = tmp_path_factory.mktemp("finished")
    tool = Tool(folder)
    scenario = steady(
        5,
        "3m",
        description='Look <here> & "there": </script><b>µ 中文',
        timeline=[{"at": "30s", "for": "30s", "collector": {"fault": "outage"}}],
        thresholds={"events_lost": ["rate<0.5"], "event_freshness": ["p(95)<1"]},
    )
    tool.run("simulate", write_scenario(folder, scenario), "--out", folder / "run").expect(99)
    return tool, folder / "run"


def render(run: tuple[Tool, Path], form: str) -> str:
    tool, folder = run
    return tool.run("report", folder, "--format", form).expect(0).out


def test_a_runs_folder_is_whole(finished_run):
    _, folder = finished_run
    files = {path.name for path in folder.iterdir()}
    assert {"report.json", "report.html", "summary.md", "timeseries.csv", "errors.ndjson", "junit.xml"} <= files
    assert not [name for name in files if "partial" in name]


def test_the_report_has_the_keys_that_scripts_read(finished_run):
    report = read_report(finished_run[1])
    assert report["schema"] == "beaconswarm.report/1" and report["mode"] == "virtual"
    assert {
        "tool",
        "scenario",
        "seed",
        "fingerprint",
        "verdict",
        "started_at",
        "wall_seconds",
        "simulated_seconds",
        "devices",
        "devices_started",
        "run",
        "events",
        "audit",
        "metrics",
        "populations",
        "thresholds",
        "generator",
    } <= set(report)
    assert set(report["scenario"]) >= {"name", "sha256", "overrides"} and "version" in report["tool"]
    assert {"command", "host"} <= set(report["run"])
    events = report["events"]
    assert {"captured", "delivered", "suppressed", "evicted", "rejected", "lost", "pending", "balance"} <= set(events)
    assert {"storage_limit", "expired"} <= set(events["evicted"]) and {"stored", "in_flight"} <= set(
        events["pending"]
    )
    assert set(report["audit"]) >= {
        "received",
        "unique",
        "duplicates",
        "confirmed",
        "acked_not_found",
        "swallowed",
        "dry_run",
        "recovered",
        "unexpected",
        "undecodable",
    }
    trend = {"count", "min", "avg", "med", "max", "p(90)", "p(95)", "p(99)", "p(99.9)"}
    for name in ("http_req_duration", "http_req_service", "event_freshness", "batch_size"):
        assert trend <= set(report["metrics"][name]), name
    for name in ("http_reqs", "data_sent", "events_captured", "retries", "config_fetches"):
        assert {"count", "rate"} <= set(report["metrics"][name]), name
    for name in (
        "http_req_failed",
        "events_lost",
        "freshness_within_1m",
        "freshness_within_1h",
        "freshness_within_24h",
    ):
        assert {"rate", "passes", "fails"} <= set(report["metrics"][name]), name
    assert {"metric", "expression", "value", "ok"} <= set(report["thresholds"][0])
    assert {"saturated", "schedule_lag", "cpu_utilization", "event_loops"} <= set(report["generator"])
    assert set(report["populations"]["ios"]) >= {"events", "metrics"}


def test_rendering_again_gives_the_folders_files(finished_run):
    _, folder = finished_run
    names = {
        "html": "report.html",
        "md": "summary.md",
        "csv": "timeseries.csv",
        "junit": "junit.xml",
        "json": "report.json",
    }
    for form, name in names.items():
        assert render(finished_run, form) == (folder / name).read_text(), form


class Page(html.parser.HTMLParser):
    """Collects what a page would fetch, and whether its elements are closed."""

    VOID = {"meta", "br", "hr", "img", "input", "link", "col"}

    def __init__(self, text: str):
        super().__init__()
        self.references: list[str] = []
        self.open: list[str] = []
        self.problems: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("src", "href", "srcset", "action", "data", "poster", "xlink:href") and not value.startswith(
                "#"
            ):
                self.references.append(f"{tag} {name}={value}")
            if value and re.search(r"url\((?!['\"]?(#|data:))", value):
                self.references.append(f"{tag} {name}={value}")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in self.open:
            while (last := self.open.pop()) != tag:
                if last not in ("p", "li", "td", "th", "tr", "dd", "dt", "tbody", "thead", "option"):
                    self.problems.append(f"{last} is not closed before {tag}")
        else:
            self.problems.append(f"{tag} is closed but not open")

    def handle_data(self, data):
        self.text += data


def test_html_needs_no_network(finished_run):
    text = render(finished_run, "html")
    page = Page(text)
    assert not page.references and not page.problems
    assert not re.search(r"@import|(?:src|href)\s*=\s*[\"']?(?:https?:)?//|fetch\(|XMLHttpRequest|WebSocket", text)
    assert 'Look <here> & "there": </script><b>µ 中文' in page.text, "the description is not there, or not escaped"


def test_junit_is_well_formed_and_counts(finished_run):
    root = ElementTree.fromstring(render(finished_run, "junit"))
    cases = list(root.iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None]
    assert len(cases) >= 2 and len(failed) >= 1
    assert any("event_freshness" in (case.get("name") or "") for case in failed)
    for suite in root.iter("testsuite"):
        inside = list(suite.iter("testcase"))
        assert int(suite.get("tests")) == len(inside)
        assert int(suite.get("failures")) == sum(case.find("failure") is not None for case in inside)


SAMPLE = re.compile(
    r'([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? '
    r"(-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf)|NaN)$"
)


def test_prometheus_parses_line_by_line(finished_run):
    text = render(finished_run, "prometheus")
    assert text.endswith("\n")
    families: dict[str, str] = {}
    seen: set[str] = set()
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in families and kind in ("gauge", "counter", "summary", "histogram", "untyped"), line
            families[name] = kind
            continue
        if line.startswith("# HELP ") or not line:
            continue
        match = SAMPLE.match(line)
        assert match, line
        base = re.sub(r"_(sum|count|bucket)$", "", match[1])
        assert match[1] in families or families.get(base) in ("summary", "histogram"), f"no TYPE: {line}"
        assert match[1] + (match[2] or "") not in seen, f"twice: {line}"
        seen.add(match[1] + (match[2] or ""))
    report = read_report(finished_run[1])
    captured = re.search(r"^beaconswarm_(?:\w*)captured\w*(?:\{[^}]*\})? (\S+)$", text, re.MULTILINE)
    assert captured and float(captured[1]) == report["events"]["captured"]


def test_the_time_series_adds_up(finished_run):
    report = read_report(finished_run[1])
    table = list(csv.DictReader(io.StringIO(render(finished_run, "csv"))))
    assert len(table) > 10 and all(None not in row and None not in row.values() for row in table)
    column = next(name for name in table[0] if "captured" in name)
    assert sum(float(row[column]) for row in table) == report["events"]["captured"]
    column = next(name for name in table[0] if "delivered" in name)
    assert sum(float(row[column]) for row in table) == report["events"]["delivered"]


def test_markdown_names_the_verdict_and_the_counts(finished_run):
    text, report = render(finished_run, "md"), read_report(finished_run[1])
    assert "fail" in text.lower()
    assert re.sub(r"[ ,\u202f\u2009\u00a0']", "", text).find(str(report["events"]["captured"])) >= 0


def test_an_unknown_format_is_64(finished_run):
    tool, folder = finished_run
    finished = tool.run("report", folder, "--format", "pdf").expect(64)
    assert all(form in finished.err for form in FORMATS), str(finished)


# Broken off


def test_a_killed_run_can_still_be_read(tool: Tool, tmp_path: Path):
    """kill -9 after a partial report: what is there says that it is partial."""
    out, events = tmp_path / "run", tmp_path / "events.ndjson"
    scenario = steady(40, "1m", thresholds={"events_captured": ["count>0"]})
    scenario["populations"][0]["persona"] = {"extends": "steady", "rate": "10/s"}
    running = tool.start("run", write_scenario(tmp_path, scenario), "--out", out, "--events", events)
    partial, series = out / "report.partial.json", out / "timeseries.csv"

    def rows() -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(series.read_text())))

    def has_much_to_tell() -> bool:
        # The series is written after the report: at first it may still be that of the state before.
        delivered = json.loads(partial.read_text())["events"]["delivered"] if partial.exists() else 0
        return delivered > 1000 and len(rows()) >= 3

    running.wait_until(has_much_to_tell, "wrote a partial report", HANG)
    running.kill()

    assert not (out / "report.json").exists() and not events.exists()
    lines = Path(f"{events}.partial").read_bytes().splitlines()
    assert lines and all(json.loads(line)["fate"] for line in lines[:-1])
    assert len(rows()) >= 3
    report = json.loads(tool.run("report", out, "--format", "json").expect(0).out)
    assert report["events"]["captured"] > 1000 and report["devices"] == 40
    rendered = {form: tool.run("report", out, "--format", form).expect(0).out for form in FORMATS}
    assert all(text.strip() for text in rendered.values())
    rendered["terminal"] = tool.run("report", out).expect(0).out
    for form in ("html", "md", "terminal"):
        assert re.search(
            r"partial|broken[ -]off|broke off|unfinished|not finished|incomplete", rendered[form], re.IGNORECASE
        ), f"{form} looks like the report of a whole run\n{rendered['md'][:600]}"
        assert "they are written every 10s" in " ".join(rendered[form].split()), f"{form} does not tell its state's age"
    assert report["events"]["delivered"] <= report["events"]["captured"], "more delivered than captured"
    (tmp_path / "receipts.ndjson").write_bytes(b"")
    audited = tool.run("audit", out, "--receipts", tmp_path / "receipts.ndjson").expect(64)
    assert "broken off" in audited.err and f"beaconswarm report {out}" in audited.err, str(audited)


# Full disk


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_a_full_disk_is_told_and_leaves_nothing_that_looks_whole(
    tool: Tool, tmp_path: Path, tiny_disk: Path, verb: str
):
    # Not even the report, of some 10 kB, has room.
    (tiny_disk / "filler").write_bytes(b"x" * (504 << 10))
    finished = tool.run(
        verb, write_scenario(tmp_path, steady(5, "3s", drain="1s")), "--out", tiny_disk / "run"
    ).expect(70)
    assert "No space left on device" in finished.err and str(tiny_disk) in finished.err, str(finished)
    assert not (tiny_disk / "run" / "report.json").exists()


def test_a_disk_that_is_full_at_any_point_leaves_nothing_that_says_passed(
    tool: Tool, tmp_path: Path, tiny_disk: Path
):
    """With so little room that the report fits once but not corrected, and all amounts around it."""
    scenario = write_scenario(tmp_path, steady(5, "3s", drain="1s"))
    run, ends = tiny_disk / "run", set()
    for free in range(4, 100, 4):
        (tiny_disk / "filler").write_bytes(b"x" * ((512 - free) << 10))
        finished = tool.run("simulate", scenario, "--out", run, "--events", tiny_disk / "e.ndjson").expect(70)
        reports = {path.name: json.loads(path.read_text()) for path in run.glob("report*.json")}
        assert all(report["verdict"] != "passed" for report in reports.values()), f"{free} kB free\n{finished}"
        if "Only this summary exists" in " ".join(finished.out.split()):
            assert "report.json" not in reports, f"{free} kB free\n{finished}"
        for name in {"summary.md", "junit.xml", "report.html"} & {path.name for path in run.glob("*")}:
            text = (run / name).read_text()
            assert "No space left on device" in text, f"{name}, {free} kB free\n{finished}"
        if (run / "timeseries.csv").exists():
            assert len((run / "timeseries.csv").read_text().splitlines()) > 1, f"{free} kB free\n{finished}"
        ends.add(tuple(reports))
        for path in tiny_disk.glob("*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert ("report.json",) in ends, ends


def test_a_full_disk_under_the_events_file(tool: Tool, tmp_path: Path, tiny_disk: Path):
    events = tiny_disk / "events.ndjson"
    scenario = steady(50, "1m")
    finished = tool.run("simulate", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "--events", events)
    finished.expect(70)
    assert "No space left on device" in finished.err and "events.ndjson" in finished.err, str(finished)
    assert not events.exists()
    assert_whole_but_for(tmp_path / "run", "events.ndjson", scenario["populations"][0]["devices"])


def assert_whole_but_for(run: Path, missing: str, devices: int) -> None:
    """The report has everything and tells what is missing beside it."""
    report = json.loads((run / "report.json").read_text())
    assert report["devices"] == devices and report["events"]["captured"] > 0 and report["events"]["balance"] == 0
    assert report["exit_code"] == 70 and any(missing in reason for reason in report["reasons"]), report["reasons"]
    assert not list(run.glob("*.partial*"))


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_an_event_file_that_fills_the_reports_own_disk(tool: Tool, tmp_path: Path, tiny_disk: Path, verb: str):
    """Room for the report is kept, whatever the event file takes."""
    scenario = steady(100, "10s", drain="1s")
    scenario["populations"][0]["persona"] = {"extends": "steady", "rate": "10/s"}
    run, events = tiny_disk / "run", tiny_disk / "events.ndjson"
    finished = tool.run(verb, write_scenario(tmp_path, scenario), "--out", run, "--events", events).expect(70)
    assert "No space left on device" in finished.err and "events.ndjson" in finished.err, str(finished)
    # A simulation may be over before anybody asks; then its end tells.
    told = finished.err.count("the run goes on")
    assert told == 1 or verb == "simulate" and told == 0, "told when it happened, once"
    assert_whole_but_for(run, "events.ndjson", 100)
    assert (run / "report.html").exists() and (run / "beliefs.txt").exists()


def test_an_event_file_on_a_device_that_is_always_full(tool: Tool, tmp_path: Path):
    (tmp_path / "events.ndjson.partial").symlink_to("/dev/full")
    events = tmp_path / "events.ndjson"
    scenario = steady(5, "5s", drain="1s")
    finished = tool.run("simulate", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "--events", events)
    finished.expect(70)
    assert not events.exists()
    assert_whole_but_for(tmp_path / "run", "events.ndjson", 5)
    page = (tmp_path / "run" / "report.html").read_text()
    assert "events.ndjson" in page and "No space left on device" in page


def test_a_page_that_finds_no_room(tool: Tool, tmp_path: Path, tiny_disk: Path):
    """The page is the largest file: it alone is missing, and it can be made from the report."""
    run = tiny_disk / "run"
    free = 96 << 10
    (tiny_disk / "filler").write_bytes(b"x" * ((512 << 10) - free))
    finished = tool.run("simulate", write_scenario(tmp_path, steady(5, "3s", drain="1s")), "--out", run).expect(70)
    assert "report.html" in finished.err and "No space left on device" in finished.err, str(finished)
    assert_whole_but_for(run, "report.html", 5)
    assert not (run / "report.html").exists() and (run / "summary.md").exists()
    assert "<html" in tool.run("report", run, "--format", "html").expect(0).out


@pytest.mark.parametrize("log", ["auto", "always"])
def test_a_full_disk_under_the_collectors_store(collect, tiny_disk: Path, log: str):
    """What cannot be stored is not acknowledged, and the collector lives on; what waits in the log is kept, and said."""
    collector = collect(tiny_disk / "store.sqlite", "--log", log)
    acknowledged, refused = [], 0
    for number in range(200):
        events = [
            {
                "type": "track",
                "event": "A",
                "distinct_id": "u",
                "time": 1,
                "lib": {},
                "properties": {"bs_id": f"0-{number * 10 + n}", "text": os.urandom(100).hex()},
            }
            for n in range(10)
        ]
        status, _ = post(collector.port, form_body(events))
        if status == 200:
            acknowledged += [event["properties"]["bs_id"] for event in events]
        else:
            assert status >= 500, status
            refused += 1
    assert refused, "the disk never filled up"
    assert collector.get("/healthz")[0] == 200
    assert collector.stats()["received"] == len(acknowledged)
    if log == "always":
        said = collector.stop().err
        left = list(tiny_disk.glob("store.sqlite-log.*"))
        assert left and "stay in the log" in said and "full" in said, said
    collector.running.kill()
    # The other takes rows into the log, too, if it has very much to do.
    if list(tiny_disk.glob("store.sqlite-log.*")):
        subprocess.run(["mount", "-o", "remount,size=8m", str(tiny_disk)], check=True)
        assert collect(collector.store).stop().code == 0
        assert not list(tiny_disk.glob("store.sqlite-log.*"))
    stored = [identifier for (identifier,) in rows(collector.store, "SELECT id FROM events")]
    assert sorted(stored) == sorted(acknowledged)


def test_a_warm_up_is_not_measured(tool: Tool):
    """Counted again from the series, and from the events' own lines."""
    scenario = steady(
        devices=20,
        duration="3m",
        measureFrom="1m",
        timeline=[{"at": "0s", "for": "50s", "collector": {"fault": "status", "status": 503}}],
        thresholds={"http_req_failed": ["rate==0"], "event_freshness": ["max<40000"]},
    )
    path = write_scenario(tool.folder, scenario)
    events = tool.folder / "events.ndjson"
    said = tool.run("simulate", path, "--out", "warm", "--events", events).expect(0)
    assert "what ended from 1m on" in " ".join(said.out.split())
    whole = dict(scenario)
    del whole["measureFrom"]
    tool.run("simulate", write_scenario(tool.folder, whole, "whole.json"), "--out", "whole", "-q").expect(99)
    warm, cold = read_report(tool.folder / "warm"), read_report(tool.folder / "whole")
    assert warm["measured_from_seconds"] == 60 and "measured_from_seconds" not in cold
    assert warm["events"] == cold["events"] and warm["series"] == cold["series"]
    metrics = warm["metrics"]
    with open(tool.folder / "warm" / "timeseries.csv") as file:
        rows = [row for row in csv.DictReader(file) if float(row["second"]) >= 60]
    assert metrics["http_reqs"]["count"] == sum(float(row["requests"] or 0) for row in rows)
    lines = read_events(events)
    start = min(line["captured_at"] for line in lines) // 60_000 * 60_000
    late = [line for line in lines if line["acked_at"] and line["acked_at"] >= start + 60_000]
    assert 0 < len(late) < len(lines)
    assert metrics["event_freshness"]["count"] == len(late)
    assert metrics["event_freshness"]["max"] == pytest.approx(max(line["acked_at"] - line["captured_at"] for line in late), rel=0.01)
    assert cold["metrics"]["http_req_failed"]["rate"] > 0 == metrics["http_req_failed"]["rate"]


def test_the_rate_after_a_warm_up_leaves_out_what_devices_brought_along(tool: Tool):
    scenario = steady(
        devices=3,
        duration="5s",
        measureFrom="1s",
        timeline=[{"at": "0s", "for": "2s", "collector": {"fault": "outage"}}],
    )
    scenario["populations"][0]["sdk"] = {"storage": {"prefill": 1000}}
    events = tool.folder / "events.ndjson"
    said = tool.run("simulate", write_scenario(tool.folder, scenario), "--out", "out", "--events", events)
    said.expect(0)
    report = read_report(tool.folder / "out")
    captured = report["metrics"]["events_captured"]
    # Nothing was settled during the warm-up, so all events count, and most of them are older than the run.
    lines = read_events(events)
    assert captured["count"] == len(lines) > 3000
    seconds = report["simulated_seconds"] - 1
    assert captured["rate"] == pytest.approx((len(lines) - 3000) / seconds)
    assert "events_captured has 3,000 events that devices brought along" in " ".join(said.out.split())


def test_a_folder_may_be_named_like_a_file(tool: Tool):
    path = write_scenario(tool.folder, steady(devices=2, duration="5s"))
    tool.run("simulate", path, "-q", "--out", "run.json").expect(0)
    assert "PASSED" in tool.run("report", "run.json").expect(0).out
    tool.run("compare", "run.json", "run.json").expect(0)
    tool.run("explain", "run.json", "0-0").expect(0)


@pytest.mark.parametrize("key", ["captured_at", "acked_at"])
def test_a_time_that_no_run_has_is_none(tool: Tool, key: str):
    """An event file may have been through other hands."""
    path = write_scenario(tool.folder, steady(2, "1s", drain="2s"))
    tool.run("run", path, "-q", "--out", "run", "--events", "events.ndjson").expect(0, 96)
    file = tool.folder / "events.ndjson"
    lines = [json.loads(line) | {key: 1e300} for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    refused = tool.run("explain", "run", lines[0]["id"], "--events", "events.ndjson").expect(104)
    assert f"{key} of event {lines[0]['id']}: found 1e+300" in refused.err and not refused.out
    # Nothing of it is in the store: which uploads its events were in is told where their times are left.
    (tool.folder / "receipts.csv").write_text("id\n")
    tool.run("audit", "run", "--receipts", "receipts.csv", "--events", "events.ndjson").expect(95, 96)
    report = read_report(tool.folder / "run")
    assert report["audit"]["acked_not_found"] == sum(line["fate"] == "delivered" for line in lines) > 0
    assert ("All of acked_not_found were acknowledged " in report["audit_note"]) == (key == "captured_at"), report["audit_note"]
