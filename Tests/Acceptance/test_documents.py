"""What the documents name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "Sources" / "Beaconswarm" / "Documentation.docc"
DOCUMENTS = [ROOT / "README.md", *sorted(CATALOGUE.glob("**/*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_scenario_that_is_named_is_shipped(document: Path):
    text = document.read_text()
    for name in re.findall(r"\bscenarios/[\w./-]*\.json\b", text):
        assert (ROOT / name).is_file(), f"{document.name} names {name}, which is not there"


def test_scenarios_are_named_somewhere():
    text = "".join(path.read_text() for path in DOCUMENTS)
    assert len(set(re.findall(r"\bscenarios/[\w./-]*\.json\b", text))) > 5


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_page_and_file_that_is_linked_exists(document: Path):
    text = document.read_text()
    for page in re.findall(r"<doc:(\w+)>", text):
        assert (CATALOGUE / f"{page}.md").is_file(), f"{document.name} links to {page}"
    for link in re.findall(r"\]\(([^):]+)\)", text):
        assert (document.parent / link).exists(), f"{document.name} links to {link}"


def test_the_catalogues_root_lists_every_page():
    listed = re.findall(r"^- <doc:(\w+)>$", (CATALOGUE / "Beaconswarm.md").read_text(), re.M)
    pages = {path.stem for path in CATALOGUE.glob("*.md")} - {"Beaconswarm"}
    assert sorted(listed) == sorted(pages)
