"""Tests that play on the real clock: a machine that was late makes one inconclusive, never red by itself.

Such a test is skipped, with the reason, and counted. If more than a fifth of those that play live come to no
conclusion, the session fails, as inconclusive.
"""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import NoReturn

import pytest

#: The part of the live tests that may be inconclusive.
BEARABLE_SHARE = 0.2
#: Less free room than this is no place for tests, in bytes.
ROOM = 1 << 30
MARK = "inconclusive: "
#: A property of the reports of tests that start a live run.
PLAYED = "plays live"

_played: set[str] = set()
_inconclusive: dict[str, str] = {}


def _current_test() -> str:
    return os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" ", 1)[0]


def plays() -> None:
    """Notes that the current test starts a live run."""
    _played.add(_current_test())


def was_late(command: list[str], folder: Path, text: str) -> bool:
    """Whether a run or a search says that its generator could not keep its schedule: by its report, or in words."""
    if "--out" in command:
        try:
            report = json.loads((folder / command[command.index("--out") + 1] / "report.json").read_text())
            if "variants" in report:
                runs = [run for variant in report["variants"].values() for run in variant["seeds"].values()]
                return any(run["exit_code"] == 96 for run in runs)
            return report["generator"]["saturated"] is True
        except (OSError, ValueError, KeyError):
            pass
    text = " ".join(text.split())
    words = (
        "could not keep its own schedule", "generator was late", "late for --at", '"saturated": true', '"saturated":true',
    )  # fmt: skip
    return any(word in text for word in words)


def inconclusive(reason: str) -> NoReturn:
    """Ends the current test without a result, for the machine was late."""
    pytest.skip(MARK + reason)


class Lookout:
    """Watches, while something is played, how long the machine keeps somebody waiting who has slept. Generators say
    themselves when they were late; of collectors in processes of their own nobody else does."""

    #: Seconds from look to look, and what is too late for a verdict on somebody's promptness.
    BEAT, LATE = 0.02, 0.1

    def __init__(self) -> None:
        self.worst = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Lookout":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.is_set():
            due = time.monotonic() + self.BEAT
            time.sleep(self.BEAT)
            self.worst = max(self.worst, time.monotonic() - due)

    def excuse(self) -> None:
        """For a result that a late machine has, too: there it is none."""
        if self.worst > self.LATE:
            inconclusive(f"who slept was woken up to {self.worst:.2f} s late")


def too_many(inconclusive_count: int, played_count: int) -> bool:
    """Whether so many of the live tests came to no conclusion that all of them say nothing."""
    return inconclusive_count > BEARABLE_SHARE * played_count


def is_roomy_memory(place: Path) -> bool:
    """Whether a file system of its own lies there in memory, with enough room."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
        room = os.statvfs(place)
    except OSError:
        return False
    return (
        any(fields[1:3] == [str(place), "tmpfs"] for fields in mounts)
        and room.f_bavail * room.f_frsize >= ROOM
        and os.access(place, os.W_OK)
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if item.nodeid in _played:
        report.user_properties.append((PLAYED, True))
    return report


def pytest_runtest_logreport(report) -> None:
    """Counts, also in the process that only collects what the others report."""
    if (PLAYED, True) in map(tuple, report.user_properties):
        _played.add(report.nodeid)
    if report.skipped and isinstance(report.longrepr, tuple) and MARK in report.longrepr[2]:
        _inconclusive[report.nodeid] = report.longrepr[2].split(MARK, 1)[1]
        _played.add(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus) -> None:
    is_worker = hasattr(session.config, "workerinput")
    if not is_worker and too_many(len(_inconclusive), len(_played)) and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter) -> None:
    if not _inconclusive:
        return
    terminalreporter.section("inconclusive, for the machine was late")
    for name, reason in _inconclusive.items():
        terminalreporter.write_line(f"{name}: {reason.splitlines()[0]}")
    text = f"{len(_inconclusive)} of {len(_played)} tests that play live are inconclusive"
    if too_many(len(_inconclusive), len(_played)):
        text += f": more than {BEARABLE_SHARE:.0%}, too many to judge by the others; the session fails, as inconclusive"
    terminalreporter.write_line(text)
