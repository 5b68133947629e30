"""What the shipped scenarios of single systems say: see `shipped.py`."""

from __future__ import annotations

import json
import statistics
from collections import Counter

from shipped import Played, scenario, seconds

DAY = 86_400_000
#: Of the scenarios that begin at a local time.
CHINA = 8 * 3_600_000


def day(time: float) -> int:
    """The number of a local day."""
    return int((time + CHINA) // DAY)


@scenario("systems/sensors")
class Sensors:
    def shapes(run: Played):
        """SensorsAnalytics for iOS in its three shapes: 1.10.17, 4.9.1 and the published text."""
        versions = [population["version"] for population in run.scenario["populations"]]
        assert versions == ["1.10.17", "4.9.1", "document"]

    def users(run: Played):
        """300 users each use the shop for five minutes; in between the collector answers 400 for ten seconds and 503 for
        twenty."""
        assert {population["devices"] for population in run.scenario["populations"]} == {300}
        assert run.report["devices_started"] == 900 and 295 < max(line["at"] for line in run.lines) <= 300
        for begin, end in ((60, 70), (120, 140)):
            assert run.during(begin, end, "failed_requests") == run.during(begin, end, "requests")
            assert sum(run.during(begin, end, "requests")) > 50
        assert sum(run.during(0, 400, "failed_requests")) == run.report["answers"]["400"] + run.report["answers"]["503"]

    def rules(run: Played):
        """1.10.17 and the text keep everything below 300 as sent and all else in the store; 4.9.1 drops what was answered
        with 400 (rejected) and keeps what was answered with 503."""
        for name in ("sensors-1", "sensors-text"):
            assert run[name].gone == 0 and run[name].count("retries") > 100
        assert set(run["sensors-4"].of("rejected")) == {"400"} and run["sensors-4"].gone > 100
        assert run["sensors-4"].count("retries") > 50

    def look(run: Played):
        """Look at the populations side by side."""
        assert run["sensors-4"].metrics["events_lost"]["rate"] > 0.02
        assert run["sensors-1"].metrics["events_lost"]["rate"] == run["sensors-text"].metrics["events_lost"]["rate"] == 0


@scenario("systems/kit", "--devices", "200")
class Kit:
    def archive(run: Played):
        """KitAnalysisOfUserBehavior writes a log per day and sends the finished days as one archive when the app is started
        on a later one."""
        sent = [line for line in run.lines if line["acked_at"]]
        assert sent and all(day(line["acked_at"]) > day(line["captured_at"]) for line in sent)
        starts = {(line["device"], line["captured_at"]) for line in run.lines if line["type"] == "0"}
        # A start is a row of the day on which the archive leaves; the answer comes 1 ms to 5 s after it.
        late = sent[:2000]
        assert all(
            any((line["device"], line["acked_at"] - wait) in starts for wait in (0, 1, 5000, 5001))
            for line in late
            if line["acked_at"] % 1 == 0
        )

    def codes(run: Played):
        """A week of 500 users with the codes of the real source, beside 500 with those of the published text; on the third
        day the collector answers 503 from 8 to 20 o'clock (local time)."""
        assert [population["devices"] for population in run.scenario["populations"]] == [500, 500]
        assert {line["type"] for line in run.of("kit-source")} <= {"0", "1", "2", "3", "100", "101", "102", "103"}
        assert {"105"} <= {line["type"] for line in run.of("kit-document")} and "103" in {
            line["type"] for line in run.of("kit-source")
        }
        refused = [answer for answer in run.report["unexpected_answers"] if answer["status"] == 503]
        hours = {((answer["at"] + CHINA) % DAY) / 3_600_000 for answer in refused}
        assert refused and all(8 <= hour < 20 for hour in hours), hours
        acked = [line["acked_at"] for line in run.lines if line["acked_at"]]
        third = day(min(line["captured_at"] for line in run.lines)) + 3
        assert not [time for time in acked if day(time) == third and 8 <= ((time + CHINA) % DAY) / 3_600_000 < 20]

    def look(run: Played):
        """Simulate it: look at freshness in hours and days, at what is stored at the end (today's log never leaves today),
        at duplicates after lost replies on the fifth day, and at lost/cleared_unsent: a notification just before the
        sixth midnight makes many apps start, their archives take 5 s, and the day that ends meanwhile is deleted
        unsent."""
        freshness = run.all.metrics["event_freshness"]
        assert freshness["med"] > 12 * 3_600_000 and freshness["max"] > 3 * DAY
        today = day(max(line["captured_at"] for line in run.lines))
        assert {line["fate"] for line in run.lines if day(line["captured_at"]) == today} == {"pending"}
        assert run.audit["duplicates"] > 0
        peaceful = run.again("--set", "timeline.1.share=0")
        assert peaceful.audit["duplicates"] < 0.2 * run.audit["duplicates"]
        lost = [line for line in run.lines if line["fate"] == "lost"]
        assert lost and {line["cause"] for line in lost} == {"cleared_unsent"}
        assert {day(line["captured_at"]) for line in lost} == {today - 1}

    def prefill(run: Played):
        """A live run of minutes sends only what "prefill" gave the devices."""
        short = run.again("--duration", "10m", "--set", "populations.0.arrival.over=1m", "--set", "populations.1.arrival.over=1m")
        assert short.all.delivered == 200 * 20 < short.all.captured


@scenario("systems/mixed")
class Mixed:
    def fleet(run: Played):
        """One collector for a fleet of all five systems: the same shop and the same users, three minutes long, with an
        outage of 20 s and a minute in which a tenth of all answers is lost."""
        populations = run.scenario["populations"]
        assert len({population["system"] for population in populations}) == 5
        assert {(population["app"], population["persona"]) for population in populations} == {("shop", "casual")}
        assert set(run.during(60, 80, "delivered_events")) == {0}
        lost = sum(run.during(100, 160, "failed_requests")) / sum(run.during(100, 160, "requests"))
        assert abs(lost - 0.1) < 0.03

    def paths(run: Played):
        """Each system has its own path at the target's origin."""
        assert "target" not in run.scenario and run.audit["undecodable"] == 0
        assert all(run[population["name"]].delivered > 0 for population in run.scenario["populations"])

    def look(run: Played):
        """Look at the populations side by side: who delivers within seconds, who holds events back until the next start (Kit
        sends what it wrote on days before the run), who sends copies, who loses what with a killed process."""
        ages = {
            name: statistics.median(
                line["acked_at"] - line["captured_at"] for line in run.of(name) if line["acked_at"]
            )
            for name in (population["name"] for population in run.scenario["populations"])
        }
        assert ages["trackingsdk"] < 10 and all(age < 15_000 for name, age in ages.items() if name != "kit")
        assert ages["kit"] > 3_600_000 and run["kit"].delivered == 100 * 20
        copies = {name for name in ages if any(line["attempts"] > 1 for line in run.of(name))}
        assert copies == set(ages) - {"kit", "codeless"}
        killed = {name for name in ages if "killed" in run[name].of("lost")}
        assert killed == {"codeless"}


@scenario("systems/trackingsdk-clear")
class TrackingClear:
    def beside(run: Played):
        """TrackingSDK as its text prints it, beside the same SDK with one line corrected."""
        assert run.asked("as-printed")["sdk"] == {"clear": "all"}
        assert run.asked("corrected")["sdk"] == {"clear": "sent-only"}

    def whole_file(run: Played):
        """Every event uploads the whole file, and an answer of 200 removes the whole file: what came while the request was on
        its way goes with it."""
        for name in ("as-printed", "corrected"):
            assert run[name].count("http_reqs") == run[name].captured
        assert run["as-printed"].events["lost"]["cleared_unsent"] > 0

    def accident(run: Played):
        """Most of that is saved by accident, because each event began a request of its own."""
        assert run["as-printed"].gone < 0.05 * run["as-printed"].captured
        slow_alone = run.again("--set", "timeline.1.share=0")
        assert slow_alone["as-printed"].gone == 0

    def lost(run: Played):
        """When some answers are slow and some requests fail, as here, it is not: look at lost/cleared_unsent of the first
        population against 0 of the second ("clear": "sent-only")."""
        lost = [line for line in run.of("as-printed") if line["fate"] == "lost"]
        assert len(lost) > 1000 and {line["cause"] for line in lost} == {"cleared_unsent"}
        assert all(60 <= line["at"] < 245 for line in lost) and run["corrected"].gone == 0

    def again(run: Played):
        """Both send events again and again (events_duplicated), since concurrent requests carry the same ones, and both send
        everything with every event during the outage."""
        assert run.all.count("events_duplicated") == run.audit["duplicates"] > 10_000
        for name in ("as-printed", "corrected"):
            # An event every two seconds: who came first in the minute of outage travelled with all that followed.
            first = [line["attempts"] for line in run.of(name) if 361 < line["at"] < 366]
            assert statistics.median(first) > 25, (name, Counter(first))
            assert set(run.during(361, 419, "delivered_events")) == {0}


@scenario("systems/growing", "--devices", "60")
class Growing:
    def stores(run: Played):
        """GrowingIO writes custom events to disk one by one, and all others through a buffer of a hundred operations in
        memory."""
        lost = Counter(line["type"] for line in run.lines if line["fate"] == "lost")
        assert lost and set(lost) <= {"VISIT", "PAGE", "VIEW_CLICK", "VIEW_CHANGE", "FORM_SUBMIT", "APP_CLOSED"}, lost

    def day(run: Played):
        """A day of 300 users of each version (the text's own without LZ4 and XOR, which its ENABLE_ENCRYPTION switches
        off), with an outage of an hour, an hour in which 413 answers everything (the head of
        each channel stalls, for no batch is ever split or skipped) and an hour in which half of the answers get lost
        (what was stored travels again)."""
        assert [population["devices"] for population in run.scenario["populations"]] == [300, 300, 300]
        start = min(line["captured_at"] for line in run.lines) / 1000
        acked = [line["acked_at"] / 1000 - start for line in run.lines if line["acked_at"]]
        for begin in (3, 6):
            assert not [time for time in acked if begin * 3600 + 60 < time < (begin + 1) * 3600 - 60], begin
        assert run.all.of("rejected") == {} and run.report["answers"]["413"] > 100
        copies = [line for line in run.lines if 9 * 3600 <= line["at"] < 10 * 3600 and line["attempts"] > 1]
        assert copies and run.audit["duplicates"] > 0
        assert run.again("--duration", "9h").audit["duplicates"] == 0

    def killed(run: Played):
        """Simulate it: lost/killed is what waited in a buffer when the app crashed, a few events at a time and never a custom
        one; pending/stored is what short sessions leave behind until the next start, because entering the background
        sends nothing."""
        lost = [line for line in run.lines if line["fate"] == "lost"]
        assert {line["cause"] for line in lost} == {"killed"} and "CUSTOM" not in {line["type"] for line in lost}
        by_crash = Counter((line["device"], int(line["at"] // 60)) for line in lost)
        assert statistics.median(by_crash.values()) < 20 and max(by_crash.values()) < 100
        closed = [line["acked_at"] - line["captured_at"] for line in run.lines if line["type"] == "APP_CLOSED" and line["acked_at"]]
        # No answer comes in the moment of leaving; what the timers do not catch waits for a start.
        assert statistics.median(closed) > 60_000 and run.all.events["pending"]["stored"] > 0


@scenario("systems/growing-custom-sdk", "--devices", "150")
class GrowingCustomSDK:
    def example(run: Played):
        """The custom SDK of GrowingIO's text: its example 3.2 adds the events vst, activate and reengage with two channels of
        their own (v3/{account}/ios/pv and app/{account}/ios/ctvt, the second protocol: short names, always compressed and
        encrypted), its interceptors keep a copy of every event that was built (example 3.1: copy-own.ndjson in the run's
        folder), set an attribute, and drop what must not leave the phone; Snappy stands in the place of LZ4."""
        sent = Counter(line["type"] for line in run.lines if line["fate"] == "delivered")
        assert min(sent[name] for name in ("vst", "activate", "reengage")) > 10 and run.audit["undecodable"] == 0
        channels = [channel["urlTemplate"] for channel in run.asked("custom-sdk")["sdk"]["channels"]]
        assert channels == ["v3/%@/ios/pv", "app/%@/ios/ctvt"]
        copies = [json.loads(line) for line in (run.folder / "copy-own.ndjson").read_text().splitlines()]
        assert len(copies) == sum(line["fate"] != "suppressed" for line in run.lines)
        stages = {copy.get("attributes", {}).get("stage") for copy in copies if copy.get("eventType") == "CUSTOM"}
        assert stages == {"beta"}
        clicks = Counter(line["fate"] for line in run.lines if line["type"] == "VIEW_CLICK")
        assert abs(clicks["suppressed"] / clicks.total() - 0.2) < 0.03 and "VIEW_CHANGE" not in sent
        assert {"X-Compress-Codec: 2", "X-Crypt-Codec: 1"} <= set(run.sample().splitlines())

    def source(run: Played):
        """(The source's version, 3.2.1, sends all channels to v3/projects/{account}/collect, whatever their templates say.)"""
        source = run.again("--set", "populations.0.version=3.2.1", "--duration", "10m", "--set", "timeline=[]")
        assert {line["type"] for line in source.lines if line["fate"] == "delivered"} >= {"vst", "activate"}
        assert source.audit["undecodable"] == 0

    def refused(run: Played):
        """For a quarter of an hour 413 answers everything: all answers go through the event manager, so every channel keeps
        its events and tries the head of its store again at each tick, and nothing is lost."""
        assert run.all.gone == 0 and run.report["answers"]["413"] > 1000
        assert set(run.during(1801, 2699, "delivered_events")) == {0}
        tries = Counter()
        for line in run.lines:
            if 1800 < line["at"] < 2000:
                tries[line["type"]] = max(tries[line["type"]], line["attempts"])
        assert all(tries[name] > 20 for name in ("vst", "CUSTOM", "PAGE")), tries


@scenario("systems/codeless", "--devices", "200")
class Codeless:
    def memory(run: Played):
        """The codeless SDK keeps events in memory first: ten of them or thirty seconds make a part, a part that failed stays in
        memory, and only an end with notice or an exception writes a file."""
        assert run["as-published"].metrics["batch_size"]["p(90)"] == 10
        quiet = [line for line in run.of("as-published") if 7200 <= line["at"] < 9000 and line["acked_at"]]
        soon = sum(line["acked_at"] - line["captured_at"] < 31_000 for line in quiet)
        assert soon > 0.9 * len(quiet)
        failed = _outage(run, "as-published")
        waits = [line["acked_at"] - line["captured_at"] for line in failed if line["fate"] == "delivered"]
        # Nothing but a file brings back what failed, and a file leaves with a start or a change of state.
        assert 0 < len(waits) < 0.5 * len(failed) and {line["fate"] for line in failed} == {"delivered", "lost", "pending"}

    def readers(run: Played):
        """Twelve hours of 400 readers of an app that reads articles aloud as the text has it, beside 400 whose failed parts are
        tried again and whose files keep their eventsID."""
        assert [population["devices"] for population in run.scenario["populations"]] == [400, 400]
        assert run.asked("corrected")["sdk"] == {"retryFailedParts": True, "persistEventsID": True}
        assert "sdk" not in run.asked("as-published")
        again = [line["attempts"] for line in _outage(run, "corrected") if line["fate"] == "delivered"]
        assert len(again) > 0.7 * len(_outage(run, "corrected")) and statistics.median(again) > 2

    def ends(run: Played):
        """A fifth of the ends in the background is announced (terminationNotice of the app), and one session in fifty ends in
        an exception: these write files, which the next start sends; all other ends take the memory along."""
        assert next(iter(run.scenario["personas"].values()))["crashChance"] == 0.02
        assert set(run["as-published"].of("lost")) == set(run["corrected"].of("lost")) == {"killed"}
        # Without crashes, in an app that is told nothing, no file is written, and nothing that failed comes back.
        unannounced = run.again("--set", "personas.crashing.crashChance=0", "--set", "populations.0.app=shop")
        again = {each: sum(line["attempts"] > 1 for line in _outage(each, "as-published")) for each in (run, unannounced)}
        assert again[run] > 0 == again[unannounced], again.values()

    def hours(run: Played):
        """For an hour the collector answers 503, and for another half of its answers get lost."""
        refused = sum(run.during(3 * 3600 + 60, 4 * 3600 - 60, "failed_requests"))
        assert refused == sum(run.during(3 * 3600 + 60, 4 * 3600 - 60, "requests")) > 0
        asked = sum(run.during(6 * 3600 + 60, 7 * 3600 - 60, "requests"))
        assert abs(sum(run.during(6 * 3600 + 60, 7 * 3600 - 60, "failed_requests")) / asked - 0.5) < 0.05

    def look(run: Played):
        """Simulate it: look at lost/killed (what was in memory when the system killed the app), and at the duplicates, which
        only the second population's eventsID lets a server recognise."""
        assert min(run[name].events["lost"]["killed"] for name in ("as-published", "corrected")) > 0
        assert run["as-published"].gone > 2 * run["corrected"].gone
        assert run.audit["duplicates"] > 0
        twice = {name: sum(line["attempts"] > 1 for line in run.of(name)) for name in ("as-published", "corrected")}
        assert min(twice.values()) > 0, twice


def _outage(run: Played, population: str) -> list[dict]:
    """What a population captured while the collector answered 503, but for what may have left before or after."""
    return [line for line in run.of(population) if 3 * 3600 + 60 <= line["at"] < 4 * 3600 - 60]


@scenario("systems/kit-week")
class KitWeek:
    def pace(run: Played):
        """Days of KitAnalysisOfUserBehavior's users in a live run of 36 s: people's and device clocks go 7200 times as fast,
        sockets and the collector's own times stay real."""
        assert run.scenario["pace"] == 7200 and seconds(run.scenario["duration"]) / 7200 == 36
        live = run.live()
        assert live.report["pace"] == 7200 and live.report["simulated_seconds"] >= 3 * 86_400
        # An answer that the collector holds back for 50 ms takes 50 ms, not 6 minutes.
        assert 50 <= live.all.metrics["http_req_duration"]["max"] < 60_000

    def starts(run: Played):
        """400 users start their app on three days; each start sends the logs of earlier days as one archive."""
        assert run.asked_devices == run.report["devices_started"] == 400
        days = {day(line["captured_at"]) for line in run.lines if line["type"] == "0"}
        assert len(days) == 3
        assert all(day(line["acked_at"]) > day(line["captured_at"]) for line in run.lines if line["acked_at"])
        sent = {(line["device"], line["acked_at"]) for line in run.lines if line["acked_at"]}
        assert len(sent) <= run.all.count("http_reqs") < run.all.delivered / 20

    def refused(run: Played):
        """On the second day the collector answers 503 from 8 to 20 o'clock, so the day's starts send the same logs again."""
        first = min(day(line["captured_at"]) for line in run.lines if line["type"] == "0")
        acked = [line["acked_at"] for line in run.lines if line["acked_at"] and day(line["acked_at"]) == first + 1]
        assert acked and not [time for time in acked if 8 <= ((time + CHINA) % DAY) / 3_600_000 < 20]
        assert run.report["answers"]["503"] > 20 and run.all.count("retries") > 20

    def midnight(run: Played):
        """Look at lost/cleared_unsent: a notification just before the third day's midnight makes many apps start, the answers
        to their archives come after it, and the day that ended meanwhile is deleted unsent."""
        live = run.live()
        assert set(live.all.of("lost")) == {"cleared_unsent"}
        lost = Counter(day(line["captured_at"]) for line in live.lines if line["fate"] == "lost")
        first = min(day(line["captured_at"]) for line in live.lines if line["type"] == "0")
        assert lost.most_common(1)[0][0] == first + 1, lost

    def comes_from_pace(run: Played):
        """That so much is lost comes from the pace: an answer after 50 ms takes six minutes of people's time, so a midnight
        falls into many uploads; simulate, where it takes 50 ms of theirs, shows a loss of 0."""
        assert 0.050 * run.scenario["pace"] == 6 * 60 and run.all.gone == 0
        assert run.live().all.metrics["events_lost"]["rate"] > 0.005

    def week(run: Played):
        """With --duration 7d it is a week in 84 s."""
        assert 7 * 86_400 / run.scenario["pace"] == 84

    def freshness(run: Played):
        """Simulate it for freshness, which a paced run does not measure."""
        assert run.all.metrics["event_freshness"]["count"] == run.all.delivered > 0
        assert run.live().all.metrics["event_freshness"]["count"] == 0


@scenario("systems/posthog-outage")
class PostHogOutage:
    def outage(run: Played):
        """What described SDKs make of five minutes in which every answer is 503."""
        assert {population["system"] for population in run.scenario["populations"]} == {"declared"}
        assert run.during(302, 598, "failed_requests") == run.during(302, 598, "requests")
        assert sum(run.during(302, 598, "requests")) > 1000

    def gives_up(run: Played):
        """posthog-ios 3.69.3 gives up after the fourth failure in a row and deletes its queue with the batch, again and again
        (rejected, retries_exhausted)."""
        assert run.asked("posthog")["sdk"] == {"preset": "posthog-ios"}
        rejected = [line for line in run.of("posthog") if line["fate"] == "rejected"]
        assert len(rejected) > 0.15 * run["posthog"].captured
        assert {line["cause"] for line in rejected} == {"retries_exhausted"}
        # What was sent first when it gave up had been sent four times, and never more often.
        assert max(line["attempts"] for line in rejected) == 4
        devices = Counter(line["id"].split("-")[0] for line in rejected if line["attempts"] == 4)
        assert len(devices) == 200 and statistics.median(devices.values()) > 20

    def keeps(run: Played):
        """mixpanel-ios 6.5.1 keeps every event: nothing is lost, and what was captured in the outage comes minutes late, since
        it waits that long between its tries."""
        assert run["mixpanel"].gone == 0
        late = [
            line["acked_at"] - line["captured_at"]
            for line in run.of("mixpanel") if 360 < line["at"] < 540 and line["acked_at"]
        ]
        assert len(late) > 10_000 and statistics.median(late) > 120_000

    def never(run: Played):
        """The third population is PostHog's SDK with one knob changed: it tries a thousand times before it gives up, and loses
        nothing."""
        changes = run.asked("patient")["sdk"]
        assert changes == {"preset": "posthog-ios", "retry": {"attempts": 1000}}
        assert run["patient"].gone == 0
