"""Roll-outs of rules in the timeline: what devices do before and after, in simulations and in live runs."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest

from conftest import Tool
from helpers import read_events, read_report, write_scenario
from known_systems import DESCRIBED, has_knob, systems

#: Seconds that it takes: the longest go first.
LONG = 35

DAY = 24 * 3600
#: A collector that knows nobody: what is kept after it, only a rule says.
NOBODY = {"at": "0s", "collector": {"fault": "status", "status": 404}}
DROPS = {"upload": {"keepStatuses": ["5xx"]}}
#: Those that can be told what to drop: described SDKs in words of their own.
SYSTEMS = [name for name in systems() if has_knob(name, "upload", "keepStatuses") or name == DESCRIBED]
#: The same of a described SDK, and what is described.
TABLE = {"answers": [["200", "delivered"], ["404", "drop"], ["*", "retry"]]}
PRESET = {"preset": "mixpanel-ios"}


def scenario(system: str, *timeline: dict, sdk: dict | None = None, devices: int = 4, hours: int = 24) -> dict:
    """People who start the app many times a day."""
    population = {
        "name": "p", "devices": devices, "system": system,
        "persona": {"preset": "casual", "sessionsPerDay": 12, "killAtBackgroundChance": 0.8},
    }
    if sdk is not None:
        population["sdk"] = sdk
    return {
        "name": "rollout", "seed": 5, "duration": f"{hours}h", "drain": "1m", "populations": [population],
        "timeline": list(timeline),
    }


def simulate(tool: Tool, described: dict, name: str, *options: object) -> dict:
    path = write_scenario(tool.folder, described, f"{name}.json")
    tool.run("simulate", path, "-q", "--out", name, *options).expect(0)
    return read_report(tool.folder / name)


def books(report: dict) -> tuple:
    return report["fingerprint"], report["events"]


#: Devices and hours: Kit sends the files of days that are over, TrackingSDK its whole file at each event.
SIZES = {"kit": (4, 72), "trackingsdk": (2, 4), "growing": (3, 8)}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_roll_out_at_the_start_is_the_rule_itself_and_one_at_the_end_is_none(tool: Tool, system: str):
    devices, hours = SIZES.get(system, (3, 16))

    def play(name: str, *timeline: dict, sdk: dict | None = None) -> dict:
        described = scenario(system, NOBODY, *timeline, sdk=sdk, devices=devices, hours=hours)
        return simulate(tool, described, name, "--bodies", "measure")

    drops, own = (TABLE, PRESET) if system == DESCRIBED else (DROPS, {})
    never, always = play("never", sdk=own), play("always", sdk=own | drops)
    assert "404" in always["events"]["rejected"] and not never["events"]["rejected"]
    start = play("start", {"at": "0s", "sdk": drops}, sdk=own)
    end = play("end", {"at": f"{hours * 3600 - 1}s", "sdk": drops}, sdk=own)
    assert books(start) == books(always) and books(end) == books(never)
    assert start["metrics"]["rollout_reached"]["rate"] == 1 and end["metrics"]["rollout_reached"]["rate"] == 0
    assert "rollout_reached" not in never["metrics"]
    half = play("half", {"at": f"{hours // 4}h", "over": f"{hours // 4}h", "sdk": drops}, sdk=own)
    assert half["events"]["captured"] == never["events"]["captured"]
    assert 0 < half["events"]["rejected"]["404"]
    assert books(half) not in (books(never), books(always))


#: Devices of both systems that fetch a configuration at each start, and what stops them.
FETCHERS = {
    "sensors": ({"remoteConfig": {"minInterval": "0s", "maxInterval": "0s"}}, {"disableSDK": True, "effectMode": 1}),
    "declared": (
        {"preset": "mixpanel-ios", "config": [{"path": "/settings", "apply": {"/on": "capture"}}]},
        {"answer": {"on": False}, "path": "/settings"}),
}


@pytest.mark.parametrize("system", FETCHERS)
def test_a_configuration_gets_around_among_devices(tool: Tool, system: str):
    sdk, config = FETCHERS[system]
    devices, begin, over = 200, 4 * 3600, 12 * 3600
    entry = {"at": f"{begin}s", "over": f"{over}s", "share": 0.75, "name": "off", "remoteConfig": config}
    described = scenario(system, entry, sdk=sdk, devices=devices, hours=36)
    report = simulate(tool, described, "spread", "--events", "spread.ndjson", "--bodies", "measure")
    start = 1767571200000  # Monday 2026-01-05, where virtual runs begin.
    stopped, others = {}, Counter()
    for event in sorted(read_events(tool.folder / "spread.ndjson"), key=lambda event: event["captured_at"]):
        device = event["id"].split("-")[0]
        if event["cause"] == "sdk_disabled":
            stopped.setdefault(device, (event["captured_at"] - start) / 1000)
        elif device in stopped and event["captured_at"] > stopped[device] * 1000 + start:
            others[device] += 1
    assert not others, "who is stopped stays it"
    # 150 of the 200 have a moment, with a deviation of 6; some of them do not launch the app after it.
    assert min(stopped.values()) >= begin and 90 < len(stopped) <= 175
    early = sum(moment < begin + over / 2 for moment in stopped.values())
    assert 0.05 < early / len(stopped) < 0.6, "half of the moments, and some wait for a launch"
    reached = report["metrics"]["rollout_reached"]
    assert 0 <= reached["passes"] - len(stopped) < 10 and reached["passes"] + reached["fails"] == devices
    at_once = scenario(system, {**entry, "over": "0s", "share": 1}, sdk=sdk, devices=20, hours=12)
    plain = scenario(system, {key: entry[key] for key in ("at", "name", "remoteConfig")}, sdk=sdk, devices=20, hours=12)
    assert books(simulate(tool, at_once, "once")) == books(simulate(tool, plain, "plain"))


def test_the_share_that_is_reached_is_a_series(tool: Tool):
    entries = [{"at": "1d", "over": "12h", "name": "batches", "sdk": {"upload": {"batch": 7}}},
               {"at": "2d", "share": 0.25, "sdk": {"upload": {"batch": 3}}}]
    report = simulate(tool, scenario("sensors", *entries, devices=80, hours=72), "series")
    with open(tool.folder / "series/timeseries.csv", newline="") as file:
        rows = [(float(row["second"]), float(row["seconds"]), int(row["updated_devices"])) for row in csv.DictReader(file)]
    reached = [count for begin, width, count in rows if begin + width <= 2 * DAY]
    assert reached == sorted(reached) and 60 < reached[-1] <= 80
    assert all(count == 0 for begin, width, count in rows if begin + width <= DAY)
    (middle,) = [count for begin, width, count in rows if begin <= 1.25 * DAY < begin + width]
    assert 10 < middle < 55  # Half of them have had their moment, and wait for a launch.
    after = [count for begin, _, count in rows if begin >= 2 * DAY]
    assert after == sorted(after) and after[0] < 5 and 8 < after[-1] < 32
    assert report["metrics"]["rollout_reached"] == {
        "rate": after[-1] / 80, "passes": after[-1], "fails": 80 - after[-1]}
    assert report["entries"]["batches"]["metrics"]["events_captured"]["count"] > 0
    assert "Devices that run the latest roll-out" in (tool.folder / "series/report.html").read_text()


def test_no_process_changes_its_rules_in_its_midst(tool: Tool):
    described = scenario("sensors", {"at": "12h", "over": "1d", "sdk": {"upload": {"batch": 3}}}, devices=3, hours=72)
    described["populations"][0]["sdk"] = {"upload": {"batch": 40, "flushBulkSize": 40}}
    simulate(tool, described, "told", "--events", "told.ndjson")
    sizes = Counter((line["id"].split("-")[0], line["acked_at"]) for line in read_events(tool.folder / "told.ndjson"))
    for device in range(3):
        said = json.loads(tool.run("explain", tool.folder / "told", "--device", device, "--json").expect(0).out)
        assert said["agrees"]
        told = [(line["at"], line["text"]) for line in said["story"]]
        (update,) = [at for at, text in told if "rules of a roll-out: upload.batch 3" in text]
        assert any(at == update and "began with a launch" in text for at, text in told)
        own = [(at, size) for (number, at), size in sizes.items() if int(number) == device and at is not None]
        assert max(size for at, size in own if at < update) > 3
        assert max(size for at, size in own if at >= update) <= 3


def test_a_described_sdk_changes_what_its_new_version_says_and_nothing_else(tool: Tool):
    """Batches of another size from the launch on; the description keeps all else, and `explain` tells when."""
    entry = {"at": "6h", "over": "6h", "name": "small", "sdk": {"upload": {"batch": 2}, "storage": {"limit": 50}}}
    described = scenario("declared", entry, sdk=PRESET | {"upload": {"batch": 9}}, devices=3)
    simulate(tool, described, "told", "--events", "told.ndjson")
    sizes = Counter((line["id"].split("-")[0], line["acked_at"]) for line in read_events(tool.folder / "told.ndjson"))
    for device in range(3):
        said = json.loads(tool.run("explain", tool.folder / "told", "--device", device, "--json").expect(0).out)
        assert said["agrees"]
        told = [(line["at"], line["text"]) for line in said["story"]]
        (update,) = [at for at, text in told if "rules of a roll-out: upload.batch 2, storage.limit 50" in text]
        own = [(at, size) for (number, at), size in sizes.items() if int(number) == device and at is not None]
        assert max(size for at, size in own if at < update) > 2
        assert {size for at, size in own if at >= update} <= {1, 2}


def test_what_no_new_version_can_change_of_a_description_is_told_at_its_place(tool: Tool):
    entry = {"at": "1h", "sdk": {"upload": {"batch": 5}, "request": {"compress": "gzip"}}}
    path = write_scenario(tool.folder, scenario("declared", entry, sdk=PRESET))
    said = tool.run("validate", path).expect(104).err
    assert "/timeline/0/sdk/request" in said and "settled when the app is installed" in said


def test_several_seeds_variants_and_sweeps_turn_roll_outs(tool: Tool):
    described = scenario("growing", {"at": "2h", "over": "6h", "name": "new", "sdk": {"upload": {"batch": 50}}})
    described["variants"] = {"fast": {"timeline.0.over": "1h", "timeline.0.sdk.upload.batch": 5}}
    path = write_scenario(tool.folder, described)
    tool.run("simulate", path, "-q", "--out", "lab", "--seeds", 2).expect(0)
    lab = json.loads((tool.folder / "lab/report.json").read_text())
    assert list(lab["variants"]) == ["base", "fast"]
    for variant in lab["variants"].values():
        assert all(cell["metrics"]["rollout_reached"]["rate"] > 0.5 for cell in variant["seeds"].values())
    tool.run("sweep", path, "-q", "--out", "sweep", "--vary", "timeline.0.sdk.upload.batch=1,50", "--seeds", 2).expect(0)


def test_live_runs_roll_out_too(tool: Tool):
    described = scenario("sensors", {"at": "0s", "sdk": {"upload": {"flushBulkSize": 2}}})
    described |= {"duration": "3s", "drain": "1s"}
    described["populations"][0] |= {"arrival": {"over": "1s"}}
    path = write_scenario(tool.folder, described)
    tool.run("run", path, "-q", "--out", "live").expect(0)
    report = read_report(tool.folder / "live")
    assert report["mode"] == "live" and report["metrics"]["rollout_reached"]["passes"] == 4
