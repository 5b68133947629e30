"""Live runs that are repeated: is one collector slower than another?"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

import real_clock
from conftest import Tool
from helpers import read_report, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 100

SCENARIO = {
    "name": "builds",
    "seed": 5,
    "duration": "2s",
    "drain": "3s",
    "populations": [
        {
            "name": "ios",
            "devices": 10,
            "system": "sensors",
            "version": "4.9.1",
            "persona": {"preset": "steady", "rate": "2/s"},
            "arrival": {"over": "200ms"},
            "sdk": {"upload": {"flushInterval": "400ms"}},
        }
    ],
}
#: So much more than the gate allows that of two pairs nobody doubts it, though a busy machine moves a run's median by a
#: tenth of a second.
LATE = {"timeline": [{"at": "0s", "collector": {"fault": "latency", "latency": "1200ms"}}]}
SLOWER = ("--gate", "http_req_duration.med<=base+200")


@pytest.fixture
def slow(tool: Tool, collect, tmp_path: Path) -> tuple[str, str]:
    """The addresses of two collectors, the second of which is slow."""
    faults = tmp_path / "late.json"
    faults.write_text(json.dumps(LATE))
    return collect("a.sqlite").url, collect("b.sqlite", "--faults", faults).url


def test_two_targets_take_turns(tool: Tool, slow: tuple[str, str], tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO)
    told = tool.run("run", path, "--ab", *slow, "--repeat", 2, "--out", "ab").expect(0)
    assert re.findall(r"^run \d of 4: (., seed \d)", told.err, re.MULTILINE) == [
        "a, seed 5", "b, seed 5", "b, seed 6", "a, seed 6"
    ]  # fmt: skip
    assert f"by turns against a {slow[0]} and b {slow[1]}" in told.err and told.err.count("each run offers ") == 1, str(told)
    report = read_report(tool.folder / "ab")
    assert report["mode"] == "live" and report["seeds"] == [5, 6] and set(report["variants"]) == {"a", "b"}
    assert [report["variants"][name]["target"] for name in "ab"] == list(slow)
    for name in "ab":
        for seed in (5, 6):
            alone = read_report(tool.folder / "ab" / "variants" / name / "seeds" / str(seed))
            assert report["variants"][name]["seeds"][str(seed)]["fingerprint"] == alone["fingerprint"]
            assert alone["run"]["target"] == slow["ab".index(name)] and alone["events"]["balance"] == 0
    page = json.loads(tool.run("compare", "ab", "--json", *SLOWER).expect(99).out)
    assert page["paired"] and [difference["pointer"] for difference in page["differences"]] == ["target"]
    assert page["metrics"]["http_req_duration.med"]["difference"] > 200
    tool.run("compare", "ab", "--base", "b", "--candidate", "a", *SLOWER).expect(0)
    # Without a variant base, the first is the base.
    itself = tool.run("compare", "ab", "--candidate", "a").expect(64).err
    assert "ab: base a and candidate a are one variant" in itself and "allowed as --candidate: b (of a run without" in itself, itself


@pytest.mark.parametrize("kind", ["repeat", "ab"])
def test_what_a_target_cannot_be_made_to_do_is_told_once_for_all_runs(tool: Tool, collect, tmp_path: Path, kind: str):
    """Also by who is quiet, and in every form of the report of the whole."""
    entries = [{"at": "1s", "collector": {"fault": "outage"}}, {"name": "late", "at": "1m", "device": {"network": "none"}}]
    path = write_scenario(tmp_path, SCENARIO | {"timeline": entries})
    targets = ["--target", collect("a.sqlite").url]
    if kind == "ab":
        targets = ["--ab", targets[1], collect("b.sqlite").url]
    told = tool.run("run", path, *targets, "--repeat", 2, "--out", "out", "-q").expect(0)
    warnings = [line for line in told.err.splitlines() if line.startswith("warning: ")]
    places = ["/populations/0/sdk/upload/flushInterval:", "/timeline/1/at:", "/timeline/0:"]
    assert [line.split(" ")[1] for line in warnings] == places, str(told)
    assert warnings[2].startswith("warning: /timeline/0: skipped, since an external target cannot be made to: "), str(told)
    report = read_report(tool.folder / "out")
    assert report["warnings"] == [line.removeprefix("warning: ") for line in warnings]
    for name in ("summary.md", "report.html"):
        assert "/timeline/0: skipped, since an external target" in (tool.folder / "out" / name).read_text(), name


def test_repeated_runs_of_two_commands_are_not_paired(tool: Tool, slow: tuple[str, str], tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO)
    for name, url in zip("ab", slow):
        tool.run("run", path, "--target", url, "--repeat", 2, "--out", name, "-q").expect(0)
    refused = tool.run("compare", "a", "b").expect(104)
    assert "target" in refused.err, "another target is another world, unless the user says otherwise"
    page = json.loads(tool.run("compare", "a", "b", "--json", "--allow-different", *SLOWER).expect(99).out)
    assert page["paired"] is False and "Welch" in page["method"]
    assert page["metrics"]["http_req_duration.med"]["pairs"] == 2


def test_quiet_runs_say_which_of_them_did_not_pass(tool: Tool, slow: tuple[str, str], tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO | {"thresholds": {"http_req_duration": ["med<200"]}})
    told = tool.run("run", path, "--ab", *slow, "--repeat", 1, "--out", "ab", "-q")
    if real_clock.was_late(told.command, told.folder, told.out + told.err):
        real_clock.inconclusive(f"the generator was late\n{told}")
    told.expect(99)
    lines = [line for line in told.err.splitlines() if not line.startswith("warning: /")]
    assert len(lines) == 1 and lines[0].startswith("failed: b, seed 5: http_req_duration violated med<200 with "), str(told)
    assert told.out == "", str(told)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--repeat", "0"], "allowed is a whole number from 1"),
        (["--repeat", "2", "--seed", 2**64 - 1], "there are not so many seeds from 18446744073709551615 on"),
        (["--repeat", "2", "--events", "e.ndjson"], "--events: is for one run"),
        (["--repeat", "2", "--max-rate", "5"], "would keep to it"),
        (["--repeat", "2", "--trace-devices", "99"], "--trace-devices: found \"99\""),
        (["--ab", "http://127.0.0.1:9"], "takes two targets"),
        (["--ab", "http://127.0.0.1:9", "http://127.0.0.1:9", "--target", "http://127.0.0.1:9"], "both say where"),
        (["--ab", "http://127.0.0.1:9", "http://collector.example.org"], "neither loopback nor a private address"),
    ],
)
def test_wrong_options_are_named(tool: Tool, tmp_path: Path, options: list[str], said: str):
    path = write_scenario(tmp_path, SCENARIO)
    assert said in tool.run("run", path, "--out", "out", *options).expect(64).err
    assert not (tool.folder / "out").exists()


def test_runs_that_do_not_fit_are_refused_before_there_is_a_folder(tool: Tool, tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO)
    refused = tool.run("run", path, "--repeat", 2, "--devices", 10_000_000, "--out", "out").expect(104)
    assert "would fit" in refused.err and not (tool.folder / "out").exists()


def test_a_target_that_is_down_is_found_before_the_first_run(tool: Tool, collect, tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO)
    ended = tool.run("run", path, "--ab", collect("a.sqlite").url, "http://127.0.0.1:9/sa", "--out", "out").expect(69)
    assert "cannot connect to http://127.0.0.1:9" in ended.err and not (tool.folder / "out").exists()


def runs_of(folder: Path) -> set[str]:
    """The seeds of the runs that a folder of repeated runs has."""
    return {path.name for path in (folder / "variants" / "base" / "seeds").iterdir()}


def test_an_interrupt_drains_the_run_under_way_and_reports_those_before_it(tool: Tool, collect, tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO)
    url = collect("a.sqlite").url
    running = tool.start("run", path, "--target", url, "--repeat", 50, "--out", "out")
    looked = time.monotonic()

    def has_begun_the_third() -> bool:
        nonlocal looked
        now = time.monotonic()
        if "run 3 of 50" in running.err:
            return True
        looked = now
        return False

    running.wait_until(has_begun_the_third, "began its third run")
    running.signal(2)
    since = time.monotonic() - looked
    ended = running.wait().expect(105)
    # Users act for two seconds: later it may have come between two runs, where there is none to be drained.
    if since > 1.5:
        real_clock.inconclusive(f"the interrupt came up to {since:.1f} s after the run had begun")
    assert f"50 seeds from 5, against {url}\n" in ended.err and ended.err.count("each run offers ") == 1, str(ended)
    assert "draining for up to 3s" in ended.err and "kept as interrupted, and compared with nothing" in ended.err
    out = tool.folder / "out"
    report = read_report(out)
    seeds = report["variants"]["base"]["seeds"]
    assert report["partial"] and report["verdict"] == "interrupted" and report["exit_code"] == 105
    assert 2 <= len(seeds) < 50 and all(run["verdict"] != "interrupted" for run in seeds.values())
    # What was measured of the last one is there, and nowhere else.
    last = str(5 + len(seeds))
    assert report["unfinished"] == {"variant": "base", "seed": int(last), "verdict": "interrupted", "exit_code": 105}
    assert runs_of(out) == {*seeds, last}
    alone = read_report(out / "variants" / "base" / "seeds" / last)
    assert alone["verdict"] == "interrupted" and alone["events"]["balance"] == 0
    assert alone["events"]["pending"]["in_flight"] == 0, "its drain came to its end"
    for name in ("report.html", "summary.md"):
        text = (out / name).read_text()
        assert "the series was broken off" in text and f"(base, seed {last}) is kept as interrupted" in text.replace("\\", "")
    assert "the series was broken off" in " ".join(ended.out.split()) and not (out / "report.partial.json").exists()
    for path in ("out", "out/report.json"):
        refused = tool.run("compare", path, path).expect(104).err
        assert f"{path}: the series was broken off: what is not whole" in refused
    (listed,) = [line for line in tool.run("runs", ".").expect(0).out.splitlines() if line.endswith(" out")]
    assert "interrupted (105)" in listed and "unfinished" not in listed
    refused = tool.run("compare", out / "variants" / "base" / "seeds" / last, out).expect(104).err
    assert f"seeds/{last}: was interrupted: what is not whole" in refused


def test_a_target_that_goes_away_ends_the_series_with_a_report(tool: Tool, collect, tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO)
    collector = collect("a.sqlite")
    running = tool.start("run", path, "--target", collector.url, "--repeat", 50, "--out", "out")
    running.wait_until(lambda: "run 2 of 50" in running.err, "began its second run")
    collector.stop()
    begun = int(re.findall(r"run (\d+) of 50: ", running.err)[-1])
    ended = running.wait().expect(105)
    report = read_report(tool.folder / "out")
    seeds = report["variants"]["base"]["seeds"]
    assert report["partial"] and report["verdict"] == "interrupted" and report["exit_code"] == 105
    assert 1 <= len(seeds) <= begun and seeds.keys() == runs_of(tool.folder / "out") and "unfinished" not in report
    missing = f"error: run {len(seeds) + 1} of 50 (seed {5 + len(seeds)}): cannot connect to http://127.0.0.1:"
    assert missing in ended.err and "those before it are in out" in ended.err, str(ended)
    (why,) = [text for text in report["warnings"] if "could not begin: cannot connect to http://127.0.0.1:" in text]
    assert why.startswith(f"run {len(seeds) + 1} of 50 (seed ") and why in (tool.folder / "out/summary.md").read_text().replace("\\", "")
    assert "nothing was run" not in ended.err and not (tool.folder / "out" / "report.partial.json").exists()
    for name in ("report.html", "summary.md"):
        assert "the series was broken off" in (tool.folder / "out" / name).read_text()


def test_a_second_interrupt_waits_for_no_drain(tool: Tool, collect, tmp_path: Path):
    """In the first run, so that nothing is left to be compared."""
    faults = tmp_path / "never.json"
    faults.write_text(json.dumps({"timeline": [{"at": "0s", "collector": {"fault": "latency", "latency": "10m"}}]}))
    path = write_scenario(tmp_path, SCENARIO | {"duration": "10m", "drain": "10m"})
    url = collect("a.sqlite", "--faults", faults).url
    running = tool.start("run", path, "--target", url, "--repeat", 3, "--out", "out")
    out = tool.folder / "out"
    first = out / "variants" / "base" / "seeds" / "5"

    def has_captured() -> bool:
        partial = first / "report.partial.json"
        return partial.exists() and json.loads(partial.read_text())["events"]["captured"] > 0

    running.wait_until(has_captured, "captured something")
    running.signal(2)
    running.wait_until(lambda: "draining for up to 10m" in running.err, "heard the first signal")
    running.signal_again(2)
    ended = running.wait().expect(105)
    assert "ended at once" in ended.err
    alone = read_report(first)
    assert alone["verdict"] == "interrupted" and alone["events"]["balance"] == 0
    report = read_report(out)
    assert report["partial"] and report["variants"]["base"]["seeds"] == {} and report["unfinished"]["seed"] == 5
    assert runs_of(out) == {"5"} and (out / "report.html").exists()
    assert "the series was broken off" in " ".join(ended.out.split())
