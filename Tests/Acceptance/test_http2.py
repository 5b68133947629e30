"""Live runs over HTTP/2: against nginx and HAProxy, whose logs are counts of their own, and against frames written
by hand."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from conftest import HANG
from frame_server import ENHANCE_YOUR_CALM, REFUSED_STREAM, FrameServer, frame, go_away, ok, reset, settings, window_update
from helpers import free_port, read_report, rows, steady, write_scenario
from nginx_server import FOLDERS, MAIN, NGINX

#: Seconds that it takes: the longest go first.
LONG = 100

HAPROXY = shutil.which("haproxy") or ("/usr/sbin/haproxy" if Path("/usr/sbin/haproxy").exists() else None)

NGINX_CONFIGURATION = MAIN + """
events {{ worker_connections 512; }}
http {{
    log_format bare '$connection $server_protocol $request_method $status';
""" + FOLDERS + """
    keepalive_requests {requests};
    server {{
        listen 127.0.0.1:{port} ssl{http2};
        ssl_certificate {folder}/server.pem;
        ssl_certificate_key {folder}/server.key;
        location / {{ proxy_pass http://127.0.0.1:{upstream}; proxy_http_version 1.1; }}
    }}
}}
"""

HAPROXY_CONFIGURATION = """
global
    log stdout format raw local0
    tune.h2.max-concurrent-streams {streams}
defaults
    mode http
    log global
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend front
    bind 127.0.0.1:{port} ssl crt {folder}/both.pem alpn h2,http/1.1
    log-format "%HV %HM %ST %cp"
    default_backend back
backend back
    server collector 127.0.0.1:{upstream}
"""


def certify(folder: Path) -> None:
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", folder / "server.key", "-out", folder / "server.pem",
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    (folder / "both.pem").write_text((folder / "server.pem").read_text() + (folder / "server.key").read_text())


class Front:
    """A server of TLS in front of a collector, with a log of its own; `ending` is the signal at which it ends what it
    has begun, and then itself."""

    def __init__(self, folder: Path, command: list[str], log: Path, port: int, ending: signal.Signals):
        self.folder, self.log, self.port, self.ending = folder, log, port, ending
        self.output = open(folder / "output", "wb")
        self.process = subprocess.Popen(command, stdout=self.output, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + HANG
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                return
            except OSError:
                assert self.process.poll() is None, (folder / "output").read_text()
                assert time.monotonic() < deadline, "nobody listens"
                time.sleep(0.05)

    @property
    def lines(self) -> list[list[str]]:
        """What it served, a request each; connections that only look are no request. Ends the server: it writes of a
        request after it has answered it."""
        self.stop()
        return [line.split() for line in self.log.read_text().splitlines() if " POST " in line or " GET " in line]

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(self.ending)
            self.process.wait(HANG)
        self.output.close()


@pytest.fixture
def front_end(tmp_path: Path, collect):
    """Starts a front end of a kind, and the collector behind it."""
    running: list[Front] = []

    def nginx(http2: bool = True, requests: int = 100_000) -> tuple[Front, object]:
        if NGINX is None:
            pytest.skip("nginx is not installed")
        collector, folder, port = collect(), tmp_path / "nginx", free_port()
        folder.mkdir()
        certify(folder)
        (folder / "nginx.conf").write_text(
            NGINX_CONFIGURATION.format(
                folder=folder, port=port, upstream=collector.port, requests=requests, http2=" http2" if http2 else ""
            )
        )
        command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]
        running.append(Front(folder, command, folder / "access.log", port, signal.SIGQUIT))
        return running[-1], collector

    def haproxy(streams: int = 100) -> tuple[Front, object]:
        if HAPROXY is None:
            pytest.skip("HAProxy is not installed")
        collector, folder, port = collect(), tmp_path / "haproxy", free_port()
        folder.mkdir()
        certify(folder)
        (folder / "haproxy.cfg").write_text(
            HAPROXY_CONFIGURATION.format(folder=folder, port=port, upstream=collector.port, streams=streams)
        )
        command = [HAPROXY, "-f", str(folder / "haproxy.cfg")]
        running.append(Front(folder, command, folder / "output", port, signal.SIGUSR1))
        return running[-1], collector

    yield {"nginx": nginx, "haproxy": haproxy}
    for server in running:
        server.stop()


def load(url: str, devices: int = 4, **target) -> dict:
    # A drain ends when nothing is left, and servers may be late.
    document = steady(devices=devices, duration="3s", drain="30s", target={"url": url} | target)
    # Figures of http_* are of uploads alone; without fetches it is they that open the connections.
    document["populations"][0]["sdk"]["remoteConfig"] = {"enabled": False}
    return document


def secure(server: Front, **target) -> dict:
    ca = str(server.folder / "server.pem")
    return load(f"https://localhost:{server.port}/sa?project=default", tls={"ca": ca}, **target)


def play(tool, folder: Path, scenario: dict, code: int = 0) -> dict:
    tool.run("run", write_scenario(folder, scenario), "--out", folder / "run").expect(code)
    return read_report(folder / "run")


def answers(report: dict) -> dict[str, int]:
    return {name: count for name, count in report["answers"].items() if count}


def check_books(tool, folder: Path, report: dict, collector) -> None:
    """What the devices believe is what the collector holds, by its own store."""
    events = report["events"]
    assert events["captured"] > 0 and events["balance"] == 0
    done = tool.run("audit", folder / "run", "--receipts", collector.store)
    done.expect(0)
    audited = read_report(folder / "run")["audit"]
    assert audited["acked_not_found"] == 0 and audited["unexpected"] == 0
    assert audited["confirmed"] == events["delivered"] <= len(rows(collector.store, "SELECT id FROM events WHERE copy = 0"))


def test_nginx(tool, front_end, tmp_path):
    server, collector = front_end["nginx"]()
    report = play(tool, tmp_path, secure(server))
    generator, served = report["generator"], server.lines
    assert answers(report) == {"200": len(served)}
    assert {version for _, version, *_ in served} == {"HTTP/2.0"}
    # One connection for each device, all of its requests on it.
    assert len({connection for connection, *_ in served}) == generator["connections_opened"] == 4
    assert generator["http2_connections"] == generator["tls_handshakes"] == 4
    assert generator["http2_streams"] == report["metrics"]["http_reqs"]["count"] == len(served) > 4
    # Of the generator's CPU time; how much depends on the machine.
    assert 0 < generator["tls_handshake_cpu_seconds"] and 0 < generator["loop_cpu_seconds"]
    assert report["events"]["delivered"] == report["events"]["captured"]
    assert collector.stats()["requests"] >= len(served)
    check_books(tool, tmp_path, report, collector)


def test_the_older_version_on_demand(tool, front_end, tmp_path):
    server, _ = front_end["nginx"]()
    report = play(tool, tmp_path, secure(server, http="1.1"))
    assert {version for _, version, *_ in server.lines} == {"HTTP/1.1"}
    assert len(server.lines) == report["metrics"]["http_reqs"]["count"] > 0
    assert report["generator"]["http2_connections"] == report["generator"]["http2_streams"] == 0


def test_a_server_without(tool, front_end, tmp_path):
    server, _ = front_end["nginx"](http2=False)
    report = play(tool, tmp_path, secure(server))
    assert report["generator"]["http2_connections"] == 0 < report["events"]["delivered"]
    demanded = tool.run("run", write_scenario(tmp_path, secure(server, http="2")), "--out", tmp_path / "none")
    demanded.expect(69)
    assert "HTTP/2" in demanded.err and "nothing was run" in demanded.err
    assert {version for _, version, *_ in server.lines} == {"HTTP/1.1"}


def test_connections_that_end_after_some_requests(tool, front_end, tmp_path):
    """nginx says GOAWAY after its number of requests, in the middle of the run."""
    server, collector = front_end["nginx"](requests=2)
    report = play(tool, tmp_path, secure(server))
    generator = report["generator"]
    assert len({connection for connection, *_ in server.lines}) == generator["http2_connections"] > 4
    assert set(answers(report)) <= {"200", "stream_refused", "closed"}
    assert answers(report)["200"] == len(server.lines)
    check_books(tool, tmp_path, report, collector)


def test_haproxy_and_a_pool(tool, front_end, tmp_path):
    """Devices that share connections share each among several requests, as many as the server takes."""
    server, collector = front_end["haproxy"](streams=2)
    scenario = secure(server, connections={"pooled": 2})
    scenario["populations"][0]["devices"] = 8
    report = play(tool, tmp_path, scenario)
    served, generator = server.lines, report["generator"]
    assert {version for version, *_ in served} == {"HTTP/2.0"}
    assert len({port for *_, port in served}) == generator["connections_opened"] == 2
    assert generator["http2_streams"] == len(served) == report["metrics"]["http_reqs"]["count"]
    assert set(answers(report)) == {"200"}
    check_books(tool, tmp_path, report, collector)


def test_a_connection_for_each_request(tool, front_end, tmp_path):
    server, _ = front_end["haproxy"]()
    report = play(tool, tmp_path, secure(server, connections="perRequest"))
    generator = report["generator"]
    assert generator["connections_opened"] == generator["http2_streams"] == report["metrics"]["http_reqs"]["count"] > 4


# Frames written by hand


def play_frames(tool, folder: Path, server: FrameServer, code: int = 0, **changes) -> dict:
    document = load(f"http://127.0.0.1:{server.port}/sa?project=default", devices=2, http="2") | {"duration": "2s"} | changes
    try:
        return play(tool, folder, document, code)
    finally:
        server.close()


@pytest.mark.parametrize(
    "name, script",
    [
        ("stream_refused", lambda number, stream: (reset(stream, REFUSED_STREAM), False)),
        ("stream_refused", lambda number, stream: (go_away(0), False)),
        ("stream_reset", lambda number, stream: (reset(stream, ENHANCE_YOUR_CALM), False)),
        ("closed", lambda number, stream: (b"", True)),
        ("truncated", lambda number, stream: (frame(1, 4, stream, b"\x88"), True)),
        # Data where there is no stream, a table that is too large, an answer without a status, no HTTP/2 at all.
        ("malformed", lambda number, stream: (frame(0, 0, 0, b"x"), False)),
        ("malformed", lambda number, stream: (frame(1, 5, stream, b"\x3f\xff\xff\x03\x88"), False)),
        ("malformed", lambda number, stream: (frame(1, 5, stream, b"\x90"), False)),
        ("malformed", lambda number, stream: (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", False)),
        # Pushes switched on, a trailer in capitals.
        ("malformed", lambda number, stream: (frame(4, 0, 0, b"\0\2\0\0\0\1"), False)),
        ("malformed", lambda number, stream: (frame(1, 4, stream, b"\x88") + frame(1, 5, stream, b"\0\1X\1y"), False)),
    ],
)
def test_how_requests_fail(tool, tmp_path, name, script):
    """The first request fails in a way of its own, and the others go well."""
    server = FrameServer(lambda number, stream: script(number, stream) if number == 0 else (ok(stream), False))
    report = play_frames(tool, tmp_path, server)
    assert answers(report) == {name: 1, "200": server.requests - 1}
    assert report["events"]["balance"] == 0
    assert report["generator"]["http2_streams"] == server.requests == report["metrics"]["http_reqs"]["count"]
    assert report["generator"]["http2_connections"] == server.connections


@pytest.mark.parametrize("name, last, ends", [("stream_refused", 0, False), ("closed", 1, True)])
def test_why_a_server_left(tool, tmp_path, name, last, ends):
    """Its code and its words are told, of a request that it left out and of one that it took."""
    bye = go_away(last, ENHANCE_YOUR_CALM, b"too_many_pings")
    server = FrameServer(lambda number, stream: (bye, ends) if number == 0 else (ok(stream), False))
    report = play_frames(tool, tmp_path, server)
    assert answers(report) == {name: 1, "200": server.requests - 1}
    (line,) = (tmp_path / "run" / "errors.ndjson").read_text().splitlines()
    told = json.loads(line)
    assert (told["failure"], told["body"]) == (name, "HTTP/2: GOAWAY, ENHANCE_YOUR_CALM: too_many_pings")
    assert told["status"] == 0 and "too_many_pings" in json.dumps(report["first_failed_answer"])


@pytest.mark.parametrize("size", [0, 0x7FFF_FFFF])
def test_a_broken_window_of_a_stream(tool, tmp_path, size):
    """It ends the stream alone (RFC 9113, 6.9): the device's next request is on the same connection."""
    server = FrameServer(lambda number, stream: (window_update(stream, size) if number == 0 else ok(stream), False))
    report = play_frames(tool, tmp_path, server)
    assert answers(report) == {"malformed": 1, "200": server.requests - 1}
    assert server.connections == report["generator"]["connections_opened"] == 2


def test_answers_that_go_on_behind_their_end_are_told(tool, tmp_path):
    """They are whole to a device, which keeps its connection. What comes behind them is received all the same."""
    answer = [lambda stream: ok(stream) + frame(0, 0, stream, b"more"), lambda stream: ok(stream) + ok(stream)]
    server = FrameServer(lambda number, stream: (answer[number % 2](stream), False))
    report = play_frames(tool, tmp_path, server)
    assert answers(report) == {"200": server.requests}
    # Short enough to be there in one read.
    sizes = [len(answer[number % 2](1)) for number in range(server.requests)]
    assert report["metrics"]["data_received"]["count"] == sum(sizes) > 0
    assert server.connections == report["generator"]["connections_opened"] == 2
    told = [text for text in report["warnings"] if "went on behind the end" in text]
    assert len(told) == 1 and told[0].startswith(f"{server.requests} answers "), report["warnings"]


def test_small_windows(tool, tmp_path):
    """No body is longer than what the server said it takes, stream by stream and altogether."""
    server = FrameServer(lambda number, stream: (ok(stream), False), window=100)
    report = play_frames(tool, tmp_path, server)
    assert server.over_window == []
    assert answers(report) == {"200": server.requests}
    assert report["metrics"]["data_sent"]["count"] > 200 * server.requests


@pytest.mark.parametrize("limit", [1, 3])
def test_a_server_that_takes_few_requests_at_a_time(tool, tmp_path, limit):
    """What has to wait for a stream waits, and none is opened beyond the limit."""
    server = FrameServer(lambda number, stream: (ok(stream), False), first=settings(streams=limit), hold=0.1)
    # Devices that share one connection, and would have many streams in it at once.
    url = f"http://127.0.0.1:{server.port}/sa?project=default"
    document = load(url, devices=12, http="2", connections={"pooled": 1})
    try:
        report = play(tool, tmp_path, document)
    finally:
        server.close()
    assert answers(report) == {"200": server.requests}
    assert server.most_open == limit and report["generator"]["http2_connections"] == 1


def test_a_server_without_that_nobody_negotiates_with(tool, collect, tmp_path):
    """Without TLS the check before the run says what begins HTTP/2, and hears HTTP/1.1."""
    collector = collect()
    scenario = write_scenario(tmp_path, load(collector.url, http="2"))
    demanded = tool.run("run", scenario, "--out", tmp_path / "none").expect(69)
    assert "the server answers in HTTP/1.1, and target.http asks for HTTP/2; nothing was run" in demanded.err
    assert not (tmp_path / "none").exists()


def test_a_server_that_speaks_nothing_older(tool, tmp_path):
    """A client of HTTP/1.1 hears the settings of a server of HTTP/2: no HTTP that it knows."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection, contextlib.suppress(OSError):
                        if not connection.recv(65_536):
                            continue
                        connection.sendall(settings(streams=64))
                        # Closed in order: what is not read would turn that into a reset.
                        connection.shutdown(socket.SHUT_WR)
                        while connection.recv(65_536):
                            pass

        threading.Thread(target=serve, daemon=True).start()
        document = load(f"http://127.0.0.1:{listener.getsockname()[1]}/sa?project=default", devices=1)
        # Nothing is delivered.
        report = play(tool, tmp_path, document | {"drain": "5s"}, 99)
    assert set(answers(report)) == {"malformed"}
    first = json.loads((tmp_path / "run" / "errors.ndjson").read_text().splitlines()[0])
    rule = "HTTP/1.1: a first line that is no status line of HTTP/1.1 or 1.0: "
    assert first["body"] and first["body"].startswith(rule + "\0\0\6\4"), first


def test_settings_for_the_embedded_collector(tool, tmp_path):
    document = load("http://127.0.0.1:1/")
    document["target"] = {"http": "2"}
    checked = tool.run("validate", write_scenario(tmp_path, document))
    checked.expect(0)
    assert "/target/http" in checked.err + checked.out and "HTTP/1.1" in checked.err + checked.out
    document["target"] = {"http": "3"}
    refused = tool.run("validate", write_scenario(tmp_path, document))
    refused.expect(104)
    assert "/target/http" in refused.err and '"1.1"' in refused.err
