"""`beaconswarm merge` of a dataset's parts: the whole's files and answers, or nothing."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from conftest import Tool
from helpers import write_scenario

OPTIONS = ("--devices", 30, "--days", 12, "--format", "ndjson,sqlite", "--raw", "-q")


def make(tool: Tool, out: Path, *options: object):
    tool.run("generate", "datasets/shop", *OPTIONS, "--out", out, *options).expect(0)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A shop's dataset in three parts, and as one."""
    folder = tmp_path_factory.mktemp("parts")
    tool = Tool(folder)
    for part in range(3):
        make(tool, folder / "parts", "--shard", f"{part}/3")
    make(tool, folder / "whole")
    yield folder, tool
    tool.close()


def test_joined_parts_have_the_rows_and_answers_of_the_whole(made):
    folder, tool = made
    tool.run("merge", folder / "parts", "--out", folder / "all").expect(0)
    joined, whole = folder / "all", folder / "whole"
    assert (joined / "_SUCCESS").exists()
    for name in ("answers.json", "answers.sql", "report.html"):
        assert (joined / name).read_bytes() == (whole / name).read_bytes()
    answers = json.loads((whole / "answers.json").read_text())
    assert f"| fingerprint | `{answers['fingerprint']}`" in (joined / "README.md").read_text()
    answers = answers["answers"]
    database = sqlite3.connect(joined / "dataset.sqlite")
    queries = re.findall(r"-- name: (\w+)\n--[^\n]*\n(.*?);\n", (whole / "answers.sql").read_text(), re.S)
    assert {name for name, _ in queries} == set(answers)
    for name, query in queries:
        assert [list(row) for row in database.execute(query)] == answers[name]["rows"], name
    for table in ("events", "truth", "users", "devices", "sessions"):
        files = sorted((joined / table).iterdir())
        lines = sum(len(file.read_text().splitlines()) for file in files)
        assert len(files) == 3 and lines == len((whole / f"{table}.ndjson").read_text().splitlines()), table
        assert lines == database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    assert "In 4,096 rows of" in (whole / "report.html").read_text(), "more rows than are sampled"
    raw = sorted(line for file in (joined / "raw").iterdir() for line in file.read_text().splitlines())
    assert raw and raw == sorted((whole / "raw.ndjson").read_text().splitlines())


def test_one_part_of_one_is_the_whole(tool: Tool):
    options = ("generate", "datasets/shop", "--devices", 6, "--days", 20, "--format", "ndjson", "-q")
    tool.run(*options, "--shard", "0/1", "--out", "parts").expect(0)
    tool.run("merge", "parts", "--out", "all").expect(0)
    tool.run(*options, "--out", "whole").expect(0)
    assert (tool.folder / "all/answers.json").read_bytes() == (tool.folder / "whole/answers.json").read_bytes()
    rows = tool.folder / "all/events/part-000-of-001.ndjson"
    assert rows.read_bytes() == (tool.folder / "whole/events.ndjson").read_bytes()
    for folder in ("whole", "all"):
        refused = tool.run("merge", folder, "--out", "again").expect(64).err
        assert f"{folder}: a whole dataset" in refused and "nothing to merge" in refused and not (tool.folder / "again").exists()


def test_variables_are_part_of_what_parts_are_parts_of(tool: Tool):
    population = {"name": "ios", "devices": 4, "system": "sensors", "app": "shop", "persona": "casual"}
    scenario = {"name": "own", "seed": 3, "duration": "${LENGTH}", "populations": [population]}
    command = ("generate", write_scenario(tool.folder, scenario), "--format", "ndjson", "-q")
    own, other = {"LENGTH": "2d"}, {"LENGTH": "3d"}
    for part in range(2):
        tool.run(*command, "--shard", f"{part}/2", "--out", "parts", env=own).expect(0)
    tool.run(*command, "--shard", "1/2", "--out", "other", env=other).expect(0)
    tool.run(*command, "--out", "whole", env=own).expect(0)
    for folders, env, said in [
        (("parts/part-000-of-002", "other"), own, "${LENGTH} had another value; nothing was written"),
        (("parts",), other, "${LENGTH} has another value here"),
        (("parts",), None, "${LENGTH} is not set here"),
    ]:
        assert said in tool.run("merge", *folders, "--out", "all", env=env).expect(64).err
        assert not (tool.folder / "all").exists()
    tool.run("merge", "parts", "--out", "all", env=own).expect(0)
    assert (tool.folder / "all/answers.json").read_bytes() == (tool.folder / "whole/answers.json").read_bytes()


def test_every_folder_has_to_have_a_part(made):
    folder, tool = made
    out = folder / "refused"
    (folder / "strange").mkdir()
    (folder / "strange" / "mine").write_text("mine")
    options = ("--devices", 6, "--duration", "5s", "--shard", "0/2", "-q")
    tool.run("simulate", "smoke", *options, "--out", folder / "run").expect(0)
    for named, said in [
        ("nope", "there is no such folder"),
        ("nope/attempt-1", "there is no such folder"),
        ("strange", "no part of a dataset is in it"),
        ("strange/mine", "no part of a dataset is in it"),
        ("run", f"parts of a run are in it, and those of a dataset in {folder / 'parts'}"),
        ("run/part-000-of-002", "parts of a run are in it"),
        ("parts", "part 0/3 is there twice"),
    ]:
        for folders in [("parts", named), (named, "parts")]:
            refused = tool.run("merge", *(folder / name for name in folders), "--out", out).expect(64).err
            assert said in refused and not out.exists(), refused
    # Where both met.
    make(tool, folder / "run", "--shard", "1/2")
    assert "parts of a run are in it" in tool.run("merge", folder / "run", "--out", out).expect(64).err


def test_a_dataset_with_a_hole_is_not_joined(made):
    folder, tool = made
    out = folder / "refused"
    first, second, third = sorted((folder / "parts").iterdir())

    def refusal(code: int, *folders: Path) -> str:
        merged = tool.run("merge", *folders, "--out", out).expect(code)
        assert not out.exists()
        return merged.err

    missing = refusal(96, first, third)
    assert "missing is 1/3 (devices 1, 4, 7" in missing and f"--out {folder / 'parts'} --shard 1/3\n" in missing
    missing = refusal(96, third)
    assert "missing are 0/3" in missing and "1/3 (devices" in missing and "--shard I/3\n" in missing
    closed = folder / "closed"
    shutil.copytree(folder / "parts", closed)
    shutil.rmtree(closed / second.name)
    # As a folder without rights, of which it is unknown what is in it.
    (closed / second.name).symlink_to(closed / second.name)
    assert f"cannot read {closed / second.name}: " in refusal(64, closed)
    make(tool, folder / "other", "--shard", "1/3", "--seed", 8)
    assert "seed 8, not 60" in refusal(64, first, folder / "other", third)
    assert "--events: is for the parts of a run" in refusal(64, folder / "parts", "--events", folder / "e.ndjson")
    cut = folder / "cut"
    shutil.copytree(folder / "parts", cut)
    part = cut / second.name
    beside = [part / name for name in ("raw.ndjson", "dataset.sqlite", "_scenario.json")]
    for file in (next((part / "truth").iterdir()), *beside):
        whole = file.read_bytes()
        file.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
        refused = refusal(64, cut)
        assert str(file) in refused and "it was changed" in refused, "as long as before"
        file.write_bytes(whole)
    with next((part / "truth").iterdir()).open("a") as file:
        file.write("{}\n")
    assert "it is not there with its" in refusal(64, cut)
    state = cut / third.name / "_part.state"
    state.write_bytes(state.read_bytes()[:-70])
    assert "the file is cut or was changed" in refusal(64, cut)
    (cut / third.name / "_SUCCESS").unlink()
    assert f"(unfinished: {cut / third.name})" in refusal(96, cut)
