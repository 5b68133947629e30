"""What single systems do, from the outside: the runs of the tool itself, told by its events and reports."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import systems_rules as rules
from conftest import Tool
from helpers import write_scenario
from rough_days import RAN
from systems_collector import SystemsCollector


REPOSITORY = Path(__file__).parents[2]


def simulate(tool: Tool, scenario, name: str, *options: str) -> dict:
    """The report of a simulation."""
    return json.loads(tool.run("simulate", scenario, "--json", "--out", tool.folder / name, *options).expect(0).out)


def lines(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# GrowingIO

OWN = {
    "channels": [
        {"eventTypes": ["vst"], "urlTemplate": "v3/%@/ios/pv?stm=%llu"},
        {"eventTypes": ["reengage", "activate"], "urlTemplate": "app/%@/ios/ctvt"},
    ],
    "events": [
        {"name": "vst", "base": "visit", "when": "visit"},
        {"name": "activate", "when": "firstLaunch"},
        {"name": "reengage", "when": "foreground"},
    ],
}
SOON = {"upload": {"firstFlush": "300ms", "flushInterval": "500ms", "timeout": "3s"}}


@pytest.mark.parametrize("version", ["3.2.1", "document"])
def test_every_channel_keeps_its_rows_on_everything_but_2xx(tool: Tool, version: str):
    """An hour in which 413 answers everything: nothing is dropped, and what was kept leaves afterwards."""
    scenario = {
        "name": "refused",
        "seed": 3,
        "duration": "2h",
        "drain": "5m",
        "populations": [
            {"name": "p", "devices": 60, "system": "growing", "version": version, "sdk": OWN, "persona": "power"}
        ],
        "timeline": [{"at": "20m", "for": "1h", "collector": {"fault": "status", "status": 413}}],
    }
    report = simulate(tool, write_scenario(tool.folder, scenario), "out", "--events", str(tool.folder / "e.ndjson"))
    fates = Counter((line["type"], line["fate"]) for line in lines(tool.folder / "e.ndjson"))
    assert report["events"]["rejected"] in ({}, None) or not any(report["events"]["rejected"].values())
    for own in ("vst", "activate", "reengage"):
        assert fates[own, "delivered"] > 0 and not fates[own, "rejected"], fates
    # Many of the hour's events were tried more than once.
    again = [line for line in lines(tool.folder / "e.ndjson") if line["type"] == "vst" and line["attempts"] > 1]
    assert again and report["events"]["balance"] == 0


@pytest.mark.parametrize("version", ["3.2.1", "document"])
def test_where_own_channels_send_to_and_how(tool: Tool, version: str, seed: int):
    """Live against the independent collector: 3.2.1 ignores templates, the text sends there, coded unless built
    with ENABLE_ENCRYPTION."""
    collector = SystemsCollector(seed, {"ok": 1}).start()
    coded = {"name": "coded", "sdk": OWN | SOON}
    plain = {"name": "plain", "sdk": OWN | SOON | {"buildFlags": ["ENABLE_ENCRYPTION"]}}
    scenario = {
        "name": "channels",
        "seed": seed,
        "duration": "2s",
        "drain": "3s",
        "target": {"url": collector.url, "accountId": "account-1"},
        "populations": [
            {"devices": 3, "system": "growing", "version": version, "persona": "power", "arrival": {"over": "1s"}} | one
            for one in (coded, plain)
        ],
    }
    path = write_scenario(tool.folder, scenario)
    finished = tool.run("run", path, "--out", tool.folder / "out", "--json").expect(*RAN)
    ledger = collector.stop()
    assert not ledger.problems(), ledger.problems()[:20]
    # What has to have come by the end, has on a punctual machine.
    finished.expect(0)
    book = ledger.books[rules.GROWING]
    paths = {request.path.split("?")[0] for request in book.requests}
    shorts = [event for event in book.events.values() if "tm" in event.value]
    own = {event.type for event in book.events.values()} & {"vst", "activate"}
    assert own == {"vst", "activate"}
    if version == "3.2.1":
        assert paths == {"/v3/projects/account-1/collect"} and not shorts
    else:
        assert paths == {"/v3/projects/account-1/collect", "/v3/account-1/ios/pv", "/app/account-1/ios/ctvt"}
        assert {event.type for event in shorts} >= {"vst", "activate"}


def test_without_a_database_service_visits_arrive(tool: Tool):
    scenario = {
        "name": "no-database",
        "seed": 4,
        "duration": "1h",
        "drain": "1m",
        "populations": [
            {
                "name": "v" + version.replace(".", "-"),
                "devices": 30,
                "system": "growing",
                "version": version,
                "sdk": {"services": {"database": "none"}, "autotrack": {"pages": "all"}},
                "persona": "power",
            }
            for version in ("3.2.1", "document", "4.11.0")
        ],
        # While an answer is on its way, other events come into the queue.
        "timeline": [{"at": "0s", "for": "1h", "collector": {"fault": "latency", "latency": "2s"}}],
    }
    events = tool.folder / "e.ndjson"
    simulate(tool, write_scenario(tool.folder, scenario), "out", "--events", str(events))
    fates: dict[str, Counter] = defaultdict(Counter)
    for line in lines(events):
        fates[line["population"]][line["type"], line["fate"], line["cause"]] += 1
    for name in ("v3-2-1", "vdocument"):
        visits = Counter()
        for (kind, fate, _), count in fates[name].items():
            visits[fate] += count if kind == "VISIT" else 0
        # Each process's first one leaves at once; a second one waits in the queue that its answer empties.
        assert visits["delivered"] > 0.5 * visits.total() and visits["lost"], visits
        custom = {key[1:] for key in fates[name] if key[0] == "CUSTOM"}
        assert custom == {("lost", "storage_error")}, custom
        # A page leaves if no answer empties the queue before.
        assert any(key[0] == "PAGE" and key[1] == "delivered" for key in fates[name])
        assert any(key[0] == "PAGE" and key[1:] == ("lost", "storage_error") for key in fates[name])
    assert {key[1:] for key in fates["v4-11-0"]} == {("lost", "storage_error")}


# TrackingSDK

PURCHASE = {
    "screens": [
        {
            "name": "Home",
            "class": "HomeViewController",
            "controls": [{"class": "UIButton", "action": "buy:", "target": "HomeViewController"}],
        }
    ],
    "navigationController": "",
    "events": [
        {"name": "BuyGoods", "on": {"control": "Home.buy:"}},
        {"name": "ViewGoods", "on": {"screen": "Home"}},
    ],
}


def test_the_original_implementation_runs_first(tool: Tool):
    """What the app tracks in a control's action and in `viewDidAppear:` precedes what the hooks report."""
    scenario = {
        "name": "order",
        "seed": 6,
        "duration": "1h",
        "apps": {"one": PURCHASE},
        "populations": [
            {"name": "p", "devices": 20, "system": "trackingsdk", "app": "one", "persona": "power"},
        ],
    }
    events = tool.folder / "e.ndjson"
    simulate(tool, write_scenario(tool.folder, scenario), "out", "--events", str(events))
    devices: dict[int, list] = defaultdict(list)
    for line in lines(events):
        device, sequence = map(int, line["id"].split("-"))
        devices[device].append((sequence, line["name"], line["captured_at"]))
    pairs = Counter()
    for told in devices.values():
        told.sort()
        for (_, before, then), (_, name, at) in zip(told, told[1:]):
            if name in ("ButtonClick", "PageView"):
                pairs[before, name] += 1
                assert at == then, (before, then, name, at)
    assert set(pairs) == {("BuyGoods", "ButtonClick"), ("ViewGoods", "PageView")}, pairs
    assert pairs["BuyGoods", "ButtonClick"] > 50 and pairs["ViewGoods", "PageView"] > 20


# Codeless


@pytest.mark.parametrize(
    "kind, options",
    [
        ("announced ends", ["personas.crashing.crashChance=0"]),
        ("crashes", ["populations.as-published.app=shop", "populations.corrected.app=shop"]),
    ],
)
def test_the_codeless_preset_writes_files_at_announced_ends_and_crashes(tool: Tool, kind, options):
    """With the uploads of files switched off, what is in them is what stays on the devices: of each kind of end
    there are some; of neither, none."""
    upload = "populations.as-published.sdk.upload"
    silent = [f"{upload}.{when}=false" for when in ("onLaunch", "onForeground", "onBackground")]
    calm = ["personas.crashing.crashChance=0", "populations.as-published.app=shop", "populations.corrected.app=shop"]
    scenario = REPOSITORY / "scenarios" / "systems" / "codeless.json"

    def stored(name: str, changes: list[str]) -> int:
        flags = [flag for change in changes for flag in ("--set", change)]
        report = simulate(tool, scenario, name, "--devices", "160", *flags)
        return report["populations"]["as-published"]["events"]["pending"]["stored"]

    some, none = stored("some", silent + options), stored("none", silent + calm)
    # In neither case is memory empty at the end, but files come on top.
    assert some > none + 20, (kind, some, none)
