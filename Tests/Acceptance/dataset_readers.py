"""Other programs read a dataset's files: each gives rows of Python values, times as numbers in the column's unit."""

from __future__ import annotations

import datetime
import gzip
import json
import sqlite3
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
MICROSECOND = datetime.timedelta(microseconds=1)
FORMATS = ["ndjson", "ndjson.gz", "ndjson.zst", "csv", "csv.gz", "csv.zst", "parquet", "sqlite"]
SQL = {"int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN", "string": "VARCHAR", "timestampMillis": "TIMESTAMPTZ", "timestampMicros": "TIMESTAMPTZ"}


def text_of(path: Path) -> str:
    """A packed file by Python's zlib and PyArrow's zstd."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if path.suffix == ".zst":
        content = pyarrow.input_stream(str(path), compression="zstd").read() if content else b""
    return content.decode()


def instant(text: str, kind: str) -> int:
    assert text.endswith("Z") and len(text) == (24 if kind == "timestampMillis" else 27), text
    micros = (datetime.datetime.fromisoformat(text[:-1] + "+00:00") - EPOCH) // MICROSECOND
    return micros // 1000 if kind == "timestampMillis" else micros


def from_json(value, kind: str):
    """JSON has one kind of numbers, and no times."""
    if value is None or kind in ("int64", "bool", "string"):
        return value
    return float(value) if kind == "double" else instant(value, kind)


def from_ndjson(path: Path, table: dict) -> list[list]:
    rows = []
    text = text_of(path)
    assert not text or text.endswith("\n")
    for line in text.split("\n")[:-1]:
        pairs = json.loads(line, object_pairs_hook=list)
        names = [column["name"] for column in table["columns"]]
        # The first line has every column, further ones those with a value, and the first column.
        found = dict(pairs)
        expected = [name for name in names if not rows or name == names[0] or found.get(name) is not None]
        assert [name for name, _ in pairs] == expected
        rows.append([from_json(found.get(column["name"]), column["type"]) for column in table["columns"]])
    return rows


def csv_records(text: str) -> list[list[str | None]]:
    """RFC 4180 by its grammar; a field without quotes and without anything is None."""
    records, fields, at = [], [], 0
    while at < len(text):
        if text[at] == '"':
            value, at = "", at + 1
            while True:
                end = text.index('"', at)
                value += text[at:end]
                at = end + 1
                if at < len(text) and text[at] == '"':
                    value, at = value + '"', at + 1
                    continue
                break
            fields.append(value)
        else:
            end = at
            while text[end] not in ",\r":
                assert text[end] not in '"\n', "a field without quotes has none of these"
                end += 1
            fields.append(text[at:end] or None)
            at = end
        if text[at] == ",":
            at += 1
            if text[at : at + 2] == "\r\n":
                fields.append(None)
        if text[at : at + 2] == "\r\n":
            records.append(fields)
            fields, at = [], at + 2
    assert not fields
    return records


def from_csv(path: Path, table: dict) -> list[list]:
    head, *records = csv_records(text_of(path))
    assert head == [column["name"] for column in table["columns"]]
    convert = {"int64": int, "double": float, "bool": {"true": True, "false": False}.get, "string": str}
    rows = []
    for record in records:
        assert len(record) == len(head), record
        rows.append(
            [
                value if value is None
                else convert[column["type"]](value) if column["type"] in convert
                else instant(value, column["type"])
                for value, column in zip(record, table["columns"])
            ]
        )
    return rows


def from_sqlite(path: Path, table: dict) -> list[list]:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = [list(row) for row in database.execute(f'SELECT * FROM "{table["name"]}" ORDER BY rowid')]
    for index, column in enumerate(table["columns"]):
        if column["type"] == "bool":
            for row in rows:
                assert row[index] in (0, 1, None)
                row[index] = None if row[index] is None else bool(row[index])
    return rows


def from_pyarrow(path: Path, table: dict) -> list[list]:
    read = pyarrow.parquet.read_table(path, page_checksum_verification=True, partitioning=None)
    columns = []
    for column in table["columns"]:
        values = read[column["name"]]
        columns.append((values.cast(pyarrow.int64()) if "timestamp" in column["type"] else values).to_pylist())
    return [list(row) for row in zip(*columns)]


def from_duckdb(source: str, table: dict) -> list[list]:
    """Rows of `read_parquet`, `read_csv` or `read_json`, in the order of row_id."""
    names = []
    for column in table["columns"]:
        name = '"' + column["name"] + '"'
        if "timestamp" in column["type"]:
            name = f"epoch_us({name})" + (" // 1000" if column["type"] == "timestampMillis" else "")
        names.append(name)
    with duckdb.connect(config={"threads": 1}) as database:
        found = database.execute(f"SELECT {', '.join(names)} FROM {source} ORDER BY row_id").fetchall()
    return [list(row) for row in found]


def duckdb_source(path: Path | str, table: dict) -> str:
    """How DuckDB reads a file with the table's own types."""
    types = ", ".join("'" + column["name"] + "': '" + SQL[column["type"]] + "'" for column in table["columns"])
    if ".parquet" in str(path):
        return f"read_parquet('{path}')"
    if ".csv" in str(path):
        # As PostgreSQL's COPY: nothing is NULL, two quotes are the empty text.
        return f"read_csv('{path}', header=true, auto_detect=false, delim=',', quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false, new_line='\\r\\n', columns={{{types}}}, buffer_size=20000000, max_line_size=10000000)"
    return f"read_json('{path}', format='newline_delimited', columns={{{types}}})"


READERS = {"ndjson": from_ndjson, "csv": from_csv, "parquet": from_pyarrow, "sqlite": from_sqlite}


def read(folder: Path, name: str, table: dict) -> list[list]:
    path = folder / ("dataset.sqlite" if name == "sqlite" else f"{table['name']}.{name}")
    return READERS[name.split(".")[0]](path, table)
