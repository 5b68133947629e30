"""The store's cap, played again by a few lines of Python from the events file alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Tool
from helpers import by_device, read_events, read_report, write_scenario


def evictions(captured: int, limit: int, evict: int, version: str) -> int:
    """How many of so many events a store that cannot deliver has deleted, and the most rows it ever had.

    1.10.17 (MessageQueueBySqlite.m): with `count >= limit`, delete, then insert.
    4.9.1 (SADatabase.m): while `count + 1 >= limit`, delete; then insert.
    """
    count = gone = 0
    for _ in range(captured):
        while count >= limit if version == "1.10.17" else count + 1 >= limit:
            deleted = min(evict, count)
            count, gone = count - deleted, gone + deleted
        count += 1
        assert count <= limit
    return gone


def check_oldest_first(lines: list[dict], expected: int) -> None:
    """Exactly the oldest events of a device are evicted."""
    gone = [int(line["id"].split("-")[1]) for line in lines if line["fate"] == "evicted"]
    assert gone == list(range(expected)), f"{len(gone)} evicted, expected {expected}: {lines[0]['id']}"


@pytest.mark.parametrize("version", ["1.10.17", "4.9.1"])
@pytest.mark.parametrize("limit, evict, prefill", [(200, 100, 0), (50, 7, 49), (50, 7, 50), (300, 300, 10)])
def test_a_device_without_a_network_keeps_its_newest_events(
    tool: Tool, tmp_path: Path, version: str, limit: int, evict: int, prefill: int
):
    scenario = {
        "name": "offline",
        "seed": 3,
        "duration": "5m",
        "drain": "1m",
        "populations": [
            {
                "name": "ios",
                "devices": 3,
                "system": "sensors",
                "version": version,
                "persona": {"extends": "steady", "rate": "2/s"},
                "network": "dead",
                "sdk": {"storage": {"limit": limit, "evict": evict, "prefill": prefill}},
            }
        ],
        "networks": {"dead": {"kind": "none"}},
    }
    events = tmp_path / "events.ndjson"
    tool.run(
        "simulate", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "--events", events, "-q"
    ).expect(0)
    devices = by_device(read_events(events))
    assert len(devices) == 3
    for lines in devices.values():
        assert len(lines) > limit
        check_oldest_first(lines, evictions(len(lines), limit, evict, version))
        assert {line["cause"] for line in lines if line["fate"] == "evicted"} == {"storage_limit"}
        assert {line["fate"] for line in lines} == {"evicted", "pending"}
    report = read_report(tmp_path / "run")
    assert report["metrics"]["http_reqs"]["count"] == 0, "a request begun without a radio is none"


@pytest.mark.parametrize("version", ["1.10.17", "4.9.1"])
def test_an_entry_at_0s_holds_from_the_start(tool: Tool, tmp_path: Path, version: str):
    """A network that is gone at 0s is gone before the first launch, as a collector's outage at 0s is."""
    scenario = {
        "name": "offline",
        "duration": "30s",
        "populations": [{"name": "ios", "devices": 3, "system": "sensors", "version": version, "persona": "steady"}],
        "timeline": [{"at": "0s", "device": {"network": "none"}}],
    }
    tool.run("simulate", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "-q").expect(0)
    assert read_report(tmp_path / "run")["events"]["delivered"] == 0
