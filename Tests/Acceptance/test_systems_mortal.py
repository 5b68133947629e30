"""Live runs in which processes die all the time, all systems, against an independent collector: a death takes what a
system keeps in memory and nothing else."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import reference_collector as reference
import systems_rules as rules
from conftest import Tool
from helpers import assert_events_agree, by_device
from rough_days import RAN, RESTLESS, Played, play
from systems_collector import SENSORS, SystemsCollector, says_yes
from test_systems_ledger import VERSIONS, scenario

#: Crashes in the foreground, kills in the background.
MORTAL = RESTLESS | {"killAtBackgroundChance": 0.5, "crashChance": 0.3}
#: What GrowingIO writes through a buffer in memory; all other events are on the disk at once.
BUFFERED = {"VISIT", "PAGE", "VIEW_CLICK", "VIEW_CHANGE", "FORM_SUBMIT", "APP_CLOSED", "PAGE_ATTRIBUTES"}
#: Operations that wait in that buffer at most.
BUFFER = 99
#: 4.11.0 has no pages to speak of, and most of what its users do is custom events: of few devices it would be up to the
#: clock whether anything is in the buffer when they die.
DEVICES = {"growing-4-11-0": 80}
#: Requests that the codeless SDK waits for at most: ten of its queue, and one of what an exception left.
UNDER_WAY = 11


@pytest.fixture(scope="module")
def mortal(tmp_path_factory) -> Played:
    tool = Tool(tmp_path_factory.mktemp("mortal"))
    played = scenario() | {"name": "mortal", "duration": "12s", "drain": "8s", "personas": {"mortal": MORTAL}}
    for population in played["populations"]:
        population |= {"persona": "mortal", "devices": DEVICES.get(population["name"], 16)}
    yield play(tool, SystemsCollector(20260306, reference.ROUGH | {"slow": 20}).start(), played)
    tool.close()


def killed(played: Played, *populations: str) -> list[dict]:
    return [line for line in played.of(*populations) if (line["fate"], line["cause"]) == ("lost", "killed")]


def test_everything_on_the_wire_can_be_read(mortal: Played):
    assert not mortal.ledger.problems(), "\n".join(mortal.ledger.problems()[:40])


def test_the_books_balance(mortal: Played):
    assert_events_agree(mortal.report["events"], mortal.lines)
    by_device(mortal.lines)


@pytest.mark.parametrize("system", VERSIONS)
def test_delivered_is_what_a_living_process_was_told(mortal: Played, system: str):
    """A yes that nobody lived to read is no delivery; what is delivered had one."""
    said_yes = mortal.ledger.acknowledged(system)
    delivered = {line["id"] for line in mortal.of_system(system) if line["fate"] == "delivered"}
    if system == rules.KIT:
        assert 0 < len(delivered) <= len(said_yes)
    else:
        assert delivered and delivered <= said_yes, sorted(delivered - said_yes)[:20]


@pytest.mark.parametrize("population", ["sensors-4-9-1", "trackingsdk-document", "kit-1-0", "kit-document"])
def test_what_is_on_the_disk_at_once_survives(mortal: Played, population: str):
    assert not killed(mortal, population)


def test_what_waits_behind_an_upload_of_1_10_17_dies_unsent(mortal: Played):
    """Its one queue is blocked by the request; what waits in it was never a row, so nobody has seen it."""
    carried = mortal.ledger.books[SENSORS].carried
    for line in killed(mortal, "sensors-1-10-17"):
        assert line["id"] not in carried and line["attempts"] == 0, line


@pytest.mark.parametrize("population", ["growing-3-2-1", "growing-4-11-0"])
def test_growingio_loses_its_buffer(mortal: Played, population: str):
    """Never a custom event, never one that was sent, and never more than a buffer between two starts."""
    carried, dead = mortal.ledger.books[rules.GROWING].carried, killed(mortal, population)
    assert len(dead) > 2
    for line in dead:
        assert line["type"] in BUFFERED, line
        assert line["id"] not in carried and line["attempts"] == 0, line
    for lines in by_device(mortal.of(population)).values():
        together = 0
        for line in lines:
            together = 0 if line["type"] == "VISIT" else together + (line["cause"] == "killed")
            assert together <= BUFFER, line


def test_the_codeless_sdk_loses_a_process_whole_or_not_at_all(mortal: Played):
    """SIGKILL takes all that no answer has confirmed; an exception writes all of it to a file. A session lies in one
    process, so of its events that were not delivered all are lost, or none is. What dies with a yes on its way was in
    the requests that the process was waiting for, and of these there are never many."""
    mortal.expect_prompt()
    book, fates = mortal.ledger.books[rules.CODELESS], Counter()
    for lines in by_device(mortal.of_system(rules.CODELESS)).values():
        sessions: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            event = book.events.get(line["id"])
            if event:
                sessions.setdefault(event.value[3], []).append(number)
        for numbers in sessions.values():
            rest = [line for line in lines[min(numbers) : max(numbers) + 1] if line["fate"] != "delivered"]
            causes = {line["cause"] for line in rest}
            assert "killed" not in causes or causes == {"killed"}, rest
            fates["lost" if "killed" in causes else "kept"] += 1
            sent = [request for line in rest if line["cause"] == "killed" for request in book.carried.get(line["id"], [])]
            unread = {request.number for request in sent if says_yes(rules.CODELESS, request)}
            assert len(unread) <= UNDER_WAY, rest
    assert fates["lost"] > 0 and fates["kept"] > 3, fates


def test_the_audit_by_the_independent_books(mortal: Played):
    receipts = mortal.folder.parent / "receipts.ndjson"
    mortal.ledger.write_receipts(receipts)
    Tool(mortal.folder.parent).run("audit", mortal.folder, "--receipts", receipts).expect(*RAN)
    audit = json.loads((mortal.folder / "report.json").read_text())["audit"]
    books, delivered = mortal.ledger.books.values(), mortal.report["events"]["delivered"]
    held = sum(book.unique for book in books)
    assert (audit["received"], audit["unique"]) == (sum(book.received for book in books), held)
    assert (audit["confirmed"], audit["recovered"]) == (delivered, held - delivered)
    assert (audit["acked_not_found"], audit["unexpected"]) == (0, 0)
