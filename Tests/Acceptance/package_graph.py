"""What Package.swift says of the targets under Sources: their names, and which of them each depends on."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = re.sub(r"(?<!:)//.*", "", (ROOT / "Package.swift").read_text())
# The systems are targets in folders of Sources/DeviceSDK/Systems.
SYSTEMS = dict(re.findall(r'\.system\("(\w+)", in: "(\w+)"', PACKAGE))
TARGETS = sorted([*SYSTEMS, *(path.name for path in (ROOT / "Sources").iterdir() if path.is_dir())])
NO_TARGETS = {"tests", "testTarget", "library", "executable", "product", "package", "apt"}


def call_bodies(text: str):
    """The function, the first name and the arguments of each call whose first argument is a name."""
    for call in re.finditer(r'\.(\w+)\(\s*(?:\w+:\s*)?"([\w-]+)"', text):
        depth, end = 1, call.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield call[1], call[2], text[call.end() : end]


def dependencies() -> dict[str, set[str]]:
    """The targets under Sources, each with those that it depends on by itself."""
    found = {
        name: set(re.findall(r'"([\w-]+)"', arguments)) & set(TARGETS)
        for function, name, arguments in call_bodies(PACKAGE)
        if function not in NO_TARGETS and name in TARGETS
    }
    of_a_system = re.search(r"static func system\(.*?dependencies: \[(.*?)\]", PACKAGE, re.S)
    assert of_a_system
    for name in SYSTEMS:
        own = re.search(rf'\.system\("{name}", in: "\w+", \[(.*?)\]', PACKAGE)
        found[name] = set(re.findall(r'"(\w+)"', of_a_system[1] + (own[1] if own else "")))
    for function, name, arguments in call_bodies(PACKAGE):
        if name in found and function not in NO_TARGETS and "allSystems" in arguments:
            found[name] |= set(SYSTEMS)
    assert sorted(found) == TARGETS, "each folder under Sources is a target"
    return found
