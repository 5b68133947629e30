"""Files of datasets, written by the formats' own code from tables that are made here, and read back by other programs:
every format has to give the same values, whatever they are."""

from __future__ import annotations

import datetime
import json
import math
import os
import random
import re
import sqlite3
import subprocess
import time
import zlib
import zoneinfo
from collections import defaultdict
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest

import real_clock
from conftest import BINARY, HANG, ROOT
from dataset_readers import FORMATS, READERS, duckdb_source, from_duckdb, from_ndjson, from_pyarrow, read
from helpers import listed_parts
from processes import finish
from random_tables import UNITS, draw_table

TABLES = Path(os.environ.get("BEACONSWARM_TABLES", ROOT / ".build" / "release" / "beaconswarm-tables"))


def write(folder: Path, tables: list[dict], out: str = "data", code: int = 0, **layout: object) -> Path:
    description = folder / f"{out}.json"
    description.write_text(json.dumps({"tables": tables, "formats": FORMATS} | layout, ensure_ascii=False))
    ended = finish([str(TABLES), str(description), str(folder / out)])
    assert ended.returncode == code, ended.stderr
    return folder / out if code == 0 else ended.stderr


def same(found: list[list], expected: list[list]) -> None:
    """Equal values of equal types, and zeros of either sign."""
    assert len(found) == len(expected)
    for number, (mine, wanted) in enumerate(zip(found, expected)):
        assert mine == wanted and list(map(type, mine)) == list(map(type, wanted)), f"row {number}"


def as_written(table: dict) -> list[list]:
    return [
        [float(value) if column["type"] == "double" and value is not None else value for value, column in zip(row, table["columns"])]
        for row in table["rows"]
    ] * table.get("times", 1)


def test_every_format_that_there_is_has_a_reader():
    said = finish([BINARY, "generate", "--help"]).stdout
    names = re.search(r"In what the tables are written: (.*?)\. Repeatable", " ".join(said.split()))[1].split(", ")
    # A digest has no rows to read back.
    assert [name for name in names if not name.endswith(".sha256")] == FORMATS
    assert {name.split(".")[0] for name in FORMATS} == READERS.keys()


# Values


@pytest.mark.parametrize("case", range(9))
def test_every_format_gives_the_rows_back(case: int, seed: int, tmp_path: Path):
    rng = random.Random(f"{seed}-{case}")
    table = draw_table(rng)
    compression = ["none", "snappy", "zstd"][case % 3]
    folder = write(
        tmp_path, [table],
        parquet={"compression": compression, "rowGroupRows": rng.choice([500, 1500, 1 << 17]), "pageRows": rng.choice([1, 1024, 1 << 14])},
    )
    assert (folder / "_SUCCESS").read_bytes() == b""
    for name in FORMATS:
        same(read(folder, name, table), as_written(table))
    if table["rows"]:
        for name in ["parquet", "csv", "ndjson.gz", "csv.zst"]:
            same(from_duckdb(duckdb_source(folder / f"rows.{name}", table), table), as_written(table))


def test_batches_do_not_show_in_the_files(seed: int, tmp_path: Path):
    """However the rows are cut, the bytes are the same, with or without row groups and pages that end in a batch."""
    table = draw_table(random.Random(seed), rows=2600)
    contents = []
    for batch in [1, 1000, 4096]:
        folder = write(tmp_path, [table | {"batch": batch}], out=f"by-{batch}", parquet={"rowGroupRows": 1500, "pageRows": 500}, split=40_000)
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        # Which format's part ends first is the batches' affair.
        files["_parts.ndjson"] = b"".join(sorted(files["_parts.ndjson"].splitlines()))
        contents.append(files)
    assert contents[0].keys() == contents[1].keys() == contents[2].keys()
    for path, content in contents[0].items():
        assert content == contents[1][path] == contents[2][path], path


# SQLite


def test_the_database_is_strict_and_indexed(tmp_path: Path):
    columns = [{"name": "id", "type": "int64"}, {"name": "na\"me", "type": "string", "nullable": True, "doc": "as shown"}, {"name": "price", "type": "double"}]
    first = {"name": "first", "columns": columns, "rows": [[1, None, 0.5], [2, "x", 3]], "indices": [["id"], ["na\"me", "id"]]}
    second = first | {"name": "sec\"ond", "rows": [], "indices": []}
    folder = write(tmp_path, [first, second], formats=["sqlite"])
    assert sorted(path.name for path in folder.iterdir()) == ["_SUCCESS", "_parts.ndjson", "dataset.sqlite"]
    with sqlite3.connect(folder / "dataset.sqlite") as database:
        tables = {name: (strict, columns) for _, name, _, columns, _, strict in database.execute("PRAGMA table_list")}
        assert tables["first"] == (1, 3) and tables['sec"ond'] == (1, 3)
        assert [row[1:4] for row in database.execute("PRAGMA table_info(first)")] == [
            ("id", "INTEGER", 1), ('na"me', "TEXT", 0), ("price", "REAL", 1)
        ]
        indices = database.execute("SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index'").fetchall()
        assert len(indices) == 2 and all(table == "first" for table, _ in indices)
        assert "as shown" in database.execute("SELECT sql FROM sqlite_master WHERE name = 'first'").fetchone()[0]
        assert database.execute("SELECT typeof(price) FROM first").fetchall() == [("real",)] * 2
        plan = database.execute('EXPLAIN QUERY PLAN SELECT * FROM first WHERE "na""me" = ?', ("x",)).fetchall()
        assert "USING INDEX" in plan[0][3]


# Parquet, inspected


def statistics_of(values: list, kind: str):
    present = [value for value in values if value is not None]
    if kind in UNITS:
        present = [
            datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(microseconds=value * 1_000_000 // UNITS[kind])
            for value in present
        ]
    return (min(present), max(present)) if present else None, len(values) - len(present)


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_metadata_of_parquet_is_that_of_the_rows(compression: str, seed: int, tmp_path: Path):
    table = draw_table(random.Random(seed), rows=2500)
    layout = {"compression": compression, "rowGroupRows": 1000, "metadata": {"scenario": "商店", "seed": str(seed)}}
    path = write(tmp_path, [table], formats=["parquet"], parquet=layout) / "rows.parquet"
    with pyarrow.parquet.ParquetFile(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
    assert (metadata.num_rows, metadata.num_row_groups, metadata.format_version) == (2500, 3, "2.6")
    assert metadata.created_by == "beaconswarm"
    docs = {f"column.{column['name']}": column["doc"] for column in table["columns"] if "doc" in column}
    found = {key.decode(): value.decode() for key, value in metadata.metadata.items()}
    assert found == layout["metadata"] | docs
    arrow = {"int64": "int64", "double": "double", "bool": "bool", "string": "string", "timestampMillis": "timestamp[ms, tz=UTC]", "timestampMicros": "timestamp[us, tz=UTC]"}
    for index, column in enumerate(table["columns"]):
        field = schema.field(index)
        assert (field.name, str(field.type), field.nullable) == (column["name"], arrow[column["type"]], column["nullable"])
        for group in range(3):
            rows = [row[index] for row in table["rows"][group * 1000 : (group + 1) * 1000]]
            chunk = metadata.row_group(group).column(index)
            assert chunk.num_values == len(rows) == metadata.row_group(group).num_rows
            assert chunk.compression == {"none": "UNCOMPRESSED"}.get(compression, compression.upper())
            bounds, absent = statistics_of(rows, column["type"])
            assert chunk.statistics.null_count == absent
            if bounds and max(len(str(one).encode()) for one in bounds) <= 256:
                assert (chunk.statistics.min, chunk.statistics.max) == bounds
                if column["type"] == "double" and 0 in bounds:
                    assert bounds[0] != 0 or math.copysign(1, chunk.statistics.min) < 0
                    assert bounds[1] != 0 or math.copysign(1, chunk.statistics.max) > 0
            else:
                assert not chunk.statistics.has_min_max or column["type"] == "string"


def test_a_dictionary_is_used_where_it_saves_and_left_where_it_is_full(tmp_path: Path):
    """20,000 rows: few values; only different ones; few at first and more than a dictionary takes later."""
    columns = [{"name": name, "type": kind} for name in ["few", "different", "growing"] for kind in ["string", "int64"]]
    for column in columns:
        column["name"] += "_" + column["type"]
    columns = [{"name": "row_id", "type": "int64"}, *columns]
    long = "x" * 150
    rows = []
    for row in range(20_000):
        growing = row if row > 10_000 else row % 5
        rows.append([row, f"name {row % 7}", row % 7, f"id {row}", row * 1_000_003, f"{long}{growing}", growing])
    table = {"name": "rows", "columns": columns, "rows": rows}
    path = write(tmp_path, [table], formats=["parquet"], parquet={"pageRows": 4096}) / "rows.parquet"
    with pyarrow.parquet.ParquetFile(path) as file:
        group = file.metadata.row_group(0)
        chunks = {group.column(index).path_in_schema: group.column(index) for index in range(group.num_columns)}
    for name, chunk in chunks.items():
        encodings = set(chunk.encodings)
        if name.startswith("few") or name.startswith("growing"):
            assert "RLE_DICTIONARY" in encodings and chunk.has_dictionary_page, name
        else:
            assert "RLE_DICTIONARY" not in encodings and not chunk.has_dictionary_page, name
    assert chunks["few_string"].total_uncompressed_size < 20_000 * 3 / 8 + 1000
    same(from_pyarrow(path, table), rows)
    same(from_duckdb(duckdb_source(path, table), table), rows)
    # Queries that skip by statistics and dictionaries.
    count = duckdb.sql(f"SELECT count(*) FROM '{path}' WHERE few_string = 'name 3' AND row_id BETWEEN 7000 AND 13999").fetchall()
    assert count == [(1000,)]


# Parts


def events(rows: int, start: str, step: int, seed: int = 1, **more: object) -> dict:
    """Events in the order of their time."""
    rng = random.Random(seed)
    begin = int(datetime.datetime.fromisoformat(start).timestamp() * 1000)
    columns = [
        {"name": "row_id", "type": "int64"}, {"name": "received_at", "type": "timestampMillis"},
        {"name": "name", "type": "string"}, {"name": "price", "type": "double", "nullable": True},
    ]
    content = [
        [row, begin + row * step, rng.choice(["浏览", "加购", "支付"]), rng.choice([None, rng.randrange(10_000) / 100])]
        for row in range(rows)
    ]
    return {"name": "events", "columns": columns, "rows": content, "partitionedBy": "received_at"} | more


ZONES = ["UTC", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("partition", ["day", "hour"])
def test_partitions_are_those_of_the_zone(partition: str, zone: str, tmp_path: Path):
    """Over the end of summer time in New York, and its beginning on Lord Howe, whose clocks change by half an hour."""
    start = "2026-10-31T11:00:00+00:00" if zone.startswith("America") else "2026-10-02T11:00:00+00:00"
    table = events(200, start, 1_133_000)
    folder = write(tmp_path, [table], formats=["ndjson", "parquet"], partition=partition, zone=zone)
    expected = defaultdict(list)
    for row in table["rows"]:
        local = datetime.datetime.fromtimestamp(row[1] / 1000, zoneinfo.ZoneInfo(zone))
        place = f"dt={local:%Y-%m-%d}" + (f"/hour={local:%H}" if partition == "hour" else "")
        expected[place].append(row)
    for name, reader in [("ndjson", from_ndjson), ("parquet", from_pyarrow)]:
        files = sorted((folder / "events").rglob(f"*.{name}"))
        assert [str(path.parent.relative_to(folder / "events")) for path in files] == sorted(expected)
        for path in files:
            assert path.name == f"part-00000.{name}"
            same(reader(path, table), expected[str(path.parent.relative_to(folder / "events"))])
    place = "'dt=' || dt" + (" || '/hour=' || lpad(hour::VARCHAR, 2, '0')" if partition == "hour" else "")
    source = f"read_parquet('{folder}/events/**/*.parquet', hive_partitioning=true, hive_types_autocast=false)"
    found = duckdb.sql(f"SELECT {place}, row_id FROM {source} ORDER BY row_id").fetchall()
    assert sorted(found) == sorted((place, row[0]) for place, rows in expected.items() for row in rows)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "sqlite"])
def test_parts_are_about_as_large_as_is_asked(name: str, tmp_path: Path):
    size = 30_000 if "." in name or name == "parquet" else 200_000
    table = events(30_000, "2026-01-05T00:00:00+00:00", 7)
    folder = write(tmp_path, [table], formats=[name], split=size, parquet={"rowGroupRows": 2048})
    files = sorted((folder / "events").iterdir())
    assert [path.name for path in files] == [f"part-{index:05}.{name}" for index in range(len(files))]
    journal = [json.loads(line) for line in (folder / "_parts.ndjson").read_text().splitlines()[1:]]
    assert [(one["path"], one["bytes"], one["crc32"]) for one in journal] == [
        (f"events/{path.name}", path.stat().st_size, zlib.crc32(path.read_bytes())) for path in files
    ]
    assert sum(one["rows"] for one in journal) == 30_000
    if name != "parquet":
        assert all(size <= one["bytes"] for one in journal[:-1])
    if name in ("ndjson", "csv"):
        assert all(one["bytes"] <= size + 1024 * 100 for one in journal)
    assert len(files) > 1 and all(one["rows"] % 1024 == 0 for one in journal[:-1])
    same(from_duckdb(duckdb_source(folder / "events" / f"*.{name}", table), table), as_written(table))


def test_what_is_killed_does_not_look_whole_and_can_be_gone_on_with(tmp_path: Path):
    layout = {"formats": ["ndjson.gz", "csv", "parquet", "sqlite"], "partition": "hour", "split": 100_000, "identity": "shop, seed 1"}
    # Each repetition begins at the same hour: partitions that come back get more parts.
    tables = [events(20_000, "2026-01-05T00:00:00+00:00", 900, times=4), events(3000, "2026-01-05T00:00:00+00:00", 1) | {"name": "truth", "partitionedBy": None}]
    whole = write(tmp_path, tables, out="whole", **layout)
    expected = {path.relative_to(whole): path.read_bytes() for path in whole.rglob("*") if path.is_file()}
    broken = tmp_path / "broken"
    description = tmp_path / "broken.json"
    # Slower by far than the whole, so that it is killed long before its end; and before it has more than the whole,
    # unless the machine keeps this test waiting.
    description.write_text(json.dumps({"tables": [tables[0] | {"times": 4000}, tables[1]]} | layout))
    with subprocess.Popen([str(TABLES), str(description), str(broken)]) as process:
        deadline = time.monotonic() + HANG
        while len(list(broken.rglob("part-*.parquet"))) < 9:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.005)
        process.kill()
    assert not (broken / "_SUCCESS").exists() and not (broken / "dataset.sqlite").exists()
    unfinished = [path for path in broken.rglob("*") if path.name.endswith(".partial")]
    assert unfinished and not any(path.suffix in (".gz", ".csv", ".parquet") for path in unfinished)
    for path in broken.rglob("part-*.parquet"):
        pyarrow.parquet.read_table(path, partitioning=None)
    # A part that was renamed and not yet listed when the process ended is written again.
    kept = {path: path.stat().st_mtime_ns for path in listed_parts(broken)}
    assert kept
    for name in ("ndjson.gz", "csv", "parquet"):
        written, wanted = (len(list(folder.rglob(f"part-*.{name}"))) for folder in (broken, whole))
        if written >= wanted:
            real_clock.inconclusive(f"killed late: {written} parts of {name} were written, the whole has {wanted}")
    assert "another dataset" in write(tmp_path, tables, out="broken", code=70, **layout | {"resume": True, "identity": "seed 2"})
    # As an end in the midst of a line leaves it.
    with open(broken / "_parts.ndjson", "ab") as journal:
        journal.write(b'{"table":"events","for')
    write(tmp_path, tables, out="broken", resume=True, **layout)
    found = {path.relative_to(broken): path.read_bytes() for path in broken.rglob("*") if path.is_file()}
    assert sorted(found) == sorted(expected)
    for path, content in expected.items():
        if path.name != "_parts.ndjson":
            assert found[path] == content, path
    listed = [json.loads(line) for line in found[Path("_parts.ndjson")].splitlines()]
    assert sorted(map(str, listed)) == sorted(str(json.loads(line)) for line in expected[Path("_parts.ndjson")].splitlines())
    assert all(path.stat().st_mtime_ns == before for path, before in kept.items()), "what is listed is not written again"


@pytest.mark.parametrize("name", FORMATS)
def test_a_full_disk_is_said_and_leaves_nothing_that_looks_whole(name: str, tiny_disk: Path, tmp_path: Path):
    table = events(20_000, "2026-01-05T00:00:00+00:00", 7, times=30)
    for row in table["rows"]:
        row[2] += f" {random.Random(row[0]).getrandbits(256):x}"
    description = tmp_path / "full.json"
    description.write_text(json.dumps({"tables": [table], "formats": [name]}))
    ended = finish([str(TABLES), str(description), str(tiny_disk / "data")])
    assert ended.returncode == 70
    assert "No space left on device" in ended.stderr and str(tiny_disk / "data") in ended.stderr
    left = sorted(path.name for path in (tiny_disk / "data").iterdir())
    file = "dataset.sqlite" if name == "sqlite" else f"events.{name}"
    assert left == ["_parts.ndjson", f"{file}.partial"]
