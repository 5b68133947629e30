"""What somebody does who has the program and no checkout: shipped scenarios by name, and a first one of their own."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

from conftest import BINARY, HANG, ROOT, Tool
from helpers import read_report
from known_systems import DESCRIBED, built_in, presets

SHIPPED = {
    str(path.relative_to(ROOT / "scenarios").with_suffix("")): path
    for path in (ROOT / "scenarios").rglob("*.json")
    if path.name != "scenario.schema.json" and path.parent.name != "deploy"
}


# examples


def test_every_shipped_scenario_is_listed_with_a_line(tool: Tool):
    assert len(SHIPPED) > 30
    lines = tool.run("examples").expect(0).out.splitlines()
    rows = dict(re.fullmatch(r"(\S+) +(\S.*)", line).groups() for line in lines)
    assert sorted(rows) == sorted(SHIPPED)
    for name, words in rows.items():
        description = json.loads(SHIPPED[name].read_text())["description"]
        assert description.startswith(words.removesuffix("…").rstrip()), name
        assert len(words) > 20


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_a_copy_is_the_file_that_ships(tool: Tool, name: str):
    copied = tool.run("examples", name, "--out", "-").expect(0).out
    # Beside its schema, wherever it is copied to.
    assert copied == SHIPPED[name].read_text().replace('"../scenario.schema.json"', '"./scenario.schema.json"')


def test_a_copy_lies_beside_its_schema_and_overwrites_nothing(tool: Tool, tmp_path: Path):
    tool.run("examples", "policies/batch").expect(0)
    copy, schema = tmp_path / "batch.json", tmp_path / "scenario.schema.json"
    assert schema.read_text() == tool.run("schema").expect(0).out
    assert tmp_path / json.loads(copy.read_text())["$schema"] == schema
    copy.write_text("mine")
    assert "batch.json" in tool.run("examples", "policies/batch").expect(64).err
    assert copy.read_text() == "mine"
    schema.write_text("mine")
    tool.run("examples", "smoke", "--out", tmp_path / "other.json").expect(0)
    assert schema.read_text() == "mine" and json.loads((tmp_path / "other.json").read_text())["name"] == "smoke"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("smoke", "run smoke.json"),
        # Its three days are over in seconds.
        ("systems/kit-week", "run kit-week.json"),
        ("policies/batch", "simulate batch.json"),
        ("policies/rollout", "simulate rollout.json"),
        ("sdk/bad-day", "simulate bad-day.json"),
        ("datasets/shop", "generate shop.json --out DIR"),
        ("datasets/clickstream-1b", "generate clickstream-1b.json --out DIR"),
    ],
)
def test_a_copy_is_told_with_what_plays_it(tool: Tool, name: str, command: str):
    assert tool.run("examples", name).expect(0).err.splitlines()[-1] == f"beaconswarm {command}"


def test_an_unknown_example_is_told_with_the_nearest(tool: Tool, tmp_path: Path):
    assert '"smoke"' in tool.run("examples", "smoek").expect(64).err
    assert "--out" in tool.run("examples", "--out", "x.json").expect(64).err
    assert list(tmp_path.glob("*.json")) == []


@pytest.mark.parametrize("verb", ["simulate", "validate", "sample", "sweep", "capacity", "generate"])
def test_verbs_take_shipped_scenarios_by_name(tool: Tool, tmp_path: Path, verb: str):
    small = ["--devices", "5", "--duration", "5s"]
    options = {
        "simulate": [*small, "--out", "out"],
        "sweep": [*small, "--vary", "populations.0.sdk.upload.batch=10,20", "--out", "out"],
        "capacity": ["--devices", "5", "--virtual", "--max", "10", "--step", "5s", "--out", "out"],
        "generate": [*small, "--format", "ndjson", "--out", "out"],
    }
    finished = tool.run(verb, "smoke", *options.get(verb, []))
    # What a search finds is not the question here.
    finished.expect(*([0, 99] if verb == "capacity" else [0]))
    assert (tmp_path / "out").is_dir() == (verb in options)


def test_run_takes_a_shipped_scenario_by_name(tool: Tool, tmp_path: Path):
    out = tmp_path / "out"
    tool.run("run", "smoke", "--devices", 10, "--duration", "2s", "--set", "drain=1s", "--out", out).expect(0)
    assert read_report(out)["scenario"]["name"] == "smoke"


def test_a_file_comes_before_a_shipped_scenario_and_a_folder_does_not(tool: Tool, tmp_path: Path):
    (tmp_path / "smoke").mkdir()
    assert "200 devices" in tool.run("validate", "smoke").expect(0).out
    (tmp_path / "demo").write_text(SHIPPED["smoke"].read_text())
    assert "200 devices" in tool.run("validate", "demo").expect(0).out
    # A path of a checkout, where there is none.
    assert "mean smoke," in tool.run("validate", "scenarios/smoke.json").expect(104).err


# new


def relaxed(text: str) -> dict:
    """JSON whose lines may be comments."""
    return json.loads("\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//")))


@pytest.mark.parametrize("target", [None, "http://127.0.0.1:9/x"])
@pytest.mark.parametrize("sdk", built_in() + presets())
def test_a_first_scenario_is_sound_and_plays(tool: Tool, tmp_path: Path, sdk: str, target: str | None):
    options = ["--system", sdk] + (["--target", target] if target else [])
    tool.run("new", "mine", "--devices", "60", *options).expect(0)
    path = tmp_path / "mine.json"
    written = relaxed(path.read_text())
    schema = json.loads((tmp_path / written["$schema"]).read_text())
    jsonschema.Draft202012Validator(schema).validate(written)
    assert written["name"] == "mine" and written["populations"][0]["devices"] == 60
    assert written.get("target", {}).get("url") == target
    checked = tool.run("validate", path).expect(0)
    assert "60 devices for 1m" in checked.out and "warning" not in checked.out + checked.err
    if target:
        # Which makes no difference to a simulation.
        return
    tool.run("simulate", path, "--out", tmp_path / "out", "-q").expect(0)
    report = read_report(tmp_path / "out")
    assert report["events"]["delivered"] > 0 and report["events"]["balance"] == 0
    assert [population["system"] for population in report["populations"].values()] == [
        sdk if sdk in built_in() else DESCRIBED
    ]


def test_every_part_of_a_first_scenario_has_a_comment(tool: Tool):
    text = tool.run("new", "-").expect(0).out
    lines = [line.strip() for line in text.splitlines()]
    for key in ('"$schema"', '"seed"', '"duration"', '"populations"', '"system"', '"app"', '"timeline"', '"thresholds"'):
        (place,) = [index for index, line in enumerate(lines) if line.startswith(key)]
        assert lines[place - 1].startswith("//"), key


def test_nothing_is_asked_where_nobody_sits(tool: Tool, tmp_path: Path):
    finished = tool.run("new").expect(0)
    assert "?" not in finished.err and (tmp_path / "first.json").is_file()
    before = (tmp_path / "first.json").read_text()
    assert "first.json" in tool.run("new", "first", "--devices", 7).expect(64).err
    assert (tmp_path / "first.json").read_text() == before


@pytest.mark.parametrize(
    "options, told",
    [
        (["--system", "sensor"], '"sensors"'),
        (["--devices", "0"], "from 1"),
        (["--duration", "soon"], "1m30s"),
        (["--duration", "3651d"], '--duration: found "'),
        (["--target", "nonsense"], '--target: found "nonsense", allowed is a URL'),
        (["mine", "--target", "ftp://x"], '--target: found "ftp://x", allowed is http or https'),
        (["a b"], 'NAME: found "a b", allowed is a letter or digit'),
    ],
)
def test_wrong_options_of_new_write_nothing(tool: Tool, tmp_path: Path, options: list[str], told: str):
    assert told in tool.run("new", *options).expect(64).err
    assert list(tmp_path.glob("*.json")) == []


def test_a_target_with_a_variable_is_kept_as_it_is_written(tool: Tool, tmp_path: Path):
    target = "http://${OWN_COLLECTOR_HOST}:8106/sa"
    tool.run("new", "own", "--target", target, env={"OWN_COLLECTOR_HOST": "127.0.0.1"}).expect(0)
    assert target in (tmp_path / "own.json").read_text()
    refused = tool.run("new", "other", "--target", target).expect(64)
    assert "environment variable that is set" in refused.err and not (tmp_path / "other.json").exists()


def at_a_terminal(folder: Path, typed: str) -> tuple[int, str]:
    """Runs `new` at a terminal on which somebody types; what it said, and its exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [BINARY, "new"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
        env=os.environ | {"TERM": "dumb"},
    )
    try:
        os.close(theirs)
        os.write(ours, typed.encode())
        said, _ = process.communicate(timeout=HANG)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return process.returncode, said.decode()


def test_three_questions_at_a_terminal(tmp_path: Path):
    code, said = at_a_terminal(tmp_path, "posthog-ois\nposthog-ios\nmany\n 250 \nftp://x\n\n")
    assert code == 0, said
    questions = [line for line in said.replace("] ", "]\n").splitlines() if line.endswith("]")]
    # Each of them again, for answers that cannot be used.
    assert len(questions) == 6 and len(set(questions)) == 3, said
    assert 'did you mean "posthog-ios"?' in said and "whole number" in said and "http or https" in said
    written = relaxed((tmp_path / "first.json").read_text())
    (population,) = written["populations"]
    assert (population["sdk"], population["devices"]) == ({"preset": "posthog-ios"}, 250)
    assert written["target"] == {"apiKey": "key"}, "the SDK fetches its configuration by one"


def test_leaving_the_questions_writes_nothing(tmp_path: Path):
    code, said = at_a_terminal(tmp_path, "\n\x04")
    assert code == 105 and list(tmp_path.iterdir()) == [], said
