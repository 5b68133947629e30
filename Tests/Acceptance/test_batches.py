"""Batches as a collector gets them: what zlib reads in them, and how much smaller zlib would have made them."""

from __future__ import annotations

import base64
import http.server
import json
import threading
import urllib.parse
import zlib

from helpers import read_report, steady, write_scenario

APPS = ["shop", "news", "game"]
BATCH = 50


class Sink(http.server.ThreadingHTTPServer):
    """Keeps the compressed lists that are posted to it, by path."""

    daemon_threads = True
    #: All devices connect at once: a connection that finds no room is tried again a second later.
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lists: dict[str, list[bytes]] = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.lists.setdefault(self.path, []).append(base64.b64decode(form["data_list"][0], validate=True))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_) -> None:
        pass


def populations(version: str, origin: str) -> list[dict]:
    """Devices of each app that have full batches from the start."""
    upload = {"batch": BATCH, "flushInterval": "1s"}
    return [
        {
            "name": app,
            "devices": 6,
            "system": "sensors",
            "version": version,
            "app": app,
            "persona": {"extends": "steady", "rate": "1/s"},
            "sdk": {"storage": {"prefill": 4 * BATCH}, "upload": upload, "remoteConfig": {"enabled": False}},
            "target": {"url": f"{origin}/{app}"},
        }
        for app in APPS
    ]


def full_batches(tool, folder, version: str) -> dict[str, list[tuple[bytes, bytes]]]:
    """Each app's full batches of a live run: as they came, and their text by zlib's own inflate."""
    sink = Sink()
    try:
        origin = f"http://127.0.0.1:{sink.server_address[1]}"
        scenario = {"name": "batches", "seed": 11, "duration": "4s", "drain": "1s"}
        scenario["populations"] = populations(version, origin)
        tool.run("run", write_scenario(folder, scenario, f"{version}.json")).expect(0)
    finally:
        sink.shutdown()
    assert sorted(sink.lists) == sorted(f"/{app}" for app in APPS)
    batches = {}
    for path, packed in sink.lists.items():
        # As gzip members, which end where the bytes end.
        texts = [zlib.decompress(data, 31) for data in packed]
        events = [json.loads(text) for text in texts]
        assert all("_flush_time" in event for batch in events for event in batch)
        full = [index for index, batch in enumerate(events) if len(batch) == BATCH]
        assert len(full) >= 12, path
        batches[path] = [(packed[index], texts[index]) for index in full]
    return batches


def test_batches_are_about_as_small_as_zlib_makes_them(tool, tmp_path):
    ours = zlibs = 0
    for version in ["1.10.17", "4.9.1"]:
        for path, batches in full_batches(tool, tmp_path, version).items():
            own = sum(len(data) for data, _ in batches)
            zlib6 = 0
            for _, text in batches:
                encoder = zlib.compressobj(6, zlib.DEFLATED, 31)
                zlib6 += len(encoder.compress(text) + encoder.flush())
            print(f"{version} {path}: {len(batches)} batches, {own} bytes, {own / zlib6:.4f} of zlib's")
            assert own <= 1.08 * zlib6, (version, path)
            ours += own
            zlibs += zlib6
    assert ours <= 1.03 * zlibs, f"{ours} bytes where zlib's level 6 needs {zlibs}"


def test_a_request_that_was_cut_has_received_nothing(tool, tmp_path):
    """The connection has, before: each answer is counted once."""
    scenario = steady(6, "6s", drain="2s")
    scenario["populations"] = [{"name": "t", "devices": 6, "system": "trackingsdk", "persona": {"extends": "steady", "rate": "4/s"}}]
    received = {}
    for name, timeline in (("calm", []), ("cut", [{"at": "0s", "share": 0.5, "client": {"fault": "reset"}}])):
        path = write_scenario(tmp_path, scenario | {"timeline": timeline}, f"{name}.json")
        tool.run("run", path, "--out", tmp_path / name, "-q").expect(0)
        report = read_report(tmp_path / name)
        received[name] = report["metrics"]["data_received"]["count"], report["answers"]["200"]
    assert 0 < received["cut"][1] < received["calm"][1]
    size = received["calm"][0] / received["calm"][1]
    assert received["cut"][0] == size * received["cut"][1]
