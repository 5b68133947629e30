"""Locust's part of the benchmark: users that post to the collector's path as fast as they can.

--mode prepared posts the file's bytes; --mode build takes the file as one event in JSON, and builds each
batch of 50 anew as the SDK does: fresh times, ids and counters, JSON, gzip level 6, base64, form.
Prints `steady rate N`: answered requests per second from when all users run to the end.
"""

import base64
import gzip
import json
import random
import time
from urllib.parse import quote

from locust import FastHttpUser, constant, events, task

COUNT = {"from": None, "requests": 0, "last": 0.0}
HEADERS = {"Content-Type": "application/x-www-form-urlencoded"}


@events.init_command_line_parser.add_listener
def add_options(parser):
    parser.add_argument("--body", required=True)
    parser.add_argument("--mode", choices=["prepared", "build"], required=True)


@events.init.add_listener
def read_input(environment, **_):
    options = environment.parsed_options
    data = open(options.body, "rb").read() if options else b""
    Sender.prepared = data
    if options and options.mode == "build":
        Sender.event = json.loads(data)


@events.spawning_complete.add_listener
def begin(user_count, **_):
    COUNT["from"] = time.monotonic()


@events.request.add_listener
def count(exception, **_):
    if COUNT["from"] is not None and exception is None:
        COUNT["requests"] += 1
        COUNT["last"] = time.monotonic()


@events.quit.add_listener
def tell(**_):
    if COUNT["from"] is not None and COUNT["requests"]:
        print("steady rate", COUNT["requests"] / (COUNT["last"] - COUNT["from"]))


class Sender(FastHttpUser):
    wait_time = constant(0)
    prepared = b""
    event: dict | None = None

    def build(self) -> bytes:
        now = int(time.time() * 1000)
        batch = []
        for number in range(50):
            event = dict(self.event)
            event["time"] = now + number
            event["_track_id"] = random.randrange(1 << 32)
            event["_flush_time"] = now
            properties = dict(event["properties"])
            properties["bs_id"] = f"{id(self)}-{number}"
            event["properties"] = properties
            batch.append(event)
        packed = gzip.compress(json.dumps(batch, separators=(",", ":"), ensure_ascii=False).encode(), 6)
        text = base64.b64encode(packed).decode()
        # The checksum is part of the SDK's work; in Python it would be all of it, so it is left out.
        return f"crc=0&gzip=1&data_list={quote(text, safe='')}".encode()

    @task
    def post(self):
        body = self.prepared if self.event is None else self.build()
        self.client.post("/sa?project=default", data=body, headers=HEADERS)
