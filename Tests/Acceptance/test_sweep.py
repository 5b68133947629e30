"""Sweeps: a grid of simulations, what is drawn of it, and that it goes on after a kill."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
from pathlib import Path

import pytest

from conftest import Tool
from helpers import steady, write_scenario

BATCH = "populations.0.sdk.upload.batch"
INTERVAL = "populations.0.sdk.upload.flushInterval"
GRID = ("--vary", f"{BATCH}=5,50", "--vary", f"{INTERVAL}=1s,5s,10s")
#: What the scenario of these tests is warned of in any case.
SETTER = "/populations/0/sdk/upload/flushInterval: "
FILES = {"sweep.json", "sweep.csv", "sweep.html", "cells"}


def sweep(tool: Tool, *options: object, out: str = "s", code: int = 0, **changes) -> dict:
    path = write_scenario(tool.folder, steady(**changes))
    done = tool.run("sweep", path, "--json", "--out", out, *options).expect(code)
    return json.loads(done.out)


@pytest.fixture(scope="module")
def grid(tmp_path_factory) -> tuple[Path, dict]:
    """The sweep of the grid by two threads: its folder, and what it says."""
    tool = Tool(tmp_path_factory.mktemp("grid"))
    found = sweep(tool, *GRID, "--threads", 2)
    tool.close()
    return tool.folder / "s", found


def test_every_combination_is_the_simulation_that_it_would_be_alone(tool: Tool):
    found = sweep(tool, *GRID, "--seeds", 2)
    assert found["schema"] == "beaconswarm.sweep/1" and found["seeds"] == [7, 8]
    assert len(found["points"]) == 6 and found == json.loads((tool.folder / "s/sweep.json").read_text())
    assert {path.name for path in (tool.folder / "s").iterdir()} == FILES
    tool.run(
        "simulate", "scenario.json", "-q", "--out", "alone", "--seed", 8,
        "--set", f"{BATCH}=50", "--set", f"{INTERVAL}=10s",
    ).expect(0)
    alone = json.loads((tool.folder / "alone/report.json").read_text())
    cell = found["points"]["batch=50 flushInterval=10s"]["seeds"]["8"]
    assert cell["fingerprint"] == alone["fingerprint"] and cell["metrics"] == alone["metrics"]


def test_bodies_are_measured_unless_somebody_wants_them_written(tool: Tool):
    found = sweep(tool, "--vary", f"{BATCH}=50")
    assert found["bodies"] == "measure"
    written = sweep(tool, "--vary", f"{BATCH}=50", "--bodies", "encode", out="written")
    assert written["bodies"] == "encode"
    own, other = (all["points"]["batch=50"]["seeds"]["7"] for all in (found, written))
    assert own["fingerprint"] == other["fingerprint"]
    # Another sweep than the one that is in the folder, where that was broken off.
    path = write_scenario(tool.folder, steady())
    done = tool.run("sweep", path, "--json", "--vary", f"{BATCH}=50", "--out", "e", env={"BEACONSWARM_BODIES": "encode"})
    assert json.loads(done.expect(0).out)["bodies"] == "encode"


def test_one_point_is_told_in_the_singular(tool: Tool):
    path = write_scenario(tool.folder, steady(devices=2, duration="5s"))
    done = tool.run("sweep", path, "--vary", f"{BATCH}=50", "--out", "s").expect(0)
    assert "acceptance, 1 point, 1 simulation\n" in done.err
    assert "1 point over 1 seed." in " ".join(done.out.split())


def test_the_front_is_what_nothing_beats(grid: tuple[Path, dict]):
    folder, found = grid

    def goals(point: dict) -> tuple[float, float, float]:
        cell = point["seeds"]["7"]
        metrics = cell["metrics"]
        return (
            cell["measures"]["requests_per_device_day"],
            metrics["event_freshness"]["p(95)"],
            metrics["events_lost"]["rate"],
        )

    all_goals = {name: goals(point) for name, point in found["points"].items()}
    front = [
        name
        for name, own in all_goals.items()
        if not any(other != own and all(x <= y for x, y in zip(other, own)) for other in all_goals.values())
    ]
    assert found["front"] == front and 1 <= len(front) < 6
    rows = list(csv.DictReader((folder / "sweep.csv").read_text().splitlines()))
    assert [row[BATCH] for row in rows] == ["5"] * 3 + ["50"] * 3
    for row, (name, own) in zip(rows, all_goals.items()):
        assert row["pareto"] == ("1" if name in front else "0")
        assert float(row["requests_per_device_day"]) == pytest.approx(own[0])
        assert float(row["event_freshness.p(95)"]) == pytest.approx(own[1])


def test_a_sweep_that_fails_says_why_and_where(tool: Tool):
    """No event is lost: one of the two conditions cannot hold."""
    path = write_scenario(tool.folder, steady(devices=2, duration="10s"))
    vary = 'thresholds.events_lost=["rate<0.1"],["rate<0"]'
    done = tool.run("sweep", path, "--vary", vary, "--seeds", 2, "--out", "s", "--no-color").expect(99)
    said = " ".join(done.out.split())
    assert "✗ 2 of 4 simulations did not pass;" in said and "exit code 99: events_lost violated rate<0" in said
    assert '1 of 2 points did not pass: events_lost=["rate<0"] (failed).' in said
    # The two are equal in all that is drawn, so nothing beats either.
    assert '✗ events_lost=["rate<0"]' in said and '✗ events_lost=["rate<0.1"]' not in said
    assert "✗: did not pass" in said
    found = json.loads((tool.folder / "s/sweep.json").read_text())
    assert (found["verdict"], found["exit_code"]) == ("failed", 99) and len(found["front"]) == 2
    lines = list(csv.reader((tool.folder / "s/sweep.csv").read_text().splitlines()))
    assert [line[-1] for line in lines] == ["verdict", "passed", "failed"]
    page = (tool.folder / "s/sweep.html").read_text()
    assert "2 of 4 simulations did not pass;" in page and "Failed (exit code 99)" in page
    assert '<td class="w judged passed">passed</td>' in page and '<td class="w judged failed">failed</td>' in page
    assert len(re.findall(r'class="loss\d front failed"', re.search(r'<svg class="chart trade roomy".*?</svg>', page, re.S)[0])) == 1
    passed = tool.run("sweep", path, "--vary", f"{BATCH}=5,50", "--out", "p", "--no-color").expect(0)
    assert "✓ 2 simulations passed." in passed.out and "did not pass" not in passed.out


def test_warnings_of_points_are_told_once_and_listed(tool: Tool):
    """With the first point that has them, unless the scenario itself does; secrets stay masked."""
    entries = [{"name": "o", "at": "5s", "collector": {"fault": "outage"}}, {"at": "2m", "device": {"network": "none"}}]
    thresholds = {"events_lost{entry:o}": ["rate<=1"]}
    path = write_scenario(tool.folder, steady(devices=2, duration="10s", timeline=entries, thresholds=thresholds))
    axes = ("--vary", "timeline.0.at=1s,20m,30m", "--vary", "target.url=http://127.0.0.1:9/sa?token=sesame,http://127.0.0.1:9/sa?token=${DOOR}")
    options = ("sweep", path, *axes, "-q", "--out", "s")
    done = tool.run(*options, env={"DOOR": "open-up"}).expect(0)
    told = [line.removeprefix("warning: ") for line in done.err.splitlines() if line.startswith("warning: ")]
    assert json.loads((tool.folder / "s/sweep.json").read_text())["warnings"] == told
    assert told.pop(0).startswith(SETTER)
    assert told[0].startswith("/timeline/1/at: ") and all(line.startswith("point at=") for line in told[1:]), str(done)
    late = [line for line in told if "/timeline/0/at: " in line]
    assert [line.split(" ")[1] for line in late] == ["at=20m", "at=30m"], str(done)
    assert all(" and 1 more point: /timeline/0/at: " in line for line in late), str(done)
    assert len([line for line in told if ": the condition is left out" in line]) == 2, str(done)
    page = (tool.folder / "s/sweep.html").read_text()
    assert "/timeline/1/at: 2m is not before" in page and "/timeline/0/at: 30m is not before" in page
    # What is wrong with the scenario's own value, which no point has, is not told.
    other = tool.run("sweep", path, "--vary", "timeline.1.at=1s,2s", "-q", "--out", "other").expect(0)
    assert [line.removeprefix("warning: ").startswith(SETTER) for line in other.err.splitlines()] == [True], str(other)
    assert not any(secret in text for secret in ("sesame", "open-up") for text in (done.err, page, *told))


def test_points_with_other_users_are_told(tool: Tool):
    """Populations of other names are other fleets: one may be better by chance."""
    path = write_scenario(tool.folder, steady(devices=2, duration="10s"))
    for axis, isForeign in (("populations.0.name=a,b", True), ("populations.ios.devices=1,2", True), (f"{BATCH}=5,50", False)):
        out = f"s{axis.count('.')}{axis[-1]}"
        said = " ".join(tool.run("sweep", path, "--vary", axis, "--out", out).expect(0).out.split())
        page = (tool.folder / out / "sweep.html").read_text()
        caution = f"not only another policy ({axis.partition('=')[0]})"
        assert (caution in said) == (caution in page) == isForeign, axis


def test_the_page_draws_each_point_and_sorts_without_a_script(grid: tuple[Path, dict]):
    folder, found = grid
    page = (folder / "sweep.html").read_text()
    assert "<script" not in page and "default-src 'none'" in page
    roomy = re.search(r'<svg class="chart trade roomy".*?</svg>', page, re.S)[0]
    assert len(re.findall("<circle", roomy)) == 6
    assert len(re.findall(r'class="loss\d front"', roomy)) == len(found["front"])
    # Each order is a permutation of the rows.
    rules = re.findall(r"nth-child\((\d+)\)\{(.*?)\}", page)
    orders = [dict(re.findall(r"--s(\d+):(\d+)", rule)) for _, rule in rules]
    assert len(orders) == 6
    for key in orders[0]:
        assert sorted(int(order[key]) for order in orders) == list(range(6))


@pytest.mark.parametrize("threads", [1, 3])
def test_no_result_depends_on_the_number_of_threads(tool: Tool, grid: tuple[Path, dict], threads: int):
    sweep(tool, *GRID, "--threads", threads, out="other")
    for name in FILES - {"cells"}:
        assert (grid[0] / name).read_bytes() == (tool.folder / "other" / name).read_bytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_goes_on_after_it_was_broken_off(tool: Tool, number):
    changes = {"duration": "3m", "devices": 20}
    path = write_scenario(tool.folder, steady(**changes))
    command = ["sweep", path, *GRID, "--seeds", 3, "--out", "s"]
    running = tool.start(*command)
    cells = tool.folder / "s/cells"
    running.wait_until(lambda: len(list(cells.glob("*.json"))) >= 2, "played two simulations")
    # Those under way might still come to their end: some more are to be left.
    done = running.break_off(number, lambda: len(list(cells.glob("*.json"))) > 12)
    assert done.code == (105 if number == signal.SIGINT else -9), str(done)
    assert {path.name for path in (tool.folder / "s").iterdir()} == {"cells", "sweep.partial.json"}
    before = {path.name: path.stat().st_mtime_ns for path in cells.glob("*.json")}
    # Neither another grid nor other options may go on there.
    for other in ([*GRID, "--seeds", 4], [*GRID[:2], "--seeds", 3], [*GRID, "--seeds", 3, "--devices", 5]):
        tool.run("sweep", path, *other, "--out", "s").expect(64)
    # What is drawn of the simulations, and how they are played, may be another.
    drawn = ("--cost", "data_sent", "--freshness", "event_freshness.p(99)")
    again = tool.run(*command, *drawn, "--threads", 1).expect(0)
    assert "played already" in again.err
    after = {path.name: path.stat().st_mtime_ns for path in cells.glob("*.json")}
    assert before.items() <= after.items() and len(after) == 18
    tool.run("sweep", path, *GRID, "--seeds", 3, "-q", *drawn, "--out", "whole").expect(0)
    for name in FILES - {"cells"}:
        assert (tool.folder / "s" / name).read_bytes() == (tool.folder / "whole" / name).read_bytes()
    tool.run(*command).expect(64)


def test_it_goes_on_after_a_full_disk_wherever_that_stopped_it(tool: Tool, tiny_disk: Path):
    path = write_scenario(tool.folder, steady(devices=4))
    command = ["sweep", path, "--vary", f"{BATCH}=5,50", "-q", "--out"]
    tool.run(*command, "whole").expect(0)
    run, filler, left = tiny_disk / "s", tiny_disk / "filler", set()
    for free in range(0, 64, 4):
        filler.write_bytes(b"x" * ((512 - free) << 10))
        done = tool.run(*command, run)
        if done.code == 0:
            break
        assert done.code == 70 and "No space left on device" in done.err, f"{free} kB free\n{done}"
        # What came out is there as a whole, or not at all.
        names = {path.name for path in run.iterdir()} if run.exists() else set()
        assert names in (set(), {"cells", "sweep.partial.json"}), f"{free} kB free: {names}"
        left.add((len(list(run.glob("cells/*.json"))), bool(names)))
        filler.unlink()
        # What the machine's disk spoiled is played again, too.
        for first in run.glob("cells/1-*.json"):
            cell = first.read_text()
            assert '"verdict": "passed"' in cell
            first.write_text(cell.replace('"verdict": "passed"', '"verdict": "invalid"').replace('"exit_code": 0', '"exit_code": 96'))
        tool.run(*command, run).expect(0)
        for name in FILES - {"cells"}:
            assert (run / name).read_bytes() == (tool.folder / "whole" / name).read_bytes(), f"{free} kB free"
        shutil.rmtree(run)
    assert {(0, False), (2, True)} <= left, left


@pytest.mark.parametrize(
    "options, code, says",
    [
        ((), 64, "--vary"),
        (("--vary", "x"), 64, "PATH=A,B,C"),
        (("--vary", f"{BATCH}=5,,6"), 64, "each comma"),
        (("--vary", f"{BATCH}=5,5"), 64, "twice"),
        (("--vary", f"{BATCH}=5", "--vary", f"{BATCH}=6"), 64, "twice"),
        (("--vary", f"{BATCH}=5,many"), 104, f"--vary {BATCH}: /populations/0/sdk/upload/batch"),
        (("--vary", "populations.0.sdk.uplaod.batch=5"), 104, "upload"),
        (("--vary", f"{BATCH}=5", "--cost", "money"), 64, "--cost money"),
        (("--vary", "seed=1,2"), 64, "--seeds"),
        (("--vary", f"{BATCH}=5", "--vary", "populations.ios.sdk.upload.batch=6"), 64, f"--vary {BATCH} changes"),
        (("--vary", "variants.slow.drain=1s"), 104, "written in its file"),
        (("--vary", f"{BATCH}=5", "--freshness", "freshness_within_1m"), 64, "less is better"),
        (("--vary", f"{BATCH}=5", "--cost", "events_lost.rejected.xyz"), 64, "retries_exhausted"),
        (("--vary", f"{BATCH}=5", "--cost", "http_reqs{population:io}"), 64, "a population: ios; did you mean ios?"),
        (("--vary", f"{BATCH}=5", "--freshness", "event_freshness{entry:outage}.p(95)"), 64, "there is none"),
        (("--vary", "duration=10s,20s", "--duration", "5s"), 64, "duration=10s and duration=20s give the same scenario"),
        (("--vary", "populations.0.devices=2,4", "--devices", "3"), 64, "give the same scenario"),
    ],
)
def test_wrong_usage(tool: Tool, options, code, says):
    path = write_scenario(tool.folder, steady())
    done = tool.run("sweep", path, "--out", "s", *options).expect(code)
    assert says in done.err and not (tool.folder / "s").exists()


def test_points_that_differ_in_what_is_masked_are_not_the_same(tool: Tool):
    path = write_scenario(tool.folder, steady(devices=2, duration="5s") | {"target": {"url": "http://127.0.0.1:9/sa"}})
    tool.run("sweep", path, "--vary", "target.headers.Authorization=swordfish1,swordfish2", "--out", "s", "-q").expect(0)
    assert len(json.loads((tool.folder / "s/sweep.json").read_text())["points"]) == 2


@pytest.mark.parametrize(
    "axis",
    [
        "target.url=http://127.0.0.1:1/sa?token=OPENSESAME1,http://127.0.0.1:1/sa?token=OPENSESAME2",
        'target.headers={"Authorization":"Bearer OPENSESAME1"},{"Authorization":"Bearer OPENSESAME2"}',
        "target.headers.Authorization=Bearer OPENSESAME1,Bearer OPENSESAME2",
    ],
    ids=["url", "headers", "header"],
)
def test_secrets_among_the_values_are_shown_to_nobody(tool: Tool, axis: str):
    path = write_scenario(tool.folder, steady(devices=2, duration="5s") | {"target": {"url": "http://127.0.0.1:1/sa"}})
    done = tool.run("sweep", path, "--vary", axis, "--seeds", 1, "--out", "out").expect(0)
    files = [file.read_text() for file in (tool.folder / "out").rglob("*") if file.is_file()]
    shown = "".join([done.out, done.err, *files])
    assert "OPENSESAME" not in shown
    names = json.loads((tool.folder / "out/sweep.json").read_text())["points"]
    assert len(names) == 2 and all("[redacted]" in name for name in names), names


def test_a_single_population_is_the_fleet(tool: Tool):
    options = ("--vary", f"{BATCH}=5,50", "--cost", "http_reqs{population:ios}")
    found = sweep(tool, *options)
    assert found["front"]
    rows = list(csv.DictReader((tool.folder / "s/sweep.csv").read_text().splitlines()))
    page = (tool.folder / "s/sweep.html").read_text()
    assert "http_reqs{population:ios}" in page and "no samples" not in page
    assert [row["pareto"] for row in rows].count("1") == len(found["front"])


def test_a_figure_without_samples_is_told(tool: Tool):
    """Until the end nothing answers: no event of the outage arrives."""
    path = write_scenario(
        tool.folder, steady(duration="10s", timeline=[{"at": "9s", "name": "late", "collector": {"fault": "outage"}}])
    )
    figure = "event_freshness{entry:late}.p(95)"
    done = tool.run("sweep", path, "--out", "s", "--vary", f"{BATCH}=5,50", "--freshness", figure).expect(0)
    said = f"{figure} has no samples in any point"
    assert said in " ".join(done.out.split()) and said in (tool.folder / "s/sweep.html").read_text()


def test_a_point_without_samples_is_left_off_the_front_by_its_name(tool: Tool):
    """Where the first request is sent after the end, nothing arrives: nobody knows how fresh that is."""
    path = write_scenario(tool.folder, steady(duration="10s", drain="0s"))
    interval = "populations.0.sdk.upload.flushInterval"
    knobs = ["--set", "populations.0.sdk.upload.flushBulkSize=1000"]
    done = tool.run("sweep", path, "--out", "s", "--vary", f"{interval}=2s,1h", *knobs).expect(0)
    assert json.loads((tool.folder / "s/sweep.json").read_text())["front"] == ["flushInterval=2s"]
    for text in (" ".join(done.out.split()), (tool.folder / "s/sweep.html").read_text()):
        assert "event_freshness.p(95) has no samples in 1 of 2 points" in text
        assert "left off the front: flushInterval=1h." in text
        assert "to 100 % of the events were still waiting when the run ended" in text


def test_values_may_be_lists_and_texts_with_commas(tool: Tool):
    found = sweep(tool, "--vary", 'populations.0.sdk.upload.networks=["wifi","4g"],["wifi"]')
    assert len(found["points"]) == 2


@pytest.mark.parametrize("figure", ["batch_size.avg", "events_captured", "freshness_within_1h"])
def test_a_front_is_of_figures_of_which_less_is_better(tool: Tool, figure: str):
    path = write_scenario(tool.folder, steady(devices=2, duration="10s"))
    vary = "populations.0.sdk.upload.batch=10,20"
    refused = tool.run("sweep", path, "--vary", vary, "--cost", figure, "--out", "out").expect(64)
    assert "figures of which less is better" in refused.err and not (tool.folder / "out").exists()


def test_a_scenario_is_no_run_to_be_compared(tool: Tool):
    path = write_scenario(tool.folder, steady(devices=2, duration="10s"))
    assert "looks like a scenario" in tool.run("compare", path).expect(104).err
