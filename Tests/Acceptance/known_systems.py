"""The systems that the program offers, by its own schema: tests of all of them have no list to keep."""

from __future__ import annotations

import functools
import json
import subprocess

from conftest import BINARY

#: The system of every SDK that is described and not simulated in code.
DESCRIBED = "declared"


@functools.cache
def schema() -> dict:
    return json.loads(subprocess.run([BINARY, "schema"], capture_output=True, check=True, timeout=60).stdout)


def systems() -> dict[str, list[str]]:
    """All of them with their versions, the default first; what is described may have any, of which these are presets."""
    versions = {}
    for condition in schema()["properties"]["populations"]["items"]["allOf"]:
        (name,) = condition["if"]["properties"]["system"]["enum"]
        version = condition["then"]["properties"]["version"]
        versions[name] = version.get("enum") or version["examples"]
    return versions


def built_in() -> list[str]:
    """Those that are simulated in code."""
    return [name for name in systems() if name != DESCRIBED]


def presets() -> list[str]:
    """The names of the presets of described SDKs, which are a name and a version each."""
    return [version.split()[0] for version in systems()[DESCRIBED]]


def has_knob(system: str, *keys: str) -> bool:
    """Whether `sdk` of a system has a knob."""
    node = schema()["$defs"][f"sdk-{system}"]
    for key in keys:
        node = node.get("properties", {}).get(key)
        if node is None:
            return False
    return True
