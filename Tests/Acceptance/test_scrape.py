"""`--scrape`: the target's own metrics beside the run's, by an exporter of a few lines, and by targets that are none."""

from __future__ import annotations

import contextlib
import http.server
import json
import subprocess
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

import real_clock
from conftest import BINARY, Collector, Running
from helpers import closed_port

#: Seconds that it takes: the longest go first.
LONG = 90

SCENARIO = {
    "name": "scraped",
    "duration": "3s",
    "drain": "5s",
    "populations": [
        {"name": "ios", "devices": 3, "system": "sensors", "persona": {"preset": "steady", "rate": "5/s"},
         "sdk": {"upload": {"flushInterval": "1s"}}}
    ],
    "timeline": [],
}


class Exporter(http.server.BaseHTTPRequestHandler):
    """Counts who asks it. What it answers is set by the test."""

    asked: list[str] = []
    content: bytes | Callable[[int], bytes] | None = None
    status = 200

    def do_GET(self):  # noqa: N802
        count = len(self.asked)
        self.asked.append(self.path)
        body = type(self).content
        if callable(body):
            body = body(count)
        if body is None:
            body = (
                "# TYPE process_cpu_seconds_total counter\n"
                f"process_cpu_seconds_total {100 + 2 * count}\n"
                "# TYPE process_resident_memory_bytes gauge\n"
                "process_resident_memory_bytes 2.5e+07\n"
                "# TYPE queue_depth gauge\n"
                f'queue_depth{{queue="in",key="a\\"b"}} {count}\n'
                "# TYPE wait_seconds summary\n"
                "wait_seconds_sum 3\nwait_seconds_count 4\n"
            ).encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def exporter(content: bytes | Callable[[int], bytes] | None = None, status: int = 200):
    handler = type("Own", (Exporter,), {"asked": [], "content": content, "status": status})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler.asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "scraped.json"
    path.write_text(json.dumps(SCENARIO))
    return path


def read(done):
    folder = done.folder / "run"
    return json.loads((folder / "report.json").read_text()), (folder / "report.html").read_text()


def heard(told: dict) -> dict:
    """What a run keeps of a target, if that answered in time: where the machine keeps an exporter waiting, answers and
    questions are missing."""
    times = told["seconds"]
    pauses = [later - earlier for earlier, later in zip(times, times[1:])]
    if "within 5 s" in told.get("problem", "") or any(pause > 1.5 for pause in pauses):
        real_clock.inconclusive(f"the exporter was late: {told}")
    return told


def test_metrics_of_the_target_are_in_the_report(tool, scenario):
    with exporter() as (url, asked):
        done = tool.run("run", scenario, "--out", "run", "--scrape", f"{url}/?token=secret-91").expect(0)
    report, page = read(done)
    told = heard(report["target_metrics"])
    assert told["url"] == f"{url}/metrics" and "secret-91" not in json.dumps(told) and "secret-91" not in page
    assert set(asked) == {"/metrics?token=secret-91"}
    assert told["scrapes"] == len(asked) >= 3 and told["failures"] == 0 and "problem" not in told
    series = {row["name"]: row for row in told["series"]}
    assert list(series) == ["process_cpu_seconds_total", "process_resident_memory_bytes", "queue_depth"]
    count = len(told["seconds"])
    assert count == len(asked) and told["seconds"] == sorted(told["seconds"])
    assert series["process_cpu_seconds_total"]["values"] == [100 + 2 * place for place in range(count)]
    assert series["process_cpu_seconds_total"]["counter"] and not series["queue_depth"]["counter"]
    assert series["queue_depth"]["labels"] == 'key="a\\"b",queue="in"'
    assert series["queue_depth"]["values"] == list(range(count))
    assert "own metrics" in page and "process_cpu_seconds_total" in page and "queue_depth" in page
    # The report is written anew from its JSON with everything in it.
    again = tool.run("report", done.folder / "run", "--format", "html").expect(0)
    assert "process_resident_memory_bytes" in again.out


@pytest.mark.parametrize("pace", [1, 60])
def test_moments_and_the_length_of_a_run_count_from_its_start(tool, tmp_path, pace):
    path = tmp_path / "scraped.json"
    path.write_text(json.dumps(SCENARIO | {"pace": pace, "duration": f"{3 * pace}s", "drain": f"{5 * pace}s"}))
    with exporter(lambda _: f"told_at {time.time()!r}\n".encode()) as (url, _):
        # A machine that came late makes a run invalid; its moments are as exact.
        done = tool.run("run", path, "--out", "run", "--scrape", url).expect(0, 96)
        ended = time.time()
    report, _ = read(done)
    told = report["target_metrics"]
    started = datetime.fromisoformat(report["started_at"]).timestamp()
    answers = told["series"][0]["values"]
    asked = [started + second / pace for second in told["seconds"]]
    assert told["seconds"][0] >= 0 and len(asked) >= 2
    # However long an answer takes: it is told after its question, and that is asked after the answer before. The start
    # has whole milliseconds.
    for before, question, answer in zip([0, *answers], asked, answers):
        assert before - 0.001 <= question <= answer + 0.001, (started, told)
    assert started + report["wall_seconds"] <= ended + 0.001
    assert report["wall_seconds"] >= report["simulated_seconds"] / pace - 0.001


def test_only_what_is_named_is_kept(tool, scenario):
    with exporter() as (url, _):
        done = tool.run(
            "run", scenario, "--out", "run", "--scrape", url, "--scrape-only", "wait_seconds_count, queue_*"
        ).expect(0)
    report, _ = read(done)
    assert [row["name"] for row in report["target_metrics"]["series"]] == ["queue_depth", "wait_seconds_count"]
    assert not any("--scrape-only" in line for line in report["warnings"])


def test_an_answer_of_many_series_is_read_to_its_end(tool, scenario):
    parts = "".join(f'part_depth{{p="{part}"}} {part}\n' for part in range(20_500))
    content = f"# TYPE part_depth gauge\n{parts}process_open_fds 7\nqueue_depth 5\n".encode()
    with exporter(content) as (url, _):
        done = tool.run("run", scenario, "--out", "run", "--scrape", url).expect(0)
        some = tool.run("run", scenario, "--out", "some", "--scrape", url, "--scrape-only", "queue_depth").expect(0)
    report, page = read(done)
    told = heard(report["target_metrics"])
    assert len(told["series"]) == 64 and told["series"][0]["name"] == "process_open_fds"
    assert told["omitted_series"] == 20_438 and "20438 further series were left out" in page.replace(",", "")
    named = json.loads((some.folder / "some" / "report.json").read_text())
    assert [row["name"] for row in heard(named["target_metrics"])["series"]] == ["queue_depth"]
    assert named["target_metrics"]["omitted_series"] == 0
    assert not any("--scrape" in line for line in named["warnings"])


def test_names_that_never_come_are_told_at_the_end(tool, scenario):
    with exporter() as (url, _):
        options = ["--scrape", url, "--scrape-only", "queue_depth,queue_dept,wait_hours_*"]
        done = tool.run("run", scenario, "--out", "run", *options).expect(0)
        quiet = tool.run("run", scenario, "--out", "quiet", "-q", *options).expect(0)
    report, _ = read(done)
    assert [row["name"] for row in report["target_metrics"]["series"]] == ["queue_depth"]
    told = "no metric has a name that --scrape-only asks for: queue_dept, wait_hours_*"
    assert any(line.endswith(told) for line in report["warnings"]), report["warnings"]
    assert quiet.err.count(told) == 1, "a quiet run has no summary in which it would stand"


@pytest.mark.parametrize(
    "content, status, reason",
    [
        (b"<!doctype html>\n<html>It works!</html>\n", 200, "the answer is none of Prometheus' (2 lines cannot be read)"),
        (b"", 200, "the answer has no metrics"),
        (b"not here\n", 404, "answered 404"),
        (b"a 1\n" * (1 << 21), 200, "answered more than 4 MB"),
    ],
    ids=["page", "nothing", "status", "flood"],
)
def test_a_target_that_tells_nonsense_is_told_and_does_no_harm(tool, scenario, content, status, reason):
    with exporter(content, status) as (url, asked):
        done = tool.run("run", scenario, "--out", "run", "--scrape", url).expect(0)
    report, page = read(done)
    told = heard(report["target_metrics"])
    assert told["failures"] == told["scrapes"] == len(asked) and told["series"] == []
    assert told["problem"] == reason and any(reason in line for line in report["warnings"])
    assert done.err.count("the run goes on") == 1 and reason in done.err
    assert report["verdict"] == "passed" and report["events"]["balance"] == 0
    assert "own metrics" in page


def test_values_that_are_no_numbers_are_counted_and_told(tool, scenario):
    content = b"# TYPE busy gauge\nbusy 1\n# TYPE lag gauge\nlag NaN\npeak +Inf\n# TYPE wait summary\nwait{quantile=\"0.5\"} NaN\n"
    with exporter(content) as (url, asked):
        done = tool.run("run", scenario, "--out", "run", "--scrape", url).expect(0)
        some = tool.run("run", scenario, "--out", "some", "--scrape", url, "--scrape-only", "busy").expect(0)
    report, page = read(done)
    told = heard(report["target_metrics"])
    assert told["failures"] == 0 and [row["name"] for row in told["series"]] == ["busy"]
    # Of a summary nothing is kept unless it is named, so nothing of it is left out either.
    assert told["unnumbered_values"] == 2 * told["scrapes"]
    assert done.err.count("left out of the answer: 2 values") == 1
    assert any(line.endswith(f"were left out: {2 * told['scrapes']}") for line in report["warnings"])
    assert f"were left out: {2 * told['scrapes']}." in page
    named = json.loads((some.folder / "some" / "report.json").read_text())["target_metrics"]
    assert named["unnumbered_values"] == 0 and "left out" not in some.err


def test_lines_that_cannot_be_read_are_counted_and_told(tool, scenario):
    content = b'busy 1\nlag{queue="in} 2\nlag 3 s\npeak five\n'
    with exporter(content) as (url, _):
        done = tool.run("run", scenario, "--out", "run", "--scrape", url).expect(0)
        some = tool.run("run", scenario, "--out", "some", "--scrape", url, "--scrape-only", "busy").expect(0)
    report, page = read(done)
    told = heard(report["target_metrics"])
    assert told["failures"] == 0 and "problem" not in told
    assert [row["name"] for row in told["series"]] == ["busy", "lag"] and len(told["seconds"]) == told["scrapes"]
    assert told["unreadable_lines"] == 2 * told["scrapes"]
    assert done.err.count("left out of the answer: 2 lines that cannot be read") == 1
    assert any(line.endswith(f"read were left out: {2 * told['scrapes']}") for line in report["warnings"])
    assert not any("no answer that could be read" in line for line in [page, *report["warnings"]])
    named = json.loads((some.folder / "some" / "report.json").read_text())["target_metrics"]
    assert named["unreadable_lines"] == 0 and "left out" not in some.err


def test_a_target_that_does_not_answer_is_told_and_does_no_harm(tool, scenario):
    with closed_port() as port:
        done = tool.run("run", scenario, "--out", "run", "--scrape", f"http://127.0.0.1:{port}").expect(0)
    report, _ = read(done)
    assert report["target_metrics"]["failures"] > 0 and report["verdict"] == "passed"
    assert "cannot connect" in done.err


def test_parts_of_a_run_keep_what_each_was_told(tool, scenario):
    """One part asks, or several, each another exporter: the joined run has what was told to each, by itself."""
    with exporter() as (one, _), exporter() as (two, _):
        collector = Collector(tool, tool.folder / "store.sqlite")

        def play(name: str, *asked: str | None) -> dict:
            at = (datetime.now(UTC) + timedelta(seconds=4)).strftime("%Y-%m-%dT%H:%M:%SZ")
            running = [
                tool.start(
                    "run", scenario, "--target", collector.url, "--shard", f"{part}/{len(asked)}", "--at", at, "--out",
                    tool.folder / name, "--threads", 1, "-q", *(["--scrape", url] if url else []),
                )
                for part, url in enumerate(asked)
            ]  # fmt: skip
            for process in running:
                process.wait().expect(0)
            out = tool.folder / f"{name}-all"
            tool.run("merge", tool.folder / name, "--out", out, "-q").expect(0)
            return json.loads((out / "report.json").read_text()) | {"page": (out / "report.html").read_text()}

        sole = play("sole", None, one)
        told = heard(sole["target_metrics"])
        assert told["part"] == "1/2" and told["url"] == f"{one}/metrics" and told["failures"] == 0
        assert told["series"][0]["name"] == "process_cpu_seconds_total" and len(told["seconds"]) >= 3
        assert f"Part 1/2 asked {one}/metrics" in sole["page"]
        both = play("both", one, two)
        assert "target_metrics" not in both
        told = both["target_metrics_of_parts"]
        assert [(part["part"], part["url"]) for part in told] == [("0/2", f"{one}/metrics"), ("1/2", f"{two}/metrics")]
        assert all(part["scrapes"] >= 3 and len(part["series"]) == 3 for part in map(heard, told))
        collector.stop()


@pytest.mark.parametrize(
    "options, reason",
    [
        (["--scrape", "http://198.51.100.7/metrics"], "198.51.100.7"),
        (["--scrape", "ftp://127.0.0.1/metrics"], "--scrape"),
        (["--scrape", "http://user:key@127.0.0.1/metrics"], "--scrape"),
        (["--scrape-only", "queue_*"], "--scrape-only"),
        (["--scrape", "http://127.0.0.1:9", "--scrape-only", "a,queue_*_seconds"], "--scrape-only: found queue_*_seconds"),
        (["--scrape", "http://127.0.0.1:9", "--scrape-only", " , "], '--scrape-only: found " , "'),
    ],
)
def test_what_may_not_be_asked_is_refused_before_anything_runs(tool, scenario, options, reason):
    done = tool.run("run", scenario, "--out", "run", *options).expect(64)
    assert reason in done.err and not (done.folder / "run").exists()


@pytest.mark.parametrize("verb, option", [("run", "--scrape"), ("capacity", "--scrape"), ("simulate", "--otlp")])
def test_an_endpoint_that_nothing_can_verify_is_refused_before_anything_runs(tool, scenario, verb, option):
    """On a machine without its own certificates, as small containers are."""
    probe = subprocess.run(["unshare", "-m", "true"], capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"no mounts of one's own (root needed): {probe.stderr.strip()}")
    bare = "mount -t tmpfs none /etc/ssl && exec \"$@\""
    words = [BINARY, verb, scenario, "--out", "out", option, "https://127.0.0.1:9/"]
    command = ["unshare", "-m", "sh", "-c", bare, "sh", *map(str, words)]
    done = Running(command, tool.folder, {"PATH": "/usr/bin:/bin:/usr/sbin"}).wait().expect(64)
    assert f"{option} https://127.0.0.1:9: the system has no certificates" in done.err, str(done)
    assert not (tool.folder / "out").exists()
