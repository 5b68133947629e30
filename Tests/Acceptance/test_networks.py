"""Networks and the modelled server, recomputed by hand."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import mean

import pytest

from helpers import read_report, write_scenario


def lonely(network: dict, **changes) -> dict:
    """One device whose uploads are a minute apart: each finds its connection closed and its radio asleep."""
    return {
        "name": "lonely",
        "seed": 3,
        "duration": "30m",
        "drain": "2m",
        "networks": {"net": network},
        "populations": [
            {
                "name": "ios",
                "devices": 1,
                "system": "sensors",
                "version": "1.10.17",
                "persona": {"extends": "steady", "rate": "1/s"},
                "network": "net",
                "sdk": {
                    "upload": {"batch": 500, "flushBulkSize": 1000, "flushInterval": "1m"},
                    "remoteConfig": {"enabled": False},
                },
            }
        ],
    } | changes


def simulate(tool, tmp_path: Path, scenario: dict, *options, name: str = "run") -> dict:
    path = write_scenario(tmp_path, scenario, f"{name}.json")
    tool.run("simulate", path, "--out", tmp_path / name, *options).expect(0)
    return read_report(tmp_path / name)


def test_a_request_takes_the_time_that_the_link_says(tool, tmp_path: Path):
    link = {"kind": "3g", "rtt": "100ms", "up": "200 kbit/s", "down": "80 kbit/s", "promotion": "2s", "tail": "10s"}
    report = simulate(tool, tmp_path, lonely(link))
    metrics = report["metrics"]
    uploads = metrics["http_reqs"]["count"]
    assert uploads >= 29
    # Waking, TCP and TLS, the bytes, half a round trip; a millisecond of work; 500 bytes of answer and the way back.
    sent = 8 * metrics["data_sent"]["count"] / uploads / 200
    expected = 2000 + 200 + sent + 50 + 1 + 8 * 500 / 80 + 50
    assert metrics["http_req_duration"]["avg"] == pytest.approx(expected, rel=0.002)
    assert metrics["http_req_blocked"]["avg"] == pytest.approx(2000 + 200 + sent + 50, rel=0.002)
    awake = uploads * (10 + metrics["http_req_duration"]["avg"] / 1000)
    assert metrics["radio_seconds"]["count"] == pytest.approx(awake, rel=0.002)
    # A minute later each finds its radio asleep again.
    assert metrics["radio_wakeups"]["count"] == uploads
    assert report["events"]["balance"] == 0
    assert report["audit"]["duplicates"] == 0


def moving(**changes) -> dict:
    """Two populations in a day: people with phones on the way, and some at home."""
    people = {"system": "sensors", "version": "4.9.1", "persona": "casual"}
    return {
        "name": "moving",
        "seed": 11,
        "duration": "1d",
        "drain": "1m",
        "populations": [
            people | {"name": "out", "devices": 300, "network": "commuter"},
            people | {"name": "home", "devices": 100, "network": "ideal"},
        ],
    } | changes


def test_reports_tell_the_radios_of_the_devices(tool, tmp_path: Path):
    outage = [{"at": "12h", "for": "3h", "device": {"network": "none"}}]
    report = simulate(tool, tmp_path, moving(timeline=outage))
    radios = report["radios"]
    seconds, shares = radios["seconds"], radios["shares"]
    assert radios["devices"] == 400 and len(seconds) == 121 and list(shares) == ["none", "2g", "3g", "4g", "wifi"]
    assert seconds[0] == 0 and seconds[-1] == pytest.approx(report["simulated_seconds"], abs=1e-3)
    for place, second in enumerate(seconds):
        assert sum(values[place] for values in shares.values()) == pytest.approx(1, abs=3e-4)
        if 43_200 <= second < 54_000:
            assert shares["none"][place] == 1
    # Of the commuters' time, as the page of networks has it; those at home are always on Wi-Fi.
    usual = [place for place, second in enumerate(seconds) if not 43_200 <= second < 54_000]
    for name, share in {"none": 0.030, "2g": 0.008, "3g": 0.051, "4g": 0.503, "wifi": 0.408}.items():
        found = (mean(shares[name][place] for place in usual) - (0.25 if name == "wifi" else 0)) / 0.75
        # Some 80 changes a day and 300 devices: far more than 3000 stays.
        assert abs(found - share) < 4 * math.sqrt(share * (1 - share) / 3000), name
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Devices by radio" in page


def test_radios_of_a_fleet_in_parts_are_those_of_the_whole(tool, tmp_path: Path):
    path = write_scenario(tmp_path, moving(duration="2h"))
    tool.run("simulate", path, "--out", tmp_path / "whole").expect(0)
    for part in range(2):
        tool.run("simulate", path, "--shard", f"{part}/2", "--out", tmp_path / f"part{part}").expect(0)
    tool.run("merge", tmp_path / "part0", tmp_path / "part1", "--out", tmp_path / "merged").expect(0)
    assert read_report(tmp_path / "merged")["radios"] == read_report(tmp_path / "whole")["radios"]


def test_reports_of_devices_that_stay_where_they_are_have_no_radios(tool, tmp_path: Path):
    assert "radios" not in simulate(tool, tmp_path, lonely({"kind": "3g", "rtt": "100ms"}, duration="5m"))


def test_replies_that_get_lost_make_copies_and_never_upset_the_books(tool, tmp_path: Path):
    link = {"rtt": "100ms", "lostReply": 0.3, "reset": 0.1, "refused": 0.1}
    report = simulate(tool, tmp_path, lonely(link, duration="6h"))
    metrics = report["metrics"]
    uploads, failed = metrics["http_reqs"]["count"], metrics["http_req_failed"]
    # Each ends badly by a draw of its own.
    share = failed["passes"] / uploads
    assert abs(share - 0.5) < 4 * math.sqrt(0.25 / uploads)
    answers = report["populations"]["ios"]
    assert report["audit"]["duplicates"] > 0
    assert report["audit"]["acked_not_found"] == 0 and report["audit"]["unexpected"] == 0
    assert answers["events"]["balance"] == 0


def test_a_request_that_is_held_back_beyond_its_radio_breaks(tool, tmp_path: Path):
    train = {"extends": "subway", "handover": {"failure": 1, "gap": "0s"}}
    held = {"at": "0s", "for": "20m", "client": {"fault": "delay", "latency": "20s"}}
    scenario = lonely(train, duration="20m", timeline=[held])
    scenario["populations"][0] |= {"devices": 20}
    scenario["populations"][0]["sdk"]["upload"] = {"flushInterval": "5s"}
    metrics = simulate(tool, tmp_path, scenario)["metrics"]
    # Of a minute with a radio the last third is too late, and one upload follows the other.
    assert metrics["http_req_failed"]["passes"] > 0.15 * metrics["http_reqs"]["count"] > 50


def test_a_mobile_mix_loses_its_radio_and_spends_time_on_it(tool, tmp_path: Path):
    scenario = {
        "name": "mix",
        "seed": 5,
        "duration": "1d",
        "drain": "10m",
        "populations": [
            {"name": name, "devices": 60, "system": "sensors", "version": "4.9.1", "persona": "power", "network": name}
            for name in ("mobile-mix", "subway", "ideal")
        ],
    }
    report = simulate(tool, tmp_path, scenario, "--bodies", "measure")
    populations = report["populations"]
    assert not {"radio_seconds", "radio_wakeups"} & set(populations["ideal"]["metrics"])
    for name in ("mobile-mix", "subway"):
        metrics = populations[name]["metrics"]
        assert metrics["radio_seconds"]["count"] > 0
        assert metrics["http_req_failed"]["passes"] > 0
        assert metrics["http_req_duration"]["med"] > populations["ideal"]["metrics"]["http_req_duration"]["med"]
        assert populations[name]["events"]["balance"] == 0
    again = simulate(tool, tmp_path, scenario, "--bodies", "measure", name="again")
    assert again["fingerprint"] == report["fingerprint"] and again["metrics"] == report["metrics"]


def test_an_unknown_network_has_a_nearest_name(tool, tmp_path: Path):
    scenario = lonely({})
    scenario["populations"][0]["network"] = "mobile_mix"
    refused = tool.run("validate", write_scenario(tmp_path, scenario)).expect(104)
    assert "/populations/0/network" in refused.err and '"mobile-mix"' in refused.err


def queue(server: dict, rate: float, seed: int, **changes) -> dict:
    """Every event is a request of its own (debug mode), at exponential gaps, from many devices: Poisson arrivals. They
    appear one after the other, so that their launches are no burst."""
    return {
        "name": "queue",
        "seed": seed,
        "duration": "20m",
        "drain": "10s",
        "server": server,
        "populations": [
            {
                "name": "ios",
                "devices": 200,
                "system": "sensors",
                "version": "4.9.1",
                "arrival": {"over": "1m"},
                "persona": {"extends": "steady", "rate": f"{rate / 200}/s"},
                "sdk": {"debugMode": "debugOnly", "remoteConfig": {"enabled": False}},
            }
        ],
    } | changes


def test_the_modelled_server_waits_as_m_m_1_does(tool, tmp_path: Path):
    errors = []
    for seed in range(4):
        scenario = queue({"serviceTime": {"mean": "20ms"}}, 30, seed)
        metrics = simulate(tool, tmp_path, scenario, "--bodies", "measure", name=f"run-{seed}")["metrics"]
        # Work and wait: 1 / (mu - lambda) s.
        expected = 1000 / (50 - metrics["http_reqs"]["count"] / 1200)
        errors.append(metrics["http_req_waiting"]["avg"] / expected - 1)
    # Four runs of 36,000 requests come to 1 % or so.
    assert abs(mean(errors)) < 0.05, errors


def test_a_full_server_and_a_rate_that_is_passed_turn_requests_away(tool, tmp_path: Path):
    full = {"serviceTime": {"mean": "20ms"}, "queue": 3, "status": 503}
    report = simulate(tool, tmp_path, queue(full, 50, 1, duration="10m"), "--bodies", "measure", name="full")
    # At a load of 1 each of the numbers 0 to 4 present is as likely.
    failed = report["metrics"]["http_req_failed"]["rate"]
    assert 0.17 < failed < 0.23
    limited = {"serviceTime": "1ms", "rateLimit": {"rate": "10 requests/s", "burst": 5, "retryAfter": "7s"}}
    report = simulate(tool, tmp_path, queue(limited, 50, 1, duration="10m"), "--bodies", "measure", name="limited")
    passed = report["metrics"]["http_reqs"]["count"] - report["metrics"]["http_req_failed"]["passes"]
    # Ten a second, and the first five; in the first seconds fewer come.
    assert 5900 <= passed <= 6005 + 100


@pytest.mark.parametrize(
    ("server", "pointer"),
    [
        ({}, "/server"),
        ({"serviceTime": "1ms", "workers": 0}, "/server/workers"),
        ({"serviceTime": "1ms", "degrade": 1}, "/server"),
        ({"serviceTime": "1ms", "status": 429}, "/server"),
        ({"serviceTime": "1ms", "rateLimit": {"rate": "0 requests/s"}}, "/server/rateLimit/rate"),
        ({"serviceTime": "1ms", "rateLimit": {}}, "/server/rateLimit"),
    ],
)
def test_a_server_that_is_not_sound_is_refused(tool, tmp_path: Path, server: dict, pointer: str):
    path = write_scenario(tmp_path, queue(server, 50, 1))
    refused = tool.run("validate", path).expect(104)
    assert f"{pointer}: " in refused.err
