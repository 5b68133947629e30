"""The scripts under `.ci`, by commands that only pretend."""

from __future__ import annotations

import subprocess

import pytest

from conftest import ROOT

TESTS = r"Test run with ([0-9]+) tests?"
EVENTS = r"captured\.+: +([0-9,]+)"


def watch(count: str, script: str) -> tuple[int, str]:
    done = subprocess.run(
        [ROOT / ".ci" / "tsan-watch", count, "bash", "-c", script], capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "count, script, ran",
    [
        (TESTS, "echo Test run with 12 tests in 3 suites passed", "12"),
        (TESTS, "echo Test run with 1 test in 1 suite failed; exit 1", "1"),
        (EVENTS, "echo '    captured................:         34,316'; exit 96", "34316"),
        (EVENTS, "echo '    captured................:         7'; exit 99", "7"),
    ],
)
def test_what_ran_without_a_race_is_counted(count: str, script: str, ran: str):
    code, text = watch(count, script)
    assert code == 0 and f"no races in {ran} " in text, text


@pytest.mark.parametrize(
    "count, script",
    [
        # A filter without matches, with and without an exit code of its own.
        (TESTS, "echo Test run with 0 tests in 0 suites passed"),
        (TESTS, "echo No matching test cases were run; exit 69"),
        (TESTS, "true"),
        (EVENTS, "echo '    captured................:         0'"),
        (EVENTS, "echo wrong usage >&2; exit 64"),
        (EVENTS, "echo no such target >&2; exit 69"),
        (EVENTS, "echo no such scenario >&2; exit 104"),
        (EVENTS, "no-such-program-at-all"),
        (TESTS, "exit 126"),
        # An end that is none of a run, whatever was printed before.
        (TESTS, "echo Test run with 12 tests in 3 suites passed; exit 70"),
    ],
)
def test_nothing_run_is_no_success(count: str, script: str):
    code, text = watch(count, script)
    assert code == 65 and "nothing was run" in text, text


@pytest.mark.parametrize(
    "script",
    [
        "echo WARNING: ThreadSanitizer: data race >&2; exit 66",
        "echo WARNING: ThreadSanitizer: data race >&2; echo Test run with 9 tests in 1 suite passed",
        "kill -SEGV $$",
        "echo Test run with 9 tests in 1 suite passed; kill -ILL $$",
    ],
)
def test_a_race_or_a_crash_is_found(script: str):
    assert watch(TESTS, script)[0] == 66
