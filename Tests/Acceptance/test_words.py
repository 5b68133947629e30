"""What goes wrong with files, sockets and stores is told in words: what it is, and what helps."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import sqlite3
import tempfile
from pathlib import Path

import pytest

from conftest import BINARY, Finished, Tool
from helpers import read_report, steady, write_scenario
from processes import finish

# What libraries print for programmers.
MACHINE_WORDS = re.compile(
    r"NSCocoa|NSPOSIX|Error Domain|errno|\(errno|descriptor:|SQLITE_|SQLite error|IOError|SocketAddressError|"
    r"NIO[A-Z]|DatabaseError|Optional\(|Fatal|\bnil\b|Swift\.|The operation could"
)


def expect_words(finished: Finished, code: int, *words: str) -> str:
    finished.expect(code)
    text = finished.out + finished.err
    assert not MACHINE_WORDS.search(text), f"machine words: {text}"
    for word in words:
        assert word in text, f"{word!r} is missing in: {text}"
    return text


def quick(**changes) -> dict:
    return steady(2, "3s", drain="1s", **changes)


@contextlib.contextmanager
def listening():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


# Verbs


@pytest.mark.parametrize(
    ("word", "meant"),
    [("simluate", "simulate"), ("rnu", "run"), ("Validate", "validate"), ("colect", "collect"), ("hepl", "help")],
)
def test_a_mistyped_verb_is_told_what_was_meant(tool: Tool, word: str, meant: str):
    text = expect_words(tool.run(word, "scenario.json"), 64, f'no verb "{word}"', f'did you mean "{meant}"?')
    assert "simulate, generate, merge, compare, sweep, collect" in text, "and which there are"


def test_help_for_a_mistyped_verb_is_told_the_same(tool: Tool):
    expect_words(tool.run("help", "simluate"), 64, 'no verb "simluate"', 'did you mean "simulate"?')
    assert "USAGE: beaconswarm simulate" in tool.run("help", "simulate").expect(0).out


def test_a_word_that_is_like_no_verb_gets_the_list_alone(tool: Tool):
    text = expect_words(tool.run("xylophone"), 64, 'no verb "xylophone"', "validate")
    assert "did you mean" not in text


# Sockets


def test_a_port_in_use_names_the_port_the_process_and_a_way_out(tool: Tool, tmp_path: Path):
    with listening() as port:
        finished = tool.run("collect", "--listen", f"127.0.0.1:{port}", "--store", tmp_path / "s.sqlite")
    expect_words(finished, 70, f"127.0.0.1:{port}", f"(process {os.getpid()})", "another port", "port 0")
    assert not list(tmp_path.glob("s.sqlite*")), "a store was left that nobody asked for"


def test_a_port_is_found_among_hundreds(tool: Tool, tmp_path: Path):
    """The system's table of sockets is longer than what one call reads of it."""
    with contextlib.ExitStack() as stack:
        ports = [stack.enter_context(listening()) for _ in range(300)]
        for port in ports[::100]:
            finished = tool.run("collect", "--listen", f"127.0.0.1:{port}", "--store", tmp_path / "s.sqlite")
            expect_words(finished, 70, f"(process {os.getpid()})")


def test_a_port_that_only_wildcards_hold_is_found_too(tool: Tool, tmp_path: Path):
    with socket.socket(socket.AF_INET6) as server:
        server.bind(("::", 0))
        server.listen()
        port = server.getsockname()[1]
        finished = tool.run("collect", "--listen", f"127.0.0.1:{port}", "--store", tmp_path / "s.sqlite")
    expect_words(finished, 70, f"(process {os.getpid()})")


def test_a_port_of_somebody_unseen_names_the_command_that_would_tell(tmp_path: Path):
    with listening() as port, unprivileged() as run:
        finished = run("collect", "--listen", f"127.0.0.1:{port}", "--store", "s.sqlite")
    expect_words(finished, 70, f"127.0.0.1:{port}", f"ss -ltnp 'sport = :{port}'", "another port")


def test_an_address_of_the_sixth_version_is_written_as_in_a_url(tool: Tool, tmp_path: Path):
    with socket.socket(socket.AF_INET6) as server:
        server.bind(("::1", 0))
        server.listen()
        port = server.getsockname()[1]
        finished = tool.run("collect", "--listen", f"[::1]:{port}", "--store", tmp_path / "s.sqlite")
    expect_words(finished, 70, f"[::1]:{port}", f"(process {os.getpid()})")


def test_no_threads_are_no_number_of_threads(tool: Tool, tmp_path: Path):
    path = write_scenario(tmp_path, quick())
    for verb in ("run", "simulate"):
        expect_words(tool.run(verb, path, "--threads", "0", "--out", "run"), 64, "--threads 0", "from 1")
    assert not (tmp_path / "run").exists()


def test_an_address_of_another_machine(tool: Tool, tmp_path: Path):
    listen = ("--listen", "192.0.2.1:0", "--allow-remote")
    finished = tool.run("collect", *listen, "--store", tmp_path / "s.sqlite")
    expect_words(finished, 70, "192.0.2.1", "no such address", "0.0.0.0")


def test_a_host_without_an_address(tool: Tool, tmp_path: Path):
    listen = ("--listen", "no-such-host.invalid:0", "--allow-remote")
    finished = tool.run("collect", *listen, "--store", tmp_path / "s.sqlite")
    expect_words(finished, 70, "no-such-host.invalid", "no address is known")


# Stores


def collect(tool: Tool, store: object) -> Finished:
    return tool.run("collect", "--listen", "127.0.0.1:0", "--store", store)


def test_stores_that_are_none(tool: Tool, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    expect_words(collect(tool, "folder"), 70, "folder", "name a file")
    expect_words(collect(tool, "nowhere/s.sqlite"), 70, "nowhere/s.sqlite", "nowhere", "No such file or directory")
    (tmp_path / "text").write_text("no database, though long enough for the header of one " * 20)
    expect_words(collect(tool, "text"), 70, "text", "no SQLite database")
    expect_words(collect(tool, "text/s.sqlite"), 70, "text/s.sqlite", "text is no folder")
    assert (tmp_path / "text").read_text().startswith("no database"), "left as it was"


def test_a_locked_store(tool: Tool, tmp_path: Path):
    with contextlib.closing(sqlite3.connect(tmp_path / "s.sqlite", isolation_level=None)) as holder:
        holder.execute("CREATE TABLE t(x)")
        holder.execute("BEGIN EXCLUSIVE")
        expect_words(collect(tool, "s.sqlite"), 70, "s.sqlite", "another program holds it locked")


def test_the_embedded_collectors_store(tool: Tool, tmp_path: Path):
    path = write_scenario(tmp_path, quick())
    finished = tool.run("run", path, "-q", "--out", "run", "--store", "nowhere/s.sqlite")
    expect_words(finished, 70, "nowhere/s.sqlite", "No such file or directory")


@contextlib.contextmanager
def unprivileged():
    """Runs the program as a user to whom permissions mean something."""
    user = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        program = shutil.copy(BINARY, name)

        def run(*arguments: object) -> Finished:
            command = [program, *map(str, arguments)]
            done = finish(command, cwd=name, **user)
            return Finished(command, done.returncode, done.stdout, done.stderr, Path(name))

        run.folder = Path(name)
        yield run


def test_what_may_not_be_read_or_written():
    with unprivileged() as run:
        folder = run.folder
        (folder / "scenario.json").write_text(json.dumps(quick()))
        (folder / "secret.json").write_text("{}")
        (folder / "secret.json").chmod(0)
        (folder / "closed").mkdir(mode=0o555)
        (folder / "closed.sqlite").touch(0o444)
        denied = "Permission denied"
        expect_words(run("validate", "secret.json"), 104, "secret.json", denied)
        expect_words(run("simulate", "scenario.json", "--out", "closed/run"), 64, "closed/run", denied)
        events = run("simulate", "scenario.json", "--out", "run", "--events", "closed/e.ndjson")
        expect_words(events, 64, "closed/e.ndjson", denied)
        assert not (folder / "run").exists(), "nothing was begun"
        for store in ("closed/s.sqlite", "closed.sqlite"):
            expect_words(run("collect", "--listen", "127.0.0.1:0", "--store", store), 70, store, denied)
        stores = run("simulate", "scenario.json", "--out", "run", "--keep-stores", "closed/stores",
                     "--set", "populations.0.sdk.storage.backend=sqlite")  # fmt: skip
        expect_words(stores, 64, "closed/stores", denied)


# Scenarios, receipts, reports


def test_scenarios_that_are_no_files(tool: Tool, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes.json").write_bytes(b'\xff\xfe{"seed": 1}')
    (tmp_path / "empty.json").write_bytes(b"")
    for verb in ("validate", "simulate", "run", "sample", "capacity"):
        expect_words(tool.run(verb, "nowhere.json"), 104, "nowhere.json", "No such file or directory")
        expect_words(tool.run(verb, "folder"), 104, "folder", "Is a directory")
        expect_words(tool.run(verb, "bytes.json"), 104, "bytes.json:1:1", "UTF-8")
        expect_words(tool.run(verb, "empty.json"), 104, "empty.json:1:1", "the end of the file")
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith("process-")}
    assert left == {"folder", "bytes.json", "empty.json"}, "nothing was begun"


def with_sdk(**upload) -> dict:
    scenario = quick()
    scenario["populations"][0]["sdk"] = {"upload": upload}
    return scenario


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (
            quick(apps={"a": {"screens": [{"name": "A", "transitions": {"A": 0.8, "B": 0.8}}, {"name": "B"}]}}),
            "found probabilities that add up to 1.6; allowed: at most 1 in all",
        ),
        (quick(server={"queue": 5}), 'allowed: "serviceTime": What a request takes of a worker.'),
        (
            quick(networks={"n": {"chain": {"wifi": {"dwell": "1m", "to": {"4g": 1}}}}}),
            "allowed: another radio of the chain, which has no other",
        ),
        (with_sdk(keepStatuses="all"), 'allowed: an array of statuses, or the rule: "notSuccess"'),
    ],
)
def test_what_is_allowed_is_what_is_allowed(tool: Tool, tmp_path: Path, scenario: dict, words: str):
    expect_words(tool.run("validate", write_scenario(tmp_path, scenario)), 104, words)


def test_a_variable_that_is_not_set_is_told_in_the_file_that_names_it(tool: Tool, tmp_path: Path):
    (tmp_path / "sdk.json").write_text('{\n  "preset": "amplitude-ios",\n  "name": "${BS_UNSET}"\n}')
    scenario = quick(target={"apiKey": "key"})
    scenario["populations"][0] = {"name": "ios", "devices": 1, "system": "declared", "sdk": {"file": "sdk.json"}}
    path = write_scenario(tmp_path, scenario)
    expect_words(tool.run("validate", path), 104, "found ${BS_UNSET} in sdk.json:3:11")
    scenario["populations"][0]["sdk"]["name"] = "${BS_OTHER}"
    path = write_scenario(tmp_path, scenario)
    text = expect_words(tool.run("validate", path), 104, "found ${BS_OTHER}; allowed")
    assert "sdk.json" not in text, "what the scenario says itself"


def test_a_scenario_in_the_place_of_its_run(tool: Tool, tmp_path: Path):
    path = tmp_path / "lab.json"
    path.write_text("// a comment\n" + json.dumps(quick()))
    for words in (("compare", "lab.json", "lab.json"), ("report", "lab.json")):
        expect_words(tool.run(*words), 104, "lab.json looks like a scenario")


def test_faults_that_are_no_files(tool: Tool, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    for name, words in {
        "nowhere.json": "No such file or directory", "folder": "Is a directory", "bytes.json": "UTF-8",
    }.items():  # fmt: skip
        finished = tool.run("collect", "--listen", "127.0.0.1:0", "--store", "s.sqlite", "--faults", name)
        expect_words(finished, 104, name, words)


@pytest.fixture
def live_run(tool: Tool, tmp_path: Path) -> Path:
    """A run against a collector that is not the run's own."""
    collector = tool.start("collect", "--listen", "127.0.0.1:0", "--store", tmp_path / "store.sqlite")
    # The whole line.
    collector.wait_until(lambda: re.search(r"collecting on .*\n", collector.out), "said that it was ready")
    url = re.search(r"http://\S+", collector.out)[0]
    path = write_scenario(tmp_path, quick())
    tool.run("run", path, "-q", "--out", "live", "--target", f"{url}/sa?project=default").expect(0)
    return tmp_path / "live"


def test_receipts_that_are_none(tool: Tool, tmp_path: Path, live_run: Path):
    before = (live_run / "report.json").read_bytes()
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00\x01\n")
    (tmp_path / "half.sqlite").write_bytes(b"SQLite format 3\0" + b"\x17" * 4096)
    for name, words in {
        "nowhere": "No such file or directory", "folder": "Is a directory", "empty": "is empty", "bytes": "bytes:1",
        "half.sqlite": "but is none",
    }.items():  # fmt: skip
        expect_words(tool.run("audit", live_run, "--receipts", name), 64, "--receipts", name, words)
    with contextlib.closing(sqlite3.connect(tmp_path / "locked.sqlite", isolation_level=None)) as holder:
        holder.execute("CREATE TABLE events(id TEXT)")
        holder.execute("BEGIN EXCLUSIVE")
        finished = tool.run("audit", live_run, "--receipts", "locked.sqlite")
        expect_words(finished, 64, "locked.sqlite", "another program holds it locked")
    assert (live_run / "report.json").read_bytes() == before


def test_runs_that_are_none(tool: Tool, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "report.json").mkdir()
    # What does not exist holds nothing, but that is not what is wrong with it.
    for words in (
        ("report", "nowhere"), ("audit", "nowhere", "--receipts", "x"), ("explain", "nowhere", "0-1"),
        ("compare", "nowhere"), ("compare", "nowhere", "folder"), ("compare", "nowhere/variants/small", "folder"),
    ):  # fmt: skip
        text = expect_words(tool.run(*words), 64, f"{words[1]}: there is no such file or folder")
        assert "holds no run" not in text
    expect_words(tool.run("report", "folder"), 64, "folder holds no run and no search")
    expect_words(tool.run("report", "nowhere.json"), 64, "nowhere.json", "No such file or directory")
    expect_words(tool.run("report", "report"), 64, "report/report.json", "Is a directory")
    expect_words(tool.run("report", "bytes.json"), 104, "bytes.json")
    expect_words(tool.run("explain", "folder", "0-1"), 64, "folder holds no run and no search")
    expect_words(tool.run("compare", "folder", "nowhere"), 64, "folder holds no run and no search")


# Standard input


def pipe(tool: Tool, text: str | bytes, *arguments: str, folder: Path) -> Finished:
    data = text.encode() if isinstance(text, str) else text
    command = [str(BINARY), *arguments]
    done = finish(command, input=data, text=False, cwd=folder)
    return Finished(command, done.returncode, done.stdout.decode(), done.stderr.decode(), folder)


def test_a_scenario_comes_from_standard_input(tool: Tool, tmp_path: Path):
    scenario = quick()
    del scenario["name"]
    text = json.dumps(scenario)
    pipe(tool, text, "simulate", "-", "-q", "--out", "piped", folder=tmp_path).expect(0)
    tool.run("simulate", write_scenario(tmp_path, scenario), "-q", "--out", "read").expect(0)
    piped, read = (read_report(tmp_path / name) for name in ("piped", "read"))
    assert piped["scenario"]["name"] == "stdin" and read["scenario"]["name"] == "scenario"
    assert piped["events"] == read["events"] and piped["fingerprint"] == read["fingerprint"]
    pipe(tool, text, "run", "-", "-q", "--out", "live", folder=tmp_path).expect(0)
    assert "ok, 2 devices" in pipe(tool, text, "validate", "-", folder=tmp_path).expect(0).out
    assert "curl" in pipe(tool, text, "sample", "-", folder=tmp_path).expect(0).out
    schema = pipe(tool, tool.run("schema").out, "validate", "-", folder=tmp_path).expect(0).out
    assert "<stdin>: skipped" in schema
    default = pipe(tool, text, "simulate", "-", "-q", folder=tmp_path).expect(0)
    assert default.code == 0 and [path.name.split("-")[0] for path in (tmp_path / "reports").iterdir()] == ["stdin"]


def test_problems_of_standard_input_say_so(tool: Tool, tmp_path: Path):
    wrong = pipe(tool, json.dumps(quick(sede=1)), "validate", "-", folder=tmp_path)
    expect_words(wrong, 104, "<stdin> has 1 problem", "<stdin>:1:", "/sede", 'did you mean "seed"')
    expect_words(pipe(tool, "", "simulate", "-", folder=tmp_path), 104, "<stdin>:1:1")
    expect_words(pipe(tool, b"\xff", "simulate", "-", folder=tmp_path), 104, "<stdin>:1:1", "UTF-8")
    expect_words(pipe(tool, "{}", "validate", "-", "-", folder=tmp_path), 64, "read once")


def test_files_beside_standard_input_are_those_of_the_present_folder(tool: Tool, tmp_path: Path):
    scenario = quick(target={"url": "https://127.0.0.1:1/sa", "tls": {"ca": "mine.pem"}})
    text = expect_words(pipe(tool, json.dumps(scenario), "validate", "-", folder=tmp_path), 104, "mine.pem")
    assert "-/mine.pem" not in text and "<stdin>/mine.pem" not in text
    (tmp_path / "mine.pem").write_text("no certificate")
    after = pipe(tool, json.dumps(scenario), "validate", "-", folder=tmp_path)
    assert after.code == 104 and "No such file" not in after.err, str(after)


# Conditions under another number of devices


def warned(finished: Finished, pointer: str) -> bool:
    return any(pointer in line and "warning" in line for line in finished.expect(finished.code).err.splitlines())


def test_a_configuration_at_a_path_without_its_key_is_told(tool: Tool, tmp_path: Path):
    scenario = quick()
    scenario["populations"][0] = {"name": "p", "devices": 1, "system": "declared", "sdk": {"preset": "posthog-ios"}}
    # The embedded collector knows the path without the key.
    assert "warning" not in tool.run("validate", write_scenario(tmp_path, scenario)).expect(0).out
    scenario["target"] = {"url": "http://127.0.0.1:1"}
    said = tool.run("validate", write_scenario(tmp_path, scenario)).expect(0).out
    assert "warning: /populations/0: " in said and "/array/{apiKey}/config" in said
    scenario["target"]["apiKey"] = "k-1"
    assert "warning" not in tool.run("validate", write_scenario(tmp_path, scenario)).expect(0).out


def test_bounds_written_for_another_fleet_are_told(tool: Tool, tmp_path: Path):
    scenario = quick(thresholds={
        "events_captured": ["count>=1", "rate>0.1", "count>0"],
        "store_depth": ["value<1000", "value>=0"],
        "batch_size": ["count>=1", "avg<100"],
        "events_lost": ["rate<0.5"],
        "http_reqs{population:ios}": ["count>=1"],
    })  # fmt: skip
    path = write_scenario(tmp_path, scenario)
    pointers = [
        "/thresholds/events_captured/0", "/thresholds/events_captured/1", "/thresholds/store_depth/0",
        "/thresholds/batch_size/0", "/thresholds/http_reqs{population:ios}/0",
    ]  # fmt: skip
    plain = tool.run("simulate", path, "-q", "--out", "plain").expect(0)
    assert "is written for" not in plain.err
    scaled = tool.run("simulate", path, "-q", "--out", "scaled", "--devices", "6").expect(0)
    told = [line for line in scaled.err.splitlines() if "is written for" in line]
    assert [line.split(": ")[1] for line in told] == pointers, scaled.err
    assert all("2 devices" in line and "6 here" in line for line in told)
    assert len(read_report(tmp_path / "scaled")["thresholds"]) == 9, "and judged as written"
    again = tool.run("simulate", path, "-q", "--out", "same", "--devices", "2").expect(0)
    assert "is written for" not in again.err


# The schema


@pytest.fixture(scope="module")
def validator():
    import jsonschema

    schema = json.loads(finish([BINARY, "schema"]).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


GOOD = [
    {"events_lost": ["rate<0.001"]}, {"http_req_duration": ["p(95)<250", " avg <= 1e3 ", "count===0"]},
    {"http_req_duration{population:ios}": [{"threshold": "p(99.9)<250", "abortOnFail": True}]},
    {"store_depth": ["value<5"]}, {"data_sent": ["rate>=.5", "count!=-1"]}, {"batch_size": ["p( 50 )\t>\t0."]},
    {"http_reqs { population : ios }": ["count>0"]}, {"events_lost": ["${CONDITION}"]},
]  # fmt: skip
BAD = [
    {"events_lost": ["rate<"]}, {"events_lost": ["count<1"]}, {"events_lost": ["p(95)<1"]}, {"events_lost": "rate<1"},
    {"http_req_duration": ["rate<1"]}, {"http_req_duration": ["p(101)<1"]}, {"http_req_duration": ["p95<1"]},
    {"http_req_duration": ["p(95)<250ms"]}, {"http_req_duration": ["p(95)=<250"]}, {"store_depth": ["max<1"]},
    {"events_lots": ["rate<1"]}, {"events_lost{pop:ios}": ["rate<1"]}, {"events_duplicated{population:ios}": ["count<1"]},
    {"events_lost": []}, {"events_lost": [{"abortOnFail": True}]}, {"events_lost": [{"threshold": "rate"}]},
    {"events_lost": ["rate<inf"]}, {"events_lost": ["rate<1\n"]}, {"data_sent": ["count<1e999"]},
]  # fmt: skip


@pytest.mark.parametrize("thresholds", GOOD + BAD, ids=json.dumps)
def test_schema_and_program_agree_on_conditions(tool: Tool, tmp_path: Path, validator, thresholds: dict):
    scenario = quick(thresholds=thresholds)
    is_good = thresholds in GOOD
    problems = [error.message for error in validator.iter_errors(scenario)]
    assert (not problems) == is_good, problems
    finished = tool.run("validate", write_scenario(tmp_path, scenario), env={"CONDITION": "rate<1"})
    assert (finished.code == 0) == is_good, str(finished)
    if not is_good:
        assert finished.code == 104 and "thresholds" in finished.err


def enumerated(node: object) -> set[str]:
    """The names that an editor offers for a place of the schema."""
    if isinstance(node, dict):
        own = set(node.get("enum", []))
        return own.union(*(enumerated(choice) for choice in node.get("anyOf", [])))
    return set()


def test_the_schema_offers_presets_and_takes_the_scenarios_own_names(tool: Tool, tmp_path: Path, validator):
    population = validator.schema["properties"]["populations"]["items"]["properties"]
    assert {"shop", "news", "game"} == enumerated(population["app"])
    assert {"casual", "power", "micro", "heavy", "b2b", "reader", "bot", "steady"} == enumerated(population["persona"])
    assert "ideal" in enumerated(population["network"])
    extends = validator.schema["$defs"]["persona"]["properties"]["extends"]
    assert enumerated(population["persona"]) == enumerated(extends)
    # Each name offered is one that the program takes.
    for key in ("app", "persona", "network"):
        for name in sorted(enumerated(population[key])):
            scenario = quick()
            scenario["populations"][0][key] = name
            tool.run("validate", write_scenario(tmp_path, scenario)).expect(0)
    own = quick(personas={"mine": {"extends": "casual"}}, networks={"lan": {"kind": "wifi"}})
    own["populations"][0] |= {"persona": "mine", "network": "lan"}
    assert validator.is_valid(own)
    tool.run("validate", write_scenario(tmp_path, own)).expect(0)
    own["populations"][0]["app"] = 7
    assert not validator.is_valid(own)
