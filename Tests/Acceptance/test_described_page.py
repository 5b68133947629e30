"""The table of knobs in the article on described SDKs, against what the scenario's schema lets each of them be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from conftest import ROOT

ARTICLE = (ROOT / "Sources/Beaconswarm/Documentation.docc/DescribedSDKs.md").read_text()
TABLE = ARTICLE[ARTICLE.index("\n## Knobs") : ARTICLE.index("\n## Twins")]
#: The groups that the table has; the others have sections of their own.
GROUPS = {"identity", "storage", "upload", "request", "retry"}
#: What the article calls by a word for all, or by the article on the knobs of all systems.
NAMED = {
    "upload.networks": "networks", "upload.onNetwork": "networks", "retry.latch.on": "an array of failures",
    "storage.order": "<doc:PolicyKnobs>",
}


def rows() -> dict[str, str]:
    """By knob, the row that is about it: `a.b`, `c` are `a.b` and `a.c`."""
    found = {}
    for line in TABLE.splitlines():
        first = re.match(r"\| (`.*?) \|", line)
        names = re.findall(r"`([^`]+)`", first[1]) if first else []
        for name in names:
            whole = name if "." in name else f"{names[0].rpartition('.')[0]}.{name}"
            assert whole not in found, f"{whole} has two rows"
            found[whole] = line
    return found


def words(schema: dict) -> set[str]:
    """The words that a value may be."""
    own = {word for word in [schema.get("const"), *schema.get("enum", [])] if isinstance(word, str)}
    inner = [*schema.get("anyOf", []), *([schema["items"]] if isinstance(schema.get("items"), dict) else [])]
    return own.union(*map(words, inner))


def knobs(schema: dict, path: str = "") -> Iterator[tuple[str, dict]]:
    """Every key of an object with its schema, those of objects within it too."""
    for key, value in schema.get("properties", {}).items():
        whole = f"{path}.{key}" if path else key
        yield whole, value
        yield from knobs(value, whole)
        for either in value.get("anyOf", []):
            yield from knobs(either, whole)


def test_every_word_that_a_knob_may_be_is_in_its_row(tool):
    described = json.loads(tool.run("schema").out)["$defs"]["sdk-declared"]
    table, checked = rows(), set()
    for knob, schema in knobs(described):
        group, _, key = knob.partition(".")
        if group not in GROUPS or not key:
            continue
        # What an object has is in a row of its own, or in the object's.
        parent, _, last = knob.rpartition(".")
        row = table.get(knob) or table.get(parent, "")
        assert knob in table or f"`{last}`" in row or f'"{last}"' in row, f"{knob} is not in the table"
        if knob in NAMED:
            assert NAMED[knob] in row
        else:
            missing = {word for word in words(schema) if f"`{word}`" not in row}
            assert not missing, f"{knob} may also be {missing}"
        checked.add(knob)
    assert {"upload.flushInterval", "storage.limit", "identity.session.id"} <= checked
    # And no row is about what is no knob.
    assert {name for name in table if name.split(".")[0] in GROUPS} <= checked, set(table) - checked
