"""JSON lines of a described SDK in a real ClickHouse: Debian's package, over HTTP, audited by the rows that it holds."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

import real_clock
from conftest import BINARY, HANG, ROOT, Finished
from helpers import held_port
from processes import finish

SERVER = shutil.which("clickhouse-server") or "/usr/sbin/clickhouse-server"

CONFIGURATION = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
  <listen_host>127.0.0.1</listen_host><http_port>{port}</http_port>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><mark_cache_size>1048576</mark_cache_size>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
  </users>
  <profiles><default/></profiles><quotas><default/></quotas>
  <users_config>{folder}/config.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
</yandex>
"""

# The table of the shipped scenario, with the type for times that Debian's version has.
TABLE = """CREATE TABLE events (id UUID, name String, time UInt64, user String, properties String)
           ENGINE = MergeTree ORDER BY (name, time)"""


class ClickHouse:
    def __init__(self, folder: Path):
        # Held until it is in use: sockets that share addresses, as ClickHouse's do, may share one that does not listen,
        # and nobody who asks for any port gets it meanwhile.
        held = held_port()
        self.port = held.getsockname()[1]
        (folder / "config.xml").write_text(CONFIGURATION.format(folder=folder, port=self.port))
        self.process = subprocess.Popen(
            [SERVER, f"--config-file={folder}/config.xml"], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + HANG
        while True:
            try:
                assert self.ask("SELECT 1") == "1\n"
                held.close()
                return
            except (urllib.error.URLError, ConnectionError):
                assert self.process.poll() is None and time.monotonic() < deadline, (folder / "errors").read_text()
                time.sleep(0.1)

    def ask(self, query: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", data=query.encode(), timeout=30) as answer:
            return answer.read().decode()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(HANG)


@pytest.fixture(scope="module")
def clickhouse(tmp_path_factory):
    if not Path(SERVER).exists():
        pytest.skip("ClickHouse is not installed (make setup installs it where the system has a package)")
    folder = tmp_path_factory.mktemp("clickhouse")
    server = ClickHouse(folder)
    yield server
    server.stop()


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    return finish([str(BINARY), *map(str, arguments)])


def play(out: Path, clickhouse: ClickHouse) -> dict:
    real_clock.plays()
    done = run(
        "run", ROOT / "scenarios/sdk/clickhouse.json", "--target", f"http://127.0.0.1:{clickhouse.port}/",
        "--out", out, "--events", out.with_suffix(".ndjson"), "--devices", "30", "--duration", "6s", "--json",
        "--set", 'populations.ios.persona={"preset": "steady", "rate": "3/s"}', "--set", 'populations.ios.arrival={"over": "1s"}',
        "--set", "populations.ios.sdk.upload.flushInterval=1s", "--set", "timeline=[]", "--set", "thresholds={}",
    )
    Finished(done.args, done.returncode, done.stdout, done.stderr, out.parent).expect(0, 99)
    return json.loads(done.stdout)


@pytest.fixture
def table(clickhouse: ClickHouse):
    clickhouse.ask(TABLE)
    yield
    clickhouse.ask("DROP TABLE events")


def test_the_shipped_lines_arrive_row_by_row(tmp_path: Path, clickhouse: ClickHouse, table: None):
    report = play(tmp_path / "run", clickhouse)
    delivered = report["events"]["delivered"]
    assert delivered > 300 and report["events"]["rejected"] == {}

    held = clickhouse.ask(
        "SELECT visitParamExtractString(properties, 'bs_id') AS bs_id, name, time FROM events FORMAT JSONEachRow")
    rows = [json.loads(line) for line in held.splitlines()]
    lines = [json.loads(line) for line in (tmp_path / "run.ndjson").read_text().splitlines()]
    # Each event once, under its name and with the time of its capture.
    assert sorted((row["bs_id"], row["name"], int(row["time"])) for row in rows) == sorted(
        (line["id"], line["name"], int(line["captured_at"])) for line in lines if line["fate"] == "delivered")

    (tmp_path / "rows.ndjson").write_text(held)
    done = run("audit", tmp_path / "run", "--receipts", tmp_path / "rows.ndjson")
    assert done.returncode == 0, done.stderr
    audit = json.loads((tmp_path / "run/report.json").read_text())["audit"]
    assert audit["confirmed"] == audit["unique"] == delivered
    assert audit["acked_not_found"] == audit["unexpected"] == audit["duplicates"] == 0


def test_a_table_that_is_not_there_refuses_what_is_kept(tmp_path: Path, clickhouse: ClickHouse):
    report = play(tmp_path / "run", clickhouse)
    assert report["events"]["delivered"] == 0 and report["events"]["captured"] > 300
    # This version answers 404 for an unknown table, which the shipped SDK takes for good.
    gone = sum(report["events"]["rejected"].values())
    assert gone == report["events"]["captured"] - sum(report["events"]["pending"].values()) > 0
    assert report["verdict"] == "failed"
