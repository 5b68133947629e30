"""The policy lab: variants over seeds, and what a comparison makes of them, by the program's own files."""

from __future__ import annotations

import copy
import json
import re
import resource
import signal
import statistics
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from conftest import Tool
from helpers import write_scenario

#: Seconds that it takes: the longest go first.
LONG = 40

#: What two runs of one scenario and seed may differ in.
OWN = {"started_at", "wall_seconds", "generator", "run"}
#: The files of a run's folder that tell of these.
DATED = {"report.json", "report.html", "summary.md", "junit.xml", "beliefs.txt"}

#: Full stores in an outage: how much is lost depends on the limit.
OUTAGE = {
    "name": "policy",
    "seed": 11,
    "duration": "6m",
    "drain": "30s",
    "populations": [
        {
            "name": "ios",
            "devices": 30,
            "system": "sensors",
            "version": "4.9.1",
            "persona": {"preset": "steady", "rate": "1/s"},
            "arrival": {"over": "10s"},
            "sdk": {"storage": {"backend": "memory", "limit": 500, "evict": 100}},
        }
    ],
    "timeline": [{"at": "1m", "for": "2m", "collector": {"fault": "outage"}}],
    "variants": {
        "small": {"populations.ios.sdk.storage.limit": 60, "populations.ios.sdk.storage.evict": 10},
        "slow": {"/populations/0/sdk/upload/flushInterval": "60s"},
    },
}


def play(tool: Tool, scenario: dict, *options: object, out: str = "lab", code: int = 0) -> Path:
    path = write_scenario(tool.folder, scenario)
    tool.run("simulate", path, "-q", "--out", out, *options).expect(code)
    return tool.folder / out


def comparison(tool: Tool, *arguments: object, code: int = 0) -> dict:
    return json.loads(tool.run("compare", "--json", *arguments).expect(code).out)


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> tuple[Tool, Path]:
    """A run of three variants over four seeds."""
    tool = Tool(tmp_path_factory.mktemp("lab"))
    yield tool, play(tool, OUTAGE, "--seeds", 4)
    tool.close()


def own(report: dict) -> dict:
    return {key: value for key, value in report.items() if key not in OWN}


def undated(path: Path) -> bytes:
    """A `junit.xml` without when and how long."""
    root = ElementTree.parse(path).getroot()
    for element in root.iter():
        for name in ("time", "timestamp"):
            element.attrib.pop(name, None)
    return ElementTree.tostring(root)


def test_cells_are_the_runs_that_they_would_be_alone(lab):
    tool, run = lab
    report = json.loads((run / "report.json").read_text())
    assert report["schema"] == "beaconswarm.comparison/1"
    assert list(report["variants"]) == ["base", "small", "slow"] and report["seeds"] == [11, 12, 13, 14]
    tool.run(
        "simulate", "scenario.json", "-q", "--out", "alone", "--variant", "small", "--seed", 13,
        "--bodies", "measure",
    ).expect(0)
    alone = json.loads((tool.folder / "alone/report.json").read_text())
    cell = json.loads((run / "variants/small/seeds/13/report.json").read_text())
    assert own(alone) == own(cell)
    kept = report["variants"]["small"]["seeds"]["13"]
    assert kept["metrics"] == cell["metrics"] and kept["fingerprint"] == cell["fingerprint"]
    assert report["variants"]["small"]["changes"] == {
        "/populations/0/sdk/storage/limit": 60, "/populations/0/sdk/storage/evict": 10,
    }
    # The same users do the same: what is captured depends on the seed alone.
    for seed in report["seeds"]:
        captured = {
            variant["seeds"][str(seed)]["events"]["captured"] for variant in report["variants"].values()
        }
        assert len(captured) == 1


def test_a_report_is_the_same_for_any_number_of_threads(tool: Tool, lab):
    runs = [play(tool, OUTAGE, "--seeds", 2, "--threads", threads, out=f"lab{threads}") for threads in (1, 3)]
    for name in ("report.json", "report.html"):
        assert (runs[0] / name).read_bytes() == (runs[1] / name).read_bytes()
    for run in runs:
        # Of four seeds, on as many threads as there are cores.
        for path in run.rglob("seeds/*/report.json"):
            other = lab[1] / path.relative_to(run)
            assert own(json.loads(path.read_text())) == own(json.loads(other.read_text()))
            files = {file.name for file in path.parent.iterdir()}
            assert files == {file.name for file in other.parent.iterdir()} and DATED < files
            for name in files - DATED:
                assert (path.parent / name).read_bytes() == (other.parent / name).read_bytes(), path.parent / name
            assert undated(path.parent / "junit.xml") == undated(other.parent / "junit.xml")


def test_json_is_the_report(tool: Tool):
    path = write_scenario(tool.folder, OUTAGE)
    done = tool.run("simulate", path, "--json", "--seeds", "3..4", "--variant", "slow", "--out", "x").expect(0)
    assert done.out == (tool.folder / "x/report.json").read_text()
    report = json.loads(done.out)
    assert list(report["variants"]) == ["slow"] and report["seeds"] == [3, 4]


def test_the_highest_ranking_exit_code_of_all_cells(tool: Tool):
    scenario = OUTAGE | {"thresholds": {"events_lost": ["rate<0.001"]}}
    run = play(tool, scenario, code=99)
    report = json.loads((run / "report.json").read_text())
    assert (report["verdict"], report["exit_code"]) == ("failed", 99)
    codes = {name: variant["seeds"]["11"]["exit_code"] for name, variant in report["variants"].items()}
    assert codes == {"base": 0, "small": 99, "slow": 0}
    alone = json.loads((run / "variants/small/seeds/11/report.json").read_text())
    failed = report["variants"]["small"]["seeds"]["11"]
    assert failed["reason"] == alone["reasons"][0] and failed["reason"].startswith("events_lost violated rate<0.001")
    assert "reason" not in report["variants"]["base"]["seeds"]["11"]
    said = " ".join(tool.run("report", run).expect(0).out.split())
    assert f"1 of 3 simulations did not pass; small, seed 11: failed, exit code 99: {failed['reason']}" in said


def test_other_verbs_play_the_scenario_itself_unless_told(tool: Tool):
    path = write_scenario(tool.folder, OUTAGE)
    plain = copy.deepcopy(OUTAGE)
    del plain["variants"]
    write_scenario(tool.folder, plain, "plain.json")
    tool.run("simulate", path, "-q", "--variant", "base", "--out", "base").expect(0)
    tool.run("simulate", "plain.json", "-q", "--out", "plain").expect(0)
    one, other = (json.loads((tool.folder / name / "report.json").read_text()) for name in ("base", "plain"))
    assert one["fingerprint"] == other["fingerprint"] and one["metrics"] == other["metrics"]
    tool.run("sample", path, "--variant", "slow").expect(0)
    failed = tool.run("sample", path, "--variant", "slwo").expect(104)
    assert 'did you mean "slow"' in failed.err


@pytest.mark.parametrize(
    "options, says",
    [
        (("--seeds", "0"), "--seeds 0"),
        (("--seeds", "4..2"), "--seeds 4..2"),
        (("--seeds", "1..2", "--seed", "3"), "--seed has no meaning"),
        (("--events", "e.ndjson"), "--events"),
        (("--threads", "0"), "--threads 0"),
    ],
)
def test_wrong_usage(tool: Tool, options, says):
    path = write_scenario(tool.folder, OUTAGE)
    done = tool.run("simulate", path, "--out", "x", *options).expect(64)
    assert says in done.err and not (tool.folder / "x").exists()


def test_a_wrong_variant_is_a_problem_where_it_stands(tool: Tool):
    scenario = OUTAGE | {"variants": {"big": {"populations.ios.sdk.storage.limit": -1}}}
    path = write_scenario(tool.folder, scenario)
    for verb in ("simulate", "validate", "run"):
        done = tool.run(verb, path).expect(104)
        assert "/variants/big/populations.ios.sdk.storage.limit" in done.err
    assert not (tool.folder / "reports").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_is_broken_off_does_not_look_whole(tool: Tool, number):
    scenario = copy.deepcopy(OUTAGE) | {"duration": "1h"}
    path = write_scenario(tool.folder, scenario)
    running = tool.start("simulate", path, "--seeds", 50, "--out", "lab", "--threads", 2)
    run = tool.folder / "lab"
    running.wait_until(lambda: list(run.glob("variants/*/seeds/*")), "began a simulation")
    running.signal(number)
    done = running.wait()
    assert done.code == (105 if number != signal.SIGKILL else -9)
    assert not (run / "report.json").exists() and not (run / "report.html").exists()
    partial = json.loads((run / "report.partial.json").read_text())
    assert partial["verdict"] == "interrupted" and partial["partial"] is True
    if number != signal.SIGKILL:
        whole = sum(len(variant["seeds"]) for variant in partial["variants"].values())
        assert all(int(told) <= whole for told in re.findall(r"(\d+) of \d+ simulations", done.err)), str(done)
    for cell in run.glob("variants/*/seeds/*/report.json"):
        assert json.loads(cell.read_text())["verdict"] == "passed"
    tool.run("compare", "lab").expect(64, 104)
    if not partial["variants"]["base"]["seeds"]:
        # Of nothing, nothing is said to be the same.
        for form in ([], ["--format", "md"]):
            shown = tool.run("report", "lab", *form).expect(0).out
            assert "No regression" not in shown and "the same in every figure" not in shown


def test_of_a_killed_series_all_that_is_whole_is_told(tool: Tool):
    """A kill leaves no time to write down what came of it; its runs are whole in their folders."""
    path = write_scenario(tool.folder, {key: value for key, value in OUTAGE.items() if key != "variants"} | {"duration": "20m"})
    running = tool.start("simulate", path, "--seeds", 400, "--out", "lab", "--threads", 1, "--bodies", "measure")
    run = tool.folder / "lab"
    running.wait_until(lambda: len(list(run.glob("variants/*/seeds/*/report.json"))) >= 3, "played three simulations")
    running.signal(signal.SIGKILL)
    assert running.wait().code == -9
    whole = {path.parent.name: json.loads(path.read_text()) for path in run.glob("variants/base/seeds/*/report.json")}
    told = json.loads(tool.run("report", "lab", "--format", "json").expect(0).out)
    assert told["partial"] is True and (told["verdict"], told["exit_code"]) == ("interrupted", 105)
    cells = told["variants"]["base"]["seeds"]
    assert cells.keys() == whole.keys() and len(cells) >= 3
    assert all(cells[seed]["fingerprint"] == report["fingerprint"] for seed, report in whole.items())
    for place in ("lab", "lab/report.partial.json"):
        said = " ".join(tool.run("report", place).expect(0).out.split())
        assert f"{len(whole)} simulations passed. The rest is missing" in said, said
    # What is not whole is not compared.
    tool.run("compare", "lab", "lab").expect(64, 104)
    # What cannot be read is not there.
    first = min(whole, key=int)
    (run / f"variants/base/seeds/{first}/report.json").write_text("{}")
    told = json.loads(tool.run("report", "lab", "--format", "json").expect(0).out)
    assert told["variants"]["base"]["seeds"].keys() == whole.keys() - {first}


def test_costs_are_those_of_a_day_of_users_whatever_the_drain_and_the_warm_up(tool: Tool):
    """By the runs' own counters. A back-off that begins as users stop makes the drain long, and nothing cheaper."""
    scenario = copy.deepcopy(OUTAGE) | {"duration": "4m", "drain": "5m"}
    scenario["timeline"] = [{"at": "238s", "for": "20s", "name": "end", "collector": {"fault": "outage"}}]
    waits = {"initial": "2m", "factor": 1, "max": "2m", "jitter": 0}
    scenario["variants"] = {
        "patient": {"populations.ios.sdk.upload.backoff": waits}, "warm": {"measureFrom": "1m"},
    }
    run = play(tool, scenario, "--seeds", 2)
    lengths = {}
    for name, variant in json.loads((run / "report.json").read_text())["variants"].items():
        for seed, cell in variant["seeds"].items():
            report = json.loads((run / f"variants/{name}/seeds/{seed}/report.json").read_text())
            metrics, measures, from_ = report["metrics"], cell["measures"], 60 if name == "warm" else 0
            assert report["users_seconds"] == 240 and cell["metrics"] == metrics
            days = report["devices"] * (240 - from_) / 86_400
            requests = metrics["http_reqs"]["count"]
            assert measures["requests_per_device_day"] == pytest.approx(requests / days)
            assert measures["bytes_per_device_day"] == pytest.approx(metrics["data_sent"]["count"] / days)
            delivered = metrics["event_freshness"]["count"]
            assert measures["bytes_per_delivered_event"] == pytest.approx(metrics["data_sent"]["count"] / delivered)
            busiest = report["peak_uploads_per_second"]
            assert measures["peak_to_mean_requests"] == pytest.approx(busiest / (requests / (240 - from_)))
            lengths.setdefault(name, []).append(report["simulated_seconds"])
    assert min(lengths["patient"]) > max(lengths["base"]) + 60
    rows = comparison(tool, "lab", "--candidate", "patient", "--gate", "bytes_per_device_day>=base*0.98")["metrics"]
    assert rows["data_sent"]["verdict"] == rows["bytes_per_device_day"]["verdict"] == "same"


def test_a_full_disk_is_told_as_such(tool: Tool, tiny_disk: Path):
    path = write_scenario(tool.folder, {key: value for key, value in OUTAGE.items() if key != "variants"})
    tool.run("simulate", path, "--bodies", "measure", "--out", "one", "-q").expect(0)
    whole = len(list((tool.folder / "one").iterdir()))
    run = tiny_disk / "lab"
    done = tool.run("simulate", path, "--seeds", 12, "--threads", 2, "--out", run, "-q").expect(70)
    assert "No space left on device" in done.err
    assert not (run / "report.html").exists()
    reports = {cell.parent: json.loads(cell.read_text()) for cell in run.glob("variants/*/seeds/*/report.json")}
    for folder, report in reports.items():
        # A simulation whose files are not all there says so.
        lacks = len(list(folder.iterdir())) < whole
        assert (report["exit_code"], report["verdict"]) == ((70, "failed") if lacks else (0, "passed"))
    for folder in run.glob("variants/*/seeds/*"):
        assert folder in reports, "a folder without a report stays"
    partial = json.loads((run / "report.partial.json").read_text())
    # Room for the last word is kept from the start.
    assert (partial["exit_code"], partial["verdict"]) == (70, "failed")


def test_comparison_of_variants(lab):
    tool, run = lab
    worse = comparison(tool, "lab", "--candidate", "small", code=99)
    row = worse["metrics"]["events_lost"]
    assert row["verdict"] == "worse" and row["pairs"] == 4

    # By hand: the paired differences of the cells' own reports.
    def lost(variant: str, seed: int) -> float:
        report = json.loads((run / f"variants/{variant}/seeds/{seed}/report.json").read_text())
        return report["metrics"]["events_lost"]["rate"]

    differences = [lost("small", seed) - lost("base", seed) for seed in (11, 12, 13, 14)]
    mean, half = statistics.fmean(differences), 3.1824463052837078 * statistics.stdev(differences) / 2
    assert row["difference"] == pytest.approx(mean) and row["interval"] == pytest.approx([mean - half, mean + half])
    # The other way round less is lost, and what is saved from the outage arrives late.
    back = comparison(tool, "lab/variants/small", "lab/variants/base", code=99)["metrics"]
    assert (back["events_lost"]["verdict"], back["event_freshness.p(95)"]["verdict"]) == ("better", "worse")
    # A name, a folder and the file of the run mean the same.
    for arguments in [
        ("lab", "lab", "--candidate", "small"),
        ("lab/report.json", "--candidate", "small"),
        ("lab/variants/base/", "lab/variants/small"),
        ("lab/report.json/variants/base", "lab", "--candidate", "small"),
    ]:
        assert comparison(tool, *arguments, code=99)["metrics"] == worse["metrics"]


def test_identical_variants_are_byte_equal_and_the_same(tool: Tool):
    scenario = OUTAGE | {"variants": {"twin": {"populations.ios.sdk.storage.limit": 500}}}
    run = play(tool, scenario, "--seeds", 2)
    report = json.loads((run / "report.json").read_text())
    assert report["variants"]["twin"]["seeds"] == report["variants"]["base"]["seeds"]
    for form, reason in [("xyz", "not a format"), ("junit", "not for several simulations")]:
        refused = tool.run("report", run, "--format", form).expect(64)
        assert f"--format {form}: {reason}; allowed: html, md, json" in refused.err
    found = comparison(tool, "lab", "--strict")
    assert {row["verdict"] for row in found["metrics"].values()} == {"same"} and found["differences"] == []


def test_the_last_seed_of_all_is_played_like_any_other(tool: Tool):
    last = 2**64 - 1
    path = write_scenario(tool.folder, OUTAGE | {"duration": "30s", "timeline": []})
    for out, options in (("a", ["--seed", last, "--seeds", 1]), ("b", ["--seeds", f"{last}..{last}"])):
        tool.run("simulate", path, "-q", "--variant", "base", "--out", out, *options).expect(0)
        report = json.loads((tool.folder / out / "report.json").read_text())
        assert report["seeds"] == [last] and list(report["variants"]["base"]["seeds"]) == [str(last)]
    beyond = tool.run("simulate", path, "-q", "--out", "c", "--seed", last, "--seeds", 2).expect(64)
    assert "--seeds 2: there are not so many seeds" in beyond.err


def test_a_variant_that_an_option_undoes_is_told(tool: Tool):
    """It is played all the same, and whoever compares it is told that nothing is compared."""
    path = write_scenario(tool.folder, OUTAGE | {"duration": "30s", "timeline": []})
    setting = "populations.ios.sdk.storage.limit=300\npopulations.ios.sdk.storage.evict=20"
    limit, evict = (f"/populations/0/sdk/storage/{name}" for name in ("limit=300", "evict=20"))
    sets = [word for each in setting.split("\n") for word in ("--set", each)]
    for out, options, env, origin in (("a", sets, {}, "--set"), ("b", [], {"BEACONSWARM_SET": setting}, "BEACONSWARM_SET")):
        done = tool.run("simulate", path, "-q", "--out", out, "--seeds", 2, *options, env=env).expect(0)
        told = " ".join(done.err.split())
        assert f"warning: variant small is the same as base: {origin} {limit} and {origin} {evict} decide" in told
        assert "variant slow" not in told
        found = comparison(tool, out, "--candidate", "small")
        assert found["differences"] == []
        assert any(warning.startswith("small is the same scenario as base: no policy is compared") for warning in found["warnings"])
        slow = tool.run("compare", out, "--candidate", "slow").expect(0, 99)
        assert "no policy is compared" not in " ".join(slow.out.split())
    # Part of what a variant changes is still another policy, and a variant alone is compared with nothing.
    for options in (sets[:2], [*sets, "--variant", "small"]):
        part = tool.run("simulate", path, "-q", "--out", f"c{len(options)}", "--seeds", 2, *options).expect(0)
        assert "the same as base" not in part.err


def late_variants() -> dict:
    """A scenario with a warning of its own, and variants in which an entry and its condition come too late."""
    entries = [
        {"name": "o", "at": "10s", "collector": {"fault": "outage"}},
        {"name": "never", "at": "2m", "device": {"network": "none"}},
    ]
    thresholds = {"events_lost{entry:o}": ["rate<=1"]}
    variants = {name: {"timeline.0.at": "20m"} for name in ("late", "later")} | {"b5": {"populations.ios.sdk.upload.batch": 5}}
    return OUTAGE | {"duration": "30s", "timeline": entries, "thresholds": thresholds, "variants": variants}


def test_warnings_of_variants_are_told_once_and_listed(tool: Tool):
    """With the variant that has them, unless the scenario itself has; by validate too, and by who is quiet."""
    path = write_scenario(tool.folder, late_variants())
    done = tool.run("simulate", path, "-q", "--seeds", 2, "--out", "lab").expect(0)
    told = [line.removeprefix("warning: ") for line in done.err.splitlines() if line.startswith("warning: ")]
    assert len(told) == 5 and [line.split(": ")[0] for line in told[:2]] == ["/populations/0/sdk/storage/limit", "/timeline/1/at"], str(done)
    for line, place in zip(told[2:4], ("/timeline/0/at: ", "/thresholds/events_lost{entry:o}/0: ")):
        assert line.startswith(f"variant late and 1 more variant: {place}"), str(done)
    fixed = told[4].removeprefix("variant b5: ")
    assert fixed.startswith("/populations/0/sdk/upload/batch: the SDK has no such setting"), str(done)
    alone = json.loads((tool.folder / "lab/variants/late/seeds/11/report.json").read_text())["warnings"]
    assert {line.split(": ", 1)[1] for line in told[2:4]} == set(alone) - set(told[:2])
    assert json.loads((tool.folder / "lab/report.json").read_text())["warnings"] == told
    for name in ("summary.md", "report.html"):
        assert "variant late and 1 more variant: /timeline/0/at: 20m is not before" in (tool.folder / "lab" / name).read_text()
    valid = tool.run("validate", path).expect(0).out.splitlines()
    assert [line.removeprefix("  warning: ") for line in valid if line.startswith("  warning: ")] == told
    # Of one variant alone nothing is told of the others, and nothing twice.
    one = tool.run("simulate", path, "-q", "--variant", "b5", "--seeds", 2, "--out", "b5").expect(0)
    lines = [line.removeprefix("warning: ") for line in one.err.splitlines() if line.startswith("warning: ")]
    assert sorted(lines) == sorted([*told[:2], fixed]), str(one)
    late = tool.run("validate", path, env={"BEACONSWARM_VARIANT": "late"}).expect(0).out.splitlines()
    assert {line.removeprefix("  warning: ") for line in late[2:]} == set(alone)


def test_parts_on_machines_with_other_variables_are_joined_with_their_warnings(tool: Tool):
    """A variable that means nothing is a warning of the machine that has it, and makes no other scenario."""
    path = write_scenario(tool.folder, late_variants() | {"variants": {"late": {"timeline.0.at": "20m"}}})
    for part, env in (("0/2", {}), ("1/2", {"BEACONSWARM_SHARDS": "2"})):
        tool.run("simulate", path, "-q", "--shard", part, "--out", "parts", env=env).expect(0)
    joined = tool.run("merge", "parts", "--out", "whole", "-q").expect(0)
    told = json.loads((tool.folder / "whole/report.json").read_text())["warnings"]
    assert [line.removeprefix("warning: ") for line in joined.err.splitlines() if line.startswith("warning: ")] == told
    assert any(line.startswith("environment: BEACONSWARM_SHARDS means nothing") for line in told)
    assert any(line.startswith("variant late: /timeline/0/at: ") for line in told)


def test_where_nothing_was_measured_nothing_is_the_same(tool: Tool):
    scenario = copy.deepcopy(OUTAGE) | {"duration": "5s", "drain": "1s", "timeline": []}
    scenario["variants"] = {"twin": {"populations.ios.sdk.storage.limit": 500}}
    # Its only device appears when the run is over.
    scenario["populations"][0] |= {"devices": 1, "arrival": {"stages": [{"duration": "1h", "target": 1}]}}
    run = play(tool, scenario, "--seeds", 2)
    report = json.loads((run / "report.json").read_text())
    cells = [cell for variant in report["variants"].values() for cell in variant["seeds"].values()]
    assert len(cells) == 4 and all(cell["events"]["captured"] == 0 for cell in cells)
    found = comparison(tool, "lab")
    deciding = ("events_lost", "event_freshness.p(95)", "freshness_within_1h")
    assert {found["metrics"][name]["verdict"] for name in deciding} == {"cannot tell"}
    assert found["metrics"]["events_captured"]["verdict"] == "same"
    assert comparison(tool, "lab", "--strict", code=99)["metrics"] == found["metrics"]
    said = tool.run("compare", "lab", "--strict").expect(99).out
    assert "events_lost: cannot tell, for neither has samples" in said and "No regression" not in said


def test_a_committed_baseline(tool: Tool, lab):
    """The same policy holds against it; a worse one fails with what differs said first."""
    (tool.folder / "baseline.json").write_bytes((lab[1] / "report.json").read_bytes())
    assert comparison(tool, "baseline.json", lab[1] / "variants/base", "--strict")["differences"] == []
    worse = copy.deepcopy(OUTAGE)
    worse["populations"][0]["sdk"]["storage"]["limit"] = 100
    play(tool, worse, "--seeds", 4, "--variant", "base", out="worse")
    done = tool.run("compare", "baseline.json", "worse").expect(99)
    assert "500 → 100" in done.out
    assert done.out.index("/populations/0/sdk/storage/limit") < done.out.index("Regression")
    markdown = tool.run("compare", "baseline.json", "worse", "--format", "md").expect(99).out
    assert "events\\_lost" in markdown
    tool.run("compare", "baseline.json", "worse", "-q", "--out", "cmp").expect(99)
    assert {path.name for path in (tool.folder / "cmp").iterdir()} == {
        "compare.html", "compare.md", "compare.json", "junit.xml",
    }
    suite = ElementTree.parse(tool.folder / "cmp/junit.xml").getroot()
    assert suite.get("failures") != "0"


def test_a_comparison_is_written_whole_or_not_at_all(tool: Tool, binary: Path):
    play(tool, OUTAGE | {"duration": "30s", "timeline": []}, "--variant", "base", out="a")
    tool.run("compare", "a", "a", "-q", "--out", "whole").expect(0)
    sizes = sorted(path.stat().st_size for path in (tool.folder / "whole").iterdir())
    limit = sizes[-1] - 1
    assert sizes[-2] < limit, "one file alone finds no room"
    command = [binary, "compare", "a", "a", "-q", "--out", "cut"]
    no_room = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # noqa: E731
    failed = subprocess.run(command, cwd=tool.folder, capture_output=True, text=True, preexec_fn=no_room)
    assert failed.returncode == 70 and "cannot write cut/" in failed.stderr, failed.stderr
    assert not (tool.folder / "cut").exists()


def test_gates(lab):
    tool, _ = lab
    small = ("lab", "--candidate", "small")
    comparison(tool, *small, "--gate", "events_lost<=base+0.5")
    comparison(tool, *small, "--gate", "events_lost<=base+0.0005", code=99)
    comparison(tool, *small, "--gate", "event_freshness.p(95)<=base*5", "--gate", "events_lost<=base", code=99)
    comparison(tool, *small, "--min-effect", "events_lost=0.9", "--min-effect", "freshness_within_1h=90%")
    comparison(tool, *small, "--gate", "events_lost.lost.killed<=0", "--gate", "events_lost{population:ios}<=base+0.5")
    for wrong in (
        "events_lost", "event_freshness<=base", "lost<=base", "events_lost.evicted.foo<=0", "events_lost<=1e999",
        "http_reqs<=base*2e305",
    ):
        assert f"--gate {wrong}" in tool.run("compare", *small, "--gate", wrong).expect(64).err
    assert "--min-effect x" in tool.run("compare", *small, "--min-effect", "x").expect(64).err
    # A share of 5 is beyond all: a CI would believe that it holds something to 5 %.
    for wrong in (["--gate", "events_lost<=5"], ["--min-effect", "events_lost=5"]):
        error = tool.run("compare", *small, *wrong).expect(64).err
        assert f"{' '.join(wrong)}: found '" in error and "a share from 0 to 1: 5 % are 0.05" in error


def test_what_is_acknowledged_and_not_kept_is_told_and_can_be_gated(tool: Tool):
    """A portal swallows events of both, and the candidate asks for nothing but checks: devices take all for delivered."""
    portal = {"at": "1m", "for": "1m", "collector": {"fault": "wrongContent"}}
    scenario = copy.deepcopy(OUTAGE) | {"duration": "3m", "timeline": [portal]}
    scenario["variants"] = {"check": {"populations.ios.sdk.debugMode": "debugOnly"}}
    run = play(tool, scenario, "--seeds", 3)
    report = json.loads((run / "report.json").read_text())
    for name, variant in report["variants"].items():
        for seed, cell in variant["seeds"].items():
            audit = json.loads((run / f"variants/{name}/seeds/{seed}/report.json").read_text())["audit"]
            missed = audit["swallowed"] + audit["dry_run"] + audit["acked_not_found"]
            assert missed > 0 and (audit["dry_run"] > 0) == (name == "check")
            assert cell["measures"]["events_not_kept"] == pytest.approx(missed / cell["events"]["captured"])
    found = comparison(tool, "lab")
    row = found["metrics"]["events_not_kept"]
    assert row["verdict"] == "worse" and row["candidate"] > 0.99 and row["min_effect"] == 0.001
    assert found["metrics"]["events_lost"]["verdict"] == "same"
    assert found["exit_code"] == 0 and "the collector keeps fewer events: events_not_kept" in found["summary"]
    assert [warning for warning in found["warnings"] if warning.startswith("events_not_kept: the collector acknowledged")]
    gated = comparison(tool, "lab", "--gate", "events_not_kept<=base", code=99)
    assert gated["gates"][0]["outcome"] == "fails"
    comparison(tool, "lab", "--gate", "events_not_kept<=base+0.99", "--min-effect", "events_not_kept=1")
    for shown in (tool.run("compare", "lab").expect(0).out, tool.run("report", "lab").expect(0).out):
        assert "events_not_kept" in shown


def test_other_worlds_are_no_comparison(tool: Tool, lab):
    (tool.folder / "baseline.json").write_bytes((lab[1] / "report.json").read_bytes())
    play(tool, OUTAGE | {"duration": "2m"}, "--seeds", 2, "--variant", "base", out="short")
    done = tool.run("compare", "baseline.json", "short").expect(104)
    assert '/duration: "6m" → "2m"' in done.err and "--allow-different" in done.err
    assert done.out == ""
    tool.run("compare", "baseline.json", "short", "--allow-different").expect(0, 99)


def test_a_variant_that_changes_more_than_the_policy_is_told_beside_its_figures(tool: Tool):
    play(tool, OUTAGE | {"duration": "30s", "timeline": [], "variants": {"short": {"duration": "20s"}}}, "--seeds", 2, out="other")
    summary = (tool.folder / "other/summary.md").read_text()
    assert "short changes more than that" in summary
    assert "not only another policy (/duration)" in tool.run("report", "other").expect(0).out


def test_single_runs(tool: Tool):
    """Two plain runs: no interval, so only gates can fail."""
    play(tool, OUTAGE, "--variant", "base", out="a")
    play(tool, OUTAGE, "--variant", "small", out="b")
    found = comparison(tool, "a", "b")
    assert found["metrics"]["events_lost"]["interval"] is None
    assert [each["pointer"] for each in found["differences"]] == [
        "/populations/0/sdk/storage/limit", "/populations/0/sdk/storage/evict",
    ]
    comparison(tool, "a/report.json", "b/report.json", "--gate", "events_lost<=base", code=99)
    tool.run("compare", "a", "nowhere").expect(64)
    tool.run("compare", "a").expect(64)
    tool.run("compare", "a", "b", "--format", "pdf").expect(64)
    # A report alone does not say what was played: another one may not be held against it unseen.
    (tool.folder / "alone.json").write_bytes((tool.folder / "b/report.json").read_bytes())
    tool.run("compare", "a", "alone.json").expect(104)


def test_a_lab_without_variants_wants_a_second_run(tool: Tool, lab):
    play(tool, OUTAGE | {"duration": "30s", "timeline": []}, "--seeds", 2, "--variant", "base", out="only")
    assert "only has no variant but base: name a second run" in tool.run("compare", "only").expect(64).err
    for name, other in (("base", "small"), ("slow", "base")):
        said = " ".join(lab[0].run("compare", f"lab/variants/{name}").expect(64).err.split())
        assert f"name it and what it is to be compared with, such as lab/variants/{other}" in said
    itself = lab[0].run("compare", "lab", "--candidate", "base").expect(64).err
    assert "lab: base base and candidate base are one variant" in itself and "allowed as --candidate: small, slow\n" in itself
    lab[0].run("compare", "lab", "--base", "small", "--candidate", "small").expect(64)
    only = tool.run("compare", "only", "--candidate", "base").expect(64).err
    assert "are one variant" in only and "name a second run" in only
    # Two runs that came to the same are another matter.
    found = comparison(lab[0], "lab/variants/slow", "lab", "--candidate", "slow")
    assert found["differences"] == [] and {row["verdict"] for row in found["metrics"].values()} == {"same"}
    asked = lab[0].run("compare", "lab").expect(64).err
    assert "which variant is to be held against base? Name it with --candidate: small, slow" in asked


def test_single_runs_of_other_seeds_are_no_pair(tool: Tool):
    for seed in (11, 12):
        play(tool, OUTAGE, "--variant", "base", "--seed", seed, out=str(seed))
    found = comparison(tool, "11", "12", "--gate", "events_lost<=base+1")
    assert found["paired"] is False and found["seeds"] == [] and "Welch" in found["method"]
    assert found["metrics"]["events_lost"]["interval"] is None
    assert "one run on a side has no interval" in found["gates"][0]["reason"]
    said = " ".join(tool.run("compare", "11", "12").expect(0).out.split())
    assert "one run each, unpaired" in said and "their users are not the same" in said and "pair has no" not in said
    assert comparison(tool, "11", "11")["paired"] is True


def test_another_version_of_the_tool_is_a_warning(tool: Tool, lab):
    report = json.loads((lab[1] / "report.json").read_text())
    report["tool"]["version"] = "0.0.1"
    (tool.folder / "old.json").write_text(json.dumps(report))
    (tool.folder / "new.json").write_bytes((lab[1] / "report.json").read_bytes())
    found = comparison(tool, "old.json", "new.json")
    assert any("0.0.1" in warning for warning in found["warnings"])
    # Who reads nothing but the exit code hears it all the same, and so does who wants a form that has no warnings.
    for options in (("-q",), ("--format", "junit")):
        done = tool.run("compare", "old.json", "new.json", *options).expect(0)
        assert "warning: made by different versions of beaconswarm, 0.0.1" in " ".join(done.err.split())
        assert (done.out == "") == (options == ("-q",))
    assert tool.run("compare", "old.json", "new.json").expect(0).err == ""


@pytest.mark.parametrize("form", ["json", "md", "html", "junit"])
def test_a_form_that_is_asked_for_is_printed_in_silence_too(tool: Tool, lab, form: str):
    said = [tool.run("compare", lab[1], lab[1], "--format", form, *quiet).expect(0).out for quiet in ([], ["-q"])]
    assert said[0] == said[1] != ""


PAIR = {
    "name": "pair",
    "seed": 3,
    "duration": "3h",
    "drain": "1m",
    "populations": [
        {"name": "a", "devices": 40, "system": "sensors", "persona": "power"},
        {"name": "b", "devices": 40, "system": "sensors", "persona": "power", "users": "a"},
        {"name": "c", "devices": 40, "system": "sensors", "persona": "power"},
    ],
}


def test_populations_with_the_same_users_do_the_same(tool: Tool):
    path = write_scenario(tool.folder, PAIR)
    tool.run("simulate", path, "-q", "--out", "run", "--events", "events.ndjson").expect(0)
    report = json.loads((tool.folder / "run/report.json").read_text())
    parts = report["populations"]
    assert parts["b"]["users"] == "a" and "users" not in parts["a"]
    # Packed bodies have other ids in them.
    same = {name: {key: part["metrics"][key] for key in part["metrics"] if key != "data_sent"} for name, part in parts.items()}
    assert same["a"] == same["b"] != same["c"]
    lines = [json.loads(line) for line in (tool.folder / "events.ndjson").read_text().splitlines()]
    own = {
        name: sorted(
            (line["captured_at"], line["type"], line["name"], line["fate"], line["acked_at"])
            for line in lines
            if line["population"] == name
        )
        for name in "ab"
    }
    assert own["a"] == own["b"] and len(own["a"]) > 100
    assert len({line["id"] for line in lines}) == len(lines)
    summary = (tool.folder / "run/summary.md").read_text()
    assert "b has the users of a" in summary
    # The third has others, and nobody is to take chance for a difference.
    assert "Other populations have users of their own: part of what differs between them is chance" in summary


def test_entries_of_the_timeline_are_compared(lab: tuple[Tool, Path]):
    """What an outage does to the events captured in it, which the figures of the whole run hide."""
    tool, folder = lab
    found = comparison(tool, folder, "--candidate", "slow", "--gate", "events_captured{entry:0}>=base")
    report = json.loads((folder / "report.json").read_text())

    def mean(variant: str, metric: str, value: str) -> float:
        runs = report["variants"][variant]["seeds"].values()
        alone = [run["entries"]["0"]["metrics"][metric][value] for run in runs]
        return statistics.fmean(alone)

    for figure, metric, value in [
        ("event_freshness{entry:0}.p(95)", "event_freshness", "p(95)"),
        ("events_lost{entry:0}", "events_lost", "rate"),
        ("time_to_recover{entry:0}.med", "time_to_recover", "med"),
    ]:
        row = found["metrics"][figure]
        assert row["base"] == pytest.approx(mean("base", metric, value))
        assert row["candidate"] == pytest.approx(mean("slow", metric, value))
    strict = "event_freshness{entry:0}.p(95)<=base*0.5"
    failed = comparison(tool, folder, "--candidate", "slow", "--gate", strict, code=99)
    assert strict in failed["gates"][0]["gate"]
    copies = ("compare", folder, "--candidate", "slow", "--gate", "events_duplicated{population:ios}<=base")
    told = " ".join(tool.run(*copies).expect(64).err.split())
    assert "events_duplicated of the whole fleet: copies are not told apart by population" in told
    for tag, known in (("entry:nowhere", "an entry of the timeline: 0"), ("population:io", "a population: ios; did you mean ios?")):
        asked = ("compare", folder, "--candidate", "slow", "--gate", f"events_lost{{{tag}}}<=base")
        assert known in tool.run(*asked).expect(64).err


def test_what_a_null_takes_away_is_a_difference(tool: Tool):
    """In an SDK's description null takes a key away: that is another policy, and in the timeline another world."""
    taken = {"flushBulkSize": None, "countOf": None}
    scenario = {
        "name": "nulls",
        "seed": 3,
        "duration": "1m",
        "drain": "10s",
        "populations": [
            {
                "name": "ios",
                "devices": 5,
                "system": "declared",
                "persona": {"preset": "steady", "rate": "1/s"},
                "sdk": {"preset": "posthog-ios", "upload": {"timeout": "9s"}},
            }
        ],
        "timeline": [{"at": "30s", "sdk": {"upload": {"flushInterval": "20s"}}}],
        "variants": {
            "nobulk": {f"populations.ios.sdk.upload.{key}": None for key in taken},
            "later": {f"timeline.0.sdk.upload.{key}": None for key in taken},
        },
    }
    play(tool, scenario)
    found = comparison(tool, "lab", "--candidate", "nobulk")
    pointers = [f"/populations/0/sdk/upload/{key}" for key in taken]
    assert [difference["pointer"] for difference in found["differences"]] == pointers
    tool.run("compare", "lab", "--candidate", "later").expect(104)
    shown = tool.run("compare", "lab", "--candidate", "later", "--allow-different").expect(0).out
    assert "/timeline/0/sdk/upload/flushBulkSize: not set → null" in " ".join(shown.split())
