"""What strangers do to a collector costs it bounded memory, keeps nobody else out, and loses nothing acknowledged."""

from __future__ import annotations

import base64
import gzip
import http.client
import io
import json
import re
import socket
import sqlite3
import subprocess
import threading
import urllib.parse
import zipfile
from pathlib import Path

from conftest import BINARY, Collector, Running
from helpers import form_body, post

#: What Safety.md states, and what the process takes by itself.
MEMORY_LIMIT = 1 << 30


def highest_memory(collector: Collector) -> int:
    """Resident, in bytes, at its highest."""
    status = Path(f"/proc/{collector.running.pid}/status").read_text()
    highest = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024
    print(f"{highest >> 20} MB at the highest")
    return highest


def event(number: int) -> dict:
    return {
        "type": "track", "event": "e", "distinct_id": "d", "_track_id": number, "time": 1_700_000_000_000 + number,
        "properties": {"bs_id": f"0-{number}"},
    }  # fmt: skip


class Bystander:
    """A well-behaved client that goes on all the time; every answer has to be 200."""

    def __init__(self, collector: Collector):
        self.collector, self.sent = collector, 0

    def send(self) -> None:
        assert post(self.collector.port, form_body([event(self.sent)]))[0] == 200
        self.sent += 1

    def check(self) -> None:
        """Everything that was acknowledged is in the store, once."""
        self.collector.stop().expect(0)
        with sqlite3.connect(self.collector.store) as store:
            held = store.execute("select id from events where copy = 0 and id like '0-%'").fetchall()
        assert sorted(held) == sorted((f"0-{number}",) for number in range(self.sent))


def opened(port: int, first: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=30)
    client.sendall(first)
    return client


def test_clients_that_never_finish_keep_nobody_out(tmp_path: Path):
    """Three times as many connections as the process has descriptors for, each with a part of its headers."""
    store = tmp_path / "s.sqlite"
    command = ["bash", "-c", 'ulimit -n 512; exec "$@"', "_", str(BINARY), "collect", "--listen", "127.0.0.1:0"]
    running = Running([*command, "--store", str(store)], tmp_path, {})
    try:
        running.wait_until(lambda: "\n" in running.out, "printed a line when ready")
        collector = Collector.__new__(Collector)
        collector.running, collector.store = running, store
        collector.port = int(re.search(r":(\d+) into", running.out)[1])
        bystander = Bystander(collector)
        clients = []
        for number in range(1500):
            clients.append(opened(collector.port, b"POST /sa HTTP/1.1\r\nHost: x\r\nX-Slow: "))
            # The oldest are long given up by the server; a client's own descriptors have an end too.
            if len(clients) > 700:
                clients.pop(0).close()
            if number % 250 == 249:
                bystander.send()
        assert highest_memory(collector) < MEMORY_LIMIT
        for client in clients:
            client.close()
        bystander.check()
    finally:
        running.kill()


def test_bodies_that_never_end_are_bounded_together(collect):
    """A hundred bodies of 8 MB but for their last byte: 800 MB that somebody means the collector to hold."""
    collector = collect()
    bystander = Bystander(collector)
    head = b"POST /sa?project=p HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n"
    clients = []
    for number in range(100):
        client = opened(collector.port, head)
        clients.append(client)
        try:
            client.sendall(bytes(7_999_999))
        except OSError:
            pass  # given up by the server
        if number % 10 == 9:
            bystander.send()
    assert highest_memory(collector) < MEMORY_LIMIT
    for client in clients:
        client.close()
    bystander.check()


def bombs() -> list[tuple[str, str, bytes]]:
    """Uploads that are small and unpack to a gigabyte, or to millions of things, for the systems that unpack."""

    def form(packed: bytes) -> bytes:
        return urllib.parse.urlencode({"gzip": 1, "data_list": base64.b64encode(packed)}).encode()

    zeros = gzip.compress(bytes(1 << 20), 9)
    members = gzip.compress(b"[" + b"{}," * 20_000_000 + b"{}]", 1)
    nested = gzip.compress(b"[" * (32 << 20), 1)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(40):
            file.writestr(f"{number}.log", bytes(16 << 20))
    kit = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n'
        b"Content-Type: application/zip\r\n\r\n" + archive.getvalue() + b"\r\n--b--\r\n"
    )
    form_type = "application/x-www-form-urlencoded"
    return [
        ("/sa?project=p", form_type, form(zeros * 1024)),
        ("/sa?project=p", form_type, form(members)),
        ("/sa?project=p", form_type, form(nested)),
        ("/upload", "multipart/form-data; boundary=b", kit),
    ]


def test_bombs_are_not_unpacked(collect):
    collector = collect()
    bystander = Bystander(collector)
    for path, kind, body in bombs():
        post(collector.port, body, path, **{"Content-Type": kind})
        bystander.send()
    assert highest_memory(collector) < MEMORY_LIMIT
    bystander.check()


def test_hundreds_of_thousands_of_different_headers_leave_nothing_behind(collect):
    collector = collect()
    bystander = Bystander(collector)
    bystander.send()
    with socket.create_connection(("127.0.0.1", collector.port), timeout=60) as client:
        answers = client.makefile("rb")
        for number in range(1500):
            names = b"".join(b"x-%d-%d: y\r\n" % (number, place) for place in range(250))
            client.sendall(b"GET /sa-%d HTTP/1.1\r\nHost: x\r\n" % number + names + b"\r\n")
            assert answers.readline().startswith(b"HTTP/1.1 404")
            length = 0
            while (line := answers.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            answers.read(length)
            if number == 100:
                before = highest_memory(collector)
    assert highest_memory(collector) < before + (10 << 20)
    bystander.send()
    bystander.check()


def test_a_disk_that_fills_under_load_keeps_what_was_acknowledged(collect, tiny_disk: Path):
    """Several clients go on while the store's disk has no room for a hundredth of what they send."""
    collector = collect(tiny_disk / "s.sqlite")
    acknowledged: list[list[int]] = [[] for _ in range(4)]
    refused = [0] * 4

    def client(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", collector.port, timeout=60)
        for batch in range(60):
            ids = [number * 1_000_000 + batch * 50 + place for place in range(50)]
            body = form_body([event(identifier) | {"pad": "x" * 500} for identifier in ids])
            connection.request("POST", "/sa?project=p", body, {"Content-Type": "application/x-www-form-urlencoded"})
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:
                acknowledged[number] += ids
            else:
                refused[number] += answer.status == 500

    threads = [threading.Thread(target=client, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(refused) > 0 and sum(map(len, acknowledged)) > 0
    assert json.loads(collector.get("/stats")[1])["store_failures"] == sum(refused)
    collector.stop().expect(0)
    if list(tiny_disk.glob("s.sqlite-log.*")):
        # A collector with much to do takes some of it into the log beside the store: the table had no room for that.
        subprocess.run(["mount", "-o", "remount,size=16m", str(tiny_disk)], check=True)
        collect(collector.store).stop().expect(0)
    with sqlite3.connect(collector.store) as store:
        held = {identifier for (identifier,) in store.execute("select id from events")}
    assert held == {f"0-{identifier}" for ids in acknowledged for identifier in ids}
