"""The Architecture page is true: its picture of the targets is Package.swift's, and the files that it names are there.

`BEACONSWARM_WRITE_PICTURE=1 pytest test_architecture.py` draws a new target into the picture, above what it imports, and the
matrix of dependencies anew.
"""

from __future__ import annotations

import os
import re
import string
from pathlib import Path

import pytest

from package_graph import ROOT, dependencies

PAGE = ROOT / "Sources" / "Beaconswarm" / "Documentation.docc" / "Architecture.md"
SYSTEMS = sorted(path.name for path in (ROOT / "Sources" / "DeviceSDK" / "Systems").iterdir() if path.is_dir())
WRITES = bool(os.environ.get("BEACONSWARM_WRITE_PICTURE"))
# Where the names of a row of the picture begin.
COLUMNS = [4, 22, 44, 63]
# What the page says in words: the faults that drawn scenarios know.
OTHER_LISTS = {"a fault of the collector": ["Sources/TestSupport/Scenarios/RandomScenario.swift"]}
EARLIER = re.compile(r"^(?P<row>\w)  (?P<name>\S+) *(?P<marks>[x+. -]*)$", re.M)


def section(heading: str) -> str:
    text = PAGE.read_text()
    assert f"\n## {heading}\n" in text, f"the page has a section {heading}"
    return text.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def picture(number: int) -> str:
    return section("The targets and who imports whom").split("```")[2 * number + 1]


def paths(text: str) -> list[str]:
    return re.findall(r"`((?:Sources|Tests|scenarios|\.ci)/[^`\s]+)`", text)


# The picture of the targets


def names_in(row: str) -> list[str]:
    return [name for name in re.findall(r"[\w-]+", row) if name in dependencies()]


def layers(text: str) -> dict[str, int]:
    """Each target's layer, the lowest 0."""
    rows = [row for row in map(names_in, text.splitlines()) if row]
    drawn = [name for row in rows for name in row]
    assert len(drawn) == len(set(drawn)), "each target is drawn once"
    return {name: len(rows) - 1 - index for index, row in enumerate(rows) for name in row}


def with_target(text: str, name: str) -> str:
    """The picture with another target in it: in the lowest row above what it imports, or in a row of its own there."""
    level = layers(text)
    above = max((level[used] for used in dependencies()[name]), default=-1) + 1
    lines = text.splitlines()
    index = next((at for at, row in enumerate(lines) if above in {level[other] for other in names_in(row)}), None)
    assert index is not None, f"{name} stands above everything: draw it by hand"
    column = next((column for column in COLUMNS if len(lines[index]) < column), None)
    if column is None:
        lines.insert(index, " " * COLUMNS[0] + name)
    else:
        lines[index] = lines[index].ljust(column) + name
    return "\n".join(lines) + "\n"


def draw_new_targets() -> None:
    text = picture(0)
    while missing := dependencies().keys() - layers(text).keys():
        ready = sorted(name for name in missing if not dependencies()[name] & missing)
        text = with_target(text, ready[0])
    PAGE.write_text(PAGE.read_text().replace(picture(0), text))


def test_every_target_is_drawn_and_imports_only_lower_layers():
    if WRITES:
        draw_new_targets()
    level = layers(picture(0))
    graph = dependencies()
    assert sorted(level) == sorted(graph)
    for name, used in graph.items():
        for other in used:
            assert level[other] < level[name], f"{name} imports {other}, which is not in a lower layer"


def matrix(names: list[str]) -> str:
    """The dependencies as a triangle: a row's target imports a column's; plus and minus as the page has them."""
    graph = dependencies()
    before = earlier()
    lines = [" " * 24 + " ".join(string.ascii_letters[: len(names)])]
    for index, name in enumerate(names):
        marks = []
        for other in names[:index]:
            now, then = other in graph[name], other in before.get(name, graph[name])
            marks.append({(True, True): "x", (True, False): "+", (False, True): "-"}.get((now, then), "."))
        assert graph[name] <= set(names[:index]), f"{name} stands below what it imports"
        lines.append(f"{string.ascii_letters[index]}  {name:21}{' '.join(marks)}".rstrip())
    return "\n" + "\n".join(lines) + "\n"


def drawn() -> tuple[list[str], list[list[str]]]:
    rows = EARLIER.findall(picture(1))
    return [name for _, name, _ in rows], [marks.split() for _, _, marks in rows]


def earlier() -> dict[str, set[str]]:
    """What each target imported before, by the marks of the page."""
    names, marks = drawn()
    return {
        name: {names[column] for column, mark in enumerate(row) if mark in ("x", "-")}
        for name, row in zip(names, marks, strict=True)
    }


def with_new_rows(names: list[str]) -> list[str]:
    """The matrix's targets in order, those that are gone left out, and new ones behind all that they import, and, unless
    something imports them that stands there, behind all that stand in the same row of the picture."""
    level, graph = layers(picture(0)), dependencies()
    names = [name for name in names if name in graph]
    for name in sorted(graph.keys() - set(names), key=lambda name: (level[name], name)):
        before = {*graph[name], *(other for other in names if level[other] == level[name])}
        names.insert(max((names.index(other) + 1 for other in before), default=0), name)
    ordered: list[str] = []

    def put(name: str) -> None:
        for other in names:
            if other in graph[name] and other not in ordered:
                put(other)
        if name not in ordered:
            ordered.append(name)

    for name in names:
        put(name)
    return ordered


def test_the_matrix_is_that_of_the_package():
    names, _ = drawn()
    if WRITES:
        names = with_new_rows(names)
    assert sorted(names) == sorted(dependencies())
    expected = matrix(names)
    if WRITES:
        PAGE.write_text(PAGE.read_text().replace(picture(1), expected))
    assert picture(1) == expected, f"the page should have this matrix:\n{expected}"


# The files that the pages name


@pytest.mark.parametrize("page", sorted(PAGE.parent.glob("*.md")), ids=lambda page: page.name)
def test_every_file_and_folder_that_is_named_exists(page: Path):
    for named in paths(page.read_text()):
        each = [named.replace("<Name>", name) for name in SYSTEMS] if "<Name>" in named else [named]
        missing = [path for path in each if not (ROOT / path).exists()]
        assert not missing, missing


def test_the_walk_of_an_event_names_a_file_for_each_step_and_never_goes_back():
    text = section("The walk of one event through the files")
    steps = [paths(step) for step in re.split(r"^\d+\. ", text, flags=re.M)[1:]]
    assert len(steps) > 15 and all(steps)
    files = [path for step in steps for path in step]
    assert len(files) == len(set(files)) and all(path.endswith(".swift") for path in files)


def test_every_change_has_a_place():
    rows = [row for row in section("Where a change goes").splitlines() if row.startswith("| ")][2:]
    assert len(rows) > 10
    for row in rows:
        assert paths(row), f"no place is named: {row}"


# What an addition touches


def naming(*patterns: str, tests: list[str]) -> list[str]:
    """The files of the sources, README.md, Package.swift and some of the tests, in which each pattern is found."""
    sources = ROOT / "Sources"
    files = [ROOT / "README.md", ROOT / "Package.swift", *sources.rglob("*.swift"), *sources.rglob("*.md")]
    files += [ROOT / path for path in tests]
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in files}
    return sorted(path for path, text in texts.items() if all(re.search(one, text) for one in patterns))


def everything() -> dict[str, list[str]]:
    """For each addition, how those that are there are named: a file with all of them is a list of them."""
    forms = "Rules|Collected|Format|Fixture"
    command = (ROOT / "Sources" / "beaconswarm-cli" / "BeaconswarmCommand.swift").read_text()
    verbs = re.findall(r"(\w+)\.self", command.split("subcommands: [")[1].split("]")[0])
    formats = re.findall(r"^    case (\w+)", (ROOT / "Sources/Datasets/Parts/DatasetFormat.swift").read_text(), re.M)
    assert len(SYSTEMS) > 4 and len(verbs) > 8 and len(formats) > 3
    # As they are typed: `TwoWords` is `two-words`.
    typed = {verb: re.sub(r"(?<=[a-z])(?=[A-Z])", "-", verb).lower() for verb in verbs}
    return {
        "an SDK": [
            rf"\.{name[0].lower()}{name[1:]}\b|\b{name}({forms})\b|`{name.lower()}`|in: \"{name}\"" for name in SYSTEMS
        ],
        "a fault of the collector": [
            rf"\b{fault}\b"
            for fault in ("acceptThenDie", "slowBody", "truncate", "wrongContent", "invalidEvents", "capacity", "deploy")
        ],
        "a level of the fleet": [
            r"\bstoredRows\b|(?m:^)\| `store_depth`", r"\bdevicesActive\b|(?m:^)\| `devices_active`",
            r"\bdevicesStarted\b|(?m:^)\| `devices_active`",
        ],
        "a verb": [rf"\b{verb}\.self|`{name}(?![\w-])" for verb, name in typed.items()],
        "a format of datasets": [
            rf"\.{name}\b|\bcase {name}\b|`{name}`|\"{name}\": from_" for name in formats
        ],
    }


@pytest.mark.parametrize("addition", everything())
def test_the_lists_are_those_that_an_addition_touches(addition: str):
    rows = [row.strip("| ").split(" | ") for row in section("What an addition touches").splitlines() if row[:2] == "| "]
    ((count, which),) = [rest for name, *rest in rows if name == addition]
    named = re.findall(r"`([^`]+)`", which)
    assert int(count) == len(named)
    tests = [path for path in named if path.startswith("Tests/")]
    found = naming(*everything()[addition], tests=tests)
    lists = [path for path in found if path not in OTHER_LISTS.get(addition, [])]
    for path in lists:
        assert any(path == one or one.endswith("/") and path.startswith(one) for one in named), path
    for one in named:
        assert any(path.startswith(one) for path in lists), one


def test_coverage_names_what_exists():
    """Each file with its declarations, and each test by its title."""
    files: dict[str, str] = {}
    for path in [*(ROOT / "Sources").rglob("*.swift"), *(ROOT / "Tests").rglob("*.swift")]:
        files[path.name] = files.get(path.name, "") + path.read_text()
    tests = "".join(text for name, text in files.items() if name.endswith(".swift"))
    text = (PAGE.parent / "Coverage.md").read_text()
    for file, declarations in re.findall(r"`([\w+-]+\.swift)`(?:: ((?:`\w+`(?:, )?)+))?", text):
        assert file in files, file
        for name in re.findall(r"`(\w+)`", declarations):
            assert re.search(rf"\b{name}\b", files[file]), f"{file}: {name}"
    rows = [row for row in text.splitlines() if row.startswith("| ")]
    for title in re.findall(r'"([^"]+)"', "".join(row.split(" | ")[-1] for row in rows)):
        assert title in tests, title
