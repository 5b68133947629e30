"""Clocks of devices that are off, in every system: the population's word is the SDK's knob, and events bear their times."""

from __future__ import annotations

import hashlib
import json
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from conftest import Tool
from helpers import read_events, read_report, steady, write_scenario
from known_systems import built_in

OUTLIERS = {"sd": "2s", "outliers": {"share": 0.5, "sd": "2d"}}


def generate(tool: Tool, system: str, name: str, **population: object) -> Path:
    scenario = {
        "name": "clocks", "seed": 3, "duration": "30h", "drain": "1m",
        "populations": [{"name": "p", "devices": 6, "system": system,
                         "persona": {"preset": "casual", "sessionsPerDay": 6}} | population],
    }
    path = write_scenario(tool.folder, scenario, f"{name}.json")
    tool.run("generate", path, "--out", name, "--format", "ndjson", "--tag", "-q").expect(0)
    return tool.folder / name


def table(folder: Path, name: str) -> list[dict]:
    (file,) = sorted(folder.rglob(f"{name}*.ndjson"))
    return [json.loads(line) for line in file.read_text().splitlines()]


def tables(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("[a-z]*.ndjson")}


@pytest.mark.parametrize("system", built_in())
def test_the_populations_deviation_is_the_sdks_knob(tool: Tool, system: str):
    old = generate(tool, system, "old", sdk={"clockSkew": "2s"})
    new = generate(tool, system, "new", clockSkew="2s")
    exact = generate(tool, system, "exact")
    assert tables(old) == tables(new) and len(tables(old)) >= 5
    assert tables(exact)["events.ndjson"] != tables(new)["events.ndjson"]
    mixed = generate(tool, system, "mixed", clockSkew=OUTLIERS)
    before = {row["device"]: row["clock_skew_ms"] for row in table(new, "devices")}
    skews = {row["device"]: row["clock_skew_ms"] for row in table(mixed, "devices")}
    wrong = {device for device, skew in skews.items() if skew != before[device]}
    assert 0 < len(wrong) < 6 and max(abs(skews[device]) for device in wrong) > 3_600_000
    assert all(abs(skew) < 20_000 for skew in before.values())


def test_events_bear_the_time_of_their_devices_clock(tool: Tool):
    folder = generate(tool, "sensors", "data", clockSkew=OUTLIERS)
    skews = {row["device"]: row["clock_skew_ms"] for row in table(folder, "devices")}
    truth = {row["id"]: row for row in table(folder, "truth")}

    def milliseconds(text: str) -> float:
        return datetime.fromisoformat(text).timestamp() * 1000

    events = table(folder, "events")
    assert len(events) > 50
    for event in events:
        known = truth[event["id"]]
        assert event["captured_at"] == known["device_at"]
        off = milliseconds(known["device_at"]) - milliseconds(known["captured_at"])
        assert abs(off - skews[event["device"]]) <= 1
    assert max(abs(skew) for skew in skews.values()) > 3_600_000


@pytest.mark.parametrize("system, version", [("sensors", "4.9.1"), ("growing", "4.11.0")])
def test_a_clock_leaves_summer_time_when_it_shows_the_moment(tool: Tool, system: str, version: str):
    """However far it is off: a device knows no other time than its own."""
    zone = "America/New_York"
    scenario = {
        "name": "clocks", "seed": 3, "start": "2026-10-31T00:00:00-04:00", "duration": "3d", "drain": "1m",
        "populations": [{"name": "p", "devices": 8, "system": system, "version": version, "app": "shop",
                         "persona": {"preset": "casual", "sessionsPerDay": 20}, "timeZones": {zone: 1}, "clockSkew": "12h"}],
    }
    path = write_scenario(tool.folder, scenario)
    tool.run("generate", path, "--out", "data", "--format", "ndjson", "-q").expect(0)
    offsets = set()
    for row in table(tool.folder / "data", "events"):
        event = json.loads(row["payload"])
        told = event.get("timezoneOffset") if system == "growing" else event["properties"].get("$timezone_offset")
        if told is not None:
            shown = datetime.fromisoformat(row["captured_at"]).astimezone(ZoneInfo(zone))
            assert int(told) == -shown.utcoffset().total_seconds() / 60, row
            offsets.add(int(told))
    assert offsets == {240, 300}


def started_ms(folder: Path) -> int:
    """When a run says that it began, in whole milliseconds since the epoch."""
    began = datetime.fromisoformat(read_report(folder)["started_at"])
    return (began - datetime.fromtimestamp(0, timezone.utc)) // timedelta(milliseconds=1)


def test_a_live_run_starts_at_its_second_0(tool: Tool):
    """Not when its set-up began: what is told of a second can be laid beside the target's log."""
    path = write_scenario(tool.folder, steady(devices=3, duration="2s", drain="1s"))
    events = tool.folder / "run.ndjson"
    tool.run("run", path, "--out", "run", "--events", events, "-q").expect(0, 96)
    folder = tool.folder / "run"
    start = json.loads((folder / "replay.json").read_text())["start_ns"]
    assert started_ms(folder) == start // 1_000_000
    # Users act from second 0 on, for two.
    since = [line["captured_at"] - start / 1e6 for line in read_events(events)]
    assert since and -0.01 <= min(since) and max(since) <= 2000


def test_a_live_run_with_a_clock_of_its_own_starts_by_the_wall(tool: Tool):
    scenario = steady(devices=3, duration="4s", drain="1s", start="2026-03-01T08:00:00+08:00", pace=2)
    before = int(time.time() * 1000)
    tool.run("run", write_scenario(tool.folder, scenario), "--out", "run", "-q").expect(0, 96)
    after = int(time.time() * 1000)
    folder = tool.folder / "run"
    assert before <= started_ms(folder) <= after
    began = datetime.fromtimestamp(json.loads((folder / "replay.json").read_text())["start_ns"] / 1e9, timezone.utc)
    assert began == datetime(2026, 3, 1, tzinfo=timezone.utc)
