"""Live runs whose people and devices live faster than their sockets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import assert_events_agree, offered, read_events, read_report, rows, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 60

#: Four days of Kit in 13 s.
PACE = 28_800


def kit(**changes) -> dict:
    """Users of Kit who start their app on four days."""
    scenario = {
        "name": "kit-days",
        "seed": 11,
        "start": "2026-03-02T00:00:00+08:00",
        "duration": "4d",
        "pace": PACE,
        "populations": [
            {
                "name": "kit",
                "devices": 60,
                "system": "kit",
                "sdk": {"storage": {"prefill": 5}},
                "app": "shop",
                "persona": "casual",
                "arrival": {"over": "6h"},
            }
        ],
    }
    return scenario | changes


def test_days_of_kit_are_played_live_in_seconds(tool, tmp_path: Path):
    # From the third midnight on the collector takes nothing for a day.
    refusal = {"at": "2d", "for": "1d", "collector": {"fault": "status", "status": 503}}
    path = write_scenario(tmp_path, kit(timeline=[refusal]))
    store = tmp_path / "store.sqlite"
    run = tool.run("run", path, "--out", "live", "--store", store, "--events", "events.ndjson")
    # A machine that came late makes a run invalid; its books are as exact.
    run.expect(0, 96)
    report = read_report(tmp_path / "live")

    assert report["pace"] == PACE
    lines = [line.strip() for line in run.out.splitlines() if line.strip()]
    assert lines[0].startswith("Pace 28,800: people's and device clocks went 28,800 times as fast")
    page = (tmp_path / "live" / "report.html").read_text()
    assert page.index('class="pace"') < page.index("<h1")
    assert (tmp_path / "live" / "summary.md").read_text().splitlines()[2].startswith("> Pace 28,800")

    # Days of people, seconds of the machine.
    assert report["simulated_seconds"] >= 4 * 86_400
    assert report["wall_seconds"] < report["simulated_seconds"] / 1000

    # Every event has one fate, and the collector holds what the devices believe.
    assert_events_agree(report["events"], read_events(tmp_path / "events.ndjson"))
    assert report["events"]["delivered"] > 100
    audit = report["audit"]
    assert audit["acked_not_found"] == 0 and audit["unexpected"] == 0 and audit["undecodable"] == 0
    assert audit["confirmed"] == report["events"]["delivered"]

    # When things happened is a punctual machine's matter: a second of it is a third of a day.
    run.expect(0)
    # The store tells of files of several days, which arrived on later ones, by the devices' calendar.
    captured = rows(store, "SELECT DISTINCT date(captured_at / 1000, 'unixepoch', '+8 hours') FROM events ORDER BY 1")
    assert [day for (day,) in captured] == ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"]
    early = rows(
        store,
        "SELECT count(*) FROM events WHERE date(received_at / 1000, 'unixepoch', '+8 hours')"
        " <= date(captured_at / 1000, 'unixepoch', '+8 hours')",
    )
    assert early == [(0,)]
    arrived = rows(store, "SELECT DISTINCT date(received_at / 1000, 'unixepoch', '+8 hours') FROM events ORDER BY 1")
    days = [day for (day,) in arrived]
    # What left some minutes before the last midnight, of which a millisecond has half a one, may arrive after it.
    assert days[:3] == ["2026-03-02", "2026-03-03", "2026-03-05"] and days[3:] in ([], ["2026-03-06"])
    assert rows(store, "SELECT count(*) FROM events") == [(audit["received"],)]

    # Times of requests are a socket's, not a device's, of which each millisecond has half a minute.
    duration = report["metrics"]["http_req_duration"]
    assert duration["count"] > 60
    assert 0 < duration["med"] and duration["max"] < 8_000
    assert report["metrics"]["http_req_service"]["max"] <= duration["max"]
    # Ages of events are not told.
    assert report["metrics"]["event_freshness"]["count"] == 0
    assert report["metrics"]["freshness_within_24h"] == {"rate": 0, "passes": 0, "fails": 0}

    # What the store holds says the same later.
    before = dict(audit)
    tool.run("audit", "live", "--receipts", store).expect(0, 96)
    after = read_report(tmp_path / "live")
    assert after["pace"] == PACE
    kept = {"received", "unique", "duplicates", "confirmed", "acked_not_found", "recovered", "unexpected"}
    assert {key: after["audit"][key] for key in kept} == {key: before[key] for key in kept}


def test_a_warm_up_does_not_bring_freshness_back(tool, tmp_path: Path):
    path = write_scenario(tmp_path, kit(duration="2d", pace=86_400, measureFrom="1d"))
    tool.run("run", path, "--out", "live").expect(0, 96)
    report = read_report(tmp_path / "live")
    assert report["metrics"]["event_freshness"]["count"] == 0
    assert 0 < report["measured_deliveries"] <= report["events"]["delivered"]


def test_people_plan_the_same_at_every_pace(tool, tmp_path: Path):
    path = write_scenario(tmp_path, kit(duration="2d"))
    reports = []
    for pace in (PACE, 86_400):
        tool.run("run", path, "--set", f"pace={pace}", "--out", f"live-{pace}").expect(0, 96)
        reports.append(read_report(tmp_path / f"live-{pace}"))
    tool.run("simulate", path, "--out", "virtual").expect(0)
    virtual = read_report(tmp_path / "virtual")
    assert reports[0]["fingerprint"] == reports[1]["fingerprint"]
    # Kit captures what the hooks see, whatever becomes of its uploads.
    assert {report["events"]["captured"] for report in [*reports, virtual]} == {virtual["events"]["captured"]}


def test_virtual_time_has_no_pace(tool, tmp_path: Path):
    slow = write_scenario(tmp_path, kit(pace=1), "slow.json")
    fast = write_scenario(tmp_path, kit(), "fast.json")
    reports = []
    for path in (slow, fast):
        tool.run("simulate", path, "--out", path.stem).expect(0)
        reports.append(read_report(tmp_path / path.stem))
    assert [report["pace"] for report in reports] == [1, 1]
    assert reports[0]["fingerprint"] == reports[1]["fingerprint"]
    assert reports[0]["metrics"] == reports[1]["metrics"]
    assert reports[1]["metrics"]["event_freshness"]["count"] > 0


@pytest.mark.parametrize("metric", ["http_req_duration", "event_freshness", "freshness_within_24h"])
def test_a_pace_takes_no_threshold_on_times(tool, tmp_path: Path, metric: str):
    condition = "rate>0.5" if metric.startswith("freshness") else "p(95)<1000"
    path = write_scenario(tmp_path, kit(thresholds={metric: [condition]}))
    refused = tool.run("run", path, "--out", "live").expect(104)
    assert f"/thresholds/{metric}: " in refused.err
    assert not (tmp_path / "live").exists()
    tool.run("validate", path, "--set", "pace=1").expect(0)


def test_a_search_for_a_capacity_takes_no_pace(tool, tmp_path: Path):
    path = write_scenario(tmp_path, kit())
    refused = tool.run("capacity", path, "--out", "capacity").expect(64)
    assert re.search(r"/pace: found 28800, allowed is 1\b", refused.err)
    assert not (tmp_path / "capacity").exists()


def test_a_forecast_tells_the_rates_that_a_target_meets(tool, tmp_path: Path):
    path = write_scenario(tmp_path, kit())
    rates = []
    for pace in (1, 100):
        said = tool.run("validate", path, "--set", f"pace={pace}").expect(0).out
        assert ("at pace 100" in said) == (pace == 100)
        rates.append(offered(said))
    # Figures have three digits after the point below 10, and a digit from there on.
    for real, fast in zip(*rates):
        assert fast == pytest.approx(100 * real, abs=1)
