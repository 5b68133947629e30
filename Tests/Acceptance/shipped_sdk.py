"""What the shipped scenarios of described SDKs say: see `shipped.py`."""

from __future__ import annotations

import json
import re
import statistics

from shipped import Played, scenario


def first_body(run: Played) -> str:
    """The decoded part of `sample`, of the first population."""
    return run.sample().split("## decoded")[1].split("## curl")[0].strip()


@scenario("sdk/rest")
class Rest:
    def described(run: Played):
        """An SDK that is only described: a request for each event, as a plain REST collector takes it."""
        assert run.asked("ios")["system"] == "declared" and run.asked("ios")["sdk"]["request"]["framing"] == "one"
        assert run.all.metrics["batch_size"]["max"] == 1
        raw = run.sample().split("## raw")[1].split("## decoded")[0]
        body = json.loads(raw[raw.index("{") :])
        assert set(body) == {"sent", "event"} and json.loads(first_body(run)) == body["event"]

    def outage(run: Played):
        """Each event is tried again until it is taken; the collector answers 503 for ten seconds."""
        assert sum(run.during(31, 39, "failed_requests")) == sum(run.during(31, 39, "requests")) > 0
        again = [line for line in run.lines if line["attempts"] > 1]
        assert again and all(line["fate"] in ("delivered", "pending") for line in again)
        assert run.all.gone == 0


@scenario("sdk/clickhouse")
class ClickHouse:
    def lines(run: Played):
        """An SDK that is only described: JSON lines straight into ClickHouse over HTTP, a row for each event."""
        assert run.asked("ios")["sdk"]["request"]["framing"] == "lines"
        rows = [json.loads(line) for line in first_body(run).splitlines()]
        assert len(rows) > 1 and all(set(row) == {"id", "name", "time", "user", "properties"} for row in rows)

    def table(run: Played):
        """With --target http://127.0.0.1:8123 the table events(id UUID, name String, time DateTime64(3), user String,
        properties String) takes them; without it, the embedded collector reads the same lines."""
        row = json.loads(first_body(run).splitlines()[0])
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", row["id"])
        assert type(row["time"]) is int and {type(row[key]) for key in ("name", "user", "properties")} == {str}
        assert "INSERT%20INTO%20events%20FORMAT%20JSONEachRow" in run.sample()
        assert run.audit["unique"] == run.all.delivered > 0 and run.audit["undecodable"] == 0


@scenario("systems/posthog-outage")
class PostHogOutage:
    def clears(run: Played):
        """What two described SDKs make of five minutes of 503: posthog-ios 3.69.3 tries a batch four times in a row and then
        deletes its whole queue, which here is no more than the batch (rejected, retries_exhausted), within half a minute of
        traffic;"""
        assert sum(run.during(310, 590, "failed_requests")) == sum(run.during(310, 590, "requests")) > 0
        gone = [line for line in run.of("posthog") if line["cause"] == "retries_exhausted"]
        assert run["posthog"].of("rejected") == {"retries_exhausted": len(gone)} and run["posthog"].of("lost") == {}
        assert 0.2 < len(gone) / run["posthog"].captured < 0.3 and {line["attempts"] for line in gone} <= {1, 2, 3, 4}
        # What is captured a minute before the end of the outage is gone half a minute later.
        assert all(line["fate"] == "rejected" for line in run.of("posthog") if 330 <= line["at"] < 540)

    def waits(run: Played):
        """mixpanel-ios 6.5.1 keeps every event and waits for two minutes and longer between its tries, so that nothing is lost
        and the events come late."""
        assert run["mixpanel"].gone == 0 and run["mixpanel"].delivered == run["mixpanel"].captured
        late = [line["acked_at"] - line["captured_at"] for line in run.of("mixpanel") if 330 <= line["at"] < 540]
        assert statistics.median(late) > 120_000

    def patient(run: Played):
        """The third population is PostHog's SDK with one knob changed: it tries a thousand times."""
        assert run.asked("patient")["sdk"]["retry"] == {"attempts": 1000}
        assert run["patient"].gone == 0 and run["patient"].delivered == run["patient"].captured
