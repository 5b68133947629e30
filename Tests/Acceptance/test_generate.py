"""`beaconswarm generate`: what arrives, what really happened, and answers that anybody can recompute."""

from __future__ import annotations

import bisect
import datetime
import hashlib
import importlib.util
import json
import math
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import pytest

from conftest import BINARY, ROOT, Tool
from helpers import listed_parts, read_events, read_late, read_report, steady, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 100

TABLES = ["events", "truth", "users", "devices", "sessions"]

#: All systems, faults with a share, copies, late and lost events, and several days.
WORLD = {
    "name": "world",
    "seed": 11,
    "start": "2026-03-02T00:00:00+08:00",
    "duration": "9d",
    "drain": "1h",
    "populations": [
        {"name": "old", "devices": 2, "system": "sensors", "version": "1.10.17", "persona": "power", "app": "shop", "network": "mobile-mix"},
        {"name": "new", "devices": 3, "system": "sensors", "version": "4.9.1", "persona": "power", "app": "shop", "network": "mobile-mix"},
        {"name": "grow", "devices": 8, "system": "growing", "persona": "casual", "app": "shop", "network": "mobile-mix"},
        {"name": "track", "devices": 3, "system": "trackingsdk", "persona": "casual", "app": "shop"},
        {"name": "kit", "devices": 3, "system": "kit", "persona": "casual", "app": "shop"},
        {"name": "code", "devices": 3, "system": "codeless", "persona": "casual", "app": "shop"},
    ],
    "timeline": [
        {"at": "6h", "for": "2h", "collector": {"fault": "outage"}},
        {"at": "1d", "for": "3d", "share": 0.2, "collector": {"fault": "acceptThenDie"}},
        {"at": "4d", "for": "1d", "share": 0.3, "collector": {"fault": "status", "status": 503}},
        {"at": "5d", "for": "1d", "share": 0.1, "collector": {"fault": "status", "status": 413}},
    ],
}


def generate(tool: Tool, folder: Path, *options: object, scenario: dict | None = None, code: int = 0):
    path = write_scenario(tool.folder, scenario or WORLD)
    return tool.run("generate", path, "--out", folder, "-q", *options).expect(code)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Path:
    """The world in every format, with what names events."""
    folder = tmp_path_factory.mktemp("world")
    tool = Tool(folder)
    generate(tool, folder / "data", "--tag", "--format", "parquet,csv,ndjson.gz", "--format", "sqlite", "--zone", "Asia/Shanghai")
    tool.close()
    return folder / "data"


@pytest.fixture(scope="module")
def truth(dataset: Path) -> dict[str, dict]:
    return {row["id"]: row for row in from_sqlite(dataset, "truth")}


@pytest.fixture(scope="module")
def events(dataset: Path) -> list[dict]:
    """For all tests: whoever changes a row does so in a copy."""
    return from_sqlite(dataset, "events")


def from_sqlite(folder: Path, table: str, columns: str = "*") -> list[dict]:
    with sqlite3.connect(f"file:{folder}/dataset.sqlite?mode=ro", uri=True) as database:
        found = database.execute(f"SELECT {columns} FROM {table}")
        names = [column[0] for column in found.description]
        # A dict of a sqlite3.Row looks for each of a hundred names among all of them.
        return [dict(zip(names, row)) for row in found]


def hashes(folder: Path) -> dict[str, str]:
    """Of everything but the description, which has the command, and the list of parts, whose order is free."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("README.md", "_parts.ndjson")
    }


# Answers


def queries(folder: Path) -> dict[str, str]:
    parts = re.split(r"^-- name: (\w+)\n", (folder / "answers.sql").read_text(), flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def answers(folder: Path) -> dict[str, list]:
    found = json.loads((folder / "answers.json").read_text())
    assert found["schema"] == "beaconswarm.answers/1" and found["patterns"] == []
    return {name: answer["rows"] for name, answer in found["answers"].items()}


def normal(rows) -> list[list]:
    def value(cell):
        return cell if cell is None or isinstance(cell, str) else pytest.approx(float(cell), abs=1e-4)

    return [[value(cell) for cell in row] for row in sorted(([*row] for row in rows), key=lambda row: json.dumps(row, default=float))]


def plain(rows) -> list[list]:
    """Numbers as floats; of text, DuckDB takes days for dates."""
    def value(cell):
        if isinstance(cell, datetime.date):
            return cell.isoformat()
        return cell if cell is None or isinstance(cell, str) else float(cell)

    return [[value(cell) for cell in row] for row in rows]


def assert_answered(ask, folder: Path) -> None:
    known = answers(folder)
    asked = queries(folder)
    assert asked.keys() == known.keys() and len(known) == 10
    for name, sql in asked.items():
        found = plain(ask(sql))
        assert found and normal(found) == normal(plain(known[name])), name


SOURCES = {
    "parquet": lambda folder, table: f"read_parquet('{folder}/{table}.parquet')",
    "csv": lambda folder, table: f"read_csv('{folder}/{table}.csv', sample_size=-1, allow_quoted_nulls=false)",
    "ndjson.gz": lambda folder, table: f"read_json('{folder}/{table}.ndjson.gz', format='newline_delimited', sample_size=-1)",
}


@pytest.mark.parametrize("name", SOURCES)
def test_duckdb_gives_the_answers(dataset: Path, name: str):
    with duckdb.connect() as database:
        for table in TABLES:
            database.execute(f"CREATE TABLE {table} AS SELECT * FROM {SOURCES[name](dataset, table)}")
        assert_answered(lambda sql: database.execute(sql).fetchall(), dataset)


def test_sqlite_gives_the_answers(dataset: Path):
    with sqlite3.connect(f"file:{dataset}/dataset.sqlite?mode=ro", uri=True) as database:
        assert_answered(lambda sql: database.execute(sql).fetchall(), dataset)


def test_answers_of_a_dataset_where_no_event_counts(tool: Tool):
    """An app that tracks nothing, with an SDK that tracks nothing by itself."""
    scenario = {
        "name": "none", "seed": 1, "duration": "1m", "drain": "1s", "apps": {"x": {"screens": [{"name": "Home"}]}},
        "populations": [
            {"name": "a", "devices": 3, "system": "declared", "sdk": {"preset": "aptabase-ios"}, "app": "x", "persona": "casual",
             "arrival": {"over": "30s"}},
        ],
    }  # fmt: skip
    folder = tool.folder / "data"
    generate(tool, folder, "--format", "sqlite", scenario=scenario)
    with sqlite3.connect(f"file:{folder}/dataset.sqlite?mode=ro", uri=True) as database:
        known = answers(folder)
        assert from_sqlite(folder, "truth") == []
        for name, sql in queries(folder).items():
            assert normal(plain(database.execute(sql).fetchall())) == normal(plain(known[name])), name


def test_what_is_ordered_is_a_whole_query(dataset: Path):
    """ClickHouse applies an ORDER BY behind a UNION to the last part alone."""
    for name, sql in queries(dataset).items():
        flat, before = re.sub(r"--.*|'(?:[^']|'')*'", "", sql), None
        while flat != before:
            flat, before = re.sub(r"\([^()]*\)", "", flat), flat
        assert "UNION" not in flat and flat.count("ORDER BY") <= 1, name


def test_the_answers_say_something(dataset: Path, truth: dict, events: list[dict]):
    """Numbers that other code computes from the tables, without the queries."""
    known, truth = answers(dataset), truth.values()
    assert known["duplicates"] == [[len(events), len({row["id"] for row in truth if row["copies"]}),
                                    len(events) - sum(1 for row in truth if row["copies"]), sum(1 for row in truth if row["copies"] > 1)]]
    assert known["duplicates"][0][2] > 100, "answers that were lost brought copies"
    by_cause = Counter((row["fate"], row["cause"] or "") for row in truth)
    assert {(fate, cause): count for fate, cause, count in known["loss_by_cause"]} == by_cause
    late = sorted(row["lateness_ms"] // 1000 * 1000 for row in truth if row["copies"])
    assert dict(known["lateness"])[50] == late[-(-50 * len(late) // 100) - 1] and dict(known["lateness"])[100] == late[-1]
    days = defaultdict(set)
    for row in truth:
        if row["fate"] != "suppressed":
            days[row["day"]].add(row["user_id"])
    assert {day: users for day, users, _ in known["daily_active_users"]} == {day: len(users) for day, users in days.items()}
    first = {}
    for day, users in sorted(days.items()):
        for user in users:
            first.setdefault(user, day)
    assert len(days) >= 9 and any(returned for _, _, returned in known["retention"])
    paid = {row["id"] for row in truth if row["name"] == "PayOrder" and row["system"] == "sensors"}
    firsts = {row["id"]: row for row in events if row["copy"] == 0}
    worth = sum(round(firsts[id]["prop_order_amount"] * 100) for id in paid if id in firsts)
    price = {row[0]: row for row in known["revenue"]}
    assert price["PayOrder"][3] >= worth > 0


# What the tables say of each other


def test_each_row_is_of_one_event_and_each_event_knows_its_rows(truth: dict, events: list[dict]):
    assert [row["row_id"] for row in events] == list(range(1, len(events) + 1))
    assert [row["received_at"] for row in events] == sorted(row["received_at"] for row in events)
    owner = {int(number): row for row in truth.values() for number in (row["row_ids"] or "").split()}
    assert sorted(owner) == [row["row_id"] for row in events]
    copies: Counter = Counter()
    uploads = Counter((owner[row["row_id"]]["id"], row["attempt"]) for row in events)
    assert max(uploads.values()) == 1, "each row of an event came in another of its uploads"
    for row in events:
        event = owner[row["row_id"]]
        if row["system"] != "kit":
            assert row["id"] == event["id"]
        what = ("device", "system", "type", "name")
        assert [row[column] for column in what] == [event[column] for column in what]
        assert row["copy"] == copies[event["id"]]
        assert 1 <= row["attempt"] <= event["attempts"]
        copies[event["id"]] += 1
        # A second is what Kit's log knows of a time; a page in a web view has its own clock reading, before the bridge's.
        slack = 1000 if row["system"] == "kit" else 100 if row["name"].startswith("Promotion") else 1
        assert abs(row["captured_at"] - event["device_at"]) <= slack
    for row in truth.values():
        first = min(map(int, row["row_ids"].split())) if row["row_ids"] else None
        assert (row["copies"], row["row_id"]) == (copies[row["id"]], first)
        assert (row["fate"] == "delivered") == (row["acked_at"] is not None)
        if row["fate"] in ("delivered",):
            assert row["copies"] >= 1 and row["received_at"] <= row["acked_at"]
        if row["fate"] == "suppressed":
            assert row["copies"] == 0


def test_the_truth_has_every_event_once(dataset: Path, truth: dict):
    sequences = defaultdict(list)
    for row in truth.values():
        sequences[row["device"]].append(row["sequence"])
    assert all(sorted(found) == list(range(len(found))) for found in sequences.values())
    devices = {row["device"]: row for row in from_sqlite(dataset, "devices")}
    assert sorted(devices) == list(range(sum(population["devices"] for population in WORLD["populations"])))
    for number, row in devices.items():
        assert row["captured"] == len(sequences[number])
        assert row["captured"] == row["delivered"] + row["suppressed"] + row["lost"] + row["pending"]
    assert {"delivered", "lost", "pending", "rejected"} <= {row["fate"] for row in truth.values()}


def test_sessions_hold_their_events(dataset: Path, truth: dict):
    sessions = {row["session_id"]: row for row in from_sqlite(dataset, "sessions")}
    users = {row["user_id"]: row for row in from_sqlite(dataset, "users")}
    held: Counter = Counter()
    for row in truth.values():
        assert row["user_id"] in users
        if row["session_id"] is None:
            continue
        held[row["session_id"]] += 1
        session = sessions[row["session_id"]]
        assert session["user_id"] == row["user_id"]
        assert session["started_at"] <= row["captured_at"] <= (session["ended_at"] or row["captured_at"])
    assert all(row["events"] == held[name] for name, row in sessions.items())
    assert sum(held.values()) > 0.9 * len(truth), "most events happen in sessions"
    per_user = Counter(row["user_id"] for row in sessions.values())
    assert all(row["sessions"] == per_user[name] for name, row in users.items())


def test_people_sign_in_and_charge_their_phones_as_people_do(events: list[dict]):
    """What the shop reads off a device agrees with who is there, and with what it read a moment before."""
    rows = [row for row in events if row["prop_is_login"] is not None]
    assert {row["system"] for row in rows} == {"sensors"} and {row["prop_is_login"] for row in rows} == {0, 1}
    for row in rows:
        assert row["prop_is_login"] == row["distinct_id"].startswith("user-"), row["row_id"]
    last: dict[int, dict] = {}
    compared = 0
    for row in sorted(rows, key=lambda row: (row["device"], row["captured_at"])):
        before = last.get(row["device"])
        if before and row["captured_at"] - before["captured_at"] <= 60_000:
            assert abs(row["prop_battery_level"] - before["prop_battery_level"]) <= 1, row["row_id"]
            compared += 1
        last[row["device"]] = row
    assert compared > 1000 and len({row["prop_battery_level"] for row in rows}) > 30


def test_people_take_their_time_to_pay(truth: dict):
    ordered: dict[int, int] = {}
    pauses = []
    for row in sorted(truth.values(), key=lambda row: (row["device"], row["sequence"])):
        if row["system"] == "sensors" and row["name"] == "SubmitOrder":
            ordered[row["device"]] = row["captured_at"]
        if row["system"] == "sensors" and row["name"] == "PayOrder":
            pauses.append(row["captured_at"] - ordered[row["device"]])
    pauses.sort()
    assert len(pauses) > 100 and pauses[0] > 500 and pauses[-1] < 300_000
    assert 9_000 < pauses[len(pauses) // 2] < 15_000


def test_columns_have_what_the_payload_says(events: list[dict]):
    """By the JSON of each row, read by Python."""
    seen: Counter = Counter()
    for row in events:
        event = json.loads(row["payload"])
        if row["system"] == "sensors":
            pairs = {
                "distinct_id": event.get("distinct_id"), "track_id": event.get("_track_id"),
                "model": event.get("properties", {}).get("$model"), "screen_name": event.get("properties", {}).get("$screen_name"),
                "prop_order_amount": event.get("properties", {}).get("order_amount"),
                "prop_product_name": event.get("properties", {}).get("product_name"),
                "lib_method": event.get("lib", {}).get("$lib_method"),
            }
        elif row["system"] == "growing":
            amount = event.get("attributes", {}).get("order_amount")
            pairs = {"session_id": event.get("sessionId"), "model": event.get("deviceModel"), "prop_order_amount": amount and float(amount)}
        elif row["system"] == "codeless":
            pairs = {"screen_name": event.get("pageName"), "element_type": event.get("viewInfo", {}).get("viewClass")}
        elif row["system"] == "kit":
            pairs = {"model": event["device"].get("deviceModel"), "line": event["line"]}
        else:
            pairs = {"distinct_id": None}
        for column, value in pairs.items():
            assert row[column] == value, (row["row_id"], column)
            seen[row["system"], column] += value is not None
    assert seen["sensors", "prop_order_amount"] and seen["sensors", "prop_product_name"] and seen["codeless", "element_type"]
    assert seen["growing", "prop_order_amount"]


def test_fates_are_those_of_a_simulation(tool: Tool, dataset: Path, truth: dict):
    """The same devices in the same world: a simulation's event file tells the same of each event."""
    path = write_scenario(tool.folder, WORLD)
    tool.run("simulate", path, "--out", tool.folder / "run", "--events", tool.folder / "events.ndjson", "-q").expect(0, 99)
    lines = read_events(tool.folder / "events.ndjson")
    assert {line["id"] for line in lines} == truth.keys()
    for line in lines:
        row = truth[line["id"]]
        assert (row["population"], row["type"], row["name"]) == (line["population"], line["type"], line["name"])
        assert row["captured_at"] == int(line["captured_at"] // 1)
        assert (row["fate"], row["cause"], row["attempts"]) == (line["fate"], line["cause"], line["attempts"])
        assert row["acked_at"] == (line["acked_at"] and int(line["acked_at"] // 1))


# The same bytes


def test_no_result_depends_on_threads(tool: Tool):
    found = []
    for threads in [1, 2, 5]:
        folder = tool.folder / f"by-{threads}"
        generate(tool, folder, "--threads", threads, "--format", "ndjson,parquet,sqlite", "--partition", "day", "--split", "200kB", "--days", 4)
        found.append(hashes(folder))
        assert (folder / "_SUCCESS").exists() and not list(folder.rglob("*.partial"))
    assert found[0] == found[1] == found[2] and len(found[0]) > 10


def fingerprint(folder: Path) -> str:
    told = json.loads((folder / "answers.json").read_text())["fingerprint"]
    assert f"| fingerprint | `{told}`, of the fates in `truth` |" in (folder / "README.md").read_text()
    return told


def test_the_fingerprint_is_that_of_the_fates(tool: Tool):
    """Options that leave the fates alone do not change it; another seed and another network do."""
    scenario = WORLD | {"duration": "1d"}
    found = {}
    for name, options in {
        "one": ["--threads", 1], "again": ["--threads", 3], "zone": ["--format", "csv", "--zone", "Asia/Shanghai", "--raw"],
        "seed": ["--seed", 12], "network": ["--set", "populations.new.network=ideal"],
    }.items():
        generate(tool, tool.folder / name, *options, scenario=scenario)
        found[name] = fingerprint(tool.folder / name)
    assert re.fullmatch("[0-9a-f]{16}", found["one"])
    assert found["one"] == found["again"] == found["zone"]
    assert len({found["one"], found["seed"], found["network"]}) == 3


def test_digests_are_those_of_the_rows(tool: Tool):
    """Rows that go nowhere give the files' digests, part by part, and the same answers."""
    cut = ["--partition", "day", "--split", "100kB", "--days", 3]
    generate(tool, tool.folder / "rows", "--format", "ndjson,csv", *cut)
    generate(tool, tool.folder / "digests", "--format", "ndjson.sha256", "--format", "csv.sha256", *cut)
    lines = {}
    for path in (tool.folder / "digests").rglob("*.sha256"):
        digest, name = path.read_text().removesuffix("\n").split("  ")
        lines[str(path.relative_to(tool.folder / "digests").with_name(name))] = digest
    found = hashes(tool.folder / "rows")
    assert lines == {name: digest for name, digest in found.items() if name.endswith((".ndjson", ".csv"))} and len(lines) > 10
    others = {name: digest for name, digest in found.items() if name not in lines}
    assert others == {name: digest for name, digest in hashes(tool.folder / "digests").items() if not name.endswith(".sha256")}
    page = (tool.folder / "digests" / "README.md").read_text()
    assert "## Loading" not in page
    (check,) = re.findall(r"`([^`]*ndjson\.sha256[^`]*sha256sum -c[^`]*)`", page)
    shutil.copytree(tool.folder / "digests" / "events", tool.folder / "rows" / "events", dirs_exist_ok=True)
    checked = subprocess.run(["sh", "-c", check], cwd=tool.folder / "rows", capture_output=True, text=True)
    assert checked.returncode == 0 and checked.stdout.count(": OK") == sum(name.startswith("events/") and name.endswith(".ndjson") for name in lines)


def test_untagged_events_bear_no_id(tool: Tool, events: list[dict]):
    generate(tool, tool.folder / "plain", "--format", "sqlite", "--zone", "Asia/Shanghai", "--days", 3)
    plain = from_sqlite(tool.folder / "plain", "events")
    assert not {"id", "copy", "device"} & plain[0].keys()
    assert not any("bs_id" in row["payload"] or "bsId" in row["payload"] for row in plain)
    bare = [re.sub(r'"bs_id":"\d+-\d+",?|,?"bs_id":"\d+-\d+"', "", row["payload"]) for row in events if row["system"] == "sensors"]
    same = Counter(bare) & Counter(row["payload"] for row in plain if row["system"] == "sensors")
    assert same.total() > 0.5 * sum(row["system"] == "sensors" for row in plain) > 0, "links that care for bytes change times, the rest is the same"
    rows = [int(number) for row in from_sqlite(tool.folder / "plain", "truth") for number in (row["row_ids"] or "").split()]
    assert sorted(rows) == [row["row_id"] for row in plain]


def test_partitions_are_days_of_the_zone(tool: Tool):
    generate(tool, tool.folder / "cut", "--format", "parquet", "--partition", "day", "--zone", "Asia/Shanghai", "--days", 2)
    folders = sorted(path.name for path in (tool.folder / "cut" / "events").iterdir())
    assert folders[0] == "dt=2026-03-02" and len(folders) >= 2
    with duckdb.connect() as database:
        found = database.execute(
            f"SELECT DISTINCT dt::VARCHAR, strftime(received_at AT TIME ZONE 'Asia/Shanghai', '%Y-%m-%d')"
            f" FROM read_parquet('{tool.folder}/cut/events/*/*.parquet', hive_partitioning = true)"
        ).fetchall()
    assert found and all(folder == day for folder, day in found)


def test_rows_cut_the_world_at_a_capture(tool: Tool, truth: dict):
    number = len(truth) // 3
    generate(tool, tool.folder / "cut", "--tag", "--rows", number, "--threads", 2, "--format", "sqlite")
    (until,) = [line for line in (tool.folder / "cut" / "README.md").read_text().splitlines() if line.startswith("| until |")]
    assert f"the capture of event number {number}: what had no fate by then is `pending`" in until
    cut = {row["id"]: row for row in from_sqlite(tool.folder / "cut", "truth")}
    times = sorted(row["captured_at"] for row in truth.values())
    last = times[number - 1]
    assert number <= len(cut) <= number + 5, "only captures of the very instant come along"
    assert {id for id, row in truth.items() if row["captured_at"] < last} <= cut.keys()
    for id, row in cut.items():
        assert row["captured_at"] == truth[id]["captured_at"] <= last
        if row["fate"] == "delivered":
            assert row["acked_at"] == truth[id]["acked_at"] <= last
        elif truth[id]["fate"] == "delivered":
            assert row["fate"] in ("pending", "rejected", "lost", "evicted")
    assert all(row["received_at"] <= last for row in from_sqlite(tool.folder / "cut", "events", "received_at"))


def test_a_start_at_the_cut_has_its_session(tool: Tool):
    """The app comes to the front a moment after the capture, when the world has stopped."""
    generate(tool, tool.folder / "cut", "--rows", 1, "--format", "sqlite")
    ((name, session),) = [(row["name"], row["session_id"]) for row in from_sqlite(tool.folder / "cut", "truth")]
    (found,) = from_sqlite(tool.folder / "cut", "sessions")
    assert (name, session) == ("$AppStart", found["session_id"])
    assert (found["is_cold"], found["ended_at"], found["events"]) == (1, None, 1)
    assert sum(row["sessions"] for row in from_sqlite(tool.folder / "cut", "users")) == 1


def test_nothing_arrives_after_the_cut(tool: Tool, truth: dict, events: list[dict]):
    """Also where the whole world has an arrival a moment later."""
    arrivals = sorted(row["received_at"] for row in events)
    times = sorted(row["captured_at"] for row in truth.values())
    following = [arrivals[min(bisect.bisect_right(arrivals, time), len(arrivals) - 1)] for time in times]
    number = next(n for n, (time, later) in enumerate(zip(times, following), 1) if n > 100 and 1 < later - time < 100)
    generate(tool, tool.folder / "cut", "--tag", "--rows", number, "--format", "sqlite")
    received = [row["received_at"] for row in from_sqlite(tool.folder / "cut", "events", "received_at")]
    assert received and max(received) <= times[number - 1]


# How it came out


def test_the_report_tells_what_is_in_the_tables(tool: Tool):
    generate(tool, tool.folder / "data", "--format", "sqlite", "--days", 1, "--devices", 16)
    page = (tool.folder / "data" / "report.html").read_text()
    rows = [re.findall(r"<t[hd][^>]*>([^<]*)", row) for row in re.findall(r"<tr>(.*?)</tr>", page, flags=re.S)]
    events, sessions = from_sqlite(tool.folder / "data", "events"), from_sqlite(tool.folder / "data", "sessions")
    assert 200 < len(events) < 2048, "one batch, so that the sample is all"
    told = {row[0]: row for row in rows}
    for column in ["model", "prop_order_amount", "captured_at"]:
        counts = Counter(row[column] for row in events if row[column] is not None)
        bits = -sum(count / counts.total() * math.log2(count / counts.total()) for count in counts.values())
        assert (int(told[column][1].replace(",", "")), int(told[column][2].replace(",", ""))) == (counts.total(), len(counts))
        assert float(told[column][3]) == pytest.approx(bits, abs=0.006)
    hours = [int(row[1]) for row in rows if re.fullmatch(r"\d+:00", row[0])]
    assert sum(hours) == len(sessions) > 10
    asked = [(row[0], row[2] != "–") for row in rows if row[0] in ("launches", "sessions") and len(row) == 3]
    assert asked == [("launches", False), ("sessions", True)] * len(WORLD["populations"]), "sessionsPerDay is of sessions"
    lengths = [int(row[1]) for row in rows if row[0] == "length of a session, found"]
    assert sum(lengths) == sum(1 for row in sessions if row["ended_at"] is not None)
    assert "<script" not in page and "http:" not in page and "https:" not in page


# The events' own JSON, and rows as they come


def test_raw_lines_are_the_payloads(tool: Tool):
    generate(tool, tool.folder / "data", "--raw", "--format", "sqlite", "--days", 5)
    events = from_sqlite(tool.folder / "data", "events", "row_id, payload")
    owner = {int(number): row["id"] for row in from_sqlite(tool.folder / "data", "truth") for number in (row["row_ids"] or "").split()}
    copies: Counter = Counter()
    lines = (tool.folder / "data" / "raw.ndjson").read_text().splitlines()
    assert len(lines) > len(events) > 1000 and all(line.startswith('{"bs_fate":') for line in lines[len(events) :])
    for line, row in zip(lines, events):
        number = copies[owner[row["row_id"]]]
        copies[owner[row["row_id"]]] += 1
        mark = f'{{"bs_copy":{number},' if number else "{"
        assert line == mark + row["payload"][1:]
    assert any(number > 1 for number in copies.values()) and not any('"bs_id"' in line for line in lines)


def raw_id(event: dict) -> str | None:
    """The harness's id in an event's own JSON; most rows of Kit's have none."""
    places = [event, *(event.get(name) for name in ("properties", "lib", "attributes", "parameters"))]
    named = [place["bs_id"] for place in places if isinstance(place, dict) and "bs_id" in place]
    return named[0] if named else event["content"].rpartition("~")[2] if "~" in event.get("content", "") else None


def test_events_that_never_arrived_are_raw_lines_too(tool: Tool):
    generate(tool, tool.folder / "data", "--raw", "--tag", "--format", "sqlite", "--days", 7)
    truth = from_sqlite(tool.folder / "data", "truth")
    arrived = [json.loads(row["payload"]) for row in from_sqlite(tool.folder / "data", "events", "payload")]
    lines = [json.loads(line) for line in (tool.folder / "data" / "raw.ndjson").read_text().splitlines()]
    absent = [line for line in lines if "bs_fate" in line]
    assert len(lines) == len(arrived) + len(absent)
    expected = [row for row in truth if row["copies"] == 0 and row["fate"] != "suppressed"]
    assert Counter((line["bs_fate"], line.get("bs_cause")) for line in absent) == Counter((row["fate"], row["cause"]) for row in expected)
    assert len({row["system"] for row in expected}) == 5, "every system has events that never arrived"
    # Those lines come in the order of the truth, and say of which event they are where the SDK lets them.
    named = 0
    for line, row in zip(absent, expected, strict=True):
        if (said := raw_id(line)) is not None:
            assert (said, line["bs_fate"], line.get("bs_cause")) == (row["id"], row["fate"], row["cause"])
            named += 1
    assert named > len(expected) / 2
    # They are events like those that arrived, but for what only an attempt adds.
    shapes = {shape(event) for event in arrived}
    alike = sum(shape(line) in shapes for line in absent)
    assert alike > 0.9 * len(absent), (alike, len(absent))


def shape(event: dict) -> tuple:
    marks = {"bs_fate", "bs_cause", "_flush_time"}
    return (event.get("event"), event.get("eventType"), event.get("event_name"), *sorted(event.keys() - marks))


@pytest.mark.parametrize("options", [[], ["--raw"]])
def test_a_stream_ends_with_its_dataset(tool: Tool, options: list[str]):
    scenario = write_scenario(tool.folder, WORLD)
    running = tool.start("generate", scenario, "--out", tool.folder / "data", "--follow", "--rate", 2000, "--format", "ndjson", "-q", *options)
    running.wait_until(lambda: running.out.count("\n") > 500, "sent some rows")
    running.signal(signal.SIGINT)
    sent = running.wait().expect(0).out
    assert (tool.folder / "data" / "_SUCCESS").exists()
    written = (tool.folder / "data" / ("raw.ndjson" if options else "events.ndjson")).read_text()
    # What has not arrived by the last row is behind the rows.
    assert written.startswith(sent) and all(line.startswith('{"bs_fate":') for line in written[len(sent) :].splitlines())
    events = [json.loads(line) for line in (tool.folder / "data" / "events.ndjson").read_text().splitlines()]
    truth = [json.loads(line) for line in (tool.folder / "data" / "truth.ndjson").read_text().splitlines()]
    assert max(row["captured_at"] for row in truth) <= events[-1]["received_at"]
    assert sum(row["copies"] for row in truth) == len(events) == sent.count("\n")


def test_a_stream_may_end_in_the_drain(tool: Tool):
    """Users are gone after 10 s, and most uploads come by a timer of 15 s: the rows arrive in the drain."""
    world = {
        "name": "late", "duration": "10s", "drain": "2m",
        "populations": [{
            "name": "ios", "devices": 120, "system": "sensors", "version": "4.9.1", "app": "shop",
            "persona": {"preset": "steady", "rate": "1/s"}, "arrival": {"over": "9s"},
        }],
    }
    scenario = write_scenario(tool.folder, world)
    data = tool.folder / "data"
    running = tool.start("generate", scenario, "--out", data, "--follow", "--rate", 200, "--format", "ndjson", "-q")
    start = datetime.datetime(2026, 1, 5, tzinfo=datetime.timezone.utc)
    late = (start + datetime.timedelta(seconds=18)).isoformat(timespec="seconds")[:19]
    running.wait_until(lambda: f'"received_at":"{late}' in running.out, "had come to the drain")
    running.signal(signal.SIGINT)
    sent = running.wait().expect(0).out
    assert (data / "_SUCCESS").exists() and (data / "events.ndjson").read_text() == sent
    tool.run("generate", scenario, "--out", "whole", "--format", "ndjson", "-q").expect(0)
    if (tool.folder / "whole" / "events.ndjson").read_text() == sent:
        pytest.skip("the stream was over before the signal came")
    page = (data / "README.md").read_text()
    assert re.search(r"^\| until \| .* the stream of its rows was ended", page, flags=re.M)
    assert "give the same bytes again" not in page


def test_a_stream_that_sends_nothing_leaves_nothing(tool: Tool):
    """Ended while its devices are made: whatever was sent is what there is."""
    scenario = write_scenario(tool.folder, WORLD | {"duration": "5d"})
    data = tool.folder / "data"
    running = tool.start("generate", scenario, "--out", data, "--follow", "--rate", 100, "--format", "ndjson", "-q")
    running.wait_until(data.exists, "had its folder")
    running.signal(signal.SIGINT)
    ended = running.wait().expect(0)
    if ended.out:
        assert (data / "events.ndjson").read_text() == ended.out
    else:
        assert not data.exists()


# What goes wrong


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "parket"], "did you mean parquet"),
        (["--partition", "week"], "allowed are none, day, hour"),
        (["--partition", "day", "--format", "sqlite"], "one file with all rows"),
        (["--zone", "Mars/Base"], "--zone"),
        (["--zone", "Asia/Shangai"], "did you mean Asia/Shanghai?"),
        (["--zone", "GMT"], "abbreviations such as GMT"),
        (["--split", "many"], "--split"),
        (["--split", "1.5MB"], "a whole number"),
        (["--rows", "0"], "--rows"),
        (["--threads", "0"], "--threads"),
        (["--days", "0"], "--days"),
        (["--days", "-1"], "--days: found -1, allowed are whole numbers from 1 to 3650"),
        (["--rows", "1.5"], "allowed is a whole number"),
        (["--days", "99999999"], "--days: found 99999999, allowed are whole numbers from 1 to 3650"),
        (["--days", "1", "--duration", "2d"], "say the same"),
        (["--resume"], "no folder"),
        (["--rate", "5"], "only with --follow"),
        (["--follow", "--rate", "0"], "numbers above 0"),
        (["--follow", "--resume"], "goes on with nothing"),
        (["--target", "http://127.0.0.1:1"], "--target: found where nothing is sent"),
        (["--insecure"], "--insecure: found where nothing is sent"),
    ],
)
def test_wrong_options_are_named(tool: Tool, options: list[str], said: str):
    ended = generate(tool, tool.folder / "data", *options, code=64)
    assert said in ended.err and not (tool.folder / "data").exists()


def test_a_wrong_start_is_named_as_it_was_given(tool: Tool):
    ended = generate(tool, tool.folder / "data", "--start", "yesterday", code=104)
    assert "--start: /start" in ended.err and "--set" not in ended.err


def test_more_rows_than_there_are_is_said(tool: Tool):
    path = write_scenario(tool.folder, WORLD)
    ended = tool.run("generate", path, "--out", "data", "--devices", 20, "--rows", 10**9, "--format", "sqlite").expect(0)
    assert "captures fewer" in ended.err
    size = (tool.folder / "data/dataset.sqlite").stat().st_size
    assert f", {size / 1e6:.1f} MB, " in ended.out + ended.err or f", {size / 1e3:.1f} kB, " in ended.out + ended.err


def test_the_help_names_no_target(tool: Tool):
    said = tool.run("generate", "--help").expect(0).out
    assert "--target" not in said and "--insecure" not in said and "--seed" in said


def test_an_existing_folder_is_left_alone(tool: Tool):
    (tool.folder / "data").mkdir()
    (tool.folder / "data" / "mine").write_text("mine")
    assert "exists already" in generate(tool, tool.folder / "data", code=64).err
    assert [path.name for path in (tool.folder / "data").iterdir()] == ["mine"]


#: So many that the process is found in the midst of them.
SMALL_PARTS = ["--format", "ndjson", "--split", "100kB"]


@pytest.fixture(scope="module")
def whole_parts(tmp_path_factory) -> dict[str, str]:
    """What the files are when nobody breaks it off."""
    tool = Tool(tmp_path_factory.mktemp("whole"))
    generate(tool, tool.folder / "data", *SMALL_PARTS)
    tool.close()
    return hashes(tool.folder / "data")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_was_broken_off_goes_on(tool: Tool, whole_parts: dict[str, str], number: signal.Signals):
    scenario, options = write_scenario(tool.folder, WORLD), [*SMALL_PARTS, "-q"]
    broken = tool.start("generate", scenario, "--out", tool.folder / "data", *options)
    parts = tool.folder / "data" / "_parts.ndjson"
    broken.wait_until(lambda: parts.exists() and len(parts.read_text().splitlines()) > 3, "wrote a few parts")
    # The answers are written when all rows are.
    ended = broken.break_off(number, (parts.parent / "answers.json").exists)
    assert ended.code == (105 if number == signal.SIGINT else -9), str(ended)
    assert not (tool.folder / "data" / "_SUCCESS").exists()
    # A part that was renamed and not yet listed when the process ended is written again.
    kept = {path: path.stat().st_mtime_ns for path in listed_parts(parts.parent)}
    assert kept
    for other, words in ((["--tag"], "--tag was none, and is given"), (["--seed", 5], "what is changed in the scenario was none, and is --seed 5")):
        refused = tool.run("generate", scenario, "--out", tool.folder / "data", *options, *other, "--resume").expect(64).err
        assert "other settings" in refused and words in refused
    tool.run("generate", scenario, "--out", tool.folder / "data", *options, "--resume").expect(0)
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items()), "whole parts are not written again"
    assert hashes(tool.folder / "data") == whole_parts
    assert "nothing to go on with" in tool.run("generate", scenario, "--out", tool.folder / "data", *options, "--resume").expect(64).err


def test_one_process_writes_into_a_folder(tool: Tool):
    """Whether it is a part's or one that is gone on with; what is killed keeps nobody out and leaves nothing over."""
    scenario = write_scenario(tool.folder, WORLD)
    for place, options in (("data", []), ("parts/part-000-of-002", ["--shard", "0/2"])):
        out, parts = tool.folder / place.split("/")[0], tool.folder / place / "_parts.ndjson"
        command = ["generate", scenario, "--out", out, *options, "--format", "ndjson", "--split", "100kB", "-q"]
        first = tool.start(*command, "--threads", 2)
        first.wait_until(lambda: parts.exists() and len(parts.read_text().splitlines()) > 1, "wrote a part")
        # However long the other takes to look.
        first.hold((parts.parent / "answers.json").exists)
        second = tool.run(*command, *([] if options else ["--resume"]), "--threads", 1).expect(64)
        assert f"another process writes into {parts.parent}" in second.err
        first.kill()
        assert list(parts.parent.glob("_fates-1.partial"))
        tool.run(*command, "--resume", "--threads", 1).expect(0)
        assert not list(parts.parent.rglob("*.partial"))
        whole = tool.run(*command, *([] if options else ["--resume"])).expect(64).err
        assert "whole" in whole and ("--resume" in whole) is not bool(options)
        other = tool.run(*command, "--seed", 99, *([] if options else ["--resume"])).expect(64).err
        assert "begun as another dataset" in other and "--seed 99" in other, other


@pytest.mark.parametrize("strays", [[], ["_stream-0.partial"]])
def test_what_had_hardly_begun_begins_anew(tool: Tool, strays: list[str]):
    """A process that was killed before it had written a list of parts leaves a folder without one."""
    scenario = write_scenario(tool.folder, WORLD)
    for place, options in (("data", ["--resume"]), ("parts/part-000-of-002", ["--shard", "0/2"])):
        (tool.folder / place).mkdir(parents=True)
        for name in strays:
            (tool.folder / place / name).write_text("rows on their way")
        tool.run("generate", scenario, "--out", tool.folder / place.split("/")[0], *options, "--days", 1, "-q").expect(0)
        assert (tool.folder / place / "_SUCCESS").exists() and not list((tool.folder / place).glob("*.partial"))
    (tool.folder / "other").mkdir()
    (tool.folder / "other" / "mine").write_text("mine")
    refused = tool.run("generate", scenario, "--out", tool.folder / "other", "--resume", "-q").expect(64).err
    assert "no dataset was begun there" in refused
    assert [path.name for path in (tool.folder / "other").iterdir()] == ["mine"]


def test_variables_are_part_of_what_is_gone_on_with(tool: Tool):
    scenario = write_scenario(tool.folder, WORLD | {"duration": "${LENGTH}"})
    command = ["generate", scenario, "--out", tool.folder / "data", "--format", "csv", "-q"]
    tool.run(*command, env={"LENGTH": "1d"}).expect(0)
    (tool.folder / "data" / "_SUCCESS").unlink()
    refused = tool.run(*command, "--resume", env={"LENGTH": "2d"}).expect(64).err
    assert "the sum of its variables and files was" in refused
    tool.run(*command, "--resume", env={"LENGTH": "1d"}).expect(0)


def test_a_file_is_no_folder(tool: Tool):
    (tool.folder / "data").write_text("mine")
    for options in ([], ["--resume"]):
        assert "data is a file, and no folder" in generate(tool, tool.folder / "data", *options, code=64).err
    assert (tool.folder / "data").read_text() == "mine"


def test_a_full_disk_is_named(tool: Tool, tiny_disk: Path):
    ended = generate(tool, tiny_disk / "data", "--format", "ndjson", code=70)
    assert "No space left on device" in ended.err and "--resume" in ended.err
    assert not (tiny_disk / "data" / "_SUCCESS").exists()


@pytest.mark.parametrize(
    "options", [["--threads", "2"], ["--rows", "3000"], ["--shard", "1/2"], ["--follow", "--rate", "1000000"]], ids=lambda it: it[0]
)
def test_a_full_disk_under_the_files_of_devices_spoils_a_dataset(tool: Tool, tiny_disk: Path, options: list[str]):
    """What devices lose by it is none of their doing; who goes on with the dataset makes all of it anew."""
    world = steady(200, "30s")
    world["populations"][0]["sdk"] = {"storage": {"backend": "sqlite"}, "upload": {"flushInterval": "5s"}}
    command = ["generate", write_scenario(tool.folder, world), "--format", "ndjson", "--split", "1kB", "-q", *options]
    ended = tool.run(*command, "--out", "data", env={"TMPDIR": str(tiny_disk)}).expect(96)
    assert "says nothing about its devices" in ended.err and str(tiny_disk) in ended.err, str(ended)
    assert "data/part-001-of-002 is unfinished" in ended.err or "data is unfinished" in ended.err, str(ended)
    data, sound = tool.folder / "data", tool.folder / "sound"
    assert {path.name for path in data.rglob("*.ndjson*")} <= {"_parts.ndjson"}
    assert not list(data.rglob("_SUCCESS"))
    if "--follow" in options:
        assert "remove it" in ended.err and "--resume" not in ended.err
        return
    # A part is gone on with unasked.
    tool.run(*command, "--out", "data", *([] if "--shard" in options else ["--resume"])).expect(0)
    tool.run(*command, "--out", "sound").expect(0)
    made, expected = hashes(data), hashes(sound)
    # It states the command.
    state = "part-001-of-002/_part.state"
    assert made.pop(state, None) is not None if "--shard" in options else state not in made
    expected.pop(state, None)
    assert made == expected and len(made) > 8


def test_a_stream_that_fails_is_not_to_be_gone_on_with(tool: Tool):
    scenario = write_scenario(tool.folder, WORLD)
    command = [str(BINARY), "generate", str(scenario), "--out", "data", "--follow", "--rate", "5000", "--days", "1", "-q"]
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tool.folder)
    assert ended.returncode == 70 and "cannot write standard output" in ended.stderr
    assert "remove it" in ended.stderr and "--resume" not in ended.stderr


def test_a_stream_waits_for_a_reader_that_is_late(tool: Tool):
    """Also on a pipe that somebody else has made non-blocking."""
    scenario = write_scenario(tool.folder, WORLD)
    command = [BINARY, "generate", scenario, "--out", "data", "--follow", "--rate", 1e6, "--days", 1, "--format", "ndjson", "-q"]
    code, rows = read_late(command, "stdout", tool.folder)
    assert code == 0 and len(rows) > 1 << 16, "more than fits into a pipe"
    assert (tool.folder / "data/events.ndjson").read_bytes().startswith(rows)


def test_a_stream_that_was_killed_is_not_to_be_gone_on_with(tool: Tool):
    scenario = write_scenario(tool.folder, WORLD)
    command = ["generate", scenario, "--out", "data", "--follow", "--rate", 100, "--format", "ndjson", "-q"]
    killed = tool.start(*command)
    killed.wait_until(lambda: killed.out.count("\n") > 10, "sent some rows")
    killed.kill()
    refused = tool.run(*command).expect(64).err
    assert "data exists already; name another with --out" in refused and "--resume" not in refused


def test_the_description_tells_what_can_be_typed(tool: Tool):
    options = ["--devices", 6, "--days", 1, "--start", "2026-03-02T00:00:00+08:00", "--set", "populations.old.devices=1"]
    folder = tool.folder / "data"
    path = write_scenario(tool.folder, WORLD)
    tool.run("generate", path, "--out", folder, "-q", *options, "--split", "100kB", "--format", "parquet,ndjson",
             env={"BEACONSWARM_SEED": "9"}).expect(0)
    page = (folder / "README.md").read_text()
    (changed,) = re.findall(r"^\| changed \| (.*) \|$", page, flags=re.M)
    assert re.findall(r"`([^`]*)`", changed) == [
        "BEACONSWARM_SEED=9", "--set /populations/0/devices=1", "--start 2026-03-02T00:00:00+08:00", "--duration 1d", "--devices 6",
    ]
    (script,) = [text for text in re.findall(r"```python\n(.*?)```", page, flags=re.S) if "read_parquet" in text]
    if importlib.util.find_spec("pandas") is None:
        # Enough of it for what the page says.
        (folder / "pandas.py").write_text(
            "import pyarrow, pyarrow.parquet\n"
            "read_parquet = lambda path: pyarrow.parquet.ParquetFile(path).read()\n"
            "concat = lambda tables, ignore_index: pyarrow.concat_tables(tables)\n")
    script += f"print({', '.join(f'len({table})' for table in TABLES)})"
    read = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True)
    assert read.stdout.split() == [re.search(rf"\| `{table}` \| (\d+) \|", page)[1] for table in TABLES], read.stderr
    (folder / "_SUCCESS").unlink()
    tool.run("generate", path, "--out", folder, "-q", *options, "--split", "100kB", "--format", "parquet,ndjson", "--resume",
             env={"BEACONSWARM_SEED": "9"}).expect(0)
    assert (folder / "README.md").read_text() == page, "--resume is no part of how it is made"


def test_the_description_loads(dataset: Path):
    """The page's own SQL, run where it is."""
    page = (dataset / "README.md").read_text()
    blocks = re.findall(r"```sql\n(CREATE VIEW.*?)```", page, flags=re.S)
    assert blocks
    with duckdb.connect() as database:
        database.execute(f"SET file_search_path = '{dataset}'")
        for block in blocks:
            database.execute(block)
        count = database.execute("SELECT count(*) FROM truth").fetchone()[0]
    assert f"| `truth` | {count} |" in page
    for column in ["prop_order_amount", "lateness_ms", "end_reason"]:
        assert f"| `{column}` |" in page
    for reader in ("read_csv", "read_json"):
        (block,) = [text for text in re.findall(r"```sql\n(.*?)```", page, flags=re.S) if f"{reader}(" in text]
        with duckdb.connect() as database:
            database.execute(f"SET file_search_path = '{dataset}'")
            database.execute(block)
            assert database.execute("SELECT count(*) FROM truth").fetchone()[0] == count
        # What a sniffer makes of the quotes depends on how late the first of them comes.
        assert reader != "read_csv" or block.count("quote = '\"'") == len(TABLES)


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="sqlite3 is not installed")
@pytest.mark.parametrize("options", [[], ["--partition", "day", "--split", "50kB"]])
def test_the_description_loads_into_sqlite(tool: Tool, options: list[str]):
    generate(tool, tool.folder / "data", "--tag", "--format", "csv", *options, scenario=WORLD | {"duration": "3d"})
    (text,) = re.findall(r"^SQLite:\n\n```sql\n(.*?)```", (tool.folder / "data" / "README.md").read_text(), flags=re.S | re.M)
    imported = tool.folder / "imported.sqlite"
    subprocess.run(["sqlite3", "-bail", imported], input=text, text=True, cwd=tool.folder / "data", check=True)
    with sqlite3.connect(imported) as database:
        assert_answered(lambda sql: database.execute(sql).fetchall(), tool.folder / "data")
        kinds = database.execute("SELECT DISTINCT typeof(is_cold), typeof(duration_ms) FROM sessions").fetchall()
    assert {kind for kind, _ in kinds} == {"integer"} and {kind for _, kind in kinds} <= {"integer", "null"}


#: By format: the tools that the page has something for.
TOOLS = {
    "parquet": ["DuckDB", "ClickHouse", "pandas"],
    "csv.zst": ["DuckDB", "PostgreSQL", "ClickHouse", "SQLite", "pandas"],
    "ndjson": ["DuckDB", "ClickHouse", "pandas"],
    "sqlite": ["pandas"],
}


@pytest.mark.parametrize("name", TOOLS)
def test_the_description_has_each_tool_that_reads_a_format(tool: Tool, name: str):
    generate(tool, tool.folder / "data", "--format", name, scenario=WORLD | {"duration": "6h"})
    page = (tool.folder / "data" / "README.md").read_text()
    loading = page[page.index("## Loading") : page.index("## Columns")]
    told = re.findall(r"^(\w+)[^\n]*:\n\n```\w+\n(.*?)```", loading, flags=re.S | re.M)
    assert [program for program, _ in told] == TOOLS[name]
    for program, text in told:
        assert all(re.search(rf"\b{table}\b", text) for table in TABLES), program
        assert (f".{name}'" in text) == (program in ("DuckDB", "ClickHouse") and name != "sqlite"), program
    if name.startswith("csv"):
        frames = dict(told)["pandas"]
        (texts,) = re.findall(r'^truth = table\(.*, \[([^\[\]]*)\]\)$', frames, flags=re.M)
        assert "fillna" in frames and '"name"' in texts, "an empty name is no missing one"
    if name == "ndjson":
        assert "convert_dates=False" in dict(told)["pandas"], "is_first_time is no time"


def test_a_changed_persona_leaves_others_alone(tool: Tool, truth: dict):
    changed = json.loads(json.dumps(WORLD))
    changed["populations"][0]["persona"] = "casual"
    generate(tool, tool.folder / "data", "--tag", "--format", "sqlite", "--zone", "Asia/Shanghai", scenario=changed)
    others = lambda rows: {
        row["id"]: (row["captured_at"], row["device_at"], row["name"], row["session_id"], row["radio"], row["fate"], row["attempts"], row["acked_at"])
        for row in rows if row["population"] != "old"
    }
    assert others(from_sqlite(tool.folder / "data", "truth")) == others(truth.values())


# Parts


def numbered(folder: Path, pattern: str) -> list[dict]:
    """The rows of a table in files of JSON, without the numbers that parts give."""
    rows = []
    for path in sorted(folder.glob(pattern)):
        for line in path.read_text().splitlines():
            row = {key: value for key, value in json.loads(line).items() if value is not None}
            rows.append({key: row[key] for key in row if key not in ("row_id", "batch", "row_ids")})
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def test_parts_together_are_the_whole(tool: Tool):
    scenario = WORLD | {"duration": "2d"}
    for part in range(3):
        generate(tool, tool.folder / "parts", "--shard", f"{part}/3", "--format", "ndjson", "--threads", part + 1, scenario=scenario)
    generate(tool, tool.folder / "one", "--format", "ndjson", scenario=scenario)
    for table in TABLES:
        whole = numbered(tool.folder / "one", f"{table}.ndjson")
        parts = numbered(tool.folder / "parts", f"part-00?-of-003/{table}/part-00?-of-003.ndjson")
        assert len(whole) > 5 and parts == whole, table
    numbers = []
    for path in (tool.folder / "parts").glob("*/events/*.ndjson"):
        numbers += [json.loads(line)["row_id"] for line in path.read_text().splitlines()]
    assert len(set(numbers)) == len(numbers) == len(numbered(tool.folder / "one", "events.ndjson"))
    # The truth of a part names rows of that part.
    part = tool.folder / "parts" / "part-001-of-003"
    rows = {json.loads(line)["row_id"] for line in (part / "events" / "part-001-of-003.ndjson").read_text().splitlines()}
    named = [json.loads(line) for line in (part / "truth" / "part-001-of-003.ndjson").read_text().splitlines()]
    mine = {int(number) for row in named for number in (row.get("row_ids") or "").split()}
    assert mine <= rows and mine


def test_a_part_is_of_devices_and_not_of_rows(tool: Tool):
    for options, said in ((["--rows", "10"], "--rows"), (["--follow"], "--follow"), ([], "counted from 0")):
        shard = "0/2" if options else "2/2"
        refused = generate(tool, tool.folder / "data", "--shard", shard, *options, code=64)
        assert said in refused.err and not (tool.folder / "data").exists()
    queue = json.loads((ROOT / "scenarios" / "overload.json").read_text())
    assert "wait for each other" in generate(tool, tool.folder / "data", "--shard", "0/2", scenario=queue, code=64).err


def test_faults_concern_the_same_uploads_as_in_a_simulation_whether_events_bear_ids_or_not(tool: Tool):
    """A fault that asks for a device, or draws events: both know whose an upload is, and what a collector reads of it."""
    faulty = steady(devices=4, duration="2m", tagEvents=False)
    faulty["populations"][0]["sdk"] = {"upload": {"flushInterval": "5s"}}
    faulty["timeline"] = [
        {"at": "0s", "collector": {"fault": "status", "status": 503, "device": 0}},
        {"at": "30s", "for": "30s", "collector": {"fault": "invalidEvents", "events": 0.2}},
    ]
    path = write_scenario(tool.folder, faulty)
    received = {}
    for bodies in ("encode", "measure"):
        tool.run("simulate", path, "--bodies", bodies, "--out", bodies, "-q").expect(0)
        received[bodies] = read_report(tool.folder / bodies)["audit"]["received"]
    tool.run("generate", path, "--out", "data", "--format", "ndjson", "-q").expect(0)
    received["generate"] = len(read_events(tool.folder / "data/events.ndjson"))
    assert len(set(received.values())) == 1 and received["generate"] > 100, received
