"""Nobody is harmed by mistake: targets that are not their user's are refused before anything leaves the machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import real_clock
from conftest import BINARY, Running, Tool
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


def test_this_machine_is_found_by_its_name_with_the_dot_of_the_root(tool: Tool, collect, tmp_path: Path):
    collector = collect()
    path = write_scenario(tmp_path, steady(2, "2s"))
    url = f"http://LocalHost.:{collector.port}/sa?project=default"
    # No exporter listens there, but what answers was reached by the same name.
    scrape = f"http://localhost.:{collector.port}/healthz"
    told = tool.run("run", path, "--target", url, "--scrape", scrape, "--out", "out").expect(0)
    assert collector.stats()["received"] > 0
    assert "cannot be read" in told.err and "cannot connect" not in told.err


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


# The highest rate


def test_a_scenario_that_will_pass_the_limit_is_refused(tool: Tool, tmp_path: Path):
    path = write_scenario(tmp_path, steady(40, "5s"))
    refused = tool.run("run", path, "--max-rate", 10, "--out", "out").expect(64)
    assert "--max-rate 10:" in refused.err and "would keep to it (--devices" in refused.err, str(refused)
    environment = {"BEACONSWARM_MAX_RATE": "10"}
    assert "requests in a second" in tool.run("run", path, "--out", "out", env=environment).expect(64).err
    assert not (tmp_path / "out").exists()
    for wrong in ("0", "-5", "none", "inf"):
        tool.run("run", path, f"--max-rate={wrong}", "--out", "out").expect(64)
    search = tool.run("capacity", path, "--max-rate", 1, "--out", "out").expect(64)
    assert "even the smallest load" in search.err, str(search)


def test_a_run_that_passes_the_limit_ends_at_once(tool: Tool, tmp_path: Path):
    """What devices brought along leaves in bursts that no forecast tells of."""
    scenario = steady(20, "1m", drain="1m")
    scenario["populations"][0]["sdk"]["storage"] = {"prefill": 20000}
    running = tool.start("run", write_scenario(tmp_path, scenario), "--max-rate", 100, "--out", "out")
    ended = running.wait(50)
    assert ended.code == 96, str(ended)
    report = read_report(tmp_path / "out")
    assert "max_rate" in report["causes"] and report["verdict"] == "invalid"
    assert report["ended_by"]["cause"] == "max_rate" and "--max-rate allows 100" in report["ended_by"]["text"]
    assert report["ended_by"]["text"] in ended.err and report["events"]["balance"] == 0
    assert report["events"]["pending"]["stored"] > 0, "there was no drain"
    again = json.loads(tool.run("report", "out", "--format", "json").expect(0).out)
    assert again["causes"] == report["causes"] and again["ended_by"] == report["ended_by"]


def test_no_run_follows_one_that_passed_the_limit(tool: Tool, tmp_path: Path):
    scenario = steady(20, "1m", drain="1m", seed=5)
    scenario["populations"][0]["sdk"]["storage"] = {"prefill": 20000}
    path = write_scenario(tmp_path, scenario)
    ended = tool.start("run", path, "--max-rate", 100, "--repeat", 3, "--out", "out").wait(50)
    assert ended.code == 96 and "no further run begins: this one passed --max-rate" in ended.err, str(ended)
    assert "against the embedded collector" in ended.err and "each run offers " in ended.err, str(ended)
    assert "run 1 of 3" in ended.err and "run 2 of 3" not in ended.err, str(ended)
    report = read_report(tmp_path / "out")
    assert report["partial"] and report["verdict"] == "invalid" and report["exit_code"] == 96
    assert report["ended_by"]["cause"] == "max_rate" and set(report["variants"]["base"]["seeds"]) == {"5"}
    assert not (tmp_path / "out" / "report.partial.json").exists()
    assert "invalid (96)" in tool.run("runs", "out").expect(0).out


# The guard


@pytest.fixture(scope="module", autouse=True)
def guarded_runs(tmp_path_factory):
    """Runs against a target of somebody else's that refuses everything, for longer than the guard stands by: they begin
    before the module's first test, and the last tests look at them."""
    runs: dict[str, tuple[Path, Running]] = {}
    if subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True).returncode == 0:
        for name, status in (("ended", 503), ("series", 503), ("expected", 429), ("served", 200)):
            folder = tmp_path_factory.mktemp(name)
            scenario = write_scenario(folder, steady(2, "40s" if status != 200 else "33s", drain="1s"))
            options = ["--target", "http://collector.example:8106/sa", "--i-own", "collector.example"]
            options += ["--out", folder / "out"] + (["--set", "expect=guard"] if name in ("expected", "served") else [])
            options += ["--repeat", 2] if name == "series" else []
            runs[name] = folder, in_own_network(folder, "collector.example", status, "run", scenario, *options)
    yield runs
    for _, running in runs.values():
        running.kill()


@pytest.fixture
def guarded(guarded_runs):
    """The report of one of these runs, once it has ended as it should."""

    def read(name: str, code: int) -> dict:
        if name not in guarded_runs:
            pytest.skip("no network of one's own (root needed)")
        real_clock.plays()
        folder, running = guarded_runs[name]
        finished = running.wait()
        finished.folder = folder / "out"
        finished.expect(code)
        assert counts(folder)["queries"] == 0 and counts(folder)["requests"] > 20
        return read_report(folder / "out")

    return read


# The collector


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "10.0.0.1:0", "collector.example:0"])
def test_a_collector_that_others_can_reach_is_asked_for(tool: Tool, tmp_path: Path, listen: str):
    refused = tool.run("collect", "--listen", listen, "--store", tmp_path / "s.sqlite").expect(64)
    assert "--allow-remote" in refused.err and not (tmp_path / "s.sqlite").exists(), str(refused)


def test_a_collector_that_others_may_reach(tool: Tool, tmp_path: Path):
    running = tool.start("collect", "--listen", "0.0.0.0:0", "--allow-remote", "--store", tmp_path / "s.sqlite")
    running.wait_until(lambda: "\n" in running.out, "printed a line when ready")
    assert "collecting on http://0.0.0.0:" in running.out


# These have gone on since before the first test.


def test_the_guard_ends_a_run_that_is_refused_for_half_a_minute(guarded):
    report = guarded("ended", 99)
    assert report["causes"] == ["guard", "nothing_delivered"] and report["verdict"] == "failed"
    assert report["ended_by"]["cause"] == "guard" and "http://collector.example:8106" in report["ended_by"]["text"]
    assert 30 <= report["simulated_seconds"] < 40 and report["events"]["balance"] == 0


def test_no_run_follows_one_that_the_guard_ended(guarded, guarded_runs):
    report = guarded("series", 99)
    assert report["partial"] and report["verdict"] == "failed" and report["exit_code"] == 99
    assert report["ended_by"]["cause"] == "guard" and list(report["variants"]["base"]["seeds"]) == ["7"]
    said = guarded_runs["series"][1].err
    assert "no further run begins: the guard ended this one" in said and "run 2 of 2" not in said, said


def test_a_scenario_may_be_there_to_be_guarded(guarded):
    report = guarded("expected", 0)
    assert report["causes"] == [] and report["ended_by"]["cause"] == "guard"
    # Some uploads may be on their way at the end.
    assert report["scenario"]["expect"] == "guard" and report["answers"].keys() - {"unanswered"} == {"429"}
    report = guarded("served", 99)
    assert report["causes"] == ["guard_missing"] and report["ended_by"] is None
