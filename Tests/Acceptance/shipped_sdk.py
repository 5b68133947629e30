"""What the shipped scenarios of described SDKs say: see `shipped.py`."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from shipped import ROOT, Played, scenario


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


@scenario("sdk/tunnel")
class Tunnel:
    def tunnels(run: Played):
        """What three described SDKs make of commuters whose trains go through tunnels: minutes without a network."""
        entries = run.scenario["timeline"]
        assert len(entries) == 3 and all(entry["device"] == {"network": "none"} for entry in entries)
        assert all(run.asked(name)["system"] == "declared" for name in ("rudderstack", "mended", "otlp"))

    def stopped(run: Played):
        """rudderstack-ios 1.31.0 has its sending thread ended by the first request without a network, and sends nothing
        until the process starts anew: less than six tenths of its events arrive within an hour."""
        part = run["rudderstack"]
        assert part.metrics["freshness_within_1h"]["rate"] < 0.6 and part.gone == 0
        # Before the first tunnel nothing is late, and after it hardly anything arrives.
        def share(begin: float, end: float) -> float:
            own = [line for line in run.of("rudderstack") if begin <= line["at"] < end]
            return sum(line["fate"] == "delivered" and line["acked_at"] - line["captured_at"] < 60e3 for line in own) / len(own)

        assert share(0, 1500) > 0.95 and share(2500, 5000) < 0.5

    def mended(run: Played):
        """The same SDK with one knob changed (the stop ends when the network is back) delivers nearly all of them within
        the hour."""
        preset, own = run.asked("rudderstack")["sdk"], dict(run.asked("mended")["sdk"])
        assert own.pop("retry")["latch"]["until"] == ["network", "launch"] and own == preset
        assert run["mended"].captured == run["rudderstack"].captured
        assert run["mended"].metrics["freshness_within_1h"]["rate"] > 0.99

    def killed(run: Played):
        """otlp-http keeps its records in memory: an app that is killed in a tunnel takes what waits with it."""
        assert run["otlp"].of("lost").keys() == {"killed"} and run["mended"].gone == 0
        lost = [line for line in run.of("otlp") if line["fate"] == "lost"]
        tunnels = [(1800, 2160), (6000, 6480), (10_200, 10_560)]
        # Outside, it is the second of the last record that may be too short.
        inside = [any(begin - 5 <= line["at"] < end + 40 for begin, end in tunnels) for line in lost]
        assert sum(inside) > 0.75 * len(lost) > 50


PAGE = ROOT / "Sources" / "Beaconswarm" / "Documentation.docc" / "SixSDKs.md"
#: The variants of the bad day by the names of the products, as the page has them.
PRODUCTS = {
    "base": "SensorsAnalytics 4.9.1", "segment": "Segment 1.10.0", "posthog": "PostHog 3.69.3",
    "snowplow": "Snowplow 6.2.5", "amplitude": "Amplitude 1.18.6", "mixpanel": "Mixpanel 6.5.1",
}
ENTRIES = {"outage": "no collector", "limit": "429", "portal": "captive portal"}


def percent(part: float, whole: float) -> str:
    share = 100 * part / whole
    return "0" if part == 0 else "< 0.1 %" if share < 0.1 else f"{share:.1f} %"


def duration(milliseconds: float) -> str:
    seconds = milliseconds / 1000
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 1 else "< 1 s"


def day_of(report: dict) -> list[str]:
    """A product's row of the whole day."""
    events, audit, metrics = report["events"], report["audit"], report["metrics"]
    captured = events["captured"]
    lost = sum(sum(events[fate].values()) for fate in ("evicted", "rejected", "lost"))
    fresh = metrics["event_freshness"]
    return [
        f"{captured:,}", percent(audit["confirmed"], captured), percent(lost, captured),
        percent(audit["swallowed"], captured), percent(sum(events["pending"].values()), captured),
        f"{audit['duplicates']:,}", duration(fresh["med"]), duration(fresh["p(95)"]),
        f"{metrics['http_reqs']['count'] / report['devices']:.0f}",
        f"{metrics['data_sent']['count'] / report['devices'] / 1e6:.2f} MB",
    ]


def entry_of(report: dict, name: str) -> list[str]:
    """A product's cells of an entry of the timeline: of the events captured in it, lost, and there within an hour."""
    metrics = report["entries"][name]["metrics"]
    return [percent(metrics[key]["rate"], 1) for key in ("events_lost", "freshness_within_1h")] + [
        f"{metrics['http_reqs']['count']:,}"
    ]


def table(head: list[str], rows: dict[str, list[str]]) -> str:
    lines = [["SDK", *head], ["---"] * (len(head) + 1)] + [[name, *cells] for name, cells in rows.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def tables(folder: Path) -> list[str]:
    reports = {}
    for variant, product in PRODUCTS.items():
        (cell,) = (folder / "variants" / variant / "seeds").iterdir()
        reports[product] = json.loads((cell / "report.json").read_text())
    day = ["captured", "kept", "given up", "swallowed", "waiting", "copies", "half within", "95 % within", "requests", "bytes"]
    entries = [f"{text}: {what}" for text in ENTRIES.values() for what in ("lost", "within 1 h", "requests")]
    return [
        table(day, {product: day_of(report) for product, report in reports.items()}),
        table(entries, {
            product: [cell for name in ENTRIES for cell in entry_of(report, name)] for product, report in reports.items()
        }),
    ]


@scenario("sdk/bad-day", "--variant", "base")
class BadDay:
    def day(run: Played):
        """What six SDKs make of the same bad day of the same 200 people: the collector is down for half an hour, answers 429
        for an hour with the advice to wait a minute, and for another hour a captive portal answers three requests in ten with
        200 and keeps nothing."""
        assert run.asked_devices == 200 and len(run.lab(1)["report"]["variants"]) == len(PRODUCTS) == 6
        assert sum(run.during(9 * 3600 + 120, 9.5 * 3600 - 120, "failed_requests")) > 0
        hour = run.during(13 * 3600 + 120, 14 * 3600 - 120, "requests")
        assert run.during(13 * 3600 + 120, 14 * 3600 - 120, "failed_requests") == hour and sum(hour) > 0
        swallowed = run.audit["swallowed"]
        portal = [line for line in run.lines if 18 * 3600 <= line["at"] < 19 * 3600]
        assert 0.2 < swallowed / len(portal) < 0.4

    def page(run: Played):
        """The scenario itself is SensorsAnalytics 4.9.1; each variant is a preset of another product."""
        assert run.asked("people")["version"] == "4.9.1"
        found = tables(run.lab(1)["folder"])
        text = PAGE.read_text()
        written = re.findall(r"(?:^\|.*\n)+", text, re.M)
        assert len(written) == len(found)
        if os.environ.get("BEACONSWARM_WRITE_SDKS"):
            for old, new in zip(written, found):
                text = text.replace(old, new)
            PAGE.write_text(text)
        assert found == re.findall(r"(?:^\|.*\n)+", PAGE.read_text(), re.M), "BEACONSWARM_WRITE_SDKS=1 writes the page anew"
