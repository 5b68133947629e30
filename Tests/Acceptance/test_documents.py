"""What the documents name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "Sources" / "Beaconswarm" / "Documentation.docc").glob("**/*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_scenario_that_is_named_is_shipped(document: Path):
    text = document.read_text()
    for name in re.findall(r"\bscenarios/[\w./-]*\.json\b", text):
        assert (ROOT / name).is_file(), f"{document.name} names {name}, which is not there"


def test_scenarios_are_named_somewhere():
    text = "".join(path.read_text() for path in DOCUMENTS)
    assert len(set(re.findall(r"\bscenarios/[\w./-]*\.json\b", text))) > 5
