"""answers.json and answers.sql say the same of names, properties and types that are easily taken for each other."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from pathlib import Path

import duckdb
import pytest

from conftest import Tool
from helpers import write_scenario

#: One word to whoever reads it, and two to whoever compares bytes.
COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"
SCREENS = [{"name": "Home", "transitions": {"Detail": 0.8}}, {"name": "Detail", "transitions": {"Home": 0.7}}]


def event(name: str, screen: str, properties: dict | None = None, chance: float = 1) -> dict:
    values = {key: {"constant": value} for key, value in (properties or {}).items()}
    return {"name": name, "on": {"screen": screen}, "chance": chance, "properties": values}


WORLD = {
    "name": "alike",
    "seed": 7,
    "start": "2026-03-02T00:00:00Z",
    "duration": "3d",
    "drain": "1h",
    "apps": {
        "odd": {
            "screens": SCREENS,
            "events": [
                event(COMPOSED, "Home", {"a": 1, COMPOSED: 5}),
                event(DECOMPOSED, "Detail", {DECOMPOSED: 6}, 0.5),
                event("back\\slash", "Detail"),
                event("Twice", "Home", {"a-b": 1, "a_b": 2}, 0.3),
                event("Twice", "Detail", {"a-b": 1, "a_b": 2}, 0.3),
                event("end\\", "Detail"),
                event("it's '\\' all", "Home"),
            ],
        },
        "priced": {
            "screens": SCREENS,
            "events": [
                event("Pay", "Detail", {"price": 3, "width": 3, "mixed": 7, "flag": True}),
                event("Dear", "Detail", {"price": 1e17}),
            ],
        },
        "registers": {
            "screens": SCREENS,
            "events": [event("Pay", "Detail", {"width": 2.5, "mixed": "x", "flag": 1})],
            "superProperties": [{"on": "launch", "properties": {"price": {"constant": 2.5}}}],
        },
    },
    "populations": [
        {"name": "track", "devices": 8, "system": "trackingsdk", "persona": "power", "app": "odd"},
        {"name": "grow", "devices": 6, "system": "growing", "version": "4.11.0", "persona": "power", "app": "odd"},
        {"name": "own", "devices": 5, "system": "sensors", "version": "4.9.1", "persona": "power", "app": "priced"},
        {"name": "registered", "devices": 5, "system": "sensors", "version": "4.9.1", "persona": "power", "app": "registers"},
    ],
    "patterns": [
        {"name": "once-more", "pattern": "duplicateEvent", "event": COMPOSED, "share": 0.5},
        {"name": "lost", "pattern": "missingProperty", "event": COMPOSED, "property": "a", "share": 0.5},
        {"name": "wrong", "pattern": "wrongType", "event": COMPOSED, "property": "a", "value": "n/a", "share": 0.3},
        {"name": "shared", "pattern": "missingProperty", "event": "Twice", "property": "a-b", "share": 0.5},
        {"name": "slow", "pattern": "conversion", "event": "end\\", "of": "back\\slash", "factor": 0.5},
        {"name": "quoted", "pattern": "duplicateEvent", "event": "it's '\\' all", "share": 0.3},
        {"name": "crawlers", "pattern": "bots", "share": 0.2},
    ],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("alike")
    tool = Tool(folder)
    path = write_scenario(folder, WORLD)
    tool.run("generate", path, "--out", folder / "data", "--format", "sqlite,parquet", "-q").expect(0)
    tool.close()
    return folder / "data"


@pytest.fixture(scope="module")
def known(made: Path) -> dict[str, list]:
    answers = json.loads((made / "answers.json").read_text())["answers"]
    return {name: answer["rows"] for name, answer in answers.items()}


def queries(folder: Path) -> dict[str, str]:
    parts = re.split(r"^-- name: (\w+)\n-- .*\n", (folder / "answers.sql").read_text(), flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def ask(folder: Path, sql: str) -> list[list]:
    with sqlite3.connect(f"file:{folder}/dataset.sqlite?mode=ro", uri=True) as database:
        return [list(row) for row in database.execute(sql)]


def as_clickhouse_reads(sql: str) -> str:
    """A query whose literals are what ClickHouse takes them for, where a backslash takes away the meaning of what
    follows; written as all others write them."""

    def literal(match: re.Match) -> str:
        text = re.sub(r"''|\\(.)", lambda found: found[1] or "'", match[1], flags=re.S)
        return "'" + text.replace("'", "''") + "'"

    return re.sub(r"'((?:[^'\\]|''|\\.)*)'", literal, sql, flags=re.S)


def test_every_query_gives_its_answer(made: Path, known: dict[str, list]):
    asked = queries(made)
    assert asked.keys() == known.keys() and len(known) == 17
    for name, sql in asked.items():
        assert ask(made, sql) == known[name] != [], name
        # DuckDB's and PostgreSQL's literals are SQLite's.
        assert ask(made, as_clickhouse_reads(sql)) == known[name], f"{name}, as ClickHouse reads it"
        # Where nothing joins, ClickHouse's outer join has empty values instead of none.
        for table in re.findall(r"LEFT JOIN \w+ (\w+)", sql):
            assert not re.search(rf"count\((DISTINCT )?{table}\.\w+\)|\b{table}\.\w+ IS (NOT )?NULL", sql), name
    assert "\\" in asked["funnel"] and as_clickhouse_reads(asked["funnel"]) != asked["funnel"]


def test_two_mistakes_about_one_property_are_in_each_others_answers(made: Path, known: dict[str, list]):
    planted = {pattern["name"]: pattern["measured"] for pattern in json.loads((made / "answers.json").read_text())["patterns"]}
    assert min(planted[name]["affected_arrived"] for name in ("lost", "wrong")) > 5
    assert known["pattern_lost"] == known["pattern_wrong"]


def test_names_of_other_bytes_are_other_events(made: Path, known: dict[str, list]):
    counts = {(system, name): captured for system, _, name, captured, _, _ in known["events_by_name"]}
    for system in ("trackingsdk", "growing"):
        found = [counts[system, name] for name in (COMPOSED, DECOMPOSED)]
        assert found == [ask(made, f"SELECT count(*) FROM truth WHERE system = '{system}' AND name = '{name}'")[0][0] for name in (COMPOSED, DECOMPOSED)]
        assert found[0] != found[1] and min(found) > 10
    names = [name for _, name, *_ in known["funnel"]]
    assert names == [COMPOSED, DECOMPOSED, "back\\slash", "Twice"], "each name is one step"
    assert all(users > 0 for _, _, users, *_ in known["funnel"])
    # Keys of properties are told apart as well.
    rows = ask(made, "SELECT name, max(prop_caf_), max(prop_cafe_) FROM events WHERE system = 'trackingsdk' GROUP BY name")
    values = {name: found for name, *found in rows}
    assert values[COMPOSED] == [5, None] and values[DECOMPOSED] == [None, 6]


def test_revenue_is_of_events_with_a_price_of_their_own(made: Path, known: dict[str, list]):
    rows = ask(made, "SELECT t.population, count(e.prop_price) FROM events e JOIN truth t ON t.row_id = e.row_id WHERE e.name = 'Pay' GROUP BY 1")
    counts = dict(rows)
    assert counts["own"] > 20 and counts["registered"] > 20, "both have the column"
    dear, pay = known["revenue"]
    assert pay == ["Pay", "prop_price", counts["own"], 300 * counts["own"]]
    # 1e19 hundredths are no number of any database's: instead of the sum there is nothing, and all agree.
    assert dear[:2] == ["Dear", "prop_price"] and dear[2] > 20 and dear[3] is None
    assert "Sums beyond what 64 bits hold exactly are left out." in (made / "README.md").read_text()
    with duckdb.connect() as database:
        for table in ("events", "truth"):
            database.execute(f"CREATE VIEW {table} AS SELECT * FROM '{made}/{table}.parquet'")
        assert [list(row) for row in database.execute(queries(made)["revenue"]).fetchall()] == [dear, pay]


def test_a_column_has_the_values_of_all_populations(made: Path):
    found = defaultdict(set)
    for population, *values in ask(made, "SELECT DISTINCT t.population, e.prop_width, typeof(e.prop_width), e.prop_mixed, e.prop_flag, "
                                   "e.prop_price FROM events e JOIN truth t ON t.row_id = e.row_id WHERE e.name = 'Pay'"):
        found[population].add(tuple(values))
    assert found == {"own": {(3.0, "real", "7", "true", 3.0)}, "registered": {(2.5, "real", "x", "1", 2.5)}}
    with duckdb.connect() as database:
        types = {name: kind for name, kind, *_ in database.execute(f"DESCRIBE SELECT * FROM '{made}/events.parquet'").fetchall()}
    columns = ("prop_width", "prop_mixed", "prop_flag", "prop_price", "prop_a")
    assert [types[name] for name in columns] == ["DOUBLE", "VARCHAR", "VARCHAR", "DOUBLE", "BIGINT"]
    page = (made / "README.md").read_text()
    assert "| `prop_width` | double? |" in page and "| `prop_mixed` | string? |" in page


def test_a_column_of_whole_numbers_has_all_that_arrive(tool: Tool):
    """GrowingIO sends texts, and of a large number one with a power of ten. What is rounded to zero is 0 with every system."""
    numbers = {"balance": {"uniform": {"min": -2, "max": 2, "decimals": 0}}, "credit": {"lognormal": {"median": 1e15, "sigma": 2, "decimals": 0}},
               "debt": {"uniform": {"min": -0.01, "max": 0, "decimals": 1}}}
    app = {"screens": [{"name": "Home"}], "events": [{"name": "Look", "on": {"screen": "Home"}, "properties": numbers}]}
    systems = [("growing", "3.2.1"), ("growing", "4.11.0"), ("sensors", "4.9.1"), ("trackingsdk", "document")]
    populations = [{"name": f"p{place}", "devices": 15, "system": system, "version": version, "app": "own", "persona": "power"}
                   for place, (system, version) in enumerate(systems)]
    path = write_scenario(tool.folder, {
        "name": "numbers", "seed": 1, "start": "2026-03-02T00:00:00Z", "duration": "1d", "apps": {"own": app}, "populations": populations})
    folder = tool.folder / "numbers"
    tool.run("generate", path, "--out", folder, "--format", "sqlite", "-q").expect(0)
    rows = ask(folder, "SELECT t.population, count(*), count(prop_balance), sum(prop_balance = 0), count(prop_credit), max(prop_credit) > 1e16 "
                       "FROM events e JOIN truth t ON t.row_id = e.row_id WHERE e.name = 'Look' GROUP BY 1")
    assert len(rows) == len(systems)
    for population, arrived, balances, zeros, credits, isLarge in rows:
        assert balances == credits == arrived and zeros and isLarge, (population, arrived, balances, zeros, credits)
    for (payload,) in ask(folder, "SELECT payload FROM events WHERE name = 'Look'"):
        assert not re.search(r'"(balance|debt)":"?-0', payload), payload


def test_properties_that_are_written_alike_have_columns_of_their_own(made: Path, known: dict[str, list]):
    planted = json.loads((made / "answers.json").read_text())["patterns"]
    assert {pattern["name"]: pattern["answer"] for pattern in planted} == {
        "once-more": "pattern_once_more", "lost": "pattern_lost", "wrong": "pattern_wrong", "shared": "pattern_shared", "slow": "pattern_slow", "quoted": "pattern_quoted",
        "crawlers": "pattern_crawlers",
    }
    sizes = {pattern["name"]: pattern["measured"] for pattern in planted}
    assert sum(row[2] for row in known["pattern_lost"]) == sum(sizes[name]["affected_arrived"] for name in ("lost", "wrong")) > 10
    assert sum(row[2] for row in known["pattern_shared"]) == sizes["shared"]["affected_arrived"] > 10
    # What the code leaves out of one, the other does not fill.
    values = ask(made, "SELECT DISTINCT prop_a_b, prop_a_b_2 FROM events WHERE name = 'Twice' ORDER BY 2")
    assert values == [[2, None], [2, 1]]
    page = (made / "README.md").read_text()
    assert "| `prop_a_b` | int64? | the app's property a_b |" in page
    assert "| `prop_a_b_2` | int64? | the app's property a-b |" in page
