"""GrowingIO's bodies under each service, read by an independent decoder from real uploads."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

import systems_rules as rules
from conftest import Tool
from rough_days import RESTLESS, Played, play
from systems_collector import SystemsCollector

#: Populations by name: version, knobs, and what their uploads' headers say (codec, crypt, content).
SERVICES = {
    "old-plain": ("3.2.1", {}, (None, None, "application/json")),
    "old-pod": ("3.2.1", {"buildFlags": ["ENABLE_ENCRYPTION"]}, ("3", "1", "application/json")),
    "old-snappy": ("3.2.1", {"services": {"compression": "snappy", "encryption": "xor"}}, ("2", "1", "application/json")),
    "old-protobuf": ("3.2.1", {"useProtobuf": True, "services": {"compression": "lz4"}}, ("3", None, "application/protobuf")),
    "new-plain": ("4.11.0", {}, (None, None, "application/protobuf")),
    "new-json": ("4.11.0", {"useProtobuf": False, "services": {"encryption": "xor"}}, (None, "1", "application/json")),
    "new-lz4": ("4.11.0", {"services": {"compression": "lz4", "encryption": "xor"}}, ("3", "1", "application/protobuf")),
    "new-snappy": ("4.11.0", {"services": {"compression": "snappy"}}, ("2", None, "application/protobuf")),
    "text-plain": ("document", {}, ("3", "1", "application/json")),
    # The text's table says that the flag switches encryption off.
    "text-pod": ("document", {"buildFlags": ["ENABLE_ENCRYPTION"]}, (None, None, "application/json")),
}  # fmt: skip

#: An app of three screens, each with an event of its own, and the paths of those that it tracks.
SCREENS = {"A": "/a", "B": None, "C": "/c"}
THREE = {
    "screens": [{"name": one, "transitions": {other: 1}} for one, other in ("AB", "BC", "CA")],
    "events": [{"name": f"Seen{one}", "on": {"screen": one}} for one in SCREENS],
}
TRACKED = {
    "customEventWithPath": True,
    "autotrack": {"pages": {f"{one}ViewController": path[1:] for one, path in SCREENS.items() if path}},
}


def scenario() -> dict:
    upload = {"upload": {"firstFlush": "1s", "flushInterval": "2s", "timeout": "3s"}}
    populations = [
        {"name": name, "devices": 4, "system": "growing", "version": version, "persona": "restless", "sdk": upload | knobs}
        for name, (version, knobs, _) in SERVICES.items()
    ]  # fmt: skip
    populations.append(populations[-1] | {"name": "pages", "version": "4.11.0", "app": "three", "sdk": upload | TRACKED})
    return {
        "name": "growing-services",
        "seed": 20260305,
        "duration": "8s",
        "drain": "6s",
        "target": {"url": "http://127.0.0.1:1", "accountId": "account-1"},
        "apps": {"three": THREE},
        "personas": {"restless": RESTLESS},
        "populations": populations,
    }


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Played:
    tool = Tool(tmp_path_factory.mktemp("services"))
    yield play(tool, SystemsCollector(20260305, {"ok": 8, "error_500": 1, "accept_then_die": 1}).start(), scenario())
    tool.close()


def test_every_body_can_be_read(played: Played):
    assert not played.ledger.problems(), "\n".join(played.ledger.problems()[:40])


@pytest.mark.parametrize("name", SERVICES)
def test_uploads_say_how_they_were_made(played: Played, name: str):
    """All of a population's uploads, and nothing else's, are made by its services."""
    # Of a late generator's users not all acted.
    played.finished.expect(0)
    own = {line["id"] for line in played.of(name)}
    requests = [request for request in played.ledger.books[rules.GROWING].requests if set(request.ids) & own]
    assert all(set(request.ids) <= own for request in requests)
    assert Counter(request.coding for request in requests).keys() == {SERVICES[name][2]} and len(requests) > 10


def test_delivered_is_what_the_collector_said_yes_to(played: Played):
    said_yes = played.ledger.acknowledged(rules.GROWING)
    delivered = {line["id"] for line in played.lines if line["fate"] == "delivered"}
    assert delivered == said_yes, str(played.finished)
    played.finished.expect(0)
    assert len(said_yes) > 300, str(played.finished)


def test_protobuf_says_what_json_says(played: Played):
    """The same members in both formats, as the types of a version have them."""
    played.finished.expect(0)
    members: dict[str, dict[str, set]] = {"new-plain": {}, "new-json": {}}
    events = played.ledger.books[rules.GROWING].events
    for name, types in members.items():
        for line in played.of(name):
            if line["id"] in events:
                value = events[line["id"]].value
                # Proto3 has no number 0 on the wire.
                types.setdefault(value["eventType"], set()).update(set(value) - {"eventSequenceId", "userId"})
    shared = members["new-plain"].keys() & members["new-json"].keys()
    assert {"VISIT", "CUSTOM", "VIEW_CLICK"} <= shared
    optional = {"idfa", "index", "path", "textValue", "query", "hyperlink"}
    for kind in shared:
        assert members["new-plain"][kind] ^ members["new-json"][kind] <= optional, kind


def test_events_name_the_page_before(played: Played):
    """4.x: PAGE says where it comes from unless that screen is not tracked, and CUSTOM has the path of the last PAGE."""
    played.finished.expect(0)
    events = played.ledger.books[rules.GROWING].events
    devices: dict[str, list[str]] = defaultdict(list)
    for line in played.of("pages"):
        devices[line["id"].split("-")[0]].append(line["id"])
    found = Counter()
    for ids in devices.values():
        # Around the first screen is a navigation controller, which is not tracked.
        before, last = "B", "/"
        for identifier in sorted(ids, key=lambda one: int(one.split("-")[1])):
            if identifier not in events:
                break
            value = events[identifier].value
            if value["eventType"] == "PAGE":
                assert value.get("referralPage") == SCREENS[before], value
                last = value["path"]
                found[last, before] += 1
            elif value["eventType"] == "CUSTOM":
                before = value["eventName"].removeprefix("Seen")
                assert value["path"] == last, value
                found[before] += 1
    assert {("/c", "B"), ("/a", "C"), "A", "B", "C"} <= found.keys(), found
