"""What the shipped scenarios of faults say: see `shipped.py`."""

from __future__ import annotations

import statistics
from collections import Counter

from helpers import rows
from shipped import Played, scenario
from test_storage import check_oldest_first, evictions


@scenario("slow-collector")
class SlowCollector:
    def slow(run: Played):
        """Every answer takes around 3 s for two minutes (lognormal), then none comes at all for 40 s."""
        assert 2700 < run.mean(45, 150, "duration_p50_ms") < 3300
        assert run.mean(45, 150, "duration_p99_ms") > 3 * run.mean(45, 150, "duration_p50_ms")
        assert set(run.during(181, 220, "delivered_events")) == {0}
        assert max(run.during(220, 225, "delivered_events")) > 0

    def limits(run: Played):
        """1.10.17 has one request at a time, and events wait in memory behind it, where a kill loses them; 4.9.1 starts a
        new request with each flush and gives up after 30 s, 1.10.17 after 60 s."""
        assert run["sensors-4"].count("http_reqs") > 1.5 * run["sensors-1"].count("http_reqs")
        assert run["sensors-1"].events["lost"]["killed"] > 100 and run["sensors-4"].gone == 0
        # Who waits for longer than 30 s takes an answer that the other does not.
        longest = {name: run[name].metrics["http_req_duration"]["max"] for name in ("sensors-1", "sensors-4")}
        assert longest["sensors-4"] <= 30_000 < 38_000 < longest["sensors-1"] <= 60_000, longest
        alone = ["--set", "populations.1.devices=1", "--set", "timeline.0.for=1s", "--set", "populations.0.devices=200"]
        assert "timed_out" not in run.again(*alone).report["answers"]
        assert run.again(*alone, "--set", "timeline.1.for=65s").report["answers"]["timed_out"] > 20

    def look(run: Played):
        """Look at http_req_duration, at events.lost.killed of the two versions, and at the duplicates of requests that were
        answered too late."""
        assert run.all.metrics["http_req_duration"]["med"] > 1000
        assert run.report["answers"]["timed_out"] > 0 < run.audit["duplicates"]


@scenario("lost-replies", "--devices", "150")
class LostReplies:
    def third(run: Played):
        """For 90 s the collector stores every third batch and dies before it answers."""
        asked, failed = (sum(run.during(30, 120, column)) for column in ("requests", "failed_requests"))
        assert abs(failed / asked - 0.33) < 0.03
        assert run.report["answers"]["reset"] == failed == sum(run.during(0, 240, "failed_requests"))

    def same_rows(run: Played):
        """The devices cannot know: they send the same rows again, with the same ids and another _flush_time."""
        assert run.audit["duplicates"] == sum(line["attempts"] - 1 for line in run.lines) > 0
        assert run.audit["unique"] == run.all.captured and run.audit["unexpected"] == 0

    def nothing_is_lost(run: Played):
        """Nothing is lost; what the collector holds twice shows as duplicates, and what it holds though the device gave up
        shows as recovered."""
        assert run.all.delivered == run.all.captured
        broken_off = run.again("--duration", "100s", "--set", "drain=0s")
        assert broken_off.audit["recovered"] > 0 and broken_off.all.gone == 0

    def look(run: Played):
        """Look at audit.duplicates and retries, and check that the collector under test tells copies apart."""
        assert run.all.count("retries") == run.report["answers"]["reset"]
        assert run.audit["received"] == run.audit["unique"] + run.audit["duplicates"]


STATUSES = {400: 20, 413: 60, 429: 100, 403: 140, 404: 180, 500: 220, 503: 260}


@scenario("status-rules", "--devices", "100")
class StatusRules:
    def turns(run: Played):
        """Both versions meet the same answers in turn: 400, 413, 429, 403, 404, 500 and 503, for 20 s each with 20 s of
        peace between."""
        for begin in STATUSES.values():
            assert sum(run.during(begin, begin + 10, "failed_requests")) > 20, begin
            assert sum(run.during(begin + 10, begin + 20, "failed_requests")) > 20, begin
            assert run.during(begin, begin + 20, "failed_requests") == run.during(begin, begin + 20, "requests"), begin
            assert set(run.during(begin + 20, begin + 40, "failed_requests")) == {0}, begin
        assert set(run.report["answers"]) == {"200", *map(str, STATUSES)}

    def keeps(run: Played):
        """1.10.17 keeps its rows after every one of them."""
        assert run["sensors-1"].delivered == run["sensors-1"].captured
        # Each status met rows that came later: their flushes were all the status's.
        for begin in STATUSES.values():
            met = [line for line in run.of("sensors-1") if begin <= line["at"] < begin + 4 and line["attempts"] > 1]
            assert met, begin

    def deletes(run: Played):
        """4.9.1 keeps them after 403, 404 and 5xx only, and deletes what was answered with 400, 413 and 429 as if it had
        arrived."""
        lines = run.of("sensors-4")
        for status, begin in STATUSES.items():
            met = [line for line in lines if begin <= line["at"] < begin + 4]
            if status in (400, 413, 429):
                assert {line["fate"] for line in met} <= {"delivered", "rejected"}, status
                assert sum(line["cause"] == str(status) for line in met) > 0.9 * len(met), status
            else:
                assert {line["fate"] for line in met} == {"delivered"}, status
                assert sum(line["attempts"] > 1 for line in met) > 0.9 * len(met), status

    def look(run: Played):
        """Look at events.rejected of each population: zero on the left; 400, 413 and 429 on the right."""
        assert run["sensors-1"].of("rejected") == {} and set(run["sensors-4"].of("rejected")) == {"400", "413", "429"}


@scenario("storage-eviction", "--devices", "6")
class StorageEviction:
    def down(run: Played):
        """1200 clients start with 9950 rows in a store of 10000, and the collector is down from the first second to the
        last."""
        assert run.asked_devices == 1200
        assert all(population["sdk"] == {"storage": {"prefill": 9950}} for population in run.scenario["populations"])
        assert run.all.delivered == 0 and set(run.report["answers"]) == {"refused"}

    def hundreds(run: Played):
        """Every store runs full: the SDK deletes the 100 oldest rows at a time, so evictions come in multiples of 100 per
        device."""
        for name in ("sensors-1", "sensors-4"):
            for lines in run.devices(name):
                evicted = sum(line["fate"] == "evicted" for line in lines)
                assert evicted >= 100 and evicted % 100 == 0
                check_oldest_first(lines, evicted)

    def caps(run: Played):
        """1.10.17 checks before the insert and reaches 10000 rows, 4.9.1 stays at 9999."""
        for name, version, cap in (("sensors-1", "1.10.17", 10_000), ("sensors-4", "4.9.1", 9_999)):
            for lines in run.devices(name):
                evicted = sum(line["fate"] == "evicted" for line in lines)
                assert evicted == evictions(len(lines), 10_000, 100, version)
                assert len(lines) - evicted <= cap
        # Where the numbers of rows would tell: one insert makes the difference.
        for version, cap in (("1.10.17", 10_000), ("4.9.1", 9_999)):
            assert evictions(cap, 10_000, 100, version) == 0 and evictions(cap + 1, 10_000, 100, version) == 100
            full = run.again(
                "--set", f"populations.0.version={version}", "--set", "populations.0.devices=60",
                "--set", f"populations.0.sdk.storage.prefill={cap - 50}",
            )  # fmt: skip
            assert {
                len(lines) - sum(line["fate"] == "evicted" for line in lines) <= cap
                for lines in full.devices("sensors-1")
            } == {True}

    def look(run: Played):
        """Look at events.evicted.storage_limit of each population; what is still stored at the end is pending, not lost. A
        live run in which an upload gets through all the same has failed."""
        assert run.scenario["expect"] == "nothing delivered"
        for name in ("sensors-1", "sensors-4"):
            part = run[name]
            assert part.of("lost") == part.of("rejected") == {}
            assert part.captured == part.events["evicted"]["storage_limit"] + part.events["pending"]["stored"]

    def comes_back(run: Played):
        """With --set timeline.0.for=2m the collector comes back: simulate it, and look at how long 12 million rows take to
        leave (live, add --set expect=delivery)."""
        back = run.again("--set", "timeline.0.for=2m")
        assert back.all.of("pending") == {} and back.all.delivered > 0
        assert run.asked_devices * 10_000 == 12_000_000
        for name, version in (("sensors-1", "1.10.17"), ("sensors-4", "4.9.1")):
            for lines in back.devices(name):
                first = min(line["acked_at"] for line in lines if line["acked_at"])
                captured = sum(line["captured_at"] < first for line in lines)
                evicted = sum(line["fate"] == "evicted" for line in lines)
                assert evicted == evictions(captured, 10_000, 100, version)


@scenario("debug-mode")
class DebugMode:
    def cost(run: Played):
        """What shipping an app in debug mode costs: one request per event, and every HTTP answer deletes its event, the
        503s between 28 s and 38 s included."""
        for name in ("debug-track", "debug-only"):
            assert run[name].count("http_reqs") == run[name].captured
            lines = run.of(name)
            assert {line["attempts"] for line in lines} == {1}
            assert {line["cause"] for line in lines if 28.1 < line["at"] < 37.9} == {"503"}
            assert {line["fate"] for line in lines if not 27.9 < line["at"] < 38.1} == {"delivered"}

    def third(run: Played):
        """The third population does the same with debug mode off and keeps its rows."""
        assert run["debug-off"].delivered == run["debug-off"].captured
        assert run["debug-off"].failed_share > 0.1 and run["debug-off"].count("retries") > 0

    def look(run: Played):
        """Look at http_reqs against events, at batch_size, and at events.rejected.503 of the two in debug mode."""
        assert run["debug-off"].count("http_reqs") < 0.2 * run["debug-off"].captured
        assert run["debug-track"].metrics["batch_size"]["max"] == run["debug-only"].metrics["batch_size"]["max"] == 1
        assert set(run["debug-track"].of("rejected")) == set(run["debug-only"].of("rejected")) == {"503"}

    def dry_run(run: Played):
        """debugOnly asks the collector not to store (Dry-Run), so its events show as dry_run in the audit."""
        assert run.audit["dry_run"] == run["debug-only"].delivered
        assert run.audit["confirmed"] == run["debug-track"].delivered + run["debug-off"].delivered


@scenario("remote-config-kill-switch")
class KillSwitch:
    def switched(run: Played):
        """After two minutes the collector serves disableSDK."""
        silent = [line for line in run.lines if line["cause"] == "sdk_disabled"]
        assert silent and min(line["at"] for line in silent) >= 120

    def obey(run: Played):
        """Devices fetch it the next time they come to the foreground, obey it from the start after that (4.9.1 with
        effect_mode 1 at once), and fall silent: users come back every few seconds here, and 4.9.1 may ask at every start
        instead of every 24 to 48 hours."""
        first = {name: [_first_silent(lines) for lines in run.devices(name)] for name in ("sensors-1", "sensors-4")}
        assert None not in first["sensors-1"] + first["sensors-4"]
        # From a start on, or in the middle of what the user does.
        assert {line["name"] for line in first["sensors-1"]} == {"$AppStart"}
        assert Counter(line["name"] for line in first["sensors-4"])["$AppStart"] < 0.1 * len(first["sensors-4"])
        at = {name: statistics.median(line["at"] for line in lines) - 120 for name, lines in first.items()}
        assert 5 < at["sensors-4"] < 30 and 1.5 * at["sensors-4"] < at["sensors-1"] < 60, at
        starts = sum(line["name"] == "$AppStart" for line in run.of("sensors-4"))
        assert abs(run["sensors-4"].count("config_fetches") / starts - 1) < 0.02

    def back(run: Played):
        """After five minutes the switch goes back."""
        late = [line for line in run.lines if line["at"] > 390]
        assert late and not any(line["fate"] == "suppressed" for line in late)
        assert min(line["at"] for line in late) < 480

    def look(run: Played):
        """Look at events.suppressed.sdk_disabled, at how long the fleet takes to fall silent and to come back, and at the
        population that never asks."""
        assert run["sensors-1"].of("suppressed").keys() == run["sensors-4"].of("suppressed").keys() == {"sdk_disabled"}
        # All of it, within two minutes, both ways.
        between = [line for line in run.of("sensors-1") + run.of("sensors-4") if 200 < line["at"] < 300]
        assert between and all(line["fate"] == "suppressed" for line in between)
        assert run["never-asks"].count("config_fetches") == 0 == len(run["never-asks"].of("suppressed"))
        assert run["never-asks"].delivered == run["never-asks"].captured > 0


def _first_silent(lines: list[dict]) -> dict | None:
    return next((line for line in lines if line["fate"] == "suppressed"), None)


@scenario("captive-portal", "--devices", "120")
class CaptivePortal:
    def fifth(run: Played):
        """For a minute, a fifth of the uploads meet a captive portal: a page of HTML instead of the collector."""
        assert abs(run.report["answers"]["302"] / sum(run.during(120, 180, "requests")) - 0.2) < 0.05
        page = run.report["unexpected_answers"][0]
        assert page["status"] == 302 and "text/html" in page["headers"]

    def swallowed(run: Played):
        """First it answers 200, which both versions take for success: they delete the rows, and the events are gone without
        anybody's notice."""
        early = [line for line in run.lines if line["at"] < 105]
        assert {line["fate"] for line in early} == {"delivered"} and {line["attempts"] for line in early} == {1}

    def unseen(run: Played):
        """They count as delivered, events_lost stays 0, and only the audit knows them: audit.swallowed is above 0 and
        audit.confirmed falls short of events.delivered by as much."""
        early = run.again("--duration", "2m")
        assert early.all.gone == 0 and early.all.metrics["events_lost"]["rate"] == 0
        for each in (run, early):
            assert each.audit["swallowed"] == each.all.delivered - each.audit["confirmed"] > 0
        asked = sum(run.during(30, 90, "delivered_events"))
        assert abs(run.audit["swallowed"] / asked - 0.2) < 0.05

    def redirected(run: Played):
        """Then it answers 302, as portals should: 1.10.17 keeps the rows, 4.9.1 deletes them (events.rejected.302), so that
        only one of the two loses anything."""
        assert run["sensors-1"].gone == 0 < run["sensors-1"].count("retries")
        assert set(run["sensors-4"].of("rejected")) == {"302"} and run["sensors-4"].count("retries") == 0


@scenario("lossy-clients", "--devices", "200")
class LossyClients:
    def minutes(run: Played):
        """Bad networks on the clients' side, which works against any target: a tenth of the requests leave around 2 s late
        all the time; in the second minute a twentieth never leave, and the SDK waits until its limit; in the third, a
        quarter of the devices have their connections reset in the middle of each request; in the fourth, a fifth of all
        requests are delivered whole and their answers get lost, half of those without a sign."""
        assert all("collector" not in entry for entry in run.scenario["timeline"])
        assert 1500 < run["sensors-4"].metrics["http_req_duration"]["p(95)"] < 3000
        assert run["sensors-4"].metrics["http_req_duration"]["p(90)"] > 1000 > 10 > run.all.metrics["http_req_duration"]["med"]
        answers = run.report["answers"]
        assert set(answers) == {"200", "reset", "timed_out"}
        # Both limits end requests of the second minute; a device meets resets in every request of the third.
        failed = {name: run[name].failed_share for name in ("sensors-1", "sensors-4")}
        assert all(0.03 < share < 0.3 for share in failed.values()), failed
        reset = [line for line in run.lines if 121 < line["at"] < 160 and line["attempts"] > 2]
        assert abs(len({line["device"] for line in reset}) / 200 - 0.25) < 0.1

    def twice(run: Played):
        """Nothing is lost, for the rows stay until an answer says otherwise, but every lost answer makes a batch arrive
        twice."""
        assert run.all.delivered == run.all.captured and run.audit["duplicates"] > 0

    def look(run: Played):
        """Look at audit.duplicates and events_duplicated, which come from the fourth minute alone, at the failures reset and
        timed_out, and at the two versions' freshness: behind a request without an answer 1.10.17 waits for a minute,
        4.9.1 sends the next beside it."""
        assert run.again("--duration", "3m").audit["duplicates"] == 0
        assert run.all.count("events_duplicated") == run.audit["duplicates"]
        assert min(run.report["answers"][name] for name in ("reset", "timed_out")) > 50
        old, new = (run[name].metrics["event_freshness"] for name in ("sensors-1", "sensors-4"))
        assert old["p(95)"] > 1.3 * new["p(95)"] and old["max"] > 60_000


@scenario("device-disk")
class DeviceDisk:
    def disks(run: Played):
        """200 clients with a real SQLite file each, and disks that fail."""
        assert run.asked_devices == run.report["devices_started"] == 200
        assert {population["sdk"]["storage"]["backend"] for population in run.scenario["populations"]} == {"sqlite"}

    def shares(run: Played):
        """From 30 s to 75 s the disks of 40 % of the devices are full; at 100 s the files of 10 % are damaged for good."""
        full, damaged = _hit(run, "sensors-1", 30, 75), _hit(run, "sensors-1", 76, 121) | _hit(run, "sensors-4", 76, 100)
        assert abs(len(full) - 40) <= 12 and abs(len(damaged) - 20) <= 12, (len(full), len(damaged))
        # Between the two nothing is lost but what waited in files that broke at 100 s.
        assert not _hit(run, "sensors-1", 76, 84)

    def full(run: Played):
        """A full disk refuses every write, deletions too: 1.10.17 drops what it captures meanwhile (lost.storage_error) and
        sends rows that it could not delete again with the next flush; 4.9.1 keeps new events in memory (lost.killed if
        the process dies) and sends rows that it can neither mark nor delete up to 41 times a flush: look at
        audit.duplicates."""
        old, new = (
            [line for line in run.of(name) if 31 < line["at"] < 74] for name in ("sensors-1", "sensors-4")
        )
        assert any(line["cause"] == "storage_error" for line in old)
        assert not any(line["fate"] == "lost" for line in new)
        # One device of each version, whose disk is full from the first row on: three flushes in 45 s.
        alone = run.again("--devices", "2", "--set", "timeline.0.share=1", "--set", "timeline.1.share=0")
        peace = run.again("--devices", "2", "--set", "timeline.0.share=0", "--set", "timeline.1.share=0")
        more = {
            name: alone[name].count("http_reqs") - peace[name].count("http_reqs") for name in ("sensors-1", "sensors-4")
        }
        assert 2 * 40 <= more["sensors-4"] <= 4 * 40 and -3 <= more["sensors-1"] <= 3, more
        assert alone.audit["duplicates"] > 1000 and peace.audit["duplicates"] == 0 < run.audit["duplicates"]
        killed = run.again(
            "--set", 'personas={"mortal": {"extends": "micro", "returnChance": 0, "killAtBackgroundChance": 1}}',
            "--set", "populations.1.persona=mortal", "--set", "timeline.0.at=0s", "--set", "timeline.0.share=1",
            "--set", 'timeline.1.share=0', "--set", "populations.1.sdk.upload.onBackground=false",
        )  # fmt: skip
        assert set(killed["sensors-4"].of("lost")) == {"killed"}

    def damaged(run: Played):
        """A damaged file is never repaired by either version: its rows are lost, 1.10.17 loses everything from then on,
        4.9.1 lives from memory."""
        broken = {name: _hit(run, name, 76, 100) for name in ("sensors-1", "sensors-4")}
        assert broken["sensors-1"] and broken["sensors-4"]
        after = {
            name: {line["fate"] for line in run.of(name) if line["device"] in devices and line["at"] > 100.1}
            for name, devices in broken.items()
        }
        assert after == {"sensors-1": {"lost"}, "sensors-4": {"delivered"}}

    def kept(run: Played):
        """With --keep-stores DIR the files stay, and sqlite3 DIR/device-0.sqlite 'SELECT content FROM dataCache' shows what a
        device had left."""
        folder = run.folder / "stores"
        run.again("--keep-stores", str(folder), "--duration", "20s", "--set", "drain=0s", "--set", "timeline=[]")
        assert len(rows(folder / "device-0.sqlite", "SELECT content FROM dataCache")) > 0
        assert len(list(folder.glob("device-*.sqlite"))) == 200

    def memory(run: Played):
        """With --set populations.0.sdk.storage.backend=memory (and of populations.1) the ledger is the same."""
        memory = run.again(
            "--set", "populations.0.sdk.storage.backend=memory", "--set", "populations.1.sdk.storage.backend=memory"
        )
        assert memory.all.events == run.all.events
        assert memory.report["fingerprint"] == run.report["fingerprint"]


def _hit(run: Played, population: str, begin: float, end: float) -> set[int]:
    """The devices that lost events of a time."""
    return {line["device"] for line in run.of(population) if begin < line["at"] < end and line["fate"] == "lost"}
