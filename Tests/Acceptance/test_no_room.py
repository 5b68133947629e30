"""A disk without room, and files that others write: what is there stays, and what is missing is told."""

from __future__ import annotations

import fcntl
from pathlib import Path

from conftest import Tool
from helpers import steady, write_scenario
from searches import flushing, read


def fill(folder: Path, free: int) -> None:
    """Leaves so many bytes of a small disk."""
    filler = folder / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    with open(filler, "r+b") as file:
        file.truncate(filler.stat().st_size - free)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_audit_without_room_leaves_the_run_as_it_was(tool: Tool, tiny_disk: Path):
    run = tiny_disk / "run"
    scenario = write_scenario(tool.folder, steady(2, "1s"))
    tool.run("run", scenario, "--out", run, "--store", "store.sqlite", "-q").expect(0)
    fill(tiny_disk, 0)
    before = contents(run)
    ended = tool.run("audit", run, "--receipts", "store.sqlite", "-q").expect(70)
    assert "No space left on device" in ended.err, str(ended)
    assert contents(run) == before and "timeseries.csv" in before


def test_a_search_whose_page_finds_no_room_says_so_where_it_is_kept(tool: Tool, tiny_disk: Path):
    fill(tiny_disk, 40 << 10)
    out = tiny_disk / "found"
    scenario = write_scenario(tool.folder, flushing(20))
    ended = tool.run("capacity", scenario, "--virtual", "--max", "20", "--out", out).expect(70)
    assert "capacity.html" in ended.err and "No space left on device" in ended.err, str(ended)
    report = read(out)
    assert report["exit_code"] == 70 and any("capacity.html" in reason for reason in report["reasons"]), report["reasons"]
    assert report["ending"] == "maximum" and not (out / "capacity.html").exists()
    assert not list(out.glob("*.partial*"))


def test_a_file_of_events_has_one_writer(tool: Tool):
    """Two runs that begin at the same moment would both end with lines of each."""
    scenario = write_scenario(tool.folder, steady(2, "1s"))
    partial = tool.folder / "events.ndjson.partial"
    partial.write_text("of another\n")
    with open(partial) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        ended = tool.run("simulate", scenario, "--out", "run", "--events", "events.ndjson").expect(64)
        assert "another process writes into events.ndjson.partial" in ended.err
        assert partial.read_text() == "of another\n" and not (tool.folder / "run").exists()
    # Of a process that is gone there is no more than the file.
    tool.run("simulate", scenario, "--out", "run", "--events", "events.ndjson", "-q").expect(0)
    assert (tool.folder / "events.ndjson").read_text().startswith('{"id":') and not partial.exists()
