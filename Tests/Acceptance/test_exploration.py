"""The search for bugs in random scenarios, as a process: how a signal ends it."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import BINARY, HANG

EXPLORE = BINARY.with_name("beaconswarm-explore")
#: Of each fiftieth world, whole runs of the program are compared: of this one first.
COMPARED = 50


@pytest.mark.parametrize("seed", [COMPARED, COMPARED - 3])
def test_a_signal_ends_the_search_and_its_runs_of_the_program(seed: int, tmp_path: Path):
    if not EXPLORE.exists():
        pytest.skip("beaconswarm-explore is not built")
    command = [str(EXPLORE), "--seed", str(seed), "--worlds", "100000", "--corpus", str(tmp_path / "corpus")]
    search = subprocess.Popen(command, env={"TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + HANG
    try:
        # The program's runs have a folder, which is there for as long as they go on.
        while not list(tmp_path.glob("beaconswarm-explore-*")):
            assert search.poll() is None and time.monotonic() < deadline, "no run of the program began"
            time.sleep(0.002)
        search.send_signal(signal.SIGINT)
        out, _ = search.communicate(timeout=HANG)
    finally:
        search.kill()
        search.wait()
    assert search.returncode == 0, out
    assert "explore: interrupted" in out
    summary = re.search(r"explore: (\d+) worlds, .* 0 failures; .*the next seed is (\d+)", out)
    assert summary, out
    played, following = map(int, summary.groups())
    assert played > 0 and following == seed + played
    # What was under way has cleared its files away.
    assert not list(tmp_path.glob("beaconswarm-explore-*"))
