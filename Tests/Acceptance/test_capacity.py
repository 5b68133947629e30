"""`beaconswarm capacity`: how a search begins, ends, and says what it found."""

from __future__ import annotations

import resource
import signal
import subprocess
from pathlib import Path

import pytest
import real_clock
from conftest import Finished, Tool
from helpers import closed_port, write_scenario
from searches import flushing, read

#: Seconds that it takes: the longest go first.
LONG = 160


def search_live(tool: Tool, out: Path, *arguments: object) -> tuple[Finished, dict]:
    """A search of a collector that takes everything. In a step of a second one that the machine kept waiting for half
    of it seems to fall behind, and no generator tells of that."""
    with real_clock.Lookout() as lookout:
        finished = tool.run("capacity", *arguments, "--out", out, "--step", "1s")
    if finished.code in (0, 99) and read(out)["ending"] != "maximum":
        lookout.excuse()
    return finished.expect(0), read(out)


def test_a_server_that_takes_everything_holds_up_to_the_maximum(tool, collect, tmp_path):
    collector = collect()
    scenario = write_scenario(tmp_path, flushing(8))
    out = tmp_path / "healthy"
    finished, report = search_live(tool, out, scenario, "--target", collector.url, "--from", "4", "--max", "8")
    assert report["ending"] == "maximum"
    assert report["holds"]["devices"] == 8 and report["breaks"] is None
    assert "Holds up to the maximum" in finished.out
    # No id came twice, though the same users came again and again.
    stats = collector.stats()
    assert stats["duplicates"] == 0 and stats["unique"] > 0
    tool.run("capacity", scenario, "--target", collector.url, "--out", out).expect(64)


def test_the_embedded_collector_is_audited(tool, tmp_path):
    scenario = write_scenario(tmp_path, flushing(4, thresholds={}))
    _, report = search_live(tool, tmp_path / "embedded", scenario, "--from", "4", "--max", "4")
    assert report["ending"] == "maximum"
    assert [condition["origin"] for condition in report["conditions"]][:2] == ["default", "default"]
    # Nothing was left out, so there is nothing to warn of.
    assert not any("no threshold" in warning for warning in report["warnings"])


def test_a_search_that_cannot_be_written_tells_what_it_found(binary: Path, tmp_path: Path):
    """A full disk costs the files, and not the hour."""
    scenario = write_scenario(tmp_path, flushing(4))
    steps = ("--step", "1s", "--from", "4", "--max", "8")
    command = [binary, "capacity", scenario, "--virtual", "--out", tmp_path / "full", *steps]
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 8, 1 << 8))  # noqa: E731
    found = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, timeout=600)
    assert found.returncode == 70, found.stderr
    assert found.stderr.count("capacity.partial.json") == 1 and "the search goes on" in found.stderr
    assert "capacity.json" in found.stderr
    assert "Holds up to the maximum" in found.stdout and "capacity.html" not in found.stdout


def test_a_dead_target_is_told_before_anything_is_run(tool, tmp_path):
    scenario = write_scenario(tmp_path, flushing(4))
    with closed_port() as port:
        target = f"http://127.0.0.1:{port}/sa"
        tool.run("capacity", scenario, "--target", target, "--out", tmp_path / "x").expect(69)
    assert not (tmp_path / "x").exists()


def test_an_interrupted_search_keeps_what_it_knows(tool, collect, tmp_path):
    scenario = write_scenario(tmp_path, flushing(8))
    out = tmp_path / "cut"
    url = collect().url
    with real_clock.Lookout() as lookout:
        running = tool.start("capacity", scenario, "--target", url, "--out", out, "--step", "1s", "--from", "4")
        running.wait_until(lambda: "holds" in running.err, "finished a step that holds")
    running.signal(signal.SIGINT)
    finished = running.wait().expect(105)
    assert "stopping: the step is cut short" in finished.err
    report = read(out)
    assert report["ending"] == "interrupted"
    if report["steps"][0]["verdict"] != "held":
        lookout.excuse()
    assert report["steps"][0]["verdict"] == "held" and report["holds"]["load"] >= 4


def test_virtual_steps_find_a_modelled_limit(tool, tmp_path):
    scenario = write_scenario(
        tmp_path,
        flushing(
            200,
            timeline=[{"at": "0s", "collector": {"fault": "capacity", "rate": 300, "queue": 20}}],
        ),
    )
    out = tmp_path / "virtual"
    options = ["--virtual", "--max-time", "1h", "--precision", "4%"]
    tool.run("capacity", scenario, *options, "--out", out, timeout=900).expect(0)
    report = read(out)
    assert report["mode"] == "virtual" and report["ending"] == "knee"
    # The limit lies between what holds and what breaks. Users come at random, so a queue of 20 overflows for
    # one request in a hundred at some 94 % of what the server can do.
    assert 300 * 0.9 <= report["holds"]["requests_per_second"] <= 300 * 1.01, report["reasons"]
    assert report["breaks"]["requests_per_second"] >= 300 * 0.92, report["reasons"]


@pytest.mark.parametrize("timeline", [[], [{"at": "0s", "collector": {"fault": "latency", "latency": "1ms"}}]])
def test_a_modelled_server_that_falls_behind_is_a_limit(tool, tmp_path, timeline):
    """Two workers of 20 ms each serve 100 requests a second. Whoever else comes waits, and nobody is turned away: only beside
    a server that keeps up is seen that this one does not, whether or not the timeline says anything of the collector."""
    server = {"workers": 2, "serviceTime": "20ms", "queue": 10_000}
    scenario = write_scenario(tmp_path, flushing(50, server=server, timeline=timeline))
    options = ["--virtual", "--max-time", "1h", "--precision", "4%", "--max", "800"]
    tool.run("capacity", scenario, *options, "--out", tmp_path / "out", timeout=900).expect(0)
    report = read(tmp_path / "out")
    assert report["ending"] == "knee"
    assert 80 <= report["holds"]["requests_per_second"] <= 101, report["reasons"]
    if timeline:
        tool.run("capacity", scenario, *options, "--out", tmp_path / "again", timeout=900).expect(0)
        assert read(tmp_path / "again")["steps"] == report["steps"]


@pytest.mark.parametrize(
    "options, word",
    [
        (["--from", "0"], "--from: found 0, allowed"),
        (["--from", "2.5"], "--from: found 2.5, allowed is a whole number of devices from 1 to 1,000,000"),
        (["--by", "rate", "--from", "0.0001"], "--from: found 0.0001, allowed is a factor of the scenario's rate from"),
        (["--max", "0"], "--max"),
        (["--precision", "90%"], "--precision"),
        (["--step", "fast"], "--step"),
        (["--max-time", "fast"], "--max-time"),
        (["--max-time", "3s"], "one step takes"),
        (["--duration", "10s"], "--duration"),
        (["--by", "weight"], "--by"),
        (["--virtual", "--target", "http://127.0.0.1:9/sa"], "--target has no meaning with --virtual"),
        (["--virtual", "--insecure"], "--insecure has no meaning with --virtual"),
        (["--virtual", "--scrape", "http://127.0.0.1:9"], "--scrape has no meaning with --virtual"),
        (["--virtual", "--max-rate", "10"], "--max-rate has no meaning with --virtual"),
    ],
)
def test_wrong_options_are_named(tool, tmp_path, options, word):
    scenario = write_scenario(tmp_path, flushing(4))
    finished = tool.run("capacity", scenario, "--out", tmp_path / "x", *options).expect(64)
    assert word in finished.err
    assert not (tmp_path / "x").exists()


def test_a_target_that_the_environment_names_is_refused_where_nothing_is_sent(tool, tmp_path):
    scenario, out = write_scenario(tmp_path, flushing(4)), tmp_path / "x"
    environment = {"BEACONSWARM_TARGET": "http://127.0.0.1:9/sa"}
    finished = tool.run("capacity", scenario, "--virtual", "--out", out, env=environment).expect(64)
    assert "BEACONSWARM_TARGET has no meaning with --virtual" in finished.err
    assert not out.exists()


def test_a_first_load_that_is_too_small_to_be_judged_is_told(tool, tmp_path):
    scenario = write_scenario(tmp_path, flushing(4))
    options = ["--virtual", "--max", "40", "--set", "populations.0.sdk.upload.flushInterval=15s"]
    raised = tool.run("capacity", scenario, *options, "--from", "2", "--out", tmp_path / "a").expect(0)
    first = read(tmp_path / "a")["steps"][0]["load"]
    assert first > 2 and f"the search begins at {first:.0f}, not at 2:" in raised.err
    kept = tool.run("capacity", scenario, *options, "--from", "30", "--out", tmp_path / "b").expect(0)
    assert read(tmp_path / "b")["steps"][0]["load"] == 30 and "the search begins at" not in kept.err


def test_growing_the_rate_wants_a_set_rate(tool, tmp_path):
    scenario = flushing(4)
    scenario["populations"][0]["persona"] = "casual"
    finished = tool.run("capacity", write_scenario(tmp_path, scenario), "--by", "rate").expect(64)
    assert "ios" in finished.err


def visiting(persona: str, **changes) -> dict:
    """Users who open a shop and leave it again."""
    scenario = {
        "name": f"visiting-{persona}",
        "seed": 11,
        "duration": "1m",
        "populations": [
            {"name": "ios", "devices": 200, "system": "sensors", "version": "4.9.1", "app": "shop", "persona": persona}
        ],
    }
    return scenario | changes


@pytest.mark.parametrize("persona", ["casual", "power"])
def test_an_unlimited_collector_has_no_limit_for_users_with_sessions(tool, tmp_path, persona):
    scenario = write_scenario(tmp_path, visiting(persona))
    out = tmp_path / "free"
    finished = tool.run("capacity", scenario, "--virtual", "--max", "400", "--max-time", "30m", "--out", out, timeout=600)
    report = read(out)
    assert finished.code == 0 and report["ending"] == "maximum", report["reasons"]
    assert report["holds"]["devices"] == 400 and report["breaks"] is None
    assert "no limit was found" in finished.out
    # The stores grow all the same, as they do by themselves.
    assert any(step["stores_grow_per_second"] > 0.02 * step["events_per_second"] for step in report["steps"])
    assert report["arrival_seconds"] == 40


@pytest.mark.parametrize("persona", ["casual", "power"])
def test_the_load_found_for_users_with_sessions_holds_alone_and_a_quarter_more_breaks(tool, tmp_path, persona):
    limit = {"at": "0s", "collector": {"fault": "capacity", "rate": 30, "queue": 20}}
    scenario = write_scenario(tmp_path, visiting(persona, timeline=[limit]))
    out = tmp_path / "found"
    tool.run("capacity", scenario, "--virtual", "--max-time", "1h", "--out", out, timeout=900).expect(0)
    report = read(out)
    assert report["ending"] == "knee", report["reasons"]
    holds, breaks = report["holds"], report["breaks"]
    for unit in ["load", "devices", "requests_per_second", "events_per_second"]:
        assert holds[unit] < breaks[unit]
    assert 15 < holds["requests_per_second"] < 30
    # Every trial had other users.
    seeds = [step["seed"] for step in report["steps"] if step["load"] == holds["load"]]
    assert len(set(seeds)) == len(seeds) >= 5

    def alone(name: str, load: float) -> dict:
        folder = tmp_path / name
        bounds = ["--from", round(load), "--max", round(load)]
        tool.run("capacity", scenario, "--virtual", "--max-time", "1h", "--out", folder, *bounds, timeout=600)
        return read(folder)

    assert alone("again", holds["load"])["ending"] == "maximum"
    more = alone("more", holds["load"] * 1.25)
    assert more["holds"] is None or more["holds"]["load"] < holds["load"] * 1.25, more["reasons"]
    assert more["steps"][0]["verdict"] == "broke"


def test_a_search_ends_by_its_time_and_says_what_is_missing(tool, tmp_path):
    scenario = write_scenario(tmp_path, visiting("casual"))
    out = tmp_path / "brief"
    finished = tool.run("capacity", scenario, "--virtual", "--max-time", "4s", "--out", out, timeout=600)
    report = read(out)
    assert "ends after 4s at the latest (--max-time)" in finished.err
    assert report["ending"] == "time" and report["max_seconds"] == 4, report["reasons"]
    # A machine that does not get through a single step in that time says so.
    assert finished.code == (0 if report["holds"] else 96)
    assert "time" in report["reasons"][0]


def test_what_a_collector_without_limits_does_not_keep_is_not_asked(tool, tmp_path):
    wanted = {"http_req_failed": ["rate>0.5", "rate<0.01"], "http_req_duration": ["p(95)<500"]}
    scenario = write_scenario(tmp_path, flushing(20, thresholds=wanted))
    out = tmp_path / "asked"
    finished = tool.run("capacity", scenario, "--virtual", "--max", "20", "--out", out).expect(0)
    report = read(out)
    asked = [(entry["metric"], entry["expression"]) for entry in report["conditions"] if entry["origin"] == "scenario"]
    assert sorted(asked) == [("http_req_duration", "p(95)<500"), ("http_req_failed", "rate<0.01")]
    assert any("rate>0.5: left out" in warning for warning in report["warnings"])
    # The columns are what was asked.
    header = next(line for line in finished.err.splitlines() if line.startswith("step "))
    assert "p(95)" in header and "failed" in header and "p(99)" not in header


def test_a_quiet_search_says_why_it_is_no_success(tool, tmp_path):
    refusing = [{"at": "0s", "collector": {"fault": "status", "status": 503}}]
    scenario = write_scenario(tmp_path, flushing(4, timeline=refusing))
    finished = tool.run("capacity", scenario, "--virtual", "--out", tmp_path / "out", "-q").expect(99)
    assert finished.out == "" and f"failed: {' '.join(read(tmp_path / 'out')['reasons'])}" in finished.err, str(finished)


def test_users_who_upload_nothing_are_no_load(tool, tmp_path):
    # They open the app before the window begins, and upload once a day.
    scenario = visiting("steady")
    scenario["populations"][0] |= {"system": "kit", "version": "1.0"}
    finished = tool.run("capacity", write_scenario(tmp_path, scenario), "--virtual", "--out", tmp_path / "x").expect(64)
    assert "upload nothing in a step" in finished.err
    assert not (tmp_path / "x").exists()


def test_a_search_is_rendered_again(tool, tmp_path):
    scenario = write_scenario(tmp_path, flushing(4))
    out = tmp_path / "search"
    tool.run("capacity", scenario, "--virtual", "--max", "8", "--out", out).expect(0)
    for form, name in [("html", "capacity.html"), ("md", "summary.md"), ("csv", "steps.csv"), ("json", "capacity.json")]:
        assert tool.run("report", out, "--format", form).expect(0).out == (out / name).read_text(), form
    assert "Holds up to the maximum" in tool.run("report", out).expect(0).out
    assert tool.run("report", out / "capacity.json", "--format", "json").expect(0).out
    for arguments, word in [
        (["--format", "junit"], "not for a search"),
        (["--format", "pdf"], "not a format"),
        (["--metric", "http_req_duration"], "keeps no distributions"),
    ]:
        finished = tool.run("report", out, *arguments).expect(64)
        assert word in finished.err
    # What a search that broke off left behind.
    (out / "capacity.json").rename(out / "capacity.partial.json")
    assert "Holds up to the maximum" in tool.run("report", out).expect(0).out
    (out / "capacity.partial.json").write_text('{"schema": "beaconswarm.capacity/1"}')
    assert "the key is missing" in tool.run("report", out).expect(104).err
