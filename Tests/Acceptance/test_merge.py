"""Parts of a run, joined: the whole run, byte for byte, and what is refused."""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conftest import ROOT, Tool
from helpers import steady, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 50

#: What tells when and where a run took place, and nothing of what came out.
OF_THE_PROCESS = ("started_at", "wall_seconds", "generator", "run")


def report(folder: Path) -> dict:
    found = json.loads((folder / "report.json").read_text())
    for key in OF_THE_PROCESS:
        del found[key]
    return found


def play(
    tool: Tool, scenario: Path, count: int, *options, name: str = "parts", only: list[int] | None = None,
    env: dict[str, str] | None = None,
) -> Path:  # fmt: skip
    """Plays the parts of a run, or some of them."""
    for part in range(count) if only is None else only:
        arguments = ("--shard", f"{part}/{count}", "--out", tool.folder / name, "--quiet", *options)
        tool.run("simulate", scenario, *arguments, env=env).expect(0)
    return tool.folder / name


def merge(tool: Tool, *folders: Path, name: str = "all", options: tuple = (), env: dict[str, str] | None = None):
    return tool.run("merge", *folders, "--out", tool.folder / name, "--quiet", *options, env=env)


#: A world of each kind: systems, networks, clocks, files, deaths, entries, answers that are kept, natural keys, a drain
#: that ends early and one that does not.
SHIPPED = [
    ("demo.json", ["--devices", "60"]),
    ("systems/mixed.json", ["--devices", "50"]),
    ("systems/kit-week.json", ["--devices", "9", "--duration", "2d"]),
    ("rolling-deploy.json", ["--devices", "40"]),
    ("lossy-clients.json", ["--devices", "20"]),
    ("device-disk.json", ["--devices", "20"]),
    ("captive-portal.json", ["--devices", "20"]),
]


@pytest.mark.parametrize(("name", "options"), SHIPPED, ids=[name for name, _ in SHIPPED])
def test_parts_are_the_whole_run(tool: Tool, name: str, options: list[str]):
    scenario = ROOT / "scenarios" / name
    options = [*options, "--bodies", "measure", "--events", tool.folder / "one.ndjson"]
    whole = tool.run("simulate", scenario, "--out", tool.folder / "one", "--quiet", *options)
    # How many parts there are matters to all worlds alike: many only in the one of all systems.
    for count in (3, 7) if name == "systems/mixed.json" else (3,):
        parts = play(tool, scenario, count, *options, name=f"of-{count}")
        lines = tool.folder / f"all-{count}.ndjson"
        merge(tool, parts, name=f"all-{count}", options=("--events", lines)).expect(whole.code)
        joined = tool.folder / f"all-{count}"
        assert report(joined) == report(tool.folder / "one")
        assert sorted(lines.read_text().splitlines()) == sorted((tool.folder / "one.ndjson").read_text().splitlines())
        for file in ("scenario.json", "timeseries.csv", "intervals.hlog"):
            if (tool.folder / "one" / file).exists():
                assert data(joined / file) == data(tool.folder / "one" / file), file
        assert replay(joined) == replay(tool.folder / "one")
        # Without the wall clock's line and the sum.
        assert beliefs(joined) == beliefs(tool.folder / "one")


def replay(folder: Path) -> dict:
    """How to play the run again; each has a file of events of its own."""
    return json.loads((folder / "replay.json").read_text()) | {"events": None}


def data(path: Path) -> list[str]:
    """A file's lines without those that tell when it was made."""
    return [line for line in path.read_text().splitlines() if not line.startswith(("#", "wall"))]


def beliefs(folder: Path) -> list[str]:
    return [line for line in data(folder / "beliefs.txt") if not line.startswith("end ")]


def test_more_parts_than_devices(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=2, duration="20s"))
    tool.run("simulate", scenario, "--out", tool.folder / "one", "--quiet").expect(0)
    merge(tool, play(tool, scenario, 5)).expect(0)
    assert report(tool.folder / "all") == report(tool.folder / "one")


def test_a_joined_run_tells_a_command_that_can_be_typed(tool: Tool):
    parts = play(tool, write_scenario(tool.folder, steady(devices=4, duration="5s")), 2)
    merge(tool, parts).expect(0)
    assert f" merge {parts} --quiet --out DIR\n" in (tool.folder / "all" / "summary.md").read_text()


def test_a_missing_part_makes_the_run_invalid(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=8, duration="20s"))
    parts = play(tool, scenario, 4, only=[0, 1, 3])
    said = merge(tool, parts).expect(96)
    found = json.loads((tool.folder / "all" / "report.json").read_text())
    assert found["verdict"] == "invalid" and found["causes"] == ["parts_missing"]
    assert "3 of 4 parts, 6 devices" in found["reasons"][0] and "--shard 2/4" in found["reasons"][0]
    assert found["events"]["balance"] == 0 and found["events"]["captured"] > 0
    assert [part["part"] for part in found["run"]["parts"]] == ["0/4", "1/4", "3/4"]
    assert "missing is 2/4" in said.err and said.out == "", "a warning, however quiet"
    failed = ElementTree.parse(tool.folder / "all" / "junit.xml").getroot().findall(".//failure")
    assert [failure.get("type") for failure in failed] == ["parts_missing"]
    # What is missing comes later, by the command that is told.
    command = shlex.split(found["run"]["missing_parts"].rpartition(": ")[2])
    tool.run(*command[1:]).expect(0)
    merge(tool, parts, name="whole").expect(0)
    tool.run("simulate", scenario, "--out", tool.folder / "one", "--quiet").expect(0)
    assert report(tool.folder / "whole") == report(tool.folder / "one")


@pytest.mark.parametrize("options", [(), ("--seeds", "2")], ids=["one", "several"])
def test_a_merge_that_finds_no_room_is_not_in_the_way_of_the_next(tool: Tool, binary: Path, options: tuple):
    parts = play(tool, write_scenario(tool.folder, steady(devices=4, duration="5s")), 2, *options)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 10, 1 << 10))  # noqa: E731
    command = [binary, "merge", parts, "--out", tool.folder / "all"]
    failed = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    assert failed.returncode == 70 and "report.json" in failed.stderr, failed.stderr
    assert not (tool.folder / "all").exists()
    merge(tool, parts).expect(0)


def test_a_killed_attempt_does_not_count_and_is_not_written_over(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=4, duration="20s"))
    parts = play(tool, scenario, 2)
    (broken,) = (parts / "part-001-of-002").iterdir()
    (broken / "part.state").unlink()
    merge(tool, parts, name="half").expect(96)
    assert str(broken) in (tool.folder / "half" / "report.json").read_text()
    play(tool, scenario, 2, only=[1])
    assert sorted(path.name for path in (parts / "part-001-of-002").iterdir()) == ["attempt-1", "attempt-2"]
    merge(tool, parts).expect(0)
    found = json.loads((tool.folder / "all" / "report.json").read_text())
    assert [part["attempt"] for part in found["run"]["parts"]] == [1, 2]


def test_attempts_at_a_part_that_is_there_are_not_told(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=4, duration="20s"))
    parts = play(tool, scenario, 2, only=[0])
    (broken,) = (parts / "part-000-of-002").iterdir()
    (broken / "part.state").unlink()
    play(tool, scenario, 2, only=[0])
    said = merge(tool, parts).expect(96).err
    assert "1/2" in said and "did not end" not in said and str(broken) not in said


def test_an_interrupted_part_says_that_it_does_not_count(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=1000, duration="300d"))
    parts = tool.folder / "parts"
    running = tool.start("simulate", scenario, "--shard", "0/2", "--out", parts, "--quiet")
    partial = parts / "part-000-of-002" / "attempt-1" / "report.partial.json"
    running.wait_until(lambda: partial.exists() and json.loads(partial.read_text())["simulated_seconds"] > 0, "began")
    running.signal(signal.SIGTERM)
    assert "interrupted: part 0/2 was not played to its end" in running.wait().expect(105).err
    told = partial.read_text()
    assert "an interrupt ended before its time" in told and "second interrupt" not in told


def test_what_may_not_be_read_is_not_missing(tool: Tool):
    """Whoever plays the tests may read everything: a link to itself is refused as a folder without rights is."""
    parts = play(tool, write_scenario(tool.folder, steady(devices=4, duration="5s")), 2, only=[0])
    closed = parts / "part-001-of-002"
    closed.symlink_to(closed)
    assert f"cannot read {closed}: " in merge(tool, parts).expect(64).err
    closed.unlink()
    closed.mkdir()
    (closed / "attempt-1").symlink_to(closed / "attempt-1")
    assert f"cannot read {closed / 'attempt-1'}: " in merge(tool, parts).expect(64).err
    assert not (tool.folder / "all").exists()


def test_a_part_that_is_there_is_not_played_again(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=4, duration="5s"))
    parts = play(tool, scenario, 2)
    again = tool.run("simulate", scenario, "--shard", "0/2", "--out", parts).expect(64)
    assert "part 0/2 is in" in again.err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--seed", "8"], "seed 8, not 7"),
        (["--duration", "21s"], "another scenario, or other options"),
        (["--bodies", "measure"], "bodies measure, not encode"),
    ],
    ids=["seed", "scenario", "bodies"],
)
def test_parts_of_different_runs_are_refused(tool: Tool, change: list[str], said: str):
    scenario = write_scenario(tool.folder, steady(devices=4, duration="20s"))
    one = play(tool, scenario, 2, only=[0])
    other = play(tool, scenario, 2, *change, name="other", only=[1])
    refused = merge(tool, one, other).expect(64)
    assert said in refused.err and "nothing was written" in refused.err
    assert not (tool.folder / "all").exists()


def variable(**changes) -> dict:
    """A world whose length, and what is said of it, only the environment tells."""
    scenario = steady(devices=4, duration="${LENGTH}", description="of ${REMARK}")
    scenario["timeline"] = [{"at": "15s", "for": "3s", "collector": {"fault": "latency", "latency": "700ms"}}]
    return scenario | changes


MINE = {"LENGTH": "20s", "REMARK": "me"}


def test_parts_with_other_variables_are_of_other_runs(tool: Tool):
    scenario = write_scenario(tool.folder, variable())
    one = play(tool, scenario, 2, only=[0], env=MINE)
    for place, (change, said) in enumerate([
        ({"LENGTH": "30s"}, "${LENGTH} had another value"),
        ({"LENGTH": "30s", "REMARK": "you"}, "${LENGTH}, ${REMARK} had other values"),
    ]):  # fmt: skip
        other = play(tool, scenario, 2, only=[1], name=f"other-{place}", env=MINE | change)
        for env in (MINE, MINE | change):
            refused = merge(tool, one, other, env=env).expect(64)
            assert f"{said}; nothing was written" in refused.err
            assert not (tool.folder / "all").exists()


def test_parts_are_joined_by_what_variables_were_and_not_by_what_they_are(tool: Tool):
    """Where the scenario cannot be read without a variable, it has to be set as it was; others are not needed."""
    scenario = write_scenario(tool.folder, variable())
    parts = play(tool, scenario, 2, env=MINE)
    tool.run("simulate", scenario, "--out", tool.folder / "one", "--quiet", env=MINE).expect(0)
    for env, said in [
        (MINE | {"LENGTH": "30s"}, "${LENGTH} has another value here"),
        ({"REMARK": "me"}, "${LENGTH} is not set here"),
        (None, "${LENGTH} is not set here"),
    ]:
        refused = merge(tool, parts, env=env).expect(64)
        assert "cannot be read as it was when the part was played" in refused.err and said in refused.err
        assert not (tool.folder / "all").exists()
    for name, env in [("set", MINE), ("other", MINE | {"REMARK": "you"}), ("unset", {"LENGTH": "20s"})]:
        merge(tool, parts, name=name, env=env).expect(0)
        assert report(tool.folder / name) == report(tool.folder / "one")
        assert replay(tool.folder / name) == replay(tool.folder / "one")


def test_parts_with_another_secret_or_description_are_of_other_runs(tool: Tool):
    """Secrets are masked in the scenario that a part keeps, so that it is the same with either."""
    parts = {}
    for cookie in ("cookie-3e07", "cookie-9c44"):
        scenario = steady(devices=4, duration="5s")
        scenario["populations"][0]["sdk"] |= {"cookie": cookie}
        path, place = write_scenario(tool.folder, scenario), len(parts)
        parts[cookie] = play(tool, path, 2, only=[place], name=f"secret-{place}")
    assert "another secret in the scenario" in merge(tool, *parts.values()).expect(64).err

    described = steady(duration="5s")
    described["populations"] = [{"name": "own", "devices": 4, "system": "declared", "sdk": {"file": "own.json"}}]
    path = write_scenario(tool.folder, described)
    for part, interval in enumerate(("2s", "3s")):
        own = {"preset": "posthog-ios", "upload": {"flushInterval": interval}}
        (tool.folder / "own.json").write_text(json.dumps(own))
        play(tool, path, 2, only=[part], name="described")
    refused = merge(tool, tool.folder / "described").expect(64)
    assert "files that it names are part of it" in refused.err and not (tool.folder / "all").exists()


def test_of_another_number_of_parts(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=6, duration="5s"))
    one, other = play(tool, scenario, 2, only=[0]), play(tool, scenario, 3, name="other", only=[1])
    assert "it is one of 3 parts, not one of 2 parts; nothing was written" in merge(tool, one, other).expect(64).err


def test_the_same_part_twice(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=4, duration="20s"))
    one, same = play(tool, scenario, 2), play(tool, scenario, 2, name="same", only=[1])
    for folders in [(one, same), (one, one)]:
        refused = merge(tool, *folders).expect(64)
        assert "part 1/2 is there twice" in refused.err or "part 0/2 is there twice" in refused.err
        assert not (tool.folder / "all").exists()
    # A process that was thought dead may end its part after all: both attempts are in one folder, and the same.
    attempt = one / "part-001-of-002" / "attempt-1"
    shutil.copytree(attempt, attempt.with_name("attempt-2"))
    merge(tool, one).expect(0)


def test_a_file_that_was_changed(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=4, duration="5s"))
    parts = play(tool, scenario, 2)
    state = parts / "part-001-of-002" / "attempt-1" / "part.state"
    content = bytearray(state.read_bytes())
    content[len(content) // 2] ^= 1
    state.write_bytes(content)
    assert "its sum is another" in merge(tool, parts).expect(64).err
    state.write_bytes(content[:200])
    assert "part.state" in merge(tool, parts).expect(64).err
    assert not (tool.folder / "all").exists()


def copying(devices: int) -> dict:
    """Devices whose interceptor keeps a copy of each event."""
    ios = {
        "name": "ios", "devices": devices, "system": "growing", "version": "document",
        "persona": {"preset": "steady", "rate": "2/s"},
        "sdk": {"interceptors": [{"name": "own database", "on": "eventDidBuild", "copyTo": "own"}]},
    }  # fmt: skip
    return steady(duration="5s") | {"populations": [ios]}


def test_copies_of_events_are_joined(tool: Tool):
    scenario = write_scenario(tool.folder, copying(devices=5))
    tool.run("simulate", scenario, "--out", tool.folder / "one", "--quiet").expect(0)
    merge(tool, play(tool, scenario, 2)).expect(0)
    whole, joined = ((tool.folder / name / "copy-own.ndjson").read_text().splitlines() for name in ("one", "all"))
    assert whole and sorted(joined) == sorted(whole)

    def of(device: int, lines: list[str]) -> list[str]:
        return [line for line in lines if json.loads(line)["attributes"]["bs_id"].startswith(f"{device}-")]

    for device in range(5):
        assert of(device, joined) == of(device, whole)


@pytest.mark.parametrize("name", ["events.sealed", "beliefs.txt", "scenario.json", "copy-own.ndjson"])
def test_a_file_beside_the_state_that_was_changed(tool: Tool, name: str):
    """A line is missing, another has one byte that is not its own, or the file is gone."""
    scenario = write_scenario(tool.folder, copying(devices=4))
    parts = play(tool, scenario, 2, "--events", tool.folder / "lines.ndjson")
    options = ("--events", tool.folder / "lines.ndjson")
    file = parts / "part-001-of-002" / "attempt-1" / name
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    middle = len(whole) // 2
    for bytes_ in (b"".join(lines[:2] + lines[3:]), whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :], None):
        file.unlink()
        if bytes_ is not None:
            file.write_bytes(bytes_)
        refused = merge(tool, parts, options=options).expect(64)
        assert str(file) in refused.err and "nothing was written" in refused.err
        assert not (tool.folder / "all").exists() and not list(tool.folder.glob("lines.ndjson*"))
    file.unlink(missing_ok=True)
    file.write_bytes(whole)
    merge(tool, parts, options=options).expect(0)


@pytest.mark.parametrize("name", ["part.state", "beliefs.txt", "events.sealed", "scenario.json", "simulations.json"])
def test_a_pipe_in_the_place_of_a_parts_file_is_not_waited_for(tool: Tool, name: str):
    scenario = write_scenario(tool.folder, steady(devices=4, duration="5s"))
    events = () if name == "simulations.json" else ("--events", tool.folder / "lines.ndjson")
    parts = play(tool, scenario, 2, *(events or ("--seeds", 2)))
    for file in parts.glob(f"part-*/attempt-1/{name}"):
        file.unlink()
        os.mkfifo(file)
    assert f"{name}: it is no regular file" in merge(tool, parts, options=events).expect(64).err
    assert not (tool.folder / "all").exists() and not list(tool.folder.glob("lines.ndjson*"))


@pytest.mark.parametrize("value", ["16/16", "-1/4", "1", "a/b", "1/0", "1/2/3", ""])
def test_what_is_no_part(tool: Tool, value: str):
    scenario = write_scenario(tool.folder, steady(devices=4, duration="5s"))
    refused = tool.run("simulate", scenario, f"--shard={value}", "--out", tool.folder / "parts").expect(64)
    assert "--shard" in refused.err
    assert not (tool.folder / "parts").exists()


def test_devices_that_wait_for_each_other_are_not_divided(tool: Tool):
    refused = tool.run(
        "simulate", ROOT / "scenarios" / "capacity-ramp.json", "--shard", "0/2", "--out", tool.folder / "parts"
    ).expect(64)
    assert "wait for each other" in refused.err
    assert not (tool.folder / "parts").exists()


def test_a_threshold_that_ends_a_run_is_about_all(tool: Tool):
    scenario = steady(devices=4, duration="5s")
    scenario["thresholds"] = {"events_lost": [{"threshold": "rate<0.5", "abortOnFail": True}]}
    path = write_scenario(tool.folder, scenario)
    assert "abortOnFail" in tool.run("simulate", path, "--shard", "0/2", "--out", tool.folder / "p").expect(104).err


def test_thresholds_are_judged_on_the_whole(tool: Tool):
    scenario = steady(devices=4, duration="20s")
    scenario["thresholds"] = {"events_captured": ["count<1"]}
    parts = play(tool, write_scenario(tool.folder, scenario), 2)
    merge(tool, parts).expect(99)


def test_a_folder_without_parts(tool: Tool):
    (tool.folder / "empty").mkdir()
    assert "no part of a run or of a dataset is in it" in merge(tool, tool.folder / "empty").expect(64).err
    assert "there is no such folder" in merge(tool, tool.folder / "nowhere").expect(64).err


def test_events_that_were_not_kept(tool: Tool):
    parts = play(tool, write_scenario(tool.folder, steady(devices=4, duration="5s")), 2)
    refused = merge(tool, parts, options=("--events", tool.folder / "lines.ndjson")).expect(64)
    assert "part 0/2 was played without --events" in refused.err
    assert not (tool.folder / "all").exists()


def test_parts_need_a_place_to_meet(tool: Tool):
    path = write_scenario(tool.folder, steady(devices=4, duration="5s"))
    assert "--shard wants --out" in tool.run("simulate", path, "--shard", "0/2").expect(64).err


def test_a_part_keeps_no_stores(tool: Tool):
    """Its devices go on after the drain of all parts is over, so its files are not those of the run."""
    scenario = steady(devices=4, duration="5s")
    scenario["populations"][0]["sdk"]["storage"] = {"backend": "sqlite"}
    arguments = ("--shard", "0/2", "--keep-stores", tool.folder / "kept", "--out", tool.folder / "parts")
    refused = tool.run("simulate", write_scenario(tool.folder, scenario), *arguments).expect(64)
    assert "--keep-stores: " in refused.err and not (tool.folder / "parts").exists()


def test_a_merged_run_can_be_explained(tool: Tool):
    scenario = write_scenario(tool.folder, steady(devices=4, duration="20s"))
    merge(tool, play(tool, scenario, 3)).expect(0)
    told = json.loads(tool.run("explain", tool.folder / "all", "2-0", "--json").expect(0).out)
    assert told["event"] == "2-0" and told["story"]


def test_parts_that_were_moved(tool: Tool):
    """Each part may come from another machine: no path is in it."""
    scenario = write_scenario(tool.folder, steady(devices=4, duration="20s"))
    parts = play(tool, scenario, 2)
    moved = tool.folder / "elsewhere"
    moved.mkdir()
    for part in list(parts.iterdir()):
        shutil.move(part, moved / part.name)
    folders = sorted(moved.iterdir())
    merge(tool, folders[1], folders[0]).expect(0)
    tool.run("simulate", scenario, "--out", tool.folder / "one", "--quiet").expect(0)
    assert report(tool.folder / "all") == report(tool.folder / "one")


@pytest.mark.parametrize("options", [(), ("--seeds", "4")], ids=["one", "several"])
def test_missing_parts_are_played_where_the_others_are_now(tool: Tool, options: tuple):
    """All of them by one command, and into the folder that was named to merge."""
    scenario = write_scenario(tool.folder, steady(devices=8, duration="10s"))
    moved = play(tool, scenario, 4, *options, only=[0, 2]).rename(tool.folder / "moved")
    said = merge(tool, moved, name="half").expect(96).err
    assert "1/4" in said and "3/4" in said and "--shard I/4" in said
    found = json.loads((tool.folder / "half" / "report.json").read_text())
    missing = found["missing_parts"] if options else found["run"]["missing_parts"]
    for part in ("1/4", "3/4"):
        tool.run(*(part if word == "I/4" else word for word in shlex.split(missing.rpartition(": ")[2])[1:])).expect(0)
    merge(tool, moved).expect(0)
    assert not (tool.folder / "parts").exists()


def test_parts_of_several_simulations(tool: Tool):
    scenario = steady(devices=3, duration="10s")
    scenario["variants"] = {"larger": {"populations.0.sdk.upload.batch": 200}}
    path = write_scenario(tool.folder, scenario)
    options = ("--seeds", "3")
    tool.run("simulate", path, *options, "--out", tool.folder / "one", "--quiet").expect(0)
    parts = play(tool, path, 4, *options, only=[0, 1, 3])
    half = merge(tool, parts, name="half").expect(96)
    missing = json.loads((tool.folder / "half" / "report.json").read_text())["missing_parts"]
    assert "Missing is part 2/4: 5 of 6 simulations are there." in missing and missing in half.err
    for name in ("summary.md", "report.html"):
        text = (tool.folder / "half" / name).read_text()
        assert "Missing is part 2/4" in text and "broken off" not in text
    refused = tool.run("compare", tool.folder / "half").expect(104)
    assert "Missing is part 2/4" in refused.err and "broke off" not in refused.err
    # What is missing comes later, by the command that is told.
    tool.run(*shlex.split(missing.rpartition(": ")[2])[1:]).expect(0)
    merge(tool, parts).expect(0)
    assert (tool.folder / "all" / "report.json").read_bytes() == (tool.folder / "one" / "report.json").read_bytes()
    other = play(tool, path, 4, "--seeds", "2", name="other", only=[1])
    assert "nothing was written" in merge(tool, parts, other, name="mixed").expect(64).err


def test_a_part_of_one_simulation_is_none_of_several(tool: Tool):
    """Neither is it missing, nor would it be played where it is already."""
    path = write_scenario(tool.folder, steady(devices=3, duration="5s"))
    several = play(tool, path, 2, "--seeds", "2", only=[1])
    single = play(tool, path, 2, only=[0])
    refused = merge(tool, several).expect(64).err
    assert "part-000-of-002/attempt-1 is a part of a single run" in refused and "nothing was written" in refused
    assert single == several and not (tool.folder / "all").exists()


def test_several_simulations_with_other_variables_are_refused(tool: Tool):
    path = write_scenario(tool.folder, variable())
    for part, length in enumerate(("20s", "30s")):
        play(tool, path, 2, "--seeds", "2", only=[part], env=MINE | {"LENGTH": length})
    refused = merge(tool, tool.folder / "parts", env=MINE).expect(64)
    assert "other variables or files of it" in refused.err and not (tool.folder / "all").exists()


def test_answers_that_come_after_the_drain(tool: Tool):
    """The drain ends at its limit, and what is still open is awaited: no part tells another end than the run."""
    scenario = steady(devices=6, duration="10s") | {"drain": "2s"}
    scenario["timeline"] = [{"at": "0s", "for": "1m", "collector": {"fault": "latency", "latency": "3s"}}]
    path = write_scenario(tool.folder, scenario)
    tool.run("simulate", path, "--out", tool.folder / "one", "--quiet").expect(0)
    merge(tool, play(tool, path, 3)).expect(0)
    assert report(tool.folder / "all") == report(tool.folder / "one")
    assert replay(tool.folder / "all") == replay(tool.folder / "one")
    assert report(tool.folder / "one")["simulated_seconds"] > 12


def crowded(cookie: str) -> dict:
    """A device so lively that something happens in it after all others are drained: its part is played again."""
    lively = {
        "sessionsPerDay": 1385.237,
        "sessionLength": {"mean": "18627ms"},
        "returnGap": {"min": "661ms", "max": "9926ms"},
        "returnChance": 0.1,
        "crashChance": 0.6,
        "passiveLaunchChance": 1,
    }
    return {
        "seed": 1186110847,
        "duration": "187116ms",
        "populations": [
            {
                "name": "p0", "devices": 2, "system": "declared", "sdk": {"preset": "rudderstack-ios"},
                "persona": lively,
            },
            {"name": "p2", "devices": 1, "system": "sensors", "sdk": {"cookie": cookie}},
        ],
    }  # fmt: skip


def test_a_part_that_is_played_again_without_its_secrets(tool: Tool):
    """The kept scenario has them masked: the joined report says so; with variables that are set it is the whole."""
    masked = play(tool, write_scenario(tool.folder, crowded("cookie-3e07")), 1, name="masked")
    merge(tool, masked, name="with-mask").expect(0)
    (warning,) = report(tool.folder / "with-mask")["warnings"]
    assert "part 0/1 had to be played again" in warning and "secrets written in it are masked" in warning

    path = write_scenario(tool.folder, crowded("${SHOP_COOKIE}"))
    set_here = {"SHOP_COOKIE": "cookie-3e07"}
    tool.run("simulate", path, "--out", tool.folder / "one", "--quiet", env=set_here).expect(0)
    arguments = ("--shard", "0/1", "--out", tool.folder / "named", "--quiet")
    tool.run("simulate", path, *arguments, env=set_here).expect(0)
    tool.run("merge", tool.folder / "named", "--out", tool.folder / "whole", "--quiet", env=set_here).expect(0)
    assert report(tool.folder / "whole") == report(tool.folder / "one")
    merge(tool, tool.folder / "named", name="unset").expect(0)
    (warning,) = report(tool.folder / "unset")["warnings"]
    assert "${SHOP_COOKIE} is not set here" in warning and "masked" not in warning
