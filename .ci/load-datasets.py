"""Loads a dataset by the SQL of its own README.md into PostgreSQL and ClickHouse, and asks both the questions of answers.sql.

    load-datasets.py DATASET

Needs PostgreSQL's programs (Debian's package postgresql; another folder of them: POSTGRES_BIN) and PyPI's chdb. The servers
live in a temporary folder.
"""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import re
import shutil
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


def blocks(folder: Path, mark: str) -> str:
    """The SQL behind the line that names a database."""
    page = (folder / "README.md").read_text()
    found = re.search(rf"^{mark}.*?```sql\n(.*?)```", page, flags=re.S | re.M)
    assert found, f"no SQL for {mark}"
    return found[1]


class Postgres:
    def __init__(self, folder: Path, work: Path):
        binaries = os.environ.get("POSTGRES_BIN") or sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.binaries, self.sockets, self.data = Path(binaries), work, work / "data"
        # The server refuses to run as root.
        self.prefix = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.prefix:
            shutil.chown(work, "postgres")
        self.server("initdb", "-D", self.data, "-A", "trust", "-U", "postgres")
        self.server("pg_ctl", "-D", self.data, "-w", "-l", work / "log", "-o", f"-k {work} -c listen_addresses=''", "start")
        self.psql("-f", "-", text=blocks(folder, "PostgreSQL"), cwd=folder)

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
    def __init__(self, folder: Path, work: Path):
        os.chdir(folder)
        self.session = session.Session(str(work))
        self.session.query("CREATE DATABASE dataset ENGINE = Atomic")
        self.session.query("USE dataset")
        for statement in blocks(folder, "ClickHouse").split(";"):
            if statement.strip():
                self.session.query(statement)

    def rows(self, sql: str) -> list[list]:
        return json.loads(self.session.query(sql.strip().rstrip(";"), "JSONCompact").bytes())["data"]

    def close(self) -> None:
        self.session.close()


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    known = {name: answer["rows"] for name, answer in json.loads((folder / "answers.json").read_text())["answers"].items()}
    wrong = 0
    for database in [Postgres, ClickHouse]:
        with tempfile.TemporaryDirectory(prefix="beaconswarm-load-") as work:
            # Whoever serves must get there.
            os.chmod(work, 0o755)
            loaded = database(folder, Path(work))
            try:
                for name, sql in queries(folder).items():
                    is_right = normal(loaded.rows(sql)) == normal(known[name])
                    wrong += not is_right
                    print(f"{database.__name__}: {name} {'as in answers.json' if is_right else 'differs from answers.json'}")
            finally:
                loaded.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
