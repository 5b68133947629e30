"""`import` against what real clients send: a draft of it is a description by which the collector reads it again."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from helpers import rows
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


def test_what_cannot_be_imported_is_told_by_its_place(tool, tmp_path: Path):
    capture = tmp_path / "c.har"
    capture.write_text('{"log": {"entries": [{"request": {"method": "POST"}}]}}')
    run = tool.run("import", capture).expect(104)
    assert f"{capture}: /log/entries/0/request/url: found nothing; allowed: a text" in run.err and run.out == ""
    assert "none.har" in tool.run("import", "none.har").expect(104).err
    capture.write_text("curl http://h/x -d 'a=1'")
    assert "allowed: a POST whose body is JSON with events" in tool.run("import", capture).expect(104).err
    there = tmp_path / "there.json"
    there.write_text("{}")
    assert "exists already" in tool.run("import", capture, "--out", there).expect(64).err
    assert there.read_text() == "{}"
