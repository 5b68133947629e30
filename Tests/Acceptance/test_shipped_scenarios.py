"""Every scenario that ships is played, and shows what its description says."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest

import shipped_datasets  # noqa: F401
import shipped_faults  # noqa: F401
import shipped_loads  # noqa: F401
import shipped_policies  # noqa: F401
import shipped_sdk  # noqa: F401
import shipped_systems  # noqa: F401
from conftest import BINARY
from helpers import offered, read_report, write_scenario
from shipped import FILES, ROOT, SHIPPED, Players, normal, seconds

#: Seconds that it takes: the longest go first.
LONG = 160

CASES = [(name, claim) for name, shipped in SHIPPED.items() for claim in shipped.claims]


@pytest.fixture(scope="module")
def players(request, tmp_path_factory):
    """Begins with every scenario of this session, so that they are played side by side."""
    folder = tmp_path_factory.mktemp("shipped")
    players = Players(BINARY, folder, os.cpu_count() or 1)
    for item in request.session.items:
        name = getattr(item, "callspec", None) and item.callspec.params.get("name")
        if item.path == request.path and name in SHIPPED and "claim" in item.callspec.params:
            players.begin(name)
    yield players
    players.close()
    shutil.rmtree(folder, ignore_errors=True)


def said_and_checked(name: str) -> tuple[str, str]:
    """A description, and what its claims make of it."""
    said = normal(json.loads(FILES[name].read_text())["description"])
    return said, normal(" ".join(claim.__doc__ for claim in SHIPPED[name].claims))


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_scenario_that_ships_is_played_here(name: str):
    """And each sentence of its description is checked."""
    assert name in SHIPPED, f"scenarios/{name}.json has no entry in Tests/Acceptance/shipped_*.py"
    said, checked = said_and_checked(name)
    assert checked == said, "claims and description differ"


def test_no_entry_is_left_behind():
    assert set(SHIPPED) <= set(FILES)


@pytest.mark.parametrize("name, claim", CASES, ids=[f"{name}-{claim.__name__}" for name, claim in CASES])
def test_a_scenario_shows_what_it_says(players: Players, name: str, claim):
    claim(players.begin(name).result())


@pytest.mark.parametrize("name", sorted(FILES))
def test_books_balance(players: Players, name: str):
    """Whatever a scenario is about: every event has its one fate, and the collector holds what it acknowledged."""
    run = players.begin(name).result()
    assert run.report["events"]["balance"] == 0 and run.all.captured > 0
    assert run.report["devices_started"] > 0
    audit = run.audit
    assert (audit["acked_not_found"], audit["unexpected"], audit["undecodable"]) == (0, 0, 0)
    assert run.all.delivered == audit["confirmed"] + audit["swallowed"] + audit["dry_run"]
    assert audit["received"] == audit["unique"] + audit["duplicates"]
    assert audit["unique"] == audit["confirmed"] + audit["recovered"]


def plants_bots(name: str) -> bool:
    """What people do is forecast from what people do: bots do more in the same time."""
    return any(each["pattern"] == "bots" for each in json.loads(FILES[name].read_text()).get("patterns", []))


@pytest.mark.parametrize("name", sorted(name for name in FILES if SHIPPED[name].code != 99 and not plants_bots(name)))
def test_the_forecast_holds(players: Players, name: str):
    """What a scenario's users do lies in the range that is said of it before, unless a threshold ends it early."""
    run = players.begin(name).result()
    low, high = offered(run.said)
    before = re.search(r"([\d,]+) events? from before the run", run.said)
    captured = run.all.captured - (int(before[1].replace(",", "")) if before else 0)
    assert low <= captured / seconds(run.scenario["duration"]) <= high, run.said


# What the README says of them


README = (ROOT / "README.md").read_text()


def test_the_readme_lists_every_scenario():
    table = README[README.index("| Shipped scenario |") :].split("\n\n")[0]
    listed = re.findall(r"^\| `([^`]+)` \|", table, re.M)
    top = {name for name in FILES if "/" not in name}
    assert top <= set(listed), top - set(listed)
    assert {name for name in listed if name != "systems/*"} <= set(FILES)


def test_the_readmes_demo_captures_what_it_prints(players: Players):
    """What users do is the seed's; how it is delivered is the machine's."""
    run = players.begin("demo").result()
    printed = README[README.index("  demo · live") :].split("```")[0]
    assert int(re.search(r"captured\.+: +([\d,]+)", printed)[1].replace(",", "")) == run.all.captured


def test_the_sample_of_a_report_is_what_its_command_gives(tool, tmp_path):
    tool.run("simulate", ROOT / "scenarios/smoke.json", "--out", tmp_path / "again", "-q").expect(0)
    own = {"started_at", "wall_seconds", "generator", "run"}
    sample, again = (
        {key: value for key, value in read_report(folder).items() if key not in own}
        for folder in (ROOT / "reports/sample", tmp_path / "again")
    )
    assert sample == again, "made anew by: beaconswarm simulate scenarios/smoke.json --out reports/sample"


def test_the_readmes_first_scenario(tool, tmp_path):
    text = README[README.index("This is a whole one") :].split("```")[1].removeprefix("json")
    scenario = json.loads(text)
    path = write_scenario(tmp_path, scenario, "first.json")
    freshness = {}
    for name, timeline in (("as printed", scenario["timeline"]), ("in peace", [])):
        changed = ["--set", f"timeline={json.dumps(timeline)}"]
        done = tool.run("simulate", path.name, *changed, "--out", tmp_path / name, "--json", "-q").expect(0)
        report = json.loads(done.out)
        freshness[name] = report["metrics"]["event_freshness"]["p(95)"]
        assert report["events"]["delivered"] == report["events"]["captured"]
        if timeline:
            said = re.search(r"All ([\d,]+) events arrive", README)[1]
            assert report["events"]["delivered"] == int(said.replace(",", ""))
    assert 29_000 < freshness["as printed"] < 31_000 and 14_000 < freshness["in peace"] < 15_500
    offers = tool.run("validate", path.name).expect(0).out
    printed = README[README.index("first.json: ok, ") :].split("```")[0].strip().splitlines()
    assert [line.strip() for line in printed] == [line.strip() for line in offers.strip().splitlines()]
