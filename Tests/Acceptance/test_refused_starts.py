"""A start that is refused leaves nothing behind: the same command, put right, finds its way free."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Tool
from helpers import steady, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 40

#: What each verb can write beside its folder.
OUTPUTS = {
    "run": {"--out": "run", "--events": "events.ndjson", "--store": "store.sqlite", "--keep-stores": "stores"},
    "simulate": {"--out": "run", "--events": "events.ndjson", "--keep-stores": "stores"},
}
CASES = [(verb, option) for verb, outputs in OUTPUTS.items() for option in outputs]


def scenario(folder: Path) -> Path:
    storage = {"sdk": {"storage": {"backend": "sqlite"}}}
    changes = {"duration": "1s", "drain": "2s", "devices": 2}
    document = steady(**changes)
    document["populations"][0] |= storage
    return write_scenario(folder, document)


def names(tool: Tool) -> set[str]:
    """What lies in the folder, but for what the processes said."""
    return {file.name for file in tool.folder.iterdir() if not file.name.startswith("process-")}


def options(verb: str, **instead: str) -> list[str]:
    return [word for pair in (OUTPUTS[verb] | instead).items() for word in pair]


@pytest.mark.parametrize("verb, option", CASES)
def test_what_is_there_already_is_found_before_anything_is_made(tool: Tool, verb: str, option: str):
    path = scenario(tool.folder)
    name = OUTPUTS[verb][option]
    (tool.folder / name).write_text("mine")
    before = names(tool)
    done = tool.run(verb, path, "-q", *options(verb)).expect(64)
    assert name in done.err and "exists already" in done.err
    assert names(tool) == before
    assert (tool.folder / name).read_text() == "mine"
    (tool.folder / name).unlink()
    tool.run(verb, path, "-q", *options(verb)).expect(0, 96)


@pytest.mark.parametrize("verb, option", CASES)
def test_what_cannot_be_made_leaves_nothing_of_the_rest(tool: Tool, verb: str, option: str):
    path = scenario(tool.folder)
    before = names(tool)
    tool.run(verb, path, "-q", *options(verb, **{option: f"/proc/nowhere/{OUTPUTS[verb][option]}"})).expect(64, 70)
    assert names(tool) == before
    tool.run(verb, path, "-q", *options(verb)).expect(0, 96)
