"""SDKs that are described: presets, files, changes of both, and what is wrong with them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from conftest import BINARY

OWN = {
    "name": "own-sdk",
    "version": "1.0",
    "upload": {"flushBulkSize": 5, "flushInterval": "2s"},
    "request": {"path": "/own/in", "compress": "gzip", "body": {"key": "{{apiKey}}", "events": "{{events}}"}},
    "events": {
        "id": "uuid7",
        "tag": "/props/bs_id",
        "key": ["/id"],
        "common": {
            "id": "{{id}}", "name": "{{name}}", "at": "{{time|iso}}", "user": "{{userId?}}", "props": "{{properties}}",
        },
        "business": {"name": "{{event}}"},
        "screen": {"name": "screen", "properties": {"screen": "{{screen.name}}"}},
    },
}


def scenario(folder: Path, *sdks: dict, **members) -> Path:
    populations = [
        {
            "name": f"p{number}", "devices": 20, "system": "declared", "sdk": sdk,
            "persona": {"preset": "steady", "rate": "1/s"},
        }
        for number, sdk in enumerate(sdks)
    ]
    path = folder / "scenario.json"
    path.write_text(json.dumps({"duration": "1m", "seed": 5, "populations": populations} | members))
    return path


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def report(folder: Path, verb: str, path: Path, *options: str) -> dict:
    done = run(verb, path, "--json", "--out", folder, *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_a_description_in_a_file_plays_in_both_worlds(tmp_path: Path, verb: str):
    (tmp_path / "own.json").write_text(json.dumps(OWN))
    path = scenario(
        tmp_path, {"file": "own.json"}, {"preset": "posthog-ios", "upload": {"flushInterval": "1s"}},
        duration="6s", drain="3s",
    )
    found = report(tmp_path / "out", verb, path)
    assert found["events"]["captured"] > 200 and found["events"]["balance"] == 0
    assert found["audit"]["confirmed"] == found["events"]["delivered"] > 100
    assert found["audit"]["acked_not_found"] == found["audit"]["unexpected"] == found["audit"]["undecodable"] == 0


def test_events_without_the_harness_id_are_audited_by_their_own(tmp_path: Path):
    path = scenario(tmp_path, *({"preset": name} for name in PRESETS), tagEvents=False, duration="3m")
    found = report(tmp_path / "out", "simulate", path)
    assert found["audit"]["confirmed"] == found["events"]["delivered"] > 5000
    assert found["audit"]["unexpected"] == found["audit"]["undecodable"] == 0


PRESETS = ["amplitude-ios", "mixpanel-ios", "posthog-ios", "segment-ios", "snowplow-ios"]


def test_the_same_seed_gives_the_same_report(tmp_path: Path):
    path = scenario(tmp_path, *({"preset": name} for name in PRESETS))
    first, second = (report(tmp_path / name, "simulate", path) for name in "ab")
    assert first["fingerprint"] == second["fingerprint"] and first["events"] == second["events"]


def test_an_option_changes_what_a_file_says(tmp_path: Path):
    (tmp_path / "own.json").write_text(json.dumps(OWN))
    path = scenario(tmp_path, {"file": "own.json"})
    done = run("sample", path, "--set", "populations.0.sdk.request.compress=none")
    assert done.returncode == 0, done.stderr
    assert "POST /own/in HTTP/1.1" in done.stdout and '"events":[{"id":"' in done.stdout


@pytest.mark.parametrize(
    ("sdk", "words"),
    [
        ({"preset": "posthog"}, ['/populations/0/sdk/preset', 'did you mean "posthog-ios"?']),
        ({"file": "missing.json"}, ["/populations/0/sdk/file", "a file that can be read"]),
        ({"preset": "posthog-ios", "events": {"common": {"who": "{{distinctid}}"}}}, ['did you mean "distinctId"?']),
        ({"preset": "posthog-ios", "answers": [["2xx", "delivered"]]}, ["/sdk/answers", "no rule for 100"]),
        ({"preset": "posthog-ios", "lanes": []}, ["/sdk/lanes", "not supported by this build"]),
        ({"preset": "mixpanel-ios", "storage": {"evictAt": "flush"}}, ["a knob without effect"]),
    ],
)
def test_what_cannot_be_is_told_with_its_place(tmp_path: Path, sdk: dict, words: list[str]):
    done = run("validate", scenario(tmp_path, sdk))
    assert done.returncode == 104
    for word in words:
        assert word in done.stdout + done.stderr
