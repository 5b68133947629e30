"""Other programs, run to their end however busy the machine is."""

from __future__ import annotations

import subprocess

import pytest

from conftest import HANG, Patience


def finish(command: list, *, input: str | bytes | None = None, text: bool = True, **options) -> subprocess.CompletedProcess:
    """What a command says; one that hangs fails the test. `options` are those of `subprocess.Popen`."""
    source = subprocess.DEVNULL if input is None else subprocess.PIPE
    streams = {"stdin": source, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=text, **streams, **options) as process:
        patience = Patience(process.pid, HANG)
        try:
            while True:
                try:
                    out, err = process.communicate(input, timeout=HANG)
                    return subprocess.CompletedProcess(command, process.returncode, out, err)
                except subprocess.TimeoutExpired:
                    if patience.is_over():
                        pytest.fail(f"hangs: $ {' '.join(map(str, command))}")
                    # What is left of it is on its way.
                    input = None
        finally:
            process.kill()
