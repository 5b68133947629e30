"""Bytes that count are those that went over the wire, where a connection ends in the middle of something too."""

import contextlib
import socket
import threading
from pathlib import Path

import pytest

from conftest import Tool
from helpers import read_report, steady, write_scenario


def serving(listener: socket.socket, serve) -> None:
    """Hands each connection to a function, in a thread of its own, until the listener is closed."""

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


@pytest.mark.skipif(
    int(Path("/proc/sys/net/ipv4/tcp_wmem").read_text().split()[2]) > 6 << 20, reason="the system takes a whole request"
)
def test_what_never_leaves_is_not_sent(tool: Tool, tmp_path: Path):
    """A target that takes connections and reads nothing has at most what both systems' buffers hold of each of them."""
    scenario = steady(1, "2s", drain="6s")
    scenario["populations"][0] = {
        "name": "t", "devices": 1, "system": "trackingsdk", "version": "document",
        "persona": {"preset": "steady", "rate": "1/s"}, "sdk": {"storage": {"prefill": 60_000}, "upload": {"timeout": "2s"}},
    }  # fmt: skip
    kept = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        serving(listener, kept.append)
        path = write_scenario(tmp_path, scenario)
        finished = tool.run("run", path, "--target", f"http://127.0.0.1:{listener.getsockname()[1]}/t", "--out", "deaf", "-q")
        assert finished.code != 0
    deaf = read_report(tool.folder / "deaf")["metrics"]
    # Where it is taken, the first upload has nearly all that there is; here each has that much and more.
    tool.run("simulate", path, "--bodies", "encode", "--out", "whole", "-q").expect(0)
    body = 0.9 * read_report(tool.folder / "whole")["metrics"]["data_sent"]["count"]
    assert body > 8_000_000, "larger than what the systems' buffers hold"
    requests = deaf["http_reqs"]["count"]
    assert requests >= 1
    assert 0 < deaf["data_sent"]["count"] < 0.8 * requests * body, (deaf["data_sent"], requests, body)


def test_what_comes_behind_an_answer_is_received(tool: Tool, tmp_path: Path):
    # Short enough to be there in one read.
    answer = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n" + b"x" * 100
    written = []

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            received = b""
            while b"\r\n\r\n" not in received:
                part = connection.recv(65_536)
                if not part:
                    return  # somebody looks whether anybody listens
                received += part
            head, body = received.split(b"\r\n\r\n", 1)
            length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            while len(body) < length:
                body += connection.recv(65_536)
            connection.sendall(answer)
            written.append(len(answer))
            # Closed in order, so that all of it arrives.
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving(listener, serve)
        scenario = steady(2, "2s", drain="1s")
        scenario["populations"][0]["sdk"]["remoteConfig"] = {"enabled": False}
        path = write_scenario(tmp_path, scenario)
        target = f"http://127.0.0.1:{listener.getsockname()[1]}/sa?project=default"
        tool.run("run", path, "--target", target, "--out", "behind", "-q")
    metrics = read_report(tool.folder / "behind")["metrics"]
    assert metrics["http_reqs"]["count"] == len(written) > 0
    assert metrics["data_received"]["count"] == sum(written)


@pytest.mark.parametrize(
    "fault, brings",
    [
        ({"fault": "truncate", "bytes": 100_000}, 50_000),
        # What has come when the client gives up after three seconds.
        ({"fault": "slowBody", "bytesPerSecond": 1000, "bytes": 100_000}, 3_000),
    ],
    ids=["cut", "slow"],
)
def test_answers_that_are_not_whole_bring_what_comes_of_them_in_the_modelled_world(
    tool: Tool, tmp_path: Path, fault: dict, brings: int
):
    scenario = steady(expect="nothing delivered", timeline=[{"at": "0s", "collector": fault}])
    scenario["populations"][0]["sdk"] = {"upload": {"flushInterval": "5s", "timeout": "3s"}}
    tool.run("simulate", write_scenario(tmp_path, scenario), "--out", "out", "-q").expect(0)
    report = read_report(tool.folder / "out")
    uploads = report["metrics"]["http_reqs"]["count"]
    assert uploads > 10 and set(report["answers"]) <= {"truncated", "timed_out"}, report["answers"]
    # The head of an answer is some hundred bytes at most.
    assert 0.99 * brings < report["metrics"]["data_received"]["count"] / uploads < brings + 200
