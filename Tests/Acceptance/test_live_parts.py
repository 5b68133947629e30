"""Live runs in parts: one store holds what all of them sent, joined they are audited as one run, and what is no whole is
said to be none."""

from __future__ import annotations

import json
import math
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import real_clock
from conftest import Collector, Finished, Tool
from helpers import assert_events_agree, by_device, held_port, read_events, read_report, rows, steady, write_scenario
from nginx_server import start_nginx

#: Seconds that it takes: the longest go first.
LONG = 90

PARTS = 4


def soon(seconds: float = 4) -> str:
    """An instant, as a user writes it."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def two_populations(duration: str = "4s", **changes) -> dict:
    """Sensors clients of both versions, one with an odd number of devices."""
    scenario = steady(9, duration, **changes)
    other = json.loads(json.dumps(scenario["populations"][0]))
    scenario["populations"].append(other | {"name": "new", "devices": 6, "version": "4.9.1"})
    return scenario


def play(
    tool: Tool, scenario: Path, url: str, at: str, *options: object, count: int = PARTS, only=None, name: str = "parts"
) -> list[Finished]:
    """Plays parts of a run side by side."""
    running = [
        tool.start(
            "run", scenario, "--target", url, "--shard", f"{part}/{count}", "--at", at, "--out", tool.folder / name,
            "--threads", 1, "-q", *options,
        )
        for part in (range(count) if only is None else only)
    ]  # fmt: skip
    return [process.wait() for process in running]


def merge(tool: Tool, *folders: Path, name: str = "all", options: tuple = ()) -> Finished:
    return tool.run("merge", *folders, "--out", tool.folder / name, "-q", *options)


def conclusive(*ended: Finished) -> None:
    """A machine that was late says nothing about the program."""
    for finished in ended:
        finished.expect(0)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A run in four parts against one collector, joined; tests work on copies."""
    tool = Tool(tmp_path_factory.mktemp("parts"))
    collector = Collector(tool, tool.folder / "store.sqlite")
    scenario = two_populations()
    scenario["thresholds"] = {"events_captured": ["count>0"]}
    path = write_scenario(tool.folder, scenario)
    ended = play(tool, path, collector.url, soon(), "--events", "kept")
    joined = merge(tool, tool.folder / "parts", options=("--events", tool.folder / "all.ndjson"))
    stats = collector.stats()
    collector.stop()
    tool.close()
    return tool.folder, ended, joined, stats


def copied(played, tmp_path: Path) -> Path:
    """The joined run, to be changed."""
    folder, ended, joined, _ = played
    conclusive(*ended, joined)
    return Path(shutil.copytree(folder / "all", tmp_path / "run"))


def test_one_store_holds_what_all_parts_sent(played, tool: Tool, tmp_path: Path):
    run = copied(played, tmp_path)
    folder, _, _, stats = played
    lines = read_events(folder / "all.ndjson")
    report = read_report(run)
    assert report["mode"] == "live" and report["verdict"] == "passed"
    assert report["events"]["captured"] > 0
    assert_events_agree(report["events"], lines)
    # Devices have the numbers of the whole run, each in one part.
    assert sorted(by_device(lines)) == list(range(15))
    assert Counter(line["population"] for line in lines).keys() == {"ios", "new"}
    tool.run("audit", run, "--receipts", folder / "store.sqlite").expect(0)
    audit = read_report(run)["audit"]
    delivered = sum(line["fate"] == "delivered" for line in lines)
    assert audit["confirmed"] == delivered == report["events"]["delivered"] > 0
    assert audit["acked_not_found"] == audit["unexpected"] == 0
    assert audit["received"] == stats["received"] == audit["unique"] + audit["duplicates"]
    assert audit["unique"] == audit["confirmed"] + audit["recovered"]


def test_the_report_says_what_each_part_did(played, tmp_path: Path):
    report = read_report(copied(played, tmp_path))
    parts = report["run"]["parts"]
    assert [part["part"] for part in parts] == [f"{part}/{PARTS}" for part in range(PARTS)]
    assert [part["devices"] for part in parts] == [3 + 2, 2 + 2, 2 + 1, 2 + 1]
    assert sum(part["live"]["captured"] for part in parts) == report["events"]["captured"]
    assert sum(part["live"]["uploads"] for part in parts) == report["metrics"]["http_reqs"]["count"]
    for part in parts:
        live = part["live"]
        assert live["margin_seconds"] > 0 and live["event_loops"] == 1 and live["cores"] >= 1
        assert live["clock"]["kernel_error"] is not None and live["saturated"] is False
    assert report["generator"]["event_loops"] == PARTS
    assert report["generator"]["connections_opened"] >= 15


def test_the_series_is_of_the_common_clock(played, tmp_path: Path):
    """Every second of all parts is the same second, so that gauges add up."""
    run = copied(played, tmp_path)
    report = read_report(run)
    header, *lines = (run / "timeseries.csv").read_text().splitlines()
    columns = header.split(",")
    series = [dict(zip(columns, line.split(","), strict=True)) for line in lines]
    assert sum(int(row["captured_events"]) for row in series) == report["events"]["captured"]
    assert max(int(row["active_devices"]) for row in series) == 15
    started = datetime.fromisoformat(report["started_at"])
    assert started.microsecond == 0 and math.isclose(report["simulated_seconds"], 4, abs_tol=6)


def test_users_do_what_they_do_in_one_process(played, tool: Tool, collect, tmp_path: Path):
    """The fingerprint of a live run covers the plan of its users' actions."""
    joined = read_report(copied(played, tmp_path))
    one = tool.folder / "one"
    ended = tool.run(
        "run", played[0] / "scenario.json", "--target", collect(tmp_path / "one.sqlite").url, "--out", one, "-q"
    )
    conclusive(ended)
    assert read_report(one)["fingerprint"] == joined["fingerprint"]


def test_order_and_place_of_parts_do_not_matter(played, tool: Tool, tmp_path: Path):
    copied(played, tmp_path)
    folders = []
    for place, part in enumerate(reversed(sorted((played[0] / "parts").iterdir()))):
        folders.append(tmp_path / f"machine-{place}" / part.name)
        shutil.copytree(part, folders[-1])
    assert "is there twice" in merge(tool, *folders, folders[0]).expect(64).err
    merge(tool, *folders).expect(0)

    def without_process(folder: Path) -> dict:
        return {key: value for key, value in read_report(folder).items() if key != "run"}

    assert without_process(tool.folder / "all") == without_process(played[0] / "all")
    assert read_report(tool.folder / "all")["run"]["parts"] == read_report(played[0] / "all")["run"]["parts"]


def test_a_missing_part_is_named_with_its_devices(played, tool: Tool, tmp_path: Path):
    copied(played, tmp_path)
    parts = tmp_path / "parts"
    shutil.copytree(played[0] / "parts", parts)
    # As after kill -9 in the middle.
    (parts / "part-002-of-004" / "attempt-1" / "part.state").unlink()
    merge(tool, parts).expect(96)
    report = read_report(tool.folder / "all")
    assert report["verdict"] == "invalid" and "parts_missing" in report["causes"]
    said = report["run"]["missing_parts"]
    assert "3 of 4 parts, 12 devices" in said
    assert "missing is 2/4 (devices 2, 6 of ios; device 11 of new)" in said
    assert "run all parts again, with a new --at" in said and "--shard I/4 --at INSTANT" in said
    assert "attempt-1" in said
    assert report["events"]["balance"] == 0 and report["events"]["captured"] > 0
    # What the store holds of its devices is neither missing nor strange.
    tool.run("audit", tool.folder / "all", "--receipts", played[0] / "store.sqlite").expect(96)
    audit = read_report(tool.folder / "all")["audit"]
    of_missing = rows(
        played[0] / "store.sqlite", "SELECT count(DISTINCT id) FROM events WHERE device IN ('2', '6', '11')"
    )[0][0]
    assert audit["of_missing_parts"] == of_missing > 0
    assert audit["unexpected"] == audit["acked_not_found"] == 0
    assert audit["unique"] == audit["confirmed"] + audit["recovered"] + audit["of_missing_parts"]
    # Nor are the copies of it any of the devices that are there.
    store = played[0] / "store.sqlite"
    chosen = "SELECT id, received_at FROM events WHERE copy = 0 AND device {} ('2', '6', '11') ORDER BY id LIMIT {}"
    again = rows(store, chosen.format("IN", 5)) + rows(store, chosen.format("NOT IN", 3))
    lines = tmp_path / "copies.ndjson"
    lines.write_text("".join(json.dumps({"bs_id": key, "received_at": at}) + "\n" for key, at in again))
    tool.run("audit", tool.folder / "all", "--receipts", store, "--receipts", lines).expect(96)
    report = read_report(tool.folder / "all")
    copied_twice = report["audit"]
    of_missing_parts = audit.get("duplicates_of_missing_parts", 0) + 5
    assert copied_twice["duplicates_of_missing_parts"] == of_missing_parts
    assert copied_twice["duplicates"] == audit["duplicates"] + 3 == report["metrics"]["events_duplicated"]["count"]
    assert copied_twice["received"] == copied_twice["unique"] + copied_twice["duplicates"] + of_missing_parts
    assert "beyond the first" in report["audit_note"]


def test_the_command_of_a_new_run_plays_all_parts_again(tool: Tool, collect):
    """It names another folder: where the parts are that are there, these would be refused."""
    path = write_scenario(tool.folder, two_populations("1s"))
    conclusive(*play(tool, path, collect().url, soon(), count=2, only=[0]))
    merge(tool, tool.folder / "parts").expect(96)
    command = shlex.split(read_report(tool.folder / "all")["run"]["missing_parts"].rpartition(": ")[2])
    assert command[command.index("--out") + 1] == f"{tool.folder / 'parts'}-2"
    at = soon()
    running = [
        tool.start(*[{"I/2": f"{part}/2", "INSTANT": at}.get(word, word) for word in command[1:]]) for part in range(2)
    ]
    conclusive(*[process.wait() for process in running])
    merge(tool, tool.folder / "parts-2", name="again").expect(0)


def test_parts_of_another_start_are_refused(played, tool: Tool, collect, tmp_path: Path):
    copied(played, tmp_path)
    ended = play(
        tool, played[0] / "scenario.json", collect(tmp_path / "other.sqlite").url, soon(2), "--set", "duration=1s",
        only=[1], name="other",
    )  # fmt: skip
    conclusive(*ended)
    refused = merge(tool, played[0] / "parts", tool.folder / "other").expect(64)
    assert "another scenario, or other options" in refused.err and "nothing was written" in refused.err
    assert not (tool.folder / "all").exists()


def test_a_part_that_is_late_sends_nothing(tool: Tool, collect, tmp_path: Path):
    collector = collect()
    scenario = write_scenario(tool.folder, two_populations("1s"))
    (late,) = play(tool, scenario, collector.url, soon(-3), count=2, only=[0])
    assert late.code == 96 and "late for --at" in late.err and "nothing was sent" in late.err
    assert collector.stats()["requests"] == 0
    (in_time,) = play(tool, scenario, collector.url, soon(), count=2, only=[1])
    conclusive(in_time)
    merge(tool, tool.folder / "parts").expect(96)
    assert "late for --at" in read_report(tool.folder / "all")["run"]["missing_parts"]
    # It did no harm: it takes the next attempt, and is late again.
    (again,) = play(tool, scenario, collector.url, soon(-30), count=2, only=[0])
    assert again.code == 96
    assert sorted(path.name for path in (tool.folder / "parts" / "part-000-of-002").iterdir()) == [
        "attempt-1",
        "attempt-2",
    ]


def test_an_interrupt_ends_the_wait_for_an_appointment(tool: Tool, collect):
    """At once, whether the run is set up already or not; of a part, its attempt remains, and says why it came to nothing."""
    scenario = write_scenario(tool.folder, two_populations("1s"))
    collector, parts = collect(), tool.folder / "parts"
    out, lines, store = (tool.folder / name for name in ("out", "lines.ndjson", "own.sqlite"))
    whole = ("--out", out, "--events", lines, "--store", store)
    part = ("--target", collector.url, "--shard", "0/2", "--out", parts)
    for options, seconds, shown in [
        (whole, 3600, None), (whole, 9, out), (part, 3600, None), (part, 9, parts / "part-000-of-002" / "attempt-2"),
    ]:
        at = soon(seconds)
        waiting = tool.start("run", scenario, "--at", at, *options)
        if shown:
            waiting.wait_until(lambda: (shown / "report.partial.json").exists(), "was set up")
        else:
            waiting.wait_until(lambda: "waiting for" in waiting.err, "waited")
        waiting.signal(signal.SIGINT)
        ended = waiting.wait().expect(105)
        said = "interrupted while it waited for --at" in ended.err and "nothing was sent" in ended.err
        if not said and datetime.now(UTC) >= datetime.fromisoformat(at):
            real_clock.inconclusive(f"the interrupt may have come after the start\n{ended}")
        assert said, str(ended)
        assert not [path for path in (out, lines, Path(f"{lines}.partial"), store) if path.exists()]
    assert collector.stats()["requests"] == 0
    attempts = sorted((parts / "part-000-of-002").iterdir())
    assert [path.name for path in attempts] == ["attempt-1", "attempt-2"]
    for attempt in attempts:
        assert [path.name for path in attempt.iterdir()] == ["reason.txt"]
        assert "interrupted while it waited" in (attempt / "reason.txt").read_text()


def test_an_interrupted_part_makes_an_interrupted_run(tool: Tool, collect):
    """A scheduler that ends one task early: its part is whole up to there, and the run is not."""
    scenario = write_scenario(tool.folder, two_populations("30s"))
    collector, at = collect(), soon(3)
    running = [
        tool.start(
            "run", scenario, "--target", collector.url, "--shard", f"{part}/2", "--at", at, "--out",
            tool.folder / "parts", "--threads", 1,
        )
        for part in range(2)
    ]  # fmt: skip
    for part, process in enumerate(running):
        # Devices are dealt out in turn. A part that still waits for its start would have nothing to tell.
        def has_sent(device: str = str(part)) -> bool:
            return bool(rows(collector.store, "SELECT 1 FROM events WHERE device = ? LIMIT 1", device))

        process.wait_until(has_sent, "sent something")
    for process in running:
        process.signal(signal.SIGTERM)
    for process in running:
        process.wait().expect(105)
    merge(tool, tool.folder / "parts").expect(105)
    report = read_report(tool.folder / "all")
    assert report["verdict"] == "interrupted" and report["events"]["balance"] == 0
    tool.run("audit", tool.folder / "all", "--receipts", collector.store).expect(105)
    assert read_report(tool.folder / "all")["audit"]["acked_not_found"] == 0


def test_what_ended_a_part_is_said_of_that_part(tool: Tool, collect):
    """One passes its share of the highest rate, the other is interrupted: neither is said of the whole run."""
    scenario = steady(2, "10m")
    other = scenario["populations"][0]
    # Populations of one device are in part 0 alone.
    for number in range(20):
        bursts = other["sdk"] | {"storage": {"prefill": 20000}}
        scenario["populations"].append(other | {"name": f"burst-{number}", "devices": 1, "sdk": bursts})
    path, collector, at = write_scenario(tool.folder, scenario), collect(), soon(5)
    fast, calm = (
        tool.start(
            "run", path, "--target", collector.url, "--shard", f"{part}/2", "--at", at, "--out",
            tool.folder / "parts", "--threads", 1, "--max-rate", 100,
        )
        for part in range(2)
    )  # fmt: skip
    ended = fast.wait().expect(96)
    calm.wait_until(lambda: rows(collector.store, "SELECT 1 FROM events WHERE device = '1' LIMIT 1"), "sent something")
    calm.signal(signal.SIGTERM)
    calm.wait().expect(105)
    merge(tool, tool.folder / "parts").expect(105)
    report = read_report(tool.folder / "all")
    assert report["causes"][0] == "interrupted" and "max_rate" in report["causes"]
    assert report["reasons"][0].startswith("Part 1/2 on ") and "was interrupted" in report["reasons"][0]
    text = report["ended_by"]["text"]
    assert text.startswith("Part 0/2 on ") and "its share of --max-rate 100 is 50" in text and text in ended.err
    first, second = report["run"]["parts"]
    assert first["ended_by"] == report["ended_by"] and "interrupted" not in first
    assert second["interrupted"] is True and "ended_by" not in second


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--shard", "0/2", "--at", "TOMORROW"], 64, "a collector that is embedded in one part cannot be shared"),
        (["--shard", "0/2", "--target", "http://127.0.0.1:1/sa"], 64, "wants --at"),
        (["--shard", "0/2", "--at", "12:00", "--target", "http://127.0.0.1:1/sa"], 64, 'found "12:00"'),
        (["--at", "1700-01-01T00:00:00Z"], 64, "allowed is an instant from 1970 to 2199"),
        (["--at", "2250-01-01T00:00:00Z"], 64, "allowed is an instant from 1970 to 2199"),
        (["--shard", "2/2", "--at", "TOMORROW"], 64, "parts are counted from 0"),
        (["--shard", "0/2", "--receipts", "x.csv"], 64, "beaconswarm audit audits that"),
        (["--shard", "0/2", "--repeat", "2"], 64, "--shard: is for one run"),
    ],
)
def test_what_no_part_can_do(tool: Tool, options: list[str], code: int, said: str):
    path = write_scenario(tool.folder, steady(devices=4, duration="1s"))
    options = [soon(86_400) if option == "TOMORROW" else option for option in options]
    refused = tool.run("run", path, "--out", tool.folder / "parts", *options).expect(code)
    assert said in refused.err
    assert not (tool.folder / "parts").exists()


def test_a_pool_that_cannot_be_divided(tool: Tool):
    scenario = steady(devices=4, duration="1s")
    scenario["target"] = {"url": "http://127.0.0.1:1/sa", "connections": {"pooled": 2}}
    path = write_scenario(tool.folder, scenario)
    refused = tool.run("run", path, "--out", tool.folder / "p", "--shard", "0/4", "--at", soon(60)).expect(64)
    assert "too small for 4 parts" in refused.err


def test_the_only_part_may_have_its_own_collector(tool: Tool):
    scenario = steady(devices=4, duration="2s")
    interceptor = {"name": "own database", "on": "eventDidBuild", "copyTo": "own"}
    persona = scenario["populations"][0]["persona"]
    scenario["populations"].append(
        {"name": "g", "devices": 2, "system": "growing", "persona": persona, "sdk": {"interceptors": [interceptor]}}
    )
    path = write_scenario(tool.folder, scenario)
    ended = tool.run("run", path, "--shard", "0/1", "--out", tool.folder / "parts", "-q")
    conclusive(ended)
    merge(tool, tool.folder / "parts").expect(0)
    report = read_report(tool.folder / "all")
    assert report["audit"]["confirmed"] == report["events"]["delivered"] > 0
    # What interceptors copied is joined, too.
    copies = (tool.folder / "parts" / "part-000-of-001" / "attempt-1" / "copy-own.ndjson").read_bytes()
    assert copies and (tool.folder / "all" / "copy-own.ndjson").read_bytes() == copies


def test_secrets_are_neither_in_parts_nor_needed_to_join_them(tool: Tool, collect, tmp_path: Path):
    collector = collect()
    scenario = two_populations("2s")
    scenario["target"] = {"url": collector.url, "headers": {"X-Env": "${LIVE_PARTS_TOKEN}"}}
    path = write_scenario(tool.folder, scenario)
    at = soon(3)
    running = [
        tool.start(
            "run", path, "--shard", f"{part}/2", "--at", at, "--out", tool.folder / "parts", "--threads", 1, "-q",
            env={"LIVE_PARTS_TOKEN": "s3cret-of-the-parts"},
        )
        for part in range(2)
    ]  # fmt: skip
    conclusive(*[process.wait() for process in running])
    merge(tool, tool.folder / "parts").expect(0)
    tool.run("audit", tool.folder / "all", "--receipts", collector.store).expect(0)
    for folder in ("parts", "all"):
        files = [file for file in (tool.folder / folder).rglob("*") if file.is_file()]
        assert files and not any(b"s3cret-of-the-parts" in file.read_bytes() for file in files)


def test_a_whole_run_by_appointment(tool: Tool, collect):
    path = write_scenario(tool.folder, steady(devices=4, duration="2s"))
    at = soon(3)
    ended = tool.run("run", path, "--target", collect().url, "--at", at, "--out", tool.folder / "one", "-q")
    conclusive(ended)
    assert datetime.fromisoformat(read_report(tool.folder / "one")["started_at"]) == datetime.fromisoformat(at)


# --- Other servers


def await_listener(port: int, server: subprocess.Popen) -> None:
    deadline = time.monotonic() + 30
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < deadline and server.poll() is None, "the server does not listen"
        time.sleep(0.05)


def balancer(folder: Path, descriptor: int, collectors: list) -> list[str]:
    """HAProxy before collectors, connection by connection: a device stays with one as long as its connection lasts. It
    inherits the socket that holds its port."""
    servers = "".join(
        f"    server c{index} 127.0.0.1:{collector.port}\n" for index, collector in enumerate(collectors)
    )
    path = folder / "haproxy.cfg"
    path.write_text(
        "global\n    maxconn 1000\n"
        "defaults\n    mode tcp\n    timeout connect 5s\n    timeout client 1m\n    timeout server 1m\n"
        f"frontend all\n    bind fd@{descriptor}\n    default_backend collectors\n"
        f"backend collectors\n    balance roundrobin\n{servers}"
    )
    return [shutil.which("haproxy") or "/usr/sbin/haproxy", "-db", "-f", str(path)]


def test_two_collectors_behind_a_balancer(tool: Tool, collect, tmp_path: Path):
    if not shutil.which("haproxy") and not Path("/usr/sbin/haproxy").exists():
        pytest.skip("no HAProxy here: apt-get install haproxy")
    collectors = [collect(tmp_path / f"store-{index}.sqlite") for index in range(2)]
    path = write_scenario(tool.folder, two_populations("3s"))
    with held_port() as holder:
        port, descriptor = holder.getsockname()[1], holder.fileno()
        command = balancer(tmp_path, descriptor, collectors)
        proxy = subprocess.Popen(command, stderr=subprocess.DEVNULL, pass_fds=[descriptor])
        try:
            await_listener(port, proxy)
            ended = play(tool, path, f"http://127.0.0.1:{port}/sa?project=default", soon(), count=2)
        finally:
            proxy.terminate()
            proxy.wait()
    conclusive(*ended)
    merge(tool, tool.folder / "parts").expect(0)
    run = tool.folder / "all"
    stores = [collector.store for collector in collectors]
    held = [len(rows(store, "SELECT id FROM events")) for store in stores]
    assert all(held), "both collectors got something"
    # One store alone lacks what the other has.
    tool.run("audit", run, "--receipts", stores[0]).expect(95)
    assert read_report(run)["audit"]["acked_not_found"] > 0
    export = tmp_path / "second.csv"
    export.write_text("id,received_at\n" + "".join(f"{key},{at}\n" for key, at in rows(stores[1], "SELECT id, received_at FROM events")))  # fmt: skip
    for second in (stores[1], export):
        tool.run("audit", run, "--receipts", stores[0], "--receipts", second).expect(0)
        audit = read_report(run)["audit"]
        assert audit["received"] == sum(held)
        assert audit["confirmed"] == read_report(run)["events"]["delivered"] > 0
        assert audit["acked_not_found"] == audit["unexpected"] == 0
    refused = tool.run("audit", run, "--receipts", stores[0], "--receipts", stores[0]).expect(64)
    assert "is given twice" in refused.err


def test_copies_in_several_stores_are_counted(played, tool: Tool, tmp_path: Path):
    """An event that two stores hold has a copy, whatever the forms of the stores."""
    run = copied(played, tmp_path)
    store = played[0] / "store.sqlite"
    tool.run("audit", run, "--receipts", store).expect(0)
    before = read_report(run)["audit"]
    table = rows(store, "SELECT id, received_at FROM events WHERE copy = 0 ORDER BY id LIMIT 5")
    lines = tmp_path / "copies.ndjson"
    lines.write_text("".join(json.dumps({"bs_id": key, "received_at": at}) + "\n" for key, at in table))
    tool.run("audit", run, "--receipts", store, "--receipts", lines).expect(0)
    after = read_report(run)
    assert after["audit"]["duplicates"] == before["duplicates"] + 5
    assert after["audit"]["received"] == before["received"] + 5
    assert after["audit"]["unique"] == before["unique"]
    assert str(store) in after["audit_note"] and str(lines) in after["audit_note"]


# --- Clocks


def test_servers_tell_how_right_a_machines_clock_is(tool: Tool):
    """nginx says the time in whole seconds; what many answers say together leaves little doubt."""
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    if not Path(nginx).exists():
        pytest.skip("no nginx here")
    holder = held_port()
    port = holder.getsockname()[1]
    config = tool.folder / "nginx.conf"
    config.write_text(
        f"daemon off; worker_processes 1; error_log stderr; pid {tool.folder}/nginx.pid;\n"
        "events {}\n"
        f"http {{ access_log off; client_body_temp_path {tool.folder}/b; proxy_temp_path {tool.folder}/p;\n"
        f"fastcgi_temp_path {tool.folder}/f; uwsgi_temp_path {tool.folder}/u; scgi_temp_path {tool.folder}/s;\n"
        f"server {{ listen 127.0.0.1:{port} backlog=1024; location / {{ return 200 ''; }} }} }}\n"
    )
    scenario = write_scenario(tool.folder, two_populations("5s"))
    with holder, start_nginx([nginx, "-c", str(config)], holder) as server:
        try:
            await_listener(port, server)
            ended = play(tool, scenario, f"http://127.0.0.1:{port}/sa", soon(3), count=2)
        finally:
            server.terminate()
    conclusive(*ended)
    merge(tool, tool.folder / "parts").expect(0)
    for part in read_report(tool.folder / "all")["run"]["parts"]:
        clock = part["live"]["clock"]
        # The same machine's clock: no more ahead than the answers leave in doubt, and they leave little. nginx renews
        # its time with its events, and so may be a little behind.
        assert clock["answers"] > 10
        assert clock["ahead_error"] < 500
        assert abs(clock["ahead_of_server"]) <= clock["ahead_error"] + 500
