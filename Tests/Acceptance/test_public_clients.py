"""The collector against the public products' own clients: what they post is what it holds.

Nobody here wrote these clients, so they tell whether the collector's idea of the products is true.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import threading
import time
import urllib.parse
from collections import Counter
from pathlib import Path

import pytest

from helpers import post, rows
from public_clients import CLIENTS, Recorder


@pytest.fixture
def recorder(collect):
    collector = collect()
    recorder = Recorder(collector.port)
    recorder.collector = collector
    yield recorder
    recorder.close()


@pytest.mark.parametrize("name", CLIENTS)
def test_every_event_of_a_real_client_is_held_once(recorder, name: str):
    product, drive = CLIENTS[name]
    begin = time.time()
    sent = drive(recorder.url)
    assert sent.failures == []
    # The answers satisfy the client: it sends nothing twice. How many requests it makes of it is its timer's affair.
    assert 0 < len(recorder.requests) <= len(sent.names)
    assert {request.status for request in recorder.requests} == {200}
    stats = recorder.collector.stats()
    assert (stats["undecodable"], stats["duplicates"], stats["not_found"]) == (0, 0, 0)
    assert stats["requests"] == len(recorder.requests)
    store = recorder.collector.store
    events = rows(store, "SELECT system, name, captured_at, payload, copy FROM events")
    assert Counter(event[1] for event in events) == Counter(sent.names)
    assert {event[0] for event in events} == {product}
    # Each event's own id is in exactly one row.
    assert len(set(sent.ids)) == len(sent.ids) > 0
    for identifier in sent.ids:
        assert sum(identifier in event[3] for event in events) == 1, identifier
    for event in events:
        assert json.loads(event[3])
        assert begin - 2 < event[2] / 1000 < time.time() + 2
    # The same requests again are copies, each of its own event.
    recorder.send_again()
    stats = recorder.collector.stats()
    assert (stats["unique"], stats["duplicates"], stats["undecodable"]) == (len(events), len(events), 0)
    copies = rows(store, "SELECT id, count(*), max(copy) FROM events GROUP BY id")
    assert len(copies) == len(events) and {row[1:] for row in copies} == {(2, 1)}


def test_all_clients_of_a_path_are_told_apart_by_their_bodies(recorder):
    """PostHog and Amplitude share `/batch`; each has its own answer."""
    for name in ("posthog", "amplitude-batch"):
        CLIENTS[name][1](recorder.url)
    answers = {request.path: json.loads(request.answer) for request in recorder.requests}
    assert answers["/batch"] == {"code": 200}
    assert "code" not in answers["/batch/"]
    held = dict(rows(recorder.collector.store, "SELECT system, count(*) FROM events GROUP BY system"))
    assert held == {"posthog": 5, "amplitude": 5}


def test_a_real_client_drops_the_events_that_an_answer_lists(collect, tmp_path: Path):
    """Amplitude's client in Python reads the collector's list of invalid events as the preset of its app does."""
    from amplitude import Amplitude, BaseEvent, Config

    faults = tmp_path / "faults.json"
    fault = {"fault": "invalidEvents", "events": 0.3}
    faults.write_text(json.dumps({"seed": 4, "timeline": [{"at": "0s", "collector": fault}]}))
    collector = collect(None, "--faults", faults)
    ended: dict[str, int] = {}
    enough = threading.Semaphore(0)

    def told(event, code, message) -> None:
        ended[event.insert_id] = code
        enough.release()

    url = f"http://127.0.0.1:{collector.port}/2/httpapi"
    client = Amplitude("K", Config(server_url=url, flush_queue_size=200, callback=told))
    for number in range(40):
        client.track(BaseEvent("Buy", user_id="u42", insert_id=f"insert-{number}", event_properties={"n": number}))
    client.flush()
    deadline = time.monotonic() + 60
    for _ in range(40):
        assert enough.acquire(timeout=max(0, deadline - time.monotonic())), "a callback for each event"
    client.shutdown()
    assert set(ended.values()) == {200, 400} and 4 < list(ended.values()).count(400) < 24
    held = {json.loads(payload)["insert_id"] for (payload,) in rows(collector.store, "SELECT payload FROM events")}
    assert held == {name for name, code in ended.items() if code == 200}
    assert collector.stats()["duplicates"] == 0


EVENT = {"event": "Buy", "properties": {"$insert_id": "i-1", "time": 1795419189, "distinct_id": "u", "token": "T"}}


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (json.dumps([EVENT]).encode(), b"1"),
        (gzip.compress(json.dumps([EVENT]).encode()), b"1"),
        (urllib.parse.urlencode({"data": json.dumps(EVENT)}).encode(), b"1"),
        (urllib.parse.urlencode({"data": base64.b64encode(json.dumps([EVENT]).encode())}).encode(), b"1"),
        (urllib.parse.urlencode({"data": base64.urlsafe_b64encode(json.dumps(EVENT).encode()).rstrip(b"=")}).encode(), b"1"),
        (
            urllib.parse.urlencode({"data": json.dumps([EVENT]), "verbose": 1}).encode(),
            b'{"status":1,"error":null}',
        ),
        ((json.dumps(EVENT) + "\n" + json.dumps(EVENT) + "\n").encode(), b"1"),
    ],
    ids=["list", "gzip", "form", "base64", "base64url", "verbose", "lines"],
)
def test_one_event_in_every_wrapping(collect, tmp_path: Path, body: bytes, answer: bytes):
    collector = collect()
    for path in ("/track", "/track/?ip=1", "/gateway/track/"):
        assert post(collector.port, body, path) == (200, answer)
    assert post(collector.port, body, "/track?verbose=1")[1] == b'{"status":1,"error":null}'
    stats = collector.stats()
    assert (stats["unique"], stats["undecodable"]) == (1, 0)
    kinds = rows(collector.store, "SELECT DISTINCT system, type, name, captured_at FROM events")
    assert kinds == [("mixpanel", "event", "Buy", 1795419189000)]


@pytest.mark.parametrize(
    ("method", "path", "member"),
    [
        ("GET", "/v1/projects/WK/settings", "integrations"),
        ("GET", "/array/phc_x/config", "hasFeatureFlags"),
        ("POST", "/flags/?v=2", "featureFlags"),
        ("POST", "/decide/?v=3", "featureFlags"),
        ("GET", "/config/K?config_keys=a", "configs"),
        ("GET", "/decide?version=1", "config"),
    ],
)
def test_configurations_change_nothing(recorder, method: str, path: str, member: str):
    status, answer, kind = recorder.send(method, path, {}, b"{}" if method == "POST" else b"")
    assert (status, kind) == (200, "application/json")
    assert member in json.loads(answer)
    stats = recorder.collector.stats()
    assert (stats["config_fetches"], stats["requests"], stats["not_found"]) == (1, 0, 0)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/b", b'{"batch":7}'),
        ("/v1/b", b'{"batch":[7]}'),
        ("/v1/b", b'{"batch":[{"messageId":"a"}]}'),
        ("/v1/b", b'{"batch":[{"type":"track","timestamp":"soon"}]}'),
        ("/v1/b", b'{"batch":['),
        ("/2/httpapi", b"data=e30"),
        ("/track", b"data=%zz"),
        ("/track", b"data=!!"),
        ("/track", b"\x1f\x8bnothing"),
        ("/i", b""),
    ],
)
def test_what_cannot_be_read_is_counted_and_refused(collect, path: str, body: bytes):
    collector = collect()
    assert post(collector.port, body, path)[0] == (404 if path == "/i" else 400)
    assert collector.stats()["undecodable"] == (0 if path == "/i" else 1)
    assert collector.stats()["received"] == 0


# Clients of one's own

OWN = {
    "name": "acme-ios",
    "request": {"path": "/collect/v2", "body": {"app": "{{apiKey}}", "rows": "{{events}}"}, "perEvent": {"sent": "{{sent|ms}}"}},
    "answers": [["202", "delivered"], ["*", "retry"]],
    "events": {
        "tag": "/data/bs_id",
        "key": ["/uid", "/what"],
        "common": {
            "uid": "{{id}}", "what": "{{name}}", "at": "{{time|s}}", "who": "{{distinctId}}", "data": "{{properties}}",
        },
        "business": {"name": "{{event}}"},
        "screen": {"name": "screen"},
    },
}


def described(tmp_path: Path, description: dict, name: str = "acme.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(description))
    return path


def test_a_client_of_ones_own_is_read_by_its_description(collect, tmp_path: Path):
    collector = collect(None, "--sdk", described(tmp_path, OWN))
    assert "declared (acme-ios, segment, " in collector.running.out

    def event(number: int, sent: int, **data) -> dict:
        return {"uid": f"u{number}", "what": "Buy", "at": 1700000000, "who": "w", "data": data, "sent": sent}

    bodies = [
        {"app": "k", "rows": [event(0, 1), event(1, 1, bs_id="3-1")]},
        {"app": "k", "rows": [event(0, 2), event(1, 2, bs_id="3-1"), event(2, 2)]},
    ]
    for body in bodies:
        assert post(collector.port, json.dumps(body).encode(), "/collect/v2") == (202, b"")
    lines = "\n".join(json.dumps(event(number, 3)) for number in range(4))
    assert post(collector.port, gzip.compress(lines.encode()), "/collect/v2")[0] == 400, "no list of events"
    assert post(collector.port, json.dumps({"batch": [{"event": "e"}]}).encode(), "/batch")[0] == 200
    stats = collector.stats()
    assert (stats["received"], stats["unique"], stats["undecodable"]) == (6, 4, 1)
    held = rows(
        collector.store,
        "SELECT system, id, copy, name, captured_at FROM events WHERE system = 'acme-ios' AND id = '3-1' ORDER BY copy",
    )
    assert held == [("acme-ios", "3-1", copy, "Buy", 1700000000000) for copy in (0, 1)]


def test_several_descriptions_and_presets_in_files(collect, tmp_path: Path):
    preset = described(tmp_path, {"preset": "posthog-ios", "name": "our-posthog"}, "p.json")
    unnamed = {key: part for key, part in OWN.items() if key != "name"}
    collector = collect(None, "--sdk", preset, "--sdk", described(tmp_path, unnamed, "shop.json"))
    event = {"event": "Buy", "uuid": "u", "timestamp": "2026-03-02T11:30:00.123Z", "properties": {}}
    assert post(collector.port, json.dumps({"batch": [event]}).encode(), "/batch")[0] == 200
    row = {"uid": "u", "what": "Buy", "at": 1, "data": {}}
    assert post(collector.port, json.dumps({"rows": [row]}).encode(), "/collect/v2")[0] == 202
    assert rows(collector.store, "SELECT system FROM events") == [("our-posthog",), ("shop",)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answers": [["2xx", "delivered"]]}, "/answers"),
        ({"events": {**OWN["events"], "tag": "/what/bs_id"}}, "/events/tag"),
        ({"evnets": {}}, "/evnets"),
        ({"request": {"path": "collect"}}, "/request/path"),
    ],
)
def test_a_wrong_description_is_told_by_its_place(tool, tmp_path: Path, change: dict, said: str):
    path = described(tmp_path, OWN | change)
    run = tool.run("collect", "--listen", "127.0.0.1:0", "--store", tmp_path / "s.sqlite", "--sdk", path).expect(104)
    assert said in run.err and str(path) in run.err
    assert not (tmp_path / "s.sqlite").exists()
    missing = tool.run("collect", "--listen", "127.0.0.1:0", "--sdk", tmp_path / "none.json").expect(104)
    assert "none.json" in missing.err


# Presets, field by field


PAGE = Path(__file__).resolve().parents[2] / "Sources" / "Beaconswarm" / "Documentation.docc" / "DescribeYourSDK.md"
PRESETS = sorted(path.stem for path in (PAGE.parents[2] / "SDKDescription" / "Presets").glob("*.json"))
#: What the app itself hands over.
OWN_PROPERTIES = {"price", "text", "list", "plan", "n", "a", "bs_id"}
#: Members that hold what the app hands over, and what the client adds to that.
PROPERTIES = ("properties", "event_properties", "user_properties", "traits", "$set", "$add", "ue_px")
#: The calls of each client that a preset has too: the action of the preset, and how its events are told from others.
CALLS = {
    "amplitude": {
        "track": ("business", lambda event: event["event_type"] == "Buy"),
        "identify": ("profile.set", lambda event: event["event_type"] == "$identify"),
    },
    "mixpanel": {
        "track": ("business", lambda event: event.get("event") == "Buy"),
        "people_set": ("profile.set", lambda event: "$set" in event and "$group_id" not in event),
        "people_increment": ("profile.increment", lambda event: "$add" in event),
    },
    "posthog": {
        "capture": ("business", lambda event: event["event"] == "Buy"),
        "set": ("profile.set", lambda event: event["event"] == "$set"),
    },
    "segment": {
        "track": ("business", lambda event: event["type"] == "track"),
        "identify": ("profile.set", lambda event: event["type"] == "identify"),
        "screen": ("screen", lambda event: event["type"] == "screen"),
    },
    "snowplow": {"track": ("business", lambda event: event["e"] == "ue")},
}

def preset_body(tool, tmp_path: Path, preset: str, action: str):
    """The body of a preset's first request, of an SDK that captures nothing but one action."""
    description = json.loads((PAGE.parents[2] / "SDKDescription" / "Presets" / f"{preset}.json").read_text())
    others = {
        name: None for name, event in description["events"].items()
        if isinstance(event, dict) and name not in ("common", action)
    }
    own = {"before": None, "after": None}
    population = {
        "name": "p", "devices": 40, "system": "declared", "app": "shop",
        "sdk": {
            "preset": preset, "events": others | {action: own, "firstForeground": None},
            **({"lanes": None} if description.get("lanes") and "lane" not in description["events"][action] else {}),
        },
    }
    path = tmp_path / "preset.json"
    path.write_text(json.dumps({"name": "p", "duration": "1d", "seed": 3, "populations": [population]}))
    raw = tool.run("sample", path).expect(0).out.split("## raw")[1].split("## decoded")[0].split("\n\n", 2)[2].strip()
    if raw.startswith("(in base64)"):
        raw = gzip.decompress(base64.b64decode(raw.removeprefix("(in base64)").strip())).decode()
    return json.loads(raw)


def client_body(request):
    body = gzip.decompress(request.body) if request.body[:2] == b"\x1f\x8b" else request.body
    if body[:1] not in b"[{":
        body = urllib.parse.parse_qs(body.decode())["data"][0]
    return json.loads(body)


def client_call(requests, is_wanted):
    """The body with the event of a call, without all others."""
    for request in requests:
        body = client_body(request)
        events = body if isinstance(body, list) else next(part for part in body.values() if isinstance(part, list))
        wanted = [event for event in events if is_wanted(event)]
        if wanted:
            events[:] = wanted[:1]
            return body
    raise AssertionError("the client has not made this call")


def kind(value) -> str:
    kinds = {str: "text", bool: "truth", int: "number", float: "number", dict: "object", list: "list"}
    return kinds.get(type(value), "null")


def fields(body) -> dict[str, str]:
    """The members around the events and of events, with their kinds; of an event's properties too."""
    found: dict[str, str] = {}
    around = body if isinstance(body, dict) else {}
    name, events = next(((name, part) for name, part in around.items() if isinstance(part, list)), ("", body))
    found |= {key: kind(part) for key, part in around.items()}
    for event in events:
        for key, part in event.items():
            if key == "bs_id":
                continue
            found[f"{name}[].{key}"] = kind(part)
            if key in PROPERTIES and isinstance(part, dict):
                inner = {inner: kind(each) for inner, each in part.items() if inner not in OWN_PROPERTIES}
                found |= {f"{name}[].{key}.{inner}": each for inner, each in inner.items()}
    return found


def difference(preset: dict[str, str], client: dict[str, str]) -> tuple[str, str, str]:
    def cell(names) -> str:
        return ", ".join(f"`{name}`" for name in sorted(names)) or "–"

    # What only a preset has among properties is mostly the app's own, which differs from call to call.
    only = {
        name for name in set(preset) - set(client) if not any(f".{member}." in name for member in PROPERTIES)
    }
    kinds = {name for name in set(preset) & set(client) if preset[name] != client[name] and "null" not in (preset[name], client[name])}
    return cell(only), cell(set(client) - set(preset)), cell(kinds)


#: The presets of products that have a client here; OTLP and RudderStack have none.
WITH_CLIENT = [preset for preset in PRESETS if preset.removesuffix("-ios") in CLIENTS]


def test_every_client_has_its_preset():
    assert {preset.removesuffix("-ios") for preset in WITH_CLIENT} == {product for product, _ in CLIENTS.values()}
    assert set(CALLS) == {preset.removesuffix("-ios") for preset in WITH_CLIENT}


@pytest.mark.parametrize("preset", WITH_CLIENT)
def test_a_presets_bodies_differ_from_a_real_clients_as_the_page_says(recorder, tool, tmp_path: Path, preset: str):
    """What both say of the same calls; `BEACONSWARM_WRITE_CLIENTS=1` writes the page's table anew."""
    product = preset.removesuffix("-ios")
    CLIENTS[product][1](recorder.url)
    rows_here = []
    for call, (action, is_wanted) in CALLS[product].items():
        own = fields(preset_body(tool, tmp_path, preset, action))
        cells = difference(own, fields(client_call(recorder.requests, is_wanted)))
        rows_here.append(f"| `{preset}` | `{call}`, `{action}` | {' | '.join(cells)} |")
    table = PAGE.read_text().split("| Preset |")[1].split("\n\n")[0]
    if os.environ.get("BEACONSWARM_WRITE_CLIENTS"):
        rows_of_page = [line for line in table.splitlines()[2:] if not line.startswith(f"| `{preset}` ")]
        lines = table.splitlines()[:2] + sorted([*rows_of_page, *rows_here])
        PAGE.write_text(PAGE.read_text().replace(table, "\n".join(lines)))
        table = "\n".join(lines)
    missing = [row for row in rows_here if row not in table.splitlines()]
    assert not missing, "the page should say:\n" + "\n".join(missing)
