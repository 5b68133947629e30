"""Exit codes and messages, scenarios and their schema: what scripts rely on."""

from __future__ import annotations

import copy
import ctypes
import json
import shlex
import os
import re
import resource
import signal
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from conftest import HANG, ROOT, Running, Tool
from helpers import (
    SHIPPED,
    assert_events_agree,
    closed_port,
    read_events,
    read_late,
    read_report,
    steady,
    write_scenario,
)

#: Seconds that it takes: the longest go first.
LONG = 100

SCHEMA = ROOT / "scenarios" / "scenario.schema.json"


def quick(**changes) -> dict:
    return steady(2, "5s", **changes)


# Help


def test_help_names_the_variables_that_stand_for_options(tool: Tool):
    text = tool.run("--help").expect(0).out
    named = set(re.findall(r"(?:BEACONSWARM|\s)_([A-Z_]+)", text))
    source = (ROOT / "Sources" / "Beaconswarm" / "Run" / "RunOptions+Environment.swift").read_text()
    lists = re.findall(r"static let of(?:Scenario|Run) = \[(.*?)\]", source, re.S)
    known = {name for names in lists for name in re.findall(r'"([A-Z_]+)"', names)}
    # A token is no option, because others would see it.
    assert len(lists) == 2 and named == known - {"UI_TOKEN"}
    options = tool.run("run", "--help").expect(0).out + tool.run("simulate", "--help").expect(0).out
    for name in named:
        assert "--" + name.lower().replace("_", "-") + " " in options, name
    # The exit codes stand in a column of their own on a terminal of 80.
    codes = text.split("Exit codes:")[1].split("Variables")[0]
    assert all(line.startswith("  ") for line in codes.splitlines() if line), codes


def test_help_lists_verbs_and_each_has_its_own(tool: Tool):
    text = tool.run("--help").expect(0).out
    verbs = re.findall(r"^  ([a-z][a-z-]*)(?: \(default\))?  +\S", text.split("SUBCOMMANDS:")[1], re.MULTILINE)
    assert {"run", "simulate", "collect", "audit", "sample", "report", "validate", "schema"} <= set(verbs)
    # The same ones as those that a wrong word is told of.
    known = re.search(r"the verbs are (.*);", tool.run("no-such-verb").expect(64).err)
    assert known and known[1].split(", ") == verbs
    for verb in verbs:
        described = tool.run(verb, "--help").expect(0).out
        assert "USAGE" in described and "not implemented" not in described.lower()


def test_version(tool: Tool):
    assert re.match(r"\d+\.\d+", tool.run("--version").expect(0).out)


# 64: wrong usage


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["simulate", "s.json", "--no-such-option"],
        ["no-such-verb"],
        ["simulate", "s.json", "--devices", "many"],
        ["report", "nowhere"],
        ["audit", "nowhere", "--receipts", "nothing.ndjson"],
        ["collect", "--listen", "nonsense", "--store", "s.sqlite"],
        ["collect", "--store", "s.sqlite", "--systems", "sensors,nonsense"],
        ["simulate", "s.json", "--events", "events.txt"],
    ],
)
def test_wrong_usage_is_64(tool: Tool, tmp_path: Path, arguments: list[str]):
    write_scenario(tmp_path, quick(), "s.json")
    finished = tool.run(*arguments).expect(64)
    assert finished.err.strip(), str(finished)
    assert not (tmp_path / "s.sqlite").exists() and not (tmp_path / "reports").exists(), str(finished)


@pytest.mark.parametrize("verb", ["run", "simulate"])
def test_nothing_that_exists_is_overwritten(tool: Tool, tmp_path: Path, verb: str):
    scenario = write_scenario(tmp_path, quick())
    events, out = tmp_path / "events.ndjson", tmp_path / "out"
    events.write_text("mine\n")
    finished = tool.run(verb, scenario, "--out", out, "--events", events).expect(64)
    assert str(events) in finished.err and not out.exists(), str(finished)
    out.mkdir()
    finished = tool.run(verb, scenario, "--out", out, "--events", tmp_path / "new.ndjson").expect(64)
    assert str(out) in finished.err, str(finished)
    assert events.read_text() == "mine\n" and not list(out.iterdir())
    assert not list(tmp_path.glob("new.ndjson*")), "an events file was begun for a run that did not begin"


# 69: nobody there


def test_a_target_that_is_down_is_69(tool: Tool, tmp_path: Path):
    with closed_port() as port:
        finished = tool.run(
            "run",
            write_scenario(tmp_path, quick()),
            "--target",
            f"http://127.0.0.1:{port}/sa?token=hushhush",
            "--out",
            tmp_path / "out",
        ).expect(69)
    assert str(port) in finished.err and "hushhush" not in finished.err, str(finished)
    assert not (tmp_path / "out").exists(), "nothing was run, so nothing is left behind"


def test_a_name_without_an_address_is_69(tool: Tool, tmp_path: Path):
    finished = tool.run(
        "run",
        write_scenario(tmp_path, quick()),
        "--target",
        "http://no-such-host.invalid/sa",
        "--i-own",
        "no-such-host.invalid",
        "--out",
        tmp_path / "out",
    ).expect(69)
    assert "no-such-host.invalid" in finished.err, str(finished)


# 99: thresholds


@pytest.mark.parametrize(
    "expressions, code, verdict",
    [
        ({"events_captured": ["count>0"]}, 0, "passed"),
        ({"events_captured": ["count>0", "count<1"]}, 99, "failed"),
        ({"http_req_duration{population:ios}": ["p(99)<0.000001"]}, 99, "failed"),
        ({"http_req_tls_handshaking": ["avg<1000"]}, 99, "failed"),
    ],
)
def test_thresholds(tool: Tool, tmp_path: Path, expressions: dict, code: int, verdict: str):
    """The last one has no samples in plain HTTP: a metric without samples fails."""
    out = tmp_path / "out"
    finished = tool.run("simulate", write_scenario(tmp_path, quick(thresholds=expressions)), "--out", out).expect(
        code
    )
    report = read_report(out)
    assert report["verdict"] == verdict
    assert [threshold["ok"] for threshold in report["thresholds"]].count(False) == (1 if code else 0)
    assert (out / "junit.xml").exists()
    if code:
        failed = next(threshold for threshold in report["thresholds"] if not threshold["ok"])
        assert failed["expression"] in finished.out + finished.err, str(finished)


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_a_threshold_can_end_the_run(tool: Tool, tmp_path: Path, verb: str):
    thresholds = {"events_captured": [{"threshold": "count<20", "abortOnFail": True}]}
    out = tmp_path / "out"
    tool.run(verb, write_scenario(tmp_path, steady(4, "1h", thresholds=thresholds)), "--out", out).expect(99)
    report = read_report(out)
    assert report["simulated_seconds"] < 600 and report["events"]["balance"] == 0
    assert 0 < report["users_seconds"] <= report["simulated_seconds"], "what a day of a user costs hangs on it"
    cases = {case.get("name"): case for case in ElementTree.parse(out / "junit.xml").iter("testcase")}
    (failure,) = cases["the run reached its end"]
    assert failure.tag == "failure" and failure.get("message").startswith("events_captured: count<20 ended it after ")


# 104: wrong scenarios


def test_a_missing_scenario_is_104(tool: Tool, tmp_path: Path):
    for verb in ("run", "simulate", "validate", "sample"):
        finished = tool.run(verb, tmp_path / "none.json").expect(104)
        assert "none.json" in finished.err, str(finished)


@pytest.mark.parametrize("text", ["", "{", '{"name": "x",, }', '{"a": 1} trailing', "\x00", '{"name": "\\ud800"}'])
def test_bad_json_is_104(tool: Tool, tmp_path: Path, text: str):
    path = tmp_path / "bad.json"
    path.write_text(text)
    finished = tool.run("simulate", path).expect(104)
    assert re.search(r"bad\.json:\d+:\d+", finished.err), f"no place in the file\n{finished}"


def test_comments_and_trailing_commas_are_accepted(tool: Tool, tmp_path: Path):
    path = tmp_path / "relaxed.json"
    text = json.dumps(quick(), indent=1).replace('"seed": 7,', '"seed": 7, // lucky').replace("}\n ]", "},\n ]")
    path.write_text(text)
    assert "// lucky" in text and "},\n ]" in text
    tool.run("validate", path).expect(0)


def test_every_problem_is_told_with_pointer_and_nearest_name(tool: Tool, tmp_path: Path):
    scenario = quick(durration="5s", thresholds={"events_losst": ["rate<1"], "events_lost": ["rate<<1"]})
    population = scenario["populations"][0]
    population["devices"] = 0
    population["sdk"]["upload"]["flushBulkSice"] = 50
    population["sdk"]["storage"] = {"limit": "many"}
    population["version"] = "4.9.2"
    scenario["timeline"] = [{"at": "1s", "collector": {"fault": "outige"}}]
    path = write_scenario(tmp_path, scenario)
    finished = tool.run("run", path, "--out", tmp_path / "out").expect(104)
    expected = {
        "/durration": "duration",
        "/populations/0/devices": None,
        "/populations/0/sdk/upload/flushBulkSice": "flushBulkSize",
        "/populations/0/sdk/storage/limit": None,
        "/populations/0/version": "4.9.1",
        "/timeline/0/collector/fault": "outage",
        "/thresholds/events_losst": "events_lost",
        "/thresholds/events_lost": None,
    }
    for pointer, nearest in expected.items():
        lines = [line for line in finished.err.splitlines() if re.search(re.escape(pointer) + r"(?![A-Za-z])", line)]
        assert lines, f"nothing about {pointer}\n{finished}"
        if nearest:
            assert any(nearest in line.split(pointer, 1)[1] for line in lines), f"{pointer}: no {nearest}\n{finished}"
    assert not (tmp_path / "out").exists(), "nothing runs"
    assert finished.out == "", str(finished)


@pytest.mark.parametrize(
    "override, mentioned",
    [
        ("populations.0.devizes=3", "devices"),
        ("seed=abc", "seed"),
        ("/populations/0/devices=-1", "devices"),
        ("nonsense", "nonsense"),
    ],
)
def test_wrong_overrides_are_told(tool: Tool, tmp_path: Path, override: str, mentioned: str):
    finished = tool.run("simulate", write_scenario(tmp_path, quick()), "--set", override)
    finished.expect(64, 104)
    assert mentioned in finished.err, str(finished)


def test_precedence_default_file_environment_option(tool: Tool, tmp_path: Path):
    scenario = write_scenario(tmp_path, quick())
    for name, options, environment, seed, devices in [
        ("file", [], {}, 7, 2),
        ("environment", [], {"BEACONSWARM_SEED": "8", "BEACONSWARM_DEVICES": "3"}, 8, 3),
        ("option", ["--seed", 9, "--set", "populations.0.devices=4"], {"BEACONSWARM_SEED": "8"}, 9, 4),
    ]:
        out = tmp_path / name
        tool.run("simulate", scenario, "--out", out, "-q", *options, env=environment).expect(0)
        report = read_report(out)
        assert (report["seed"], report["devices"]) == (seed, devices), name


@pytest.mark.parametrize(
    ("options", "environment", "seed", "devices"),
    [
        ([], {"SEED": "8", "DEVICES": "3", "SET": "drain=3s\nduration=4s"}, 8, 3),
        # What a command sets wins over variables, and still does as the command is repeated.
        (["--set", "duration=5s"], {"DURATION": "4s", "SET": "duration=3s"}, 7, 2),
        (["--set", "seed=9", "--devices", 4], {"SEED": "8", "DEVICES": "3"}, 9, 4),
    ],
)
def test_the_command_that_repeats_a_run_needs_no_environment(
    tool: Tool, tmp_path: Path, options: list, environment: dict, seed: int, devices: int
):
    scenario = write_scenario(tmp_path, quick())
    environment = {f"BEACONSWARM_{name}": value for name, value in environment.items()}
    tool.run("simulate", scenario, *options, "--out", "one", "-q", env=environment).expect(0)
    summary = (tool.folder / "one/summary.md").read_text()
    words = shlex.split(next(line for line in summary.splitlines() if " simulate " in line and "--seed" in line))
    tool.run(*words[1:], "--out", "two").expect(0)
    one, two = read_report(tool.folder / "one"), read_report(tool.folder / "two")
    assert one["fingerprint"] == two["fingerprint"] and (two["devices"], two["seed"]) == (devices, seed), words


def test_secrets_stay_secret(tool: Tool, tmp_path: Path, reference_collector):
    """`${NAME}` is the environment's; its value is sent, but never told."""
    collector = reference_collector()
    scenario = quick(target={"url": collector.url, "headers": {"X-Env": "${STAGE_SECRET}"}})
    scenario["duration"], scenario["drain"] = "2s", "2s"
    path = write_scenario(tmp_path, scenario)
    finished = tool.run("run", path, "--out", tmp_path / "unset").expect(104)
    assert "STAGE_SECRET" in finished.err, str(finished)
    finished = tool.run(
        "run",
        path,
        "--out",
        tmp_path / "out",
        "--events",
        tmp_path / "e.ndjson",
        env={"STAGE_SECRET": "verysecret123"},
    )
    finished.expect(0, 96)
    texts = [finished.out, finished.err] + [file.read_text() for file in (tmp_path / "out").iterdir()]
    assert not [text for text in texts if "verysecret123" in text]
    assert collector.stop().requests


SECRETS = {"STAGE_SECRET": "verysecret123", "OTHER_SECRET": "swordfish77"}


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_secrets_in_names_and_data_stay_secret(tool: Tool, tmp_path: Path, verb: str):
    """Names of populations, screens and events, and what interceptors set, can come from the environment too."""
    scenario = quick()
    population = scenario["populations"][0] | {"app": "own", "persona": "steady"}
    growing = {"system": "growing", "devices": 2, "app": "own", "persona": "steady"}
    growing["sdk"] = {
        "events": [{"name": "own${STAGE_SECRET}", "when": "launch"}],
        "interceptors": [{"on": "eventDidBuild", "copyTo": "own", "set": {"attributes.by": "${OTHER_SECRET}"}}],
    }
    scenario["apps"] = {
        "own": {
            "screens": [{"name": "home", "title": "${STAGE_SECRET}"}],
            "events": [
                {"name": "ev${STAGE_SECRET}", "on": "launch", "properties": {"p": {"constant": "${OTHER_SECRET}"}}}
            ],
        }
    }
    scenario["populations"] = [
        population | {"name": "on-${STAGE_SECRET}"},
        population | {"name": "on-${OTHER_SECRET}"},
        growing | {"name": "copied"},
    ]
    offline = {"at": "1s", "for": "1s", "device": {"network": "none"}}
    scenario["timeline"] = [offline | {"population": "on-${STAGE_SECRET}"}]
    # Keys are not substituted: whoever writes a secret there has shown it.
    scenario["thresholds"] = {"events_captured{population:on-swordfish77}": ["count>0"]}
    out, events = tmp_path / "out", tmp_path / "events.ndjson"
    path = write_scenario(tmp_path, scenario)
    finished = tool.run(verb, path, "--out", out, "--events", events, env=SECRETS).expect(0, 96)
    texts = {"out": finished.out, "err": finished.err, "events": events.read_text()}
    texts |= {file.name: file.read_text() for file in out.iterdir()}
    assert "copy-own.ndjson" in texts and texts["copy-own.ndjson"].count("[redacted]") > 0
    leaks = [name for name, text in texts.items() for secret in SECRETS.values() if secret in text]
    assert not leaks, leaks
    report = read_report(out)
    assert list(report["populations"]) == ["on-[redacted]", "on-[redacted]-2", "copied"]
    assert all(threshold["ok"] and threshold["value"] > 0 for threshold in report["thresholds"])
    assert_events_agree(report["events"], read_events(events))


# 105: interrupted


def interrupted_scenario() -> dict:
    """A run whose drain is long, against a collector that answers nothing for a while."""
    scenario = steady(20, "3m", drain="5m")
    scenario["populations"][0]["sdk"]["upload"] |= {"timeout": "60s"}
    return scenario


def test_ctrl_c_ends_gracefully(tool: Tool, tmp_path: Path, reference_collector):
    collector = reference_collector()
    events, out = tmp_path / "events.ndjson", tmp_path / "out"
    running = tool.start(
        "run",
        write_scenario(tmp_path, interrupted_scenario()),
        "--target",
        collector.url,
        "--out",
        out,
        "--events",
        events,
    )
    running.wait_until(lambda: len(collector.ledger.requests) > 30, "sent 30 requests")
    running.signal(signal.SIGINT)
    ended = running.wait().expect(105)
    told = [line for line in ended.err.splitlines() if line.startswith("stopping: ")]
    assert told == ["stopping: no more user actions; draining for up to 5m; interrupt again to end at once"], str(ended)
    # The plan's end is none of the drain's.
    assert not re.search(r"draining \S+/3m", ended.err), str(ended)
    ledger, lines, report = collector.stop(), read_events(events), read_report(out)
    assert report["verdict"] == "interrupted"
    assert_events_agree(report["events"], lines)
    assert {line["id"] for line in lines if line["fate"] == "delivered"} == ledger.acknowledged()
    assert report["events"]["pending"]["in_flight"] == 0
    assert report["events"]["pending"]["stored"] == 0, "the drain sends what is stored"
    assert (out / "report.html").exists() and not list(tmp_path.rglob("*.partial*"))


def test_the_second_ctrl_c_ends_at_once(tool: Tool, tmp_path: Path, reference_collector):
    collector = reference_collector(kinds={"stall": 1})
    events, out = tmp_path / "events.ndjson", tmp_path / "out"
    running = tool.start(
        "run",
        write_scenario(tmp_path, interrupted_scenario()),
        "--target",
        collector.url,
        "--out",
        out,
        "--events",
        events,
    )
    running.wait_until(lambda: len(collector.ledger.requests) >= 10, "sent 10 requests")
    running.signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        running.process.wait(1.5)
    # Two that wait to be heard are one.
    running.wait_until(lambda: "stopping: " in running.err, "heard the first signal")
    running.signal_again(signal.SIGINT)
    ended = running.wait(20).expect(105)
    assert "interrupted again" in ended.err, str(ended)
    report, lines = read_report(out), read_events(events)
    assert report["verdict"] == "interrupted" and report["events"]["captured"] > 0
    assert_events_agree(report["events"], lines)
    assert report["events"]["pending"]["in_flight"] > 0, "what was never answered is pending"
    assert (out / "report.html").exists() and not list(tmp_path.rglob("*.partial*"))


def test_the_end_of_the_terminal_ends_gracefully(tool: Tool, tmp_path: Path, reference_collector):
    collector = reference_collector()
    out = tmp_path / "out"
    running = tool.start("run", write_scenario(tmp_path, steady(5, "3m")), "--target", collector.url, "--out", out)
    running.wait_until(lambda: len(collector.ledger.requests) > 3, "sent requests")
    running.signal(signal.SIGHUP)
    running.wait().expect(105)
    report = read_report(out)
    assert report["verdict"] == "interrupted" and report["events"]["balance"] == 0


def test_an_interrupt_before_the_clock_begins_leaves_no_negative_time(tool: Tool, tmp_path: Path):
    """The folder is there before the start: nothing is left of it, or a run that took no time."""
    out = tmp_path / "out"
    running = tool.start("run", write_scenario(tmp_path, steady(20, "3m", drain="1s")), "--out", out)
    running.wait_until(lambda: (out / "report.partial.json").exists(), "made its folder")
    running.signal(signal.SIGINT)
    ended = running.wait().expect(105)
    assert " -" not in ended.out.partition("live · ")[2].partition("\n")[0], str(ended)
    reports = [json.loads(path.read_text()) for path in out.glob("report*.json")]
    assert all(report["simulated_seconds"] >= 0 for report in reports), reports
    assert bool(reports) == out.exists() == ("nothing was run" not in ended.err), f"{list(tmp_path.iterdir())}\n{ended}"


def test_nohup_outlives_its_terminal(binary: Path, tmp_path: Path):
    scenario = write_scenario(tmp_path, steady(2, "3s", drain="0s"))
    command = ["nohup", str(binary), "run", str(scenario), "--out", str(tmp_path / "out")]
    with open(tmp_path / "said", "wb") as said:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=tmp_path)
    deadline = time.monotonic() + HANG
    while not (tmp_path / "out" / "report.partial.json").exists() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGHUP)
    assert process.wait(HANG) in (0, 96), (tmp_path / "said").read_text()
    assert read_report(tmp_path / "out")["verdict"] != "interrupted"


def long_simulation() -> dict:
    scenario = steady(200, "365d")
    scenario["populations"][0]["persona"] = "power"
    return scenario


def test_the_second_ctrl_c_ends_a_simulation_at_once(tool: Tool, tmp_path: Path):
    """Nothing is drained, and the books are closed: what was measured so far is there."""
    out, events = tmp_path / "out", tmp_path / "events.ndjson"
    scenario = long_simulation() | {"drain": "30d"}
    # Every device keeps rows that it cannot send, so the drain would go on and on.
    scenario["timeline"] = [{"at": "0s", "device": {"network": "none"}}]
    running = tool.start("simulate", write_scenario(tmp_path, scenario), "--out", out, "--events", events)
    running.wait_until(lambda: captured_so_far(out) > 0, "captured something")
    running.signal(signal.SIGTERM)
    running.wait_until(lambda: "stopping: " in running.err, "heard the first signal")
    running.signal_again(signal.SIGTERM)
    running.wait(60).expect(105)
    report = read_report(out)
    assert report["verdict"] == "interrupted" and report["events"]["captured"] > 0
    assert_events_agree(report["events"], read_events(events))
    assert not list(tmp_path.rglob("*.partial*"))


def captured_so_far(out: Path) -> int:
    partial = out / "report.partial.json"
    return json.loads(partial.read_text())["events"]["captured"] if partial.exists() else 0


def test_a_simulation_that_is_killed_leaves_a_partial_report(tool: Tool, tmp_path: Path):
    out = tmp_path / "out"
    running = tool.start("simulate", write_scenario(tmp_path, long_simulation()), "--out", out)
    running.wait_until(lambda: captured_so_far(out) > 0, "captured something")
    running.kill()
    assert not (out / "report.json").exists()
    report = json.loads(tool.run("report", out, "--format", "json").expect(0).out)
    assert report["partial"] and report["mode"] == "virtual" and report["events"]["captured"] > 0
    assert "broke off" in tool.run("report", out).expect(0).out


def test_progress_goes_by_the_clock_on_the_wall(tool: Tool, tmp_path: Path):
    """A month in a few seconds: no line for every ten seconds of its people."""
    scenario = steady(20, "30d")
    scenario["populations"][0]["persona"] = "casual"
    began = time.monotonic()
    finished = tool.run("simulate", write_scenario(tmp_path, scenario), "--out", tmp_path / "out").expect(0)
    took = time.monotonic() - began
    lines = [line for line in finished.err.splitlines() if line.startswith("simulating")]
    assert len(lines) <= 2 + took / 10, finished.err


def test_the_environment_stands_for_options(tool: Tool, tmp_path: Path):
    scenario = write_scenario(tmp_path, steady(2, "2s"))
    environment = {"BEACONSWARM_OUT": str(tmp_path / "named"), "BEACONSWARM_OTU": "x"}
    told = tool.run("simulate", scenario, env=environment).expect(0)
    assert "warning: environment: BEACONSWARM_OTU means nothing; known are " in told.err, str(told)
    report = read_report(tmp_path / "named")
    assert report["events"]["captured"] > 0
    assert any("BEACONSWARM_OTU" in warning for warning in report["warnings"]), report["warnings"]
    tool.run("simulate", scenario, "--out", tmp_path / "chosen", env=environment).expect(0)
    assert (tmp_path / "chosen" / "report.json").exists(), "an option wins over the environment"
    wrong = tool.run("run", scenario, env={"BEACONSWARM_THREADS": "many"}).expect(64)
    assert "BEACONSWARM_THREADS" in wrong.err and "many" in wrong.err
    wrong = tool.run("generate", scenario, "--out", "rows", env={"BEACONSWARM_THREADS": "many"}).expect(64)
    assert 'BEACONSWARM_THREADS: found "many"' in wrong.err and not (tmp_path / "rows").exists()
    tool.run("generate", scenario, "--out", "rows", "--threads", 1, env={"BEACONSWARM_THREADS": "many"}).expect(0)


@pytest.mark.parametrize("options, name", [([], "named.sqlite"), (["--store", "chosen.sqlite"], "chosen.sqlite")])
def test_the_environment_stands_for_a_collectors_store(tool: Tool, tmp_path: Path, options: list, name: str):
    running = tool.start(
        "collect", "--listen", "127.0.0.1:0", *options, env={"BEACONSWARM_STORE": "named.sqlite"})
    running.wait_until(lambda: "collecting on" in running.out, "said that it was ready")
    running.signal(signal.SIGTERM)
    running.wait().expect(0)
    assert f" into {name}: " in running.out and [file.name for file in tmp_path.glob("*.sqlite")] == [name]


@pytest.mark.parametrize(
    "option, value", [("variant", "none"), ("ui", "x"), ("otlp", "x"), ("scrape", "x"), ("receipts", "x")]
)
def test_an_error_names_the_variable_that_its_value_came_from(tool: Tool, tmp_path: Path, option: str, value: str):
    scenario = write_scenario(tmp_path, steady(2, "1s"))
    variable = f"BEACONSWARM_{option.upper()}"
    said = tool.run("run", scenario, "--out", tmp_path / "a", env={variable: value}).expect(64, 104).err
    assert variable in said and f"--{option}" not in said
    # An option wins, and is named itself.
    said = tool.run("run", scenario, "--out", tmp_path / "b", f"--{option}={value}", env={variable: value})
    assert f"--{option}" in said.expect(64, 104).err and variable not in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "SCENARIO", "--out", ""],
        ["simulate", ""],
        ["generate", "SCENARIO", "--out", ""],
        ["merge", "", "--out", "joined"],
        ["simulate", "SCENARIO", "--events", ""],
        ["simulate", "SCENARIO", "--keep-stores", ""],
        ["run", "SCENARIO", "--out", ""],
        ["run", "SCENARIO", "--events", ""],
        ["run", "SCENARIO", "--store", ""],
        ["run", "SCENARIO", "--receipts", "", "--target", "http://127.0.0.1:9/"],
        ["capacity", "SCENARIO", "--virtual", "--out", ""],
        ["collect", "--listen", "127.0.0.1:0", "--store", ""],
        ["collect", "--listen", "127.0.0.1:0", "--faults", ""],
        ["report", ""],
        ["audit", "", "--receipts", "SCENARIO"],
        ["audit", ".", "--receipts", ""],
        ["audit", ".", "--receipts", "SCENARIO", "--events", ""],
    ],
)
def test_empty_names_of_files_are_wrong_usage(tool: Tool, tmp_path: Path, arguments: list[str]):
    """An empty name joined with a file's would be one in the root folder."""
    scenario = str(write_scenario(tmp_path, steady(2, "2s")))
    before = set(os.listdir("/"))
    finished = tool.run(*[scenario if argument == "SCENARIO" else argument for argument in arguments]).expect(64)
    assert "empty value" in finished.err, str(finished)
    assert set(os.listdir("/")) == before and not (tmp_path / "reports").exists()


@pytest.mark.parametrize("name", ["OUT", "EVENTS", "RECEIPTS", "STORE", "KEEP_STORES"])
def test_empty_names_of_files_in_the_environment_are_wrong_usage(tool: Tool, tmp_path: Path, name: str):
    scenario = write_scenario(tmp_path, steady(2, "2s"))
    finished = tool.run("run", scenario, env={f"BEACONSWARM_{name}": ""}).expect(64)
    assert f"BEACONSWARM_{name}" in finished.err and not (tmp_path / "reports").exists(), str(finished)


def test_what_the_environment_says_for_the_other_world_has_no_effect(tool: Tool, tmp_path: Path):
    """A CI sets its variables for all that it runs."""
    scenario = write_scenario(tmp_path, steady(2, "1s"))
    (tmp_path / "there").write_text("mine")
    for_live = {"STORE": "there", "RECEIPTS": "nowhere", "MAX_RATE": "none", "TARGETS": "nowhere", "SCRAPE": "x"}
    environment = {f"BEACONSWARM_{name}": value for name, value in for_live.items()}
    tool.run("simulate", scenario, "--out", "simulated", "-q", env=environment).expect(0)
    empty = dict.fromkeys(environment, "")
    tool.run("simulate", scenario, "--out", "again", "-q", env=empty).expect(0)
    for_simulations = {"BEACONSWARM_SEEDS": "none", "BEACONSWARM_BODIES": "none"}
    tool.run("run", scenario, "--out", "live", "-q", env=for_simulations).expect(0, 96)
    assert (tmp_path / "there").read_text() == "mine"


@pytest.mark.parametrize(("name", "option"), [("TARGET", "http://127.0.0.1:1/sa"), ("MAX_RATE", "1000"), ("DEVICES", "2")])
def test_what_says_where_and_how_much_to_send_must_not_be_empty(tool: Tool, tmp_path: Path, name: str, option: str):
    """A secret that a CI does not have is an empty variable: the run would go elsewhere, or without its limit, and pass."""
    scenario = write_scenario(tmp_path, steady(2, "1s"))
    environment = {f"BEACONSWARM_{name}": ""}
    refused = tool.run("run", scenario, "--out", "out", env=environment).expect(64 if name == "MAX_RATE" else 104)
    assert f"BEACONSWARM_{name}: " in refused.err and not (tmp_path / "out").exists(), str(refused)
    word = f"--{name.lower().replace('_', '-')}"
    told = tool.run("run", scenario, "--out", "out", word, option, env=environment).expect(69 if name == "TARGET" else 0)
    assert f"BEACONSWARM_{name}" not in told.err, str(told)


def test_outputs_that_cannot_be_made_are_wrong_usage(tool: Tool, tmp_path: Path):
    scenario = write_scenario(tmp_path, steady(2, "2s"))
    (tmp_path / "file").write_text("in the way")
    folder = tool.run("simulate", scenario, "--out", tmp_path / "file" / "out").expect(64)
    assert str(tmp_path / "file") in folder.err
    missing = tmp_path / "nowhere" / "events.ndjson"
    events = tool.run("simulate", scenario, "--out", tmp_path / "out", "--events", missing).expect(64)
    assert str(missing) in events.err and not (tmp_path / "out").exists(), "nothing is left behind"


def test_results_that_get_lost_on_standard_output_are_no_success(binary: Path):
    """A full disk behind standard output; a reader that goes away is no failure."""
    with open("/dev/full", "wb") as full:
        lost = subprocess.run([binary, "schema"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert lost.returncode == 70 and "standard output: No space left on device" in lost.stderr
    reading, writing = os.pipe()
    os.close(reading)
    left = subprocess.run([binary, "schema"], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert left.returncode in (0, -signal.SIGPIPE) and left.stderr == ""


def test_results_for_a_closed_standard_output_are_no_success(binary: Path, tmp_path: Path):
    """Nor do they go into whatever has its number."""
    path = write_scenario(tmp_path, quick())

    def closed(*command) -> subprocess.CompletedProcess:
        return subprocess.run(
            [binary, *command], stderr=subprocess.PIPE, text=True, cwd=tmp_path, preexec_fn=lambda: os.close(1)
        )

    lost = closed("validate", path)
    assert lost.returncode == 70 and "standard output: Bad file descriptor" in lost.stderr, lost
    assert closed("simulate", path, "--out", "quiet", "-q").returncode == 0


@pytest.mark.parametrize("ignored", [False, True])
def test_a_quit_ends_the_process_unless_it_is_ignored(binary: Path, tmp_path: Path, ignored: bool):
    def prepare() -> None:
        signal.signal(signal.SIGQUIT, signal.SIG_IGN if ignored else signal.SIG_DFL)

    command = [binary, "collect", "--listen", "127.0.0.1:0", "--store", tmp_path / "s.sqlite"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=prepare)
    assert "http://127.0.0.1:" in process.stdout.readline()
    process.send_signal(signal.SIGQUIT)
    if ignored:
        process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=HANG)
    assert process.returncode == (0 if ignored else -signal.SIGQUIT) and "crash" not in said, said


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_pipe_that_does_not_block_gets_everything(binary: Path, tmp_path: Path, stream: str):
    """Who shares a pipe may make it non-blocking for all; what does not fit at once is not lost."""
    command = [binary, "schema"]
    if stream == "stderr":
        scenario = quick(**{f"thereIsNoSuchKey{number}": number for number in range(500)})
        command = [binary, "validate", write_scenario(tmp_path, scenario)]
    usual = subprocess.run(command, capture_output=True, cwd=tmp_path)
    whole = getattr(usual, stream)
    assert len(whole) > 1 << 16, "more than fits into a pipe"
    assert read_late(command, stream, tmp_path) == (usual.returncode, whole)


def test_a_result_that_finds_no_room_is_told_all_the_same(binary: Path, tmp_path: Path):
    """The page does not fit: all else is there, the report tells of it, the code is of an internal error."""
    scenario = write_scenario(tmp_path, quick())
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60 << 10, 60 << 10))  # noqa: E731
    command = [binary, "simulate", scenario, "--out", tmp_path / "out", "--no-color"]
    finished = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    assert finished.returncode == 70 and "report.html" in finished.stderr and "too large" in finished.stderr
    assert "This report itself is whole" in " ".join(finished.stdout.split())
    assert "out/report.json" in finished.stdout and "out/report.html\n" not in finished.stdout
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert not any(name.endswith(".partial") for name in left) and "report.html" not in left
    assert {"report.json", "summary.md", "timeseries.csv", "beliefs.txt"} <= left
    report = read_report(tmp_path / "out")
    assert any("report.html" in reason for reason in report["reasons"]), report["reasons"]
    assert report["events"]["balance"] == 0 and report["exit_code"] == 70


def test_a_report_that_finds_no_room_leaves_the_summary(binary: Path, tmp_path: Path):
    scenario = write_scenario(tmp_path, quick())
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 10, 1 << 10))  # noqa: E731
    command = [binary, "simulate", scenario, "--out", tmp_path / "out", "--no-color"]
    finished = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    said = " ".join(finished.stdout.split())
    assert finished.returncode == 70 and "report.json" in finished.stderr, finished.stderr
    assert "Not even the report could be written" in said and "Only this summary exists." in said
    assert "itself is whole" not in said and "report: " not in finished.stdout
    assert not (tmp_path / "out" / "report.json").exists()


def test_sigterm_ends_a_simulation_gracefully(tool: Tool, tmp_path: Path):
    scenario = steady(200, "30d")
    scenario["populations"][0]["persona"] = "power"
    out = tmp_path / "out"
    running = tool.start("simulate", write_scenario(tmp_path, scenario), "--out", out)
    # Its folder is there before there is anything to be drained.
    running.wait_until(lambda: captured_so_far(out) > 0, "captured something")
    running.signal(signal.SIGTERM)
    ended = running.wait().expect(105)
    assert ended.err.count("stopping: no more user actions; draining for up to ") == 1, str(ended)
    report = read_report(tmp_path / "out")
    assert report["verdict"] == "interrupted" and report["events"]["balance"] == 0


def signal_twice(running: Running, number: signal.Signals) -> None:
    """Two signals at once, however long anybody is kept waiting between them: a process that is stopped keeps one that
    is for all of it beside one for a thread, and hears both when it goes on."""
    running.signal(signal.SIGSTOP)
    os.waitpid(running.pid, os.WUNTRACED)
    running.signal(number)
    assert ctypes.CDLL(None).tgkill(running.pid, running.pid, int(number)) == 0
    running.signal(signal.SIGCONT)


def test_a_signal_that_comes_twice_at_once_counts_once(tool: Tool, collect, tmp_path: Path):
    """`timeout` signals its child, and then its group."""
    for round in range(5):
        collector = collect(tmp_path / f"{round}.sqlite").running
        signal_twice(collector, signal.SIGTERM)
        assert "interrupted again" not in collector.wait().expect(0).err
    scenario = steady(200, "30d")
    scenario["populations"][0]["persona"] = "power"
    out = tmp_path / "out"
    running = tool.start("simulate", write_scenario(tmp_path, scenario), "--out", out)
    running.wait_until(lambda: captured_so_far(out) > 0, "captured something")
    signal_twice(running, signal.SIGTERM)
    ended = running.wait().expect(105)
    assert "stopping: " in ended.err and "interrupted again" not in ended.err, str(ended)
    assert read_report(out)["verdict"] == "interrupted"


# Outputs


def test_json_leaves_nothing_else_on_stdout(tool: Tool, tmp_path: Path):
    finished = tool.run("simulate", write_scenario(tmp_path, quick()), "--out", tmp_path / "out", "--json").expect(0)
    assert json.loads(finished.out) == read_report(tmp_path / "out")


def test_quiet_says_nothing(tool: Tool, tmp_path: Path):
    scenario = quick()
    scenario["populations"][0]["sdk"] = {}
    finished = tool.run("simulate", write_scenario(tmp_path, scenario), "--out", tmp_path / "out", "--quiet").expect(0)
    assert finished.out + finished.err == "", str(finished)


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_quiet_still_warns(tool: Tool, tmp_path: Path, verb: str):
    scenario = quick(timeline=[{"at": "1h", "device": {"network": "none"}}])
    finished = tool.run(verb, write_scenario(tmp_path, scenario), "--out", tmp_path / "out", "-q").expect(0, 96)
    lines = finished.err.splitlines()
    # A busy machine may make a live run late, which is a reason.
    assert lines and all(line.startswith(("warning: ", "invalid: ")) for line in lines), str(finished)
    assert any("/timeline/0/at" in line for line in lines), str(finished)


def test_quiet_says_why_a_run_did_not_pass(tool: Tool, tmp_path: Path):
    scenario = quick(thresholds={"events_captured": ["count<1", "count<2", "count>0"]})
    scenario["populations"][0]["sdk"] = {}
    path = write_scenario(tmp_path, scenario)
    finished = tool.run("simulate", path, "--out", "one", "-q").expect(99)
    reasons = read_report(tmp_path / "one")["reasons"]
    assert len(reasons) == 2 and finished.err.splitlines() == [f"failed: {reason}" for reason in reasons], str(finished)
    assert finished.out == ""
    # Of several it is said once, for all of them.
    finished = tool.run("simulate", path, "--seeds", 2, "--out", "two", "-q").expect(99)
    (line,) = finished.err.splitlines()
    assert line.startswith("failed: 2 of 2 simulations did not pass; base, seed 7: failed, exit code 99: "), line
    assert reasons[0].split(" with ")[0] in line and finished.out == "", str(finished)


def test_quiet_says_what_could_not_be_written_once(binary: Path, tmp_path: Path):
    scenario = write_scenario(tmp_path, quick())
    for limit, out in ((60 << 10, "page"), (1 << 10, "all")):
        command = [binary, "simulate", scenario, "--out", tmp_path / out, "-q"]
        limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # noqa: B023, E731
        finished = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
        assert finished.returncode == 70 and finished.stdout == "", finished.stderr
        assert "error: " in finished.stderr and "failed: " not in finished.stderr, finished.stderr


def test_a_warning_is_one_line_without_control_characters(tool: Tool, tmp_path: Path):
    """Names come from whoever wrote the scenario, and a terminal obeys what is in them."""
    name = "\u001b]0;title\u0007\u001b[31mred\nwarning: no"
    scenario = quick()
    scenario["apps"] = {"own": {"screens": [{"name": "A", "class": "AViewController"}], "events": [{"name": name, "on": "launch", "properties": {"a b": {"constant": 1}}}]}}
    scenario["populations"][0] |= {"app": "own", "system": "sensors", "version": "4.9.1"}
    path = write_scenario(tmp_path, scenario)
    for finished in (tool.run("validate", path), tool.run("simulate", path, "-q", "--out", "told")):
        told = finished.expect(0).out + finished.err
        assert "red" in told and not re.search(r"[\x00-\x09\x0b-\x1f]", told), str(finished)
        assert not re.search(r"^\s*warning: no", told, re.MULTILINE), str(finished)


def test_no_escape_codes_in_files(tool: Tool, tmp_path: Path):
    for environment in ({}, {"NO_COLOR": "1"}):
        finished = tool.run("simulate", write_scenario(tmp_path, quick()), env=environment).expect(0)
        assert "\x1b" not in finished.out + finished.err, repr(finished.out + finished.err)


def test_the_folders_default_name(tool: Tool, tmp_path: Path):
    finished = tool.run("simulate", write_scenario(tmp_path, quick())).expect(0)
    folders = list((tmp_path / "reports").iterdir())
    assert len(folders) == 1 and re.fullmatch(r"acceptance-virtual-\d{8}T\d{6}Z", folders[0].name)
    assert folders[0].name in finished.out + finished.err, "the folder's path is printed"


# The schema


def test_the_schema_that_ships_is_the_one_that_is_printed(tool: Tool):
    printed = tool.run("schema").expect(0).out
    assert printed == SCHEMA.read_text()
    jsonschema.Draft202012Validator.check_schema(json.loads(printed))
    assert json.loads(printed)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))


def test_some_scenarios_ship():
    assert len(SHIPPED) >= 5


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_scenario_keeps_to_the_schema(schema, path: Path):
    """That the program takes it, and what it forecasts, is known when it is played: see test_shipped_scenarios.py."""
    scenario = json.loads(path.read_text())
    problems = [f"{error.json_path}: {error.message}" for error in schema.iter_errors(scenario)]
    assert not problems, "\n".join(problems)
    assert scenario["description"].strip() and (path.parent / scenario["$schema"]).resolve() == SCHEMA


@pytest.mark.parametrize("name", ["smoke.json", "systems/mixed.json"])
def test_validate_tells_the_load_that_is_offered(tool: Tool, name: str):
    finished = tool.run("validate", SCHEMA.parent / name).expect(0)
    for word in ("ok", "events/s", "peak", "requests", "B/s", "connections|sockets", "memory"):
        assert re.search(word, finished.out), f"the offered load lacks {word}\n{finished}"


def test_validate_goes_on_after_a_bad_scenario(tool: Tool, tmp_path: Path):
    bad, good = write_scenario(tmp_path, quick(seed="x"), "bad.json"), write_scenario(tmp_path, quick(), "good.json")
    finished = tool.run("validate", bad, good).expect(104)
    assert "/seed" in finished.err and "good.json: ok" in finished.out, str(finished)


def test_validate_skips_the_schema(tool: Tool, tmp_path: Path):
    good = write_scenario(tmp_path, quick(), "good.json")
    finished = tool.run("validate", SCHEMA, good).expect(0)
    assert "skipped" in finished.out and "good.json: ok" in finished.out and not finished.err, str(finished)


def test_validate_skips_no_scenario_that_calls_itself_a_schema(tool: Tool, tmp_path: Path):
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    bad = write_scenario(tmp_path, quick() | {"duration": "10x"} | dialect, "bad.json")
    finished = tool.run("validate", bad).expect(104)
    assert "/duration" in finished.err and "skipped" not in finished.out, str(finished)


def mutations(scenario: dict):
    """Scenarios that are wrong in one place each, and where."""

    def changed(pointer: str, value) -> tuple[str, dict]:
        result = copy.deepcopy(scenario)
        *parents, last = pointer.strip("/").split("/")
        holder = result
        for key in parents:
            holder = holder[int(key)] if isinstance(holder, list) else holder.setdefault(key, {})
        holder[last] = value
        return pointer, result

    yield changed("/duration", 5)
    yield changed("/duration", "soon")
    yield changed("/seed", -1)
    yield changed("/seed", 1.5)
    yield changed("/name", "")
    yield changed("/populations", [])
    yield changed("/populations/0/devices", 0)
    yield changed("/populations/0/devices", "10")
    yield changed("/populations/0/system", "sensor")
    yield changed("/populations/0/version", "9.9")
    yield changed("/populations/0/unknown", 1)
    yield changed("/populations/0/sdk/debugMode", "on")
    yield changed("/populations/0/sdk/upload/networks", ["lte"])
    yield changed("/populations/0/sdk/upload/keepStatuses", [42])
    yield changed("/populations/0/sdk/storage/limit", 1)
    yield changed("/tagEvents", "yes")
    yield changed("/timeline", [{"at": "1s", "collector": {"fault": "status", "status": 199}}])
    yield changed("/timeline", [{"at": "1s", "share": 2, "collector": {"fault": "reset"}}])
    yield changed("/timeline", [{"collector": {"fault": "reset"}}])


def test_what_the_schema_rejects_the_program_rejects(tool: Tool, tmp_path: Path, schema):
    wrong = []
    for number, (pointer, scenario) in enumerate(mutations(quick())):
        if schema.is_valid(scenario):
            wrong.append(f"the schema accepts {pointer}: {json.dumps(scenario)}")
        path = write_scenario(tmp_path, scenario, f"mutation-{number}.json")
        finished = tool.run("validate", path)
        if finished.code != 104 or pointer.split("/")[-1] not in finished.err:
            wrong.append(f"validate does not name {pointer}\n{finished}")
    assert not wrong, "\n".join(wrong)


def test_a_store_is_the_embedded_collectors(tool: Tool):
    scenario = write_scenario(tool.folder, quick())
    ended = tool.run("run", scenario, "--target", "http://127.0.0.1:9/sa", "--store", "s.sqlite").expect(64)
    assert "--store keeps the embedded collector's store" in ended.err and not (tool.folder / "s.sqlite").exists()
