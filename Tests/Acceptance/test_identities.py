"""Who events are of, from call to call: a run against the independent collector, and the problems of validate."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import reference_collector as reference
import sensors_rules as rules
from conftest import Tool
from helpers import write_scenario
from rough_days import RESTLESS, play

MOBILE = "$identity_mobile"
#: An app whose calls are silent: every version of the SDK has them.
SILENT = [
    {"operation": "identify", "id": "perDevice", "on": "launch"},
    {"operation": "resetAnonymousId", "on": "logout"},
    {"operation": "identify", "on": {"control": "Detail.like:"}},
]
TRACKED = [
    {"operation": "bind", "on": "login", "key": MOBILE, "value": {"uniform": {"min": 1e10, "max": 2e10, "decimals": 0}}},
    {"operation": "bind", "on": {"control": "Home.buy:"}, "key": "$identity_email", "value": {"constant": "a@b.cn"}},
    {"operation": "unbind", "on": {"control": "Detail.like:"}, "key": MOBILE},
]  # fmt: skip


def app(identities: list[dict]) -> dict:
    return {
        "screens": [
            {"name": "Home", "controls": [{"action": "buy:"}, {"action": "open:", "opens": "Detail"}]},
            {"name": "Detail", "controls": [{"action": "like:"}], "transitions": {"Home": 1}},
        ],
        "events": [{"name": "Look", "on": {"screen": "Detail"}}],
        "identities": identities,
    }


def scenario(seed: int) -> dict:
    def population(name: str, version: str) -> dict:
        return {
            "name": name,
            # So many that of no seed a kind of calls is missing.
            "devices": 20,
            "system": "sensors",
            "version": version,
            "persona": "restless",
            "app": name,
            "arrival": {"over": "1s"},
            "sdk": {"upload": {"flushInterval": "1s"}},
        }

    return {
        "name": "identities",
        "seed": seed,
        "duration": "10s",
        "drain": "6s",
        "apps": {"old": app(SILENT), "new": app(SILENT + TRACKED)},
        "personas": {"restless": RESTLESS},
        "populations": [population("old", rules.OLD), population("new", rules.NEW)],
    }


def lives(events: dict[str, dict]) -> dict[int, list[dict]]:
    """Each device's events in the order of their capture, up to the first that did not arrive."""
    devices: dict[int, dict[int, dict]] = {}
    for identifier, value in events.items():
        device, sequence = map(int, identifier.split("-"))
        devices.setdefault(device, {})[sequence] = value
    whole = {}
    for device, found in devices.items():
        count = next(n for n in range(len(found) + 1) if n not in found)
        whole[device] = [found[n] for n in range(count)]
    return whole


def test_every_event_is_of_whom_it_says(tool: Tool, seed: int):
    played = play(tool, reference.ReferenceCollector(seed, reference.CALM).start(), scenario(seed))
    assert not played.ledger.violations, "\n".join(played.ledger.violations[:20])
    kinds: Counter = Counter()
    problems = []
    for device, events in lives(played.ledger.events).items():
        person = rules.Person()
        own = events[0]["properties"]["$device_id"]
        anonymous = {event["distinct_id"] for event in events if not event["distinct_id"].startswith("user-")}
        # The start comes before the app's first call; who logs in right after it has no other anonymous events.
        if events[0]["distinct_id"] != own:
            problems.append(f"{device} began as {events[0]['distinct_id']}, its own id is {own}")
        kinds[events[0]["lib"]["$lib_version"], "identified"] += len(anonymous) > 1
        for event in events:
            kinds[event["lib"]["$lib_version"], event["type"]] += 1
            if event["lib"]["$lib_version"] == rules.NEW and (told := person.take(event)):
                problems.append(f"{device} {event.get('event')}: {told}")
    assert not problems, "\n".join(problems[:20])
    # Of a late generator's users not all acted.
    played.finished.expect(0)
    assert kinds[rules.NEW, "track_id_bind"] > 5 and kinds[rules.NEW, "track_id_unbind"] > 2, kinds
    assert kinds[rules.OLD, "identified"] > 3 and kinds[rules.NEW, "identified"] > 3, kinds
    assert kinds[rules.OLD, "track_signup"] > 2 and kinds[rules.NEW, "track_signup"] > 2, kinds


@pytest.mark.parametrize("version", [rules.OLD, "document"])
def test_binding_in_a_version_that_cannot_is_told(tool: Tool, tmp_path: Path, version: str):
    wrong = scenario(1)
    wrong["populations"][1]["version"] = version
    finished = tool.run("validate", write_scenario(tmp_path, wrong)).expect(104)
    told = finished.out + finished.err
    assert "/populations/1/app" in told and "4.9.1" in told and "bind" in told, told


def test_instant_events_travel_at_once_and_alone(tool: Tool, seed: int):
    """The collector sees which names the form calls instant; what it saw is compared with the scenario."""
    tried = scenario(seed)
    tried["populations"] = [tried["populations"][1]]
    tried["apps"].pop("old")
    tried["populations"][0]["sdk"]["upload"]["instant"] = ["Look", "$AppClick"]
    played = play(tool, reference.ReferenceCollector(seed, reference.CALM).start(), tried)
    ledger = played.ledger
    assert not ledger.violations, "\n".join(ledger.violations[:20])
    played.finished.expect(0)
    assert ledger.instant_requests > 10, ledger.instant_requests
    carried = {name for name, instant in ledger.instant_names if instant}
    assert carried == {"Look", "$AppClick"}, ledger.instant_names


def test_silent_calls_move_nobody_elses_draws(tool: Tool, tmp_path: Path):
    """The population that calls nothing has the same events, whatever its neighbour calls."""

    def fingerprints(identities: list[dict], name: str) -> list[str]:
        tried = scenario(5)
        tried["apps"] = {"old": app([]), "new": app(identities)}
        events = tmp_path / f"{name}.ndjson"
        tool.run(
            "simulate", write_scenario(tmp_path, tried, f"{name}.json"), "--out", tmp_path / name,
            "--events", events, "-q",
        ).expect(0)  # fmt: skip
        return sorted(line for line in events.read_text().splitlines() if '"old"' in line)

    assert fingerprints([], "none") == fingerprints(SILENT + TRACKED, "all")
