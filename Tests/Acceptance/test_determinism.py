"""Virtual runs: one scenario and one seed give one result, byte for byte."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import pytest

from conftest import Tool
from helpers import assert_events_agree, by_device, read_events, read_report, steady, write_scenario

#: What two runs of one scenario and seed may differ in.
OWN = {"started_at", "wall_seconds", "generator", "run"}

EVENTFUL = {
    "name": "eventful",
    "seed": 5,
    "duration": "10m",
    "drain": "1m",
    "personas": {
        "restless": {
            "extends": "casual",
            "sessionLength": {"median": "30s", "sigma": 1},
            "returnChance": 0.9,
            "returnGap": {"min": "5s", "alpha": 1.1, "max": "2m"},
            "killAtBackgroundChance": 0.2,
            "crashChance": 0.05,
            "signUpChance": 0.2,
            "loginChance": 0.2,
            "logoutChance": 0.1,
        }
    },
    "populations": [
        {
            "name": "old",
            "devices": 40,
            "system": "sensors",
            "version": "1.10.17",
            "persona": "restless",
            "arrival": {"over": "30s"},
            "sdk": {"storage": {"limit": 60, "evict": 10}},
        },
        {
            "name": "new",
            "devices": 40,
            "system": "sensors",
            "version": "4.9.1",
            "persona": "restless",
            "arrival": {"over": "30s"},
            "sdk": {"storage": {"limit": 60, "evict": 10, "prefill": 30}},
        },
    ],
    "timeline": [
        {"at": "1m", "for": "3m", "collector": {"fault": "outage"}},
        {"at": "5m", "for": "1m", "share": 0.3, "collector": {"fault": "status", "status": 503}},
        {"at": "5m", "for": "1m", "share": 0.1, "collector": {"fault": "acceptThenDie"}},
        {"at": "6m", "for": "1m", "share": 0.5, "device": {"network": "none"}},
        {"at": "7m", "remoteConfig": {"disableSDK": True}},
    ],
}


def simulate(tool: Tool, scenario: Path, name: str, *options: object) -> tuple[dict, bytes, dict[str, bytes]]:
    """A simulation's report without what is its own, its events, and its other files."""
    out, events = tool.folder / name, tool.folder / f"{name}.ndjson"
    tool.run("simulate", scenario, "--out", out, "--events", events, "-q", *options).expect(0)
    report = read_report(out)
    assert OWN <= set(report)
    return (
        {key: value for key, value in report.items() if key not in OWN},
        events.read_bytes(),
        {file: (out / file).read_bytes() for file in ("timeseries.csv",)},
    )


def test_one_seed_one_result(tool: Tool, tmp_path: Path):
    scenario = write_scenario(tmp_path, EVENTFUL)
    first = simulate(tool, scenario, "first")
    again = simulate(tool, scenario, "again", "--threads", 1)
    threads = simulate(tool, scenario, "threads", "--threads", 2)
    for other in (again, threads):
        assert other[1] == first[1], "the events differ"
        assert other[0] == first[0], "the reports differ"
        assert other[2] == first[2], "the time series differ"


def cpu_by_thread(pid: int) -> list[float]:
    """The seconds of CPU that each thread of a process has used, the busiest first."""
    used = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
            used.append((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    return sorted(used, reverse=True)


def test_one_simulation_is_one_thread(tool: Tool, tmp_path: Path):
    """What `--help` says of simulations, and why no result can depend on `--threads`: all others have nothing to do."""
    said = " ".join(tool.run("simulate", "--help").expect(0).out.split())
    assert "Each simulation is one thread" in said and "No result depends on it." in said
    scenario = write_scenario(tmp_path, steady(400, "2h", drain="1s"))
    running = tool.start("simulate", scenario, "--out", tmp_path / "out", "-q", "--threads", 4)
    used: list[float] = []

    def has_worked() -> bool:
        used[:] = cpu_by_thread(running.pid)
        return sum(used) >= 2

    running.wait_until(has_worked, "worked for two seconds")
    running.kill()
    assert used[0] > 0.9 * sum(used), used


def test_another_seed_another_result(tool: Tool, tmp_path: Path):
    scenario = write_scenario(tmp_path, EVENTFUL)
    first, events, _ = simulate(tool, scenario, "first")
    second, other_events, _ = simulate(tool, scenario, "second", "--seed", 6)
    assert second["fingerprint"] != first["fingerprint"]
    assert other_events != events
    assert second["events"]["captured"] != first["events"]["captured"]


def test_packing_changes_nothing(tool: Tool, tmp_path: Path):
    scenario = write_scenario(tmp_path, EVENTFUL)
    _, plain, _ = simulate(tool, scenario, "plain")
    packed = tmp_path / "packed.ndjson.gz"
    tool.run("simulate", scenario, "--out", tmp_path / "packed", "--events", packed, "-q").expect(0)
    assert read_events(packed) == [json.loads(line) for line in plain.splitlines()]


def test_a_neighbours_size_moves_nobody_elses_draws(tool: Tool, tmp_path: Path):
    """Streams are keyed by population and index: the second population captures the same in a larger fleet.

    The faults are left out: which requests they meet depends on how many there are.
    """
    calm = EVENTFUL | {"timeline": []}
    larger = json.loads(json.dumps(calm))
    larger["populations"][0]["devices"] = 55
    captured = []
    for number, scenario in enumerate((calm, larger)):
        path = write_scenario(tmp_path, scenario, f"{number}.json")
        _, events, _ = simulate(tool, path, f"run-{number}")
        devices = by_device([line for line in map(json.loads, events.splitlines()) if line["population"] == "new"])
        captured.append(
            [[(line["type"], line["name"], line["captured_at"]) for line in lines] for lines in devices.values()]
        )
    assert captured[0] == captured[1]


def test_a_simulations_books_agree(tool: Tool, tmp_path: Path):
    """The report sums up the events file; every fate that the scenario provokes is there."""
    report, events, _ = simulate(tool, write_scenario(tmp_path, EVENTFUL), "run")
    lines = [json.loads(line) for line in events.splitlines()]
    by_device(lines)
    assert_events_agree(report["events"], lines)
    for name, part in report["populations"].items():
        assert_events_agree(part["events"], [line for line in lines if line["population"] == name])
    fates = {(line["fate"], line["cause"]) for line in lines}
    assert {("delivered", None), ("evicted", "storage_limit"), ("suppressed", "sdk_disabled")} <= fates
    audit = report["audit"]
    delivered = report["events"]["delivered"]
    assert delivered == audit["confirmed"] + audit["acked_not_found"] + audit["swallowed"] + audit["dry_run"]
    assert audit["unique"] == audit["confirmed"] + audit["recovered"] + audit["unexpected"]
    assert audit["received"] == audit["unique"] + audit["duplicates"] and audit["duplicates"] > 0
    assert audit["acked_not_found"] == audit["unexpected"] == 0


def test_a_lying_collector_and_dry_runs_are_told_apart(tool: Tool, tmp_path: Path):
    """Planned lies are `swallowed`, debugOnly's events `dry_run`; neither counts as missing."""
    scenario = EVENTFUL | {
        "timeline": [{"at": "1m", "for": "1m", "share": 0.5, "collector": {"fault": "status", "status": 204}}]
    }
    scenario["populations"] = scenario["populations"] + [
        {
            "name": "dry",
            "devices": 5,
            "system": "sensors",
            "version": "4.9.1",
            "persona": "steady",
            "sdk": {"debugMode": "debugOnly"},
        }
    ]
    report, events, _ = simulate(tool, write_scenario(tmp_path, scenario), "run", "--duration", "3m")
    audit = report["audit"]
    dry = sum(
        json.loads(line)["population"] == "dry" and json.loads(line)["fate"] == "delivered"
        for line in events.splitlines()
    )
    assert audit["swallowed"] > 0 and dry > 0
    # Requests of a dry run that meet the lie are answered all the same.
    assert dry - audit["swallowed"] <= audit["dry_run"] <= dry
    assert audit["acked_not_found"] == audit["unexpected"] == 0
    assert report["events"]["delivered"] == audit["confirmed"] + audit["swallowed"] + audit["dry_run"]


def test_without_ids_the_audit_goes_by_natural_keys(tool: Tool, tmp_path: Path):
    """`tagEvents: false` changes what is sent, and nothing of what is counted."""
    tagged, tagged_events, _ = simulate(tool, write_scenario(tmp_path, EVENTFUL, "tagged.json"), "tagged")
    plain, plain_events, _ = simulate(
        tool, write_scenario(tmp_path, EVENTFUL | {"tagEvents": False}, "plain.json"), "plain"
    )
    assert plain_events == tagged_events
    assert plain["audit"] == tagged["audit"]
    assert plain["metrics"]["data_sent"]["count"] < tagged["metrics"]["data_sent"]["count"]


@pytest.mark.parametrize("devices", [2, 3, 80])
def test_devices_are_numbered_through_all_populations(tool: Tool, tmp_path: Path, devices: int):
    """`--devices` scales by largest remainder, ties to the earlier."""
    scenario = write_scenario(tmp_path, EVENTFUL | {"timeline": []})
    report, events, _ = simulate(tool, scenario, "run", "--devices", devices, "--duration", "1m")
    lines = [json.loads(line) for line in events.splitlines()]
    first = {2: 1, 3: 2, 80: 40}[devices]
    assert report["devices"] == devices
    for line in lines:
        number = int(line["id"].split("-")[0])
        assert number < devices and (line["population"] == "old") == (number < first), line
