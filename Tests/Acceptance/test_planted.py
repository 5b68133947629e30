"""No release has the bugs that are built in for the swarm to find."""

from __future__ import annotations

import re

import pytest

from conftest import BINARY, ROOT

ENUM = (ROOT / "Sources" / "Timebase" / "Planted.swift").read_text()
BUGS = re.findall(r'^\s*case \w+ = "([a-z-]+)"$', ENUM, re.MULTILINE)


def test_there_are_twelve():
    assert len(BUGS) == len(set(BUGS)) == 12


@pytest.mark.parametrize("program", ["beaconswarm", "beaconswarm-explore"])
def test_no_release_knows_them(program: str):
    path = BINARY.with_name(program)
    if program != BINARY.name and not path.exists():
        pytest.skip(f"{program} is not built")
    content = path.read_bytes()
    # Whatever becomes of short texts, the type has its name in its metadata and in its symbols (and the file in paths).
    assert [word for word in [*BUGS, "Planted\0", "7Planted"] if word.encode() in content] == []


def test_each_is_planted():
    """A bug that is named and nowhere in force would be found by nothing."""
    names = re.findall(r"^\s*case (\w+) = ", ENUM, re.MULTILINE)
    sources = "".join(
        file.read_text() for file in (ROOT / "Sources").rglob("*.swift") if file.name != "Planted.swift"
    )
    assert [name for name in names if f"Planted.has(.{name})" not in sources] == []
    # Nowhere but between `#if PLANTED` and its end.
    outside = re.sub(r"#if PLANTED\n.*?#endif", "", sources, flags=re.DOTALL)
    assert "Planted.has" not in outside
