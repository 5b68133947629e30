"""An independent collector for all systems: the plain sockets of the one for SensorsAnalytics, decoders of its
own for the others, and books for each system.

It answers as a seeded dice tells it. What a client takes for a yes differs: any 2xx, exactly 200 (TrackingSDK), or a
JSON object with `statusCode` 200 (Kit).

By hand:  python systems_collector.py --port 8200 --seed 1 --receipts got.ndjson
"""

from __future__ import annotations

import json
import time
import urllib.parse
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import reference_collector as reference
import sensors_rules
import systems_rules as rules
from rough_days import Books, collect_by_hand

SENSORS = "sensors"
SYSTEMS = (SENSORS, rules.GROWING, rules.TRACKING, rules.KIT, rules.CODELESS)
#: Kinds of answers whose body Kit takes for a yes.
JSON_ANSWERS = {"ok", "slow", "forgetful"}


@dataclass
class Book(Books):
    """What one system sent, and what became of it."""

    events: dict[str, rules.Event] = field(default_factory=dict)

    def types(self) -> Counter:
        return Counter(event.type for key, event in self.events.items() if key in self.copies)

    def causes(self) -> Counter:
        """Requests by what was done to them."""
        return Counter(request.kind for request in self.requests)


def says_yes(system: str, request: reference.Request) -> bool:
    """Whether the system's client takes the answer for success."""
    status = request.status
    if status is None:
        return False
    if system == rules.KIT:
        return status == 200 and request.kind in JSON_ANSWERS
    return status == 200 if system == rules.TRACKING else 200 <= status < 300


class SystemsLedger:
    """The books of all systems; also what a single connection finds wrong."""

    def __init__(self) -> None:
        self.books = {system: Book() for system in SYSTEMS}
        self.violations: list[str] = []
        self.config_fetches: list[str] = []
        self.unread = 0

    @property
    def requests(self) -> list[reference.Request]:
        return [request for book in self.books.values() for request in book.requests]

    def acknowledged(self, system: str) -> set[str]:
        """Keys of which a client was told that they arrived."""
        carried = self.books[system].carried.items()
        return {key for key, requests in carried if any(says_yes(system, request) for request in requests)}

    def problems(self) -> list[str]:
        own = [f"{name}: {text}" for name, book in self.books.items() for text in book.violations]
        return self.violations + own

    def write_receipts(self, path: Path) -> None:
        """One line for each copy held; what has no id is named by its content, a row of Kit's by log and line."""
        with open(path, "w", encoding="utf-8") as file:
            for system, book in self.books.items():
                for key, count in book.copies.items():
                    event = book.events[key]
                    named = {"id": event.bs_id} if event.bs_id else {"payload": event.value}
                    if system == rules.KIT and not event.bs_id:
                        named = {"payload": {"log": event.natural[0], "line": event.natural[1]}}
                    for copy in range(count):
                        file.write(json.dumps(named | {"copy": copy}) + "\n")


class SystemsInspector:
    """Files uploads, each under its system."""

    def __init__(self, ledger: SystemsLedger, paths: dict[str, str]):
        self.ledger, self.paths = ledger, paths
        self._number = 0

    def take(self, kind: str, target: str, headers: dict[str, str], body: bytes) -> reference.Request:
        request = reference.Request(self._number, kind, [], target, time.time(), "dry-run" in headers)
        request.batch_id = headers.get("x-events-id")
        request.coding = tuple(headers.get(name) for name in ("x-compress-codec", "x-crypt-codec", "content-type"))
        self._number += 1
        path = urllib.parse.urlsplit(target).path
        system = self.paths.get(path) or self._system(path)
        if system is None:
            self.ledger.violations.append(f"request {request.number}: path {target}")
            return request
        book = self.ledger.books[system]
        book.requests.append(request)
        try:
            batch = self._decode(system, target, headers, body)
        except Exception as error:  # whatever cannot be read is the sender's fault until proven otherwise
            book.violations.append(f"request {request.number}: {type(error).__name__}: {error}")
            return request
        book.violations += [f"request {request.number}: {problem}" for problem in batch.problems]
        for event in batch.events:
            self._file(book, request, event)
        if kind in reference.STORING and not request.dry_run:
            book.copies.update(request.ids)
        return request

    @staticmethod
    def _system(path: str) -> str | None:
        return SENSORS if path.endswith(("/sa", "/debug")) else rules.system_of(path)

    @staticmethod
    def _decode(system: str, target: str, headers: dict[str, str], body: bytes) -> rules.Batch:
        if system != SENSORS:
            return rules.decode(system, target, headers, body)
        batch = rules.Batch(SENSORS)
        for event in sensors_rules.decode(body).events:
            names = ("type", "distinct_id", "_track_id", "time", "event")
            natural = tuple(event.value.get(name) for name in names)
            batch.events.append(
                rules.Event(SENSORS, event.value["type"], event.bs_id, natural, event.value, event.stable_text)
            )
        return batch

    @staticmethod
    def _file(book: Book, request: reference.Request, event: rules.Event) -> None:
        key = event.key
        if event.bs_id is not None and not rules.BS_ID.match(event.bs_id):
            book.violations.append(f"request {request.number}: bs_id {event.bs_id!r}")
        if key in request.ids:
            book.violations.append(f"{key} twice in request {request.number}")
        request.ids.append(key)
        first = book.events.setdefault(key, event)
        if first.stable != event.stable:
            book.violations.append(f"{key} changed: {first.stable[:400]} became {event.stable[:400]}")
        book.carried[key].append(request)


class SystemsConnection(reference.Connection):
    """Answers Kit's clients in JSON, and serves the codeless SDK's rules."""

    def _answer_plainly(self, request: reference.Request, status: int) -> None:
        path = urllib.parse.urlsplit(request.path).path
        if not path.endswith(".do1") or status != 200:
            return super()._answer_plainly(request, status)
        body = b'{"statusCode":200}'
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        self._finish(request, head + body)

    def _serve_config(self, target: str) -> None:
        if urllib.parse.urlsplit(target).path != "/codeless/v1/config":
            return super()._serve_config(target)
        self.collector.ledger.config_fetches.append(target)
        body = json.dumps(self.collector.rules).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        self._write(head + body)
        self.busy = False


class SystemsCollector(reference.ReferenceCollector):
    """The collector in a thread of its own; `rules` are the codeless SDK's for business data."""

    connection = SystemsConnection

    def __init__(self, seed: int, kinds: dict[str, int] | None = None, paths: dict[str, str] | None = None):
        """`paths` are those of targets' own, with their systems."""
        super().__init__(seed, kinds)
        self.ledger = SystemsLedger()
        self.inspector = SystemsInspector(self.ledger, paths or {})
        self.rules: list[dict] = []

    @property
    def url(self) -> str:
        """The origin: each system knows its path."""
        return f"http://{self.host}"


def tell(ledger: SystemsLedger) -> None:
    for system, book in ledger.books.items():
        print(
            f"{system}: {len(book.requests)} requests, {book.unique} unique of {book.received} events, "
            f"{len(ledger.acknowledged(system))} acknowledged"
        )
    print(f"{len(ledger.problems())} violations", *ledger.problems()[:20], sep="\n")


def main() -> None:
    def make(seed: int, calm: bool) -> SystemsCollector:
        return SystemsCollector(seed, reference.CALM if calm else reference.ROUGH)

    collect_by_hand(__doc__, make, tell)


if __name__ == "__main__":
    main()
