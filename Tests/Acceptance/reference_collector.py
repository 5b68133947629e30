"""An independent collector for the SensorsAnalytics protocol: plain sockets, its own decoding, its own books.

It answers as a seeded dice tells it, well and badly, and remembers what it told to whom. `violations` holds
everything that a real SDK would not have sent.

By hand:  python reference_collector.py --port 8200 --seed 1 --receipts got.ndjson
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import socket
import struct
import threading
import time
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path

import sensors_rules as rules
from rough_days import Books, collect_by_hand

#: What may become of a request, with the weights of a rough day.
ROUGH = {
    "ok": 58,
    "no_content": 3,
    "chunked": 3,
    "closing": 3,
    "dribble": 3,
    "slow": 4,
    "error_500": 6,
    "error_403": 4,
    "error_400": 4,
    "redirect_302": 2,
    "reset_unread": 3,
    "reset": 3,
    "stall": 1,
    "stall_stored": 1,
    "accept_then_die": 5,
}
CALM = {"ok": 1}
#: The state of a connection that neither side has closed, as the kernel numbers them.
ESTABLISHED = 1

#: Seconds between two looks at how late the collector itself is.
BEAT = 0.1

#: Answers by kind. All other kinds answer nothing.
STATUSES = {
    "ok": 200,
    "no_content": 204,
    "chunked": 200,
    "closing": 202,
    "dribble": 200,
    "slow": 200,
    "forgetful": 200,
    "error_500": 500,
    "error_403": 403,
    "error_400": 400,
    "redirect_302": 302,
}
STORING = {"ok", "no_content", "chunked", "closing", "dribble", "slow", "stall_stored", "accept_then_die"}


@dataclass
class Request:
    """One upload as the collector saw it."""

    number: int
    kind: str
    ids: list[str]
    path: str
    at: float
    dry_run: bool
    #: Whether the answer was written to a connection that was still open.
    answered: bool = False
    #: When the answer was written, in seconds since the epoch.
    answered_at: float = 0
    #: What a header calls the batch, where a system does.
    batch_id: str | None = None
    #: The headers that say how the body was made: compression, encryption, format.
    coding: tuple = ()

    @property
    def status(self) -> int | None:
        return STATUSES.get(self.kind) if self.answered else None


@dataclass
class Ledger(Books):
    """The collector's books."""

    #: Uploads that were cut off before they were read.
    unread: int = 0
    config_fetches: list[str] = field(default_factory=list)
    #: Events that came once more, and those whose `_flush_time` was not a later one than the time before.
    repeats: int = 0
    repeats_of_same_time: int = 0
    events: dict[str, dict] = field(default_factory=dict)
    #: Requests that call their events instant, and names with what was said of them.
    instant_requests: int = 0
    instant_names: set[tuple[str, bool]] = field(default_factory=set)

    def acknowledged(self) -> set[str]:
        return {i for i in self.carried if any(200 <= status < 300 for status in self.statuses(i))}

    def write_receipts(self, path: Path) -> None:
        """One line for each copy held."""
        with open(path, "w", encoding="utf-8") as file:
            for identifier, count in self.copies.items():
                for copy in range(count):
                    file.write(json.dumps({"id": identifier, "copy": copy}) + "\n")


class Inspector:
    """Judges uploads and files them."""

    def __init__(self, ledger: Ledger, path: str):
        self.ledger, self.path = ledger, path
        self._digests: dict[str, bytes] = {}
        self._flush_times: dict[str, int] = {}
        self._versions: dict[str, str] = {}
        self._track_ids: set[tuple] = set()
        #: Events' names by whether the form calls them instant: in 4.9.1 an app says so of a name for good.
        self._names: dict[bool, set[str]] = {False: set(), True: set()}

    def take(self, kind: str, target: str, headers: dict[str, str], body: bytes) -> Request:
        ledger = self.ledger
        request = Request(len(ledger.requests), kind, [], target, time.time(), "dry-run" in headers)
        ledger.requests.append(request)
        try:
            batch = rules.decode(body)
            self._check_request(request, target, headers, batch)
            for event in batch.events:
                self._take_event(request, event)
        except (rules.WireError, ValueError, LookupError, TypeError, AttributeError) as error:
            # Whatever cannot be read is the sender's fault until proven otherwise.
            ledger.violations.append(f"request {request.number}: {type(error).__name__}: {error}")
        if kind in STORING and not request.dry_run:
            ledger.copies.update(request.ids)
        return request

    def _check_request(self, request: Request, target: str, headers: dict[str, str], batch: rules.Batch) -> None:
        def fail(text: str) -> None:
            self.ledger.violations.append(f"request {request.number}: {text}")

        version = rules.version_of(batch)
        if version and batch.escaping not in (None, version):
            fail(f"escaped as {batch.escaping} does, but of {version}")
        is_debug = target == self.path.replace("/sa", "/debug")
        if target != self.path and not is_debug:
            fail(f"path {target}")
        limit = 1 if is_debug else 50
        if not 1 <= len(batch.events) <= limit:
            fail(f"{len(batch.events)} events, at most {limit} allowed")
        wanted = {"user-agent": "SensorsAnalytics iOS SDK", "content-type": "application/x-www-form-urlencoded"}
        for name, text in wanted.items():
            if headers.get(name) != text:
                fail(f"{name}: {headers.get(name)!r}")
        if "content-encoding" in headers:
            fail("Content-Encoding")
        if request.dry_run and not is_debug:
            fail("Dry-Run outside debug mode")
        if batch.is_instant and version == rules.OLD:
            fail("instant_event of 1.10.17")
        names = {event.value["event"] for event in batch.events if "event" in event.value and not event.is_web}
        self._names[batch.is_instant] |= names if version == rules.NEW else set()
        self.ledger.instant_requests += batch.is_instant
        self.ledger.instant_names |= {(name, batch.is_instant) for name in names}
        if mixed := names & self._names[not batch.is_instant]:
            fail(f"{sorted(mixed)} with and without instant_event")

    def _take_event(self, request: Request, event: rules.Event) -> None:
        ledger, identifier = self.ledger, event.bs_id
        if identifier is None or not rules.BS_ID.match(identifier):
            ledger.violations.append(f"request {request.number}: bs_id {identifier!r} in {event.stable_text[:200]}")
            return
        if identifier in request.ids:
            ledger.violations.append(f"{identifier} twice in request {request.number}")
        request.ids.append(identifier)
        digest = hashlib.sha256(event.stable_text.encode()).digest()
        if identifier not in self._digests:
            self._digests[identifier] = digest
            ledger.events[identifier] = event.value
            self._check_new(event, identifier)
        else:
            if self._digests[identifier] != digest:
                first = json.dumps(ledger.events[identifier], ensure_ascii=False)
                ledger.violations.append(f"{identifier} changed: {first[:600]} became {event.stable_text[:600]}")
            ledger.repeats += 1
            ledger.repeats_of_same_time += event.flush_time <= self._flush_times[identifier]
        self._flush_times[identifier] = event.flush_time
        ledger.carried[identifier].append(request)

    def _check_new(self, event: rules.Event, identifier: str) -> None:
        device = identifier.split("-")[0]
        if not event.is_web:
            version = event.version
            if self._versions.setdefault(device, version) != version:
                self.ledger.violations.append(f"{identifier}: device {device} changed its version to {version}")
        version = self._versions.get(device)
        if version in (rules.OLD, rules.NEW):
            self.ledger.violations += rules.Checker(event, version).check()
        elif not event.is_web:
            self.ledger.violations.append(f"{identifier}: version {version!r} in lib")
        if "_track_id" in event.value:
            key = tuple(event.value.get(name) for name in ("distinct_id", "_track_id", "time", "event", "type"))
            if key in self._track_ids:
                self.ledger.violations.append(f"{identifier}: the same distinct_id, _track_id and time as another")
            self._track_ids.add(key)


class Connection(asyncio.Protocol):
    """One client's connection: requests one after another, each answered as the dice tells."""

    def __init__(self, collector: "ReferenceCollector"):
        self.collector = collector
        self.buffer = bytearray()
        self.head: tuple[str, str, dict[str, str], int] | None = None
        self.kind = ""
        self.busy = False
        self.closed = False

    def connection_made(self, transport) -> None:
        self.transport = transport
        self.collector.connections += 1
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connection_lost(self, error) -> None:
        self.closed = True

    def data_received(self, data: bytes) -> None:
        self.collector.heard += len(data)
        if self.busy:
            self.collector.ledger.violations.append(f"data before the answer: {bytes(data[:80])!r}")
            return
        self.buffer += data
        self._advance()

    def _advance(self) -> None:
        if self.head is None:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self._read_head(bytes(self.buffer[:end])):
                return
            del self.buffer[: end + 4]
        method, target, headers, length = self.head
        if len(self.buffer) < length:
            return
        body = bytes(self.buffer[:length])
        del self.buffer[:length]
        self.head, self.busy = None, True
        if self.buffer:
            self.collector.ledger.violations.append(f"data behind a request: {bytes(self.buffer[:80])!r}")
        if method == "GET":
            self._serve_config(target)
        else:
            self._answer(self.collector.inspector.take(self.kind, target, headers, body))

    def _read_head(self, text: bytes) -> bool:
        lines = text.decode("latin-1").split("\r\n")
        method, target, protocol = lines[0].split(" ")
        headers: dict[str, str] = {}
        for line in lines[1:]:
            name, _, content = line.partition(":")
            if name.lower() in headers:
                self.collector.ledger.violations.append(f"header {name} twice")
            headers[name.lower()] = content.strip()
        if protocol != "HTTP/1.1" or headers.get("host") != self.collector.host:
            self.collector.ledger.violations.append(f"{lines[0]!r} with Host {headers.get('host')!r}")
        self.head = method, target, headers, int(headers.get("content-length", 0))
        if method == "GET":
            return True
        if method != "POST" or "content-length" not in headers:
            self.collector.ledger.violations.append(f"{lines[0]!r} without a length")
        self.kind = self.collector.draw()
        if self.kind == "reset_unread":
            self.collector.ledger.unread += 1
            self._reset()
            return False
        return True

    def _reset(self) -> None:
        """Ends the connection with RST instead of FIN."""
        linger = struct.pack("ii", 1, 0)
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.transport.abort()

    def _serve_config(self, target: str) -> None:
        collector = self.collector
        collector.ledger.config_fetches.append(target)
        url = urllib.parse.urlsplit(target)
        if url.path != "/config/iOS.conf":
            collector.ledger.violations.append(f"GET {target}")
        version = collector.config["v"]
        if urllib.parse.parse_qs(url.query).get("v") == [version]:
            self._write(b"HTTP/1.1 304 Not Modified\r\n\r\n")
        else:
            body = json.dumps(collector.config).encode()
            self._write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (len(body), body)
            )
        self.busy = False

    def _write(self, data: bytes) -> bool:
        if self.closed or self.transport.is_closing() or self._was_left():
            return False
        self.transport.write(data)
        return True

    def _was_left(self) -> bool:
        """Whether the client has closed the connection, which the loop may not have seen yet: where the collector was
        late, nobody waits for the answer any more, and it is told to nobody."""
        information = self.transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
        return information[0] != ESTABLISHED

    def _answer(self, request: Request) -> None:
        kind, status = request.kind, STATUSES.get(request.kind)
        if kind == "reset":
            self._reset()
        elif kind == "accept_then_die":
            self.transport.close()
        elif kind == "slow":
            asyncio.get_running_loop().call_later(self.collector.slowness(), self._answer_plainly, request, 200)
        elif kind == "chunked":
            self._finish(
                request, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\nA: b\r\n\r\n"
            )
        elif kind == "closing":
            self._finish(request, b"HTTP/1.1 202 Accepted\r\nConnection: close\r\n\r\nuntil the end")
            self.transport.close()
        elif kind == "dribble":
            asyncio.get_running_loop().create_task(self._dribble(request))
        elif status is not None:
            self._answer_plainly(request, status)

    def _answer_plainly(self, request: Request, status: int) -> None:
        length = b"" if status == 204 else b"Content-Length: 2\r\n"
        extra = b"Location: /elsewhere\r\n" if status == 302 else b""
        body = b"" if status == 204 else b"{}"
        self._finish(request, b"HTTP/1.1 %d Any Reason\r\n%s%s\r\n%s" % (status, length, extra, body))

    async def _dribble(self, request: Request) -> None:
        """An answer in many small writes, after an informational one."""
        text = b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        for start in range(0, len(text) - 7, 7):
            self._write(text[start : start + 7])
            await asyncio.sleep(0.002)
        self._finish(request, text[(len(text) - 1) // 7 * 7 :])

    def _finish(self, request: Request, data: bytes) -> None:
        # The next request may be on its way before the answer's last byte has been noted.
        self.busy = False
        request.answered = self._write(data)
        request.answered_at = time.time()


class ReferenceCollector:
    """The collector in a thread of its own.

    `kinds` are the weights of what becomes of uploads; both they and `config` may be changed at any time.
    """

    #: Who speaks with one client.
    connection = Connection

    def __init__(self, seed: int, kinds: dict[str, int] | None = None, path: str = "/sa?project=default"):
        self.kinds = dict(kinds or CALM)
        self.config = {
            "v": "1",
            "configs": {
                "disableSDK": False,
                "disableDebugMode": False,
                "autoTrackMode": -1,
                "event_blacklist": [],
                "effect_mode": 0,
            },
        }
        self.ledger = Ledger()
        self.inspector = Inspector(self.ledger, path)
        self.connections = 0
        #: Bytes that came.
        self.heard = 0
        #: The longest time in seconds for which the collector could do nothing, although it had to.
        self.held_up = 0.0
        self.port = 0
        self._path = path
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}{self._path}"

    def draw(self) -> str:
        return self._random.choices(list(self.kinds), list(self.kinds.values()))[0]

    def slowness(self) -> float:
        return self._random.uniform(0.1, 0.8)

    def start(self, port: int = 0) -> "ReferenceCollector":
        self._wanted_port = port
        self._thread.start()
        self._ready.wait()
        return self

    def stop(self) -> Ledger:
        """Stops listening; the books are complete afterwards."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        return self.ledger

    async def _read_what_came(self) -> None:
        """What clients sent before the end belongs to the books, too: the loop may not have come to it yet. Each turn
        of the loop reads of every connection what there is."""
        quiet = 0
        # A new connection takes some turns from its acceptance to its first bytes.
        while quiet < 8:
            before = self.heard, self.connections
            await asyncio.sleep(0)
            quiet = quiet + 1 if (self.heard, self.connections) == before else 0

    def _beat(self, due: float) -> None:
        now = self._loop.time()
        self.held_up = max(self.held_up, now - due)
        self._loop.call_at(now + BEAT, self._beat, now + BEAT)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            self._loop.create_server(lambda: self.connection(self), "127.0.0.1", self._wanted_port, backlog=1024)
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._beat(self._loop.time())
        self._loop.run_forever()
        self._loop.run_until_complete(self._read_what_came())
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()


def tell(ledger: Ledger) -> None:
    print(
        f"{len(ledger.requests)} requests, {ledger.received} events, {ledger.unique} unique, "
        f"{len(ledger.violations)} violations"
    )
    for violation in ledger.violations[:50]:
        print(" ", violation)


def main() -> None:
    collect_by_hand(__doc__, lambda seed, calm: ReferenceCollector(seed, CALM if calm else ROUGH), tell)


if __name__ == "__main__":
    main()
