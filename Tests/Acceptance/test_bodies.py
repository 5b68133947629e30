"""`--bodies measure`: events pass by reference, and nothing but `data_sent` differs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Tool
from dataset_readers import from_json
from helpers import SHIPPED, read_report, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 70

#: What two runs of one scenario and seed may differ in.
OWN = {"started_at", "wall_seconds", "generator", "run"}
#: Larger fleets are scaled, so that bodies can be written in a test's time; further where each of them asks all the time, or
#: has a file of its own. The sample that a model is made of is smaller than that.
DEVICES = 100
FEWER = {"tunnel": 15, "rollout": 15, "limit": 50, "device-disk": 50}
ENOUGH = 30
#: The share by which a model may miss what was written.
MISS = 0.02


def bytes_sent(report: dict) -> dict[str, float]:
    return {name: own["metrics"]["data_sent"]["count"] for name, own in report["populations"].items()}


def without_bytes(report: dict) -> dict:
    """A report without what was sent, and without what is a run's own."""

    def strip(value):
        if not isinstance(value, dict):
            return [strip(inner) for inner in value] if isinstance(value, list) else value
        if set(value) == {"columns", "rows"}:
            kept = [place for place, name in enumerate(value["columns"]) if not name.startswith("sent_bytes")]
            return [[row[place] for place in kept] for row in value["rows"]]
        return {key: strip(inner) for key, inner in value.items() if key != "data_sent"}

    return strip({key: value for key, value in report.items() if key not in OWN})


def simulate(tool: Tool, scenario: Path, bodies: str, *options: object) -> tuple[dict, bytes]:
    folder, events = tool.folder / bodies, tool.folder / f"{bodies}.ndjson"
    tool.run(
        "simulate", scenario, "--bodies", bodies, "--out", folder, "--events", events, "-q", *options
    ).expect(0, 99)
    return read_report(folder), events.read_bytes()


def simulate_both(tool: Tool, scenario: Path, *options: object) -> tuple[dict, dict, bytes]:
    """The reports with written and with measured bodies, and the event lines, which are the same; nothing but bytes differs."""
    written, lines = simulate(tool, scenario, "encode", *options)
    carried, others = simulate(tool, scenario, "measure", *options)
    assert lines == others
    assert without_bytes(written) == without_bytes(carried)
    return written, carried, lines


def devices(path: Path) -> int:
    written = sum(population["devices"] for population in json.loads(path.read_text())["populations"])
    return min(FEWER.get(path.stem, DEVICES), max(written, ENOUGH))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_scenarios_send_as_many_bytes(tool: Tool, path: Path) -> None:
    one = ("--devices", devices(path), "--variant", "base")
    # What has no whole day starts otherwise.
    one += ("--duration", "1d") if path.parent.name == "datasets" else ()
    written, carried, _ = simulate_both(tool, path, *one)
    assert (written["run"]["bodies"], carried["run"]["bodies"]) == ("encode", "measure")
    modelled = bytes_sent(carried)
    # Among them are devices that ask all through an outage of hours (policies/limit): the sample takes fewer of those, and
    # not their first hours alone.
    for name, sent in bytes_sent(written).items():
        assert abs(modelled[name] - sent) <= MISS * sent, (name, sent, modelled[name])


def test_a_model_is_a_function_of_seed_and_scenario(tool: Tool, tmp_path: Path) -> None:
    scenario = write_scenario(
        tmp_path,
        {
            "name": "twice",
            "seed": 7,
            "duration": "20m",
            "populations": [{"name": "p", "devices": 300, "system": "sensors", "persona": "power"}],
        },
    )
    first, _ = simulate(tool, scenario, "measure")
    (tool.folder / "measure").rename(tool.folder / "first")
    (tool.folder / "measure.ndjson").unlink()
    again, _ = simulate(tool, scenario, "measure")
    for own in OWN:
        first.pop(own), again.pop(own)
    assert json.dumps(first) == json.dumps(again)
    assert bytes_sent(first) != {"p": 0}


def test_a_slow_line_takes_as_long_as_the_model_says(tool: Tool, tmp_path: Path) -> None:
    """At 8 kbit/s a byte takes a millisecond: what uploads took is what they are said to have, written or not."""
    scenario = write_scenario(
        tmp_path,
        {
            "name": "slow",
            "seed": 11,
            "duration": "2h",
            "networks": {"line": {"kind": "3g", "up": "8 kbit/s"}},
            "populations": [
                {"name": "p", "devices": 200, "system": "sensors", "persona": "power", "network": "line"}
            ],
        },
    )
    written, carried, lines = simulate_both(tool, scenario)
    blocked = carried["metrics"]["http_req_blocked"]
    on_the_way = blocked["count"] * blocked["avg"]
    # Some devices die before an upload is through; and the two sums are of the same uploads, but for the model's miss.
    assert abs(on_the_way - bytes_sent(carried)["p"]) <= 0.01 * on_the_way
    assert 0 < abs(bytes_sent(written)["p"] - bytes_sent(carried)["p"]) <= MISS * on_the_way

    # The dataset of the same fleet has the same instants, although its events bear no ids of the harness.
    tool.run("generate", scenario, "--out", tool.folder / "dataset", "--format", "ndjson", "-q").expect(0)
    truth = [json.loads(line) for line in (tool.folder / "dataset" / "truth.ndjson").read_text().splitlines()]
    acknowledged = {row["id"]: from_json(row.get("acked_at"), "timestampMillis") for row in truth}
    events = [json.loads(line) for line in lines.splitlines()]
    assert {event["id"]: whole(event["acked_at"]) for event in events} == acknowledged
    assert len(acknowledged) > 10_000


def whole(milliseconds: float | None) -> int | None:
    return None if milliseconds is None else int(milliseconds)


def test_only_simulations_measure(tool: Tool, tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path, {"populations": [{"name": "p", "devices": 1, "system": "sensors"}]})
    wrong = tool.run("simulate", scenario, "--bodies", "guess").expect(64)
    assert "encode or measure" in wrong.err
    wrong = tool.run("simulate", scenario, env={"BEACONSWARM_BODIES": "guess"}).expect(64)
    assert "BEACONSWARM_BODIES" in wrong.err and "encode or measure" in wrong.err
    tool.run("run", scenario, "--bodies", "measure").expect(64)


def test_a_fleet_that_hardly_uploads_has_a_model_too(tool: Tool, tmp_path: Path) -> None:
    """Sixteen of these devices upload fewer than forty times: more of them are played."""
    scenario = write_scenario(
        tmp_path,
        {
            "name": "rare",
            "seed": 3,
            "start": "2026-03-02T09:00:00+08:00",
            "duration": "6h",
            "personas": {"rare": {"extends": "casual", "opensAtArrival": False}},
            "populations": [
                {"name": "p", "devices": 6000, "system": "sensors", "version": "4.9.1", "persona": "rare"}
            ],
        },
    )
    written, carried, _ = simulate_both(tool, scenario)
    assert written["metrics"]["http_reqs"]["count"] / 6000 * 16 < 40
    sent, modelled = bytes_sent(written)["p"], bytes_sent(carried)["p"]
    assert sent != modelled, "the requests were written all the same"
    assert abs(modelled - sent) <= MISS * sent


def generated(tool: Tool, scenario: Path, name: str) -> tuple[list[dict], int]:
    """The truth of the scenario's dataset, and how many rows arrived."""
    folder = tool.folder / name
    tool.run("generate", scenario, "--out", folder, "--format", "ndjson", "-q").expect(0)
    truth = [json.loads(line) for line in (folder / "truth.ndjson").read_text().splitlines()]
    return truth, (folder / "events.ndjson").read_text().count("\n")


@pytest.mark.parametrize("system, prefill", [("trackingsdk", 80_000), ("kit", 250_000)])
def test_what_a_collector_refuses_for_its_size_arrives_nowhere(
    tool: Tool, tmp_path: Path, system: str, prefill: int
) -> None:
    """A backlog in one request: of TrackingSDK's the body is too long (413), of Kit's what the archive holds (400)."""
    scenario = write_scenario(
        tmp_path,
        {
            "name": "backlog",
            "seed": 1,
            "duration": "10s",
            "drain": "1s",
            "populations": [
                {
                    "name": "p",
                    "devices": 1,
                    "system": system,
                    "persona": {"extends": "power", "opensAtArrival": True},
                    "sdk": {"storage": {"prefill": prefill}},
                }
            ],
        },
    )
    report, _ = simulate(tool, scenario, "encode")
    assert set(report["answers"]) == {"413" if system == "trackingsdk" else "400"}
    assert report["events"]["delivered"] == 0
    truth, rows = generated(tool, scenario, "dataset")
    assert len(truth) >= prefill and rows == 0
    assert {row["fate"] for row in truth} == {"pending"}


def test_few_events_are_refused_for_their_size_too(tool: Tool, tmp_path: Path) -> None:
    """Batches of 1,200 events of 8 kB: beyond a server's 8 MiB, as many as a dataset would otherwise take unseen."""
    sdk = {
        "name": "wide",
        "upload": {"batch": 1200, "flushBulkSize": 1200, "flushInterval": "1h"},
        "request": {"path": "/v1/batch", "body": {"batch": "{{events}}"}},
        "answers": [["2xx", "delivered"], ["413", "drop"], ["*", "retry"]],
        "events": {
            "id": "uuid", "key": ["/id"], "tag": "/p/bs_id",
            "common": {"event": "{{name}}", "id": "{{id}}", "at": "{{time|iso}}", "p": {"wide": "x" * 8000}},
            "launch": {"name": "launch"}, "screen": {"name": "screen"}, "business": {"name": "{{event}}"},
        },
    }
    population = {
        "name": "p", "devices": 1, "system": "declared", "persona": {"preset": "steady", "rate": "5/s"}, "sdk": sdk,
    }
    scenario = write_scenario(
        tmp_path, {"name": "wide", "seed": 1, "duration": "10m", "drain": "2h", "populations": [population]}
    )
    report, _ = simulate(tool, scenario, "encode")
    rejected = sum(report["events"]["rejected"].values())
    assert rejected >= 1200 and "413" in report["answers"], report["answers"]
    truth, rows = generated(tool, scenario, "dataset")
    assert rows == report["events"]["delivered"]
    assert sum(row["fate"] == "rejected" for row in truth) == rejected


def test_a_batch_of_many_events_arrives_whole(tool: Tool, tmp_path: Path) -> None:
    """The most events that a batch of the codeless SDK may have, in one message with three fields of its own."""
    scenario = write_scenario(
        tmp_path,
        {
            "name": "batch",
            "seed": 1,
            "duration": "20s",
            "drain": "20s",
            "populations": [
                {
                    "name": "p",
                    "devices": 1,
                    "system": "codeless",
                    "persona": {"preset": "steady", "rate": "0.1/s"},
                    "sdk": {"storage": {"prefill": 10_000}, "upload": {"batch": 10_000}},
                }
            ],
        },
    )
    report, _ = simulate(tool, scenario, "encode")
    assert report["exit_code"] == 0 and report["events"]["delivered"] >= 10_000
    assert report["audit"]["acked_not_found"] == 0
    truth, rows = generated(tool, scenario, "dataset")
    delivered = [row for row in truth if row["fate"] == "delivered"]
    assert rows >= len(delivered) == report["events"]["delivered"]
    assert all(row["copies"] > 0 for row in delivered)
