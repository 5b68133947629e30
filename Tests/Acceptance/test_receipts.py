"""What a store holds against what the devices believe, computed a second time in Python."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import pty
import shutil
import sqlite3
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from conftest import HANG, Collector, Finished, Tool
from helpers import count_fates, held_port, read_events, read_report, rows, steady, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 60


def expected_audit(events: list[dict], held: list[str]) -> dict:
    """The audit by sets: `held` has one id for each copy."""
    captured = {line["id"]: line for line in events}
    delivered = {key for key, line in captured.items() if line["fate"] == "delivered"}
    unique = set(held)
    never: dict[str, Counter] = {}
    for key, line in captured.items():
        if key not in delivered and key not in unique:
            never.setdefault(line["fate"], Counter())[line["cause"]] += 1
    return {
        "received": len(held),
        "unique": len(unique),
        "duplicates": len(held) - len(unique),
        "confirmed": len(delivered & unique),
        "acked_not_found": len(delivered - unique),
        "recovered": len(unique & set(captured) - delivered),
        "unexpected": len(unique - set(captured)),
        "never_accepted": {fate: dict(causes) for fate, causes in never.items()},
        "missing": sorted(delivered - unique),
    }


def assert_audit(folder: Path, expected: dict) -> None:
    audit = read_report(folder)["audit"]
    for key in ("received", "unique", "duplicates", "confirmed", "acked_not_found", "recovered", "unexpected"):
        assert audit[key] == expected[key], f"{key}: {audit} is not {expected}"
    missing = audit["missing"]
    assert missing["accepted_then_lost"] == expected["acked_not_found"]
    assert {fate: causes for fate, causes in missing["never_accepted"].items() if causes} == expected["never_accepted"]
    total = sum(sum(causes.values()) for causes in missing["never_accepted"].values())
    captured = read_report(folder)["events"]["captured"]
    excused = audit["swallowed"] + audit["dry_run"]
    assert captured == audit["confirmed"] + audit["recovered"] + excused + total + missing["accepted_then_lost"]


def ids(store: Path) -> list[str]:
    return [identifier for (identifier,) in rows(store, "SELECT id FROM events")]


def restart(tool: Tool, collector: Collector):
    """The same store on the same port."""
    running = tool.start("collect", "--listen", f"127.0.0.1:{collector.port}", "--store", collector.store)
    running.wait_until(lambda: "\n" in running.out, "printed a line when ready")
    return running


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A live run whose collector is killed in the middle and started again; it is still open at the end."""
    folder = tmp_path_factory.mktemp("killed")
    tool = Tool(folder)
    collector = Collector(tool, folder / "store.sqlite")
    scenario = steady(12, "14s", drain="20s")
    # Some events are lost on the devices as well: short sessions end with a kill, stores are small.
    scenario["populations"].append(
        {
            "name": "small",
            "devices": 4,
            "system": "sensors",
            "version": "1.10.17",
            "persona": {"extends": "steady", "rate": "8/s"},
            "sdk": {"storage": {"limit": 20, "evict": 5}, "upload": {"flushInterval": "2s"}},
        }
    )
    events, out = folder / "events.ndjson", folder / "run"
    running = tool.start(
        "run", write_scenario(folder, scenario), "--target", collector.url, "--out", out, "--events", events, "-q"
    )
    running.wait_until(lambda: collector.stats()["received"] > 50, "delivered something")
    collector.running.kill()
    # Nobody else is to get the port meanwhile.
    with held_port(collector.port):
        time.sleep(3)
        again = restart(tool, collector)
    before = len(ids(collector.store))
    finished = running.wait(2 * HANG).expect(0, 96)
    yield tool, collector, out, events, before, finished
    again.kill()
    tool.close()


def audit(tool: Tool, run: Path, receipts: Path, *arguments: object) -> Finished:
    return tool.run("audit", run, "--receipts", receipts, *arguments)


def copy_run(run: Path, folder: Path) -> Path:
    return Path(shutil.copytree(run, folder / "copy"))


def test_a_collector_killed_in_the_middle(killed, tmp_path: Path):
    """The store is still open, and has a log that is not merged, while it is audited."""
    tool, collector, run, events, before, _ = killed
    lines, held = read_events(events), ids(collector.store)
    assert before and len(held) > before, "nothing came before, or nothing after the kill"
    assert read_report(run)["metrics"]["http_req_failed"]["passes"] > 0, "the kill was not noticed"
    expected = expected_audit(lines, held)
    assert expected["acked_not_found"] == 0 and expected["unexpected"] == 0, "a commit did not survive kill -9"
    assert expected["never_accepted"].get("evicted"), "the small stores never overflowed"
    copy = copy_run(run, tmp_path)
    audit(tool, copy, collector.store).expect(0, 96)
    assert_audit(copy, expected)
    assert not (copy / "missing.ndjson").exists()


def at_a_terminal(tool: Tool, binary: Path, *arguments: object) -> str:
    """What a verb prints where its output is a terminal that knows colours."""
    ours, theirs = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    process = subprocess.Popen(
        [binary, *arguments], stdout=theirs, stderr=subprocess.DEVNULL, cwd=tool.folder, env=env
    )
    os.close(theirs)
    said = b""
    try:
        while block := os.read(ours, 1 << 16):
            said += block
    except OSError:
        pass  # The end of a terminal is an error on Linux.
    os.close(ours)
    process.wait(HANG)
    return said.decode()


def test_an_audit_has_colours_at_a_terminal_alone(killed, binary: Path, tmp_path: Path):
    tool, collector, run, *_ = killed
    command = ("audit", copy_run(run, tmp_path), "--receipts", collector.store)
    plain = at_a_terminal(tool, binary, *command, "--no-color")
    assert "AUDIT" in plain and "\x1b[" not in plain
    assert "\x1b[" in at_a_terminal(tool, binary, *command)
    assert "\x1b[" not in tool.run(*command).expect(0, 96).out


def test_a_log_that_was_never_merged(killed, tmp_path: Path):
    """The store as a crashed machine leaves it: the file and its log, without the shared memory."""
    tool, collector, run, events, *_ = killed
    store = tmp_path / "crashed.sqlite"
    shutil.copy(collector.store, store)
    log = Path(f"{collector.store}-wal")
    assert log.stat().st_size > 0, "there is no log to merge"
    shutil.copy(log, f"{store}-wal")
    held = ids(collector.store)
    without = sqlite3.connect(f"file:{collector.store}?immutable=1", uri=True)
    try:
        merged = without.execute("SELECT count(*) FROM events").fetchone()[0]
    except sqlite3.OperationalError:
        merged = 0
    assert merged < len(held), "everything was merged already"
    copy = copy_run(run, tmp_path)
    audit(tool, copy, store).expect(0, 96)
    assert_audit(copy, expected_audit(read_events(events), held))


@pytest.mark.parametrize("form", ["sqlite", "csv", "ndjson", "ndjson.gz"])
def test_what_was_lost_behind_is_named(killed, tmp_path: Path, form: str):
    """Rows that vanish after the acknowledgement, in every form of receipts."""
    tool, collector, run, events, *_ = killed
    table = rows(collector.store, "SELECT id, name, received_at, captured_at FROM events ORDER BY rowid")
    delivered = {line["id"]: line for line in read_events(events) if line["fate"] == "delivered"}
    gone = set(sorted(delivered)[10:25])
    kept = [row for row in table if row[0] not in gone]
    receipts = tmp_path / f"export.{form}"
    columns = ["id", "name", "received_at", "captured_at"]
    if form == "sqlite":
        with sqlite3.connect(receipts) as connection:
            connection.execute("CREATE TABLE arrivals(id TEXT, name TEXT, received_at INTEGER, captured_at INTEGER)")
            connection.executemany("INSERT INTO arrivals VALUES (?, ?, ?, ?)", kept)
        connection.close()
    elif form == "csv":
        with open(receipts, "w", newline="", encoding="utf-8-sig") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows([columns, *kept])
    else:
        text = "".join(json.dumps(dict(zip(columns, row))) + "\n" for row in kept).encode()
        receipts.write_bytes(gzip.compress(text) if form.endswith("gz") else b"\xef\xbb\xbf" + text)
    copy = copy_run(run, tmp_path)
    finished = audit(tool, copy, receipts, "--events", events).expect(95)
    expected = expected_audit(read_events(events), [row[0] for row in kept])
    assert_audit(copy, expected)
    assert expected["missing"] == sorted(gone)
    named = [json.loads(line) for line in (copy / "missing.ndjson").read_text().splitlines()]
    assert {line["id"] for line in named} == gone
    for line in named:
        assert line == delivered[line["id"]], "not as the event file has it"
    for text in (finished.out, (copy / "summary.md").read_text(), (copy / "report.html").read_text()):
        assert "accepted, then lost" in text and "never accepted" in text
    # Who follows a missing event further is told of the audit, whose note tells when and by how many uploads.
    assert "the audit did not find it" in tool.run("explain", copy, min(gone)).expect(0).out
    assert "the audit" not in tool.run("explain", copy, min(delivered.keys() - gone)).expect(0).out
    note = read_report(copy)["audit_note"]
    uploads = {(key.split("-")[0], delivered[key]["acked_at"]) for key in gone}
    assert "All of acked_not_found were acknowledged " in note and f", by {len(uploads)} upload" in note, note
    # Of an event file that lacks some of them, no more is told than it knows; through a pipe it can be read but once.
    some = [delivered[key] for key in sorted(gone)[:5]]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    asked = tool.start("audit", copy, "--receipts", receipts, "--events", pipe)
    pipe.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in some))
    said = " ".join(asked.wait().expect(95).err.split())
    assert f"has no line of {len(gone) - 5} of the {len(gone)} missing events" in said, said
    assert "5 of acked_not_found were acknowledged " in read_report(copy)["audit_note"]


def test_missing_events_without_an_event_file_have_their_population(killed, tmp_path: Path):
    tool, collector, run, events, *_ = killed
    lost = [line for line in read_events(events) if line["fate"] == "delivered" and line["population"] == "small"][:3]
    receipts = tmp_path / "ids.ndjson"
    receipts.write_text("".join(f"{key}\n" for key in ids(collector.store) if key not in {line["id"] for line in lost}))
    copy = copy_run(run, tmp_path)
    audit(tool, copy, receipts).expect(95)
    named = [json.loads(line) for line in (copy / "missing.ndjson").read_text().splitlines()]
    assert sorted((line["id"], line["population"]) for line in named) == sorted((line["id"], "small") for line in lost)
    # A file without times says so.
    assert "neither received_at nor captured_at" in read_report(copy)["audit_note"]
    # A file that is none of this run's events says nothing of them, which is said.
    said = " ".join(audit(tool, copy, receipts, "--events", receipts).expect(95).err.split())
    assert f"has no line of {len(lost)} of the {len(lost)} missing events" in said, said
    assert "has no line of" not in audit(tool, copy, receipts, "--events", events).expect(95).err


def test_two_runs_against_one_collector(tool: Tool, tmp_path: Path, collect):
    """Both number their events from 0-0; each is audited by its own rows."""
    collector = collect()
    runs = []
    for number, devices in enumerate([3, 6]):
        out, events = tmp_path / f"run-{number}", tmp_path / f"events-{number}.ndjson"
        # Rows are told apart by time, so runs have to be some seconds apart.
        time.sleep(2.5 * number)
        scenario = write_scenario(tmp_path, steady(devices, "4s", seed=number + 1), f"scenario-{number}.json")
        tool.run(
            "run", scenario, "--target", collector.url, "--out", out, "--events", events, "--receipts",
            collector.store, "-q",
        ).expect(0, 96)  # fmt: skip
        runs.append((out, events))
        assert read_report(out)["audit"]["acked_not_found"] == 0
    held = ids(collector.store)
    # The first is audited again when the rows of both are there; then by times of capture alone.
    reports = {}
    forms = ("received_at", "captured_at", "payload time")
    for form in forms:
        receipts = collector.store
        if form == "payload time":
            receipts = tmp_path / "payloads.ndjson"
            table = rows(collector.store, "SELECT id, payload FROM events")
            receipts.write_text("".join(json.dumps({"bs_id": key, "payload": text}) + "\n" for key, text in table))
        if form == "captured_at":
            receipts = tmp_path / "captured.csv"
            with open(receipts, "w", newline="") as file:
                table = rows(collector.store, "SELECT id, captured_at FROM events")
                csv.writer(file).writerows([["bs_id", "captured_at"], *table])
        for out, events in runs:
            lines = read_events(events)
            tool.run("audit", out, "--receipts", receipts).expect(0, 96)
            report = read_report(out)
            reports[form, out] = report
            delivered = sum(line["fate"] == "delivered" for line in lines)
            assert report["audit"]["confirmed"] == delivered > 0
            assert report["audit"]["acked_not_found"] == report["audit"]["unexpected"] == 0
            others = len(held) - report["audit"]["received"]
            assert others > 0 and f"{others} rows of other runs left out, by {form}" in report["audit_note"]
    for form in forms:
        assert sum(reports[form, out]["audit"]["received"] for out, _ in runs) == len(held)


def test_receipts_that_cannot_be_read_give_no_audit(killed, tmp_path: Path):
    """A damaged export must not look like a store that lost events."""
    tool, collector, run, *_ = killed
    whole = "".join(json.dumps({"id": key}) + "\n" for key in ids(collector.store)).encode()
    cases = {
        "cut.ndjson": (whole[:-7], f":{len(whole.splitlines())}: "),
        "empty.ndjson": (b"", "empty"),
        "cut.ndjson.gz": (gzip.compress(whole)[:-20], "damaged"),
        "fields.csv": (b"id,name\n0-0,a\n0-1\n", ":3: "),
        "none.csv": (b"name\na\n", "no column"),
        "other.ndjson": (b'{"id":"0-0","received_at":"2020-01-01T00:00:00Z"}\n', "is it its store"),
    }
    copy = copy_run(run, tmp_path)
    before = (copy / "report.json").read_bytes()
    for name, (content, said) in cases.items():
        (tmp_path / name).write_bytes(content)
        finished = audit(tool, copy, tmp_path / name).expect(64)
        assert said in finished.err and name in finished.err, str(finished)
        assert (copy / "report.json").read_bytes() == before, name
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(collector.store.read_bytes()[:5000])
    audit(tool, copy, broken).expect(64)


def test_what_a_run_could_not_write_stays_its_verdict(tool: Tool, collect, tmp_path: Path):
    """An audit makes anew what is made from the report, and not what only the run knew."""
    collector, run = collect(), tmp_path / "run"
    (tmp_path / "events.ndjson.partial").symlink_to("/dev/full")
    path = write_scenario(tmp_path, steady(3, "3s"))
    tool.run("run", path, "--target", collector.url, "--out", run, "--events", tmp_path / "events.ndjson", "-q").expect(70)
    audit(tool, run, collector.store).expect(70)
    report = read_report(run)
    assert report["audit"]["confirmed"] == report["events"]["delivered"] > 0, report["audit"]
    assert report["causes"][0] == "unwritten" and "events.ndjson" in report["reasons"][0], report["reasons"]
    assert all("No space left" in (run / name).read_text() for name in ("summary.md", "junit.xml", "report.html"))


def test_beliefs_that_are_cut_or_changed_are_refused(killed, tmp_path: Path):
    """Else what the file lacks would look like events that the collector made up."""
    tool, collector, run, *_ = killed
    copy = copy_run(run, tmp_path)
    file = copy / "beliefs.txt"
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    assert lines[-1] == b"end " + hashlib.sha256(b"".join(lines[:-1])).hexdigest().encode() + b"\n"
    changed = bytearray(whole)
    place = whole.index(b"\n", 200) - 1
    changed[place] = ord("1") if changed[place] != ord("1") else ord("2")
    older = b"".join(lines[:-1]).replace(b"beliefs/3", b"beliefs/2")
    before = (copy / "report.json").read_bytes()
    for content in (whole[: len(whole) // 2], whole[:-1], b"".join(lines[:-1]), bytes(changed), b""):
        file.write_bytes(content)
        finished = audit(tool, copy, collector.store).expect(104)
        assert str(file) in finished.err, str(finished)
        assert (copy / "report.json").read_bytes() == before
    # Of a file without a sum, the report tells that it is cut.
    file.write_bytes(b"".join(older.splitlines(keepends=True)[:-2]))
    assert "captured events" in audit(tool, copy, collector.store).expect(104).err
    for words in (b"run -9220000000000000000 1", b"wall 1 9220000000000000000", b"skew 9220000000000000000"):
        name = words.split()[0] + b" "
        file.write_bytes(b"".join(words + b"\n" if line.startswith(name) else line for line in older.splitlines(keepends=True)))
        refused = audit(tool, copy, collector.store).expect(104)
        assert "not a line of beliefs: " + words.decode() in refused.err, str(refused)
    file.write_bytes(older)
    audit(tool, copy, collector.store).expect(0, 96)


def test_the_embedded_collectors_audit_tells_the_place_too(tool: Tool, tmp_path: Path):
    """In virtual time: what never left, and what a planned fault swallowed."""
    scenario = steady(
        20, "2m", drain="5s", timeline=[{"at": "20s", "for": "100s", "collector": {"fault": "outage"}}]
    )
    scenario["populations"][0]["sdk"]["storage"] = {"limit": 30, "evict": 10}
    events, out = tmp_path / "events.ndjson", tmp_path / "run"
    tool.run("simulate", write_scenario(tmp_path, scenario), "--out", out, "--events", events, "-q").expect(0)
    fates = count_fates(read_events(events))
    missing = read_report(out)["audit"]["missing"]
    assert missing["accepted_then_lost"] == 0
    assert missing["never_accepted"]["evicted"] == dict(fates["evicted"]) != {}


def test_receipts_may_have_a_name_of_one_character(killed, tmp_path: Path):
    """As they have where an audit is started in their folder."""
    tool, collector, run, events, *_ = killed
    table = rows(collector.store, "SELECT id, received_at, captured_at FROM events ORDER BY rowid")
    with sqlite3.connect(tool.folder / "x") as connection:
        connection.execute("CREATE TABLE arrivals(id TEXT, received_at INTEGER, captured_at INTEGER)")
        connection.executemany("INSERT INTO arrivals VALUES (?, ?, ?)", table)
    connection.close()
    copy = copy_run(run, tmp_path)
    audit(tool, copy, Path("x")).expect(0, 96)
    assert_audit(copy, expected_audit(read_events(events), [row[0] for row in table]))


def test_an_audit_counts_what_waits_in_the_collectors_log(tool: Tool, collect, tmp_path: Path, tiny_disk: Path):
    """On a disk that is full, the table does not take what the log has acknowledged."""
    collector = collect(tiny_disk / "store.sqlite", "--log", "always")
    scenario = steady(30, "4s", drain="2s")
    scenario["populations"][0]["persona"]["rate"] = "20/s"
    run = tmp_path / "run"
    tool.run(
        "run", write_scenario(tmp_path, scenario), "--out", run, "-q", "--target", collector.url
    )  # fmt: skip
    collector.running.kill()
    assert list(tiny_disk.glob("store.sqlite-log.*")), "all of it was in the table"
    (held,) = rows(collector.store, "SELECT count(*) FROM events")[0]
    tool.run("audit", run, "--receipts", collector.store).expect(0, 96)
    report = read_report(run)
    audit = report["audit"]
    assert audit["acked_not_found"] == audit["unexpected"] == 0
    assert audit["confirmed"] == report["events"]["delivered"] > held


def test_a_store_is_read_where_nothing_can_be_written_beside_it(tool: Tool, tmp_path: Path, tiny_disk: Path):
    """A backup that is mounted to be read: SQLite keeps an index beside a store in WAL mode, but where nobody writes."""
    run, store = tmp_path / "run", tiny_disk / "a %3f#.sqlite"
    scenario = steady(2, "1s", drain="1s")
    tool.run("run", write_scenario(tmp_path, scenario), "--out", run, "-q", "--store", store).expect(0)
    shutil.copy(store, tiny_disk / "behind.sqlite")
    (tiny_disk / "behind.sqlite-wal").write_bytes(b"x")
    subprocess.run(["mount", "-o", "remount,ro", tiny_disk], check=True)
    tool.run("audit", run, "--receipts", store).expect(0)
    audit = read_report(run)["audit"]
    assert audit["confirmed"] == audit["received"] == read_report(run)["events"]["delivered"] > 0
    behind = tool.run("audit", run, "--receipts", tiny_disk / "behind.sqlite").expect(64)
    assert "behind.sqlite-wal" in behind.err and "read a copy of both" in behind.err


def test_a_store_tells_what_its_collector_took_and_did_not_keep(tool: Tool, collect, tmp_path: Path):
    """What a fault swallowed and what was only checked is no broken promise; of another run, it excuses nothing."""
    scenario = steady(
        6, "5s", timeline=[{"at": "0s", "for": "2500ms", "collector": {"fault": "status", "status": 200}}]
    )
    ios = scenario["populations"][0] | {"version": "4.9.1"}
    checked = ios | {"name": "checked", "devices": 3, "sdk": {"debugMode": "debugOnly"}}
    scenario["populations"] = [ios, checked]
    first, second, store = tmp_path / "first", tmp_path / "second", tmp_path / "store.sqlite"
    tool.run("run", write_scenario(tmp_path, scenario), "--store", store, "--out", first, "-q").expect(0)
    known = read_report(first)["audit"]
    assert all(known[key] > 0 for key in ("swallowed", "dry_run", "confirmed"))
    excused = f"{known['swallowed']} that planned answers swallowed and {known['dry_run']} that were only to be checked"
    assert excused in (first / "summary.md").read_text()
    reasons = dict(rows(store, "SELECT reason, count(DISTINCT id) FROM not_kept GROUP BY reason"))
    assert reasons == {"swallowed": known["swallowed"], "dry_run": known["dry_run"]}
    audit(tool, first, store).expect(0)
    assert read_report(first)["audit"] == known

    # The next run in this store has the same ids. One that its collector forgets is missing.
    time.sleep(3)
    collector = collect(store)
    quiet = write_scenario(tmp_path, scenario | {"timeline": []})
    tool.run("run", quiet, "--target", collector.url, "--out", second, "-q").expect(0)
    collector.stop()
    with sqlite3.connect(store) as database:
        (forgotten,) = database.execute(
            "SELECT id FROM events WHERE id IN (SELECT id FROM not_kept WHERE reason = 'swallowed') LIMIT 1"
        ).fetchone()
        database.execute("DELETE FROM events WHERE id = ?", (forgotten,))
    database.close()
    audit(tool, second, store).expect(95)
    found = read_report(second)["audit"]
    assert (found["acked_not_found"], found["swallowed"]) == (1, 0) and found["dry_run"] > 0
