"""The generator's honesty: a run in which it could not keep its own schedule says nothing about the collector, and
must end invalid (96), never slow and never passed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import real_clock
from helpers import read_report, steady, write_scenario

#: Busy loops on the generator's core, each at the usual priority. The generator has the lowest: of the core's time it
#: is left 15 parts of 3 x 1024 + 15 (the weights of the kernel's scheduler), half a percent.
HOGS = 3
#: Of the run's six seconds what is done to it takes the most part, or it says nothing; so it has to begin by then.
SOON = 2


@contextlib.contextmanager
def busy_loops(core: int):
    """Programs that want the whole core, all the time."""
    hogs = [
        subprocess.Popen(
            [sys.executable, "-c", f"import os\nos.sched_setaffinity(0, {{{core}}})\nwhile True: pass"],
            stdin=subprocess.DEVNULL,
        )
        for _ in range(HOGS)
    ]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def pin(pid: int, core: int) -> None:
    """Moves every thread of a process to one core and gives it the lowest priority."""
    for thread in map(int, os.listdir(f"/proc/{pid}/task")):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(thread, {core})
            os.setpriority(os.PRIO_PROCESS, thread, 19)


def start(tool, folder: Path, port: int):
    scenario = steady(200, "6s", drain="2s")
    # 2,000 events/s: a few hundredths of a core, far more than the half percent that starving leaves.
    scenario["populations"][0]["persona"]["rate"] = "10/s"
    path = write_scenario(folder, scenario)
    target = f"http://127.0.0.1:{port}/sa?project=default"
    return tool.start("run", path, "--target", target, "--threads", "1", "--out", folder / "run", "--no-color")


def expect_soon(collector) -> None:
    """Where this test was late itself, the run was over, or nearly so, before anything was done to it."""
    late = time.time() - collector.ledger.requests[0].at
    if late > SOON:
        real_clock.inconclusive(f"the test came {late:.1f} s after the first request")


def assert_invalid(finished, folder: Path) -> None:
    finished.expect(96)
    report = read_report(folder / "run")
    assert report["verdict"] == "invalid"
    assert report["generator"]["saturated"] is True
    assert report["generator"]["schedule_lag"]["p(99)"] > 100
    assert report["events"]["balance"] == 0
    assert "generator" in finished.out + finished.err


def test_a_starved_generator_ends_invalid(tool, tmp_path, reference_collector):
    collector = reference_collector()
    run = start(tool, tmp_path, collector.port)
    run.wait_until(lambda: len(collector.ledger.requests) > 0, "sent anything")
    core = min(os.sched_getaffinity(0))
    with busy_loops(core):
        pin(run.pid, core)
        expect_soon(collector)
        time.sleep(5)
    # The core is free again: the end of the run must not take as long as its middle.
    assert_invalid(run.wait(), tmp_path)


def test_a_generator_that_was_stopped_ends_invalid(tool, tmp_path, reference_collector):
    collector = reference_collector()
    run = start(tool, tmp_path, collector.port)
    run.wait_until(lambda: len(collector.ledger.requests) > 0, "sent anything")
    run.signal(signal.SIGSTOP)
    expect_soon(collector)
    time.sleep(1.5)
    run.signal(signal.SIGCONT)
    assert_invalid(run.wait(), tmp_path)
