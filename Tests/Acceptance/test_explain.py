"""The life of an event in words, against scenarios whose course is known by hand and against the run's own lines."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import pytest

from conftest import Tool
from helpers import SCENARIOS, read_events, steady, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 60

#: What a run without "start" begins with.
START = datetime(2026, 1, 5, tzinfo=timezone.utc).timestamp() * 1000


def simulate(tool: Tool, scenario: dict, *options, name: str = "run") -> tuple[Path, dict[str, dict]]:
    """Plays a scenario; its folder, and its lines by id."""
    path = write_scenario(tool.folder, scenario, f"{name}.json")
    events = tool.folder / f"{name}.ndjson"
    tool.run("simulate", path, "--out", tool.folder / name, "--events", events, "--quiet", *options).expect(0)
    return tool.folder / name, {line["id"]: line for line in read_events(events)}


def story(tool: Tool, folder: Path, event: str, *options) -> list[tuple[float, str]]:
    """The sentences about an event, each with its time in milliseconds since the run's start."""
    said = json.loads(tool.run("explain", folder, event, "--json", *options).expect(0).out)
    assert said["schema"] == "beaconswarm.explain/1" and said["event"] == event
    return [(line["at"] - START, line["text"]) for line in said["story"]]


def texts(tool: Tool, folder: Path, event: str) -> list[str]:
    return [text for _, text in story(tool, folder, event)]


def lonely(**changes) -> dict:
    """A device that captures about an event a second and uploads all it has each ten seconds."""
    sdk = {
        "upload": {"flushInterval": "10s", "flushBulkSize": 10000, "batch": 10000},
        "remoteConfig": {"enabled": False},
    }
    scenario = steady(devices=1, duration="60s") | changes
    scenario["populations"][0] |= {"persona": {"extends": "steady", "rate": "1/s"}, "sdk": sdk}
    return scenario


def first_with(lines: dict[str, dict], **wanted) -> dict:
    found = [line for line in lines.values() if all(line[key] == value for key, value in wanted.items())]
    assert found, f"no event with {wanted}"
    return found[0]


def captured_between(lines: dict[str, dict], low: float, high: float) -> dict:
    """The first event captured in these seconds of the run."""
    return next(line for line in lines.values() if low <= (line["captured_at"] - START) / 1000 < high)


def captured_before(lines: dict[str, dict], before: float) -> int:
    """How many events there are before an instant."""
    return sum(line["captured_at"] < before for line in lines.values())


def test_delivered_by_the_first_upload(tool: Tool):
    folder, lines = simulate(tool, lonely())
    line = captured_between(lines, 4, 9)
    earlier = captured_before(lines, line["captured_at"])
    carried = captured_before(lines, line["acked_at"] - 1)
    told = story(tool, folder, line["id"])
    age = (line["acked_at"] - line["captured_at"]) / 1000
    assert [text for _, text in told] == [
        "captured on wifi, in session 0 (since +00:00:00.000)",
        f"stored: {earlier + 1} rows on the device now",
        f"upload 0 began on wifi with {carried} events: the first to carry it",
        "the collector stored the events of upload 0",
        "upload 0 was answered 200 after 1 ms: success",
        told[-1][1],
    ]
    assert float(re.fullmatch(r"delivered, ([\d.]+) s after its capture", told[-1][1])[1]) == pytest.approx(age, abs=0.01)
    assert [at for at, _ in told] == pytest.approx(
        [line["captured_at"] - START] * 2 + [line["acked_at"] - START - 1] * 2 + [line["acked_at"] - START] * 2, abs=0.01
    )
    words = tool.run("explain", folder, line["id"]).expect(0).out
    assert f"event {line['id']}, {line['type']} {line['name']}\n  device 0 of ios (sensors 1.10.17)" in words
    # The population's users are eight hours ahead of UTC.
    assert re.search(r"\+00:00:10\.\d{3}  2026-01-05 00:00:10\.\d{3}  08:00:10  the collector stored", words)
    assert "fate: delivered, 1 upload carried it" in words
    assert f"✓ as the run itself has it in beliefs.txt and {tool.folder / 'run.ndjson'}" in words


def test_kept_after_503_and_delivered_by_the_next_upload(tool: Tool):
    fault = {"at": "15s", "for": "10s", "collector": {"fault": "status", "status": 503}}
    folder, lines = simulate(tool, lonely(timeline=[fault]))
    line = captured_between(lines, 12, 15)
    told = texts(tool, folder, line["id"])
    assert line["attempts"] == 2
    assert re.fullmatch(r"upload 1 began on wifi with \d+ events: the first to carry it", told[2])
    assert told[3] == "upload 1 was answered 503 after 1 ms: no success to this SDK, and the SDK kept the event"
    assert re.fullmatch(r"upload 2 began on wifi with \d+ events: number 2 to carry it", told[4])
    assert told[5:7] == ["the collector stored the events of upload 2", "upload 2 was answered 200 after 1 ms: success"]
    assert told[7].startswith("delivered, 1") and len(told) == 8


def test_a_lost_reply_is_told_from_an_upload_that_never_arrived(tool: Tool):
    entries = [
        {"at": "0s", "for": "15s", "client": {"fault": "lostReply", "as": "reset"}},
        {"at": "15s", "for": "10s", "collector": {"fault": "outage"}},
    ]
    folder, lines = simulate(tool, lonely(timeline=entries))
    told = texts(tool, folder, captured_between(lines, 4, 9)["id"])
    kept = ", and the SDK kept the event"
    assert told[3] == "the collector stored the events of upload 0"
    assert told[4].startswith("upload 0 was cut: the connection was reset after 1 ms; its reply was lost, for the collector")
    assert told[4].endswith(kept)
    assert told[6] == f"upload 1 was refused a connection after 0 ms{kept}"
    assert told[8] == "the collector stored the events of upload 2 again"
    assert told[-1].startswith("delivered, 2")


def audited(folder: Path) -> dict:
    return json.loads((folder / "report.json").read_text())["audit"]


def test_what_the_collector_did_not_keep_is_no_plain_delivery(tool: Tool):
    fault = {"at": "15s", "for": "10s", "collector": {"fault": "wrongContent"}}
    folder, lines = simulate(tool, lonely(timeline=[fault]))
    line = captured_between(lines, 12, 15)
    assert line["fate"] == "delivered"
    told = texts(tool, folder, line["id"])
    assert told[3] == "upload 1 was answered 200 after 1 ms: success, but the collector did not keep its events (swallowed)"
    assert re.fullmatch(r"delivered, [\d.]+ s after its capture, as the SDK has it", told[4]) and len(told) == 5
    words = tool.run("explain", folder, "--device", 0).expect(0).out
    count = audited(folder)["swallowed"]
    upload = f"upload 1 with {count} events was answered 200, {count} delivered"
    assert f"{upload}, but the collector did not keep them (swallowed); took" in words
    assert re.search(r"uploads 2 to \d+ with \d+ events were (all|both) answered 200, \d+ delivered; within", words)
    assert f"(the collector did not keep {count} of them)" in words


def test_what_was_only_checked_is_no_plain_delivery(tool: Tool):
    scenario = lonely()
    scenario["populations"][0]["sdk"]["debugMode"] = "debugOnly"
    folder, lines = simulate(tool, scenario)
    line = captured_between(lines, 4, 9)
    told = texts(tool, folder, line["id"])
    assert any(text.endswith(": success, but the collector did not keep its events (dry_run)") for text in told)
    assert told[-1].endswith(", as the SDK has it")
    words = tool.run("explain", folder, "--device", 0).expect(0).out
    count = audited(folder)["dry_run"]
    assert count == len(lines) and f"{count} delivered, but the collector did not keep them (dry_run); within" in words
    assert f"delivered {count} (the collector did not keep {count} of them)" in words


def test_a_swallowed_copy_of_what_is_stored_is_told_without_doubt(tool: Tool):
    """The answer to the first copy got lost, and the second one was swallowed."""
    entries = [
        {"at": "0s", "for": "15s", "client": {"fault": "lostReply", "as": "reset"}},
        {"at": "15s", "for": "10s", "collector": {"fault": "wrongContent"}},
    ]
    folder, lines = simulate(tool, lonely(timeline=entries))
    told = texts(tool, folder, captured_between(lines, 4, 9)["id"])
    assert told[3] == "the collector stored the events of upload 0"
    assert any(text.endswith("success, but the collector did not keep its events (swallowed)") for text in told)
    assert re.fullmatch(r"delivered, [\d.]+ s after its capture", told[-1])
    assert audited(folder)["swallowed"] > 0


def test_all_tells_each_upload_in_a_sentence_of_its_own(tool: Tool):
    folder, _ = simulate(tool, lonely())

    def uploads(*options) -> list[str]:
        said = json.loads(tool.run("explain", folder, "--device", 0, "--json", *options).expect(0).out)
        return [line["text"] for line in said["story"] if line["text"].startswith("upload")]

    joined, each = uploads(), uploads("--all")
    number = re.match(r"uploads 0 to (\d+) with", joined[0])
    assert number and [text.split()[1] for text in each[: int(number[1]) + 1]] == [str(n) for n in range(int(number[1]) + 1)]
    assert all(text.startswith("upload ") for text in each)
    words = tool.run("explain", folder, "--device", 0, "--all").expect(0).out
    assert all(text in words for text in each)


def test_captured_without_a_radio(tool: Tool):
    entry = {"at": "5s", "for": "20s", "device": {"network": "none"}}
    folder, lines = simulate(tool, lonely(timeline=[entry]))
    told = story(tool, folder, captured_between(lines, 6, 9)["id"])
    assert told[0][1] == "captured without a radio, in session 0 (since +00:00:00.000)"
    assert (25000, "the timeline put the device back on its own network") in told
    (began,) = [at for at, text in told if " began on wifi " in text]
    assert 25000 < began < 31000


#: Its devices lose their radio for seven seconds of each twenty.
PATCHY = {
    "wifi": {"dwell": "13s", "regular": True, "to": {"none": 1}},
    "none": {"dwell": "7s", "regular": True, "to": {"wifi": 1}},
}


def patchy(**upload) -> dict:
    scenario = lonely(networks={"patchy": {"chain": PATCHY}})
    population = scenario["populations"][0]
    population["network"] = "patchy"
    population["sdk"]["upload"] |= upload
    return scenario


def radio_gaps(told: list[dict]) -> list[tuple[float, float]]:
    """From and until of each time without a radio that is told of alone; milliseconds."""
    gaps = []
    for line in told:
        if found := re.fullmatch(r"no radio until \+00:(\d\d):(\d\d\.\d{3}), for [\d.]+ m?s", line["text"]):
            gaps.append((line["at"] - START, (int(found[1]) * 60 + float(found[2])) * 1000))
    return gaps


def test_times_without_a_radio_are_told_to_what_waits(tool: Tool):
    folder, lines = simulate(tool, patchy())
    said = json.loads(tool.run("explain", folder, "--device", 0, "--all", "--json").expect(0).out)["story"]
    assert [line["at"] for line in said] == sorted(line["at"] for line in said)
    gaps = radio_gaps(said)
    assert len(gaps) > 1
    waited = Counter()
    # A gap takes seven of them, and what waits for its end some more.
    for line in list(lines.values())[::5]:
        captured, acked = line["captured_at"] - START, line["acked_at"] - START
        told = texts(tool, folder, line["id"])
        assert ("without a radio" in told[0]) == any(begin <= captured < until for begin, until in gaps), told
        waits = any(begin < acked and captured < until for begin, until in gaps)
        assert any(text.startswith("no radio") for text in told) == waits, told
        waited[waits] += 1
    assert waited[True] > 2 and waited[False] > 2, waited


def test_times_without_a_radio_with_nothing_between_are_one_sentence(tool: Tool):
    folder, lines = simulate(tool, patchy(flushInterval="60s"))
    first = story(tool, folder, "0-0")
    ((at, text),) = [line for line in first if line[1].startswith("no radio")]
    found = re.fullmatch(r"no radio (\d) times until \+00:00:\d\d\.\d{3}, for (\d+) s in all", text)
    assert found and int(found[2]) == 7 * int(found[1])
    words = tool.run("explain", folder, "--device", 0).expect(0).out
    assert words.count(text) == 1 and words.count("no radio") == 1
    each = tool.run("explain", folder, "--device", 0, "--all").expect(0).out
    assert each.count("  no radio until ") == int(found[1])


def test_evicted_by_newer_ones(tool: Tool):
    scenario = lonely(timeline=[{"at": "0s", "collector": {"fault": "outage"}}])
    scenario["populations"][0]["sdk"]["storage"] = {"limit": 20, "evict": 10}
    folder, lines = simulate(tool, scenario)
    line = first_with(lines, fate="evicted", cause="storage_limit")
    told = texts(tool, folder, line["id"])
    # The oldest ten make room at once.
    assert told[-1].startswith("evicted, ")
    assert told[-1].endswith("(storage_limit), and 9 others with it")
    assert sum(text.startswith("upload ") and "refused a connection" in text for text in told) == line["attempts"] > 0
    kept = next(line for line in reversed(lines.values()) if line["fate"] == "pending")
    assert texts(tool, folder, kept["id"])[-1] == "pending: it was still on the device when the run ended (stored)"


@pytest.mark.parametrize("storage", [{"maxBytes": 1}, {"limit": 5, "evict": 1, "evictFrom": "newest"}])
def test_what_the_store_refused_was_never_stored(tool: Tool, storage: dict):
    scenario = lonely(timeline=[{"at": "0s", "collector": {"fault": "outage"}}])
    scenario["populations"][0]["sdk"]["storage"] = storage
    folder, lines = simulate(tool, scenario)
    last = lines[f"0-{len(lines) - 1}"]
    assert (last["fate"], last["cause"]) == ("evicted", "storage_limit")
    captured, evicted = texts(tool, folder, last["id"])
    assert captured.startswith("captured on wifi") and evicted.endswith("or it is larger than the bound (storage_limit)")


#: Their phones end the process again and again.
MORTAL = {"preset": "casual", "sessionsPerDay": 2000, "crashChance": 1}


def growing(**sdk) -> dict:
    scenario = lonely(timeline=[{"at": "0s", "collector": {"fault": "outage"}}], duration="10m")
    scenario["populations"][0] |= {
        "system": "growing", "version": "3.2.1", "persona": MORTAL, "devices": 4, "sdk": sdk,
    }
    return scenario | {"target": {"url": "http://127.0.0.1:1", "accountId": "account-1"}}


def test_expired_by_age(tool: Tool):
    folder, lines = simulate(tool, growing(storage={"ttl": "20s"}))
    line = first_with(lines, fate="evicted", cause="expired")
    told = texts(tool, folder, line["id"])
    last = re.match(r"evicted, (\d+m)?([\d.]+) ?s after its capture: it had been stored for longer than the SDK", told[-1])
    assert last and (last[1] or float(last[2]) >= 20)
    # It outlived the process on disk, and the next start of the SDK looked how old it was.
    assert any("the app crashed" in text and text.endswith("the event outlived it on disk") for text in told)


def test_what_expires_at_a_launch_is_told_before_the_launchs_uploads(tool: Tool):
    folder, lines = simulate(tool, growing(storage={"ttl": "20s"}))
    seen = 0
    for device in sorted({line["id"].split("-")[0] for line in lines.values() if line["cause"] == "expired"}):
        told = json.loads(tool.run("explain", folder, "--device", device, "--all", "--json").expect(0).out)["story"]
        for index, line in enumerate(told):
            if re.search(r" evicted: .* longer than the SDK", line["text"]):
                same = [other["text"] for other in told[:index] if other["at"] == line["at"]]
                assert not any(text.startswith("upload") for text in same), told
                seen += any(other["at"] == line["at"] for other in told[index + 1 :])
    assert seen, "no upload at the instant of an expiry"


def test_the_upload_that_cleared_an_event_away_is_told(tool: Tool):
    path, events = SCENARIOS / "systems/trackingsdk-clear.json", tool.folder / "events.ndjson"
    tool.run("simulate", path, "--out", "run", "--events", events, "--quiet").expect(0)
    cleared = [line for line in read_events(events) if line["cause"] == "cleared_unsent"]
    assert cleared
    for line in cleared[:2]:
        told = texts(tool, tool.folder / "run", line["id"])
        clearing = r"upload \d+, which did not carry it, was answered \d+.*, and with what it carried the SDK cleared the event away"
        (index,) = [number for number, text in enumerate(told) if re.fullmatch(clearing, text)]
        assert told[-1].endswith("the SDK cleared it away, and no upload with it had been a success (cleared_unsent)")
        assert not any("the SDK kept the event" in text for text in told[index:])


def test_killed_with_what_was_only_in_memory(tool: Tool):
    folder, lines = simulate(tool, growing())
    line = first_with(lines, fate="lost", cause="killed")
    told = story(tool, folder, line["id"])
    assert told[-2][1].startswith("the app crashed") and "outlived" not in told[-2][1]
    assert re.match(r"lost, .* after its capture: it was only in memory when the process died \(killed\)", told[-1][1])
    assert told[-1][0] == told[-2][0]
    said = tool.run("explain", folder, "--device", line["id"].split("-")[0], "--all").expect(0).out
    assert re.search(r"session 0 began with a launch, for [\w. ]+, to its crash: \d+ events?\n", said)
    assert re.search(rf"  {line['id']}  .*  lost \(killed\), 0 uploads\n", said)


#: What goes wrong on the way.
ROUGH = [
    {"at": "1s", "for": "2s", "collector": {"fault": "status", "status": 503}},
    {"at": "2s", "for": "4s", "share": 0.5, "client": {"fault": "lostReply", "as": "reset"}},
    {"at": "3s", "for": "3s", "share": 0.5, "device": {"network": "none"}},
    {"at": "6s", "for": "2s", "share": 0.5, "collector": {"fault": "status", "status": 413}},
]


@pytest.fixture(scope="module")
def rough(tmp_path_factory):
    """All systems with people whose phones end processes often."""
    from test_attempts import KILLED, populations, scenario

    tool = Tool(tmp_path_factory.mktemp("rough"))
    wild = scenario(populations=populations("killed"), timeline=ROUGH, name="rough")
    wild["personas"] |= {"killed": KILLED}
    folder, lines = simulate(tool, wild)
    return tool, folder, lines


def test_stories_have_the_fate_and_the_uploads_of_the_runs_own_lines(rough):
    tool, folder, lines = rough
    # Some that together have each fate and cause by each number of uploads, and each fate in each system.
    chosen, seen = [], set()
    for line in lines.values():
        kinds = {(line["fate"], line["cause"], min(line["attempts"], 2)), (line["fate"], line["system"])}
        if kinds - seen:
            chosen.append(line)
            seen |= kinds
    assert len(chosen) > 10
    for line in chosen:
        said = json.loads(tool.run("explain", folder, line["id"], "--json").expect(0).out)
        assert said["agrees"] and [said[key] for key in ("fate", "cause", "attempts")] == [
            line["fate"], line["cause"], line["attempts"]]
        told = [sentence["text"] for sentence in said["story"]]
        assert sum(" began on " in text for text in told) == line["attempts"], (line, told)
        times = [sentence["at"] for sentence in said["story"]]
        assert times == sorted(times) and times[0] == pytest.approx(line["captured_at"], abs=0.01)


def test_a_devices_story_has_each_of_its_events(rough):
    tool, folder, lines = rough
    devices = sorted({int(line["id"].split("-")[0]) for line in lines.values()})
    for device in devices[::9]:
        own = {line["id"]: line for line in lines.values() if line["id"].startswith(f"{device}-")}
        said = json.loads(tool.run("explain", folder, "--device", device, "--json").expect(0).out)
        assert said["agrees"] and said["captured"] == len(own)
        told = {event["event"]: (event["fate"], event["cause"], event["attempts"]) for event in said["events"]}
        assert told == {event: (line["fate"], line["cause"], line["attempts"]) for event, line in own.items()}


def test_where_devices_share_a_queue_and_a_threshold_ends_the_run_all_are_played_again(tool: Tool):
    scenario = lonely(server={"serviceTime": "100ms", "workers": 1, "queue": 3}, duration="2m")
    scenario["populations"][0]["devices"] = 40
    scenario["thresholds"] = {"http_req_failed": [{"threshold": "rate<0.1", "abortOnFail": True, "delayAbortEval": "40s"}]}
    path = write_scenario(tool.folder, scenario)
    events = tool.folder / "events.ndjson"
    tool.run("simulate", path, "--out", "run", "--events", events, "--quiet").expect(99)
    folder = tool.folder / "run"
    assert json.loads((folder / "replay.json").read_text())["users_stopped_ns"] is not None
    lines = {line["id"]: line for line in read_events(events)}
    often = max(lines.values(), key=lambda line: line["attempts"])
    assert often["attempts"] > 1
    for line in (often, first_with(lines, fate="delivered"), first_with(lines, fate="pending")):
        assert sum(" began on " in text for text in texts(tool, folder, line["id"])) == line["attempts"]


def test_a_scaled_arrival_in_stages_is_played_again(tool: Tool):
    scenario = lonely(duration="2m")
    stages = [{"duration": "30s", "target": 10}, {"duration": "1m", "target": 20}]
    scenario["populations"][0] |= {"devices": 20, "arrival": {"stages": stages}}
    folder, lines = simulate(tool, scenario, "--devices", 7)
    resolved = json.loads((folder / "scenario.json").read_text())["populations"][0]
    assert resolved["devices"] == 7 and resolved["arrival"]["stages"][-1]["target"] == 7
    last = max(lines.values(), key=lambda line: int(line["id"].split("-")[0]))
    assert story(tool, folder, last["id"])


def test_one_of_several_simulations(tool: Tool):
    scenario = lonely(variants={"small": {"populations.ios.sdk.upload.batch": 3}})
    path = write_scenario(tool.folder, scenario)
    tool.run("simulate", path, "--seeds", 2, "--out", "lab", "--quiet").expect(0)
    assert "--variant (base, small)" in tool.run("explain", "lab", "0-3").expect(64).err
    assert "--seed (7, 8)" in tool.run("explain", "lab", "0-3", "--variant", "small").expect(64).err
    assert "allowed: 7, 8" in tool.run("explain", "lab", "0-3", "--variant", "small", "--seed", 9).expect(64).err
    said = tool.run("explain", "lab", "0-2", "--variant", "small", "--seed", 8).expect(0).out
    assert "with 3 events: the first to carry it" in said and "seed 8" in said
    assert said.splitlines()[3:] == tool.run("explain", "lab/variants/small/seeds/8", "0-2").out.splitlines()[3:]


def test_what_is_not_there_is_said_with_what_is(tool: Tool):
    folder, lines = simulate(tool, lonely(duration="5s"))
    last = max(int(event.split("-")[1]) for event in lines)
    assert f"0-0 to 0-{last}" in tool.run("explain", folder, f"0-{last + 1}").expect(64).err
    assert "this run's are 0 to 0" in tool.run("explain", folder, "--device", 1).expect(64).err
    assert "<device>-<sequence>" in tool.run("explain", folder, "0-01").expect(64).err
    assert "name an event" in tool.run("explain", folder).expect(64).err
    assert "0-0 and --device 0: name one of them" in tool.run("explain", folder, "0-0", "--device", 0).expect(64).err
    assert "no such file" in tool.run("explain", folder, "0-0", "--events", "nothing.ndjson").expect(64).err
    assert "nowhere: there is no such file or folder" in tool.run("explain", "nowhere", "0-0").expect(64).err
    assert "--seed: " in tool.run("explain", folder, "0-0", "--seed", 7).expect(64).err


def test_another_version_scenario_or_record_is_not_explained_away(tool: Tool):
    folder, lines = simulate(tool, lonely(duration="20s"))
    said = tool.run("explain", folder, "0-0", env={"BEACONSWARM_SEED": "8", "BEACONSWARM_DURATION": "3s"}).expect(0).out
    assert said == tool.run("explain", folder, "0-0").out
    own = tool.folder / "run.ndjson"
    text = own.read_text()
    own.write_text(text.replace('"id":"0-0"', '"id":"0-9999"').replace('"id":"0-1"', '"id":"0-0"', 1))
    said = tool.run("explain", folder, "0-0").expect(70).out
    assert "✗ the run itself has it differently" in said and "its line is" in said
    own.unlink()
    assert "✓ as the run itself has it in beliefs.txt\n" in tool.run("explain", folder, "0-0").expect(0).out
    replay = folder / "replay.json"
    record = json.loads(replay.read_text())
    replay.write_text(json.dumps(record | {"tool_version": "0.0.9"}))
    assert "played by version 0.0.9" in tool.run("explain", folder, "0-0").expect(104).err
    replay.write_text(json.dumps(record))
    scenario = folder / "scenario.json"
    scenario.write_text(scenario.read_text().replace('"20s"', '"21s"'))
    assert "it was changed since" in tool.run("explain", folder, "0-0").expect(104).err


def test_times_and_names_that_no_run_has_are_refused_where_they_stand(tool: Tool):
    """Files come from anywhere: what would lead beyond the clock, or beyond the names, is found when it is read."""
    path = write_scenario(tool.folder, steady(devices=2, duration="2s", drain="2s"))
    events, live = tool.folder / "events.ndjson", tool.folder / "live"
    tool.run("run", path, "--out", live, "--events", events, "--trace-devices", "1", "-q").expect(0, 96)
    cases = [
        (live / "replay.json", r'"start_ns": -?[0-9]+', '"start_ns": %d' % (2**63 - 1), "1-0", "replay.json: start_ns: found"),
        (live / "report.json", r'"simulated_seconds": [0-9.]+', '"simulated_seconds": 1e300', "1-0", "simulated_seconds"),
        (live / "trace.ndjson", r'"at_ns": ?[0-9]+', '"at_ns":-9000000000000000000', "1-0", "trace.ndjson:1: not a line"),
        (live / "trace.ndjson", r'"label": ?[0-9]+', '"label":60000', "1-0", "label: found 60000"),
        (events, r'("id":"0-0".*?)"captured_at":[0-9.]+', r'\1"captured_at":-8999999999999', "0-0", "captured_at of event 0-0"),
    ]
    for file, found, instead, event, said in cases:
        sound = file.read_text()
        changed = re.sub(found, instead, sound, count=1)
        assert changed != sound, (file, found)
        file.write_text(changed)
        refused = tool.run("explain", live, event).expect(104)
        assert said in refused.err and not refused.out, str(refused)
        file.write_text(sound)
    tool.run("explain", live, "1-0").expect(0)


def test_what_a_line_of_an_event_file_says_moves_no_cursor(tool: Tool):
    """A run that was not traced is told as far as its event file goes, which may come from anywhere."""
    path = write_scenario(tool.folder, steady(devices=1, duration="2s", drain="2s"))
    events = tool.folder / "events.ndjson"
    tool.run("run", path, "--out", "live", "--events", events, "-q").expect(0, 96)
    line = {"id": "0-0", "type": "ty\x1b[2Jpe", "name": "na\nme\u202e", "fate": "lost", "cause": "ca\x9b1Ause", "attempts": 1}
    other = tool.folder / "other.ndjson"
    other.write_text(json.dumps(line, separators=(",", ":")) + "\n")
    said = tool.run("explain", "live", "0-0", "--events", other).expect(0).out
    assert said.startswith("event 0-0, ty\ufffd[2Jpe na me\ufffd\n"), said
    assert "fate: lost (ca\ufffd1Ause), 1 upload carried it" in said, said


@pytest.mark.parametrize("name", ["replay.json", "scenario.json", "beliefs.txt"])
def test_a_pipe_in_the_place_of_a_runs_file_is_not_waited_for(tool: Tool, name: str):
    folder, _ = simulate(tool, lonely(duration="20s"))
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert f"{name}: it is no regular file" in tool.run("explain", folder, "0-0").expect(104).err


def test_variables_are_those_of_the_run_or_none(tool: Tool):
    path = write_scenario(tool.folder, lonely(duration="${LENGTH}", description="of ${REMARK}"))
    own = {"LENGTH": "20s", "REMARK": "me"}
    tool.run("simulate", path, "--out", "run", "--quiet", env=own).expect(0)
    other = own | {"LENGTH": "30s"}
    for env, said in [(other, "${LENGTH} has another value here"), (None, "${LENGTH} is not set here")]:
        refused = tool.run("explain", "run", "0-0", env=env).expect(104)
        assert "cannot be read as it was when the run was played" in refused.err and said in refused.err
    told = tool.run("explain", "run", "0-0", env=own).expect(0).out
    for env in (own | {"REMARK": "you"}, {"LENGTH": "20s"}):
        assert tool.run("explain", "run", "0-0", env=env).expect(0).out == told
    record = json.loads((tool.folder / "run/replay.json").read_text())
    assert list(record["variables"]) == ["LENGTH", "REMARK"]
    # Runs were kept without before.
    del record["variables"]
    (tool.folder / "run/replay.json").write_text(json.dumps(record))
    assert tool.run("explain", "run", "0-0", env=own).expect(0).out == told


def test_a_live_run_is_told_as_far_as_it_was_kept(tool: Tool):
    scenario = steady(devices=3, duration="4s", drain="3s")
    scenario["timeline"] = [{"at": "1s", "for": "2s", "collector": {"fault": "status", "status": 503}}]
    path = write_scenario(tool.folder, scenario)
    events = tool.folder / "events.ndjson"
    tool.run("run", path, "--out", "live", "--events", events, "--trace-devices", "1", "--quiet").expect(0)
    lines = {line["id"]: line for line in read_events(events)}
    mine = [line for line in lines.values() if line["id"].startswith("1-")]
    again = max(mine, key=lambda line: line["attempts"])
    for line in (again, mine[0]):
        told = json.loads(tool.run("explain", "live", line["id"], "--json").expect(0).out)
        assert told["agrees"]
        assert sum(" began on wifi " in sentence["text"] for sentence in told["story"]) == line["attempts"]
    assert again["attempts"] > 1 and any("answered 503" in text for text in texts_live(tool, again["id"]))
    said = tool.run("explain", "live", "2-0").expect(0).out
    assert "captured on wifi" in said and "--trace-devices 2" in said and "fate: delivered, " in said
    assert "--trace-devices 2" in tool.run("explain", "live", "--device", 2).expect(64).err
    wrong = tool.run("run", path, "--out", "other", "--trace-devices", "1,3").expect(64).err
    assert 'found "3", allowed are numbers of devices from 0 to 2' in wrong
    assert not (tool.folder / "other").exists()


def test_a_live_devices_process_ends_as_its_session_does(tool: Tool):
    scenario = steady(devices=1, duration="2s", drain="1s")
    scenario["populations"][0]["persona"] = {
        "extends": "power", "sessionLength": "3s", "crashChance": 1, "opensAtArrival": True, "returnChance": 0,
    }
    path = write_scenario(tool.folder, scenario)
    tool.run("simulate", path, "--out", "modelled", "--quiet").expect(0)
    tool.run("run", path, "--out", "live", "--trace-devices", "0", "--quiet").expect(0)
    for folder in ("modelled", "live"):
        told = tool.run("explain", folder, "--device", 0).expect(0).out
        assert " to its crash: " in told and "  the app crashed" in told, told
        assert "died in the background" not in told


@pytest.mark.parametrize("system", ["sensors", "kit"])
def test_traced_events_without_an_id_agree_with_what_their_devices_believed(tool: Tool, system: str):
    scenario = steady(devices=3, duration="4s", drain="2s", tagEvents=False)
    if system == "kit":
        scenario["populations"][0] |= {"system": "kit", "version": "1.0", "sdk": {"storage": {"prefill": 30}}}
    path = write_scenario(tool.folder, scenario)
    tool.run("run", path, "--out", "live", "--trace-devices", "0,1", "--quiet").expect(0)
    for device in (0, 1):
        told = tool.run("explain", "live", "--device", device).expect(0).out
        assert "✓ as the run itself has it in beliefs.txt" in told and re.search(r" delivered [1-9]", told), told


def texts_live(tool: Tool, event: str) -> list[str]:
    return [sentence["text"] for sentence in json.loads(tool.run("explain", "live", event, "--json").out)["story"]]


def test_the_first_event_of_a_live_device_is_of_its_first_session(tool: Tool):
    """Its line has whole microseconds, and the session began within one of them."""
    scenario = write_scenario(tool.folder, steady(6, "2s", drain="2s"))
    tool.run("run", scenario, "--out", "run", "--events", "run.ndjson", "-q").expect(0)
    for device in range(6):
        said = tool.run("explain", "run", f"{device}-0").expect(0).out
        assert "in session 0" in said and "-00:00:00" not in said, said


def stalled() -> dict:
    """Each event starts a request of its own; answers take longer than the SDK waits, so that later ones wait for a socket."""
    return {
        "seed": 1,
        "duration": "2m",
        "drain": "30s",
        "personas": {
            "tapper": {
                "extends": "bot", "sessionsPerDaySigma": 0, "sessionLength": "90s", "actionGap": "4s", "tapChance": 1,
            }
        },
        "populations": [
            {
                "name": "t", "devices": 1, "system": "trackingsdk", "persona": "tapper",
                "sdk": {"upload": {"timeout": "30s"}},
            }
        ],
        "timeline": [{"at": "9s", "for": "100s", "collector": {"fault": "stall", "hold": "200s"}}],
    }  # fmt: skip


def test_deliveries_are_told_of_the_upload_that_was_acknowledged(tool: Tool):
    """An event is sealed when the last request that carries it has ended, which another may have delivered before."""
    path = write_scenario(tool.folder, stalled())
    tool.run("simulate", path, "--out", "out", "--events", "events.ndjson", "-q").expect(0)
    said = tool.run("explain", "out", "--device", "0", "--all", "--events", "events.ndjson").expect(0).out
    uploads = [line for line in said.splitlines() if " delivered; took" in line]
    failed = [line for line in uploads if "no answer within" in line]
    assert failed and all(" 0 delivered" in line for line in failed), said
    report = json.loads((tool.folder / "out" / "report.json").read_text())
    told = sum(int(re.search(r"(\d+) delivered", line)[1]) for line in uploads)
    assert told == report["events"]["delivered"] > 10


def test_uploads_that_are_answered_at_one_instant_each_have_their_own_deliveries(tool: Tool):
    """This SDK sends a batch of each of its channels in one tick."""
    scenario = lonely(target={"url": "http://127.0.0.1:1", "accountId": "account-1"})
    scenario["populations"][0] |= {"system": "growing", "version": "3.2.1", "sdk": {}}
    folder, lines = simulate(tool, scenario)
    said = json.loads(tool.run("explain", folder, "--device", 0, "--all", "--json").expect(0).out)
    words = re.compile(r"upload \d+ with (\d+) events? was answered 200, (\d+) delivered; took (.*)")
    uploads = [line for line in said["story"] if line["text"].startswith("upload ")]
    told = [(line["at"], words.fullmatch(line["text"])) for line in uploads]
    assert told and all(match for _, match in told), said["story"]
    assert len({(at, match[3]) for at, match in told}) < len(told), "no two were answered at one instant"
    assert all(match[1] == match[2] for _, match in told), said["story"]
    assert sum(int(match[2]) for _, match in told) == sum(line["fate"] == "delivered" for line in lines.values())


def test_the_wait_for_a_socket_is_blocked_time(tool: Tool):
    tool.run("simulate", write_scenario(tool.folder, stalled()), "--out", "out", "-q").expect(0)
    metrics = json.loads((tool.folder / "out" / "report.json").read_text())["metrics"]
    assert metrics["http_req_duration"]["max"] > 60_000, "the wait for a socket, beyond the limit of an attempt"
    assert metrics["http_req_blocked"]["max"] > 50_000


def test_a_file_that_knows_nothing_of_the_event_confirms_nothing(tool: Tool):
    folder, lines = simulate(tool, lonely())
    scenario = tool.folder / "other.json"
    scenario.write_text(json.dumps(lonely()))
    told = tool.run("explain", folder, "0-1", "--events", scenario).expect(64)
    assert "other.json: no line in it is of event 0-1" in told.err and not told.out
    part = tool.folder / "part.ndjson"
    part.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for id, line in lines.items() if id != "0-1"))
    assert "no line in it is of event 0-1" in tool.run("explain", folder, "0-1", "--events", part).expect(64).err
    assert "✓ as the run itself has it in beliefs.txt and " in tool.run("explain", folder, "0-2", "--events", part).expect(0).out


def test_an_event_file_that_cannot_be_read_is_not_one_without_the_event(tool: Tool):
    """A pipe is waited for, as everywhere where a user names one."""
    folder, lines = simulate(tool, lonely())
    text = (tool.folder / "run.ndjson").read_bytes()
    pipe = tool.folder / "pipe"
    os.mkfifo(pipe)
    asked = tool.start("explain", folder, "0-1", "--events", pipe)
    pipe.write_bytes(text)
    assert f"in beliefs.txt and {pipe}" in asked.wait().expect(0).out
    (tool.folder / "folder.ndjson").mkdir()
    (tool.folder / "cut.ndjson.gz").write_bytes(gzip.compress(text)[:-20])
    (tool.folder / "none.ndjson.gz").write_bytes(text)
    for name, said in [("folder.ndjson", "directory"), ("cut.ndjson.gz", "cut or damaged"), ("none.ndjson.gz", "no gzip")]:
        refused = tool.run("explain", folder, "0-1", "--events", name).expect(64)
        assert f"cannot read {name}: " in refused.err and said in refused.err.lower(), str(refused)
    # Members of gzip that end within a line, as some packers write them.
    parts = b"".join(gzip.compress(text[start : start + 1000]) for start in range(0, len(text), 1000))
    (tool.folder / "parts.ndjson.gz").write_bytes(parts)
    # Those that are in two members, and some of the others.
    members, end = {}, 0
    for line in text.splitlines(keepends=True):
        members[json.loads(line)["id"]] = (end // 1000, (end + len(line) - 1) // 1000)
        end += len(line)
    cut = [event for event, (first, last) in members.items() if first != last]
    assert members.keys() == lines.keys() and len(cut) > 3
    for event in {*cut, *list(lines)[::10]}:
        assert "and parts.ndjson.gz" in tool.run("explain", folder, event, "--events", "parts.ndjson.gz").expect(0).out


def test_a_scenario_in_the_place_of_its_run_is_told_as_such(tool: Tool):
    path = write_scenario(tool.folder, lonely())
    assert f"{path} looks like a scenario" in tool.run("explain", path, "0-1").expect(104).err


def test_uploads_that_failed_alike_are_told_in_one_sentence(tool: Tool):
    folder, _ = simulate(tool, lonely(timeline=[{"at": "0s", "collector": {"fault": "outage"}}]))
    said = tool.run("explain", folder, "--device", 0).expect(0).out
    assert re.search(r"uploads \d+ to \d+ with \d+ events \(repeats counted\) were (all|both) refused a connection, 0 delivered", said), said
    assert re.search(r"upload 0 with \d+ events was refused a connection, 0 delivered; took",
                     tool.run("explain", folder, "--device", 0, "--all").expect(0).out)


def test_uploads_that_end_with_the_process_are_told(tool: Tool):
    tool.run("simulate", "slow-collector", "--devices", 20, "--out", "run", "--quiet").expect(0)
    died = json.loads((tool.folder / "run/report.json").read_text())["answers"]["process_died"]
    said = [tool.run("explain", "run", "--device", device, "--all").expect(0).out for device in range(20)]
    assert died > 5 and sum(text.count("ended with the app's process") for text in said) == died


def test_fetches_that_bring_nothing_new_are_no_failures(tool: Tool):
    scenario = lonely(duration="7d")
    scenario["populations"][0] |= {"persona": "power", "sdk": {}}
    folder, _ = simulate(tool, scenario)
    said = tool.run("explain", folder, "--device", 0).expect(0).out
    assert re.search(r"in all: .*\d+ fetches of the configuration \(\d+ told that nothing is new\)\n", said), said


def test_folders_that_hold_something_else_say_what(tool: Tool):
    path = write_scenario(tool.folder, steady(devices=2, duration="10s") | {"variants": {"more": {"drain": "31s"}}})
    tool.run("sweep", path, "--vary", "duration=5s,6s", "--out", "grid", "--quiet").expect(0)
    tool.run("simulate", path, "--seeds", 1, "--out", "lab", "--quiet").expect(0)
    assert "holds a sweep" in tool.run("explain", "grid", "0-0").expect(64).err
    assert "lab/variants/more/seeds/7" in tool.run("report", "lab/variants/more").expect(64).err


def test_an_sdk_that_stops_for_good_is_told(tool: Tool):
    """Three refusals in a row close the latch, and a change of the network opens it: what is captured in between waits."""
    scenario = lonely(
        duration="10m",
        timeline=[
            {"at": "1m", "for": "2m", "collector": {"fault": "status", "status": 503}},
            {"at": "6m", "for": "30s", "device": {"network": "none"}},
        ],
    )
    latch = {"attempts": 2, "exhausted": "latch", "latch": {"on": ["timeout"], "until": ["network"]}}
    scenario["populations"][0] |= {"system": "declared", "sdk": {"preset": "posthog-ios", "retry": latch}}
    del scenario["populations"][0]["version"]
    folder, lines = simulate(tool, scenario)
    said = json.loads(tool.run("explain", folder, "--device", "0", "--json").expect(0).out)["story"]
    stopped = [line["at"] - START for line in said if line["text"].startswith("the SDK stopped all uploads")]
    opened = [line["at"] - START for line in said if line["text"].startswith("the SDK may upload again")]
    assert len(stopped) == len(opened) == 1
    assert 60_000 < stopped[0] < 180_000 and 360_000 <= opened[0] <= 390_000
    waiting = texts(tool, folder, captured_between(lines, 240, 360)["id"])
    assert "; the SDK stopped all uploads at +00:01:" in waiting[1]
    assert any(text.startswith("the SDK may upload again") for text in waiting)
