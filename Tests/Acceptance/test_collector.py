"""`beaconswarm collect`, judged by clients that share no code with it."""

from __future__ import annotations

import datetime
import http.client
import json
import random
import re
import shlex
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.parse
from contextlib import closing
from pathlib import Path

import pytest
import sensorsanalytics as sa

import sensors_rules as rules
from conftest import Collector, Tool
from helpers import form_body, free_port, post, read_events, read_report, rows, steady, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 40

COPIES_AND_IDS = "SELECT id, copy FROM events ORDER BY id, copy"


# The vendor's own Python SDK


class Recorded:
    """A consumer of the vendor's SDK that also notes what goes through it."""

    def __init__(self, consumer):
        self.consumer = consumer
        self.sent: list[dict] = []

    def send(self, message: str) -> None:
        self.sent.append(json.loads(message))
        self.consumer.send(message)

    def flush(self) -> None:
        self.consumer.flush()

    def close(self) -> None:
        self.consumer.close()


def track_everything(client: sa.SensorsAnalytics, who: str) -> None:
    """Every kind of event that the SDK knows."""
    when = datetime.datetime(2026, 3, 2, 20, 15, 0, 123000)
    client.register_super_properties({"channel": '应用商店 "A" \\ / \u2028', "build": 7})
    client.track(
        who, "ViewProduct", {"price": 9.5, "tags": ["a", "b"], "seen": when, "is_new": True}, is_login_id=True
    )
    client.track(who, "搜索".encode("ascii", "ignore").decode() or "SearchProduct", {"keyword": "羽绒服 🧥"})
    client.track_signup(who, f"anonymous-{who}", {"source": "test"})
    client.profile_set(who, {"$city": "上海", "level": 3})
    client.profile_set_once(who, {"$first_visit_time": when})
    client.profile_increment(who, {"orders": 2})
    client.profile_append(who, {"favourites": ["x", "y"]})
    client.profile_unset(who, ["level"])
    client.profile_delete(who)
    client.item_set("book", f"isbn-{who}", {"title": "C++ Primer", "price": 31.5})
    client.item_delete("book", f"isbn-{who}", {"reason": "gone"})
    login = sa.SensorsAnalyticsIdentity("$identity_login_id", who)
    phone = sa.SensorsAnalyticsIdentity("$identity_mobile", "13900000000" + who)
    client.bind(login, phone)
    client.track_by_id("PayOrder", {"amount": 100}, login, phone)
    client.profile_set_by_id({"vip": True}, login)
    client.profile_set_once_by_id({"since": "2026"}, login)
    client.profile_increment_by_id({"points": 1}, login)
    client.profile_append_by_id({"badges": ["gold"]}, login)
    client.profile_unset_by_id(["points"], login)
    client.profile_delete_by_id(login)
    client.unbind(phone)


ALL_TYPES = {
    "track",
    "track_signup",
    "profile_set",
    "profile_set_once",
    "profile_increment",
    "profile_append",
    "profile_unset",
    "profile_delete",
    "item_set",
    "item_delete",
    "track_id_bind",
    "track_id_unbind",
}
CONSUMERS = {
    "default": lambda url: sa.DefaultConsumer(url),
    "batch": lambda url: sa.BatchConsumer(url, max_size=7),
    "async": lambda url: sa.AsyncBatchConsumer(url, flush_max_time=1, flush_size=5),
    "debug": lambda url: sa.DebugConsumer(url, write_data=True),
    "dry-run": lambda url: sa.DebugConsumer(url, write_data=False),
}


def canonical(event: dict) -> str:
    return json.dumps(event, sort_keys=True, ensure_ascii=False)


@pytest.mark.filterwarnings("ignore:isSet:DeprecationWarning")
def test_the_vendors_python_sdk_finds_every_event_stored(collect, seed: int):
    collector = collect()
    sent: dict[str, list[dict]] = {}
    for name, make in CONSUMERS.items():
        recorded = Recorded(make(collector.url))
        client = sa.SensorsAnalytics(recorded)
        for number in range(3):
            track_everything(client, f"{name}-{seed}-{number}")
        client.close()
        assert {event["type"] for event in recorded.sent} == ALL_TYPES
        sent[name] = recorded.sent
    stored = [event for name, events in sent.items() if name != "dry-run" for event in events]
    stats = collector.stats()
    assert collector.stop().code == 0

    assert sorted(map(canonical, stored)) == sorted(
        canonical(json.loads(payload)) for (payload,) in rows(collector.store, "SELECT payload FROM events")
    )
    expected = {
        "received": len(stored),
        "unique": len(stored),
        "duplicates": 0,
        "undecodable": 0,
        "dry_run": len(sent["dry-run"]),
    }
    assert {key: stats[key] for key in expected} == expected
    singles = sum(len(sent[name]) for name in ("default", "debug", "dry-run"))
    batches = -(-len(sent["batch"]) // 7)
    assert stats["requests"] >= singles + batches + 1
    by_type = rows(collector.store, "SELECT type, name, captured_at, system FROM events")
    assert sorted((type_, name, at) for type_, name, at, _ in by_type) == sorted(
        (event["type"], event.get("event", ""), event["time"]) for event in stored
    )
    assert {system for *_, system in by_type} == {"sensors"}
    assert len({identifier for (identifier,) in rows(collector.store, "SELECT id FROM events")}) == len(stored)


def test_the_same_event_twice_is_a_copy(collect):
    """Events without `_track_id` are told apart by their content; `_flush_time` does not count."""
    collector = collect()
    event = {
        "type": "track",
        "event": "A",
        "distinct_id": "u",
        "time": 1700000000000,
        "properties": {"n": 1},
        "lib": {},
    }
    other = event | {"properties": {"n": 2}}
    tracked = event | {"_track_id": 5}
    for batch in ([event, other, tracked], [event | {"_flush_time": 1700000000999}], [tracked | {"_flush_time": 1}]):
        assert post(collector.port, form_body(batch))[0] == 200
    stats = collector.stats()
    assert (stats["received"], stats["unique"], stats["duplicates"]) == (5, 3, 2)
    collector.stop()
    assert sorted(copy for _, copy in rows(collector.store, COPIES_AND_IDS)) == [0, 0, 0, 1, 1]


def test_it_tells_of_unknown_paths_and_of_what_a_store_held(collect):
    first = collect()
    event = {"type": "track", "event": "A", "distinct_id": "u", "time": 1700000000000, "properties": {}, "lib": {}}
    assert post(first.port, form_body([event]))[0] == 200
    ended = first.stop().expect(0).err
    assert "404" not in ended and "earlier runs" not in ended, ended

    second = collect(first.store)
    for path in ("/", "/nowhere"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            second.get(path)
    ended = second.stop().expect(0).err
    assert f"{first.store} holds 1 event of earlier runs" in ended, ended
    assert re.search(r"^took 0 uploads, and 2 requests for paths or methods .*\(404\); ", ended.splitlines()[-1]), ended


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"data_list=",
        b"gzip=1&data_list=%%%",
        b"gzip=1&data_list=AAAA",
        b"data=bm8ganNvbg%3D%3D",
        b"gzip=1&data_list=" + b"A" * 100_001,
        b"gzip=77&data_list=AAAA",
        b"\x00\xff" * 50,
    ],
)
def test_what_cannot_be_read_is_refused_and_counted(collect, body: bytes):
    collector = collect()
    status, _ = post(collector.port, body)
    assert status == 400
    assert post(collector.port, form_body([{"type": "track", "event": "A", "distinct_id": "u", "time": 1}]))[0] == 200
    stats = collector.stats()
    assert stats["undecodable"] == 1 and stats["received"] == 1
    assert collector.get("/healthz")[0] == 200


def test_a_client_that_writes_all_of_a_body_beyond_the_limit_is_told(collect):
    collector = collect()
    for _ in range(5):
        connection = http.client.HTTPConnection("127.0.0.1", collector.port, timeout=60)
        connection.request("POST", "/sa?project=default", b"x" * (9 << 20))
        assert connection.getresponse().status == 413
        connection.close()
    assert collector.stats()["refused"] == 5
    assert "5 refused before they were whole (400, 413, 501, 503)" in collector.stop().expect(0).err


def test_paths_that_take_nothing(collect):
    collector = collect()
    with pytest.raises(urllib.error.HTTPError) as error:
        collector.get("/nothing/here")
    assert error.value.code == 404
    status, body = collector.get("/config/iOS.conf")
    config = json.loads(body)
    assert status == 200 and config["configs"]["disableSDK"] is False


# Acknowledged means stored


class Poster(threading.Thread):
    """A client on one kept-alive connection: uploads of numbered events until the collector is gone."""

    def __init__(self, port: int, device: int, first: int, seed: int):
        super().__init__(daemon=True)
        self.port, self.device, self.next = port, device, first
        self.random = random.Random(seed * 1000 + device)
        self.acknowledged: list[str] = []
        self.unknown: list[str] = []
        self.failure: str | None = None

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        while True:
            count = self.random.randint(1, 50)
            ids = [f"{self.device}-{self.next + n}" for n in range(count)]
            self.next += count
            body = form_body(
                [
                    {
                        "type": "track",
                        "event": "Load",
                        "distinct_id": f"d{self.device}",
                        "time": 1700000000000,
                        "_track_id": 7,
                        "properties": {"bs_id": i, "text": "数据" * 20},
                        "lib": {},
                    }
                    for i in ids
                ]
            )
            self.unknown += ids
            try:
                connection.request("POST", "/sa?project=default", body, headers)
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                return
            if answer.status != 200:
                self.failure = f"status {answer.status}"
                return
            self.acknowledged += ids
            del self.unknown[-count:]


@pytest.mark.parametrize("log", ["auto", "always"])
def test_what_was_acknowledged_survives_kill_9(collect, tmp_path, seed: int, log: str):
    """Four lives of one collector under load, each ended by kill -9 at a random moment.

    Without a log, the table has everything at once; what is in a log is in the table once a collector has continued the
    store.
    """
    dice, store = random.Random(seed), tmp_path / "store.sqlite"
    acknowledged: set[str] = set()
    uncertain: set[str] = set()
    first = 0
    for _ in range(4):
        collector: Collector = collect(store, "--log", log)
        assert collector.stats()["received"] >= len(acknowledged)
        posters = [Poster(collector.port, device, first, seed) for device in range(4)]
        for poster in posters:
            poster.start()
        collector.running.wait_until(
            lambda: sum(len(poster.acknowledged) for poster in posters) > 250, "took some load"
        )
        time.sleep(dice.uniform(0.2, 1.2))
        collector.running.kill()
        for poster in posters:
            poster.join(60)
            assert not poster.is_alive() and poster.failure is None, poster.failure
            acknowledged.update(poster.acknowledged)
            uncertain.update(poster.unknown)
        first = max(poster.next for poster in posters)
        # Of its own accord it takes to one where its table takes too much of the processor.
        if log == "always" or list(tmp_path.glob("store.sqlite-log.*")):
            assert collect(store, "--log", log).stop().code == 0
            assert not list(tmp_path.glob("store.sqlite-log.*"))
        stored = [identifier for (identifier,) in rows(store, "SELECT id FROM events")]
        assert len(stored) == len(set(stored)), "an event that was sent once is stored twice"
        missing = acknowledged - set(stored)
        assert (
            not missing
        ), f"{len(missing)} of {len(acknowledged)} acknowledged events are gone: {sorted(missing)[:10]}"
        assert set(stored) <= acknowledged | uncertain
        assert rows(store, "PRAGMA integrity_check") == [("ok",)]
    assert len(acknowledged) > 1000, "too little load to say anything"


@pytest.mark.parametrize("name", ["link.sqlite", ":memory:", "file:odd.sqlite?mode=memory", "x"])
def test_a_store_is_one_file_by_whichever_name(collect, tool: Tool, name: str):
    """The log lies beside the file, and no name means something else than a file."""
    real = tool.folder / name
    if name == "link.sqlite":
        real = tool.folder / "real" / "store.sqlite"
        real.parent.mkdir()
        (tool.folder / name).symlink_to("real/store.sqlite")
    killed = collect(Path(name), "--log", "always")
    for number in range(3):
        event = {"type": "track", "event": "A", "distinct_id": "u", "time": 1, "properties": {"bs_id": f"1-{number}"}}
        assert post(killed.port, form_body([event]))[0] == 200
    killed.running.kill()
    assert [file for file in real.parent.iterdir() if file.name.startswith(real.name + "-log.")]
    again = collect(real)
    assert again.stats()["received"] == 3
    again.stop().expect(0)
    with closing(sqlite3.connect(real)) as database:
        assert database.execute("SELECT id FROM events ORDER BY id").fetchall() == [("1-0",), ("1-1",), ("1-2",)]


def test_a_log_that_is_damaged_or_another_stores_is_refused_and_stays(collect, tool, tmp_path):
    def event(identifier: str) -> dict:
        return {"type": "track", "event": "A", "distinct_id": "u", "time": 1, "properties": {"bs_id": identifier}}

    def refused(store) -> str:
        return tool.run("collect", "--listen", "127.0.0.1:0", "--store", store).expect(70).err

    killed = collect(tmp_path / "killed.sqlite", "--log", "always")
    for number in range(3):
        assert post(killed.port, form_body([event(f"1-{number}")]))[0] == 200
    killed.running.kill()
    log = sorted(tmp_path.glob("killed.sqlite-log.*"))[-1]
    whole = log.read_bytes()

    # Its numbers would fit, but it is not this store's.
    other = collect(tmp_path / "other.sqlite", "--log", "always")
    for number in range(3):
        assert post(other.port, form_body([event(f"2-{number}")]))[0] == 200
    other.stop().expect(0)
    stray = tmp_path / "other.sqlite-log.7"
    stray.write_bytes(whole)
    assert f"{stray} belongs to another store" in refused(other.store)
    assert stray.read_bytes() == whole
    assert {identifier for (identifier,) in rows(other.store, "SELECT id FROM events")} == {"2-0", "2-1", "2-2"}

    nowhere = tmp_path / "nowhere.sqlite"
    beside = tmp_path / "nowhere.sqlite-log.1"
    beside.write_bytes(whole)
    assert str(beside) in refused(nowhere)
    assert not nowhere.exists() and beside.read_bytes() == whole

    damaged = bytearray(whole)
    damaged[-5] ^= 1
    log.write_bytes(damaged)
    said = refused(killed.store)
    assert f"{log} is damaged from byte " in said and "move it away" in said, said
    assert log.read_bytes() == damaged
    log.write_bytes(whole)
    assert collect(killed.store).stop().code == 0
    assert not list(tmp_path.glob("killed.sqlite-log.*"))
    assert {identifier for (identifier,) in rows(killed.store, "SELECT id FROM events")} == {"1-0", "1-1", "1-2"}


@pytest.mark.parametrize("log", ["auto", "always"])
def test_a_store_that_is_removed_under_its_collector_takes_nothing_more(collect, tmp_path, log: str):
    """Nothing is acknowledged then that no file has, and the end tells of it."""
    event = {"type": "track", "event": "A", "distinct_id": "u", "time": 1, "properties": {"bs_id": "1-0"}}
    collector = collect(None, "--log", log)
    assert post(collector.port, form_body([event]))[0] == 200
    for file in tmp_path.glob("store.sqlite*"):
        file.unlink(missing_ok=True)
    assert post(collector.port, form_body([event]))[0] == 500
    said = collector.stop().expect(70).err
    assert "its file was removed or replaced" in said and "no file of this name holds" in said, said
    assert not list(tmp_path.glob("store.sqlite*"))


def test_a_store_that_is_removed_without_its_log_is_not_made_anew(collect, tool, tmp_path):
    event = {"type": "track", "event": "A", "distinct_id": "u", "time": 1, "properties": {"bs_id": "1-0"}}
    collector = collect()
    assert post(collector.port, form_body([event]))[0] == 200
    collector.store.unlink()
    before = sorted(path.name for path in tmp_path.glob("store.sqlite*"))
    refused = tool.run("collect", "--listen", "127.0.0.1:0", "--store", collector.store).expect(70).err
    assert f"{collector.store}-wal" in refused and "put that one back" in refused
    assert sorted(path.name for path in tmp_path.glob("store.sqlite*")) == before
    assert "no file of this name holds" in collector.stop().expect(70).err


def test_copies_go_on_counting_after_a_restart(collect, tmp_path):
    store = tmp_path / "store.sqlite"
    batch = [
        {
            "type": "track",
            "event": "A",
            "distinct_id": "u",
            "time": 1,
            "_track_id": n,
            "lib": {},
            "properties": {"bs_id": f"3-{n}"},
        }
        for n in range(5)
    ]
    natural = [{"type": "track", "event": "B", "distinct_id": "u", "time": 1, "properties": {}, "lib": {}}]
    for life in range(3):
        collector = collect(store)
        assert post(collector.port, form_body(batch + natural))[0] == 200
        stats = collector.stats()
        assert (stats["unique"], stats["duplicates"]) == (6, 6 * life)
        if life == 1:
            collector.running.kill()
        else:
            assert collector.stop().code == 0
    found = rows(store, COPIES_AND_IDS)
    assert [copy for identifier, copy in found if identifier == "3-4"] == [0, 1, 2]
    assert len(found) == 18 and len(set(found)) == 18
    assert rows(store, "SELECT DISTINCT device FROM events WHERE id LIKE '3-%'") == [(3,)]


def test_ends_cleanly_on_ctrl_c_and_will_not_share_its_port(collect, tool, tmp_path):
    collector = collect()
    second = tool.run("collect", "--listen", f"127.0.0.1:{collector.port}", "--store", tmp_path / "other.sqlite")
    assert second.code not in (0, -signal.SIGTRAP, -signal.SIGABRT, -signal.SIGSEGV), str(second)
    assert str(collector.port) in second.err, str(second)
    collector.running.signal(signal.SIGINT)
    assert collector.running.wait().code == 0


def test_from_its_first_answer_on_a_signal_ends_it_in_order(tool, tmp_path):
    def answers(port: int) -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=30).close()
        except OSError:
            return False
        return True

    for life in range(5):
        port = free_port()
        running = tool.start("collect", "--listen", f"127.0.0.1:{port}", "--store", tmp_path / f"{life}.sqlite")
        while not answers(port):
            assert running.process.poll() is None, str(running.wait())
        running.signal(signal.SIGTERM)
        finished = running.wait().expect(0)
        assert finished.out.startswith("collecting on ") and "took 0 uploads; " in finished.err, str(finished)


def test_a_file_that_is_no_store_is_left_alone(tool, tmp_path):
    for name, content in {"text.sqlite": b"not a database, but somebody's notes\n" * 40}.items():
        path = tmp_path / name
        path.write_bytes(content)
        finished = tool.run("collect", "--listen", "127.0.0.1:0", "--store", path)
        assert finished.code not in (0, 105) and finished.code > 0, str(finished)
        assert name in finished.err, str(finished)
        assert path.read_bytes() == content


def test_planned_faults(collect, tmp_path):
    """A file of faults, counted from the collector's start."""
    faults = tmp_path / "faults.json"
    faults.write_text(json.dumps({"timeline": [{"at": "0s", "collector": {"fault": "status", "status": 503}}]}))
    collector = collect(None, "--faults", faults)
    assert post(collector.port, form_body([{"type": "track", "event": "A", "distinct_id": "u", "time": 1}]))[0] == 503
    assert collector.stats()["received"] == 0
    collector.stop()
    assert rows(collector.store, "SELECT count(*) FROM events") == [(0,)]


def test_a_planned_success_is_given_only_where_its_events_are_known(collect, tool, tmp_path):
    """A lie about events that nobody can name would look like a promise that the collector broke."""
    faults = tmp_path / "faults.json"
    faults.write_text(json.dumps({"timeline": [{"at": "0s", "collector": {"fault": "status", "status": 200}}]}))
    event = {"type": "track", "event": "A", "distinct_id": "u", "time": 1, "properties": {"bs_id": "1-0"}}
    collector = collect(None, "--faults", faults)
    assert post(collector.port, form_body([event]))[0] == 200
    assert post(collector.port, form_body([event]), path="/nobody/knows")[0] == 404
    assert post(collector.port, b"nothing")[0] == 400
    counts = collector.stats()
    assert (counts["received"], counts["swallowed"], counts["not_found"], counts["undecodable"]) == (0, 1, 1, 1)
    assert "1 request for paths or methods that it does not know (404)" in collector.stop().err
    assert rows(collector.store, "SELECT id, reason FROM not_kept") == [("1-0", "swallowed")]

    # Of devices whose system it does not read, nothing is delivered, and nothing is missing.
    other = collect(tmp_path / "other.sqlite", "--faults", faults, "--systems", "growing")
    path = write_scenario(tmp_path, steady(2, "2s", drain="1s"))
    tool.run("run", path, "--target", other.url, "--out", "run", "-q").expect(99)
    other.stop()
    quiet = tool.run("audit", "run", "--receipts", other.store, "-q").expect(99)
    report = read_report(tool.folder / "run")
    assert quiet.out == "" and quiet.err.splitlines() == [f"failed: {reason}" for reason in report["reasons"]], str(quiet)
    assert report["events"]["delivered"] == report["audit"]["acked_not_found"] == 0
    assert report["answers"]["404"] > 0 and "nothing_delivered" in report["causes"]


def test_a_wrong_file_of_faults_is_told(tool, tmp_path):
    faults = tmp_path / "faults.json"
    faults.write_text('{"timeline": [{"at": "0s", "collector": {"fault": "outtage"}}]}')
    finished = tool.run("collect", "--listen", "127.0.0.1:0", "--store", tmp_path / "s.sqlite", "--faults", faults)
    finished.expect(104)
    assert "/timeline/0/collector/fault" in finished.err and "outage" in finished.err, str(finished)
    assert not (tmp_path / "s.sqlite").exists()


# The embedded collector's store, and samples


def test_the_embedded_collectors_store_holds_what_the_report_says(tool, tmp_path):
    """Two thirds of a live run's replies are lost for a while; the store is asked by SQL."""
    scenario = steady(
        6, "6s", timeline=[{"at": "1s", "for": "2s", "share": 0.6, "collector": {"fault": "acceptThenDie"}}]
    )
    store, events = tmp_path / "kept.sqlite", tmp_path / "events.ndjson.gz"
    finished = tool.run(
        "run",
        write_scenario(tmp_path, scenario),
        "--out",
        tmp_path / "run",
        "--store",
        store,
        "--events",
        events,
        "--json",
    )
    finished.expect(0, 96)
    report = json.loads(finished.out)
    delivered = {line["id"] for line in read_events(events) if line["fate"] == "delivered"}
    found = rows(store, COPIES_AND_IDS)
    held = {identifier for identifier, _ in found}
    audit = report["audit"]
    assert delivered <= held
    assert (audit["received"], audit["unique"], audit["duplicates"]) == (
        len(found),
        len(held),
        len(found) - len(held),
    )
    assert (audit["confirmed"], audit["recovered"]) == (len(delivered), len(held - delivered))
    assert audit["acked_not_found"] == audit["unexpected"] == audit["undecodable"] == 0
    for identifier in held:
        assert sorted(copy for i, copy in found if i == identifier) == list(
            range(sum(i == identifier for i, _ in found))
        )
    finished.expect(0)
    assert audit["duplicates"] > 0, "no reply was lost"


SAMPLED = {
    "name": "sampled",
    "duration": "30s",
    "target": {"url": "http://127.0.0.1:8106/sa?project=default"},
    "populations": [
        {"name": "old", "devices": 1, "system": "sensors", "version": "1.10.17", "persona": "steady"},
        {"name": "new", "devices": 1, "system": "sensors", "version": "4.9.1", "persona": "steady"},
    ],
}


def curl_commands(text: str) -> list[list[str]]:
    """The shell commands in a text that call curl, backslashes at line ends joined."""
    joined = text.replace("\\\n", " ")
    return [
        shlex.split(line.strip().removeprefix("$ "))
        for line in joined.splitlines()
        if re.match(r"\s*(\$ )?curl ", line)
    ]


def test_a_sample_can_be_posted_as_printed(collect, tool, tmp_path):
    collector = collect()
    finished = tool.run("sample", write_scenario(tmp_path, SAMPLED), "--target", collector.url).expect(0)
    commands = curl_commands(finished.out)
    assert len(commands) == 2, str(finished)
    for command, version in zip(commands, (rules.OLD, rules.NEW)):
        data = next(part for part in command if "data_list=" in part)
        batch = rules.decode(data.encode())
        problems = [problem for event in batch.events for problem in rules.Checker(event, version).check()]
        assert not problems, problems
        done = subprocess.run(
            [*command, "-s", "-o", "/dev/null", "-w", "%{http_code}"], capture_output=True, text=True, timeout=60
        )
        assert done.stdout.strip().endswith("200"), (command, done)
        decoded = json_values(finished.out)
        for event in batch.events:
            assert event.value in decoded, f"the decoded part lacks {event.bs_id}\n{finished}"
    assert collector.stats()["undecodable"] == 0
    assert collector.stats()["received"] == sum(
        len(rules.decode(next(p for p in c if "data_list=" in p).encode()).events) for c in commands
    )


EVERY_SYSTEM = {
    "kit": {"system": "kit"},
    "trackingsdk": {"system": "trackingsdk"},
    "codeless": {"system": "codeless"},
    "growing-json": {"system": "growing"},
    "growing-lz4": {"system": "growing", "sdk": {"buildFlags": ["ENABLE_ENCRYPTION"]}},
    "growing-snappy": {
        "system": "growing",
        "version": "4.11.0",
        "sdk": {"useProtobuf": True, "services": {"compression": "snappy", "encryption": "xor"}},
    },
    "growing-messages": {"system": "growing", "version": "4.11.0", "sdk": {"useProtobuf": True}},
}


@pytest.mark.parametrize("name", EVERY_SYSTEM)
def test_a_sample_of_any_system_is_decoded_and_can_be_posted(collect, tool, tmp_path, name: str):
    """Kit uploads the logs of past days: its users have to come back. A header of the target takes the place of the
    system's own of that name."""
    collector = collect()
    population = {"name": name, "devices": 20, "persona": "power", **EVERY_SYSTEM[name]}
    target = {"headers": {"user-agent": "Mine/1", "Accept": "*/*", "X-Env": "test"}}
    scenario = {"name": "sampled", "duration": "3d", "target": target, "populations": [population]}
    finished = tool.run("sample", write_scenario(tmp_path, scenario)).expect(0)
    names = [line.split(":")[0].lower() for line in finished.out.split("## raw")[1].split("\n\n")[1].splitlines()[1:]]
    assert [names.count(added) for added in ("user-agent", "accept", "x-env", "content-type")] == [1] * 4, names
    assert "user-agent: Mine/1" in finished.out
    said = int(re.search(r"device \d+, (\d+) events?", finished.out)[1])
    decoded = json_values(finished.out.split("## decoded")[1].split("## curl")[0])
    assert len(decoded) == said > 0, str(finished)
    assert name == "kit" or all(re.search(r'"(bs_id|bsId)": "\d+-\d+"', json.dumps(event)) for event in decoded)
    assert finished.out.isprintable() or set(filter(lambda c: not c.isprintable(), finished.out)) <= {"\n", "\t"}
    command = finished.out.split("## curl")[1].replace("http://127.0.0.1:8106", collector.url.rsplit("/sa", 1)[0])
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (command, done)
    assert collector.stats()["received"] == said and collector.stats()["undecodable"] == 0


def test_a_sample_is_found_of_an_sdk_whose_events_wait_for_its_configuration(tool, tmp_path):
    """What leaves as soon as the fetch is answered, is asked for by the answer and not by a timer."""
    sdk = {"preset": "segment-ios", "upload": {"flushBulkSize": 1}}
    population = {"name": "waiting", "devices": 3, "system": "declared", "sdk": sdk}
    target = {"url": "http://127.0.0.1:8106/", "apiKey": "key"}
    scenario = {"name": "sampled", "duration": "30m", "target": target, "populations": [population]}
    finished = tool.run("sample", write_scenario(tmp_path, scenario)).expect(0)
    assert re.search(r"^# waiting: device 0, [1-9]\d* events?,", finished.out), str(finished)


def test_a_sample_says_whose_body_it_does_not_show(tool, tmp_path):
    """A key in a packed body cannot be masked alone."""
    population = {"name": "packed", "devices": 20, "persona": "power", "system": "codeless"}
    scenario = {"name": "sampled", "duration": "3d", "populations": [population]}
    assert not tool.run("sample", write_scenario(tmp_path, scenario)).expect(0).err
    keyed = write_scenario(tmp_path, scenario | {"target": {"apiKey": "hush-key"}})
    finished = tool.run("sample", keyed).expect(0)
    assert "hush-key" not in finished.out and "note: of packed the whole body is masked" in finished.err, str(finished)


def test_a_sample_for_a_target_that_is_not_verified_has_a_command_that_does_not_either(tool, tmp_path):
    path = write_scenario(tmp_path, SAMPLED)
    url = "https://127.0.0.1:8106/sa"
    assert "curl -sS -k -X" in tool.run("sample", path, "--target", url, "--insecure").expect(0).out
    assert "curl -sS -X" in tool.run("sample", path, "--target", url).expect(0).out


SECRETS = {
    "url": {"url": "http://127.0.0.1:8106/sa?project=default&sig=hush1&api_key=hush2&page=open3"},
    "headers": {
        "url": "http://127.0.0.1:8106/sa?project=default",
        "headers": {
            "Cookie": "a=\"hush1\"; b='hush2'",
            "Authorization": "Bearer hush3",
            "X-Signature": "it's hush4",
            "X-Page": "it's open5",
        },
    },
}


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("system", [{"system": "sensors", "sdk": {"cookie": "hush6=\"hush7\""}}, {"system": "kit"}])
def test_a_sample_keeps_its_secrets_and_its_shell_syntax(collect, tool, tmp_path, name: str, system: dict):
    collector = collect()
    population = {"name": "its", "devices": 20, "persona": "power", **system}
    scenario = {"name": "sampled", "duration": "3d", "target": SECRETS[name], "populations": [population]}
    finished = tool.run("sample", write_scenario(tmp_path, scenario)).expect(0)
    assert "hush" not in finished.out and "open" in finished.out, str(finished)
    assert "note: [redacted] stands for a secret" in finished.err and "hush" not in finished.err, str(finished)
    command = finished.out.split("## curl")[1]
    checked = subprocess.run(["bash", "-n"], input=command, capture_output=True, text=True)
    assert checked.returncode == 0 and not checked.stderr, (command, checked)
    words = shlex.split(command.replace("\\\n", " "))
    headers = [words[index + 1] for index, word in enumerate(words) if word == "-H"]
    if name == "headers":
        assert {"Authorization: [redacted]", "X-Signature: [redacted]", "X-Page: it's open5"} <= set(headers), headers
        assert any(header.startswith("Cookie: [redacted]") for header in headers)
    # With its secrets masked it is a command all the same, and the body is whole.
    url = collector.url.rsplit("/sa", 1)[0]
    done = subprocess.run(
        ["bash", "-c", command.replace("http://127.0.0.1:8106", url)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, (command, done)
    # Kit's archives go to the target's path here, where the collector takes another system's uploads.
    if system["system"] == "sensors":
        assert collector.stats()["received"] > 0 and collector.stats()["undecodable"] == 0


def json_values(text: str) -> list:
    """Every JSON object that begins a line of a text, those in arrays too."""
    decoder, values, place = json.JSONDecoder(), [], 0
    for match in re.finditer(r"^\s*([\[{])", text, re.MULTILINE):
        if match.start(1) < place:
            continue
        try:
            value, place = decoder.raw_decode(text, match.start(1))
        except ValueError:
            continue
        values += value if isinstance(value, list) else [value]
    return values
