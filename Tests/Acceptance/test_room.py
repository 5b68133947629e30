"""Runs that do not fit are refused before they begin, and whatever is large can be interrupted."""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import real_clock
from conftest import HANG, Tool
from helpers import offered, read_report, steady, write_scenario
from known_systems import built_in

#: Seconds that it takes: the longest go first.
LONG = 70


def limited(binary: Path, folder: Path, kind: int, limit: int, *arguments: object) -> subprocess.CompletedProcess:
    """Runs the binary under a limit of the system."""
    return subprocess.run(
        [str(binary), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=HANG,
        preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)),
    )


#: Runs a command, says in a last line the most kilobytes of memory that it took, and ends as it did.
MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def fitting(said: str) -> int:
    """The number of devices that a refusal says would fit."""
    return int(re.search(r"(\d+) devices would fit \(--devices \1\)(, and up to \d+ are taken.*)?; nothing was run", said)[1])


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_what_the_memory_does_not_hold_is_refused(binary: Path, tmp_path: Path, verb: str):
    scenario = write_scenario(tmp_path, steady(10_000_000, "1m"))
    # Less than other tests leave free of the machine's memory, which would be the narrower limit.
    limit = 2 << 30
    refused = limited(binary, tmp_path, resource.RLIMIT_AS, limit, verb, scenario, "--out", "out", "-q")
    if verb == "run" and "descriptors" in refused.stderr:
        pytest.skip("descriptors are the narrower limit here")
    assert refused.returncode == 104 and "ulimit -v" in refused.stderr, refused
    count = fitting(refused.stderr)
    assert 100_000 < count < 10_000_000
    assert not (tmp_path / "out").exists(), "nothing was made"
    # A little more than the number is too much, too; the number itself is not.
    again = limited(
        binary, tmp_path, resource.RLIMIT_AS, limit, verb, scenario, "--out", "out", "-q", "--devices", count * 2
    )
    assert again.returncode == 104 and abs(fitting(again.stderr) - count) <= count * 0.1, (refused, again)


@pytest.mark.parametrize("verb", ["sweep", "simulate", "generate"])
def test_the_largest_of_many_and_a_dataset_have_to_fit_too(binary: Path, tmp_path: Path, verb: str):
    """A grid, variants and a dataset are refused before anything is made of them, as one run is."""
    small = steady(3, "1m")
    large = {"populations.0.devices": 10_000_000}
    asked = {
        "sweep": (small, ["--vary", "populations.0.devices=3,10000000"]),
        "simulate": (small | {"variants": {"large": large}}, []),
        "generate": (steady(10_000_000, "1m"), []),
    }
    scenario, options = asked[verb]
    path = write_scenario(tmp_path, scenario)
    refused = limited(binary, tmp_path, resource.RLIMIT_AS, 2 << 30, verb, path, "--out", "out", "-q", *options)
    assert refused.returncode == 104 and "ulimit -v" in refused.stderr, refused
    assert "10000000 devices need about" in refused.stderr and fitting(refused.stderr) < 10_000_000, refused
    assert not (tmp_path / "out").exists(), "nothing was made"


def test_a_dataset_remembers_no_events(binary: Path, tmp_path: Path):
    """Of a simulation of as much, the events that bear no id would fill many gigabytes."""
    population = {"name": "p", "devices": 2000, "system": "kit", "persona": "power"}
    path = write_scenario(tmp_path, {"name": "long", "seed": 3, "duration": "60d", "populations": [population]})
    options = ("--out", "out", "-q", "--format", "csv", "--rows", 1000)
    simulated = limited(binary, tmp_path, resource.RLIMIT_AS, 2 << 30, "simulate", path, "--out", "run", "-q")
    assert simulated.returncode == 104 and "of memory" in simulated.stderr, simulated
    made = limited(binary, tmp_path, resource.RLIMIT_AS, 2 << 30, "generate", path, *options)
    assert made.returncode == 0, made


def test_a_load_that_the_memory_does_not_hold_is_one_that_the_generator_cannot_offer(binary: Path, tmp_path: Path):
    """Nothing was measured, and the reason is told; a process that died of it would tell nothing."""
    path = write_scenario(tmp_path, steady(10, "1m"))
    options = ("--virtual", "--from", 5_000_000, "--max", 5_000_000, "--step", "1s", "--max-time", "1s", "--out", "out")
    ended = limited(binary, tmp_path, resource.RLIMIT_AS, 2 << 30, "capacity", path, *options)
    assert ended.returncode == 96, ended
    report = json.loads((tmp_path / "out" / "capacity.json").read_text())
    first = report["steps"][0]
    assert first["verdict"] == "generator_limited" and first["devices"] == 5_000_000, first
    assert re.fullmatch(
        r"5000000 devices need about .* of memory, and .* are free \(by ulimit -v\): the step was not played\.",
        first["reasons"][0],
    ), first
    assert "! generator: 5000000 devices need" in ended.stderr, ended


def test_what_a_target_cannot_be_made_to_do_takes_no_memory(binary: Path, tmp_path: Path):
    """An outage of the collector that comes with the run leaves events on the devices; nobody plays it on another's."""
    scenario = steady(3_000, "1h") | {"timeline": [{"at": "0s", "collector": {"fault": "outage"}}]}
    scenario["populations"][0] |= {"persona": {"preset": "steady", "rate": "20/s"}, "sdk": {"storage": {"limit": 1_000_000}}}
    path = write_scenario(tmp_path, scenario)
    own, other = (
        limited(binary, tmp_path, resource.RLIMIT_AS, 2 << 30, "run", path, "--out", "out", "-q", *target)
        for target in ([], ["--target", "http://127.0.0.1:9/sa"])
    )
    assert own.returncode == 104 and "of memory" in own.stderr, own
    assert other.returncode == 69, other


#: Fleets that differ in what takes their memory: the scenario's members, the persona, and two sizes.
FLEETS = {
    # All open the app at once.
    "opened": ({"duration": "30s"}, "casual", (2_000, 14_000)),
    "idle": ({"duration": "1h"}, {"extends": "casual", "sessionsPerDay": 0, "opensAtArrival": False}, (10_000, 110_000)),
    # Nothing that is captured leaves.
    "outage": (
        {"duration": "100s", "timeline": [{"at": "0s", "collector": {"fault": "outage"}}]},
        {"preset": "steady", "rate": "1/s"},
        (2_000, 14_000),
    ),
}


@pytest.mark.parametrize(
    "system, fleet",
    [(system, "opened") for system in built_in()]
    + [(system, fleet) for fleet in ("idle", "outage") for system in ("sensors", "growing")],
)
def test_the_forecast_of_memory_is_what_a_simulation_takes(binary: Path, tmp_path: Path, system: str, fleet: str):
    """Right to a factor of two, as the growth between two sizes: what the binary itself takes is no matter."""
    members, persona, sizes = FLEETS[fleet]
    population = {"name": "p", "devices": 1, "system": system, "persona": persona, "app": "shop"}
    path = write_scenario(tmp_path, {"name": "memory", "seed": 3, "drain": "1s", "populations": [population]} | members)
    taken, told = [], []
    for devices in sizes:
        command = [binary, "simulate", path, "--devices", str(devices), "--out", tmp_path / f"{devices}"]
        finished = subprocess.run(
            [sys.executable, "-c", MEASURE, *command], capture_output=True, text=True, cwd=tmp_path, timeout=HANG
        )
        assert finished.returncode == 0, finished
        taken.append(int(finished.stdout.splitlines()[-1]) * 1024)
        amount, unit = re.search(r"about ([0-9.]+) (MB|GB) of memory", finished.stderr).groups()
        told.append(float(amount) * (1e6 if unit == "MB" else 1e9))
    growth, forecast = taken[1] - taken[0], told[1] - told[0]
    assert forecast / 2 < growth < forecast * 2, (taken, told)
    if fleet == "outage":
        # A plan errs upwards.
        assert growth < forecast * 1.1, (taken, told)


@pytest.mark.parametrize("duration, persona, measured", [("1h", "idle", 478e6), ("1d", "casual", 561e6)])
def test_the_memory_of_a_million_devices_is_that_of_those_in_use(
    tool: Tool, tmp_path: Path, duration: str, persona: str, measured: float
):
    """As was measured once: to simulate them takes minutes."""
    own = FLEETS["idle"][1] if persona == "idle" else persona
    population = {"name": "p", "devices": 1_000_000, "system": "sensors", "version": "4.9.1", "persona": own, "app": "shop"}
    said = tool.run(
        "validate", write_scenario(tmp_path, {"name": "million", "seed": 3, "duration": duration, "populations": [population]})
    ).expect(0).out
    amount = float(re.search(r"simulated about ([0-9.]+) MB of memory", said)[1]) * 1e6
    assert measured * 0.8 < amount < measured * 1.4, said


def test_what_the_descriptors_do_not_hold_is_refused(binary: Path, tmp_path: Path):
    scenario = write_scenario(tmp_path, steady(3000, "2s", drain="1s"))
    refused = limited(binary, tmp_path, resource.RLIMIT_NOFILE, 256, "run", scenario, "--out", "out", "-q")
    assert refused.returncode == 104 and "256 descriptors" in refused.stderr, refused
    count = fitting(refused.stderr)
    assert 10 < count < 256 and not (tmp_path / "out").exists()
    fits = limited(
        binary, tmp_path, resource.RLIMIT_NOFILE, 256, "run", scenario, "--out", "out", "-q", "--devices", count
    )
    assert fits.returncode in (0, 96), fits
    report = read_report(tmp_path / "out")
    assert report["devices_started"] == count and report["generator"]["connections_recycled"] == 0
    none = limited(binary, tmp_path, resource.RLIMIT_NOFILE, 40, "run", scenario, "--out", "none", "-q")
    assert none.returncode == 104 and "ulimit -n" in none.stderr and not (tmp_path / "none").exists(), none


def test_a_signal_is_heard_while_devices_are_made(tool: Tool, tmp_path: Path):
    """Making them takes seconds: the process does not wait for their end, says so, and leaves nothing in the way of another
    try."""
    out = tmp_path / "out"
    running = tool.start("simulate", write_scenario(tmp_path, steady(2_000_000, "1h")), "--out", out)
    looked = time.monotonic()

    def has_a_folder() -> bool:
        nonlocal looked
        now = time.monotonic()
        if (out / "report.partial.json").exists():
            return True
        looked = now
        return False

    running.wait_until(has_a_folder, "made its folder")
    running.signal(signal.SIGTERM)
    since = time.monotonic() - looked
    if since > 1:
        running.kill()
        real_clock.inconclusive(f"the signal came up to {since:.1f} s after the process had begun to make devices")
    ended = running.wait().expect(105)
    assert "interrupted before the work began" in ended.err, str(ended)
    assert not out.exists(), list(out.iterdir())


def test_a_signal_is_heard_while_a_large_fleet_is_played(tool: Tool, tmp_path: Path):
    """Between two ticks of such a run lie many seconds."""
    out = tmp_path / "out"
    scenario = steady(40_000, "1h", drain="1h")
    running = tool.start("simulate", write_scenario(tmp_path, scenario), "--out", out)
    running.wait_until(lambda: "simulating" in running.err, "began")
    running.signal(signal.SIGTERM)
    running.wait_until(lambda: "stopping: " in running.err, "heard the first signal")
    running.signal_again(signal.SIGTERM)
    running.wait().expect(105)
    report = read_report(out) if (out / "report.json").exists() else json.loads((out / "report.partial.json").read_text())
    assert report["interrupted"] and report["events"]["balance"] == 0
    # Events are counted once a second of the fleet's time.
    assert report["events"]["captured"] > 0 or report["simulated_seconds"] <= 1, report["simulated_seconds"]


def test_the_forecast_of_a_huge_scenario_is_bounded(tool: Tool, tmp_path: Path):
    """Ten million devices over a year, at a rate that each of them alone would take hours to play."""
    scenario = {
        "name": "huge",
        "duration": "365d",
        "populations": [
            {"name": "all", "devices": 10_000_000, "system": "growing", "persona": "power"},
            {"name": "busy", "devices": 1000, "system": "sensors", "persona": {"extends": "steady", "rate": "500/s"}},
        ],
    }
    said = tool.run("validate", write_scenario(tmp_path, scenario)).expect(0).out
    low, high = offered(said)
    assert 500_000 * 0.9 < low < high, said


def test_scenarios_without_measure_are_refused_with_what_would_fit(binary: Path, tmp_path: Path):
    """None takes more than 2 GB of addresses to be refused, and what is said fits on a page."""

    def refused(text: str, verb: str = "simulate") -> str:
        path = tmp_path / "large.json"
        path.write_text(text)
        ended = limited(binary, tmp_path, resource.RLIMIT_AS, 2 << 30, verb, path)
        assert ended.returncode == 104 and len(ended.stderr + ended.stdout) < 5000, ended
        return ended.stderr + ended.stdout

    whole = steady(2, "1s")
    assert "more than the 16777216 bytes that are allowed" in refused(json.dumps(whole | {"description": "x" * (50 << 20)}), "run")
    entry = '{"at":"1s","for":"1s","collector":{"fault":"outage"}}'
    endless = json.dumps(whole)[:-1] + ', "timeline": [' + ",".join([entry] * 1_000_000) + "]}"
    assert "more than the 16777216 bytes that are allowed" in refused(endless, "capacity")
    many = json.dumps(whole)[:-1] + ', "timeline": [' + ",".join([entry] * 200_000) + "]}"
    assert "found 200000 elements; allowed: an array of 0 to 10000 elements" in refused(many)
    zeros = json.dumps(whole)[:-1] + ', "seed": [' + "0," * 8_000_000 + "0]}"
    assert "/seed" in refused(zeros)
    name = "n" * (1 << 20)
    assert "characters" in refused(json.dumps(whole | {"description": name}))
    assert "(1048" in refused(json.dumps(whole | {name: 1}))
    whole["populations"][0]["name"] = name
    assert "/populations/0/name" in refused(json.dumps(whole))
    ended = limited(binary, tmp_path, resource.RLIMIT_AS, 2 << 30, "validate", "/dev/zero")
    assert ended.returncode == 104 and "more than the 16777216 bytes" in ended.stderr + ended.stdout, ended


def test_more_event_loops_than_descriptors_are_refused(binary: Path, tmp_path: Path):
    scenario = write_scenario(tmp_path, steady(2, "1s", drain="1s"))
    arguments = ("run", scenario, "--out", "out", "-q", "--threads")
    refused = limited(binary, tmp_path, resource.RLIMIT_NOFILE, 256, *arguments, 100)
    assert refused.returncode == 64 and not (tmp_path / "out").exists(), refused
    most = int(re.search(r"whole numbers from 1 to (\d+)", refused.stderr)[1])
    for many in (most + 1, 2**63 - 1):
        more = limited(binary, tmp_path, resource.RLIMIT_NOFILE, 256, *arguments, many)
        assert more.returncode == 64 and f"--threads {many}: " in more.stderr, more
    taken = limited(binary, tmp_path, resource.RLIMIT_NOFILE, 256, *arguments, most)
    assert taken.returncode in (0, 96), taken


def test_a_short_run_is_not_forecast_to_send_more_on_average_than_at_most(tool: Tool, tmp_path: Path):
    """What leaves in the drain counts, too, and is no part of the users' seconds."""
    scenario = steady(1500, "5s", drain="5s")
    sdk = {"upload": {"flushInterval": "5s"}, "remoteConfig": {"enabled": False}}
    scenario["populations"][0] |= {"version": "4.9.1", "arrival": {"over": "5s"}, "sdk": sdk}
    scenario["populations"][0]["persona"]["rate"] = "0.2/s"
    said = tool.run("validate", write_scenario(tmp_path, scenario)).expect(0).out
    mean, peak = map(float, re.search(r"([0-9.]+) requests/s \(peak ([0-9.]+)\)", said).groups())
    assert 0 < mean <= peak, said


def test_no_more_sockets_are_open_than_were_forecast(tool: Tool, tmp_path: Path):
    """Users who are gone after seconds leave connections behind, which stay for a minute; a launch has several requests at
    once. Never are many of them there at the same time."""
    scenario = steady(200, "20s")
    brief = {"extends": "casual", "sessionLength": {"min": "3s", "max": "5s"}}
    population = {"version": "4.9.1", "persona": "brief", "arrival": {"over": "20s"}, "sdk": {}}
    scenario["populations"][0].update(population)
    path = write_scenario(tmp_path, scenario | {"personas": {"brief": brief}})
    said = tool.run("validate", path).expect(0).out
    sockets = int(re.search(r"live up to (\d+) sockets", said)[1])
    with real_clock.Lookout() as lookout:
        tool.run("run", path, "--out", tmp_path / "out", "-q").expect(0)
    peak = read_report(tmp_path / "out")["generator"]["connections_peak"]
    # Answers that a machine keeps waiting hold on to their connections.
    if peak > sockets:
        lookout.excuse()
    assert 200 < peak <= sockets <= 4 * 200
