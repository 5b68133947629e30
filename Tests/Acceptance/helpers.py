"""Small things that several acceptance tests share."""

from __future__ import annotations

import base64
import contextlib
import copy
import gzip
import http.client
import json
import os
import random
import re
import select
import socket
import sqlite3
import subprocess
import urllib.parse
from collections import Counter, defaultdict
from pathlib import Path

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
#: Every scenario that ships; what clusters and dashboards take is none.
SHIPPED = sorted(
    path
    for path in SCENARIOS.rglob("*.json")
    if path.name != "scenario.schema.json" and path.parent.name != "deploy"
)
FATES = ["delivered", "suppressed", "evicted", "rejected", "lost", "pending"]


def write_scenario(folder: Path, scenario: dict, name: str = "scenario.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(scenario, ensure_ascii=False, indent=1))
    return path


def steady(devices: int = 4, duration: str = "20s", **changes) -> dict:
    """A small scenario of constant load."""
    scenario = {
        "name": "acceptance",
        "seed": 7,
        "duration": duration,
        "drain": "5s",
        "populations": [
            {
                "name": "ios",
                "devices": devices,
                "system": "sensors",
                "version": "1.10.17",
                "persona": {"extends": "steady", "rate": "2/s"},
                "sdk": {"upload": {"flushInterval": "1s"}},
            }
        ],
    }
    return scenario | changes


def offered(said: str) -> tuple[float, float]:
    """The events per second between which a forecast puts a scenario's mean."""
    low, high = re.search(r"offers ([0-9.]+) to ([0-9.]+) events/s", said).groups()
    return float(low), float(high)


def read_events(path: Path) -> list[dict]:
    """The lines of an events file, packed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def listed_parts(folder: Path) -> list[Path]:
    """The parts that a dataset's list holds so far; its last line may be cut off."""
    lines = (folder / "_parts.ndjson").read_text().splitlines(keepends=True)
    return [folder / json.loads(line)["path"] for line in lines[1:] if line.endswith("\n")]


def read_report(folder: Path) -> dict:
    return json.loads((folder / "report.json").read_text())


def count_fates(lines: list[dict]) -> dict[str, Counter]:
    """For each fate, its events by cause (None where there is none)."""
    counts: dict[str, Counter] = {fate: Counter() for fate in FATES}
    for line in lines:
        counts[line["fate"]][line["cause"]] += 1
    return counts


def assert_events_agree(events: dict, lines: list[dict]) -> None:
    """A report's `events` object says the same as the lines of the events file."""
    fates = count_fates(lines)
    assert events["captured"] == len(lines)
    assert events["delivered"] == fates["delivered"].total()
    for fate in FATES[1:]:
        reported = {cause: count for cause, count in events[fate].items() if count}
        assert reported == dict(fates[fate]), fate
    assert events["balance"] == 0


def by_device(lines: list[dict]) -> dict[int, list[dict]]:
    """The lines of each device in the order of capture; wants sequences without holes."""
    devices: dict[int, dict[int, dict]] = defaultdict(dict)
    for line in lines:
        device, sequence = map(int, line["id"].split("-"))
        assert sequence not in devices[device], f"{line['id']} has two lines"
        devices[device][sequence] = line
    for device, sequences in devices.items():
        assert sorted(sequences) == list(range(len(sequences))), f"device {device}: holes in its sequences"
    return {device: [sequences[n] for n in range(len(sequences))] for device, sequences in sorted(devices.items())}


def rows(store: Path, sql: str, *values) -> list[tuple]:
    """Asks the collector's store."""
    connection = sqlite3.connect(store)
    try:
        return connection.execute(sql, values).fetchall()
    finally:
        connection.close()


def free_port() -> int:
    """A port of this machine for a server that is told its port: none of those that the kernel gives to whoever asks
    for any, or somebody else might have it before the server."""
    first_given = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.SystemRandom().randrange(10_000, max(first_given, 20_000))
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def held_port(number: int = 0) -> socket.socket:
    """A socket that has a port, and does not listen: nobody else gets the port for as long as it is open, whoever asks
    for any. A server takes it over, or listens on the same port if it may share addresses, as servers mostly may."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", number))
    return holder


@contextlib.contextmanager
def closed_port():
    """A port where nobody listens; while it is held, it is nobody else's."""
    with held_port() as held:
        yield held.getsockname()[1]


def read_late(command: list, stream: str, folder: Path) -> tuple[int, bytes]:
    """Runs a command with one of its streams on a pipe that somebody has made non-blocking, and that nobody reads until no more
    fits into it. What came, after the exit code."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: writing}
    with subprocess.Popen(list(map(str, command)), cwd=folder, **streams) as child:
        while child.poll() is None and select.select([], [writing], [], 0.05)[1]:
            pass
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read()
    return child.returncode, said


def form_body(events: list[dict]) -> bytes:
    """An upload as a client writes it."""
    packed = base64.b64encode(gzip.compress(json.dumps(events, ensure_ascii=False).encode()))
    return urllib.parse.urlencode({"gzip": 1, "data_list": packed}).encode()


def post(port: int, body: bytes, path: str = "/sa?project=default", **headers: str) -> tuple[int, bytes]:
    """Posts an upload to a collector on this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", path, body, {"Content-Type": "application/x-www-form-urlencoded", **headers})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def changed(event: dict, /, **members) -> dict:
    """A copy with changed members; `a__b` is b in a, a number stands as `n5`, None takes a member out."""
    event = copy.deepcopy(event)
    for path, value in members.items():
        *parents, last = [int(key[1:]) if key[0] == "n" and key[1:].isdigit() else key for key in path.split("__")]
        holder = event
        for key in parents:
            holder = holder[key]
        if value is None:
            del holder[last]
        else:
            holder[last] = value
    return event
