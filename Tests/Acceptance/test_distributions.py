"""Distribution files, read by HdrHistogram's own library."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from prometheus_client.parser import text_string_to_metric_families

import real_clock
from conftest import Tool
from helpers import read_report, steady, write_scenario

METRICS = ["http_req_duration", "http_req_service", "event_freshness"]


@pytest.fixture(scope="module", params=["simulate", "run"])
def run(request, tmp_path_factory) -> tuple[Tool, Path]:
    """A run with an outage and slow answers, in either world."""
    folder = tmp_path_factory.mktemp("distributions")
    tool = Tool(folder)
    length = "4m" if request.param == "simulate" else "8s"
    scenario = steady(
        10,
        length,
        drain="10s",
        timeline=[
            {"at": "2s", "for": "1s", "collector": {"fault": "status", "status": 503}},
            {"at": "4s", "for": "2s", "collector": {"fault": "latency", "latency": {"median": "300ms", "sigma": 0.5}}},
        ],
        thresholds={"events_lost": ["rate<0.5"], "http_req_duration": ["p(99)<600000"]},
    )
    tool.run(request.param, write_scenario(folder, scenario), "--out", folder / "run", "-q").expect(0, 96)
    return tool, folder / "run"


def read_log(folder: Path) -> dict[str, list]:
    """The log's intervals by tag."""
    template = HdrHistogram(1, 100 * 86_400 * 1_000_000, 2)
    reader = HistogramLogReader(str(folder / "intervals.hlog"), template)
    found = defaultdict(list)
    while (interval := reader.get_next_interval_histogram()) is not None:
        found[interval.get_tag()].append(interval)
    return found


def at_percentile(histogram: HdrHistogram, percentile: float) -> float:
    """Milliseconds that `percentile` per cent of the values do not exceed.

    The library's own `get_value_at_percentile` rounds the rank to the nearest; a report asks for the first value that
    reaches the percentile.
    """
    rank = max(1, math.ceil(percentile / 100 * histogram.get_total_count() - 1e-9))
    for step in histogram.get_recorded_iterator():
        if step.total_count_to_this_value >= rank:
            return histogram.get_highest_equivalent_value(step.value_iterated_to) / 1000
    raise AssertionError("fewer values than the count says")


def within(value: float, other: float, share: float) -> bool:
    return math.isclose(value, other, rel_tol=share, abs_tol=0.0021)


def test_the_interval_log_agrees_with_the_report(run):
    _, folder = run
    report, log = read_report(folder), read_log(folder)
    assert set(log) == set(METRICS)
    for metric in METRICS:
        trend = report["metrics"][metric]
        whole = HdrHistogram(1, 100 * 86_400 * 1_000_000, 2)
        for interval in log[metric]:
            whole.add(interval)
        assert whole.get_total_count() == trend["count"], metric
        assert within(whole.get_min_value() / 1000, trend["min"], 0.008), metric
        assert within(whole.get_max_value() / 1000, trend["max"], 0.008), metric
        for name, percentile in {"med": 50, "p(90)": 90, "p(95)": 95, "p(99)": 99, "p(99.9)": 99.9}.items():
            assert within(at_percentile(whole, percentile), trend[name], 0.009), (metric, name)


def test_the_interval_log_agrees_with_the_time_series(run):
    """Each interval stands where the series has it, and holds as many values."""
    _, folder = run
    report, log = read_report(folder), read_log(folder)
    columns = report["series"]["columns"]
    points = [dict(zip(columns, row)) for row in report["series"]["rows"]]
    # The reader adds the log's start; the lines themselves are relative to it.
    starts = [
        float(line.split(",")[1])
        for line in (folder / "intervals.hlog").read_text().splitlines()
        if line.startswith("Tag=event_freshness")
    ]
    assert starts == [point["second"] for point in points if point["delivered_events"]]
    counts = [interval.get_total_count() for interval in log["event_freshness"]]
    assert counts == [point["delivered_events"] for point in points if point["delivered_events"]]
    for interval, point in zip(log["event_freshness"], [p for p in points if p["delivered_events"]]):
        assert at_percentile(interval, 95) == pytest.approx(point["freshness_p95_ms"], abs=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_the_percentile_file_agrees_with_the_report(run, metric: str):
    tool, folder = run
    text = (folder / f"{metric}.hgrm").read_text()
    assert tool.run("report", folder, "--format", "hgrm", "--metric", metric).expect(0).out == text
    trend = read_report(folder)["metrics"][metric]
    lines = text.splitlines()
    assert lines[0].split() == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"] and lines[1] == ""
    table = [list(map(float, line.split())) for line in lines[2:] if not line.startswith("#")]
    assert table[-1] == [pytest.approx(trend["max"], abs=6e-4), 1.0, trend["count"]]
    assert all(len(row) == 4 for row in table[:-1])
    for earlier, later in zip(table, table[1:]):
        assert earlier[0] <= later[0] and earlier[1] < later[1] and earlier[2] <= later[2]
    for value, percentile, _, inverse in table[:-1]:
        assert math.isclose(1 / (1 - percentile), inverse, rel_tol=0.01)
        exact = {0.5: "med", 0.9: "p(90)"}.get(percentile)
        if exact:
            assert value == pytest.approx(trend[exact], abs=6e-4)
    foot = [line for line in lines if line.startswith("#[")]
    cells = re.findall(r"([A-Z][\w ]*?) *= *([\d.]+)", " ".join(foot))
    figures = {name: float(value) for name, value in cells}
    # Three digits each: a mean that ends in half of the last one may be rounded to either side.
    assert figures["Mean"] == pytest.approx(trend["avg"], abs=6e-4)
    assert figures["Max"] == pytest.approx(trend["max"], abs=6e-4)
    assert figures["Total count"] == trend["count"]


def test_a_metric_without_a_distribution_is_refused(run):
    tool, folder = run
    finished = tool.run("report", folder, "--format", "hgrm", "--metric", "retries").expect(64)
    assert all(metric in finished.err for metric in METRICS)
    tool.run("report", folder, "--format", "md", "--metric", "event_freshness").expect(64)


def test_prometheus_own_parser_reads_the_metrics(run):
    tool, folder = run
    report = read_report(folder)
    text = tool.run("report", folder, "--format", "prometheus").expect(0).out
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert all(family.documentation for family in families.values())
    assert len(families) == text.count("# TYPE ") == text.count("# HELP ")
    sent = families["beaconswarm_data_sent_bytes"].samples
    assert families["beaconswarm_data_sent_bytes"].type == "counter"
    assert [sample.value for sample in sent] == [report["metrics"]["data_sent"]["count"]]
    samples = {
        sample.labels.get("quantile", sample.name): sample.value
        for sample in families["beaconswarm_http_req_duration_seconds"].samples
    }
    trend = report["metrics"]["http_req_duration"]
    assert samples["0.99"] == pytest.approx(trend["p(99)"] / 1000)
    assert samples["beaconswarm_http_req_duration_seconds_count"] == trend["count"]


def test_the_pictures_hold_every_upload(run):
    """The heat map's cells, read from the report, add up to the requests that were answered."""
    _, folder = run
    report = read_report(folder)
    for metric in ("http_req_duration", "event_freshness"):
        heat = report["heatmaps"][metric]
        assert sum(map(sum, heat["columns"])) == report["metrics"][metric]["count"]
        assert heat["bounds_ms"] == sorted(heat["bounds_ms"])
        assert all(len(column) in (0, len(heat["bounds_ms"]) - 1) for column in heat["columns"])
    page = (folder / "report.html").read_text()
    assert 'class="heat h6"' in page and "Upload time by percentile" in page


def test_unexpected_answers_are_in_the_report(run):
    _, folder = run
    lines = [json.loads(line) for line in (folder / "errors.ndjson").read_text().splitlines()]
    report = read_report(folder)
    if not lines and report["mode"] == "live" and report["generator"]["saturated"]:
        real_clock.inconclusive("the generator was late, and no upload met the outage")
    assert lines and len(lines) <= 20 and report["unexpected_answers"] == lines
    assert all(line["status"] == 503 and line["population"] == "ios" for line in lines)
    assert (folder / "report.html").read_text().count('<details class="answer">') == len(lines)
