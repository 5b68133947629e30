"""The tables of people and devices say the same as the events: ids before and after a login, hardware, zones, installations."""

from __future__ import annotations

import base64
import datetime
import re
import sqlite3
import zoneinfo

import pytest

from conftest import ROOT, Tool
from helpers import write_scenario

START = datetime.datetime(2026, 3, 2, tzinfo=datetime.timezone.utc)
DAY = 86_400_000
ZONES = {"Asia/Shanghai": 1, "Europe/Berlin": 1}
PEOPLE = {"devices": 14, "persona": "casual", "app": "shop", "network": "mobile-mix"}
STAYING = {"preset": "casual", "retention": {"1d": 0.5, "7d": 0.2, "30d": 0.05}, "installedOver": "60d"}
WORLD = {
    "name": "entities",
    "seed": 5,
    "start": "2026-03-02T00:00:00Z",
    "duration": "4d",
    "drain": "1h",
    "populations": [
        PEOPLE | {"name": "old", "system": "sensors", "version": "1.10.17"},
        PEOPLE | {"name": "new", "system": "sensors", "version": "4.9.1", "timeZones": ZONES},
        PEOPLE | {"name": "grow", "system": "growing", "version": "4.11.0"},
        PEOPLE | {"name": "grown", "system": "growing", "version": "3.2.1"},
        PEOPLE | {"name": "kit", "system": "kit"},
        PEOPLE | {"name": "code", "system": "codeless"},
        PEOPLE | {"name": "track", "system": "trackingsdk"},
        PEOPLE | {"name": "hog", "system": "declared", "sdk": {"preset": "posthog-ios"}},
        PEOPLE | {"name": "staying", "system": "sensors", "version": "4.9.1", "persona": STAYING},
        PEOPLE | {"name": "keeping", "system": "declared", "sdk": {"preset": "posthog-ios"}, "persona": STAYING},
        PEOPLE | {"name": "coming", "system": "sensors", "version": "4.9.1", "arrival": {"over": "2d"}},
    ],
}


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> sqlite3.Connection:
    folder = tmp_path_factory.mktemp("entities")
    tool = Tool(folder)
    tool.run("generate", write_scenario(folder, WORLD), "--out", "data", "--format", "sqlite", "--tag", "-q").expect(0)
    tool.close()
    with sqlite3.connect(f"file:{folder}/data/dataset.sqlite?mode=ro", uri=True) as database:
        yield database
    database.close()


def one(data: sqlite3.Connection, sql: str):
    (row,) = data.execute(sql).fetchall()
    return row if len(row) > 1 else row[0]


#: Of each population, the columns of `events` that have the id before a login, and the account's.
COLUMNS = {"old": ("distinct_id", "distinct_id"), "new": ("anonymous_id", "login_id"), "grow": ("device_id", "user_key"), "grown": ("device_id", "user_key"),
           "kit": ("device_id", None), "code": ("device_id", None)}


@pytest.mark.parametrize("name", COLUMNS)
def test_events_join_devices_by_the_anonymous_id(data: sqlite3.Connection, name: str):
    column, login = COLUMNS[name]
    events = f"events e JOIN truth t ON t.row_id = e.row_id AND t.population = '{name}'"
    # In 1.10.17 the account takes the place of the anonymous id.
    own = f"e.{column} IS NOT NULL" + (f" AND e.{column} NOT LIKE 'user-%'" if login == column else "")
    all_rows = one(data, f"SELECT count(*) FROM {events} WHERE {own}")
    joined, right = one(data, f"SELECT count(*), sum(d.device = e.device) FROM {events} JOIN devices d ON d.anonymous_id = e.{column} WHERE {own}")
    assert all_rows == joined == right and joined > 50
    ids, devices = one(data, f"SELECT count(DISTINCT anonymous_id), count(*) FROM devices WHERE population = '{name}'")
    assert ids == devices == PEOPLE["devices"]


@pytest.mark.parametrize("name", [name for name, (_, login) in COLUMNS.items() if login])
def test_events_join_users_by_the_login_id(data: sqlite3.Connection, name: str):
    column = COLUMNS[name][1]
    # Whoever uses several accounts has others after the first.
    events = (f"events e JOIN truth t ON t.row_id = e.row_id AND t.population = '{name}' JOIN users o ON o.user_id = t.user_id AND o.accounts = 1 "
              f"WHERE e.{column} LIKE 'user-%'")
    all_rows = one(data, f"SELECT count(*) FROM {events}")
    joined = one(data, f"SELECT count(*) FROM {events} AND (SELECT u.user_id FROM users u WHERE u.login_id = e.{column}) = t.user_id")
    assert all_rows == joined > 20
    assert one(data, f"SELECT count(*) FROM users WHERE population = '{name}' AND (login_id IS NULL) <> (accounts = 0)") == 0


def test_systems_without_accounts_or_devices_have_none(data: sqlite3.Connection):
    named = dict(data.execute("SELECT population, count(login_id) FROM users GROUP BY 1").fetchall())
    assert named["kit"] == named["code"] == named["track"] == 0 < named["hog"]
    ids, models, systems = one(data, "SELECT count(anonymous_id), count(model), count(os_version) FROM devices WHERE population = 'track'")
    assert (ids, models, systems) == (0, 0, 0)


def test_described_systems_have_their_ids_in_the_payload(data: sqlite3.Connection):
    events = ("events e JOIN truth t ON t.row_id = e.row_id AND t.population = 'hog' JOIN users u USING (user_id) JOIN devices d ON d.device = t.device "
              "AND u.accounts < 2")
    for time, person in (("<", "d.anonymous_id"), (">", "u.login_id")):
        rows, same = one(data, f"SELECT count(*), sum(json_extract(e.payload, '$.distinct_id') = {person}) FROM {events} WHERE t.captured_at {time} "
                               "coalesce(u.logged_in_at, 9e15)")
        assert rows == same > 5, person


def test_models_and_systems_are_those_of_events(data: sqlite3.Connection):
    rows, same = one(data, "SELECT count(*), sum(e.model = d.model AND e.os_version = d.os_version) FROM events e "
                           "JOIN devices d ON d.device = e.device WHERE e.model IS NOT NULL")
    assert rows == same > 500
    told = {name for (name,) in data.execute("SELECT DISTINCT d.population FROM events e JOIN devices d ON d.device = e.device WHERE e.model IS NOT NULL")}
    assert {"old", "new", "grow", "grown", "kit"} <= told


def test_zones_have_the_offsets_that_stand_beside_them(data: sqlite3.Connection):
    found = data.execute("SELECT population, time_zone, utc_offset_minutes FROM users").fetchall()
    assert {zone for population, zone, _ in found if population != "new"} == {None}
    zones = {(zone, offset) for population, zone, offset in found if population == "new"}
    assert zones == {(zone, int(START.astimezone(zoneinfo.ZoneInfo(zone)).utcoffset().total_seconds() // 60)) for zone in ZONES}


def test_installations_are_before_the_run_or_at_the_arrival(data: sqlite3.Connection):
    start = int(START.timestamp() * 1000)
    dates = {}
    for name, installed, arrived in data.execute(
        "SELECT d.population, d.installed_at, u.arrived_at FROM devices d JOIN users u USING (user_id)"
    ):
        dates.setdefault(name, []).append((installed, arrived))
    assert all(installed is None for installed, _ in dates["new"]), "nobody says how long people keep the app"
    assert all(installed == arrived >= start for installed, arrived in dates["coming"])
    ages = [start - installed for installed, arrived in dates["staying"] if arrived is not None]
    assert all(0 <= age <= 60 * DAY for age in ages) and max(ages) > 5 * DAY


def test_carriers_are_those_of_the_country(data: sqlite3.Connection):
    found = data.execute("SELECT DISTINCT u.time_zone, e.carrier FROM events e JOIN users u ON u.device = e.device WHERE u.population = 'new' "
                         "AND e.carrier IS NOT NULL").fetchall()
    chinese = {zone: {carrier.startswith("中国") for name, carrier in found if name == zone} for zone in ZONES}
    assert chinese == {"Asia/Shanghai": {True}, "Europe/Berlin": {False}}


#: What no event of a preset says: of others, something is.
SILENT = {
    "aptabase-ios": {"anonymous_id", "login_id"}, "otlp-http": {"anonymous_id", "login_id"},
    "countly-ios": {"anonymous_id", "login_id", "model", "os_version"}, "ga4-mp": {"anonymous_id", "login_id", "model", "os_version"},
}


def readable(payload: str) -> str:
    """With what stands in it in base64."""
    inner = [
        base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode(errors="replace")
        for text in re.findall(r'"([A-Za-z0-9_-]{60,})"', payload) if len(text) % 4 != 1
    ]
    return "\n".join([payload, *inner])


def test_what_is_said_of_described_devices_stands_in_their_events(tool: Tool):
    presets = sorted(path.stem for path in (ROOT / "Sources/SDKDescription/Presets").glob("*.json"))
    assert set(SILENT) < set(presets)
    populations = [
        {"name": name, "devices": 3, "persona": {"preset": "power", "loggedInShare": 1}, "app": "shop", "system": "declared", "sdk": {"preset": name},
         "target": {"apiKey": "key"}}
        for name in presets
    ]
    path = write_scenario(tool.folder, WORLD | {"duration": "1d", "populations": populations})
    tool.run("generate", path, "--out", tool.folder / "described", "--format", "sqlite", "-q").expect(0)
    with sqlite3.connect(f"file:{tool.folder}/described/dataset.sqlite?mode=ro", uri=True) as database:
        told = {row[0]: row[1:] for row in database.execute(
            "SELECT d.device, d.population, d.anonymous_id, u.login_id, d.model, d.os_version FROM devices d JOIN users u USING (user_id)")}
        texts: dict[int, list[str]] = {device: [] for device in told}
        for device, payload in database.execute("SELECT t.device, e.payload FROM events e JOIN truth t ON t.row_id = e.row_id"):
            texts[device].append(readable(payload))
    found: dict[str, set[str]] = {name: set() for name in presets}
    for device, (name, *values) in told.items():
        everything = "\n".join(texts[device])
        for column, value in zip(("anonymous_id", "login_id", "model", "os_version"), values):
            if value is not None and texts[device]:
                found[name].add(column)
                assert value in everything, (name, column, value)
    assert found == {name: {"anonymous_id", "login_id", "model", "os_version"} - SILENT.get(name, set()) for name in presets}


def test_who_had_the_app_before_the_run_does_not_start_it_for_the_first_time(data):
    """Only who installs it in the run is new, to the SDK as well: all others were found in the midst of their lives."""
    firsts = {
        "staying": "name = '$AppStart' AND is_first_time",
        "keeping": "name = 'Application Installed'",
        "coming": "name = '$AppStart' AND is_first_time",
    }
    start = int(START.timestamp() * 1000)
    for population, first in firsts.items():
        rows = data.execute(
            f"SELECT d.installed_at, (SELECT count(*) FROM events e WHERE e.device = d.device AND {first}) "
            f"FROM devices d WHERE population = '{population}' AND d.arrived > 0"
        ).fetchall()
        assert rows
        for installed_at, count in rows:
            assert (count > 0) == (installed_at >= start), (population, installed_at, count)
    days = data.execute(
        "SELECT count(*) FROM events e JOIN devices d USING (device) WHERE d.population = 'staying' "
        f"AND is_first_day AND d.installed_at < {start - DAY}"
    ).fetchone()[0]
    assert days == 0
