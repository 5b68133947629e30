"""Live runs that are repeated: is one collector slower than another?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Tool
from helpers import read_report, write_scenario

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
#: Far more than a busy machine adds, with ten requests a second.
LATE = {"timeline": [{"at": "0s", "collector": {"fault": "latency", "latency": "400ms"}}]}
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
    assert [line.split(": ")[1] for line in told.err.splitlines() if line.startswith("run ")] == [
        "a, seed 5", "b, seed 5", "b, seed 6", "a, seed 6"
    ]  # fmt: skip
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


def test_repeated_runs_of_two_commands_are_not_paired(tool: Tool, slow: tuple[str, str], tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO)
    for name, url in zip("ab", slow):
        tool.run("run", path, "--target", url, "--repeat", 2, "--out", name, "-q").expect(0)
    refused = tool.run("compare", "a", "b").expect(104)
    assert "target" in refused.err, "another target is another world, unless the user says otherwise"
    page = json.loads(tool.run("compare", "a", "b", "--json", "--allow-different", *SLOWER).expect(99).out)
    assert page["paired"] is False and "Welch" in page["method"]
    assert page["metrics"]["http_req_duration.med"]["pairs"] == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--repeat", "0"], "allowed is a whole number from 1"),
        (["--repeat", "2", "--events", "e.ndjson"], "--events: is for one run"),
        (["--ab", "http://127.0.0.1:9"], "takes two targets"),
        (["--ab", "http://127.0.0.1:9", "http://127.0.0.1:9", "--target", "http://127.0.0.1:9"], "both say where"),
        (["--ab", "http://127.0.0.1:9", "http://collector.example.org"], "neither loopback nor a private address"),
    ],
)
def test_wrong_options_are_named(tool: Tool, tmp_path: Path, options: list[str], said: str):
    path = write_scenario(tmp_path, SCENARIO)
    assert said in tool.run("run", path, "--out", "out", *options).expect(64).err
    assert not (tool.folder / "out").exists()


def test_a_target_that_is_down_is_found_before_the_first_run(tool: Tool, collect, tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO)
    ended = tool.run("run", path, "--ab", collect("a.sqlite").url, "http://127.0.0.1:9/sa", "--out", "out").expect(69)
    assert "cannot connect to http://127.0.0.1:9" in ended.err and not (tool.folder / "out").exists()


def test_an_interrupt_keeps_the_runs_that_are_over(tool: Tool, collect, tmp_path: Path):
    path = write_scenario(tmp_path, SCENARIO)
    running = tool.start("run", path, "--target", collect("a.sqlite").url, "--repeat", 50, "--out", "out")
    running.wait_until(lambda: "run 3 of 50" in running.err, "began its third run")
    running.signal(2)
    ended = running.wait().expect(105)
    # It is of no use to the others, so nothing waits for its drain.
    assert "the run that is under way is dropped" in ended.err and "draining" not in ended.err
    report = json.loads((tool.folder / "out" / "report.partial.json").read_text())
    seeds = report["variants"]["base"]["seeds"]
    assert report["partial"] and 2 <= len(seeds) < 50 and not (tool.folder / "out" / "report.json").exists()
    kept = {path.name for path in (tool.folder / "out" / "variants" / "base" / "seeds").iterdir()}
    assert kept == set(seeds)
