"""The manifests and scripts under scenarios/deploy are what a cluster would take, and what they run joins to the run of
one process. (`make cluster-test` runs the script on a real Slurm.)"""

from __future__ import annotations

import json
import os
import re
import shutil
from datetime import UTC, datetime, timedelta

import kubernetes_validate
import pytest
import yaml

from conftest import ROOT, Tool
from helpers import steady, write_scenario
from processes import finish

FOLDER = ROOT / "scenarios" / "deploy"
MANIFESTS = sorted(FOLDER.glob("*.yaml"))


def documents(path) -> list[dict]:
    return list(yaml.safe_load_all(path.read_text()))


def container(job: dict) -> dict:
    (only,) = job["spec"]["template"]["spec"]["containers"]
    return only


def test_there_are_manifests():
    assert MANIFESTS


@pytest.mark.parametrize("version", ["1.30", "1.33"])
@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_a_manifest_keeps_to_the_published_schemas(path, version: str):
    for document in documents(path):
        kubernetes_validate.validate(document, version, strict=True)
        # A mistyped mode is no error of the schema.
        assert document["spec"].get("completionMode") in (None, "Indexed")
        mounted = {volume["name"] for volume in document["spec"]["template"]["spec"]["volumes"]}
        assert {mount["name"] for mount in container(document)["volumeMounts"]} <= mounted


def arguments_of(job: dict, index: int, tool: Tool, places: dict[str, str]) -> list[str]:
    """As the controller does it: the index is in the environment, and $(…) of the arguments is expanded."""
    arguments = []
    for word in container(job)["args"]:
        word = word.replace("$(JOB_COMPLETION_INDEX)", str(index)).replace("/runs/", f"{tool.folder}/")
        for place, here in places.items():
            word = word.replace(place, here)
        arguments.append(word)
    assert not any("$(" in word for word in arguments)
    return arguments


def test_what_the_pods_run_joins_to_the_whole(tool: Tool):
    parts, merge = documents(FOLDER / "kubernetes-simulate.yaml")
    scenario = write_scenario(tool.folder, steady(devices=20, duration="10s"))
    places = {"/scenario/s.json": str(scenario)}
    count = parts["spec"]["completions"]
    assert f"$(JOB_COMPLETION_INDEX)/{count}" in container(parts)["args"], "all indexes are parts of as many"
    for index in reversed(range(count)):
        tool.run(*arguments_of(parts, index, tool, places)).expect(0)
    tool.run(*arguments_of(merge, 0, tool, places)).expect(0)
    tool.run("simulate", scenario, "--out", tool.folder / "one", "--quiet").expect(0)
    found = [json.loads((tool.folder / name / "report.json").read_text()) for name in ("all", "one")]
    for report in found:
        for key in ("started_at", "wall_seconds", "generator", "run"):
            del report[key]
    assert found[0] == found[1]


def test_what_the_pods_of_a_live_run_send_is_in_the_store(tool: Tool, collect):
    parts, merge = documents(FOLDER / "kubernetes-run.yaml")
    scenario = write_scenario(tool.folder, steady(devices=20, duration="2s"))
    collector = collect()
    at = datetime.now(UTC) + timedelta(seconds=6)
    places = {
        "/scenario/s.json": str(scenario), "http://collector:8106/sa?project=default": collector.url,
        "2026-12-01T12:00:00Z": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }  # fmt: skip
    count = parts["spec"]["completions"]
    assert count == parts["spec"]["parallelism"], "all parts play at the same time"
    assert f"$(JOB_COMPLETION_INDEX)/{count}" in container(parts)["args"], "all indexes are parts of as many"
    assert parts["spec"]["backoffLimitPerIndex"] == 0, "a live part is never run again"
    running = [tool.start(*arguments_of(parts, index, tool, places)) for index in range(count)]
    for process in running:
        process.wait().expect(0)
    tool.run(*arguments_of(merge, 0, tool, places)).expect(0)
    tool.run("audit", tool.folder / "all", "--receipts", collector.store).expect(0)
    report = json.loads((tool.folder / "all" / "report.json").read_text())
    assert report["audit"]["confirmed"] == report["events"]["delivered"] > 0
    assert report["audit"]["acked_not_found"] == report["audit"]["unexpected"] == report["events"]["balance"] == 0


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_the_job_that_joins_waits_for_the_parts(path):
    """All jobs of a file are made at once; the commands at its head are about those that are in it."""
    parts, merge = documents(path)
    assert "suspend" not in parts["spec"] and merge["spec"]["suspend"] is True
    head = commands(path)
    assert re.findall(r"kubectl get job (\S+)", head) == [parts["metadata"]["name"]]
    (patched, patch) = re.search(r"kubectl patch job (\S+) -p '(.*)'", head).groups()
    assert patched == merge["metadata"]["name"] and json.loads(patch) == {"spec": {"suspend": False}}


def commands(path) -> str:
    """Those at the head of a manifest, as they are pasted."""
    return "".join(line[1:] for line in path.read_text().splitlines(keepends=True) if line.startswith("#   "))


#: Stands in for kubectl: every look at the job tells the next of what is listed, a failure first.
KUBECTL = """#!/bin/sh
echo "$1" >> "$CALLS"
[ "$1" = get ] || exit 0
read -r now < "$STATES"
sed -i 1d "$STATES"
[ "$now" != failure ] || exit 1
printf %s "$now"
"""


@pytest.mark.parametrize("shell", ["sh", "dash", "bash", "zsh"])
@pytest.mark.parametrize("end", ["SuccessCriteriaMet Complete", "FailureTarget Failed"])
@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_the_commands_at_the_head_wait_in_any_shell(path, end: str, shell: str, tmp_path):
    """The job that joins starts once the parts have ended, either way, and neither before nor because a command failed."""
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    for name, text in {"kubectl": KUBECTL, "sleep": "#!/bin/sh\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    states = ["failure", "", "Suspended", end.split()[0], end]
    (tmp_path / "states").write_text("".join(f"{state}\n" for state in states))
    environment = os.environ | {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls"), "STATES": str(tmp_path / "states"),
    }  # fmt: skip
    finish([shell, "-s"], input=commands(path), env=environment).check_returncode()
    assert (tmp_path / "calls").read_text().split() == ["get"] * len(states) + ["patch"]


#: Stands in for sbatch: runs what is to be wrapped there and then, by the shell that sbatch runs it by.
SBATCH = """#!/bin/sh
while [ "$1" != --wrap ]; do shift; done
SLURM_ARRAY_TASK_ID=0 SLURM_PROCID=0 sh -c "$2" >&2
echo 1
"""
#: Stands in for srun, with its two options.
SRUN = "#!/bin/sh\nshift 2\nexec \"$@\"\n"
#: Stands in for the program: writes down how it was called.
CALLED = """#!/usr/bin/env python3
import json, os, sys
with open(os.environ["CALLS"], "a") as file:
    print(json.dumps(sys.argv[1:]), file=file)
"""


@pytest.mark.parametrize("scenario", ["smoke", "demo", "s.json"])
@pytest.mark.parametrize(("script", "verb", "target"), [("slurm-simulate.sh", "simulate", []), ("slurm-run.sh", "run", ["http://c/sa?a=1&b='2'"])])  # fmt: skip
def test_a_script_passes_on_every_word_as_it_is(tmp_path, script: str, verb: str, target: list[str], scenario: str):
    (tmp_path / "s.json").write_text("{}")
    # As that of a run of the shipped scenario may be called, which is no file of this name.
    (tmp_path / "demo").mkdir()
    for name, text in {"sbatch": SBATCH, "srun": SRUN, "called": CALLED}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    words = ["--tag", "two\nlines", "ünï it's", "", "a  b", "$HOME `id` \\n \"&*"]
    environment = os.environ | {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "BEACONSWARM": str(tmp_path / "called"),
        "CALLS": str(tmp_path / "calls"), "LEAD": "0",
    }  # fmt: skip
    command = [FOLDER / script, scenario, "3", "it's here", *target, *words]
    finish(command, cwd=tmp_path, env=environment).check_returncode()
    played, merged = (json.loads(line) for line in (tmp_path / "calls").read_text().splitlines())
    named = str(tmp_path / scenario) if scenario == "s.json" else scenario
    folder = str(tmp_path / "it's here")
    assert played[: 2 + len(words)] == [verb, named, *words]
    rest = played[2 + len(words) :]
    assert rest[-5:] == ["--shard", "0/3", "--out", f"{folder}/parts", "--quiet"] or verb == "run"
    if verb == "run":
        assert rest[:4] == ["--target", *target, "--shard", "0/3"] and rest[4] == "--at"
        assert rest[6:] == ["--out", f"{folder}/parts", "--quiet"]
    assert merged == ["merge", f"{folder}/parts", "--out", f"{folder}/all"]


@pytest.mark.parametrize(("script", "wants"), [("slurm-simulate.sh", "SCENARIO N DIR"), ("slurm-run.sh", "SCENARIO N DIR TARGET")])  # fmt: skip
def test_a_script_says_what_it_wants(script: str, wants: str):
    done = finish([FOLDER / script])
    assert done.returncode == 64 and wants in done.stderr
