"""People who install an app again that they had deleted: both installations of a device, and which ids outlast the first."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import pytest

from conftest import Tool
from helpers import read_report, write_scenario

HOUR = 3_600_000


def scenario(system: str, version: str | None = None, share: float = 1) -> dict:
    population = {
        "name": "p", "devices": 12, "system": system, "arrival": {"over": "1h"},
        "persona": {
            "preset": "casual", "sessionsPerDay": 8, "loggedInShare": 0, "signUpChance": 0, "loginChance": 0,
            "retention": {"6h": 0.6, "1d": 0.1}, "reinstall": {"share": share, "after": "10h"},
        },
    }
    if version:
        population["version"] = version
    return {"name": "again", "seed": 9, "duration": "3d", "drain": "1m", "populations": [population]}


def generate(tool: Tool, described: dict) -> dict[str, list[dict]]:
    path = write_scenario(tool.folder, described)
    tool.run("generate", path, "--out", "data", "--format", "ndjson", "--tag", "-q").expect(0)
    return {name: table(tool.folder / "data", name) for name in ["events", "truth", "users", "sessions"]}


def table(folder: Path, name: str) -> list[dict]:
    return [json.loads(line) for line in (folder / f"{name}.ndjson").read_text().splitlines()]


def milliseconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp() * 1000


def ids(found: dict[str, list[dict]], read) -> dict[int, dict[int, set[str]]]:
    """What `read` finds in the events of each device, by installation."""
    sessions = {row["session_id"]: row["installation"] for row in found["sessions"]}
    truth = {row["id"]: row for row in found["truth"]}
    result: dict[int, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for event in found["events"]:
        known = truth[event["id"]]
        value = read(event)
        if known["session_id"] is not None and value is not None:
            result[known["device"]][sessions[known["session_id"]]].add(value)
    return result


def assert_new(values: dict[int, dict[int, set[str]]]) -> None:
    """One for each installation of each device, and no two of them alike."""
    several = [own for own in values.values() if len(own) > 1]
    assert len(several) > 3 and all(len(value) == 1 for own in values.values() for value in own.values())
    seen = [value for own in values.values() for value in own.values()]
    assert len(seen) == len(set.union(*seen))


def assert_kept(values: dict[int, dict[int, set[str]]]) -> None:
    """One for each device, whatever the installation."""
    assert sum(len(own) > 1 for own in values.values()) > 3
    each = [set.union(*own.values()) for own in values.values()]
    assert all(len(value) == 1 for value in each) and len(set.union(*each)) == len(each)


@pytest.mark.parametrize("version", ["1.10.17", "4.9.1"])
def test_sensors_has_its_anonymous_id_in_the_keychain(tool: Tool, version: str):
    found = generate(tool, scenario("sensors", version))
    assert_kept(ids(found, lambda event: event.get("distinct_id")))
    assert_new(ids(found, lambda event: event.get("device_id")))
    first = ids(found, lambda event: "x" if event.get("is_first_time") else None)
    assert sum(len(own) > 1 for own in first.values()) > 3


@pytest.mark.parametrize("version", ["1.10.17", "4.9.1"])
def test_sensors_resets_to_the_id_of_the_present_installation(tool: Tool, version: str):
    """The app resets the anonymous id at each launch, after the first events of which the keychain's is the older one."""
    described = scenario("sensors", version)
    described["populations"][0]["app"] = "resetting"
    described["apps"] = {
        "resetting": {
            "screens": [{"name": "Home", "controls": [{"action": "buy:"}]}],
            "identities": [{"operation": "resetAnonymousId", "on": "launch"}],
        }
    }
    found = generate(tool, described)
    told, own = (ids(found, lambda event, key=key: event.get(key)) for key in ("distinct_id", "device_id"))
    assert_new(own)
    for device, installations in own.items():
        assert told[device][0] == installations[0]
        if 1 in installations:
            assert installations[1] <= told[device][1] <= installations[0] | installations[1]


def test_growing_has_its_device_id_in_the_keychain(tool: Tool):
    found = generate(tool, scenario("growing"))
    assert_kept(ids(found, lambda event: json.loads(event["payload"])["deviceId"]))
    assert_new(ids(found, lambda event: json.loads(event["payload"]).get("idfv")))


def test_codeless_has_another_device(tool: Tool):
    found = generate(tool, scenario("codeless"))
    assert_new(ids(found, lambda event: event.get("device_id")))


def test_the_truth_shows_both_installations(tool: Tool):
    found = generate(tool, scenario("trackingsdk"))
    again = 0
    for user in found["users"]:
        own = [row for row in found["sessions"] if row["device"] == user["device"]]
        assert [row["installation"] for row in own] == sorted(row["installation"] for row in own)
        if user["reinstalled_at"] is None:
            continue
        again += 1
        deleted, back = milliseconds(user["uninstalled_at"]), milliseconds(user["reinstalled_at"])
        assert abs(back - deleted - 10 * HOUR) <= 1
        first = [row for row in own if row["installation"] == 0]
        second = [row for row in own if row["installation"] == 1]
        assert all(milliseconds(row["started_at"]) <= deleted for row in first)
        assert milliseconds(second[0]["started_at"]) == back and second[0]["is_cold"]
        assert user["installations"] == 1 + max(row["installation"] for row in own)
    assert again > 3
    # Sequences go on, without a hole.
    sequences = defaultdict(list)
    for row in found["truth"]:
        sequences[row["device"]].append(row["sequence"])
    assert all(sorted(own) == list(range(len(own))) for own in sequences.values())


def test_a_share_of_nobody_is_nobody_and_explain_tells_of_the_others(tool: Tool):
    path = write_scenario(tool.folder, scenario("kit", share=0), "none.json")
    tool.run("simulate", path, "-q", "--out", "none").expect(0)
    plain = scenario("kit")
    del plain["populations"][0]["persona"]["reinstall"]
    tool.run("simulate", write_scenario(tool.folder, plain, "plain.json"), "-q", "--out", "plain").expect(0)
    tool.run("simulate", write_scenario(tool.folder, scenario("kit"), "all.json"), "-q", "--out", "all").expect(0)
    none, plain, every = (read_report(tool.folder / name) for name in ["none", "plain", "all"])
    assert none["fingerprint"] == plain["fingerprint"] and none["events"] == plain["events"]
    assert every["events"]["captured"] > plain["events"]["captured"] and every["events"]["balance"] == 0
    assert every["events"]["lost"]["uninstalled"] >= plain["events"]["lost"]["uninstalled"]
    stories = [tool.run("explain", tool.folder / "all", "--device", device).expect(0).out for device in range(3)]
    assert any("which was installed again" in story and "the app was deleted" in story for story in stories)


@pytest.mark.parametrize("system", ["sensors", "trackingsdk", "kit"])
def test_a_full_disk_is_the_phones_and_outlasts_the_app(tool: Tool, system: str):
    """What has no room before the app is deleted has none after it is installed again."""
    captured = {}
    for share in [0, 1]:
        described = scenario(system, share=share) | {"timeline": [{"at": "0s", "device": {"disk": "full"}}]}
        path = write_scenario(tool.folder, described, f"{share}.json")
        tool.run("simulate", path, "--out", f"{share}", "-q").expect(0)
        events = read_report(tool.folder / f"{share}")["events"]
        assert events["lost"]["storage_error"] == events["captured"]
        captured[share] = events["captured"]
    assert captured[1] > 1.2 * captured[0] > 0, "nobody installed the app again"


def test_described_sdks_whose_sessions_go_on_begin_one_in_a_new_installation(tool: Tool):
    described = scenario("declared")
    described["populations"][0]["sdk"] = {"preset": "amplitude-ios"}
    found = generate(tool, described)
    devices = defaultdict(set)
    for row in found["sessions"]:
        devices[row["device"]].add(row["installation"])
    assert sum(len(installations) > 1 for installations in devices.values()) > 3
    # A session is called by its time, and none goes on in the next installation.
    told = [json.loads(event["payload"]) | {"key": event["id"]} for event in found["events"]]
    truth = {row["id"]: row["session_id"] for row in found["truth"]}
    installed = {row["session_id"]: (row["device"], row["installation"]) for row in found["sessions"]}
    by_session = defaultdict(set)
    for event in told:
        if truth[event["key"]] is not None:
            by_session[event["device_id"], event["session_id"]].add(installed[truth[event["key"]]])
    assert len(by_session) > 30 and all(len(installations) == 1 for installations in by_session.values())
    assert_new(ids(found, lambda event: json.loads(event["payload"])["idfv"]))
