"""Fixtures of the acceptance tests: the real binary as a process, and what judges it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import real_clock  # noqa: E402
import reference_collector as reference  # noqa: E402
from real_clock import (  # noqa: E402, F401
    pytest_runtest_logreport,
    pytest_runtest_makereport,
    pytest_sessionfinish,
    pytest_terminal_summary,
)

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("BEACONSWARM_BIN", ROOT / ".build" / "release" / "beaconswarm")).absolute()
#: Long enough that only a hang reaches it.
HANG = 120


def pytest_configure(config) -> None:
    """Files of tests lie in memory where there is room, unless TMPDIR says otherwise: a disk on which others work
    makes live runs late. Tests of full disks mount their own."""
    # Whoever runs the tests under nohup must not have the program outlive its terminal, too: a process inherits that a
    # signal is ignored, but not that it is handled.
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)
    config.addinivalue_line("markers", "long: minutes of computing; `make test-long` runs them")
    if not os.environ.get("TMPDIR") and real_clock.is_roomy_memory(Path("/dev/shm")):
        os.environ["TMPDIR"] = "/dev/shm"
        tempfile.tempdir = None


def pytest_collection_modifyitems(items) -> None:
    """Modules that say how `LONG` they take, in seconds, go first, the longest before the others: where several processes
    take one module after the other, none of these is left to the end. Tests marked `long` are for `make test-long` alone."""
    items.sort(key=lambda item: -getattr(item.module, "LONG", 0))
    if not os.environ.get("BEACONSWARM_LONG"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="minutes of computing: make test-long"))


@dataclass
class Finished:
    """A process that has ended."""

    command: list[str]
    code: int
    out: str
    err: str
    folder: Path

    def expect(self, *codes: int) -> "Finished":
        """Fails with everything that the process said unless it ended with one of these codes.

        A live run whose generator was late, where that is not expected, is no result: the test is inconclusive."""
        if self.code == 96 and 96 not in codes and real_clock.was_late(self.command, self.folder, self.out + self.err):
            real_clock.inconclusive(f"the generator was late\n{self}")
        assert self.code in codes, f"{self}\nexpected exit code {' or '.join(map(str, codes))}"
        return self

    def __str__(self) -> str:
        return (
            f"$ {' '.join(self.command)}\nexit code {self.code}\n--- stdout\n{self.out[-4000:]}\n"
            f"--- stderr\n{self.err[-8000:]}"
        )


class Patience:
    """Tells a process that hangs from one that a busy machine lets wait.

    It hangs if it had next to nothing of a processor for `limit` seconds, or has had one for as long without coming to an
    end; at the latest after ten times the limit."""

    def __init__(self, pid: int, limit: float):
        self.pid, self.limit = pid, limit
        self.used, self.periods = self.processor_time(), 0

    def processor_time(self) -> float:
        """Seconds that its threads have had a processor."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_over(self) -> bool:
        """Asked each time that the limit has passed."""
        before, self.used = self.used, self.processor_time()
        self.periods += 1
        return self.used - before < self.limit / 60 or self.used > self.limit or self.periods >= 10


class Running:
    """A process of the binary whose outputs go to files."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str]):
        self.command, self._folder = command, folder
        name = f"process-{time.monotonic_ns()}"
        self._out, self._err = folder / f"{name}.out", folder / f"{name}.err"
        with open(self._out, "wb") as out, open(self._err, "wb") as err:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, env=env
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def out(self) -> str:
        return self._out.read_text(errors="replace")

    @property
    def err(self) -> str:
        return self._err.read_text(errors="replace")

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def signal_again(self, number: signal.Signals) -> None:
        """Once the same signal counts anew: those that come at once are one."""
        time.sleep(0.5)
        self.signal(number)

    def wait(self, timeout: float = HANG) -> Finished:
        patience = Patience(self.pid, timeout)
        while not self._ends_within(timeout):
            if patience.is_over():
                self.kill()
                pytest.fail(f"hangs: $ {' '.join(self.command)}\n--- stderr\n{self.err[-8000:]}")
        return Finished(self.command, self.process.wait(), self.out, self.err, self._folder)

    def _ends_within(self, timeout: float) -> bool:
        """Told by the kernel: `Popen.wait` with a timeout looks again and again, up to a twentieth of a second late."""
        if self.process.poll() is not None:
            return True
        descriptor = os.pidfd_open(self.pid)
        try:
            ended = select.poll()
            ended.register(descriptor, select.POLLIN)
            return bool(ended.poll(timeout * 1000))
        finally:
            os.close(descriptor)

    def kill(self) -> None:
        """kill -9 by process id."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def hold(self, is_over: Callable[[], bool]) -> None:
        """Stops it in the middle of its work, so that a test finds it there however long it is kept waiting itself.

        `is_over`: whether there is nothing left to be in the middle of. Then the test came too late to say anything."""
        self.signal(signal.SIGSTOP)
        while self.process.poll() is None and self._state() not in "TZX":
            time.sleep(0.001)
        if self.process.poll() is not None or is_over():
            self.kill()
            real_clock.inconclusive(f"it was over before the test came to break it off: $ {' '.join(self.command)}")

    def _state(self) -> str:
        """A letter of proc(5)."""
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]

    def break_off(self, number: signal.Signals, is_over: Callable[[], bool]) -> Finished:
        """Ends it by a signal in the middle of its work."""
        self.hold(is_over)
        self.signal(number)
        self.signal(signal.SIGCONT)
        return self.wait()

    def wait_until(self, condition, what: str, timeout: float = HANG) -> None:
        """Waits for a condition; the process must live until then."""
        patience = Patience(self.pid, timeout)
        deadline = time.monotonic() + timeout
        while not condition():
            if self.process.poll() is not None:
                # It may have come true, and the process to its end, since it was asked.
                if condition():
                    return
                finished = self.wait()
                if real_clock.was_late(self.command, self._folder, finished.out + finished.err):
                    real_clock.inconclusive(f"the generator was late before it {what}\n{finished}")
                pytest.fail(f"ended before {what}\n{finished}")
            if time.monotonic() > deadline and not patience.is_over():
                deadline = time.monotonic() + timeout
            if time.monotonic() > deadline:
                self.kill()
                pytest.fail(f"never {what}\n{self.wait()}")
            time.sleep(0.02)


class Tool:
    """Starts the binary in the test's own folder, and ends what is left of it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._running: list[Running] = []

    def start(self, *arguments: object, env: dict[str, str] | None = None) -> Running:
        environment = {key: text for key, text in os.environ.items() if not key.startswith("BEACONSWARM_")}
        if arguments and arguments[0] in ("run", "capacity"):
            real_clock.plays()
        running = Running([str(BINARY), *map(str, arguments)], self.folder, environment | (env or {}))
        self._running.append(running)
        return running

    def run(self, *arguments: object, env: dict[str, str] | None = None, timeout: float = HANG) -> Finished:
        return self.start(*arguments, env=env).wait(timeout)

    def close(self) -> None:
        for running in self._running:
            running.kill()


class Collector:
    """`beaconswarm collect` on a free port."""

    def __init__(self, tool: Tool, store: Path, *arguments: object):
        self.store = store
        self.running = tool.start("collect", "--listen", "127.0.0.1:0", "--store", store, *arguments)
        self.running.wait_until(lambda: "\n" in self.running.out, "printed a line when ready")
        match = re.search(r"http://127\.0\.0\.1:(\d+)", self.running.out)
        assert match, f"no address in the ready line: {self.running.out!r}"
        self.port = int(match[1])
        self.url = f"http://127.0.0.1:{self.port}/sa?project=default"

    def get(self, path: str) -> tuple[int, bytes]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            return answer.status, answer.read()

    def stats(self) -> dict:
        return json.loads(self.get("/stats")[1])

    def stop(self) -> Finished:
        """Ends it as a service manager does."""
        self.running.signal(signal.SIGTERM)
        return self.running.wait()


@pytest.fixture(scope="session", autouse=True)
def binary() -> Path:
    """The program under test; without it nothing can be said."""
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is not there: make build, or set BEACONSWARM_BIN", returncode=2)
    return BINARY


@pytest.fixture
def tool(tmp_path: Path):
    tool = Tool(tmp_path)
    yield tool
    tool.close()


@pytest.fixture
def collect(tool: Tool, tmp_path: Path):
    """Starts collectors of the program."""
    return lambda store=None, *arguments: Collector(tool, store or tmp_path / "store.sqlite", *arguments)


@pytest.fixture
def reference_collector():
    """Starts independent collectors."""
    with contextlib.ExitStack() as stack:

        def start(seed: int = 1, kinds: dict[str, int] | None = None) -> reference.ReferenceCollector:
            collector = reference.ReferenceCollector(seed, kinds).start()
            stack.callback(lambda: collector._thread.is_alive() and collector.stop())
            return collector

        yield start


@pytest.fixture
def tiny_disk(tmp_path: Path):
    """A file system of 512 kB."""
    place = tmp_path / "tiny"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(place)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small tmpfs (root needed): {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def seed() -> int:
    """A new seed each time, printed when the test fails; BEACONSWARM_TEST_SEED repeats one."""
    chosen = int(os.environ.get("BEACONSWARM_TEST_SEED") or random.SystemRandom().randrange(1 << 31))
    print(f"seed {chosen}: repeat with BEACONSWARM_TEST_SEED={chosen}")
    return chosen
