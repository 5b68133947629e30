"""What the collectors that answer as a dice tells them, and the runs against them, have in common."""

from __future__ import annotations

import argparse
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable

import real_clock
from helpers import read_events, read_report, write_scenario

#: Users who come and go every few seconds and never lose their process.
RESTLESS = {
    "extends": "casual",
    "sessionLength": {"median": "2s", "sigma": 0.5},
    "returnChance": 1,
    "returnGap": {"min": "500ms", "max": "2s"},
    "actionGap": {"mean": "300ms"},
    "crashChance": 0,
    "killAtBackgroundChance": 0,
    "meanTimeToKill": "1000h",
    "signUpChance": 0.3,
    "loginChance": 0.3,
    "logoutChance": 0.2,
}
#: A generator that cannot keep up on a busy machine says so with 96; its books must be right all the same.
RAN = (0, 96)
#: Devices give an answer up after three seconds, and the slowest takes 0.8 of them: of a collector that was held up for
#: longer than this, in seconds, some yes may have come when nobody waited for it any more.
BEARABLE_HOLD_UP = 1


@dataclass
class Books:
    """What came, and what became of it."""

    requests: list = field(default_factory=list)
    #: Copies that were stored, by key: the id, else the natural key.
    copies: Counter = field(default_factory=Counter)
    #: Requests that carried a key, stored or not.
    carried: dict[str, list] = field(default_factory=lambda: defaultdict(list))
    violations: list[str] = field(default_factory=list)

    @property
    def unique(self) -> int:
        return len(self.copies)

    @property
    def received(self) -> int:
        return sum(self.copies.values())

    @property
    def duplicates(self) -> int:
        return self.received - self.unique

    def statuses(self, key: str) -> set[int]:
        """The statuses of all answers to requests with an event."""
        return {request.status for request in self.carried.get(key, ()) if request.status}


def collect_by_hand(text: str, make: Callable[[int, bool], Any], tell: Callable[[Any], None]) -> None:
    """Runs a collector until Ctrl-C. `make` gets the seed and whether it is to be calm, `tell` the books."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--port", type=int, default=8200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calm", action="store_true", help="answers 200 to everything")
    parser.add_argument("--receipts", type=Path, default=Path("receipts.ndjson"))
    options = parser.parse_args()
    collector = make(options.seed, options.calm).start(options.port)
    print(f"collecting on {collector.url}; Ctrl-C ends", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        ledger = collector.stop()
        ledger.write_receipts(options.receipts)
        tell(ledger)


@dataclass
class Played:
    """A run, and the two sets of books about it."""

    finished: Any
    folder: Path
    lines: list[dict]
    report: dict
    ledger: Any
    #: When the configuration changed, in ms since the epoch.
    switched_at: float = 0
    #: The longest time for which the collector was held up, in seconds.
    held_up: float = 0

    def expect_prompt(self) -> "Played":
        """For what is only so if somebody waited for each answer: where the collector was late, there is no result."""
        if self.held_up > BEARABLE_HOLD_UP:
            real_clock.inconclusive(f"the collector was held up for {self.held_up:.1f} s")
        return self

    def of(self, *populations: str) -> list[dict]:
        return [line for line in self.lines if line["population"] in populations]

    def of_system(self, system: str) -> list[dict]:
        return [line for line in self.lines if line["system"] == system]


def play(tool, collector, scenario: dict, switch_after: float = 0) -> Played:
    """Runs a scenario against a collector; turns the SDK off after some seconds, if asked to."""
    folder = tool.folder
    events = folder / "events.ndjson"
    target = ["--target", collector.url, "--out", folder / "run", "--events", events, "--no-color"]
    running = tool.start("run", write_scenario(folder, scenario), *target)
    switched_at = 0.0
    if switch_after:
        running.wait_until(lambda: collector.ledger.requests, "sent anything")
        time.sleep(switch_after)
        # Before it is there for anybody: some device may fetch it at once.
        switched_at = time.time() * 1000
        collector.config = {"v": "2", "configs": collector.config["configs"] | {"disableSDK": True}}
    finished = running.wait()
    finished.expect(*RAN)
    ledger = collector.stop()
    lines, report = read_events(events), read_report(folder / "run")
    return Played(finished, folder / "run", lines, report, ledger, switched_at, collector.held_up)
