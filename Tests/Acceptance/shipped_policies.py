"""What the shipped scenarios of policies say: see `shipped.py`. What is said of a variant is what `compare` says of it."""

from __future__ import annotations

import json
import statistics

from shipped import Played, scenario

#: 2026-01-05T00:00:00Z, where virtual runs begin.
START = 1_767_571_200_000
#: Enough for intervals that are far from what is claimed.
SEEDS = 3


def row(run: Played, variant: str, figure: str) -> dict:
    """A figure of a variant against `base`, with the ratio of their means."""
    found = run.lab(SEEDS)["against_base"][variant]["metrics"][figure]
    return found | {"ratio": found["candidate"] / found["base"] if found["base"] else None}


@scenario("policies/batch", "--variant", "base")
class Batch:
    def setting(run: Played):
        """Batches of 50 against batches of 200, for devices that come back with a full store: each brings along 600
        events from before the run, and then captures one each second."""
        assert run.all.metrics["batch_size"]["max"] == 50
        for cell in run.lab(SEEDS)["report"]["variants"]["batch-200"]["seeds"].values():
            assert cell["metrics"]["batch_size"]["max"] == 200
        by_device: dict[int, list[float]] = {}
        for line in run.lines:
            by_device.setdefault(line["device"], []).append(line["captured_at"])
        for times in by_device.values():
            assert sum(time < START for time in times) == 600
            own = sorted(time for time in times if time >= START)
            assert 0.8 < (own[-1] - own[0]) / 1000 / len(own) < 1.2

    def cheaper(run: Played):
        """The larger batch needs a sixth fewer requests and almost a tenth fewer bytes."""
        requests, sent = (row(run, "batch-200", name) for name in ("http_reqs", "data_sent"))
        assert requests["verdict"] == sent["verdict"] == "better"
        assert 0.81 < requests["ratio"] < 0.85 and 0.90 < sent["ratio"] < 0.93

    def nothing_else(run: Played):
        """Neither policy loses an event, and freshness is the same: what makes events wait is the interval."""
        assert row(run, "batch-200", "events_lost") | {"base": 0, "candidate": 0, "verdict": "same"} == row(
            run, "batch-200", "events_lost"
        )
        for figure in ("event_freshness.avg", "event_freshness.p(95)", "freshness_within_1m"):
            assert row(run, "batch-200", figure)["verdict"] == "same"
        slow = run.again("--set", "populations.ios.sdk.upload.flushInterval=60s")

        def waits(played: Played) -> float:
            """Mean seconds from capture to acknowledgement, of what was captured in the run."""
            own = [line for line in played.lines if line["captured_at"] >= START and line["fate"] == "delivered"]
            return statistics.fmean(line["acked_at"] - line["captured_at"] for line in own) / 1000

        assert waits(slow) > 2 * waits(run)


@scenario("policies/interval", "--variant", "base")
class Interval:
    def setting(run: Played):
        """An interval of 15 s against one of 60 s, for people who open an app, use it for a while, and put it away."""
        assert run.asked("ios")["sdk"]["upload"]["flushInterval"] == "15s"
        assert list(run.scenario["variants"].values()) == [{"populations.ios.sdk.upload.flushInterval": "60s"}]
        names = [line["name"] for line in run.lines]
        assert names.count("$AppStart") > 200 and names.count("$AppEnd") > 200

    def cheaper(run: Played):
        """The longer interval makes less than half of the requests and sends little more than half of the bytes, for
        larger bodies pack better."""
        requests, sent, each = (
            row(run, "interval-60s", name) for name in ("http_reqs", "data_sent", "bytes_per_delivered_event")
        )
        assert {requests["verdict"], sent["verdict"], each["verdict"]} == {"better"}
        assert requests["ratio"] < 0.5 < sent["ratio"] < 0.6
        assert row(run, "interval-60s", "batch_size.avg")["verdict"] == "higher"

    def staler(run: Played):
        """Events arrive four times as stale."""
        for figure in ("event_freshness.avg", "event_freshness.p(95)"):
            found = row(run, "interval-60s", figure)
            assert found["verdict"] == "worse" and 3.5 < found["ratio"] < 4.3

    def nothing_is_lost(run: Played):
        """Nothing is lost with either."""
        for variant in run.lab(SEEDS)["report"]["variants"].values():
            assert all(cell["metrics"]["events_lost"]["passes"] == 0 for cell in variant["seeds"].values())


def cells(run: Played, variant: str) -> list[dict]:
    """The runs of a variant, one for each seed."""
    return list(run.lab(SEEDS)["report"]["variants"][variant]["seeds"].values())


def share(cell: dict, fate: str, cause: str) -> float:
    """Of all events of a run, those that ended so."""
    return cell["events"][fate].get(cause, 0) / cell["events"]["captured"]


@scenario("policies/limit", "--variant", "base")
class Limit:
    def setting(run: Played):
        """A store of 10,000 rows against one of 2,000, for devices that capture nine events a minute while the collector
        is gone for six hours."""
        assert run.asked("ios")["sdk"]["storage"]["limit"] == 10_000
        assert list(run.scenario["variants"].values()) == [{"populations.ios.sdk.storage.limit": 2000}]
        (entry,) = run.scenario["timeline"]
        assert (entry["at"], entry["for"]) == ("1h", "6h")
        # Nothing is acknowledged in those hours, and every minute of them has its events.
        begin, end = START + 3600_000, START + 7 * 3600_000
        acked = [line["acked_at"] for line in run.lines if line["fate"] == "delivered"]
        assert not any(begin + 1000 < at < end for at in acked) and any(at > end for at in acked)
        assert 8 < len(run.lines) / 10 / (9 * 60) < 10

    def larger(run: Played):
        """With the larger store nothing is lost."""
        assert all(cell["metrics"]["events_lost"]["passes"] == 0 for cell in cells(run, "base"))

    def smaller(run: Played):
        """With the smaller one more than a quarter of all events are evicted, the oldest of the outage."""
        for cell in cells(run, "limit-2000"):
            assert 0.25 < share(cell, "evicted", "storage_limit") < 0.3
            assert cell["metrics"]["events_lost"]["passes"] == cell["events"]["evicted"]["storage_limit"]
        assert row(run, "limit-2000", "events_lost")["verdict"] == "worse"
        small = run.again("--set", "populations.ios.sdk.storage.limit=2000")
        for device in small.devices("ios"):
            fates = [line["fate"] for line in device if 3660 < line["at"] < 7 * 3600 - 60]
            evicted = fates.count("evicted")
            assert evicted > 1000 and set(fates[:evicted]) == {"evicted"}

    def fresher(run: Played):
        """What is left arrives earlier, so the age of delivered events alone makes the worse policy look better."""
        for figure in ("event_freshness.avg", "event_freshness.p(95)"):
            found = row(run, "limit-2000", figure)
            assert found["verdict"] == "better" and found["ratio"] < 0.7
        assert row(run, "limit-2000", "freshness_within_24h")["verdict"] == "worse"


@scenario("policies/wifi-only", "--variant", "base")
class WifiOnly:
    def setting(run: Played):
        """Uploads on Wi-Fi alone against uploads on any network, for people who come and go between home, train and
        office."""
        assert run.asked("ios")["network"] == "commuter" and "sdk" not in run.asked("ios")
        assert list(run.scenario["variants"].values()) == [{"populations.ios.sdk.upload.networks": ["wifi"]}]

    def cheaper(run: Played):
        """Wi-Fi alone takes less than a fiftieth of the radio time and little more than half of the bytes."""
        radio, sent = (row(run, "wifi-only", name) for name in ("radio_seconds", "data_sent"))
        assert radio["verdict"] == sent["verdict"] == "better"
        assert radio["ratio"] < 0.02 and 0.5 < sent["ratio"] < 0.62

    def nothing_lost(run: Played):
        """Nothing is lost."""
        for variant in ("base", "wifi-only"):
            assert all(cell["metrics"]["events_lost"]["passes"] == 0 for cell in cells(run, variant))

    def staler(run: Played):
        """But less than two thirds of the events arrive within an hour, and a tenth and more are still on the devices
        when the day ends."""
        for cell in cells(run, "wifi-only"):
            assert cell["metrics"]["freshness_within_1h"]["rate"] < 2 / 3
            assert share(cell, "pending", "stored") > 0.1
        for cell in cells(run, "base"):
            assert cell["metrics"]["freshness_within_1h"]["rate"] > 0.95
            assert share(cell, "pending", "stored") < 0.01


@scenario("policies/signup-flush", "--variant", "base")
class SignupFlush:
    def setting(run: Played):
        """An upload at each sign-up against none, for newcomers of whom nearly all sign up."""
        assert list(run.scenario["variants"].values()) == [{"populations.ios.sdk.upload.immediate": []}]
        signed = {line["device"] for line in run.lines if line["name"] == "$SignUp"}
        assert len(signed) > 0.75 * run.asked_devices

    def earlier(run: Played):
        """With it, half of the sign-ups arrive within 100 ms, and without it they wait for the timer, for 5 s and
        more."""

        def median(played: Played) -> float:
            return statistics.median(
                line["acked_at"] - line["captured_at"] for line in played.lines if line["name"] == "$SignUp"
            )

        assert median(run) < 100
        assert median(run.again("--set", "populations.ios.sdk.upload.immediate=[]")) > 5000

    def price(run: Played):
        """It costs less than an eighth more requests and less than a tenth more bytes, and all events together arrive
        hardly earlier."""
        requests, sent = (row(run, "no-flush", name) for name in ("http_reqs", "data_sent"))
        assert requests["verdict"] == sent["verdict"] == "better"
        assert 1 / 1.125 < requests["ratio"] < 0.95 and 1 / 1.1 < sent["ratio"] < 0.98
        assert 1 < row(run, "no-flush", "event_freshness.avg")["ratio"] < 1.1


@scenario("policies/status-429", "--variant", "base")
class Status429:
    def setting(run: Played):
        """A collector answers 429 for ten minutes: the rule for answers of 1.10.17 against that of 4.9.1."""
        (entry,) = run.scenario["timeline"]
        assert entry["collector"] == {"fault": "status", "status": 429} and entry["for"] == "10m"
        assert run.asked("ios")["version"] == "1.10.17"
        assert list(run.scenario["variants"].values()) == [{"populations.ios.version": "4.9.1"}]
        assert run.report["answers"]["429"] > 1000

    def kept(run: Played):
        """1.10.17 keeps its rows after anything but success, sends them again, and loses nothing."""
        assert run.all.count("retries") > 1000
        for cell in cells(run, "base"):
            assert cell["metrics"]["events_lost"]["passes"] == 0
            assert cell["events"]["delivered"] == cell["events"]["captured"]

    def dropped(run: Played):
        """4.9.1 takes a 429 for final and drops a quarter of all events, and what it delivers is fresh."""
        for cell in cells(run, "4.9.1"):
            assert 0.23 < share(cell, "rejected", "429") < 0.27
            assert cell["metrics"]["retries"]["count"] == 0
            assert cell["metrics"]["event_freshness"]["max"] < 16_000


@scenario("policies/evict-from", "--variant", "base")
class EvictFrom:
    def setting(run: Played):
        """Giving up the oldest hundred events of a full store against giving up the newest, for stores of 500 rows through
        two hours without a collector."""
        assert run.asked("ios")["sdk"]["storage"] == {"limit": 500, "evict": 100}
        assert list(run.scenario["variants"].values()) == [{"populations.ios.sdk.storage.evictFrom": "newest"}]
        (entry,) = run.scenario["timeline"]
        assert (entry["at"], entry["for"]) == ("30m", "2h")
        assert run.all.metrics["store_depth"]["max"] > 450 * run.asked_devices

    def as_many(run: Played):
        """Either way as many events are lost and as many requests are made."""
        for figure in ("events_lost", "http_reqs"):
            assert row(run, "newest", figure)["verdict"] == "same"
        assert all(0.4 < share(cell, "evicted", "storage_limit") < 0.5 for cell in cells(run, "newest"))

    def which(run: Played):
        """Giving up the oldest loses all of the first hour of the outage, giving up the newest keeps its first half hour
        whole and loses most of its last hour."""
        newest = run.again("--set", "populations.ios.sdk.storage.evictFrom=newest")

        def evicted(played: Played, begin: float, end: float) -> float:
            """The share of the events captured from `begin` to before `end`, in minutes, that were evicted."""
            found = [
                line["fate"] for line in played.lines if begin <= (line["captured_at"] - START) / 60_000 < end
            ]
            assert len(found) > 1000
            return found.count("evicted") / len(found)

        # The last rows of before the outage are on their way for up to 15 s.
        assert evicted(newest, 31, 60) == 0 and evicted(newest, 90, 150) > 0.75
        assert evicted(run, 31, 90) == 1

    def older(run: Played):
        """So with the newest given up, what arrives after the outage is several times as old."""
        found = row(run, "newest", "event_freshness.p(95)")
        assert found["verdict"] == "worse" and found["ratio"] > 3


@scenario("policies/backoff", "--variant", "base")
class Backoff:
    def setting(run: Played):
        """Back-off against none, for devices that capture twelve events a minute while the collector is gone for ten
        minutes."""
        (entry,) = run.scenario["timeline"]
        assert (entry["at"], entry["for"], entry["name"]) == ("10m", "10m", "outage")
        ((path, waits),) = run.scenario["variants"]["backoff"].items()
        assert path == "populations.ios.sdk.upload.backoff" and waits["initial"] == "15s"
        assert 11 < len(run.lines) / run.asked_devices / 40 < 13

    def calmer(run: Played):
        """Without it they make more than six times as many uploads in that time, none of which succeeds, and more than four
        times as many in the busiest second after it."""
        without, waiting = outage(run), outage(backing_off(run))
        assert without["http_reqs"]["count"] > 6 * waiting["http_reqs"]["count"]
        assert without["http_req_failed"]["rate"] == waiting["http_req_failed"]["rate"] == 1
        assert without["herd_peak"]["value"] > 4 * waiting["herd_peak"]["value"]
        for figure in ("retries", "peak_to_mean_requests"):
            assert row(run, "backoff", figure)["verdict"] == "better"

    def nothing_lost(run: Played):
        """Nothing is lost with either."""
        for variant in ("base", "backoff"):
            assert all(cell["metrics"]["events_lost"]["passes"] == 0 for cell in cells(run, variant))

    def price(run: Played):
        """The price of back-off is freshness: without it, all that was captured in the outage arrives within 20 s of its
        end, and with it half of that takes more than a minute."""
        assert row(run, "backoff", "event_freshness.p(95)")["verdict"] == "worse"
        without, waiting = outage(run), outage(backing_off(run))
        assert without["time_to_recover"]["max"] < 20_000 and waiting["time_to_recover"]["med"] > 60_000
        # The same from the lines: the outage ends after 20 minutes.
        end = START + 20 * 60_000
        late = [
            line["acked_at"] - end
            for line in run.lines
            if end - 600_000 <= line["captured_at"] < end and line["fate"] == "delivered"
        ]
        assert len(late) == without["time_to_recover"]["count"]
        assert abs(max(late) - without["time_to_recover"]["max"]) < 1


def outage(run: Played) -> dict:
    """What was measured around the outage."""
    return run.report["entries"]["outage"]["metrics"]


def backing_off(run: Played) -> Played:
    """The same with the variant's back-off."""
    waits = run.scenario["variants"]["backoff"]["populations.ios.sdk.upload.backoff"]
    return run.again("--set", "populations.ios.sdk.upload.backoff=" + json.dumps(waits))


@scenario("policies/rollout")
class Rollout:
    def setting(run: Played):
        """A week in which the users of an app get a new version of it, whose SDK uploads each 60 s in place of 15 s: nine
        tenths of the devices, spread over four days from the second one on, each at its first launch after its moment."""
        assert run.asked("ios")["sdk"]["upload"]["flushInterval"] == "15s"
        [entry] = run.scenario["timeline"]
        assert entry["sdk"] == {"upload": {"flushInterval": "60s"}} and entry["share"] == 0.9
        updated = [max(int(row["updated_devices"]) for row in rows) for rows in days(run)]
        assert len(updated) == 7 and updated[0] == 0 and updated == sorted(updated)
        # Who does not open the app for a day or two gets it later than the fifth.
        assert 0 < updated[1] < updated[2] < updated[3] < updated[4] <= updated[6]
        assert 0.8 * run.asked_devices < updated[6] < run.asked_devices
        assert run.all.metrics["rollout_reached"]["rate"] == updated[6] / run.asked_devices

    def cheaper(run: Played):
        """Requests for an event fall to half of the first day's, day by day."""
        ratios = [sum(int(row["requests"]) for row in rows) / sum(int(row["delivered_events"]) for row in rows)
                  for rows in days(run)]  # fmt: skip
        assert 0.40 < statistics.fmean(ratios[5:]) / ratios[0] < 0.60
        assert ratios[1] > ratios[2] > ratios[3] > ratios[4] > 0.45 * ratios[0]

    def kept(run: Played):
        """Nothing is lost on the way."""
        assert run.all.gone == 0


def days(run: Played) -> list[list[dict]]:
    """The rows of the time series, day by day."""
    found: dict[int, list[dict]] = {}
    for row in run.series:
        found.setdefault(int(float(row["second"])) // 86_400, []).append(row)
    return [found[day] for day in sorted(found) if day < 7]
