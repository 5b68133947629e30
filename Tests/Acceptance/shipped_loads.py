"""What the shipped scenarios of loads say: see `shipped.py`."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter

from shipped import FILES, ROOT, Played, scenario, seconds


@scenario("smoke")
class Smoke:
    def shortest(run: Played):
        """The shortest useful run: 200 clients of 4.9.1 for 20 s against a healthy collector."""
        assert run.asked("ios") | {"devices": 200, "version": "4.9.1"} == run.asked("ios")
        assert "timeline" not in run.scenario and set(run.report["answers"]) == {"200"}
        lengths = {name: seconds(json.loads(path.read_text())["duration"]) for name, path in FILES.items()}
        assert min(lengths, key=lengths.__getitem__) == "smoke" and lengths["smoke"] == 20

    def nothing_is_lost(run: Played):
        """Nothing may be lost."""
        assert run.all.delivered == run.all.captured > 1000
        assert run.scenario["thresholds"]["events_lost"] == ["rate==0"]

    def collector_first(run: Played):
        """If this fails, look at the collector before looking at anything else."""
        # Nothing but a collector could make it fail: no device goes without a network, a process or a disk.
        assert run.all.of("lost") == run.all.of("evicted") == run.all.of("pending") == {}
        assert run.all.metrics["http_req_failed"]["passes"] == 0


@scenario("demo")
class Demo:
    def devices(run: Played):
        """3000 devices with the SensorsAnalytics SDK, half of them 1.10.17 and half 4.9.1, open a shop within 20 s and
        use it for 45 s; after 25 s the collector is down for 6 s."""
        versions = {population["version"]: population["devices"] for population in run.scenario["populations"]}
        assert versions == {"1.10.17": 1500, "4.9.1": 1500} and run.report["devices_started"] == 3000
        first = {line["device"]: line["at"] for line in reversed(run.lines)}
        assert max(first.values()) <= 20 and 44 < max(line["at"] for line in run.lines) <= 45
        assert set(run.during(25, 31, "delivered_events")) == {0}
        assert min(run.during(20, 25, "delivered_events")) > 0 < min(run.during(31, 45, "delivered_events"))

    def freshness(run: Played):
        """Look at the freshness of the events of the outage,"""

        def ages(begin: float, end: float) -> float:
            own = [line for line in run.lines if begin <= line["at"] < end and line["acked_at"]]
            return statistics.median(line["acked_at"] - line["captured_at"] for line in own)

        assert ages(25, 31) > 1.5 * ages(15, 20)

    def retries(run: Played):
        """at the wave of retries in the seconds right after it (nobody has a hundred rows waiting, so each device comes
        back with its next timer, or when its app goes or comes),"""
        assert run.all.metrics["batch_size"]["max"] < 100
        assert run.mean(31, 35, "requests") > 1.15 * run.mean(21, 30, "requests")
        assert run.mean(31, 35, "requests") > 1.5 * run.mean(35, 40, "requests")
        assert run["sensors-1"].count("retries") > 100 < run["sensors-4"].count("retries")

    def books(run: Played):
        """and at the books: what is not delivered waits on its device."""
        assert run.all.captured == run.all.delivered + run.all.events["pending"]["stored"]
        assert run.all.events["pending"]["stored"] > 0


@scenario("outage-recovery", "--devices", "100")
class OutageRecovery:
    def rate(run: Played):
        """2000 clients track two events a second each; for two minutes the collector is gone."""
        assert run.asked_devices == 2000
        steady = [line for line in run.lines if 60 <= line["at"] < 360]
        assert abs(len(steady) / 300 / 100 - 2) < 0.05
        assert set(run.during(120, 240, "delivered_events")) == {0} and min(run.during(100, 120, "requests")) > 0

    def come_back(run: Played):
        """Both versions keep every row and lose nothing, and while answers are quick they come back alike: from a hundred
        waiting rows on each new event is a try, so that every device knocks twice a second, and the first try that
        succeeds empties the store, batch by batch."""
        assert run.all.delivered == run.all.captured
        assert abs(run.mean(190, 240, "requests") / 100 - 2) < 0.2
        for population in ("sensors-1", "sensors-4"):
            for lines in run.devices(population):
                backlog = Counter(line["acked_at"] for line in lines if 125 <= line["at"] < 235)
                assert max(backlog) - min(backlog) < 1000 and max(backlog.values()) == 50, lines[0]["device"]
            tries = [line["attempts"] for line in run.of(population) if 125 <= line["at"] < 126]
            assert statistics.median(tries) > 100, population

    def storm(run: Played):
        """Look at requests per second after the outage against before it (the retry storm), at store_depth, and at how
        long the freshness takes to recover."""
        before = run.mean(60, 120, "requests")
        assert max(run.during(240, 245, "requests")) > 10 * before
        # Two events a second, for two minutes, each.
        assert 0.9 < run.all.metrics["store_depth"]["max"] / (100 * 2 * 120) < 1.2
        late = run.mean(60, 120, "freshness_p95_ms")
        assert max(run.during(240, 245, "freshness_p95_ms")) > 5 * late
        assert max(run.during(262, 300, "freshness_p95_ms")) < 1.1 * max(run.during(60, 120, "freshness_p95_ms"))


@scenario("capacity-ramp", code=99)
class CapacityRamp:
    def steps(run: Played):
        """How much does the collector take? Clients of one event a second each arrive in steps of 500, half a minute of
        climbing and half a minute of standing, and every one of them uploads about every 15 s: 500 clients are some 34
        requests/s."""
        stages = run.asked("clients")["arrival"]["stages"]
        assert stages == [
            {"duration": "30s", "target": 500 * step} for step in range(1, 9) for _ in ("climbing", "standing")
        ]
        assert set(run.during(31, 60, "active_devices")) == {500} and set(run.during(91, 120, "active_devices")) == {1000}
        assert abs(run.mean(40, 60, "requests") - 34) < 1.5 and abs(run.mean(100, 120, "requests") - 68) < 3

    def breaks(run: Played):
        """The modelled collector serves 120 requests/s and lets 240 wait, so it breaks on the way to 1500 clients (they
        fetch their configuration, too); the thresholds end the run there instead of making it worse."""
        fault = run.scenario["timeline"][0]["collector"]
        assert (fault["rate"], fault["queue"]) == ("120 requests/s", 240)
        assert 1000 < run.report["devices_started"] < 1500
        assert any(threshold["aborted"] for threshold in run.report["thresholds"])
        assert run.all.count("config_fetches") == run.report["devices_started"]
        assert run.report["simulated_seconds"] < 0.4 * seconds(run.scenario["duration"])

    def where(run: Played):
        """Look at where requests per second stop following devices, at http_req_duration just before (the queue), and at
        the statuses after."""
        broke = next(float(row["second"]) for row in run.series if float(row["failed_requests"] or 0) > 0)
        assert 120 < broke < 150
        # A full queue is a wait of two seconds.
        waits = run.during(broke - 5, broke + 1, "duration_p99_ms")
        assert max(waits) > 1500 and max(run.during(60, 120, "duration_p99_ms")) < 200
        served = [row for row in run.series if broke < float(row["second"]) < broke + 8]
        # Of the 120, fetches of the configuration take some.
        answered = [float(row["requests"]) - float(row["failed_requests"]) for row in served[:-2]]
        assert len(answered) > 3 and all(90 <= count <= 126 for count in answered), answered
        assert set(run.report["answers"]) == {"200", "503"}

    def elsewhere(run: Played):
        """Against your own collector (--target) the timeline is skipped and the climb goes on to 4000: raise "devices" and
        the targets if that is not enough (--devices scales both)."""
        healthy = run.again("--set", "timeline=[]", "--devices", "80")
        assert healthy.report["devices_started"] == 80
        assert set(healthy.during(31, 60, "active_devices")) == {10}

    def load(run: Played):
        """The load that a collector sees is the one at the time of the abort, not the peak that the scenario would have
        reached."""
        assert max(run.during(0, 150, "requests")) < 200 < 4000 / 15


@scenario("overload")
class Overload:
    def load(run: Played):
        """200 clients send some 13 requests a second, and for two minutes the collector can serve 10."""
        assert run.asked_devices == 200 and abs(run.mean(20, 60, "requests") - 13.3) < 0.7
        entry = run.scenario["timeline"][0]
        assert (entry["for"], entry["collector"]["rate"]) == ("2m", "10 requests/s")

    def queue(run: Played):
        """Its queue of 100 fills, and the fuller it is the slower the collector gets: behind a full queue a request takes
        four times as long, so that 2.5 a second are left."""
        answered = [
            ask - failed
            for ask, failed in zip(run.during(100, 160, "requests"), run.during(100, 160, "failed_requests"))
        ]
        assert abs(statistics.fmean(answered) - 2.5) < 0.2, answered
        assert run.scenario["timeline"][0]["collector"]["queue"] == 100

    def answers(run: Played):
        """Answers come up to 40 s late; who finds no place gets 429 with Retry-After: 30."""
        assert 39_500 < run.all.metrics["http_req_service"]["max"] < 41_000
        assert set(run.report["answers"]) == {"200", "429"}
        told = [answer for answer in run.report["unexpected_answers"] if answer["status"] == 429]
        assert told and all("Retry-After: 30" in answer["headers"] for answer in told)

    def deaf(run: Played):
        """The devices called deaf are the SDK as it is: each timer, every 15 s, knocks again."""
        assert run.asked("deaf").get("sdk") is None
        assert run["deaf"].count("retries") > 2 * run["polite"].count("retries")

    def polite(run: Played):
        """Those called polite heed the header (upload.retryAfter), which is no behaviour of any real version: look at how
        many fewer of their requests fail (http_req_failed of the two), and that the wait costs them freshness."""
        assert run.asked("polite")["sdk"] == {"upload": {"retryAfter": True}}
        assert run["deaf"].failed_share > 1.5 * run["polite"].failed_share > 0
        deaf, polite = (run[name].metrics["event_freshness"] for name in ("deaf", "polite"))
        assert polite["p(95)"] > 1.1 * deaf["p(95)"]

    def nothing_is_lost(run: Played):
        """Nothing is lost, for 1.10.17 keeps what was not answered 2xx; with --set populations.0.version=4.9.1 rows that
        were answered 429 are gone (events.rejected.429)."""
        assert run.all.delivered == run.all.captured
        newer = run.again("--set", "populations.0.version=4.9.1")
        assert newer["deaf"].of("rejected").keys() == {"429"} and newer["polite"].gone == 0


def _starts(run: Played, begin: float, end: float) -> list[dict]:
    return [line for line in run.lines if line["name"] == "$AppStart" and begin <= line["at"] < end]


@scenario("push-spike")
class PushSpike:
    def campaign(run: Played):
        """A campaign goes out to 10000 users of a shop on a busy evening: they come by themselves, about three a second,
        until after five minutes a notification brings 30 % of all within a minute, half of those in its first 13 s."""
        assert run.asked_devices == run.report["devices"] == 10_000
        before = len(_starts(run, 60, 300)) / 240
        assert 2 < before < 4
        brought = len(_starts(run, 300, 360)) - 60 * before
        assert abs(brought / 3000 - 1) < 0.1
        assert abs((len(_starts(run, 300, 313)) - 13 * before) / brought - 0.5) < 0.05

    def starts(run: Played):
        """Whoever has the app open stays in it; all others get a cold or a hot start, and every start brings $AppStart,
        screens and the upload that 4.9.1 makes at its start, a device's first one a fetch of the configuration too, so
        that requests rise more steeply than events."""
        started = {line["device"] for line in run.lines if line["name"] == "$AppStart"}
        assert run.all.count("config_fetches") == len(started)
        seen = {line["device"] for line in run.lines if line["name"] == "$AppViewScreen"}
        assert len(started & seen) > 0.99 * len(started)
        at_once = [line for line in run.lines if line["name"] == "$AppStart" and line["acked_at"]]
        quick = sum(line["acked_at"] - line["captured_at"] < 10 for line in at_once)
        assert quick > 0.99 * len(at_once)
        rise = {
            column: run.mean(300, 360, column) / run.mean(240, 300, column) for column in ("requests", "captured_events")
        }
        assert rise["requests"] > rise["captured_events"] > 5, rise

    def look(run: Played):
        """Look at events and requests per second in the minute from 5:00 against the minute before, at devices_active, and
        at whether http_req_duration and freshness suffer: a collector that was sized for the mean meets its peak
        here."""
        assert run.mean(300, 360, "requests") > 10 * run.mean(240, 300, "requests")
        assert max(run.during(300, 360, "requests")) > 5 * run.mean(0, 480, "requests")
        assert max(run.during(300, 400, "active_devices")) > 8 * run.mean(240, 300, "active_devices")
        # The modelled collector was sized for it: nothing waits longer than for a timer.
        assert run.all.metrics["http_req_duration"]["max"] < 10 and run.all.metrics["event_freshness"]["max"] < 15_500


@scenario("signup-burst")
class SignupBurst:
    def campaign(run: Played):
        """A campaign: 3000 new users open the app within 15 s and nearly all sign up."""
        assert run.asked_devices == run.report["devices_started"] == 3000
        first = {line["device"]: line["at"] for line in reversed(run.lines)}
        assert max(first.values()) <= 15
        assert len({line["device"] for line in run.lines if line["name"] == "$SignUp"}) > 0.87 * 3000

    def immediate(run: Played):
        """$SignUp is an immediate event, so each one uploads at once instead of waiting for 100 rows or 15 s, and requests
        follow the sign-ups one to one."""
        waits = {
            name: [line["acked_at"] - line["captured_at"] for line in run.of(name) if line["name"] == "$SignUp"]
            for name in ("immediate", "batched")
        }
        assert max(waits["immediate"]) < 10 and statistics.median(waits["batched"]) > 5000
        more = run["immediate"].count("http_reqs") - run["batched"].count("http_reqs")
        assert abs(more / len(waits["immediate"]) - 1) < 0.05

    def second(run: Played):
        """Look at requests per second and batch_size against the second population, whose users are of the same kind, but
        which has no immediate events."""
        differing = {key for key in run.asked("batched") if run.asked("batched")[key] != run.asked("immediate").get(key)}
        assert differing == {"name", "sdk"} and run.asked("batched")["sdk"] == {"upload": {"immediate": []}}
        assert run["immediate"].metrics["batch_size"]["avg"] < 0.8 * run["batched"].metrics["batch_size"]["avg"]


@scenario("rolling-deploy", "--devices", "400")
class RollingDeploy:
    def steps(run: Played):
        """Four instances of the collector restart one after the other within two minutes: each is away for 5 s at the
        beginning of its 30 s, warms up for 10 s with answers around 1.5 s late, and is as before for the rest."""
        for begin in (60, 90, 120, 150):
            assert sum(run.during(begin, begin + 5, "failed_requests")) > 5, begin
            assert set(run.during(begin + 5, begin + 30, "failed_requests")) == {0}, begin
            assert max(run.during(begin + 5, begin + 15, "duration_p99_ms")) > 1500, begin
            assert max(run.during(begin + 20, begin + 30, "duration_p99_ms")) < 10, begin

    def quarter(run: Played):
        """A quarter of the requests fall on the instance that restarts: reset while it is away, late while it warms up."""
        failed = asked = 0
        for begin in (60, 90, 120, 150):
            failed += sum(run.during(begin, begin + 5, "failed_requests"))
            asked += sum(run.during(begin, begin + 5, "requests"))
        # Which requests they are is drawn for each of them, so the share is within four standard deviations.
        assert abs(failed / asked - 0.25) < 4 * math.sqrt(0.25 * 0.75 / asked)
        assert set(run.report["answers"]) == {"200", "reset"} and run.report["answers"]["reset"] == failed

    def nothing_is_lost(run: Played):
        """Nothing is lost; the rows of a reset request leave with the next flush."""
        assert run.all.delivered == run.all.captured and run.audit["duplicates"] == 0
        again = [line["acked_at"] - line["captured_at"] for line in run.lines if line["attempts"] > 1]
        # At most two flushes, 15 s each, and an answer that may be late.
        assert again and max(again) < 36_000

    def cost(run: Played):
        """Look at the four steps in the error rate, at http_req_duration, and at retries: that is what a deployment at this
        hour costs."""
        assert run.all.count("retries") == run.report["answers"]["reset"] > 0
        assert 0.01 < run.all.failed_share < 0.05 and run.all.metrics["http_req_duration"]["max"] > 2000


@scenario("soak")
class Soak:
    def cycle(run: Played):
        """300 devices at a steady load, and 100 that come, go and are killed, while the collector fails in turns: an
        outage, resets, slow answers, lost replies and 503."""
        assert (run.asked("steady")["devices"], run.asked("restless")["devices"]) == (300, 100)
        starts = Counter(line["device"] for line in run.of("restless") if line["name"] == "$AppStart")
        assert statistics.median(starts.values()) >= 3 and run.report["answers"]["process_died"] > 0
        for begin in (30, 60, 120, 150):
            assert sum(run.during(begin, begin + 10, "failed_requests")) > 0, begin
        assert sum(run.during(90, 100, "failed_requests")) < 10 < 500 < max(run.during(90, 100, "duration_p50_ms"))
        assert run.audit["duplicates"] > 0 and {"refused", "reset", "503"} <= set(run.report["answers"])

    def soaking(run: Played):
        """make soak repeats the cycle for as long as it runs and watches memory and descriptors, which have to stay flat;
        the books have to balance to the last event."""
        script = (ROOT / ".ci" / "soak").read_text()
        assert "soak.json" in script and "/fd" in script and "VmRSS" in script
        assert run.report["events"]["balance"] == 0 and run.report["verdict"] == "passed"
