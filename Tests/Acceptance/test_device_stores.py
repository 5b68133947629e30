"""Devices whose events are in SQLite files of their own: what Python's sqlite3 finds there against the ledger."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from conftest import Tool
from helpers import assert_events_agree, by_device, read_events, read_report, write_scenario


def scenario(devices: int, duration: str, storage: dict | None = None, **changes) -> dict:
    """As many devices of 1.10.17 as of 4.9.1, each with a file."""
    storage = {"backend": "sqlite"} | (storage or {})
    return {
        "name": "device-stores",
        "seed": 5,
        "duration": duration,
        "drain": "2s",
        "populations": [
            {
                "name": "v" + version.replace(".", ""),
                "devices": devices // 2,
                "system": "sensors",
                "version": version,
                "persona": {"extends": "steady", "rate": "2/s"},
                "sdk": {"storage": storage, "upload": {"flushInterval": "2s"}, "remoteConfig": {"enabled": False}},
            }
            for version in ("1.10.17", "4.9.1")
        ],
    } | changes


def rows(file: Path) -> list[tuple[int, dict]]:
    """Id and JSON of each row, oldest first."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",), file
        return [
            (number, json.loads(content))
            for number, content in connection.execute("SELECT id, content FROM dataCache ORDER BY id")
        ]


def pending(lines: list[dict]) -> list[int]:
    return [int(line["id"].split("-")[1]) for line in lines if line["fate"] == "pending"]


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_files_hold_what_the_ledger_calls_pending(tool: Tool, tmp_path: Path, verb: str):
    """A collector that fails in the second half leaves rows behind; each is in its device's file."""
    stores, events = tmp_path / "stores", tmp_path / "events.ndjson"
    timeline = [{"at": "5s", "collector": {"fault": "status", "status": 503}}]
    path = write_scenario(tmp_path, scenario(200, "10s", timeline=timeline))
    tool.run(
        verb, path, "--out", tmp_path / "run", "--events", events, "--keep-stores", stores, "-q"
    ).expect(0, 96)
    again = (tmp_path / "run" / "summary.md").read_text().partition("## How to run it again")[2]
    assert f"{verb} {path}" in again and "--keep-stores" not in again, "the folder is there now"
    lines = read_events(events)
    report = read_report(tmp_path / "run")
    assert_events_agree(report["events"], lines)
    # A collector that the machine keeps waiting to the end leaves uploads unanswered, whose rows are in the files, too.
    unanswered = {"in_flight"} if verb == "run" and report["answers"].get("unanswered") else set()
    assert {line["cause"] for line in lines if line["fate"] == "pending"} == {"stored"} | unanswered
    devices = by_device(lines)
    assert len(devices) == 200
    assert sorted(p.name for p in stores.iterdir()) == sorted(f"device-{n}.sqlite" for n in range(200))
    total = 0
    for number, own in devices.items():
        found = rows(stores / f"device-{number}.sqlite")
        assert [identifier - 1 for identifier, _ in found] == pending(own), f"device {number}"
        for identifier, event in found:
            assert event["properties"]["bs_id"] == f"{number}-{identifier - 1}"
            assert "_flush_time" not in event
        total += len(found)
    assert total > 1000


def test_both_backends_come_to_the_same_events(tool: Tool, tmp_path: Path):
    """The same seed with files and in memory: the events files are the same to the byte."""
    timeline = [
        {"at": "10s", "for": "20s", "share": 0.5, "device": {"disk": "full"}},
        {"at": "20s", "for": "20s", "share": 0.3, "device": {"disk": "readOnly"}},
        {"at": "40s", "share": 0.2, "device": {"disk": "corrupt"}},
        {"at": "0s", "for": "30s", "collector": {"fault": "status", "status": 503}},
    ]
    storage = {"limit": 60, "evict": 7, "prefill": 50}
    outputs = []
    for backend in ("memory", "sqlite"):
        path = write_scenario(
            tmp_path, scenario(60, "1m", storage | {"backend": backend}, timeline=timeline), f"{backend}.json"
        )
        events = tmp_path / f"{backend}.ndjson"
        tool.run("simulate", path, "--out", tmp_path / backend, "--events", events, "-q").expect(0)
        outputs.append((events.read_bytes(), read_report(tmp_path / backend)["events"]))
    assert outputs[0] == outputs[1]
    fates = Counter((line["fate"], line["cause"]) for line in read_events(tmp_path / "sqlite.ndjson"))
    assert fates["lost", "storage_error"] > 0 and fates["evicted", "storage_limit"] > 0, fates


def test_a_killed_tool_leaves_readable_files(tool: Tool, tmp_path: Path):
    stores = tmp_path / "stores"
    timeline = [{"at": "0s", "collector": {"fault": "status", "status": 503}}]
    path = write_scenario(tmp_path, scenario(200, "60s", timeline=timeline))
    running = tool.start("run", path, "--out", tmp_path / "run", "--keep-stores", stores, "-q")

    def stored() -> int:
        return sum(file.stat().st_size > 8192 for file in stores.glob("*.sqlite")) if stores.exists() else 0

    running.wait_until(lambda: stored() == 200, "stored something on every device")
    running.kill()
    assert len(list(stores.glob("*.sqlite"))) == 200
    # A transaction that the kill cut leaves its journal; the next reader takes it back, were it the store's first one.
    cut = {journal.name.removesuffix("-journal") for journal in stores.glob("*.sqlite-journal")}
    assert len(cut) < 20
    for number in range(200):
        with closing(sqlite3.connect(stores / f"device-{number}.sqlite")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            ids = [row[0] for row in connection.execute("SELECT id FROM dataCache ORDER BY id")]
        assert ids or f"device-{number}.sqlite" in cut, f"device {number}"
        assert ids == list(range(ids[0], ids[0] + len(ids))) if ids else True, f"device {number}"


def test_files_go_with_the_run_unless_they_are_kept(tool: Tool, tmp_path: Path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    path = write_scenario(tmp_path, scenario(4, "2s"))
    for verb in ("simulate", "run"):
        env = {"TMPDIR": str(temporary)}
        tool.run(verb, path, "--out", tmp_path / verb, "-q", env=env).expect(0, 96)
        assert list(temporary.glob("beaconswarm-stores-*")) == []
    (tmp_path / "there").mkdir()
    tool.run("simulate", path, "--keep-stores", tmp_path / "there", "-q").expect(64)
    memory = write_scenario(tmp_path, scenario(4, "2s", {"backend": "memory"}), "memory.json")
    tool.run("simulate", memory, "--keep-stores", tmp_path / "nothing", "-q").expect(64)
    # Before the target is looked for, and an appointment waited for.
    nobody = ("--target", "http://127.0.0.1:1/sa")
    refused = tool.run("run", memory, *nobody, "--keep-stores", tmp_path / "nothing", "-q").expect(64)
    assert "--keep-stores: no population has" in refused.err
    assert not (tmp_path / "nothing").exists()


def test_more_devices_than_files_are_refused(tool: Tool, tmp_path: Path):
    path = write_scenario(tmp_path, scenario(2002, "2s"))
    refused = tool.run("simulate", path, "--out", tmp_path / "run", "-q").expect(104)
    assert "2002 devices" in refused.err and "2000" in refused.err, refused
    assert not (tmp_path / "run").exists()


def test_a_damaged_file_is_no_database_any_more(tool: Tool, tmp_path: Path):
    stores, events = tmp_path / "stores", tmp_path / "events.ndjson"
    timeline = [{"at": "5s", "share": 0.5, "device": {"disk": "corrupt"}}]
    path = write_scenario(tmp_path, scenario(40, "10s", timeline=timeline))
    tool.run(
        "simulate", path, "--out", tmp_path / "run", "--events", events, "--keep-stores", stores, "-q"
    ).expect(0)
    losers = {number for number, own in by_device(read_events(events)).items() if any(l["fate"] == "lost" for l in own)}
    damaged = set()
    for number in range(40):
        try:
            rows(stores / f"device-{number}.sqlite")
        except sqlite3.DatabaseError:
            damaged.add(number)
    assert 8 <= len(damaged) <= 32
    # 4.9.1 loses only what was in the file, which may be nothing; 1.10.17 loses all that comes.
    assert losers <= damaged and {number for number in damaged if number < 20} <= losers


@pytest.fixture
def tiny_disk(tmp_path: Path):
    """A file system of 2 MB."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if mount.returncode != 0:
        pytest.skip(f"no tmpfs can be mounted here: {mount.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_of_the_generator_is_not_hidden(tool: Tool, tmp_path: Path, tiny_disk: Path):
    """The host's own disk fills up: the books balance, the events are lost, and the report says whose fault it is."""
    timeline = [{"at": "0s", "collector": {"fault": "status", "status": 503}}]
    path = write_scenario(tmp_path, scenario(40, "2m", timeline=timeline))
    events = tmp_path / "events.ndjson"
    tool.run(
        "simulate", path, "--out", tmp_path / "run", "--events", events, "--keep-stores", tiny_disk / "stores", "-q"
    ).expect(96)
    report = read_report(tmp_path / "run")
    assert report["causes"] == ["generator_failed"]
    lines = read_events(events)
    assert_events_agree(report["events"], lines)
    assert report["events"]["lost"]["storage_error"] > 0
    assert any("the generator's own disk" in warning for warning in report["warnings"]), report["warnings"]
    early = {number: own for number, own in by_device(lines).items() if number < 20}
    for number, own in early.items():
        found = [identifier - 1 for identifier, _ in rows(tiny_disk / "stores" / f"device-{number}.sqlite")]
        assert found == pending(own), f"device {number}"
