"""Fleets in which nothing happens for most of the time: nobody looks at them then, and nothing that is told differs."""

from __future__ import annotations

from pathlib import Path

from conftest import Tool
from helpers import read_report, write_scenario

SCENARIO = {
    "name": "quiet",
    "seed": 3,
    "duration": "30h",
    "populations": [
        {"name": "old", "devices": 6, "system": "growing"},
        {"name": "new", "devices": 6, "system": "sensors", "arrival": {"over": "9h"}},
    ],
    "timeline": [{"at": "4h", "for": "3h", "collector": {"fault": "outage"}}],
}


def test_levels_of_a_quiet_fleet_are_what_every_look_would_tell(tool: Tool, tmp_path: Path) -> None:
    """A window that is measured apart wants each look; without one, those at fleets that stand still are left out."""
    told = {}
    for name, more in (("some", {}), ("all", {"measureFrom": "1m"})):
        folder = tool.folder / f"run-{name}"
        (tmp_path / name).mkdir()
        scenario = write_scenario(tmp_path / name, SCENARIO | more)
        tool.run("simulate", scenario, "--out", folder, "-q").expect(0)
        report = read_report(folder)
        told[name] = (report["series"], report["fingerprint"], (folder / "timeseries.csv").read_text())
    assert told["some"] == told["all"]
    rows = told["some"][2].splitlines()
    assert len(rows) > 200 and len(set(rows)) > 20, "the fleet never did anything"
