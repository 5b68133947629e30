"""What the documents name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import known_systems

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


def test_every_reader_of_foreign_bytes_is_in_the_table_of_robustness():
    rows = re.findall(r"^\| `(\w+)` \|", (CATALOGUE / "Robustness.md").read_text(), re.M)
    assert sorted(rows) == sorted(folder.name for folder in (ROOT / "Tests" / "Fuzz").iterdir())


def topics(page: str) -> list[str]:
    return re.findall(r"^- <doc:(\w+)>$", (CATALOGUE / f"{page}.md").read_text(), re.M)


def test_the_catalogues_root_lists_every_page_once_or_a_page_that_does():
    listed = topics("Beaconswarm")
    listed += [page for other in listed for page in topics(other)]
    pages = {path.stem for path in CATALOGUE.glob("*.md")} - {"Beaconswarm"}
    assert sorted(listed) == sorted(pages)


@pytest.fixture(scope="module")
def schema() -> dict:
    return known_systems.schema()


def test_every_system_is_in_the_tables_with_its_versions():
    """README.md and the page of populations are the two lists of systems that people read."""
    versions = known_systems.systems()
    assert len(versions) > 4
    for document in (ROOT / "README.md", CATALOGUE / "Populations.md"):
        cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in document.read_text().splitlines()]
        rows = {row[0].strip("`"): row for row in cells if row and re.fullmatch(r"`\w+`", row[0])}
        for name, own in versions.items():
            assert name in rows, f"{document.name} has a table of systems, and {name} is not in it"
            numbered = [version for version in own if version != "document"]
            assert all(version in " ".join(rows[name]) for version in numbered), f"{document.name}: {name} {own}"
    listed = set(topics("Populations"))
    linked = set(re.findall(r"<doc:(\w+)> \|$", (CATALOGUE / "Populations.md").read_text(), re.M))
    assert len(linked) == len(versions) and linked <= listed


def settings(node: dict, prefix: str = ""):
    """The paths of all settings of a system."""
    for name, value in node.get("properties", {}).items():
        if "properties" in value:
            yield from settings(value, f"{prefix}{name}.")
        else:
            yield prefix + name


@pytest.mark.parametrize(("page", "system"), [("Sensors", "sensors"), ("GrowingIOSettings", "growing")])
def test_the_pages_of_settings_list_each_of_them(schema: dict, page: str, system: str):
    table = (CATALOGUE / f"{page}.md").read_text().split("| Setting |")[1].split("\n\n")[0]
    listed = re.findall(r"^\| `([\w.]+)` \|", table, re.M)
    assert sorted(listed) == sorted(settings(schema["$defs"][f"sdk-{system}"]))


def test_the_page_of_metrics_lists_those_there_are(schema: dict):
    table = (CATALOGUE / "Metrics.md").read_text().split("| Metric |")[1].split("\n\n")[0]
    listed = {}
    for cell, kind in re.findall(r"^\| (`.*?`) \| (\w+) \|", table, re.M):
        first, *others = re.findall(r"`(\w+)`", cell)
        for name in [first, *(first.rpartition("_")[0] + name if name[0] == "_" else name for name in others)]:
            listed[name] = f"#/$defs/thresholds-{kind}"
    offered = {name: value["$ref"] for name, value in schema["properties"]["thresholds"]["properties"].items()}
    assert len(listed) > 20 and listed == offered


def test_the_page_of_networks_lists_every_preset(schema: dict):
    tables = (CATALOGUE / "Networks.md").read_text().split("| Preset |")[1:]
    listed = [name for table in tables for name in re.findall(r"^\| `([\w-]+)` \|", table.split("\n\n")[0], re.M)]
    offered = schema["properties"]["populations"]["items"]["properties"]["network"]["anyOf"][0]["enum"]
    # What an ideal one is stands in the text.
    assert len(offered) > 20 and listed == [name for name in offered if name != "ideal"]


@pytest.mark.parametrize("side", ["collector", "client"])
def test_the_page_of_the_timeline_lists_every_fault(schema: dict, side: str):
    faults = schema["properties"]["timeline"]["items"]["properties"][side]["properties"]["fault"]["enum"]
    listed = re.findall(r"^\| `(\w+)` \|", (CATALOGUE / "Timeline.md").read_text(), re.M)
    assert len(faults) > 3 and set(faults) <= set(listed)


def test_the_page_of_reports_names_every_answer():
    source = (ROOT / "Sources" / "World" / "RequestFailure.swift").read_text()
    named = re.search(r"var name: String \{(.*?)\n    \}", source, re.S).group(1)
    names = re.findall(r'case \.\w+: "(\w+)"', named)
    page = (CATALOGUE / "Reports.md").read_text().split("### Answers\n")[1].split("\n### ")[0]
    assert re.findall(r"^\| `(\w+)` \|", page, re.M) == names and len(names) > 10
