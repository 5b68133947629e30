"""A live run against an independent collector on a rough day: two sets of books, kept apart, must agree.

The collector answers well and badly as a dice tells it; what it told and what it holds is compared with what
the program says of every single event.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest

import real_clock
import reference_collector as reference
from conftest import Finished, Tool
from helpers import assert_events_agree, by_device, read_report
from rough_days import RAN, RESTLESS, Played, play

#: Seconds that it takes: the longest go first.
LONG = 60

#: The same with processes that die all the time.
MORTAL = RESTLESS | {"killAtBackgroundChance": 0.5, "crashChance": 0.3}


def population(name: str, devices: int, version: str, persona, prefill: int = 0, **sdk) -> dict:
    """Impatient devices, so that much happens in little time."""
    upload = {"flushInterval": "2s", "flushBulkSize": 20, "timeout": "3s"}
    return {
        "name": name,
        "devices": devices,
        "system": "sensors",
        "version": version,
        "persona": persona,
        "arrival": {"over": "2s"},
        "sdk": {"upload": upload, "storage": {"prefill": prefill}} | sdk,
    }


@pytest.fixture(scope="module")
def module_tool(tmp_path_factory):
    tool = Tool(tmp_path_factory.mktemp("ledger"))
    yield tool
    tool.close()


@pytest.fixture(scope="module")
def rough(module_tool) -> Played:
    """The run that most tests here look at."""
    seed = 20260302
    scenario = {
        "name": "rough-day",
        "seed": seed,
        "duration": "16s",
        "drain": "12s",
        "personas": {"restless": RESTLESS},
        "populations": [
            population("old", 18, "1.10.17", {"extends": "steady", "rate": "2/s"}, prefill=120),
            population("new", 18, "4.9.1", {"extends": "steady", "rate": "2/s"}, prefill=120),
            population("old-restless", 10, "1.10.17", "restless"),
            population("new-restless", 10, "4.9.1", "restless"),
            population("old-debug", 3, "1.10.17", "restless", debugMode="debugAndTrack"),
            population("new-debug", 3, "4.9.1", "restless", debugMode="debugAndTrack"),
        ],
    }
    return play(module_tool, reference.ReferenceCollector(seed, reference.ROUGH).start(), scenario, switch_after=7)


def test_everything_on_the_wire_is_what_the_sdk_would_send(rough: Played):
    kinds = Counter(violation.split(": ", 1)[-1] for violation in rough.ledger.violations)
    listed = "\n".join(rough.ledger.violations[:40])
    assert not rough.ledger.violations, f"{len(rough.ledger.violations)} violations, {len(kinds)} kinds\n{listed}"


def test_what_is_sent_again_is_written_again(rough: Played):
    """Each request has a flush time of its own; two within a millisecond, a flush right behind a failed one, are rare."""
    # Late ones send what fell due meanwhile at once.
    rough.finished.expect(0)
    assert rough.ledger.repeats > 500
    assert rough.ledger.repeats_of_same_time <= rough.ledger.repeats / 100


def test_the_day_was_rough_enough(rough: Played):
    """Each kind of answer happened, batches were full, and events were sent again and held twice."""
    rough.finished.expect(0)
    kinds = {request.kind for request in rough.ledger.requests}
    assert kinds == set(reference.ROUGH) - {"reset_unread"} and rough.ledger.unread
    assert max(len(request.ids) for request in rough.ledger.requests) == 50
    assert rough.ledger.received > rough.ledger.unique > 3000
    assert max(len(requests) for requests in rough.ledger.carried.values()) > 2
    sent = {event.get("event") or event["type"] for event in rough.ledger.events.values()}
    assert {
        "$AppStart",
        "$AppEnd",
        "$AppViewScreen",
        "$AppClick",
        "$SignUp",
        "$AppRemoteConfigChanged",
        "DisableSensorsDataSDK",
        "profile_set",
        "profile_set_once",
        "profile_unset",
        "ViewProduct",
    } <= sent


def test_an_event_is_delivered_if_and_only_if_the_collector_said_yes(rough: Played):
    delivered = {line["id"] for line in rough.lines if line["fate"] == "delivered"}
    said_yes = rough.ledger.acknowledged()
    if delivered < said_yes:
        rough.expect_prompt()
    assert delivered == said_yes, (
        f"delivered without a yes: {sorted(delivered - said_yes)[:20]}; "
        f"a yes without delivered: {sorted(said_yes - delivered)[:20]}\n{rough.finished}"
    )


def test_every_other_fate_follows_from_the_answers(rough: Played):
    """No process died and no store was full, so what was neither refused nor suppressed is still there."""
    refusing = {
        "old": set(),
        "old-restless": set(),
        "new": {400, 302},
        "new-restless": {400, 302},
        "old-debug": {500, 403, 400, 302},
        "new-debug": {500, 403, 400, 302},
    }
    rough.expect_prompt()
    said_yes = rough.ledger.acknowledged()
    for line in rough.lines:
        if line["id"] in said_yes:
            continue
        refusals = rough.ledger.statuses(line["id"]) & refusing[line["population"]]
        if refusals:
            assert (line["fate"], line["cause"]) == ("rejected", str(min(refusals))), line
        elif line["id"] in rough.ledger.carried or line["fate"] != "suppressed":
            assert line["fate"] == "pending", line
        else:
            assert line["cause"] == "sdk_disabled", line
        assert line["acked_at"] is None, line


def test_lines_tell_when_and_how_often(rough: Played):
    for line in rough.lines:
        carried = rough.ledger.carried.get(line["id"], [])
        assert line["attempts"] >= len(carried), line
        if line["fate"] == "delivered":
            first = next(request for request in carried if request.status and request.status < 300)
            assert line["acked_at"] >= line["captured_at"], line
            # Two clocks of one machine; the collector's time is when it had read the request.
            assert line["acked_at"] >= first.at * 1000 - 50, line
    unread = rough.ledger.unread * 50
    seen = sum(map(len, rough.ledger.carried.values()))
    assert seen <= sum(line["attempts"] for line in rough.lines) <= seen + unread


def test_lines_tell_what_was_sent(rough: Played):
    for line in rough.lines:
        sent = rough.ledger.events.get(line["id"])
        if sent is None:
            continue
        assert line["type"] == sent["type"], (line, sent)
        assert line["name"] in (sent.get("event"), ""), (line, sent)
        assert line["system"] == "sensors"
        if not (sent.get("_hybrid_h5") or sent["lib"]["$lib"] == "js"):
            assert int(line["captured_at"]) == sent["time"], (line, sent)


def test_sequences_have_no_holes_and_holes_at_the_collector_have_reasons(rough: Played):
    devices = by_device(rough.lines)
    assert len(devices) == 62
    known = {line["id"] for line in rough.lines}
    assert set(rough.ledger.carried) <= known
    for lines in devices.values():
        missing = [line for line in lines if line["id"] not in rough.ledger.carried]
        assert {line["fate"] for line in missing} <= {"pending", "suppressed"}


def test_the_report_sums_up_the_events_file(rough: Played):
    assert_events_agree(rough.report["events"], rough.lines)
    for name, part in rough.report["populations"].items():
        assert_events_agree(part["events"], rough.of(name))


def test_metrics_follow_from_the_books(rough: Played):
    metrics, lines = rough.report["metrics"], rough.lines
    delivered = [line["acked_at"] - line["captured_at"] for line in lines if line["fate"] == "delivered"]
    gone = sum(line["fate"] in ("evicted", "rejected", "lost") for line in lines)
    wanted = sum(line["fate"] != "suppressed" for line in lines)
    assert metrics["events_captured"]["count"] == len(lines)
    assert metrics["events_lost"]["rate"] == pytest.approx(gone / len(lines), rel=1e-6)
    for name, limit in (("1m", 60e3), ("1h", 3600e3), ("24h", 86400e3)):
        in_time = sum(age <= limit for age in delivered)
        assert metrics[f"freshness_within_{name}"]["rate"] == pytest.approx(in_time / wanted, rel=1e-6), name
    freshness = metrics["event_freshness"]
    assert freshness["count"] == len(delivered)
    ordered = sorted(delivered)
    exact = {"min": ordered[0], "max": ordered[-1], "avg": sum(ordered) / len(ordered)}
    for name, value in exact.items():
        assert freshness[name] == pytest.approx(value, rel=0.03, abs=1), name
    # Events from before the start are half a minute apart: between two of them any value is as good a percentile.
    for name, share in (("med", 0.5), ("p(95)", 0.95)):
        rank = math.ceil(share * len(ordered)) - 1
        low, high = ordered[max(0, rank - 1)], ordered[min(rank + 1, len(ordered) - 1)]
        assert low * 0.97 - 1 <= freshness[name] <= high * 1.03 + 1, name
    assert metrics["http_reqs"]["count"] == len(rough.ledger.requests) + rough.ledger.unread
    assert metrics["config_fetches"]["count"] == len(rough.ledger.config_fetches)


def test_1_10_17_falls_silent_once_it_comes_back_under_a_disabling_configuration(rough: Played):
    """Fetched when the app becomes active, in force from the next time on; 4.9.1 does not ask again for a day."""
    rough.finished.expect(0)
    switched = rough.switched_at / 1000 - rough.ledger.requests[0].at
    if switched > 10:
        # A device is silent from its second start after it; of the sixteen seconds too few are left for that.
        real_clock.inconclusive(f"the configuration changed {switched:.1f} s after the first request, not seven")
    old = by_device(rough.of("old-restless", "old-debug"))
    silenced = 0
    for device, lines in old.items():
        fates = [line["fate"] == "suppressed" for line in lines]
        if True not in fates:
            continue
        first = fates.index(True)
        silenced += 1
        assert all(fates[first:]), f"device {device} speaks again after {lines[first]['id']}"
        farewells = [line for line in lines[:first] if line["name"] == "DisableSensorsDataSDK"]
        assert len(farewells) == 1, f"device {device}: {farewells}"
        assert farewells[0]["captured_at"] > rough.switched_at - 50
        starts = [line for line in lines[first:] if line["name"] == "$AppStart"]
        assert starts and starts[0] is lines[first], f"device {device} falls silent at {lines[first]}"
    assert silenced >= len(old) // 2
    others = rough.of("old", "new", "new-restless", "new-debug")
    assert not [line for line in others if line["fate"] == "suppressed"]


def audit(tool: Tool, played: Played, receipts: Path) -> Finished:
    return tool.run("audit", played.folder, "--receipts", receipts, "--json")


def test_the_audit_counts_as_the_collector_does(rough: Played, module_tool: Tool):
    rough.expect_prompt()
    assert rough.report["audit"] is None
    ledger, receipts = rough.ledger, module_tool.folder / "receipts.ndjson"
    ledger.write_receipts(receipts)
    finished = audit(module_tool, rough, receipts)
    finished.expect(*RAN)
    report = json.loads(finished.out)
    assert report == read_report(rough.folder)
    held, said_yes = set(ledger.copies), ledger.acknowledged()
    expected = {
        "received": ledger.received,
        "unique": ledger.unique,
        "duplicates": ledger.received - ledger.unique,
        "confirmed": len(said_yes & held),
        "acked_not_found": 0,
        "swallowed": 0,
        "dry_run": 0,
        "recovered": len(held - said_yes),
        "unexpected": 0,
        "undecodable": 0,
    }
    assert {key: report["audit"][key] for key in expected} == expected
    # Replies were lost. Whether one was lost for good is up to the clock: mostly the next attempt got through.
    assert expected["duplicates"] + expected["recovered"] > 0
    assert report["events"]["delivered"] == expected["confirmed"]
    duplicated = report["metrics"].get("events_duplicated")
    assert duplicated is None or duplicated["count"] == expected["duplicates"]


def test_the_audit_misses_an_acknowledged_event(rough: Played, module_tool: Tool):
    missing = sorted(rough.ledger.acknowledged())[0]
    receipts = module_tool.folder / "incomplete.csv"
    held = [identifier for identifier in rough.ledger.copies if identifier != missing]
    receipts.write_text("bs_id,other\n" + "".join(f'{identifier},"a, ""b"""\n' for identifier in held))
    finished = audit(module_tool, rough, receipts).expect(95)
    found = json.loads(finished.out)
    assert found["audit"]["acked_not_found"] == 1 and found["verdict"] == "failed"


@pytest.mark.parametrize("stranger", ["999999-0", "0-999999"])
def test_the_audit_finds_an_event_that_no_device_made(rough: Played, module_tool: Tool, stranger: str):
    receipts = module_tool.folder / f"stranger-{stranger}.ndjson"
    rough.ledger.write_receipts(receipts)
    with open(receipts, "a") as file:
        file.write(f'"{stranger}"\n' if stranger.startswith("9") else json.dumps({"bs_id": stranger}) + "\n")
    found = json.loads(audit(module_tool, rough, receipts).expect(95).out)
    assert found["audit"]["unexpected"] == 1 and found["audit"]["acked_not_found"] == 0


def test_books_agree_when_processes_die(tool: Tool, reference_collector, seed: int):
    """A process that died reads no answer: what the collector acknowledged to it is sent again by the next."""
    scenario = {
        "name": "mortal",
        "seed": seed,
        "duration": "12s",
        "drain": "8s",
        "personas": {"mortal": MORTAL},
        "populations": [
            population("old", 20, "1.10.17", "mortal", prefill=30),
            population("new", 20, "4.9.1", "mortal", prefill=30),
        ],
    }
    played = play(tool, reference_collector(seed, reference.ROUGH | {"slow": 30}), scenario)
    ledger, lines = played.ledger, played.lines
    assert not ledger.violations, "\n".join(ledger.violations[:40])
    assert_events_agree(played.report["events"], lines)
    by_device(lines)
    delivered = {line["id"] for line in lines if line["fate"] == "delivered"}
    assert delivered <= ledger.acknowledged()
    assert played.report["events"]["lost"].get("killed", 0) + len(delivered) > 0
    receipts = tool.folder / "receipts.ndjson"
    ledger.write_receipts(receipts)
    finished = audit(tool, played, receipts)
    finished.expect(*RAN)
    held = set(ledger.copies)
    found = json.loads(finished.out)["audit"]
    assert (found["received"], found["unique"]) == (ledger.received, ledger.unique)
    assert (found["confirmed"], found["recovered"]) == (len(delivered), len(held - delivered))
    assert (found["acked_not_found"], found["unexpected"]) == (0, 0)


def test_an_acknowledged_event_that_was_thrown_away_is_found_out(tool: Tool, reference_collector, seed: int):
    """The collector says yes to everything and forgets some of it: of this dice, already the second request."""
    scenario = {
        "name": "forgetful",
        "seed": seed,
        "duration": "5s",
        "drain": "5s",
        "populations": [population("new", 5, "4.9.1", {"extends": "steady", "rate": "4/s"})],
    }
    played = play(tool, reference_collector(1, {"ok": 4, "forgetful": 1}), scenario).expect_prompt()
    receipts = tool.folder / "receipts.ndjson"
    played.ledger.write_receipts(receipts)
    forgotten = len(played.ledger.acknowledged() - set(played.ledger.copies))
    assert forgotten
    finished = audit(tool, played, receipts).expect(95)
    assert json.loads(finished.out)["audit"]["acked_not_found"] == forgotten
