"""Loads that the tests of `capacity` search with, and what a search leaves."""

from __future__ import annotations

import json
from pathlib import Path


def flushing(devices: int, **changes) -> dict:
    """Each device uploads what it has once a second: as many requests per second as devices."""
    scenario = {
        "name": "flushing",
        "seed": 11,
        "duration": "1m",
        "populations": [
            {
                "name": "ios",
                "devices": devices,
                "system": "sensors",
                "version": "4.9.1",
                "persona": {"preset": "steady", "rate": "3/s"},
                "sdk": {"upload": {"flushInterval": "1s"}, "remoteConfig": {"enabled": False}},
            }
        ],
        "thresholds": {"http_req_failed": ["rate<0.01"]},
    }
    return scenario | changes


def read(folder: Path) -> dict:
    return json.loads((folder / "capacity.json").read_text())
