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


#: Computes for half a second when it is asked to, and for ever when it is asked again.
COMPUTES = """
import sys, time
print(1, flush=True)
sys.stdin.readline()
while time.process_time() < 0.5: pass
sys.stdin.readline()
while True: pass
"""


def test_who_computes_has_as_much_of_a_processor_as_the_limit_says():
    process = subprocess.Popen([sys.executable, "-c", COMPUTES], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def go_on() -> None:
        process.stdin.write(b"\n")
        process.stdin.flush()

    try:
        assert process.stdout.readline()
        patience = Patience(process.pid, 1)
        go_on()
        # However late this is asked, the process has not had a second by then.
        assert reached(patience, 0.4) and not patience.is_over()
        go_on()
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
