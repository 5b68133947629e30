"""Loads a dataset by what its own README.md says, from each format into PostgreSQL, ClickHouse, SQLite and pandas, and asks the databases
the questions of answers.sql.

    load-datasets.py DATASET

Needs PostgreSQL's programs (Debian's package postgresql; another folder of them: POSTGRES_BIN), `sqlite3`, and PyPI's chdb, which brings
pandas along. Servers live in a temporary folder.
"""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from chdb import session


def queries(folder: Path) -> dict[str, str]:
    parts = re.split(r"^-- name: (\w+)\n", (folder / "answers.sql").read_text(), flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def normal(rows: list[list]) -> list[list]:
    """Numbers as such, and nothing as the empty text, which is what CSV has for both."""

    def value(cell):
        if cell is None:
            return ""
        try:
            return round(float(cell), 3)
        except ValueError:
            return cell

    return sorted(([value(cell) for cell in row] for row in rows), key=json.dumps)


def blocks(folder: Path) -> dict[tuple[str, str], str]:
    """What the page tells tools, by format and tool."""
    loading = re.search(r"^## Loading\n(.*?)^## ", (folder / "README.md").read_text(), flags=re.S | re.M)
    assert loading, "no page of a dataset with rows"
    found = {}
    for part in re.split(r"^### ", loading[1], flags=re.M)[1:]:
        for tool, text in re.findall(r"^(\w+)[^\n]*:\n\n```\w+\n(.*?)```", part, flags=re.S | re.M):
            found[part.split("\n")[0], tool] = text
    return found


class Postgres:
    def __init__(self, folder: Path, work: Path, text: str):
        binaries = os.environ.get("POSTGRES_BIN") or sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.binaries, self.sockets, self.data = Path(binaries), work, work / "data"
        # The server refuses to run as root.
        self.prefix = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.prefix:
            shutil.chown(work, "postgres")
        self.server("initdb", "-D", self.data, "-A", "trust", "-U", "postgres")
        self.server("pg_ctl", "-D", self.data, "-w", "-l", work / "log", "-o", f"-k {work} -c listen_addresses=''", "start")
        self.psql("-f", "-", text=text, cwd=folder)

    def server(self, program: str, *arguments) -> None:
        subprocess.run([*self.prefix, self.binaries / program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, cwd="/")

    def psql(self, *arguments: str, text: str | None = None, cwd: Path | None = None) -> str:
        command = [self.binaries / "psql", "-h", self.sockets, "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-q", *arguments, "postgres"]
        return subprocess.run(command, input=text, text=True, check=True, stdout=subprocess.PIPE, cwd=cwd).stdout

    def rows(self, sql: str) -> list[list]:
        return list(csv.reader(io.StringIO(self.psql("--csv", "-t", "-c", sql))))

    def close(self) -> None:
        self.server("pg_ctl", "-D", self.data, "-m", "immediate", "stop")


class ClickHouse:
    def __init__(self, folder: Path, work: Path, text: str):
        self.session = session.Session(str(work))
        self.session.query("CREATE DATABASE dataset ENGINE = Atomic")
        self.session.query("USE dataset")
        for statement in text.split(";\n"):
            if statement.strip():
                self.session.query(statement)

    def rows(self, sql: str) -> list[list]:
        return json.loads(self.session.query(sql.strip().rstrip(";"), "JSONCompact").bytes())["data"]

    def close(self) -> None:
        self.session.close()


class SQLite:
    def __init__(self, folder: Path, work: Path, text: str):
        subprocess.run(["sqlite3", "-bail", work / "imported.sqlite"], input=text, text=True, check=True, cwd=folder)
        self.database = sqlite3.connect(work / "imported.sqlite")

    def rows(self, sql: str) -> list[list]:
        return [list(row) for row in self.database.execute(sql)]

    def close(self) -> None:
        self.database.close()


DATABASES = {"PostgreSQL": Postgres, "ClickHouse": ClickHouse, "SQLite": SQLite}


def ask(folder: Path, where: str, database: type, text: str) -> int:
    """Loads, and counts the questions with another answer."""
    known = {name: answer["rows"] for name, answer in json.loads((folder / "answers.json").read_text())["answers"].items()}
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="beaconswarm-load-") as work:
        # Whoever serves must get there.
        os.chmod(work, 0o755)
        loaded = database(folder, Path(work), text)
        try:
            for name, sql in queries(folder).items():
                is_right = normal(loaded.rows(sql)) == normal(known[name])
                wrong += not is_right
                print(f"{where}: {name} {'as in answers.json' if is_right else 'differs from answers.json'}")
        finally:
            loaded.close()
    return wrong


def count(folder: Path, texts: dict[str, str]) -> int:
    """Loads with pandas, and counts the tables that are not as large as the page says, or not the same from each format."""
    page = (folder / "README.md").read_text()
    known = {name: int(rows) for name, rows in re.findall(r"^\| `(\w+)` \| (\d+) \|", page, flags=re.M)}
    wrong, first = 0, {}
    for where, text in texts.items():
        names: dict = {}
        exec(text, names)
        for name, rows in known.items():
            table = names[name]
            # An empty text is nothing in CSV, and Parquet's truth values are objects where some are missing.
            plain = table.select_dtypes(exclude=["object", "string", "boolean", "bool"])
            sizes = {column: int(plain[column].count()) for column in plain.columns}
            before = first.setdefault(name, sizes)
            is_right = len(table) == rows and all(before.get(column, size) == size for column, size in sizes.items())
            wrong += not is_right
            print(f"pandas from {where}: {name} {'as in README.md' if is_right else 'differs'}")
    return wrong


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    os.chdir(folder)
    texts = blocks(folder)
    wrong = 0
    for (form, tool), text in texts.items():
        if tool in DATABASES:
            wrong += ask(folder, f"{tool} from {form}", DATABASES[tool], text)
    wrong += count(folder, {form: text for (form, tool), text in texts.items() if tool == "pandas"})
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
