"""`import` against what real clients send: a draft of it is a description by which the collector reads it again."""

from __future__ import annotations

import base64
import gzip
import json
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from conftest import BINARY
from helpers import rows
from processes import finish
from public_clients import CLIENTS, Recorder


def archive(requests, origin: str = "https://in.acme.io") -> str:
    """The requests as a browser or a proxy exports them (HAR 1.2)."""
    entries = []
    for number, request in enumerate(requests):
        headers = [{"name": name, "value": text} for name, text in request.headers.items()]
        entry = {"method": request.method, "url": origin + request.path, "headers": headers}
        try:
            entry["postData"] = {"mimeType": "", "text": request.body.decode()}
        except UnicodeDecodeError:
            entry["postData"] = {"mimeType": "", "text": base64.b64encode(request.body).decode(), "encoding": "base64"}
        entries.append({"startedDateTime": f"2026-03-02T11:30:{number:02}.000Z", "request": entry})
    return json.dumps({"log": {"version": "1.2", "entries": entries}})


@pytest.mark.parametrize("name", ["segment", "posthog-gzip", "amplitude", "mixpanel", "mixpanel-single"])
def test_a_draft_reads_what_it_was_drafted_from(tool, collect, tmp_path: Path, name: str):
    recorder = Recorder(collect(tmp_path / "first.sqlite").port)
    sent = CLIENTS[name][1](recorder.url)
    recorder.close()
    capture, out = tmp_path / "capture.har", tmp_path / "draft.json"
    capture.write_text(archive(recorder.requests))
    run = tool.run("import", capture, "--out", out).expect(0)
    draft = json.loads(out.read_text())
    assert draft["name"] == "acme"
    # Whatever is guessed is told on standard error, and kept with the draft.
    assert draft["notes"] and all(f"guessed: {note}" in run.err for note in draft["notes"])
    # Secrets of the clients' requests.
    for secret in ('"WK"', '"phc_x"', '"K"', "V0s6"):
        assert secret not in out.read_text()
    # The draft is what the collector reads by, before the product that it knows.
    collector = collect(tmp_path / "second.sqlite", "--sdk", out)
    path = draft["request"]["path"]
    requests = [request for request in recorder.requests if request.path.split("?")[0] == path]
    assert requests
    again = Recorder(collector.port)
    for request in requests:
        assert again.send(request.method, request.path, request.headers, request.body)[0] == 200
    again.close()
    stats = collector.stats()
    held = rows(collector.store, "SELECT system, payload FROM events")
    assert stats["undecodable"] == 0 and stats["unique"] == len(held) > 0
    assert {system for system, _ in held} == {"acme"}
    assert f"reads {len(held)} of the {len(held)} events" in run.err
    ids = {identifier for identifier in sent.ids for _, payload in held if identifier in payload}
    assert len(ids) == len(held), "each event that is held has an id that the client gave it"
    assert draft["events"]["key"] != []


def test_curl_commands_and_standard_output(tool, tmp_path: Path):
    capture = tmp_path / "curl.txt"
    event = {"event": "Buy", "id": "e-%d", "timestamp": "2026-03-02T11:30:00Z", "properties": {"price": 1}}
    body = json.dumps([event, event]).replace("e-%d", "e-1", 1).replace("e-%d", "e-2", 1)
    capture.write_text(
        f"curl 'https://in.acme.io/e' \\\n  -H 'Content-Type: application/json' \\\n  -H 'X-Api-Key: hush' \\\n"
        f"  -H 'X-Signature: 0123456789abcdef0123456789abcdef' \\\n  --data-raw '{body}' --compressed\n"
    )
    run = tool.run("import", capture).expect(0)
    draft = json.loads(run.out)
    assert draft["request"]["headers"] == {"Content-Type": "application/json", "X-Api-Key": "${X_API_KEY}"}
    assert draft["request"]["body"] == "{{events}}"
    assert draft["events"]["key"] == ["/id"]
    assert "hush" not in run.out + run.err
    assert "X-Signature is left out" in run.err


EVENTS = [{"event": f"Buy {n}", "id": f"e-{n}", "timestamp": "2026-03-02T11:30:00Z", "properties": {"n": n}} for n in (1, 2)]
PACKINGS = {
    "{{body}}": lambda text: text,
    "{{body|base64}}": lambda text: base64.b64encode(text.encode()).decode(),
    "{{body|gzip|base64}}": lambda text: base64.b64encode(gzip.compress(text.encode())).decode(),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_form_is_drafted_as_one_and_sent_as_one(tool, tmp_path: Path, packing: str):
    bodies = [urlencode({"app": "7", "data": PACKINGS[packing](json.dumps([event]))}) for event in EVENTS]
    head = {"Content-Type": "application/x-www-form-urlencoded"}
    requests = [SimpleNamespace(method="POST", path="/e", headers=head, body=body.encode()) for body in bodies]
    capture = tmp_path / "capture.har"
    capture.write_text(archive(requests))
    run = tool.run("import", capture).expect(0)
    assert "reads 2 of the 2 events" in run.err
    draft = json.loads(run.out)
    assert draft["request"] == {"path": "/e", "body": "{{events}}", "form": {"app": "7", "data": packing}}
    population = {"name": "p", "devices": 2, "system": "declared", "sdk": draft}
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"duration": "1m", "populations": [population]}))
    shown = tool.run("sample", scenario).expect(0).out
    assert "Content-Type: application/x-www-form-urlencoded" in shown and "app=7&data=" in shown


def test_names_with_escapes_are_drafted_and_sent_as_they_came(tool, tmp_path: Path):
    """And what a draft has no room for is told."""
    capture = tmp_path / "curl.txt"
    url = "https://me:hush@in.acme.io/e?a%20b=1&x%26y=2&x%26y=3"
    form = urlencode({"events[]": json.dumps(EVENTS)})
    capture.write_text(f"curl '{url}' -H 'Accept:' --data-raw '{form}'\n")
    run = tool.run("import", capture).expect(0)
    assert "reads 2 of the 2 events" in run.err and "hush" not in run.out + run.err
    assert "a name and a password in the URL are left out" in run.err
    assert "/request/query/x&y: the others of this name are left out" in run.err
    request = json.loads(run.out)["request"]
    assert request["query"] == {"a b": "1", "x&y": "2"} and request["form"] == {"events[]": "{{body}}"}
    assert "headers" not in request
    scenario = tmp_path / "scenario.json"
    population = {"name": "p", "devices": 2, "system": "declared", "sdk": json.loads(run.out)}
    scenario.write_text(json.dumps({"duration": "1m", "populations": [population]}))
    shown = tool.run("sample", scenario).expect(0).out
    assert "POST /e?a%20b=1&x%26y=2 HTTP/1.1" in shown and "events%5B%5D=" in shown


def test_a_quote_with_a_mark_behind_it_is_a_quote_to_a_shell(tool, tmp_path: Path):
    """Swift takes the two for one character."""
    capture = tmp_path / "curl.txt"
    capture.write_text(f"curl 'https://in.acme.io/e' -H 'Content-Type: application/json' --data-raw '{json.dumps(EVENTS)}'\n")
    draft = json.loads(tool.run("import", capture).expect(0).out)
    note = "it'\u0301s ; it"
    draft["request"]["body"] = {"note": note, "events": "{{events}}"}
    scenario = tmp_path / "scenario.json"
    population = {"name": "p", "devices": 2, "system": "declared", "sdk": draft}
    scenario.write_text(json.dumps({"duration": "1m", "populations": [population]}))
    shown = tool.run("sample", scenario).expect(0).out
    words = shlex.split(shown.split("## curl")[1].replace("\\\n", " "))
    assert json.loads(words[words.index("--data-binary") + 1])["note"] == note


def test_bodies_with_one_line_are_read_as_lines(tool, tmp_path: Path):
    capture = tmp_path / "capture.har"
    lines = ["\n".join(map(json.dumps, EVENTS)) + "\n", json.dumps(EVENTS[0] | {"id": "e-3"}) + "\n"]
    capture.write_text(
        archive(SimpleNamespace(method="POST", path="/e", headers={}, body=line.encode()) for line in lines)
    )
    run = tool.run("import", capture).expect(0)
    assert "reads 3 of the 3 events in 2 requests" in run.err and "differs in all 3 events (sure)" in run.err
    assert json.loads(run.out)["request"] == {"path": "/e", "framing": "lines", "body": "{{events}}"}


def test_events_in_a_text_that_holds_json_are_drafted_and_sent(tool, tmp_path: Path):
    capture = tmp_path / "capture.har"
    body = json.dumps({"client": "k1", "events": json.dumps(EVENTS)})
    capture.write_text(archive([SimpleNamespace(method="POST", path="/e", headers={}, body=body.encode())]))
    run = tool.run("import", capture).expect(0)
    assert "reads 2 of the 2 events" in run.err
    draft = json.loads(run.out)
    assert draft["request"] == {"path": "/e", "body": {"client": "k1", "events": {"jsonText": "{{events}}"}}}
    population = {
        "name": "p", "devices": 20, "system": "declared", "sdk": draft, "persona": {"preset": "steady", "rate": "1/s"},
    }
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"duration": "2m", "populations": [population]}))
    for compress in ("none", "gzip"):
        done = tool.run(
            "simulate", scenario, "--json", "--out", tmp_path / compress,
            "--set", f"populations.0.sdk.request.compress={compress}",
        ).expect(0)
        found = json.loads(done.out)
        assert found["events"]["delivered"] == found["audit"]["confirmed"] > 100
        assert found["audit"]["undecodable"] == found["audit"]["unexpected"] == 0
    assert '"client":"k1","events":"[{\\"' in tool.run("sample", scenario).expect(0).out


def piped(text: str) -> subprocess.CompletedProcess:
    """`import` of what another program writes."""
    return finish([BINARY, "import", "-"], input=text)


def test_standard_input_and_letters_that_stand_together():
    body = json.dumps(EVENTS)
    curl = f"curl -sSX PUT -kH 'X-Api-Key: hush' 'https://in.acme.io/e' -d '{body}'\n"
    draft = json.loads(piped(curl).stdout)
    assert draft["request"]["method"] == "PUT" and draft["request"]["headers"]["X-Api-Key"] == "${X_API_KEY}"
    empty = piped("")
    assert empty.returncode == 104 and "<stdin>: found an empty file" in empty.stderr


def test_what_a_browser_escapes_is_drafted_as_it_was_sent(tool, tmp_path: Path):
    """A browser writes characters beyond 16 bits as a pair of surrogates."""
    body = json.dumps([event | {"mood": "\U0001f600 \u00e9"} for event in EVENTS])
    assert "\\ud83d\\ude00 \\u00e9" in body
    capture = tmp_path / "emoji.txt"
    capture.write_text(f"curl 'https://in.acme.io/e' --data-raw $'{body}'\n")
    draft = json.loads(tool.run("import", capture).expect(0).out)
    assert draft["events"]["common"]["mood"] == "\U0001f600 \u00e9"


def test_commands_for_another_shell_are_told_as_such(tool, tmp_path: Path):
    capture = tmp_path / "cmd.txt"
    capture.write_text('curl ^"https://in.acme.io/e^" ^\r\n  -H ^"a: b^" ^\r\n  --data-raw ^"^[^]^"\r\n')
    err = tool.run("import", capture).expect(104).err
    assert f"{capture}: line 1: found" in err and "Copy as cURL (bash)" in err


def test_headers_of_later_requests_and_what_is_kept_are_told(tool, tmp_path: Path):
    events = [event | {"user": {"email": "me@x.io"}, "context": {"app": {"version": "1.2.3"}}} for event in EVENTS]
    heads = [{}, {"Authorization": "Bearer hush", "X-App": "shop"}]
    requests = [
        SimpleNamespace(method="POST", path="/e", headers=head, body=json.dumps([event]).encode())
        for head, event in zip(heads, events)
    ]
    capture = tmp_path / "capture.har"
    capture.write_text(archive(requests))
    run = tool.run("import", capture).expect(0)
    assert "X-App is left out: only some requests have it" in run.err and "hush" not in run.out + run.err
    kept = [line for line in run.err.splitlines() if line.startswith("guessed: kept as captured")]
    assert len(kept) == 1 and "/events/common/user/email" in kept[0], run.err
    common = json.loads(run.out)["events"]["common"]
    assert common["user"] == {"email": "me@x.io"} and common["context"] == {"app": {"version": "{{app.version}}"}}


def test_control_characters_of_a_capture_do_not_reach_the_terminal(tool, tmp_path: Path):
    hostile = "\x1b]0;x\x07\x9b2J\u202e\nerror: made up"
    events = [event | {"event": "Buy" + hostile, "k" + hostile: "v"} for event in EVENTS]
    request = SimpleNamespace(method="POST", path="/e", headers={}, body=json.dumps(events).encode())
    capture = tmp_path / "capture.har"
    capture.write_text(archive([request], origin=f"https://in.acme{hostile}.io"))
    told = tool.run("import", capture).expect(0).err
    capture.write_text(json.dumps({"log": {"entries": [{"request": {"method": hostile}}]}}))
    told += tool.run("import", capture).expect(104).err
    capture.write_text(f"wget{hostile}")
    told += tool.run("import", capture).expect(104).err
    assert "made up" in told and not [line for line in told.split("\n") if line.startswith("error: made up")]
    assert not set("\x1b\x07\x9b\u202e") & set(told), repr(told)


def test_what_cannot_be_imported_is_told_by_its_place(tool, tmp_path: Path):
    capture = tmp_path / "c.har"
    capture.write_text('{"log": {"entries": [{"request": {"method": "POST"}}]}}')
    run = tool.run("import", capture).expect(104)
    assert f"{capture}: /log/entries/0/request/url: found nothing; allowed: a text" in run.err and run.out == ""
    assert "none.har" in tool.run("import", "none.har").expect(104).err
    capture.write_text("curl http://h/x -d 'a=1'")
    assert "allowed: a POST or PUT whose body is JSON with events" in tool.run("import", capture).expect(104).err
    there = tmp_path / "there.json"
    there.write_text("{}")
    assert "exists already" in tool.run("import", capture, "--out", there).expect(64).err
    assert there.read_text() == "{}"
