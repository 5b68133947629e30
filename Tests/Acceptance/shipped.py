"""The scenarios that ship, played in virtual time, and what their descriptions say, sentence by sentence.

A scenario's entry is a class of claims: each function's docstring is a part of the description, its body the
assertion. Together the docstrings are the whole description: a sentence that nothing checks has no place in it.
"""

from __future__ import annotations

import csv
import json
import os
import re
import statistics
import subprocess
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import ClassVar, Iterable

import duckdb
import real_clock
from helpers import SHIPPED, read_events

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "scenarios"
#: By name: the path below `scenarios/` without its ending.
FILES = {
    path.relative_to(FOLDER).with_suffix("").as_posix(): path
    for path in SHIPPED
}
#: Nothing that is said of a scenario needs its bodies: `test_bodies.py` compares both ways of each that ships.
BODIES = ("--bodies", "measure")
SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400}


def seconds(text: str) -> float:
    """A duration such as `1m30s`."""
    return sum(float(number) * SECONDS[unit] for number, unit in re.findall(r"([\d.]+)(ms|[smhd])", text))


def normal(text: str) -> str:
    return " ".join(text.split())


@dataclass
class Part:
    """What became of a population, or of all."""

    events: dict
    metrics: dict

    @property
    def captured(self) -> int:
        return self.events["captured"]

    @property
    def delivered(self) -> int:
        return self.events["delivered"]

    @property
    def gone(self) -> int:
        """Evicted, rejected and lost."""
        return sum(sum(self.events[fate].values()) for fate in ("evicted", "rejected", "lost"))

    def of(self, fate: str) -> dict[str, int]:
        """The causes of a fate that happened."""
        return {cause: count for cause, count in self.events[fate].items() if count}

    def count(self, metric: str) -> int:
        return self.metrics[metric]["count"]

    @property
    def failed_share(self) -> float:
        return self.metrics["http_req_failed"]["rate"]


class Played:
    """A scenario that was played."""

    def __init__(self, path: Path, folder: Path, players: "Players", name: str, options: tuple[str, ...], said: str):
        self.path, self.folder = path, folder
        #: What the program said while it played.
        self.said = said
        self._players, self._name, self._options = players, name, options
        self.scenario = json.loads(path.read_text())
        self.report = json.loads((folder / "report.json").read_text())
        self.audit = self.report["audit"]
        self.all = Part(self.report["events"], self.report["metrics"])

    def again(self, *more: str) -> "Played":
        """The same under further options."""
        return self._players.begin(self._name, *self._options, *more).result()

    def live(self) -> "Played":
        """The same on the real clock, against the embedded collector; inconclusive where the machine is late."""
        return self._players.begin(self._name, *self._options, verb="run").result()

    def lab(self, seeds: int) -> dict:
        """Its variants over so many seeds: the report, by name each one's comparison with `base`, and the folder."""
        return self._players.lab(self._name, seeds).result()

    def dataset(self, *more: str) -> "Dataset":
        """What `generate` makes of it under the same options and more."""
        return self._players.made(self._name, *self._options, *more).result()

    def sample(self) -> str:
        """What `sample` prints of it."""
        return self._players.said("sample", str(self.path))

    def __getitem__(self, population: str) -> Part:
        part = self.report["populations"][population]
        return Part(part["events"], part["metrics"])

    def asked(self, name: str) -> dict:
        """A population as the scenario has it."""
        return next(each for each in self.scenario["populations"] if each["name"] == name)

    @property
    def asked_devices(self) -> int:
        """How many devices the scenario has when nobody scales it."""
        return sum(population["devices"] for population in self.scenario["populations"])

    #: Whose lines are in memory, and what they are: those of one run, since all together are gigabytes.
    _read: ClassVar[tuple[Path, list[dict]] | None] = None

    @property
    def lines(self) -> list[dict]:
        """The lines of the events file, with `at`: seconds from the start of the run to their capture."""
        if Played._read is None or Played._read[0] != self.folder:
            Played._read = None
            Played._read = (self.folder, self._lines())
        return Played._read[1]

    def _lines(self) -> list[dict]:
        lines = read_events(self.folder / "events.ndjson")
        first = min(line["captured_at"] for line in lines)
        for line in lines:
            line["at"] = (line["captured_at"] - first) / 1000
            line["device"] = int(line["id"].split("-")[0])
        return lines

    def of(self, population: str) -> list[dict]:
        return [line for line in self.lines if line["population"] == population]

    def devices(self, population: str) -> Iterable[list[dict]]:
        """The lines of each device, in the order of capture."""
        by_device: dict[int, list[dict]] = {}
        for line in self.of(population):
            by_device.setdefault(line["device"], []).append(line)
        return [sorted(own, key=lambda line: int(line["id"].split("-")[1])) for own in by_device.values()]

    @cached_property
    def series(self) -> list[dict]:
        with open(self.folder / "timeseries.csv", newline="") as file:
            return list(csv.DictReader(file))

    def during(self, begin: float, end: float, column: str) -> list[float]:
        """A column of the time series from `begin` to before `end`, in seconds."""
        found = [float(row[column] or 0) for row in self.series if begin <= float(row["second"]) < end]
        assert found, (begin, end)
        return found

    def mean(self, begin: float, end: float, column: str) -> float:
        return statistics.fmean(self.during(begin, end, column))


class Dataset:
    """A dataset of a scenario; the files are asked by DuckDB."""

    TABLES = ("events", "truth", "users", "devices", "sessions")

    def __init__(self, folder: Path):
        self.folder = folder
        self.answers = json.loads((folder / "answers.json").read_text())
        #: Of each pattern, how large it came out.
        self.measured = {pattern["name"]: pattern["measured"] for pattern in self.answers["patterns"]}
        self.database = duckdb.connect()
        for table in self.TABLES:
            self.database.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{folder}/{table}.parquet')")

    def ask(self, sql: str, *values) -> list[tuple]:
        return self.database.execute(sql, [*values]).fetchall()

    def one(self, sql: str, *values):
        """The one value that a query gives."""
        return self.ask(sql, *values)[0][0]


@dataclass
class Shipped:
    """A shipped scenario and its claims."""

    name: str
    #: Scales the scenario for the test; what is said of numbers is checked by the file.
    options: tuple[str, ...] = ()
    code: int = 0
    claims: list[FunctionType] = field(default_factory=list)


SHIPPED: dict[str, Shipped] = {}


def scenario(name: str, *options: str, code: int = 0):
    """Registers a class of claims about a scenario."""

    def register(claims: type) -> type:
        functions = [value for value in vars(claims).values() if isinstance(value, FunctionType)]
        assert name not in SHIPPED, f"{name} has two entries"
        SHIPPED[name] = Shipped(name, options, code, functions)
        return claims

    return register


def _run(command: list[str], timeout: float) -> subprocess.CompletedProcess:
    environment = {key: text for key, text in os.environ.items() if not key.startswith("BEACONSWARM_")}
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment)


class Players:
    """Plays scenarios side by side, each set of options once."""

    def __init__(self, binary: Path, folder: Path, width: int):
        self._binary, self._folder = binary, folder
        self._pool = ThreadPoolExecutor(width)
        self._lock = threading.Lock()
        self._plays: dict[tuple, Future] = {}

    def begin(self, name: str, *options: str, verb: str = "simulate") -> Future:
        with self._lock:
            key = (verb, name, *options)
            if key not in self._plays:
                folder = self._folder / f"{len(self._plays)}"
                self._plays[key] = self._pool.submit(self._play, verb, name, options, folder)
            return self._plays[key]

    def lab(self, name: str, seeds: int) -> Future:
        """All variants of a scenario over so many seeds, played once."""
        with self._lock:
            key = ("lab", name, str(seeds))
            if key not in self._plays:
                folder = self._folder / f"{len(self._plays)}"
                self._plays[key] = self._pool.submit(self._lab, name, seeds, folder)
            return self._plays[key]

    def _lab(self, name: str, seeds: int, folder: Path) -> dict:
        command = [self._binary, "simulate", FILES[name], *BODIES, "--seeds", seeds, "--out", folder, "--json", "-q"]
        done = _run([str(part) for part in command], timeout=900)
        assert done.returncode == 0, done.stderr
        lab = {"report": json.loads(done.stdout), "against_base": {}, "folder": folder}
        for variant in lab["report"]["variants"]:
            if variant != "base":
                text = self.said("compare", str(folder), "--candidate", variant, "--json")
                lab["against_base"][variant] = json.loads(text)
        return lab

    def made(self, name: str, *options: str) -> Future:
        """Its dataset, made once for each set of options."""
        with self._lock:
            key = ("generate", name, *options)
            if key not in self._plays:
                folder = self._folder / f"{len(self._plays)}"
                self._plays[key] = self._pool.submit(self._make, name, options, folder)
            return self._plays[key]

    def _make(self, name: str, options: tuple[str, ...], folder: Path) -> Dataset:
        command = [self._binary, "generate", FILES[name], "--out", folder, "-q", *SHIPPED[name].options, *options]
        done = _run([str(part) for part in command], timeout=900)
        assert done.returncode == 0, done.stderr
        return Dataset(folder)

    def said(self, *arguments: str) -> str:
        """What the program prints."""
        command = [str(self._binary), *arguments]
        return _run(command, timeout=60).stdout

    def _play(self, verb: str, name: str, options: tuple[str, ...], folder: Path) -> Played:
        shipped, path = SHIPPED[name], FILES[name]
        folder.mkdir()
        command = [self._binary, verb, path, "--out", folder / "run", "--events", folder / "events.ndjson"]
        command += BODIES if verb == "simulate" else ()
        command = [str(part) for part in command] + list(shipped.options + options)
        done = _run(command, timeout=900)
        if verb == "run":
            real_clock.plays()
            if done.returncode == 96 and real_clock.was_late(command, folder, done.stdout + done.stderr):
                real_clock.inconclusive("the generator was late")
        expected = shipped.code if not options else None
        text = f"$ {' '.join(command)}\nexit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
        # A scenario under other options may miss its own thresholds.
        assert done.returncode == expected or expected is None and done.returncode in (0, 99), text
        (folder / "events.ndjson").rename(folder / "run" / "events.ndjson")
        return Played(path, folder / "run", self, name, options, done.stderr)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
