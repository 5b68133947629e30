"""Tables of random columns and rows, as `beaconswarm-tables` takes them."""

from __future__ import annotations

import random
import string

TYPES = ["int64", "double", "bool", "string", "timestampMillis", "timestampMicros"]
#: 1678-01-01 and 2262-01-01, in seconds.
FIRST, LAST = -9_214_560_000, 9_214_646_400
UNITS = {"timestampMillis": 1000, "timestampMicros": 1_000_000}
TEXTS = ["", " ", "NULL", "null", "\\N", "true", "1", "-0", "a,b", 'say "so"', '"', "line\nbreak", "cr\r\nlf", "tab\t", "商品详情页", "🛒", "é", "e\u0301", "'", ";", "\\", "\x7f", "\u2028"]


def draw_text(rng: random.Random) -> str:
    kind = rng.randrange(5)
    if kind == 0:
        return rng.choice(TEXTS)
    if kind == 1:
        return "".join(rng.choice(TEXTS) for _ in range(rng.randrange(6)))
    if kind == 2:
        return "".join(rng.choices(string.printable[:95], k=rng.randrange(40)))
    if kind == 3:
        return "".join(chr(rng.choice([rng.randrange(1, 0xD800), rng.randrange(0xE000, 0x110000)])) for _ in range(rng.randrange(9)))
    return "长" * rng.randrange(300)


def draw_double(rng: random.Random) -> float:
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice([0.0, -0.0, 1.0, 0.1, -0.3, 1e15, 1e300, 5e-324, 2.0**53 + 2, 1.7976931348623157e308])
    if kind == 1:
        return rng.randrange(-10_000, 10_000) / 100
    if kind == 2:
        return rng.random()
    return rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300)


def draw_int(rng: random.Random) -> int:
    return rng.choice([rng.randrange(-(1 << 63), 1 << 63), rng.randrange(-5, 5), (1 << 63) - 1, -(1 << 63), 1 << 53])


DRAW = {
    "int64": draw_int,
    "double": draw_double,
    "bool": lambda rng: rng.random() < 0.4,
    "string": draw_text,
    "timestampMillis": lambda rng: rng.randrange(FIRST * 1000, LAST * 1000),
    "timestampMicros": lambda rng: rng.randrange(FIRST * 1_000_000, LAST * 1_000_000),
}


def draw_values(rng: random.Random, kind: str, count: int) -> list:
    """Few different values, many, sorted ones, or runs of the same."""
    shape = rng.choice(["few", "many", "runs", "growing"])
    if shape == "many":
        return [DRAW[kind](rng) for _ in range(count)]
    some = [DRAW[kind](rng) for _ in range(rng.randrange(1, 60))]
    if shape == "few":
        return [rng.choice(some) for _ in range(count)]
    if shape == "growing":
        # A dictionary pays at first, and no more later.
        return [rng.choice(some) if row < count // 2 else DRAW[kind](rng) for row in range(count)]
    values: list = []
    while len(values) < count:
        values += [rng.choice(some)] * rng.randrange(1, 40)
    return values[:count]


def draw_table(rng: random.Random, name: str = "rows", rows: int | None = None) -> dict:
    """A table; at least two columns, because a line of CSV with one missing value is an empty line."""
    count = rng.choice([0, 1, 7, 8, 9, rng.randrange(3000)]) if rows is None else rows
    columns = [{"name": "row_id", "type": "int64", "nullable": False, "doc": "the number of the row"}]
    values: list[list] = [list(range(count))]
    for index in range(rng.randrange(1, 12)):
        kind = rng.choice(TYPES)
        column = {"name": f'{rng.choice(["c", "列", "with space ", "Q"])}{index}', "type": kind, "nullable": rng.random() < 0.6}
        if rng.random() < 0.5:
            column["doc"] = "what it says, -- \"quoted\" 以及"
        drawn = draw_values(rng, kind, count)
        if column["nullable"]:
            share = rng.choice([0, 0.01, 0.5, 1])
            drawn = [None if rng.random() < share else value for value in drawn]
        columns.append(column)
        values.append(drawn)
    return {"name": name, "columns": columns, "rows": [list(row) for row in zip(*values)], "batch": rng.choice([1, 13, 1024, 2048])}
