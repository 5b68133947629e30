"""What counts as hanging does not depend on how busy the machine is."""

from __future__ import annotations

import subprocess
import sys
import time

from conftest import Patience


def reached(patience: Patience, seconds: float) -> bool:
    while patience.processor_time() < seconds:
        time.sleep(0.01)
    return True


def test_who_computes_has_as_much_of_a_processor_as_the_limit_says():
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        patience = Patience(process.pid, 1)
        assert reached(patience, 0.2) and not patience.is_over()
        assert reached(patience, 1.1) and patience.is_over()
    finally:
        process.kill()
        process.wait()


def test_who_does_nothing_hangs():
    process = subprocess.Popen([sys.executable, "-c", "import sys; print(1, flush=True); sys.stdin.read()"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline()
        # It may still have been on its way to sleep.
        patience = Patience(process.pid, 60)
        assert patience.is_over()
    finally:
        process.kill()
        process.wait()
