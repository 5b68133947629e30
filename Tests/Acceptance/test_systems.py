"""`beaconswarm collect` with uploads of all systems, by clients and books that share no code with it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import urllib.error
import urllib.parse
import urllib.request

import growingio_tracker as gio
import pytest
import snappy
from growingio_tracker.data_parser import JsonParser
from growingio_tracker_snappy.snappy_parser import SnappyParser

import sensors_rules
import systems_rules as rules
from conftest import HANG
from helpers import rows
from systems_collector import SystemsCollector

UUID = "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"
STM = 1_700_000_000_123


# The vendor's own Python client


class Recording:
    """Notes what goes through a parser of the vendor's client."""

    def __init__(self, parser):
        self.parser = parser
        self.sent: list[dict] = []
        json_of = parser.json

        def json_and_note(message):
            text = json_of(message)
            self.sent.append(json.loads(text))
            return text

        parser.json = json_and_note


PARSERS = {
    "json": JsonParser,
    "snappy": SnappyParser,
    "snappy-xor": lambda: SnappyParser(crypt_data=True),
}


def track_everything(client: gio.GrowingTracker, who: str) -> None:
    """Every kind of message that the client knows."""
    client.track_custom_event("搜索", anonymous_id=who, attributes={"keyword": "羽绒服 🧥", "tags": ["a", "", "b"]})
    user = {"login_user_key": "phone", "login_user_id": "1"}
    client.track_custom_event("order", event_time=STM, attributes={"n": 7}, **user)
    client.track_custom_event("order", event_time=STM, attributes={"n": 8}, **user)
    client.track_custom_event("tagged", anonymous_id=who, attributes={"bs_id": f"{who.split('-')[-1]}-0"})
    client.track_user(login_user_id=who, anonymous_id=who, attributes={"level": "3"})
    client.submit_item("book", f"isbn-{who}", {"title": 'C++ "Primer"'})


@pytest.mark.parametrize("name", PARSERS)
def test_the_vendors_python_client_finds_every_event_stored(collect, name: str, seed: int):
    collector = collect()
    host = f"http://127.0.0.1:{collector.port}"
    recording = Recording(PARSERS[name]())
    # What is sent again for want of patience would come twice.
    patient = {"data_parser": recording.parser, "request_timeout": HANG}
    consumers = [
        gio.DefaultConsumer("p-1", "source", host, **patient),
        gio.BufferedConsumer("p-1", "source", host, max_size=4, **patient),
    ]
    for number, consumer in enumerate(consumers):
        client = gio.GrowingTracker("p-1", "source", host, consumer)
        track_everything(client, f"{seed}-{number}")
        getattr(consumer, "flush", lambda: None)()
    stats = collector.stats()
    assert collector.stop().code == 0
    found = rows(collector.store, "SELECT id, system, type, name, payload, captured_at, received_at FROM events")
    canonical = [json.dumps(event, sort_keys=True) for event in recording.sent]
    assert sorted(json.dumps(json.loads(row[4]), sort_keys=True) for row in found) == sorted(canonical)
    assert len(found) == 12 and stats["received"] == 12 and stats["undecodable"] == 0, stats
    # The two orders of both clients say the same but for the number of things.
    assert stats["unique"] == 12 - 2, stats
    assert {row[1] for row in found} == {"growing"}
    assert {(row[2], row[3]) for row in found} == {
        ("CUSTOM", "搜索"),
        ("CUSTOM", "order"),
        ("CUSTOM", "tagged"),
        ("LOGIN_USER_ATTRIBUTES", ""),
        ("item", "book"),
    }
    assert {row[0] for row in found if row[3] == "tagged"} == {"0-0", "1-0"}
    assert all(row[5] == row[6] for row in found if row[2] == "item")


# Uploads written by hand


def growing(device: int, count: int, form: str, rnd: random.Random) -> tuple[str, dict, bytes]:
    events = [
        {
            "eventType": rnd.choice(rules.TYPES),
            "timestamp": STM + number,
            "deviceId": f"d-{device}",
            "sessionId": "s",
            "globalSequenceId": number + 1,
            "eventSequenceId": 1,
            "path": "/首页",
            "attributes": {"bs_id": f"{device}-{number}"},
        }
        for number in range(count)
    ]
    headers = {"Content-Type": "application/json", "X-Timestamp": str(STM)}
    body = json.dumps(events, ensure_ascii=False).encode()
    path = f"/v3/projects/p/collect?stm={STM}"
    if form.startswith("protobuf"):
        headers["Content-Type"] = "application/protobuf"
        body = rules.growing_list(events)
    if form == "v2":
        events = [
            {"t": "cstm", "tm": e["timestamp"], "u": e["deviceId"], "s": "s", "gesid": e["globalSequenceId"], "n": "e"}
            | {"var": e["attributes"]}
            for e in events
        ]
        body, path = json.dumps(events).encode(), f"/v3/p/ios/cstm?stm={STM}"
        headers["Content-Type"] = "application/octet-stream"
    if "lz4" in form or form == "v2":
        body = rules.lz4_encode(body)
        headers["X-Compress-Codec"] = "3"
    if "snappy" in form:
        body = snappy.compress(body)
        headers["X-Compress-Codec"] = "2"
    if "xor" in form or form == "v2":
        body = bytes(byte ^ (STM & 0xFF) for byte in body)
        headers["X-Crypt-Codec"] = "1"
    return path, headers, body


def tracking(device: int, count: int, form: str, rnd: random.Random) -> tuple[str, dict, bytes]:
    events = [
        {"event_name": "PageView", "timestamp": 1556107397.123 + number, "parameters": {"page": "Home", "bs_id": name}}
        for number, name in ((number, f"{device}-{number}") for number in range(count))
    ]
    return "/tracking/events", {"Content-Type": "application/json", "X-API-Key": "k"}, json.dumps(events).encode()


#: Noon of the day of device 0's log, 1 March 2026.
KIT_DAY = 1772366400


def kit(device: int, count: int, form: str, rnd: random.Random) -> tuple[str, dict, bytes]:
    lines = [f"Ann's, iPhone,iPhone 6s,iOS,10.0,{UUID},1.2,34", f"0,{KIT_DAY + device * 86400},AppDelegate,启动App"]
    lines += [
        f"100,{KIT_DAY + device * 86400 + 5 + n},UIButton|Home|buy:|0|{{{{10, 20}}, {{80, 30}}}}|a|b,c~{device}-{n},UIButton点击事件"
        for n in range(count)
    ]
    content_type, body = rules.kit_form({f"2026-03-{device + 1:02}_userStatisics_{UUID}.log": "\n".join(lines)})
    return "/app/uploadIosLogfiles.do1", {"Content-Type": content_type}, body


def codeless(device: int, count: int, form: str, rnd: random.Random) -> tuple[str, dict, bytes]:
    events_id = f"{rnd.getrandbits(128):032x}"
    events = [
        {
            1: "ListItemClick",
            2: STM + number,
            3: "0" * 32,
            4: "Home",
            5: {1: "Cell", 2: f"A-Cell & 0-0:{number}", 3: "{{0, 0}, {1, 1}}", 4: "标题"}
            | {5: hashlib.md5(f"A-Cell & 0-0:{number}".encode()).hexdigest()},
            6: f"0:{number}",
            11: {"price": "9.5", "名": "值"},
            15: f"{device}-{number}",
        }
        for number in range(count)
    ]
    headers = {"Content-Type": "application/x-protobuf", "X-Events-Id": events_id}
    return "/codeless/v1/events", headers, rules.codeless_batch(events, events_id)


def sensors(device: int, count: int, form: str, rnd: random.Random) -> tuple[str, dict, bytes]:
    events = [
        {"type": "track", "event": "e", "time": STM, "distinct_id": "u", "_track_id": number}
        | {"properties": {"bs_id": f"{device}-{number}"}, "_flush_time": STM}
        for number in range(count)
    ]
    packed = base64.b64encode(gzip.compress(json.dumps(events, separators=(",", ":")).encode())).decode()
    body = f"crc={sensors_rules.java_hash(packed)}&gzip=1&data_list={urllib.parse.quote(packed, safe='')}"
    return "/sa?project=default", {"Content-Type": "application/x-www-form-urlencoded"}, body.encode()


FORMS = {
    "growing": (growing, ["json", "lz4", "lz4-xor", "snappy", "snappy-xor", "protobuf", "protobuf-lz4-xor", "v2"]),
    "trackingsdk": (tracking, ["json"]),
    "kit": (kit, ["zip"]),
    "codeless": (codeless, ["protobuf"]),
    "sensors": (sensors, ["form"]),
}


def upload(origin: str, path: str, headers: dict, body: bytes) -> tuple[int, str, bytes]:
    request = urllib.request.Request(origin + path, data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers.get("Content-Type", ""), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, "", b""


def test_one_collector_takes_every_form_of_every_system(collect, seed: int):
    """Each upload goes to the program and to the reference collector: both must hold the same."""
    rnd = random.Random(seed)
    collector = collect()
    other = SystemsCollector(seed).start()
    origins = (f"http://127.0.0.1:{collector.port}", other.url)
    wanted: dict[str, int] = {}
    device = 0
    for system, (make, forms) in FORMS.items():
        for form in forms:
            device += 1
            count = rnd.randrange(1, 40)
            sent = make(device, count, form, rnd)
            for _ in range(rnd.randrange(1, 3)):
                for origin in origins:
                    status, content_type, answer = upload(origin, *sent)
                    assert status == 200, (system, form, origin)
                    if system == "kit":
                        assert content_type == "application/json" and json.loads(answer)["statusCode"] == 200
            wanted[system] = wanted.get(system, 0) + count + (system == "kit")
    stats = collector.stats()
    assert collector.stop().code == 0
    ledger = other.stop()
    assert not ledger.problems()
    found = rows(collector.store, "SELECT system, count(*), count(DISTINCT id) FROM events GROUP BY system")
    assert {system: unique for system, _, unique in found} == wanted
    for system, received, unique in found:
        book = ledger.books[system]
        assert (book.received, book.unique) == (received, unique), system
        own = "FROM events WHERE system = ?"
        types = rows(collector.store, f"SELECT type, count(*) {own} AND copy = 0 GROUP BY type", system)
        assert book.types() == dict(types), system
        named = {row[0] for row in rows(collector.store, f"SELECT id {own} AND device IS NOT NULL", system)}
        assert named == {key for key, event in book.events.items() if event.bs_id}, system
    assert stats["undecodable"] == 0 and stats["duplicates"] == sum(b.duplicates for b in ledger.books.values())


def test_only_the_systems_that_are_named_are_served(collect, seed: int):
    rnd = random.Random(seed)
    collector = collect(None, "--systems", "kit,codeless", "--path", "codeless=/in/events")
    origin = f"http://127.0.0.1:{collector.port}"
    for system, (make, forms) in FORMS.items():
        status, _, _ = upload(origin, *make(1, 1, forms[0], rnd))
        assert status == (200 if system in ("kit", "codeless") else 404), system
    _, headers, body = codeless(2, 1, "protobuf", rnd)
    assert upload(origin, "/in/events?x=y", headers, body)[0] == 200
    assert collector.stop().code == 0
    assert rows(collector.store, "SELECT system, device FROM events WHERE device IS NOT NULL ORDER BY rowid") == [
        ("kit", 1),
        ("codeless", 1),
        ("codeless", 2),
    ]


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["--systems", "growing,nonsense"], ["nonsense", "sensors, growing, trackingsdk, kit, codeless"]),
        (["--systems", ""], ["sensors, growing, trackingsdk, kit, codeless"]),
        (["--path", "/ingest"], ["SYSTEM=/PATH"]),
        (["--path", "growing=ingest"], ["SYSTEM=/PATH"]),
        (["--path", "growing=/in", "--path", "kit=/in"], ["kit=/in", "growing has that path already"]),
        (["--path", "growing=/a", "--systems", "sensors"], ["growing=/a", "--systems sensors leaves out growing"]),
        (["--sdk", "sdk.json", "--systems", "sensors"], ["--sdk sdk.json", "--systems sensors leaves out declared"]),
        (["--path", "sensors=/stats"], ["sensors=/stats", "the collector itself answers there"]),
        (["--path", "sensors=/healthz"], ["sensors=/healthz", "the collector itself answers there"]),
        (["--path", "sensors=/a b"], ["sensors=/a b", "%20"]),
        (["--path", "sensors=/a\x01"], ["no request has such a path"]),
        (["--path", "sensors=/käse"], ["sensors=/käse", "not ASCII"]),
        (["--path", "sensors=/a#b"], ["sensors=/a#b"]),
        (["--path", "nonsense=/ingest"], ["sensors, growing, trackingsdk, kit, codeless"]),
    ],
)
def test_wrong_names_are_told(tool, tmp_path, arguments: list[str], told: list[str]):
    finished = tool.run("collect", "--listen", "127.0.0.1:0", "--store", tmp_path / "s.sqlite", *arguments)
    finished.expect(64)
    assert all(text in finished.err for text in told), str(finished)
    assert not (tmp_path / "s.sqlite").exists()


def test_hostile_uploads_leave_the_collector_well(collect, seed: int):
    """Bombs and noise for every route; afterwards everybody is served as before."""
    rnd = random.Random(seed)
    collector = collect()
    origin = f"http://127.0.0.1:{collector.port}"
    zeros = b"\x1f\x00\x01\x00" + b"\xff" * 400_000 + b"\x00\x50     "
    bombs = [
        (f"/v3/projects/p/collect?stm={STM}", {"X-Compress-Codec": "3"}, zeros),
        (f"/v3/projects/p/collect?stm={STM}", {"X-Compress-Codec": "2"}, b"\xff\xff\xff\xff\x0f\x00"),
        (f"/v3/projects/p/collect?stm={STM}", {"X-Compress-Codec": "9"}, b"[]"),
        ("/v3/projects/p/collect", {"X-Crypt-Codec": "1"}, b"[]"),
        ("/tracking/events", {}, b"[" * 1_000_000),
        ("/tracking/events", {}, b'[{"event_name":'),
    ]
    for name, content in [("../../etc/passwd", "0,1,a,b"), ("a.log", "0" * 30_000_000), ("a" * 300, "0,1,a,b")]:
        content_type, body = rules.kit_form({name: content})
        bombs.append(("/uploadIosLogfiles.do1", {"Content-Type": content_type}, body))
    content_type, body = rules.kit_form({f"{number}.log": "0,1,a,b" for number in range(1001)})
    bombs.append(("/uploadIosLogfiles.do1", {"Content-Type": content_type}, body))
    for path, headers, body in bombs:
        assert upload(origin, path, headers, body)[0] == 400, (path, headers, body[:60])
    for system, (make, forms) in FORMS.items():
        for form in forms:
            path, headers, body = make(1, 3, form, rnd)
            for _ in range(40):
                broken = bytearray(body[: rnd.randrange(len(body))] if rnd.random() < 0.5 else body)
                for _ in range(rnd.randrange(4)):
                    if broken:
                        broken[rnd.randrange(len(broken))] = rnd.randrange(256)
                assert upload(origin, path, headers, bytes(broken))[0] in (200, 400)
            assert upload(origin, path, headers, body)[0] == 200, (system, form)
    stats = collector.stats()
    assert stats["received"] == stats["unique"] + stats["duplicates"] and stats["undecodable"] > len(bombs)
    assert collector.stop().code == 0


# The reference collector itself


def test_the_reference_collector_tells_good_from_bad(seed: int):
    """Judged here by bodies of its own module's making, and by what it is told wrongly."""
    rnd = random.Random(seed)
    collector = SystemsCollector(seed, paths={"/mine": "trackingsdk"}).start()
    for system, (make, forms) in FORMS.items():
        if system != "sensors":
            for form in forms:
                path, headers, body = make(1, 2, form, rnd)
                batch = rules.decode(system, path, {name.lower(): text for name, text in headers.items()}, body)
                assert [event.bs_id for event in batch.events if event.bs_id] == ["1-0", "1-1"], form
    path, headers, body = tracking(5, 3, "json", rnd)
    assert upload(collector.url, "/mine", headers, body)[0] == 200
    changed = body.replace(b"PageView", b"PageHide")
    assert upload(collector.url, "/mine", headers, changed)[0] == 200
    assert upload(collector.url, "/nowhere", headers, body)[0] == 200
    collector.kinds = {"error_500": 1}
    assert upload(collector.url, *kit(6, 1, "zip", rnd))[0] == 500
    collector.kinds = {"no_content": 1}
    assert upload(collector.url, *kit(6, 1, "zip", rnd))[0] == 204
    assert upload(collector.url, *tracking(7, 1, "json", rnd))[0] == 204
    assert upload(collector.url, *codeless(8, 1, "protobuf", rnd))[0] == 204
    ledger = collector.stop()
    book = ledger.books["trackingsdk"]
    assert (book.unique, book.received) == (4, 7) and ledger.acknowledged("trackingsdk") == {"5-0", "5-1", "5-2"}
    assert any("changed" in text for text in book.violations)
    assert any("/nowhere" in text for text in ledger.violations)
    assert ledger.books["kit"].unique == 2 and not ledger.acknowledged("kit")
    assert ledger.books["kit"].causes() == {"error_500": 1, "no_content": 1}
    assert ledger.acknowledged("codeless") == {"8-0"}
