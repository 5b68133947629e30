"""Uploads count from when they begin: in the herd after an entry of the timeline, and in the busiest second of a run."""

from __future__ import annotations

import csv
import json

from conftest import Tool
from helpers import write_scenario

#: Each device uploads at multiples of 15 s. From the outage's end on nobody answers, so all that was sent then is cut when
#: the run ends.
HANGING = {
    "name": "hanging",
    "seed": 3,
    "duration": "2m",
    "drain": "1s",
    "populations": [
        {
            "name": "ios",
            "devices": 50,
            "system": "sensors",
            "version": "4.9.1",
            "app": "shop",
            "persona": {"preset": "steady", "rate": "1/s"},
            "arrival": {"over": "0s"},
            "sdk": {"upload": {"timeout": "60s"}},
        }
    ],
    "timeline": [
        {"at": "30s", "for": "1m", "name": "outage", "collector": {"fault": "outage"}},
        {"at": "90s", "for": "5m", "name": "hang", "collector": {"fault": "stall"}},
    ],
}


def hanging(tool: Tool) -> dict:
    path = write_scenario(tool.folder, HANGING)
    tool.run("simulate", path, "-q", "--out", "run").expect(0)
    report = json.loads((tool.folder / "run/report.json").read_text())
    # Three rounds of them: at 90 s, 105 s and 120 s.
    assert report["answers"]["unanswered"] == 150
    return report


def test_a_herd_that_nobody_answers_is_one(tool: Tool):
    outage = hanging(tool)["entries"]["outage"]["metrics"]
    assert outage["herd_peak"]["value"] == 50


def test_what_is_given_up_at_the_end_of_a_run_is_no_busy_second(tool: Tool):
    report = hanging(tool)
    with open(tool.folder / "run/timeseries.csv") as file:
        ended = max(float(row["requests_per_second_max"]) for row in csv.DictReader(file))
    # The first second has two rounds.
    assert ended == 150 and report["peak_uploads_per_second"] == 100
