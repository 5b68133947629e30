"""Latencies that others can tell too: by arithmetic over the schedule when a server stalls, and by nginx's own log."""

from __future__ import annotations

import asyncio
import math
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

import real_clock
from helpers import held_port, read_report, steady, write_scenario
from nginx_server import start_nginx

#: Seconds that it takes: the longest go first.
LONG = 40

DEVICES = 40
#: Each device's timer uploads once a second: so many requests are planned in any second, whatever the server does.
REQUESTS_PER_SECOND = DEVICES
#: How long the server does nothing.
STALL = 1.4
#: What planned and measured percentiles may differ by: the arrivals' grid (1/40 s), the scheduling of two processes.
STALL_TOLERANCE = 0.2
#: What the client's and nginx's percentiles may differ by, in ms, beside the lag that the generator owns up to: two
#: reads and writes over loopback, and nginx's resolution of 1 ms.
LOG_TOLERANCE = 10.0
#: A run in which the generator was late is void by its own words, and is played again. So is one whose server was.
ATTEMPTS = 4
#: A server that does nothing for so long, in seconds, was late: requests are 25 ms apart. Shorter pauses concern fewer
#: than one request in a hundred.
PAUSE = 0.15


class Nginx:
    """One nginx with one worker, in the foreground, from a folder of its own."""

    def __init__(self, folder: Path, location: str):
        self.folder = folder
        self._holder = held_port()
        self.port = self._holder.getsockname()[1]
        self.log = folder / "access.log"
        (folder / "nginx.conf").write_text(
            f"""
            worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
            events {{ worker_connections 1024; }}
            http {{
                log_format times '$msec $request_time $status';
                access_log {self.log} times;
                client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
                fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
                keepalive_requests 1000000; client_max_body_size 16m; client_body_buffer_size 1m;
                server {{ listen 127.0.0.1:{self.port} backlog=1024; {location} }}
            }}"""
        )
        # Started by root, the worker is another user and must reach its folder.
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        self.process = start_nginx(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), *user], self._holder)
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                assert time.monotonic() < deadline, (folder / "error.log").read_text()
                time.sleep(0.02)

    def worker(self) -> int:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        assert len(children) == 1, children
        return int(children[0])

    def requests(self) -> int:
        return self.log.read_bytes().count(b"\n") if self.log.exists() else 0

    def stop(self) -> None:
        """Ends it when everything is logged."""
        self.process.send_signal(signal.SIGQUIT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()
        self._holder.close()


class SlowBackend(threading.Thread):
    """An asyncio server behind nginx that takes its time with each answer: lognormal, median 40 ms."""

    def __init__(self, seed: int):
        super().__init__(daemon=True)
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self.port = 0
        self.start()
        self._ready.wait()

    def run(self) -> None:
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0]) if b"content-length:" in head else 0
            await reader.readexactly(length)
            await asyncio.sleep(self._random.lognormvariate(math.log(0.04), 0.7))
            writer.write(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self.join()


@pytest.fixture
def nginx(tmp_path: Path):
    if not shutil.which("nginx"):
        pytest.skip("nginx is not installed")
    servers: list[Nginx] = []

    def start(name: str, location: str) -> Nginx:
        folder = tmp_path / name
        folder.mkdir()
        servers.append(Nginx(folder, location))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()


def scenario(duration: int) -> dict:
    """Devices of 4.9.1 whose timers upload each second, evenly over the second: a constant rate of requests.

    Every flush of that version uploads, whether the one before was answered or not."""
    return steady(DEVICES, f"{duration}s", drain="5s") | {
        "populations": [
            {
                "name": "ios", "devices": DEVICES, "system": "sensors", "version": "4.9.1", "arrival": {"over": "1s"},
                "persona": {"extends": "steady", "rate": "10/s"},
                "sdk": {"upload": {"flushInterval": "1s"}, "remoteConfig": {"enabled": False}},
            }
        ]
    }  # fmt: skip


def play(tool, path: Path, server: Nginx, out: Path, during=lambda run: None) -> dict | None:
    """Plays a scenario against a server; `None` if the generator was late."""
    target = f"http://127.0.0.1:{server.port}/sa?project=default"
    run = tool.start("run", path, "--target", target, "--out", out, "--no-color")
    during(run)
    return None if run.wait().expect(0, 96).code == 96 else read_report(out)


def attempt(once):
    """The first valid outcome."""
    for number in range(ATTEMPTS):
        outcome = once(number)
        if outcome is not None:
            return outcome
    real_clock.inconclusive(
        f"the generator or the server was late in {ATTEMPTS} runs: this machine is too busy to judge latencies"
    )


def stalled(pid: int) -> tuple[float, float]:
    """Stops a process for a while and returns for how long it was stopped, at least and at most: the test itself may be
    kept waiting between what it does and the clock that it reads."""
    before = time.monotonic()
    os.kill(pid, signal.SIGSTOP)
    while Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "T":
        time.sleep(0.0005)
    begin = time.monotonic()
    time.sleep(STALL)
    end = time.monotonic()
    os.kill(pid, signal.SIGCONT)
    return end - begin, time.monotonic() - before


def pauses(log: Path) -> list[float]:
    """For how long nginx did nothing, the longest first, in seconds. It begins and ends requests all the time: where it
    did not, the machine kept it waiting before it had read them, which only the clients' latencies tell."""
    answers = [line.split() for line in log.read_text().splitlines()]
    moments = sorted(moment for stamp, took, _ in answers for moment in (float(stamp) - float(took), float(stamp)))
    return sorted((later - moment for moment, later in zip(moments, moments[1:])), reverse=True)


def test_a_stall_of_the_server_moves_the_percentiles_as_the_schedule_says(tool, tmp_path, nginx):
    path = write_scenario(tmp_path, scenario(20))

    def once(number: int):
        server = nginx(f"nginx-{number}", "location / { return 200 'ok'; }")
        length = []

        def stall(run) -> None:
            run.wait_until(lambda: server.requests() > 5 * DEVICES, "sent five seconds' requests")
            length.append(stalled(server.worker()))

        report = play(tool, path, server, tmp_path / f"stall-{number}", stall)
        server.stop()
        shortest, longest = length[0]
        # Nothing can be told by a stall whose length is known no better, after which the server was late to go on, or
        # where another pause was nearly as long.
        meant, *others = pauses(server.log)
        if longest - shortest > PAUSE or meant - longest > PAUSE or others[0] > STALL / 2:
            return None
        return report and (report, (shortest + longest) / 2)

    report, stall = attempt(once)
    trend = report["metrics"]["http_req_duration"]
    # Requests planned u after the beginning of the stall wait for stall - u, and one second plans as many as any
    # other: so the requests that take longer than x are those of stall - x seconds. Uploads that follow an answer at
    # once, because rows came in meanwhile, belong to no second's plan; they are quick, and count among all.
    seconds = trend["count"] / REQUESTS_PER_SECOND
    assert 20 <= seconds <= 32, ("the requests were not those of the schedule", stall, trend)
    for percentile, share in [("p(99)", 0.01), ("p(99.9)", 0.001)]:
        expected = stall - share * seconds
        measured = trend[percentile] / 1000
        assert abs(measured - expected) <= STALL_TOLERANCE, (percentile, measured, expected, trend)
    assert abs(trend["max"] / 1000 - stall) <= STALL_TOLERANCE
    assert trend["med"] < 100, "the stall concerns one request in fourteen at most"


def test_latencies_agree_with_the_log_of_nginx(tool, tmp_path, nginx, seed):
    path = write_scenario(tmp_path, scenario(15))
    backend = SlowBackend(seed)

    def once(number: int):
        server = nginx(f"nginx-{number}", f"location / {{ proxy_pass http://127.0.0.1:{backend.port}; }}")
        report = play(tool, path, server, tmp_path / f"log-{number}")
        server.stop()
        lines = server.log.read_text().split("\n")[:-1]
        is_punctual = pauses(server.log)[0] <= PAUSE
        return (report, lines) if report and is_punctual else None

    try:
        report, lines = attempt(once)
    finally:
        backend.stop()
    answers = [line.split() for line in lines]
    times = sorted(float(time) * 1000 for _, time, _ in answers)
    service = report["metrics"]["http_req_service"]
    assert {status for _, _, status in answers} == {"200"}
    assert report["metrics"]["http_reqs"]["count"] == service["count"] == len(times)
    assert len(times) >= 14 * DEVICES
    # A generator that is late at starting requests is as late at reading answers: that much it cannot know.
    tolerance = LOG_TOLERANCE + report["generator"]["schedule_lag"]["p(99)"]
    for name, share in [("med", 0.5), ("p(90)", 0.9), ("p(95)", 0.95), ("p(99)", 0.99)]:
        logged = times[math.ceil(share * len(times)) - 1]
        assert abs(service[name] - logged) <= tolerance, (name, service[name], logged, tolerance)
    assert abs(service["avg"] - sum(times) / len(times)) <= tolerance
    # The backend takes 40 ms in the middle: a client that measured nothing would be found out.
    assert service["med"] > 30
    # nginx stamps the end of each request: they span the run and its drain, no more.
    stamps = [float(stamp) for stamp, _, _ in answers]
    assert 12 < max(stamps) - min(stamps) < 25
