"""Verdicts that can be trusted: a dead collector fails a run, and what Beaconswarm could not do by itself is not booked
on the collector."""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import socket
import subprocess
import threading
import time
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

import pytest

from conftest import BINARY, HANG, Finished, Tool
from helpers import read_report, steady, write_scenario
from rough_days import RAN

#: Seconds that it takes: the longest go first.
LONG = 230


class Server:
    """Answers every upload with the same bytes, read or not: no HTTP library is in the way."""

    def __init__(self, answer: bytes | None, endless: bytes = b"", every: int = 1):
        """`answer`: what to write once a request is whole (`None`: nothing, ever); then `endless` again and again.
        With `every` above 1, only each so-manieth upload gets it, the others a 200."""
        self._answer, self._endless, self._every = answer, endless, every
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = self._listener.getsockname()[1]
        self.requests = 0
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/sa?project=default"

    def close(self) -> None:
        self._listener.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            data = b""
            while True:
                while b"\r\n\r\n" not in data:
                    data += self._more(connection)
                head, _, data = data.partition(b"\r\n\r\n")
                fields = [line.split(b":", 1) for line in head.split(b"\r\n")[1:]]
                length = next((int(text) for name, text in fields if name.lower() == b"content-length"), 0)
                while len(data) < length:
                    data += self._more(connection)
                data = data[length:]
                self._reply(connection)
        except OSError:
            return

    @staticmethod
    def _more(connection: socket.socket) -> bytes:
        got = connection.recv(1 << 16)
        if not got:
            raise ConnectionResetError
        return got

    def _reply(self, connection: socket.socket) -> None:
        with self._lock:
            self.requests += 1
            is_own = self.requests % self._every == 0
        if not is_own:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return
        if self._answer is not None:
            connection.sendall(self._answer)
        while self._endless:
            # A hundred times a second is as good as without a pause, and leaves the machine to others.
            connection.sendall(self._endless * 1000)
            time.sleep(0.01)


def plain(status: str, body: bytes = b"", kind: str = "text/plain") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.fixture
def serve():
    servers: list[Server] = []

    def start(*arguments, **named) -> Server:
        servers.append(Server(*arguments, **named))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def short(system: str = "sensors", version: str = "4.9.1", **changes) -> dict:
    """A few devices for two seconds, with an SDK that soon gives up waiting."""
    impatient = {"timeout": "2s"} | ({"flushInterval": "500ms"} if system == "sensors" else {})
    population = {
        "name": "p",
        "devices": 6,
        "system": system,
        "version": version,
        "persona": {"preset": "steady", "rate": "2/s"},
        "sdk": {"upload": impatient},
    }
    return {"name": "short", "duration": "2s", "drain": "4s", "populations": [population]} | changes


def cases(folder: Path) -> dict[str, ElementTree.Element | None]:
    """The test cases of a run's junit.xml with their failures."""
    root = ElementTree.parse(folder / "junit.xml").getroot()
    return {case.get("name"): case.find("failure") for case in root.iter("testcase")}


def failures(folder: Path) -> set[str]:
    return {failure.get("type") for failure in cases(folder).values() if failure is not None}


LONG_BODY = b"<html>this is no collector " + b"x" * 400 + b" end</html>"
#: Answers of which no system takes one as success, and what the summary has to show of the first.
DEAD = {
    "404": ((plain("404 Not Found", LONG_BODY),), 404, None),
    "500": ((plain("500 Oops", b"the disk is full"),), 500, None),
    "503": ((plain("503 Unavailable", LONG_BODY),), 503, None),
    "redirect": ((plain("302 Found", b"elsewhere"),), 302, None),
    "garbage": ((b"\x00\x01\x02 this was never HTTP\r\n\r\n",), None, "malformed"),
    "endless": ((b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"4\r\nmore\r\n"), 200, None),
    "silence": ((None,), None, None),
}


def test_a_secret_that_is_cut_off_is_not_told(tool: Tool, tmp_path: Path, serve):
    """An answer is kept in part. A target that echoes a secret may do so where that part ends."""
    secret = "Zq9hunter2-very-long-secret-value-0123456789"
    head = f"HTTP/1.1 503 Busy\r\nContent-Length: 4000\r\nX-Pad: {'x' * 2000}{secret}\r\n\r\n"
    server = serve((head + ("y" * 2030 + secret).ljust(4000)).encode())
    scenario = short(target={"url": server.url, "headers": {"X-Env": "${STAGE_SECRET}"}})
    path = write_scenario(tmp_path, scenario)
    finished = tool.run("run", path, "--out", tmp_path / "run", env={"STAGE_SECRET": secret}).expect(99, 96)
    first = json.loads((tmp_path / "run/errors.ndjson").read_text().splitlines()[0])
    assert first["headers"].endswith("x[redacted]") and first["body"].endswith("y[redacted]"), first
    texts = [finished.out, finished.err] + [file.read_text() for file in (tmp_path / "run").iterdir()]
    assert not [text for text in texts if secret[:5] in text]


@pytest.mark.parametrize("kind", DEAD)
def test_a_dead_collector_fails_a_run(tool: Tool, tmp_path: Path, serve, kind: str):
    answer, status, failure = DEAD[kind]
    server = serve(*answer)
    path = write_scenario(tmp_path, short(thresholds={"events_lost": ["rate==0"]}))
    finished = tool.run("run", path, "--target", server.url, "--out", tmp_path / "run", "-q").expect(99, 96)
    report = read_report(tmp_path / "run")
    assert server.requests, "nothing came, so nothing was tried"
    assert "nothing_delivered" in report["causes"] and report["events"]["delivered"] == 0
    if kind != "redirect":  # 4.9.1 drops its rows after that one
        assert all(result["ok"] for result in report["thresholds"]), "no event is lost: all wait on the devices"
    assert "Nothing was delivered" in finished.err and not finished.out, str(finished)
    assert "nothing_delivered" in failures(tmp_path / "run")
    assert report["metrics"]["http_req_failed"]["rate"] == 1
    first = report["first_failed_answer"]
    summary = (tmp_path / "run" / "summary.md").read_text()
    page = (tmp_path / "run" / "report.html").read_text()
    if kind == "silence":
        assert first is None and "The first that failed" not in summary
        assert set(report["answers"]) <= {"timed_out", "unanswered"}, report["answers"]
        return
    assert first["status"] == status, first
    if failure:
        assert first["failure"] == failure
        assert first["body"].startswith("HTTP/1.1: a first line that is no status line of HTTP/1.1 or 1.0: "), first
        assert first["body"].endswith(" this was never HTTP\r\n\r\n"), first
    body = answer[0].partition(b"\r\n\r\n")[2].decode(errors="replace") if kind in ("404", "500", "503") else ""
    if body:
        assert first["body"] == body[:200]
    assert "The first that failed" in summary and "The first that failed" in page


def packed(coding: str, value: dict) -> bytes:
    body = json.dumps(value).encode()
    body = {"gzip": gzip.compress, "deflate": zlib.compress, "br": gzip.compress}[coding](body)
    return plain("200 OK", body, f"application/json\r\nContent-Encoding: {coding}")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_a_packed_answer_is_unpacked_where_its_body_counts(tool: Tool, tmp_path: Path, serve, coding: str):
    """As a phone does it for an SDK that does not ask. What cannot be unpacked is named."""
    server = serve(packed(coding, {"statusCode": 200}))
    scenario = short("kit", "1.0", target={"url": server.url})
    scenario["populations"][0]["sdk"]["storage"] = {"prefill": 30}
    code = 99 if coding == "br" else 0
    tool.run("run", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "-q").expect(code, 96)
    report = read_report(tmp_path / "run")
    if coding == "br":
        assert set(report["answers"]) <= {"malformed", "unanswered"} and report["events"]["delivered"] == 0
        first = report["first_failed_answer"]
        assert first["body"].startswith("HTTP/1.1: a body whose content-encoding is not read: gzip and deflate are: "), first
    else:
        assert "malformed" not in report["answers"] and report["events"]["delivered"] > 0


@pytest.mark.parametrize("version", ["1.10.17", "4.9.1"])
def test_a_packed_configuration_takes_effect(tool: Tool, tmp_path: Path, serve, version: str):
    configs = {"disableSDK": True, "disableDebugMode": False, "effect_mode": 1, "autoTrackMode": -1}
    server = serve(packed("gzip", {"v": "2", "configs": configs}))
    scenario = short("sensors", version, target={"url": server.url})
    # 1.10.17 applies it when the app comes back.
    scenario["populations"][0]["persona"] = {
        "preset": "power", "sessionLength": "500ms", "actionGap": "50ms", "returnChance": 1, "returnGap": "1s",
        "opensAtArrival": True, "crashChance": 0, "killAtBackgroundChance": 0,
    }
    scenario["duration"] = "6s"
    tool.run("run", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "-q").expect(0, 96, 99)
    assert read_report(tmp_path / "run")["events"]["suppressed"]["sdk_disabled"] > 0


@pytest.mark.parametrize(
    "answer",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok, and more",),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", b"{}"),
        (b"HTTP/1.1 204 No Content\r\n\r\n{}",),
    ],
    ids=["at once", "later", "no body"],
)
def test_answers_that_are_longer_than_they_say_are_told(tool: Tool, tmp_path: Path, serve, answer: tuple):
    """They are whole to a device, and cost it its connection each time."""
    server = serve(*answer)
    scenario = short("sensors", "4.9.1", target={"url": server.url})
    tool.run("run", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "-q").expect(0, 96)
    report = read_report(tmp_path / "run")
    assert not any(report["events"]["lost"].values()) and report["events"]["delivered"] > 0
    told = [text for text in report["warnings"] if "went on behind the end that the head tells" in text]
    assert len(told) == 1, report["warnings"]


@pytest.mark.parametrize("status", ["204 No Content", "201 Created"])
def test_success_is_what_the_system_takes_for_it(tool: Tool, tmp_path: Path, serve, status: str):
    """TrackingSDK wants exactly 200, which its users learn from the summary."""
    server = serve(plain(status) if status[:3] == "201" else b"HTTP/1.1 204 No Content\r\n\r\n")
    scenario = short("trackingsdk", "document", target={"url": server.url})
    tool.run("run", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "-q").expect(99, 96)
    report = read_report(tmp_path / "run")
    assert "nothing_delivered" in report["causes"]
    assert report["first_failed_answer"]["status"] == int(status[:3])
    assert report["metrics"]["http_req_failed"]["rate"] == 1
    # The same answers are success to another, which waits for as long as the machine may keep the server waiting.
    scenario = short(target={"url": server.url})
    scenario["populations"][0]["sdk"]["upload"]["timeout"] = "30s"
    tool.run("run", write_scenario(tmp_path, scenario), "--out", tmp_path / "other", "-q").expect(*RAN)
    assert read_report(tmp_path / "other")["metrics"]["http_req_failed"]["rate"] == 0


def test_kit_wants_its_json(tool: Tool, tmp_path: Path, serve):
    """200 alone is no success: the body decides, and is shown."""
    server = serve(plain("200 OK", b'{"statusCode": 403, "reason": "who are you"}', "application/json"))
    population = short()["populations"][0] | {
        "system": "kit",
        "version": "document",
        "sdk": {"storage": {"prefill": 20}},
    }
    scenario = short(populations=[population], target={"url": server.url})
    tool.run("run", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "-q").expect(99, 96)
    report = read_report(tmp_path / "run")
    first = report["first_failed_answer"]
    assert (first["status"], first["failure"]) == (200, None) and "who are you" in first["body"]
    assert json.loads((tmp_path / "run" / "errors.ndjson").read_text().splitlines()[0])["status"] == 200


def test_nothing_delivered_may_be_the_purpose(tool: Tool, tmp_path: Path, serve):
    server = serve(plain("503 Unavailable"))
    path = write_scenario(tmp_path, short(expect="nothing delivered"))
    finished = tool.run("run", path, "--target", server.url, "--out", tmp_path / "dead", "-q").expect(*RAN)
    assert "Nothing was delivered" not in finished.err
    assert not failures(tmp_path / "dead") - {"generator_late"}
    assert read_report(tmp_path / "dead")["scenario"]["expect"] == "nothing delivered"
    # And then success is a failure: one of ten is enough.
    some = serve(plain("503 Unavailable"), every=2)
    finished = tool.run("run", path, "--target", some.url, "--out", tmp_path / "alive", "-q").expect(99, 96)
    assert "delivered_unexpectedly" in read_report(tmp_path / "alive")["causes"]
    assert "delivered_unexpectedly" in failures(tmp_path / "alive")
    assert "expects that nothing is delivered" in finished.err
    # Undone on the command line.
    again = ["--target", some.url, "--out", tmp_path / "undone", "-q", "--set", "expect=delivery"]
    tool.run("run", path, *again).expect(*RAN)


def test_an_unknown_expectation_is_a_problem(tool: Tool, tmp_path: Path):
    path = write_scenario(tmp_path, short(expect="nothing deliverd"))
    finished = tool.run("run", path, "--out", tmp_path / "run").expect(104)
    assert "/expect" in finished.err and "nothing delivered" in finished.err


def test_the_shipped_scenario_of_a_dead_collector_says_so(tool: Tool, tmp_path: Path):
    from conftest import ROOT

    path = ROOT / "scenarios" / "storage-eviction.json"
    small = ["--devices", 4, "--duration", "20s", "--set", "drain=1s", "--out", tmp_path / "run", "-q"]
    small += [word for n in (0, 1) for word in ("--set", f"populations.{n}.sdk.storage.prefill=9995")]
    tool.run("run", path, *small).expect(0, 96)
    report = read_report(tmp_path / "run")
    assert report["events"]["delivered"] == 0 and report["metrics"]["http_reqs"]["count"] > 0


@pytest.mark.parametrize("quiet", [True, False])
def test_fewer_than_half_is_a_warning(tool: Tool, tmp_path: Path, serve, quiet: bool):
    """Sensors 4.9.1 keeps its rows after 503 and tries again."""
    server = serve(plain("503 Unavailable", b"busy"), every=1)
    server._every = 1
    answers = iter(range(1 << 30))
    reply = server._reply

    def rarely(connection):
        if next(answers) % 5 == 4:
            connection.sendall(plain("200 OK"))
        else:
            reply(connection)

    server._reply = rarely
    path = write_scenario(tmp_path, short(thresholds={"events_lost": ["rate==0"]}))
    options = ["-q"] if quiet else ["--no-color"]
    finished = tool.run("run", path, "--target", server.url, "--out", tmp_path / "run", *options).expect(*RAN)
    report = read_report(tmp_path / "run")
    failed = report["metrics"]["http_req_failed"]
    assert 0 < failed["fails"] < failed["passes"]
    assert "warning: only " in finished.err and "503" in finished.err, str(finished)
    assert any(text.startswith("only ") for text in report["warnings"])
    assert quiet or "The first that failed: 503" in finished.out


def test_a_good_run_has_its_junit_too(tool: Tool, tmp_path: Path):
    """Without thresholds: who collects the file in CI finds it, all green."""
    finished = tool.run("run", write_scenario(tmp_path, steady(4, "2s")), "--out", tmp_path / "run", "-q")
    finished.expect(*RAN)
    assert not failures(tmp_path / "run") - {"generator_late"}
    assert any("success" in name for name in cases(tmp_path / "run"))
    if finished.code == 0:
        assert read_report(tmp_path / "run")["causes"] == [] and "upload" not in finished.err.replace("/sdk/upload", "")


# Beaconswarm's own failures


@pytest.mark.parametrize("place", ["temporary", "--store"])
def test_a_full_disk_under_the_embedded_collector_makes_a_run_invalid(
    tool: Tool, tmp_path: Path, tiny_disk: Path, place: str
):
    scenario = steady(40, "5s", drain="3s")
    scenario["populations"][0]["persona"]["rate"] = "20/s"
    options = ["--store", tiny_disk / "store.sqlite"] if place == "--store" else []
    finished = tool.run(
        "run", write_scenario(tmp_path, scenario), "--out", tmp_path / "run", "-q", *options,
        env={"TMPDIR": str(tiny_disk)},
    ).expect(96)
    report = read_report(tmp_path / "run")
    assert report["verdict"] == "invalid" and "generator_failed" in report["causes"]
    failure = next(one for one in report["generator"]["own_failures"] if one["cause"] == "embedded_store")
    assert failure["count"] == report["answers"]["500"] > 0.01 * report["metrics"]["http_reqs"]["count"]
    assert "full" in failure["text"] and str(tiny_disk) in failure["text"]
    assert "Beaconswarm itself failed" in finished.err and str(tiny_disk) in finished.err, str(finished)
    assert "generator_failed" in failures(tmp_path / "run")


#: What plays a scenario in virtual time, each into the folder `run`.
SIMULATED = {
    "alone": [["simulate", "--out", "run"]],
    "several": [["simulate", "--seeds", "2", "--out", "run"]],
    "sweep": [["sweep", "--vary", "populations.0.sdk.upload.batch=5,50", "--out", "run"]],
    "parts": [["simulate", "--shard", f"{part}/2", "--out", "parts"] for part in range(2)],
}


@pytest.mark.parametrize("way", SIMULATED)
def test_a_full_disk_under_the_files_of_devices_makes_a_simulation_invalid(tool: Tool, tiny_disk: Path, way: str):
    """What devices lose by it is none of their policy's doing, whatever the thresholds say."""
    scenario = steady(200, "5s", drain="2s") | {"thresholds": {"events_lost": ["rate<0.01"]}}
    scenario["populations"][0]["sdk"] = {"storage": {"backend": "sqlite"}}
    path = write_scenario(tool.folder, scenario)
    commands = [[command[0], path, *command[1:]] for command in SIMULATED[way]]
    for command in commands:
        finished = tool.run(*command, "-q", env={"TMPDIR": str(tiny_disk)}).expect(96)
    if way == "parts":
        # A part may be played again.
        finished = tool.run("merge", "parts", "--out", "run", "-q", env={"TMPDIR": str(tiny_disk)}).expect(96)
    if way == "sweep":
        points = [json.loads(point.read_text()) for point in (tool.folder / "run/cells").glob("*.json")]
        assert [cell["verdict"] for point in points for cell in point.values()] == ["invalid"] * 2, points
    else:
        runs = [path.parent for path in (tool.folder / "run").rglob("timeseries.csv")]
        assert len(runs) == (2 if way == "several" else 1)
        for run in runs:
            report = read_report(run)
            assert report["verdict"] == "invalid" and report["causes"][0] == "generator_failed", report["causes"]
            assert [one["cause"] for one in report["generator"]["own_failures"]] == ["device_store"]
            assert "says nothing about its devices" in report["reasons"][0]
            assert "generator_failed" in failures(run)
    assert "invalid: " in finished.err, str(finished)


@pytest.fixture
def few_ports(tmp_path: Path) -> list[str]:
    """What begins a command in a network of its own, in which ten connections can be open at once."""
    ready = "ip link set lo up && echo '40000 40009' > /proc/sys/net/ipv4/ip_local_port_range && "
    begin = ["unshare", "--net", "sh", "-c", ready + 'exec "$@"', "sh"]
    if subprocess.run([*begin, "true"], capture_output=True).returncode:
        pytest.skip("no network of one's own can be made here (root needed)")
    return begin


def test_exhausted_ports_make_a_run_invalid(tmp_path: Path, few_ports: list[str]):
    """Most of the devices get no port, which no collector can help."""
    path = write_scenario(tmp_path, steady(60, "3s", drain="2s"))
    command = [*few_ports, str(BINARY), "run", str(path), "--out", str(tmp_path / "run"), "-q"]
    own = {name: text for name, text in os.environ.items() if not name.startswith("BEACONSWARM_")}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=HANG, cwd=tmp_path, env=own)
    finished = Finished(command, ended.returncode, ended.stdout, ended.stderr, tmp_path).expect(96)
    report = read_report(tmp_path / "run")
    assert report["verdict"] == "invalid" and "generator_failed" in report["causes"], str(finished)
    failure = next(one for one in report["generator"]["own_failures"] if one["cause"] == "no_socket")
    assert failure["count"] == report["answers"]["no_socket"]
    assert "Beaconswarm itself failed" in finished.err and "10 ports" in finished.err, str(finished)
    assert "generator_failed" in failures(tmp_path / "run")


def test_a_lack_of_descriptors_is_no_pass(tmp_path: Path):
    """Too few are refused with the number of devices that would fit, and those run without a failure of their own."""
    path = write_scenario(tmp_path, steady(30, "2s", drain="2s"))
    own = {name: text for name, text in os.environ.items() if not name.startswith("BEACONSWARM_")}

    def run(limit: int, *arguments: str) -> subprocess.CompletedProcess:
        command = [str(BINARY), "run", str(path), "--out", str(tmp_path / "run"), "-q", "--threads", "1", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=HANG, cwd=tmp_path, env=own,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)),
        )

    for limit in (20, 101):
        refused = run(limit)
        assert refused.returncode == 104 and "no device would fit" in refused.stderr, refused.stderr
    refused = run(112)
    assert refused.returncode == 104 and "ulimit -n" in refused.stderr, refused.stderr
    fitting = re.search(r"\(--devices (\d+)\)", refused.stderr)[1]
    enough = run(112, "--devices", fitting)
    report = read_report(tmp_path / "run")
    assert report["answers"].get("no_socket", 0) == 0 and report["generator"]["own_failures"] == [], enough.stderr
    assert "generator_failed" not in report["causes"], enough.stderr
    assert report["events"]["delivered"] > 0
