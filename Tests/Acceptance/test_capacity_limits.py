"""`beaconswarm capacity`: finds a limit that is known, by search alone."""

from __future__ import annotations

import csv
import json
import time
import urllib.request
from pathlib import Path

import pytest
import real_clock
from helpers import held_port, write_scenario
from nginx_server import FOLDERS, MAIN, NGINX, start_nginx
from searches import flushing, read

#: Seconds that it takes: the longest go first.
LONG = 220

CONFIGURATION = MAIN + """
events {{ worker_connections 4096; }}
http {{
    log_format bare '$msec $status $request_method';
""" + FOLDERS + """
    limit_req_zone $server_name zone=bucket:1m rate={rate}r/s;
    limit_req_status 503;
    keepalive_timeout 300s;
    keepalive_requests 1000000;
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        server_name bucket;
        location /config/ {{ return 304; }}
        location / {{
            limit_req zone=bucket burst={burst} nodelay;
            root {folder}/pages;
            try_files /none @ok;
        }}
        location @ok {{ return 200; }}
    }}
}}
"""


#: So many uploads in 20 ms are a heap: at the highest load that is tried, 800 a second, there are some 20.
HEAP = 40


class Bucket:
    """An nginx that serves so many requests per second and turns the others away with 503."""

    def __init__(self, folder: Path, rate: int, burst: int):
        folder.mkdir()
        self.rate = rate
        self.log = folder / "access.log"
        self._holder = held_port()
        self.port = self._holder.getsockname()[1]
        configuration = folder / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(folder=folder, port=self.port, rate=rate, burst=burst))
        self.process = start_nginx([NGINX, "-p", str(folder), "-c", str(configuration)], self._holder)
        self.url = f"http://127.0.0.1:{self.port}/sa?project=default"
        deadline = time.monotonic() + 20
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5).read()
                return
            except OSError:
                assert self.process.poll() is None, "nginx ended at once"
                assert time.monotonic() < deadline, "nginx does not answer"
                time.sleep(0.05)

    def was_late(self) -> bool:
        """Whether uploads came in a heap, which they do where the machine kept this server waiting: devices upload
        evenly, one after the other."""
        stamps = [float(line.split()[0]) for line in self.log.read_text().splitlines() if line.endswith("POST")]
        return any(later - stamp <= 0.02 for stamp, later in zip(stamps, stamps[HEAP - 1 :]))

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self._holder.close()


@pytest.fixture
def bucket(tmp_path: Path):
    if NGINX is None:
        pytest.skip("nginx is not installed: no server with a known limit")
    running: list[Bucket] = []

    def start(rate: int, burst: int) -> Bucket:
        running.append(Bucket(tmp_path / f"nginx-{len(running)}", rate, burst))
        return running[-1]

    yield start
    for server in running:
        server.stop()


def test_finds_the_limit_of_a_token_bucket(tool, bucket, tmp_path):
    server = bucket(rate=300, burst=50)
    scenario = write_scenario(tmp_path, flushing(200))
    # A machine that is busy with other things makes the generator late, and the search says so (96): that is
    # no answer yet, so it is asked again.
    for attempt in range(3):
        out = tmp_path / f"found-{attempt}"
        finished = tool.run(
            "capacity", scenario, "--target", server.url, "--out", out, "--from", "200", "--step", "3s",
            "--precision", "4%", "--json", timeout=400,
        )
        if finished.code != 96:
            break
    if finished.code == 99 and server.was_late():
        real_clock.inconclusive(f"the server was late\n{finished}")
    finished.expect(0)
    report = json.loads(finished.out)
    assert report == read(out)
    assert report["schema"] == "beaconswarm.capacity/1"
    assert report["ending"] == "knee"
    holds, breaks = report["holds"], report["breaks"]
    if holds["requests_per_second"] / server.rate < 0.95 and server.was_late():
        real_clock.inconclusive(f"the server was late, so that fewer was too much for it: {report['reasons']}")
    assert abs(holds["requests_per_second"] / server.rate - 1) <= 0.05, report["reasons"]
    # Loads in between held too, but by too little to be the result.
    assert holds["load"] < breaks["load"] <= holds["load"] * 1.1
    for unit in ["devices", "requests_per_second", "events_per_second"]:
        assert holds[unit] < breaks[unit], report["reasons"]
    assert any("http_req_failed" in reason for reason in report["broke_first"])
    # Both ends were played again, each time by devices that the target had not seen; one trial of the upper
    # end may hold, since near the limit that is chance.
    assert holds["trials"] == holds["trials_in_all"] >= 3
    assert 1 <= breaks["trials"] <= breaks["trials_in_all"] and breaks["trials_in_all"] >= 2
    judged = [step for step in report["steps"] if step["verdict"] != "generator_limited"]
    for step in judged:
        assert step["verdict"] == "broke" or step["http_req_failed"] < 0.01, step
        assert (step["verdict"] == "broke") == bool(step["reasons"]), step
        assert step["verdict"] == "broke" or step["requests_per_second"] == pytest.approx(step["load"], rel=0.1), step
    # The generator counts what the server counts.
    with open(server.log) as log:
        posts = [line.split() for line in log if line.rstrip().endswith("POST")]
    measured = sum(step["requests"] for step in report["steps"])
    assert measured < len(posts)
    with open(out / "steps.csv", newline="") as table:
        rows = list(csv.DictReader(table))
    assert [row["verdict"] for row in rows] == [step["verdict"] for step in report["steps"]]
    page = (out / "capacity.html").read_text()
    assert 'class="disc"' in page and 'class="cross"' in page and "knee" in page
    assert (out / "summary.md").read_text().startswith("# flushing: capacity")
    assert not (out / "capacity.partial.json").exists()


def test_a_target_that_goes_away_is_no_limit(tool, collect, tmp_path):
    scenario = write_scenario(tmp_path, flushing(8))
    out = tmp_path / "gone"
    collector = collect()
    # The next load begins half a second after the first one's verdict, and warms up for five.
    searching = tool.start(
        "capacity", scenario, "--target", collector.url, "--out", out, "--step", "1s", "--from", "4"
    )
    searching.wait_until(lambda: "✓ holds" in searching.err, "finished its first step")
    collector.running.kill()
    finished = searching.wait().expect(99)
    report = read(out)
    assert report["ending"] == "unreachable", report["reasons"]
    # A busy machine may have made the generator late before.
    *before, last = [step["verdict"] for step in report["steps"]]
    assert last == "unreachable" and "held" in before and set(before) <= {"held", "generator_limited"}
    # The load that held is the first one, unless the search came further before the collector was gone.
    assert report["holds"]["load"] == max(step["load"] for step in report["steps"] if step["verdict"] == "held")
    assert report["breaks"] is None and report["broke_first"] == []
    lost = f"http://127.0.0.1:{collector.port}: Connection refused; it went away during or before step {len(before) + 1}."
    assert lost in report["reasons"][0] and "It held at" in report["reasons"][0]
    assert "✓ Holds" not in finished.out and "breaks at" not in finished.out
    # The page and the rest are written of it as of any search.
    assert "The target went away" in (out / "capacity.html").read_text()
    assert tool.run("report", out, "--format", "md").expect(0).out == (out / "summary.md").read_text()


def test_a_target_that_refuses_everything_breaks_from_the_start(tool, bucket, tmp_path):
    server = bucket(rate=1, burst=1)
    scenario = write_scenario(tmp_path, flushing(16))
    out = tmp_path / "refused"
    tool.run(
        "capacity", scenario, "--target", server.url, "--out", out, "--step", "2s", "--from", "4",
        "--set", "populations.0.sdk.upload.flushInterval=200ms",
    ).expect(99)
    report = read(out)
    assert report["ending"] == "floor" and report["holds"] is None
    # No load is smaller than one that asks for something.
    assert report["breaks"]["load"] <= 4 and report["steps"][-1]["requests"] > 0
