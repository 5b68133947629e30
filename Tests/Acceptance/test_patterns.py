"""Planted patterns: each is in the data at the size that is stated, and nothing else has changed."""

from __future__ import annotations

import datetime
import json
import math
import re
import sqlite3
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from conftest import Tool
from helpers import read_events, write_scenario

#: Seconds that it takes: the longest go first.
LONG = 50

TABLES = ["events", "truth", "users", "devices", "sessions"]
START = datetime.datetime(2026, 3, 2, tzinfo=datetime.timezone.utc)
DAY = 86_400_000

#: Every kind of pattern, each in populations of its own, and one population with none.
PATTERNS = [
    {"name": "next", "pattern": "release", "population": "ios", "version": "6.0.0", "at": "2d", "over": "1d"},
    {"name": "fixed", "pattern": "release", "population": "ios", "version": "6.0.1", "at": "4d"},
    {"name": "no-pay", "pattern": "brokenVersion", "population": "ios", "version": "6.0.0", "event": "PayOrder", "keep": 0.25},
    {"name": "lost-id", "pattern": "missingProperty", "population": "ios", "version": "6.0.0", "event": "AddToCart", "property": "product_id"},
    {"name": "slow-eu", "pattern": "conversion", "population": "shop", "event": "SubmitOrder", "of": "AddToCart", "factor": 0.4,
     "timeZone": "Europe/Berlin"},
    {"name": "sale", "pattern": "campaign", "population": "shop", "share": 0.6, "at": "3d", "for": "6h"},
    {"name": "crawlers", "pattern": "bots", "population": "shop", "share": 0.2},
    {"name": "twice", "pattern": "duplicateEvent", "population": "grow", "event": "AddToCart", "share": 0.3, "at": "1d", "for": "3d"},
    {"name": "twice-too", "pattern": "duplicateEvent", "population": "track", "event": "ViewProduct", "share": 0.2},
    {"name": "text", "pattern": "wrongType", "population": "grow", "event": "SubmitOrder", "property": "order_amount", "value": "n/a", "share": 0.5},
]
WORLD = {
    "name": "planted",
    "seed": 3,
    "start": "2026-03-02T00:00:00Z",
    "duration": "6d",
    "drain": "1h",
    "populations": [
        {"name": "ios", "devices": 24, "system": "sensors", "version": "4.9.1", "persona": "power", "app": "shop"},
        {"name": "shop", "devices": 30, "system": "sensors", "version": "1.10.17", "persona": "power", "app": "shop",
         "timeZones": {"Asia/Shanghai": 1, "Europe/Berlin": 1}},
        {"name": "grow", "devices": 14, "system": "growing", "version": "4.11.0", "persona": "power", "app": "shop"},
        {"name": "track", "devices": 8, "system": "trackingsdk", "persona": "power", "app": "shop"},
        {"name": "calm", "devices": 4, "system": "sensors", "version": "4.9.1", "persona": "power", "app": "shop"},
    ],
    "patterns": PATTERNS,
}


def generate(tool: Tool, folder: Path, scenario: dict, *options: object) -> Path:
    path = write_scenario(tool.folder, scenario)
    tool.run("generate", path, "--out", folder, "-q", *options).expect(0)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, Path]:
    """The world with its patterns, and without."""
    folder = tmp_path_factory.mktemp("planted")
    tool = Tool(folder)
    bare = {key: value for key, value in WORLD.items() if key != "patterns"}
    found = {
        "with": generate(tool, folder / "with", WORLD, "--tag", "--format", "parquet,sqlite"),
        "without": generate(tool, folder / "without", bare, "--tag", "--format", "parquet"),
    }
    tool.close()
    return found


def test_queries_for_properties_are_about_those_who_have_columns(tool: Tool):
    """Described SDKs have an app's properties in the payload alone."""
    people = {"devices": 10, "persona": "power", "app": "shop"}
    bug = {"pattern": "missingProperty", "event": "AddToCart", "property": "product_id", "share": 0.3}
    world = WORLD | {
        "duration": "2d",
        "populations": [
            people | {"name": "coded", "system": "sensors", "version": "4.9.1"},
            people | {"name": "described", "system": "declared", "sdk": {"preset": "posthog-ios"}},
        ],
        "patterns": [bug | {"name": "both"}, bug | {"name": "alone", "population": "described"}],
    }
    folder = generate(tool, tool.folder / "made", world, "--format", "sqlite")
    answers = json.loads((folder / "answers.json").read_text())
    assert {pattern["name"]: pattern["answer"] for pattern in answers["patterns"]} == {"both": "pattern_both", "alone": None}
    known = answers["answers"]["pattern_both"]["rows"]
    assert [row[0] for row in known] == ["coded"] and 0 < known[0][2] < known[0][1]
    with sqlite3.connect(f"file:{folder}/dataset.sqlite?mode=ro", uri=True) as database:
        assert [list(row) for row in database.execute(queries(folder)["pattern_both"])] == known


def test_events_that_are_sent_under_other_names_are_the_apps(tool: Tool):
    """Snowplow's names are schemas: they are steps of the funnel and have the patterns' mistakes all the same."""
    people = {"devices": 6, "persona": "power", "app": "shop"}
    world = WORLD | {
        "duration": "2d",
        "populations": [
            people | {"name": "renamed", "system": "declared", "sdk": {"preset": "snowplow-ios"}},
            people | {"name": "coded", "system": "sensors", "version": "4.9.1"},
        ],
        "patterns": [
            {"name": "twice", "pattern": "duplicateEvent", "event": "AddToCart", "share": 0.3},
            {"name": "lost", "pattern": "missingProperty", "population": "renamed", "event": "PayOrder", "property": "order_id", "share": 0.5},
            {"name": "slow", "pattern": "conversion", "event": "SubmitOrder", "of": "AddToCart", "factor": 0.5},
            {"name": "one", "pattern": "duplicateEvent", "population": "coded", "event": "Share", "share": 0.3},
        ],
    }
    folder = generate(tool, tool.folder / "made", world, "--format", "sqlite")
    found = json.loads((folder / "answers.json").read_text())
    answers, asked = found["answers"], queries(folder)
    sizes = {pattern["name"]: pattern["measured"] for pattern in found["patterns"]}
    with sqlite3.connect(f"file:{folder}/dataset.sqlite?mode=ro", uri=True) as database:
        for name in ("funnel", "pattern_twice", "pattern_slow", "pattern_one"):
            assert [list(row) for row in database.execute(asked[name])] == answers[name]["rows"], name
        people_of_step = [
            database.execute("SELECT count(DISTINCT user_id) FROM truth WHERE name = ? OR name LIKE ?", [step, f"%/{step}/%"]).fetchone()[0]
            for step in ("ViewProduct", "PayOrder")
        ]
        carts, paid = (
            database.execute("SELECT count(*) FROM truth WHERE name = ? OR name LIKE ?", [event, f"iglu:%/{event}/%"]).fetchone()[0]
            for event in ("AddToCart", "PayOrder")
        )
        for table in ("events", "truth", "devices"):
            systems = database.execute(f"SELECT DISTINCT system FROM {table} ORDER BY 1").fetchall()
            assert systems == [("sensors",), ("snowplow-ios",)], "as in the collector's table"
        payments = database.execute("SELECT count(*) FROM truth WHERE population = 'renamed' AND name LIKE '%/PayOrder/%'").fetchone()[0]
    rows = answers["funnel"]["rows"]
    assert rows[0][2] == people_of_step[0] > 6 and 6 < rows[-1][2] <= people_of_step[1]
    assert [row[0] for row in answers["pattern_twice"]["rows"]] == ["coded", "renamed"]
    assert sum(row[1] for row in answers["pattern_twice"]["rows"]) == sizes["twice"]["counted"] == carts
    assert 0 < sizes["twice"]["expected"] < carts and all(0 < row[2] < row[1] for row in answers["pattern_twice"]["rows"])
    assert 0 < payments < paid and sizes["lost"]["events"] == payments
    assert is_share(sizes["lost"]["affected"], payments, 0.5) and "pattern_lost" not in answers
    assert [row[0] for row in answers["pattern_slow"]["rows"]] == ["coded", "renamed"]
    assert "t.name IN ('AddToCart', 'iglu:com.acme/AddToCart/jsonschema/1-0-0')" in asked["pattern_twice"]
    assert "t.name = 'Share'" in asked["pattern_one"], "one name, one comparison"


@pytest.fixture(scope="module")
def ask(made: dict[str, Path]):
    """Asks DuckDB about the Parquet files; the tables without the patterns have the prefix `bare_`."""
    with duckdb.connect() as database:
        for prefix, name in [("", "with"), ("bare_", "without")]:
            for table in TABLES:
                database.execute(f"CREATE VIEW {prefix}{table} AS SELECT * FROM read_parquet('{made[name]}/{table}.parquet')")
        yield lambda sql, *values: database.execute(sql, [*values]).fetchall()


@pytest.fixture(scope="module")
def stated(made: dict[str, Path]) -> dict[str, dict]:
    return {pattern["name"]: pattern for pattern in json.loads((made["with"] / "answers.json").read_text())["patterns"]}


def is_share(part: float, whole: float, share: float) -> bool:
    """Whether so many of so many may be a share: within five standard deviations."""
    return whole > 0 and abs(part - whole * share) <= 5 * math.sqrt(whole * share * (1 - share)) + 1


# What is stated


def test_each_pattern_is_stated_as_it_was_planted(stated: dict[str, dict]):
    assert list(stated) == [pattern["name"] for pattern in PATTERNS]
    for written in PATTERNS:
        found = stated[written["name"]]
        assert found["pattern"] == written["pattern"] and found["segment"]["populations"] == [written["population"]]
        told = {"name", "pattern", "population", "at", "for"}
        assert found["parameters"] == {key: value for key, value in written.items() if key not in told}
        for key in ("version", "timeZone"):
            if key in written and written["pattern"] != "release":
                assert found["segment"][key] == written[key]
        assert found["answer"] == "pattern_" + written["name"].replace("-", "_")
    assert (stated["sale"]["from"], stated["sale"]["until"]) == ("2026-03-05T00:00:00.000Z", "2026-03-05T06:00:00.000Z")
    assert (stated["next"]["from"], stated["next"]["until"]) == ("2026-03-04T00:00:00.000Z", None)


def queries(folder: Path) -> dict[str, str]:
    parts = re.split(r"^-- name: (\w+)\n", (folder / "answers.sql").read_text(), flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def test_queries_show_each_pattern(made: dict[str, Path], ask, stated: dict[str, dict]):
    """In DuckDB over Parquet and in SQLite, with the rows that the answers have from the truth."""
    answers = json.loads((made["with"] / "answers.json").read_text())["answers"]
    asked = queries(made["with"])
    names = [pattern["answer"] for pattern in stated.values()]
    assert len(set(names)) == len(PATTERNS) and set(names) <= set(asked)

    def plain(rows) -> list[list]:
        return sorted([[str(cell) if isinstance(cell, datetime.date) else cell if isinstance(cell, str) else int(cell) for cell in row] for row in rows])

    with sqlite3.connect(f"file:{made['with']}/dataset.sqlite?mode=ro", uri=True) as database:
        for name in names:
            known = plain(answers[name]["rows"])
            assert known and len(known[0]) == len(answers[name]["columns"])
            assert plain(ask(asked[name])) == known, name
            assert plain(database.execute(asked[name]).fetchall()) == known, name


# What is there


def test_events_are_sent_twice_with_the_same_values(ask, stated: dict[str, dict]):
    for name, population, event, share, window in [
        ("twice", "grow", "AddToCart", 0.3, (1, 4)), ("twice-too", "track", "ViewProduct", 0.2, (0, 99)),
    ]:
        rows = ask(
            "SELECT t.device, t.sequence, epoch_ms(t.captured_at), e.payload FROM truth t JOIN events e ON e.row_id = t.row_id "
            "WHERE t.population = ? AND t.name = ? ORDER BY 1, 2", population, event)
        pairs = [(first, second) for first, second in zip(rows, rows[1:])
                 if second[:3] == (first[0], first[1] + 1, first[2])]
        for first, second in pairs:
            assert values(first[3]) == values(second[3]), "the same call twice"
        first_day, end = (START.timestamp() * 1000 + day * DAY for day in window)
        concerned = [row for row in rows if first_day <= row[2] < end]
        assert all(first_day <= first[2] < end for first, _ in pairs)
        assert is_share(len(pairs), len(concerned) - len(pairs), share) and len(pairs) > 30, (name, len(pairs), len(concerned))
        size = stated[name]["measured"]
        assert 0 <= size["counted"] - size["expected"] - len(pairs) <= 0.02 * len(rows) + 2, "but for what did not arrive"


def values(payload: str) -> dict:
    """What the app's code says of an event."""
    event = json.loads(payload)
    own = event.get("attributes") or event.get("parameters") or event["properties"]
    return {key: value for key, value in own.items() if key != "bs_id"}


def test_a_version_lacks_a_property(ask, stated: dict[str, dict]):
    rows = ask(
        "SELECT e.app_version, count(*), count(e.prop_product_id), count(e.prop_quantity) FROM events e JOIN truth t ON t.row_id = e.row_id "
        "WHERE t.population = 'ios' AND e.name = 'AddToCart' GROUP BY 1")
    found = {version: counts for version, *counts in rows}
    assert found["6.0.0"][0] > 30 and found["6.0.0"][1] == 0 and found["6.0.0"][2] == found["6.0.0"][0]
    assert all(counts[0] == counts[1] for version, counts in found.items() if version != "6.0.0") and len(found) >= 3
    assert stated["lost-id"]["measured"]["affected_arrived"] == found["6.0.0"][0]


def test_a_number_is_a_text(ask, stated: dict[str, dict]):
    rows = ask(
        "SELECT e.payload, e.prop_order_amount FROM events e JOIN truth t ON t.row_id = e.row_id "
        "WHERE t.population = 'grow' AND e.name = 'SubmitOrder'")
    wrong = [row for row in rows if json.loads(row[0])["attributes"]["order_amount"] == "n/a"]
    assert all(price is None for _, price in wrong) and sum(row[1] is not None for row in rows) == len(rows) - len(wrong)
    assert is_share(len(wrong), len(rows), 0.5) and len(rows) > 50
    assert stated["text"]["measured"]["affected_arrived"] == len(wrong)


def test_devices_get_the_released_versions(ask, stated: dict[str, dict]):
    """Not before their day, not all at once, and the fixed one in the end."""
    firsts = ask(
        "SELECT e.app_version, min(epoch_ms(t.captured_at)), count(DISTINCT t.device) FROM events e JOIN truth t ON t.row_id = e.row_id "
        "WHERE t.population = 'ios' AND e.app_version LIKE '6%' GROUP BY 1 ORDER BY 1")
    (next_version, first, devices), (fixed, later, _) = firsts
    begin = START.timestamp() * 1000
    assert (next_version, fixed) == ("6.0.0", "6.0.1") and first >= begin + 2 * DAY and later >= begin + 4 * DAY
    assert devices >= 18
    days = ask(
        "SELECT t.device, min(t.day) FROM events e JOIN truth t ON t.row_id = e.row_id "
        "WHERE t.population = 'ios' AND e.app_version = '6.0.0' GROUP BY 1")
    assert len({day for _, day in days}) >= 2, "rolled out over a day"
    assert stated["next"]["measured"]["with_version"] < stated["fixed"]["measured"]["with_version"] > 15
    assert ask("SELECT count(*) FROM devices WHERE population <> 'ios' AND app_version LIKE '6%'") == [(0,)]


def test_a_broken_version_keeps_a_quarter_of_the_payments(ask, stated: dict[str, dict]):
    """The same people without the pattern paid four times as often while they had that version, and as often before."""
    moments = dict(ask(
        "SELECT t.device, min(epoch_ms(t.captured_at)) FROM events e JOIN truth t ON t.row_id = e.row_id "
        "WHERE t.population = 'ios' AND e.app_version = '6.0.0' GROUP BY 1"))
    ends = dict(ask(
        "SELECT t.device, min(epoch_ms(t.captured_at)) FROM events e JOIN truth t ON t.row_id = e.row_id "
        "WHERE t.population = 'ios' AND e.app_version = '6.0.1' GROUP BY 1"))
    counts = {}
    for prefix in ("", "bare_"):
        counts[prefix] = Counter()
        for device, at in ask(f"SELECT device, epoch_ms(captured_at) FROM {prefix}truth WHERE population = 'ios' AND name = 'PayOrder'"):
            counts[prefix][moments.get(device, math.inf) <= at < ends.get(device, math.inf)] += 1
    assert counts[""][False] == counts["bare_"][False] > 50
    assert is_share(counts[""][True], counts["bare_"][True], 0.25) and counts["bare_"][True] > 40
    assert stated["no-pay"]["measured"] == {"expected": counts["bare_"].total(), "counted": counts[""].total()}


def test_people_of_one_zone_order_less(ask, stated: dict[str, dict]):
    """And pay less, by the same share: payments belong to orders."""
    for event in ("SubmitOrder", "PayOrder"):
        counts = {}
        for prefix in ("", "bare_"):
            counts[prefix] = dict(ask(
                f"SELECT u.utc_offset_minutes, count(*) FROM {prefix}truth t JOIN {prefix}users u USING (user_id) JOIN users p ON p.user_id = u.user_id "
                "WHERE t.population = 'shop' AND t.name = ? AND p.persona = 'power' AND t.day < '2026-03-05' GROUP BY 1", event))
        assert counts[""][480] == counts["bare_"][480] > 30, "until the campaign begins, people of the other zone do the same"
        assert is_share(counts[""][60], counts["bare_"][60], 0.4) and counts["bare_"][60] > 30
    size = stated["slow-eu"]["measured"]
    assert size["counted"] < size["expected"]
    assert ask("SELECT count(*) FROM truth WHERE population = 'shop' AND name = 'SubmitOrder'") == [(size["counted"],)]


def test_no_payment_comes_without_its_order(ask):
    """Whether a pattern withholds orders or payments."""
    paid = 0
    for population in ("ios", "shop", "calm"):
        rows = ask(
            "SELECT device, name FROM truth WHERE population = ? AND name IN ('SubmitOrder', 'PayOrder') ORDER BY device, sequence", population)
        for before, (device, name) in zip([(None, ""), *rows], rows):
            paid += name == "PayOrder"
            assert name == "SubmitOrder" or before == (device, "SubmitOrder"), device
    assert paid > 200


def test_a_campaign_brings_people(ask, stated: dict[str, dict]):
    """Of those who were away, a share comes within six hours, most of them early."""
    begin = START.timestamp() * 1000 + 3 * DAY
    query = "SELECT count(DISTINCT user_id) FROM {}sessions WHERE population = 'shop' AND epoch_ms(started_at) >= ? AND epoch_ms(started_at) < ?"
    came, usual = (ask(query.format(prefix), begin, begin + DAY / 8)[0][0] for prefix in ("", "bare_"))
    assert came >= usual + 3
    size = stated["sale"]["measured"]
    assert size["counted"] > size["expected"]
    assert ask("SELECT count(*) FROM sessions WHERE population = 'shop'") == [(size["counted"],)]


def test_bots_tick_like_clocks(made: dict[str, Path], ask, stated: dict[str, dict]):
    users = dict(ask("SELECT persona, count(*) FROM users WHERE population = 'shop' GROUP BY 1"))
    assert set(users) == {"power", "bot"} and is_share(users["bot"], 30, 0.2) and users["bot"] >= 2
    size = stated["crawlers"]["measured"]
    assert (size["users"], size["bots"]) == (30, users["bot"])
    page = (made["with"] / "report.html").read_text()
    assert f"{users['power']} devices, persona power, and {users['bot']} of bots, of which nothing counts here." in page
    assert page.count(" of bots") == 1
    taps = ask(
        "SELECT u.persona, t.session_id, epoch_ms(t.captured_at) FROM truth t JOIN users u USING (user_id) "
        "WHERE t.population = 'shop' AND t.name = '$AppClick' ORDER BY t.device, t.sequence")
    gaps: dict[str, Counter] = {"bot": Counter(), "power": Counter()}
    for (persona, session, at), (_, next_session, next_at) in zip(taps, taps[1:]):
        if session == next_session:
            gaps[persona][next_at - at] += 1
    often = {persona: sum(count for _, count in found.most_common(20)) / found.total() for persona, found in gaps.items()}
    assert often["bot"] > 0.6 and often["power"] < 0.05, often
    assert ask("SELECT sum(captured) FROM devices d JOIN users u USING (device) WHERE u.persona = 'bot'") == [(size["events_of_bots"],)]


# What is not


def test_other_populations_are_as_they_were(ask):
    columns = "device, sequence, user_id, type, name, epoch_ms(captured_at), fate"
    for table, population in [("truth", "calm")]:
        rows = [ask(f"SELECT {columns} FROM {prefix}{table} WHERE population = '{population}' ORDER BY 1, 2") for prefix in ("", "bare_")]
        assert rows[0] == rows[1] and len(rows[0]) > 1000
    payloads = [
        ask(f"SELECT e.id, e.payload FROM {prefix}events e JOIN {prefix}truth t ON t.row_id = e.row_id WHERE t.population = 'calm' ORDER BY 1")
        for prefix in ("", "bare_")
    ]
    assert payloads[0] == payloads[1]


def test_mistakes_change_what_is_tracked_and_not_what_is_done(ask):
    """But for the second calls, people do what they did. Whether a web page sees a click or a form is drawn by the
    event's number on the device, which the calls before it move."""
    query = (
        "SELECT device, name, epoch_ms(captured_at), CASE WHEN type IN ('VIEW_CLICK', 'FORM_SUBMIT') THEN 'act' ELSE type END "
        "FROM {}truth WHERE population = '{}' AND type <> 'VISIT'"
    )
    for population, event in [("grow", "AddToCart"), ("track", "ViewProduct")]:
        now, before = (Counter(ask(query.format(prefix, population))) for prefix in ("", "bare_"))
        assert not before - now
        assert {name for _, name, _, _ in (now - before)} == {event}


def test_simulate_plays_the_same_patterns(tool: Tool, ask):
    path = write_scenario(tool.folder, WORLD)
    events = tool.folder / "events.ndjson"
    tool.run("simulate", path, "--bodies", "measure", "--out", tool.folder / "run", "--events", events, "-q").expect(0)
    lines = {line["id"]: (line["name"], line["fate"]) for line in read_events(events)}
    assert lines == {id: (name, fate) for id, name, fate in ask("SELECT id, name, fate FROM truth")}


# What is wrong


def test_a_pattern_taken_out_leaves_the_others(tool: Tool):
    """Patterns draw by their names: what stands before one in the list does not matter to it."""
    population = {**WORLD["populations"][1], "name": "shop"}
    own = [pattern for pattern in PATTERNS if pattern["population"] == "shop"]

    def events(name: str, patterns: list[dict]) -> list[dict]:
        scenario = {**WORLD, "duration": "2d", "populations": [population], "patterns": patterns}
        path = write_scenario(tool.folder, scenario)
        tool.run("simulate", path, "--bodies", "measure", "--out", name, "--events", f"{name}.ndjson", "-q").expect(0)
        told = read_events(tool.folder / f"{name}.ndjson")
        return sorted((event["id"], event["captured_at"], event["name"]) for event in told)

    crawlers = own[-1:]
    assert crawlers[0]["pattern"] == "bots"
    idle = [{**pattern, **({"share": 0} if "share" in pattern else {"factor": 1})} for pattern in own[:-1]]
    alone = events("alone", crawlers)
    assert alone == events("behind", idle + crawlers)
    assert alone != events("renamed", [{**crawlers[0], "name": "others"}])


@pytest.mark.parametrize(
    "pattern, pointer, words",
    [
        ({"pattern": "spike"}, "/patterns/0/pattern", "campaign"),
        ({"pattern": "bots"}, "/patterns/0", "share"),
        ({"pattern": "bots", "share": 0.1, "at": "1d"}, "/patterns/0/at", "whole run"),
        ({"pattern": "bots", "share": 0.1, "persona": "power"}, "/patterns/0/persona", "another persona"),
        ({"pattern": "duplicateEvent", "event": "PayOrdr"}, "/patterns/0/event", "did you mean \"PayOrder\"?"),
        ({"pattern": "duplicateEvent", "event": "PayOrder", "population": "io"}, "/patterns/0/population", "did you mean \"ios\"?"),
        ({"pattern": "duplicateEvent", "event": "PayOrder", "version": "9.9"}, "/patterns/0/version", "5.3.0"),
        ({"pattern": "missingProperty", "event": "PayOrder", "property": "amount"}, "/patterns/0/property", "order_amount"),
        ({"pattern": "wrongType", "event": "PayOrder", "property": "order_amount", "value": "12"}, "/patterns/0/value", "n/a"),
        ({"pattern": "wrongType", "event": "AddToCart", "property": "quantity", "value": True}, "/patterns/0/value", "sends as \"1\""),
        ({"pattern": "wrongType", "event": "PayOrder", "property": "order_id", "value": 1}, "/patterns/0/property", "neither"),
        ({"pattern": "conversion", "event": "PayOrder", "of": "SubmitOrder", "factor": 2}, "/patterns/0/factor", "at most 1"),
        ({"pattern": "conversion", "event": "PayOrder", "of": "SubmitOrder", "factor": 0.5, "timeZone": "Europe/Paris"},
         "/patterns/0/timeZone", "Europe/Berlin"),
        ({"pattern": "conversion", "event": "PayOrder", "of": "PayOrder", "factor": 0.5}, "/patterns/0/of", "another event"),
        ({"pattern": "release", "version": "5.3.0"}, "/patterns/0/version", "does not have yet"),
        ({"pattern": "release", "version": "7.0.0", "for": "1d"}, "/patterns/0/for", "a version of the app stays"),
        ({"pattern": "campaign", "share": 0.1}, "/patterns/0", "for"),
        ({"pattern": "campaign", "share": 0.1, "for": "1h", "event": "PayOrder"}, "/patterns/0/event", "only for"),
    ],
)
def test_problems_name_the_place(tool: Tool, pattern: dict, pointer: str, words: str):
    path = write_scenario(tool.folder, WORLD | {"patterns": [pattern]})
    said = tool.run("validate", path).expect(104)
    lines = [line for line in (said.out + said.err).splitlines() if f"{pointer}:" in line or f"{pointer} " in line]
    assert lines and any(words in line for line in lines), said.out + said.err


def test_a_campaign_without_length_has_one_problem(tool: Tool):
    for length, kind in (({"for": "0s"}, "/patterns/0/for: out of range"), ({}, "/patterns/0: missing key")):
        path = write_scenario(tool.folder, WORLD | {"patterns": [{"pattern": "campaign", "share": 0.1} | length]})
        said = tool.run("validate", path).expect(104)
        assert kind in said.out + said.err and "has 1 problem" in said.out + said.err


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_the_forecast_knows_bots(tool: Tool, share: float):
    """Bots do more than people, and the range that `validate` tells of both is no wider than for people alone."""
    world = {
        "name": "crawled",
        "seed": 4,
        "duration": "1d",
        "populations": [{"name": "ios", "devices": 900, "system": "sensors", "app": "shop", "persona": "casual"}],
        "patterns": [{"pattern": "bots", "population": "ios", "share": share}],
    }
    scenario = write_scenario(tool.folder, world)
    said = tool.run("validate", scenario).expect(0).out
    low, high = map(float, re.search(r"offers ([0-9.]+) to ([0-9.]+) events/s", said).groups())
    done = tool.run("simulate", scenario, "--bodies", "measure", "--out", "run").expect(0)
    rate = json.loads((done.folder / "run" / "report.json").read_text())["events"]["captured"] / 86_400
    assert low <= rate <= high, said
    assert high - low < 0.25 * rate, said
