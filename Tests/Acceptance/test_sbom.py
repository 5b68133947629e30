"""The list of what the program is made of is whole, and everything in it has a licence."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import urllib.parse
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
    for name in ["libdeflate", "liblz4", "snappy", "libzstd", "simdjson", "sqlite3", "libc6", "libgcc-s1", "libstdc++6", "BoringSSL", "fiat-crypto", "llhttp", "Active Support", "ICU"]:
        assert name in found


def test_what_a_package_has_from_others_is_under_what_its_sources_say(document: dict):
    """BoringSSL's are of different owners, all under one licence, whose notices packages have."""
    part = parts(document)["BoringSSL"]
    assert part["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    (revision,) = part["properties"]
    assert re.fullmatch("[0-9a-f]{40}", revision["value"])
    asked = (
        "import pathlib, runpy, sys; sys.path.insert(0, '.ci'); "
        "print(*runpy.run_path('.ci/dist')['headed'](pathlib.Path('.build/checkouts/swift-nio-ssl')))"
    )
    said = subprocess.run([sys.executable, "-B", "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for owner in ("The BoringSSL Authors", "The OpenSSL Project Authors", "Intel Corporation", "the fiat-crypto authors"):
        assert owner in said, owner
    assert said.count("limitations under the License.") == 1 and "swift-nio-ssl (LICENSE.txt)" in said


def test_a_licence_that_nobody_expects_in_a_source_is_an_error(tmp_path: Path):
    (tmp_path / "a.c").write_text("/* Copyright 2026 Somebody.\n *\n * Permission to use, copy, modify. */\nint a;\n")
    asked = (
        "import pathlib, runpy, sys; sys.path.insert(0, '.ci'); "
        "runpy.run_path('.ci/sbom')['check_heads'](pathlib.Path(sys.argv[1]), 'Apache-2.0')"
    )
    ended = subprocess.run([sys.executable, "-B", "-c", asked, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 1 and "Permission to use, copy, modify." in ended.stderr


#: A source with the work of two, of whom one is its package's owner.
OF_TWO = """// Copyright (C) 2015-2026 The Owner
//
// Permission is hereby granted to everybody.
//
// =====
//
// Copyright (c) 2005 Somebody Else
//
// Permission is hereby granted, provided that this notice
// is kept. Copyright remains with its holders.
let plural = "mice"
"""


def embedded(package: Path) -> str:
    """What the packages' licences say of single files that a package has from others."""
    asked = (
        "import pathlib, runpy, sys; sys.path.insert(0, '.ci'); "
        "print(*runpy.run_path('.ci/dist')['embedded'](pathlib.Path(sys.argv[1])))"
    )
    command = [sys.executable, "-B", "-c", asked, package]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_a_file_from_others_within_a_package_brings_its_licence_along():
    said = embedded(ROOT / ".build" / "checkouts" / "GRDB.swift")
    assert "GRDB.swift: GRDB/Utils/Inflections+English.swift" in said and "David Heinemeier Hansson" in said
    assert said.count("Permission is hereby granted") == 1 and "Gwendal" not in said, "whose licence is a file"


def test_only_others_whose_work_is_in_the_program_are_named(tmp_path: Path):
    (tmp_path / "LICENSE").write_text("Copyright (C) 2026 The Owner\n")
    assert embedded(tmp_path).strip() == ""
    for folder in ("Sources", "Tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "A.swift").write_text(OF_TWO)
    (tmp_path / "Sources" / "B.swift").write_text(OF_TWO)
    said = embedded(tmp_path)
    assert f"{tmp_path.name}: Sources/A.swift, Sources/B.swift" in said and "Tests" not in said
    assert "Copyright (c) 2005 Somebody Else\n\nPermission is hereby granted, provided that this notice\nis kept." in said
    assert "The Owner" not in said and said.count("Permission") == 1


def test_a_file_from_others_that_is_not_in_the_list_is_an_error(tmp_path: Path):
    (tmp_path / "A.swift").write_text(OF_TWO)
    asked = (
        "import pathlib, runpy, sys; sys.path.insert(0, '.ci'); "
        "runpy.run_path('.ci/sbom')['check_embedded'](pathlib.Path(sys.argv[1]), sys.argv[2:])"
    )
    command = [sys.executable, "-B", "-c", asked, tmp_path]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 1 and "A.swift" in ended.stderr and "2015-2026 The Owner" in ended.stderr
    ended = subprocess.run([*command, "A.swift"], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0 and ended.stderr == ""


def test_what_is_debians_has_its_version(document: dict):
    """Which tells what it has corrected, as the version of whoever wrote a library does not."""
    purls = [part["purl"] for part in document["components"] if part["purl"].startswith("pkg:deb/")]
    assert len(purls) >= 9
    for purl in purls:
        assert "+" not in purl, purl
        package, version = map(urllib.parse.unquote, purl.removeprefix("pkg:deb/debian/").split("@"))
        known = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=True)
        assert version == known.stdout, package


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
    for name in ("sbom", "heads.py"):
        shutil.copy(ROOT / ".ci" / name, tmp_path / ".ci" / name)
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
