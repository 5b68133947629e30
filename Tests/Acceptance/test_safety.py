"""Nobody is harmed by mistake: targets that are not their user's are refused before anything leaves the machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import real_clock
from conftest import BINARY, Finished, Running, Tool
from helpers import read_report, steady, write_scenario

NETWORK = Path(__file__).parent / "own_network.py"


def in_own_network(folder: Path, names: str, status: int, *arguments: object) -> Running:
    """The program in a network of its own; see own_network.py. The counts go to counts.json in the folder."""
    probe = subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"no network of one's own (root needed): {probe.stderr.strip()}")
    real_clock.plays()
    words = [NETWORK, folder / "counts.json", names, status, BINARY, *arguments]
    return Running(["unshare", "-n", "-m", sys.executable, *map(str, words)], folder, {"PATH": "/usr/bin:/bin:/usr/sbin"})


def counts(folder: Path) -> dict:
    return json.loads((folder / "counts.json").read_text())


# The gate


@pytest.mark.parametrize("verb", ["run", "capacity"])
def test_a_strangers_name_is_refused_before_it_is_looked_up(tmp_path: Path, verb: str):
    scenario = write_scenario(tmp_path, steady(2, "1s", target={"url": "http://collector.example:8106/sa"}))
    refused = in_own_network(tmp_path, "", 200, verb, scenario, "--out", "out").wait().expect(64)
    assert "--i-own collector.example" in refused.err and "beaconswarm.targets" in refused.err, str(refused)
    assert counts(tmp_path) == {"queries": 0, "requests": 0} and not (tmp_path / "out").exists()
    # Its user's word is all that kept it: now the name server is asked, and knows of no such name.
    allowed = in_own_network(tmp_path, "", 200, verb, scenario, "--out", "out", "--i-own", "Collector.Example")
    assert "collector.example" in allowed.wait().expect(69).err
    assert counts(tmp_path)["queries"] > 0


def test_every_address_of_every_population_goes_through_the_gate(tool: Tool, tmp_path: Path):
    scenario = steady(2, "1s", target={"url": "http://127.0.0.1:9/sa"})
    second = dict(scenario["populations"][0], name="second")
    scenario["populations"].append(second | {"target": {"urls": ["http://10.0.0.7/sa", "http://8.8.8.8/sa"]}})
    path = write_scenario(tmp_path, scenario)
    assert "the target 8.8.8.8:" in tool.run("run", path, "--out", "out").expect(64).err
    for url in ("http://134744072/sa", "http://[::ffff:8.8.8.8]/sa", "http://0.0.0.0/sa", "http://127.0.0.1.nip.example/sa"):
        refused = tool.run("run", path, "--out", "out", "--target", url).expect(64)
        assert "neither loopback nor a private address" in refused.err, str(refused)
    assert "without a user and password" in tool.run("run", path, "--target", "http://127.0.0.1@8.8.8.8/sa").expect(104).err
    assert not (tmp_path / "out").exists()


def test_what_needs_no_word(tool: Tool, tmp_path: Path):
    """Only that nobody listens keeps these from being played."""
    path = write_scenario(tmp_path, steady(2, "1s"))
    for host in ("localhost", "LOCALHOST.", "127.1", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"):
        assert "cannot connect" in tool.run("run", path, "--target", f"http://{host}:1/sa").expect(69).err


def test_the_users_list(tool: Tool, tmp_path: Path):
    path = write_scenario(tmp_path, steady(2, "1s"))
    arguments = ("run", path, "--target", "http://0.0.0.0:1/sa")
    tool.run(*arguments).expect(64)
    (tmp_path / "mine").write_text("# ours\n0.0.0.0 # any\n")
    tool.run(*arguments, "--targets", "mine").expect(69)
    tool.run(*arguments, env={"BEACONSWARM_TARGETS": "mine"}).expect(69)
    (tmp_path / "mine").rename(tmp_path / "beaconswarm.targets")
    tool.run(*arguments).expect(69)
    tool.run(*arguments, "--targets", "mine").expect(64)
    (tmp_path / "beaconswarm.targets").write_text("http://0.0.0.0\n")
    assert "beaconswarm.targets:1: found" in tool.run(*arguments).expect(64).err


# The collector


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "10.0.0.1:0", "collector.example:0"])
def test_a_collector_that_others_can_reach_is_asked_for(tool: Tool, tmp_path: Path, listen: str):
    refused = tool.run("collect", "--listen", listen, "--store", tmp_path / "s.sqlite").expect(64)
    assert "--allow-remote" in refused.err and not (tmp_path / "s.sqlite").exists(), str(refused)


def test_a_collector_that_others_may_reach(tool: Tool, tmp_path: Path):
    running = tool.start("collect", "--listen", "0.0.0.0:0", "--allow-remote", "--store", tmp_path / "s.sqlite")
    running.wait_until(lambda: "\n" in running.out, "printed a line when ready")
    assert "collecting on http://0.0.0.0:" in running.out
