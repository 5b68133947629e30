"""When people come: derived from the lines of `--events` by arithmetic of its own."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from conftest import Tool
from helpers import assert_events_agree, by_device, offered, read_events, write_scenario
from known_systems import DESCRIBED, built_in, systems

#: Seconds that it takes: the longest go first.
LONG = 40

HOUR = timedelta(hours=1)
START = datetime(2026, 3, 2, tzinfo=timezone.utc)
MOBILE = {
    "weekday": [.50, .35, .26, .21, .20, .24, .36, .52, .60, .63, .65, .67, .71, .70, .68, .70, .74, .80, .87, .95,
                1.0, .98, .86, .68],
    "weekend": [w * .948 for w in (.55, .42, .32, .26, .23, .22, .22, .35, .55, .75, .86, .92, .93, .93, .93, .93, .94,
                                   .95, .96, .98, 1.0, .98, .88, .72)],
}  # fmt: skip


def scenario(days: int, **populations: dict) -> dict:
    """Populations that differ from casual users of Sensors as they say."""
    base = {"devices": 100, "system": "sensors", "version": "4.9.1", "persona": "casual"}
    return {
        "name": "people",
        "seed": 12,
        "start": START.isoformat(),
        "duration": f"{days}d",
        "populations": [{"name": name} | base | changes for name, changes in populations.items()],
    }


def starts(tool: Tool, folder: Path, scenario: dict) -> dict[str, list[datetime]]:
    """When each population's users opened the app."""
    path = write_scenario(folder, scenario)
    events = folder / "events.ndjson"
    # Nothing that is asked of them needs their bodies.
    tool.run("simulate", path, "--bodies", "measure", "--out", folder / "run", "--events", events, "-q").expect(0)
    found: dict[str, list[datetime]] = {population["name"]: [] for population in scenario["populations"]}
    for line in read_events(events):
        if line["name"] == "$AppStart":
            found[line["population"]].append(datetime.fromtimestamp(line["captured_at"] / 1000, timezone.utc))
    return found


def test_days_begin_in_the_steady_state(tool: Tool, tmp_path: Path):
    """As many users open the app in the first hour as in any other; in its first seconds those who are in a session."""
    persona = {"extends": "casual", "sessionsPerDay": 6, "sessionLength": {"mean": "40s"}, "hours": "flat"}
    opened = starts(tool, tmp_path, scenario(2, a={"devices": 1500, "persona": persona}))["a"]
    by_hour = Counter((moment - START) // HOUR for moment in opened)
    mean = sum(by_hour[hour] for hour in range(1, 48)) / 47
    # Returns within an hour make for twice to three times the variance of chance; and users in the midst of a session.
    in_session = 1500 * 6 * 40 / 86_400
    assert abs(by_hour[0] - mean - in_session) < 5 * (3 * mean) ** 0.5 + in_session, by_hour
    assert 0.85 * 1500 * 6 / 24 < mean < 1.15 * 1500 * 6 / 24
    first_minute = sum(moment < START + timedelta(minutes=1) for moment in opened)
    assert first_minute < in_session + mean / 60 + 6 * (in_session + mean / 60) ** 0.5


def captured(tool: Tool, path: Path) -> int:
    finished = tool.run("simulate", path, "--bodies", "measure", "--json").expect(0)
    return json.loads(finished.out)["events"]["captured"]


@pytest.mark.parametrize("system", systems())
def test_what_an_sdk_makes_of_a_rate_is_told(tool: Tool, tmp_path: Path, system: str):
    """Not every SDK takes note of the same of what users do."""
    *preset, version = systems()[system][0].split()
    devices = {"devices": 300, "system": system, "version": version, "persona": "power"}
    if system == DESCRIBED:
        devices["sdk"] = {"preset": preset[0]}
    path = write_scenario(tmp_path, scenario(1, p=devices | {"rate": "20 events/s"}) | {"duration": "30m"})
    said = tool.run("validate", path).expect(0).out
    told = re.search(r"this SDK captures about ([0-9.]+) events/s, and ([0-9.]+) events/s would give 20\b", said)
    # A few hundred sessions of the sample tell it.
    assert captured(tool, path) == pytest.approx(float(told[1] if told else 20) * 1800, rel=0.08)
    if told:
        assert abs(float(told[1]) - 20) > 0.9
        path = write_scenario(tmp_path, scenario(1, p=devices | {"rate": f"{told[2]} events/s"}) | {"duration": "30m"})
        assert captured(tool, path) == pytest.approx(20 * 1800, rel=0.08)


@pytest.mark.parametrize("start", ["2026-03-02T00:00:00+08:00", "2026-03-07T20:00:00+08:00"], ids=["night", "evening"])
@pytest.mark.parametrize("persona", ["power", "steady"])
def test_a_rate_is_of_the_hours_that_are_played(tool: Tool, tmp_path: Path, persona: str, start: str):
    path = write_scenario(tmp_path, scenario(1, p={
        "devices": 200, "persona": {"preset": persona, "hours": "mobile"}, "rate": "20 events/s",
    }) | {"start": start, "duration": "2h"})  # fmt: skip
    assert captured(tool, path) == pytest.approx(20 * 2 * 3600, rel=0.05)


def test_a_rate_is_of_the_users_of_the_run(tool: Tool, tmp_path: Path):
    """Of casual users' sessions one in a hundred makes nearly half of the load: some of them tell nothing of all."""
    path = write_scenario(tmp_path, scenario(1, p={"devices": 5000, "rate": "500 events/s"}) | {"duration": "1h"})
    assert captured(tool, path) == pytest.approx(500 * 3600, rel=0.15)


def test_an_arrival_is_an_arrival(tool: Tool, tmp_path: Path):
    opened = starts(tool, tmp_path, scenario(1, a={"arrival": {"over": "100s"}}))["a"]
    assert sum(moment < START + timedelta(seconds=101) for moment in opened) >= 100


@pytest.fixture(scope="module")
def travellers(tmp_path_factory) -> dict[str, list[datetime]]:
    """Two weeks of people in two zones; in New York the clocks change in the night to the eighth of March."""
    persona = {
        "extends": "casual", "sessionsPerDay": 12, "returnChance": 0, "sessionLength": "4s", "hours": "mobile",
    }  # fmt: skip
    zones = {"Asia/Shanghai": "Asia/Shanghai", "America/New_York": {"America/New_York": 1}}
    folder = tmp_path_factory.mktemp("travellers")
    tool = Tool(folder)
    populations = {f"p{n}": {"timeZones": zone, "persona": persona} for n, zone in enumerate(zones.values())}
    found = starts(tool, folder, scenario(14, **populations))
    tool.close()
    return found


@pytest.mark.parametrize("number, zone", enumerate(["Asia/Shanghai", "America/New_York"]))
def test_people_come_by_their_own_hours(travellers, number: int, zone: str):
    """Pearson's statistic over the hours of the run, each with the weight of its local hour."""
    local = ZoneInfo(zone)
    expected: dict[int, float] = {}
    for hour in range(14 * 24):
        at = (START + hour * HOUR).astimezone(local)
        expected[hour] = MOBILE["weekend" if at.weekday() >= 5 else "weekday"][at.hour]
    opened = travellers[f"p{number}"]
    counts = Counter((moment - START) // HOUR for moment in opened)
    scale = len(opened) / sum(expected.values())
    statistic = sum((counts[hour] - scale * weight) ** 2 / (scale * weight) for hour, weight in expected.items())
    freedom = len(expected) - 1
    assert abs(statistic - freedom) < 6 * (2 * freedom) ** 0.5, statistic
    assert abs(len(opened) - 14 * 12 * 100) < 0.35 * 14 * 12 * 100


#: Clocks of Berlin go from 02:00 to 03:00 on the one Sunday, and from 03:00 to 02:00 on the other.
@pytest.mark.parametrize("sunday, hours", [("2026-03-29", 0), ("2026-10-25", 2)], ids=["spring", "autumn"])
def test_an_hour_that_clocks_skip_or_repeat_is_lived_so(tool: Tool, tmp_path: Path, sunday: str, hours: int):
    """People who are there from 02:00 to 03:00 alone, from Saturday to Monday; the report's clock has the change."""
    berlin = ZoneInfo("Europe/Berlin")
    first = datetime.fromisoformat(sunday) - timedelta(days=1)
    weights = [1 if hour == 2 else 0 for hour in range(24)]
    persona = {
        "extends": "casual", "sessionsPerDay": 8, "sessionLength": "20s", "returnChance": 0,
        "hours": {"weekday": weights, "weekend": weights},
    }
    played = scenario(3, a={"devices": 60, "persona": persona, "timeZones": {"Europe/Berlin": 1}})
    played["start"] = first.replace(tzinfo=berlin).astimezone(timezone.utc).isoformat()
    opened = starts(tool, tmp_path, played)["a"]
    local = [moment.astimezone(berlin) for moment in opened]
    assert {moment.hour for moment in local} == {2}
    by_day = Counter(moment.day for moment in local)
    days = [(first + timedelta(days=place)).day for place in range(3)]
    assert by_day[days[0]] > 200 and by_day[days[2]] > 200
    # Twice as long, twice as many.
    mean = (by_day[days[0]] + by_day[days[2]]) / 2
    assert abs(by_day[days[1]] - hours * mean) < 6 * mean**0.5
    if hours:
        assert len({moment.utcoffset() for moment in local if moment.day == days[1]}) == 2
    clock = json.loads((tmp_path / "run/report.json").read_text())["clock"]
    start = datetime.fromisoformat(played["start"])
    change = datetime.fromisoformat(f"{sunday}T01:00:00+00:00")
    before, after = ((60, 120) if hours == 0 else (120, 60))
    assert clock["utc_offset_minutes"] == before
    assert clock["changes"] == [{"after_seconds": (change - start).total_seconds(), "utc_offset_minutes": after}]
    assert f"Mon {days[2]}" in (tmp_path / "run/report.html").read_text()


def random_scenario(seed: int) -> dict:
    """Some people or other, with heavy tails as people have them."""
    draw = random.Random(seed)

    def length(seconds: float) -> object:
        return draw.choice(
            [
                f"{seconds:.3f}s",
                {"mean": f"{seconds:.3f}s"},
                {"median": f"{seconds / 4:.3f}s", "sigma": round(draw.uniform(0.5, 2.2), 2)},
                {"min": f"{seconds / 5:.3f}s", "alpha": 1.2, "max": f"{seconds * 100:.3f}s"},
            ]
        )

    persona = {
        "extends": draw.choice(["casual", "power", "micro", "b2b"]),
        "sessionsPerDay": round(10 ** draw.uniform(-0.5, 0.6), 2),
        "sessionsPerDaySigma": round(draw.uniform(0, 1.5), 2),
        "sessionLength": length(10 ** draw.uniform(1, 2.2)),
        "returnChance": draw.choice([0, 0.35, 0.8]),
        "actionGap": length(10 ** draw.uniform(0.6, 1.2)),
        "endsAtExit": draw.random() < 0.3,
        "crashChance": draw.choice([0, 0.05]),
        "passiveLaunchChance": draw.choice([0, 0.2]),
        "killAtBackgroundChance": draw.choice([0.05, 0.9]),
    }
    population: dict = {"devices": draw.choice([200, 800]), "persona": persona}
    population |= draw.choice([{}, {}, {"arrival": {"over": "6h"}}])
    population |= draw.choice([{"system": "sensors", "version": "4.9.1"}, {"system": "growing", "version": "4.11.0"}])
    return scenario(draw.choice([1, 2]), a=population) | {"seed": seed}


@pytest.mark.parametrize("seed", range(4))
def test_the_forecast_of_any_people_holds(tool: Tool, tmp_path: Path, seed: int):
    asked = random_scenario(seed)
    path = write_scenario(tmp_path, asked)
    low, high = offered(tool.run("validate", path).expect(0).out)
    done = tool.run("simulate", path, "--bodies", "measure", "--out", tmp_path / "run", "--json", "-q").expect(0)
    days = int(asked["duration"][:-1])
    rate = json.loads(done.out)["events"]["captured"] / (days * 86_400)
    assert low <= rate <= high, asked
    assert high < 2.5 * low, asked


#: Those simulated in code, in the versions that have a number, or else in the text's own.
SYSTEMS = {
    name: [version for version in systems()[name] if version != "document"] or ["document"] for name in built_in()
}


def test_what_people_delete_is_lost(tool: Tool, tmp_path: Path):
    """Every system's books balance over it, and as many are left as the curve says."""
    persona = {"extends": "casual", "sessionsPerDay": 40, "sessionsPerDaySigma": 0, "sessionLength": {"mean": "20s"},
               "retention": {"6h": 0.9, "3d": 0.3}}  # fmt: skip
    asked = scenario(
        3,
        **{
            f"{system}-{n}": {"system": system, "version": version, "persona": persona, "arrival": {"over": "0s"}}
            for system, versions in SYSTEMS.items()
            for n, version in enumerate(versions)
        },
    )
    # Whoever has no network keeps everything.
    asked["timeline"] = [{"at": "1h", "share": 0.5, "device": {"network": "none"}}]
    path = write_scenario(tmp_path, asked)
    events = tmp_path / "events.ndjson"
    options = ("--bodies", "measure", "--out", tmp_path / "run", "--events", events, "--json", "-q")
    done = tool.run("simulate", path, *options).expect(0)
    report, lines = json.loads(done.out), read_events(events)
    assert_events_agree(report["events"], lines)
    last: dict[int, float] = {}
    for device, own in by_device(lines).items():
        last[device] = (own[-1]["captured_at"] / 1000 - START.timestamp()) / 86_400
    for population in report["populations"].values():
        # What a device only has in memory dies with the process, and that is what it is counted as.
        gone = population["events"]["lost"]
        assert gone["uninstalled"] + (gone["killed"] if population["system"] == "codeless" else 0) > 0
    exponent = math.log(3) / math.log(12)
    people = 100 * len(asked["populations"])
    for days in (1, 2):
        expected = 0.9 * (0.25 / days) ** exponent
        found = sum(day > days for day in last.values()) / people
        assert abs(found - expected) < 5 * (expected * (1 - expected) / people) ** 0.5 + 0.01, (days, found, expected)
