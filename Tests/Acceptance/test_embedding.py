"""Programs of one's own around the library: what its public interface gives, without the package's own view of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import BINARY, ROOT
from processes import finish

SOURCES = ROOT / "Sources" / "beaconswarm-example"
SCENARIO = ROOT / "scenarios" / "systems" / "growing-custom-sdk.json"


@pytest.fixture(scope="module")
def build() -> Path:
    """The folder of the build that is tested, in which `make test` has made the example too."""
    folder = BINARY.parent
    if not (folder / "beaconswarm-example").exists():
        pytest.skip(f"{folder} has no example: .ci/swift-build --product beaconswarm-example")
    return folder


def run_example(build: Path, folder: Path, *arguments: object) -> subprocess.CompletedProcess:
    return finish([build / "beaconswarm-example", *map(str, arguments)], cwd=folder)


def test_the_example_plays_with_services_of_its_own(build: Path, tmp_path: Path):
    finished = run_example(build, tmp_path, SCENARIO, "run")
    assert finished.returncode == 0, finished.stderr
    said = dict(line.split(": ", 1) for line in finished.stdout.splitlines())
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    events = report["events"]
    assert said["verdict"] == "passed" == report["verdict"]
    assert int(said["captured"]) == events["captured"] > 1000
    assert int(said["delivered"]) == events["delivered"] == report["audit"]["confirmed"] > 500
    assert int(said["intercepted"]) == events["suppressed"]["intercepted"] > 0
    assert int(said["evicted by the database"]) == events["evicted"]["storage_limit"] > 0
    assert said["not readable by the collector"] == "0"
    code = [text for text in report["scenario"]["overrides"] if text.startswith("code ")]
    assert len(code) == 3, code

    plain = finish([BINARY, "simulate", SCENARIO, "--devices", "20", "--out", "plain", "-q"], cwd=tmp_path)
    assert plain.returncode == 0
    without = json.loads((tmp_path / "plain" / "report.json").read_text())["events"]
    assert without["evicted"]["storage_limit"] == 0, "the limit is the example's own"
    assert without["suppressed"]["intercepted"] < events["suppressed"]["intercepted"]


def test_the_example_tells_what_is_wrong(build: Path, tmp_path: Path):
    missing = run_example(build, tmp_path, "nowhere.json")
    assert missing.returncode == 104 and "nowhere.json" in missing.stderr and not missing.stdout
    other = run_example(build, tmp_path, ROOT / "scenarios" / "smoke.json")
    assert other.returncode == 104 and "system growing" in other.stderr, other.stderr
    assert run_example(build, tmp_path).returncode == 64
    assert list(tmp_path.iterdir()) == []


def check_from_outside(build: Path, folder: Path) -> subprocess.CompletedProcess:
    """Lets the compiler read sources as those of another package."""
    if shutil.which("swiftc") is None:
        pytest.skip("no swiftc")
    maps = [f"-fmodule-map-file={path}" for path in build.glob("*.build/module.modulemap")]
    includes = {path.parent for path in (ROOT / ".build" / "checkouts").glob("*/Sources/*/module.modulemap")}
    includes |= {path.parent for path in (ROOT / ".build" / "checkouts").glob("*/Sources/*/include/module.modulemap")}
    includes |= {path.parent for path in (ROOT / "Sources").glob("*/module.modulemap")}
    return finish(
        ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-package-name", "outside"]
        + ["-I", str(build / "Modules")]
        + [word for path in sorted(includes) for word in ("-I", str(path))]
        + [word for flag in maps for word in ("-Xcc", flag)]
        + sorted(map(str, folder.glob("*.swift")))
    )  # fmt: skip


def test_the_example_needs_nothing_but_the_public_interface(build: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    shutil.copytree(SOURCES, outside)
    checked = check_from_outside(build, outside)
    assert checked.returncode == 0, checked.stderr
    # The same check sees what is not public: else it would prove nothing.
    (outside / "Peeking.swift").write_text(
        "import Beaconswarm\nimport DeviceSDK\nlet rules: GrowingRules? = nil\nlet files: RunFolder? = nil\n"
    )
    peeking = check_from_outside(build, outside)
    assert peeking.returncode != 0
    assert "GrowingRules" in peeking.stderr and "RunFolder" in peeking.stderr, peeking.stderr
