"""The list of what the program is made of is whole, and everything in it has a licence."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def parts(document: dict) -> dict[str, dict]:
    return {part["name"]: part for part in document["components"]}


@pytest.fixture(scope="module")
def document(tmp_path_factory) -> dict:
    path = tmp_path_factory.mktemp("sbom") / "sbom.json"
    subprocess.run([ROOT / ".ci" / "sbom", path], check=True, capture_output=True)
    return json.loads(path.read_text())


def test_every_part_has_a_version_and_a_licence(document: dict):
    assert document["bomFormat"] == "CycloneDX" and document["specVersion"] == "1.5"
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", document["serialNumber"])
    for part in document["components"]:
        assert part["version"] and part["purl"].startswith("pkg:"), part
        (licence,) = part["licenses"]
        identifier = licence.get("expression") or licence["license"]["id"]
        assert re.fullmatch(r"[A-Za-z0-9.-]+( (AND|OR|WITH) [A-Za-z0-9.-]+)*", identifier), part


def test_every_package_and_library_is_there(document: dict):
    found = parts(document)
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    for pin in pins:
        name = pin["location"].removesuffix(".git").rsplit("/", 1)[-1]
        assert found[name]["version"] == pin["state"]["version"], name
    manifest = (ROOT / "Package.swift").read_text()
    wanted = re.findall(r'\.package\(url: "[^"]+/([^"/]+)", exact: "([^"]+)"\)', manifest)
    assert len(wanted) >= 5
    for name, version in wanted:
        assert found[name]["version"] == version, name
    for name in ["libdeflate", "liblz4", "snappy", "libzstd", "simdjson", "sqlite3", "libc6", "libstdc++6", "BoringSSL", "llhttp"]:
        assert name in found


def test_dependencies_name_parts_that_are_there(document: dict):
    references = {part["bom-ref"] for part in document["components"]} | {document["metadata"]["component"]["bom-ref"]}
    listed = document["dependencies"]
    assert {entry["ref"] for entry in listed} == references and len(listed) == len(references)
    assert all(set(entry.get("dependsOn", [])) <= references for entry in listed)


def test_a_part_without_a_known_licence_is_an_error(tmp_path: Path):
    """In a copy of the project whose one package says nothing that is known."""
    pin = {"identity": "p", "location": "https://example.com/p", "state": {"revision": "0", "version": "1.0.0"}}
    (tmp_path / "Package.resolved").write_text(json.dumps({"pins": [pin]}))
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "sbom", tmp_path / ".ci" / "sbom")
    for relative in ("Package.swift", "Sources/Beaconswarm/Beaconswarm.swift"):
        (tmp_path / relative).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / relative, tmp_path / relative)
    checkout = tmp_path / ".build" / "checkouts" / "p"
    checkout.mkdir(parents=True)

    def said() -> str:
        ended = subprocess.run([tmp_path / ".ci" / "sbom", tmp_path / "out"], capture_output=True, text=True)
        assert ended.returncode != 0 and not (tmp_path / "out").exists()
        return ended.stderr

    assert "no file with its licence" in said()
    (checkout / "LICENSE").write_text("All rights reserved.\n")
    assert "no licence that is known" in said()
