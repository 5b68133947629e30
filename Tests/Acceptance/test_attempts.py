"""`attempts` of an event is the number of uploads that carried it: by the requests of the run itself, by a collector that
counts for itself, in virtual time and live, for every system."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import systems_rules as rules
from conftest import Tool
from helpers import read_events, read_report, rows, steady, write_scenario
from rough_days import RAN, RESTLESS, play
from systems_collector import SENSORS, SystemsCollector
from test_systems_ledger import SDK, VERSIONS

#: Seconds that it takes: the longest go first.
LONG = 50

#: Answers that every system's clients read whole, or wait for in vain: each upload is seen by the collector.
SEEN = {"ok": 12, "slow": 4, "no_content": 3, "error_500": 8, "error_403": 4, "forgetful": 3, "accept_then_die": 4}

#: People whose phones end processes often, in the middle of uploads too.
KILLED = RESTLESS | {"crashChance": 0.2, "killAtBackgroundChance": 0.4, "meanTimeToKill": "1m"}


def populations(persona: str, timeout: str | None = None) -> list[dict]:
    """One for each version of each system."""
    patience = {"upload": {"timeout": timeout}} if timeout else {}
    return [
        {
            "name": f"{system}-{version.replace('.', '-')}",
            "devices": 8,
            "system": system,
            "version": version,
            "persona": persona,
            "arrival": {"over": "2s"},
            "sdk": {group: SDK[system].get(group, {}) | patience.get(group, {}) for group in SDK[system] | patience},
        }
        for system, versions in VERSIONS.items()
        for version in versions
    ]


def scenario(**changes) -> dict:
    return {
        "name": "attempts",
        "seed": 31,
        "duration": "10s",
        "drain": "6s",
        "target": {"url": "http://127.0.0.1:1", "accountId": "account-1", "apiKey": "key-1"},
        "personas": {"restless": RESTLESS, "killed": KILLED},
        "populations": populations("restless"),
    } | changes


def carried_by_requests(report: dict, population: str) -> int:
    """Events in all uploads of a population, as its requests were counted."""
    batches = report["populations"][population]["metrics"]["batch_size"]
    assert batches["count"] == report["populations"][population]["metrics"]["http_reqs"]["count"]
    return round(batches["avg"] * batches["count"])


def attempts(lines: list[dict]) -> Counter:
    sums: Counter = Counter()
    for line in lines:
        sums[line["population"]] += line["attempts"]
    return sums


FAULTS = [
    {"at": "10s", "for": "20s", "collector": {"fault": "status", "status": 503}, "share": 0.5},
    {"at": "30s", "for": "10s", "collector": {"fault": "acceptThenDie"}, "share": 0.3},
    {"at": "45s", "for": "10s", "collector": {"fault": "latency", "latency": {"median": "2s", "sigma": 0.5}}},
    {"at": "1m", "for": "10s", "collector": {"fault": "outage"}},
    {"at": "80s", "for": "10s", "client": {"fault": "delay", "latency": {"median": "1s", "sigma": 0.5}}, "share": 0.3},
    {"at": "90s", "for": "10s", "client": {"fault": "drop"}, "share": 0.3},
    {"at": "100s", "for": "10s", "share": 0.5, "device": {"network": "none"}},
    # To the end: many are unanswered when the run is over.
    {"at": "115s", "collector": {"fault": "latency", "latency": {"median": "15s", "sigma": 0.5}}, "share": 0.5},
]


@pytest.mark.parametrize("persona", ["restless", "killed"])
@pytest.mark.parametrize("disk", ["sound", "readOnly", "full", "corrupt"])
def test_attempts_agree_with_the_requests_in_virtual_time(tool: Tool, tmp_path: Path, persona: str, disk: str):
    """Also of what was acknowledged and travels again, since a failing disk keeps it."""
    failing = [{"at": "20s", "for": "60s", "share": 0.7, "device": {"disk": disk}}] if disk != "sound" else []
    own = populations(persona, "20s")
    path = write_scenario(
        tmp_path, scenario(duration="2m", drain="5s", populations=own, timeline=FAULTS + failing)
    )
    events = tmp_path / "events.ndjson"
    tool.run("simulate", path, "--out", tmp_path / "run", "--events", events, "-q").expect(0)
    report, lines = read_report(tmp_path / "run"), read_events(events)
    sums = attempts(lines)
    wrong = {
        name: (sums[name], carried_by_requests(report, name))
        for name in report["populations"]
        if sums[name] != carried_by_requests(report, name)
    }
    assert not wrong, wrong
    assert report["answers"]["unanswered"] > 0, "none was under way at the end"
    assert sum(sums.values()) > sum(1 for line in lines if line["attempts"]), "none was sent twice"


def test_attempts_agree_with_an_independent_collector(tool: Tool):
    """Live: event for event, what came is what was counted."""
    collector = SystemsCollector(31, SEEN).start()
    played = play(tool, collector, scenario())
    assert not played.ledger.problems(), "\n".join(played.ledger.problems()[:20])
    assert not played.ledger.unread
    wrong = []
    for system in VERSIONS:
        carried = {
            event.bs_id: len(played.ledger.books[system].carried[key])
            for key, event in played.ledger.books[system].events.items()
            if event.bs_id
        }
        for line in played.of_system(system):
            # Only some of Kit's rows carry an id.
            if system == rules.KIT and line["id"] not in carried:
                continue
            if line["attempts"] != carried.get(line["id"], 0):
                wrong.append((line["id"], system, line["fate"], line["attempts"], carried.get(line["id"], 0)))
    assert not wrong, (len(wrong), wrong[:20])
    sums = attempts(played.lines)
    for name in played.report["populations"]:
        assert sums[name] == carried_by_requests(played.report, name), name
    played.finished.expect(0)
    assert max(line["attempts"] for line in played.lines) > 2


@pytest.mark.parametrize("system", [SENSORS, rules.TRACKING])
def test_an_upload_that_is_due_when_the_drain_ends_counts_for_nothing(tool: Tool, tmp_path: Path, system: str):
    """A flush of every second, a drain of whole seconds, and an app that stays in the foreground: at its end another
    flush is due. The store has as many copies of each event as uploads carried it."""
    store, events = tmp_path / "store.sqlite", tmp_path / "events.ndjson"
    plan = steady(
        20, "3s", drain="2s", timeline=[{"at": "1s", "collector": {"fault": "acceptThenDie"}, "share": 0.7}]
    )
    if system == rules.TRACKING:
        plan["populations"][0] |= {"system": system, "version": "document", "sdk": {}}
    path = write_scenario(tmp_path, plan)
    options = ["--store", store, "--events", events, "--out", tmp_path / "run", "-q"]
    finished = tool.run("run", path, *options).expect(*RAN)
    copies = dict(rows(store, "SELECT id, count(*) FROM events GROUP BY id"))
    lines = read_events(events)
    wrong = [line for line in lines if line["attempts"] != copies.get(line["id"], 0)]
    assert not wrong, (len(wrong), wrong[:10])
    # Where all came late, it may have come after the drain.
    finished.expect(0)
    assert sum(copies.values()) > len(copies)
