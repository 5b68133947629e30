"""Live runs of all systems against an independent collector on a rough day: its books and the program's must agree,
per system and per cause."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import reference_collector as reference
import systems_rules as rules
from conftest import Tool
from helpers import by_device, rows, write_scenario
from rough_days import RAN, RESTLESS, Played, play
from systems_collector import SENSORS, SystemsCollector

#: Seconds that it takes: the longest go first.
LONG = 60

#: Versions by system; each is a population of its own.
VERSIONS = {
    SENSORS: ["1.10.17", "4.9.1"],
    rules.GROWING: ["3.2.1", "4.11.0", "document"],
    rules.TRACKING: ["document"],
    rules.KIT: ["1.0", "document"],
    rules.CODELESS: ["document"],
}
#: Impatient where the rules can be set; Kit uploads at a start what an earlier day left.
SDK = {
    SENSORS: {"upload": {"flushInterval": "2s", "flushBulkSize": 20, "timeout": "3s"}},
    rules.GROWING: {"upload": {"firstFlush": "1s", "flushInterval": "2s", "timeout": "3s"}},
    rules.TRACKING: {"upload": {"timeout": "3s"}},
    rules.KIT: {"storage": {"prefill": 20}},
    rules.CODELESS: {"upload": {"flushInterval": "2s", "timeout": "3s"}},
}
#: Statuses at which a version drops its rows.
REFUSING = {"sensors-4-9-1": {400, 302}}


def scenario() -> dict:
    populations = [
        {
            "name": f"{system}-{version.replace('.', '-')}",
            "devices": 16 if system == rules.KIT else 8,
            "system": system,
            "version": version,
            "persona": "restless",
            "arrival": {"over": "2s"},
            "sdk": SDK[system],
        }
        for system, versions in VERSIONS.items()
        for version in versions
    ]
    return {
        "name": "rough-day-for-all",
        "seed": 20260303,
        "duration": "14s",
        "drain": "10s",
        "target": {"url": "http://127.0.0.1:1", "accountId": "account-1", "apiKey": "key-1"},
        "personas": {"restless": RESTLESS},
        "populations": populations,
    }


def delivered_ids(played: Played, system: str) -> set[str]:
    return {line["id"] for line in played.of_system(system) if line["fate"] == "delivered"}


@pytest.fixture(scope="module")
def module_tool(tmp_path_factory):
    tool = Tool(tmp_path_factory.mktemp("systems"))
    yield tool
    tool.close()


@pytest.fixture(scope="module")
def rough(module_tool) -> Played:
    """The run that most tests here look at."""
    return play(module_tool, SystemsCollector(20260303, reference.ROUGH).start(), scenario())


@pytest.fixture(scope="module")
def readable(tmp_path_factory) -> Played:
    """The same, by a collector that reads each request before it does with it what it does."""
    tool = Tool(tmp_path_factory.mktemp("readable"))
    kinds = {kind: weight for kind, weight in reference.ROUGH.items() if kind != "reset_unread"}
    yield play(tool, SystemsCollector(20260304, kinds).start(), scenario() | {"duration": "8s"})
    tool.close()


def test_everything_on_the_wire_can_be_read(rough: Played):
    assert not rough.ledger.problems(), "\n".join(rough.ledger.problems()[:40])


def test_the_day_was_rough_enough(rough: Played):
    rough.finished.expect(0)
    causes = Counter(request.kind for request in rough.ledger.requests)
    assert len(causes) > len(reference.ROUGH) / 2 and rough.ledger.unread, causes
    for system, book in rough.ledger.books.items():
        assert book.unique > 50 and len(book.causes()) > 2, (system, book.causes())


@pytest.mark.parametrize("system", VERSIONS)
def test_an_event_is_delivered_if_and_only_if_the_collector_said_yes(rough: Played, system: str):
    book, said_yes = rough.ledger.books[system], rough.ledger.acknowledged(system)
    delivered = delivered_ids(rough, system)
    named = {key for key in said_yes if book.events[key].bs_id}
    # Only Kit has rows without an id.
    assert named == said_yes or system == rules.KIT
    assert named <= delivered, sorted(named - delivered)[:20]
    assert len(delivered) == len(said_yes), (system, sorted(delivered - named)[:20], str(rough.finished))
    own = [population for name, population in rough.report["populations"].items() if name.split("-")[0] == system]
    assert sum(population["events"]["delivered"] for population in own) == len(said_yes)


@pytest.mark.parametrize("system", VERSIONS)
def test_every_other_fate_follows_from_the_answers(rough: Played, system: str):
    """No process died: what no yes told of was refused, cleared with what a yes told of, or is still there."""
    ledger, book = rough.ledger, rough.ledger.books[system]
    said_yes = ledger.acknowledged(system)
    others = [line for line in rough.of_system(system) if line["fate"] != "delivered"]
    for line in others:
        assert line["id"] not in said_yes, line
        refusals = book.statuses(line["id"]) & REFUSING.get(line["population"], set())
        if refusals:
            assert (line["fate"], line["cause"]) == ("rejected", str(min(refusals))), line
        elif system == rules.TRACKING and line["fate"] == "lost":
            assert line["cause"] == "cleared_unsent", line
        else:
            assert line["fate"] in ("pending", "suppressed"), line


@pytest.mark.parametrize("system", [name for name in VERSIONS if name != rules.KIT])
def test_lines_tell_what_was_sent(rough: Played, system: str):
    """Type, name and time of each line are those of the event on the wire."""
    seen = 0
    for line in rough.of_system(system):
        event = rough.ledger.books[system].events.get(line["id"])
        if event is None:
            continue
        seen += 1
        kind, name, moment = told_of(system, event.value)
        assert (line["type"], line["name"]) == (kind, line["name"] if name is None else name), (line, event.value)
        assert moment is None or abs(line["captured_at"] - moment) <= 1, (line, event.value)
    assert seen > 30, (system, seen)


def test_lines_tell_what_kit_sent(rough: Played):
    """Its rows have no ids: each that was sent stands for a line of that code, remark and second."""
    sent: Counter = Counter()
    for event in rough.ledger.books[rules.KIT].events.values():
        code, seconds, rest = event.value["row"].split(",", 2)
        sent[code, rest.rsplit(",", 1)[1], int(seconds)] += 1
    lines = Counter(
        (line["type"], line["name"], int(line["captured_at"] / 1000 + 0.5)) for line in rough.of_system(rules.KIT)
    )
    assert sent and sent <= lines, list((sent - lines).items())[:10]


def told_of(system: str, value: dict) -> tuple[str, str | None, float | None]:
    """What an event says of its type, its name, and its time in ms; None where it says nothing of ours."""
    if system == SENSORS:
        return value["type"], value.get("event"), None if value["lib"].get("$lib") == "js" else value["time"]
    if system == rules.GROWING:
        return value["eventType"], value.get("eventName"), value["timestamp"]
    if system == rules.TRACKING:
        return "event", value["event_name"], value["timestamp"] * 1000
    return value[1], None, value[2]


@pytest.mark.parametrize("population, version", [("growing-3-2-1", "3.2.1"), ("growing-4-11-0", "4.11.0")])
def test_sequence_ids_of_growingio_count_events(rough: Played, population: str, version: str):
    """3.x numbers all events of a device and those of each type; 4.x five types together, all others are 0."""
    numbered = {"VISIT", "PAGE", "VIEW_CLICK", "VIEW_CHANGE", "CUSTOM"}
    events, checked = rough.ledger.books[rules.GROWING].events, 0
    for lines in by_device(rough.of(population)).values():
        counts: Counter = Counter()
        for line in lines:
            kind = line["type"] if version == "3.2.1" else "shared" if line["type"] in numbered else None
            counts[kind] += 1
            event = events.get(line["id"])
            if event is None:
                continue
            checked += 1
            value = event.value
            assert value["sdkVersion"] == version
            wanted = counts[kind] if kind else 0
            assert value.get("eventSequenceId", 0) == wanted, (line, value)
            if version == "3.2.1":
                assert value["globalSequenceId"] == counts.total(), (line, value)
    assert checked > 100


def test_what_trackingsdk_lost_was_cleared_by_an_answer_to_another_request(rough: Played):
    """A 200 removes the file, whatever came into it since the request was made: before the answer was read, nothing
    else is lost, and what was there then is never seen in a later request."""
    book = rough.ledger.books[rules.TRACKING]
    delivered = {line["id"]: line["acked_at"] for line in rough.of_system(rules.TRACKING) if line["acked_at"]}
    lost = vague = 0
    for lines in by_device(rough.of_system(rules.TRACKING)).values():
        own = {line["id"] for line in lines}
        # An answer was read when it first acknowledged something; with nothing new in it, some time later.
        answers = [
            (max(delivered[identifier] for identifier in request.ids), request)
            for request in book.requests
            if request.status == 200 and request.ids and request.ids[0] in own
        ]
        for line in lines:
            if line["fate"] == "lost":
                others = [(at, request) for at, request in answers if line["id"] not in request.ids]
                assert len(others) == len(answers), line
                lost += 1
                if not any(line["captured_at"] <= at for at, _ in others):
                    vague += 1
                    last = max((request.answered_at * 1000 for _, request in others), default=0)
                    assert last > line["captured_at"] - 50, (line, last)
            elif line["fate"] == "pending":
                assert all(at <= line["captured_at"] for at, _ in answers), line
    assert lost > 0 and vague <= lost / 4, (lost, vague)


@pytest.mark.parametrize("system", [name for name in VERSIONS if name != rules.KIT])
def test_attempts_are_the_uploads_that_carried_an_event(readable: Played, system: str):
    """Where the collector reads every request, its count is the program's, but for what was cut at the end."""
    book, checked = readable.ledger.books[system], Counter()
    for line in readable.of_system(system):
        carried = len(book.carried.get(line["id"], ()))
        if line["cause"] == "in_flight":
            assert line["attempts"] >= carried, line
        else:
            assert line["attempts"] == carried, (line, carried, str(readable.finished))
            checked[carried] += 1
    # The codeless SDK tries once.
    assert checked[1] > 20 and (checked.total() - checked[0] - checked[1] > 20 or system == rules.CODELESS), checked


def test_attempts_of_kits_rows_are_the_uploads_that_carried_them(readable: Played):
    """Its rows have no ids: as many lines as rows were carried so and so often."""
    book = readable.ledger.books[rules.KIT]
    carried = Counter(map(len, book.carried.values()))
    told = Counter(line["attempts"] for line in readable.of_system(rules.KIT) if line["attempts"])
    assert carried == told and carried.total() > 100, (carried, told)


def test_a_part_of_the_codeless_sdk_has_an_id_of_its_own(rough: Played):
    """What failed is not sent again while the process lives, and a file is sent under a new id each time."""
    ids = Counter(request.batch_id for request in rough.ledger.books[rules.CODELESS].requests)
    assert None not in ids and max(ids.values()) == 1, ids.most_common(5)


def test_the_audit_by_the_independent_books(rough: Played):
    """All systems' rows are receipts: by id, and Kit's by log and line."""
    receipts = rough.folder.parent / "receipts.ndjson"
    rough.ledger.write_receipts(receipts)
    tool = Tool(rough.folder.parent)
    tool.run("audit", rough.folder, "--receipts", receipts).expect(0)
    audit = json.loads((rough.folder / "report.json").read_text())["audit"]
    books = rough.ledger.books.values()
    delivered = sum(len(rough.ledger.acknowledged(system)) for system in VERSIONS)
    held = sum(book.unique for book in books)
    assert (audit["received"], audit["unique"]) == (sum(book.received for book in books), held)
    assert audit["duplicates"] == sum(book.duplicates for book in books) > 0
    assert (audit["unexpected"], audit["acked_not_found"]) == (0, 0)
    assert (audit["confirmed"], audit["recovered"]) == (delivered, held - delivered)


# In the modelled world


def simulated(tool: Tool, population: dict, **changes) -> dict:
    """The report of ten minutes of forty devices, through replies that are lost and answers that lie."""
    faults = [
        {"at": "1m", "for": "2m", "share": 0.3, "collector": {"fault": "acceptThenDie"}},
        {"at": "4m", "for": "1m", "share": 0.3, "collector": {"fault": "status", "status": 503}},
        {"at": "6m", "for": "30s", "share": 0.5, "collector": {"fault": "status", "status": 200}},
    ]
    scenario = {
        "name": "modelled",
        "seed": 5,
        "duration": "10m",
        "drain": "2m",
        "target": {"accountId": "account-1", "apiKey": "key-1"},
        "timeline": faults,
        "populations": [
            {"name": "p", "devices": 40, "persona": "casual", "arrival": {"over": "2m"}} | population,
        ],
    }
    path = write_scenario(tool.folder, scenario | changes)
    return json.loads(tool.run("simulate", path, "--json", "--out", tool.folder / "out").expect(0).out)


@pytest.mark.parametrize("system", VERSIONS)
@pytest.mark.parametrize("tagged", [True, False])
def test_devices_and_collector_name_events_alike(tool: Tool, system: str, tagged: bool):
    """By ids and, without them, by natural keys that both make on their own."""
    sdk = {"sdk": {"storage": {"prefill": 30}}} if system == rules.KIT else {}
    for version in VERSIONS[system]:
        report = simulated(tool, {"system": system, "version": version} | sdk, tagEvents=tagged)
        tool.folder.joinpath("out").rename(tool.folder / f"out-{version}")
        events, audit = report["events"], report["audit"]
        assert events["balance"] == 0 and events["delivered"] > 500
        assert (audit["unexpected"], audit["acked_not_found"], audit["undecodable"]) == (0, 0, 0), audit
        assert audit["recovered"] > 0 and (audit["duplicates"] > 0 or system in (rules.KIT, rules.CODELESS)), audit
        assert events["delivered"] == audit["confirmed"] + audit["swallowed"], (events, audit)
        # An event that is the same in every part as another of its moment cannot be told from it.
        alike = audit.get("alike", 0)
        assert audit["unique"] == audit["confirmed"] - alike + audit["recovered"], audit
        assert alike == 0 if tagged else 0 <= alike <= 0.01 * events["delivered"], (events, audit)


def test_events_that_nobody_can_tell_apart_are_told(tool: Tool):
    """Apps that start in the same millisecond send the same event, which bears neither an id nor a device."""
    sdk = {"system": "trackingsdk", "devices": 200, "arrival": {"over": "0s"}, "persona": "power"}
    report = simulated(tool, sdk, tagEvents=False, duration="2m")
    events, audit = report["events"], report["audit"]
    assert events["balance"] == 0 and audit["alike"] > 100, audit
    assert events["delivered"] == sum(audit[key] for key in ("confirmed", "acked_not_found", "swallowed", "dry_run"))
    assert audit["unique"] == audit["confirmed"] - audit["alike"] + audit["recovered"]
    assert f"{audit['alike']:,} of the confirmed events bear no id" in report["audit_note"]


def test_a_path_of_a_targets_own_leads_to_its_system(tool: Tool):
    """Two systems with paths that say nothing, in the modelled world and at the embedded collector."""
    populations = [
        {"name": "a", "devices": 5, "system": "trackingsdk", "target": {"path": "/ingest"}, "persona": "steady"},
        {"name": "b", "devices": 5, "system": "growing", "target": {"path": "/in"}, "persona": "steady"},
    ]
    scenario = {"name": "paths", "seed": 1, "duration": "3s", "drain": "5s", "populations": populations}
    path = write_scenario(tool.folder, scenario)
    store = tool.folder / "store.sqlite"
    for verb in (["simulate"], ["run", "--store", store]):
        finished = tool.run(*verb, path, "--json", "--out", tool.folder / verb[0]).expect(*RAN)
        report = json.loads(finished.out)
        for name in ("a", "b"):
            assert report["populations"][name]["events"]["delivered"] > 0, (verb, name)
        assert report["audit"]["undecodable"] == 0 and report["audit"]["received"] > 0
    found = dict(rows(store, "SELECT system, count(DISTINCT device) FROM events GROUP BY system"))
    assert found == {"trackingsdk": 5, "growing": 5}
