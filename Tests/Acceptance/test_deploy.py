"""The manifests and scripts under scenarios/deploy are what a cluster would take, and what they run joins to the run of
one process. (`make cluster-test` runs the script on a real Slurm.)"""

from __future__ import annotations

import json
import subprocess

import kubernetes_validate
import pytest
import yaml

from conftest import ROOT, Tool
from helpers import steady, write_scenario

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


def test_what_the_pods_run_joins_to_the_whole(tool: Tool):
    parts, merge = documents(FOLDER / "kubernetes-simulate.yaml")
    scenario = write_scenario(tool.folder, steady(devices=20, duration="10s"))

    def run(job: dict, index: int) -> None:
        """As the controller does it: the index is in the environment, and $(…) of the arguments is expanded."""
        arguments = []
        for word in container(job)["args"]:
            word = word.replace("$(JOB_COMPLETION_INDEX)", str(index))
            word = word.replace("/scenario/s.json", str(scenario)).replace("/runs/", f"{tool.folder}/")
            arguments.append(word)
        assert not any("$(" in word for word in arguments)
        tool.run(*arguments).expect(0)

    count = parts["spec"]["completions"]
    assert f"$(JOB_COMPLETION_INDEX)/{count}" in container(parts)["args"], "all indexes are parts of as many"
    for index in reversed(range(count)):
        run(parts, index)
    run(merge, 0)
    tool.run("simulate", scenario, "--out", tool.folder / "one", "--quiet").expect(0)
    found = [json.loads((tool.folder / name / "report.json").read_text()) for name in ("all", "one")]
    for report in found:
        for key in ("started_at", "wall_seconds", "generator", "run"):
            del report[key]
    assert found[0] == found[1]


def test_the_script_says_what_it_wants():
    done = subprocess.run([FOLDER / "slurm-simulate.sh"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 64 and "SCENARIO N DIR" in done.stderr
