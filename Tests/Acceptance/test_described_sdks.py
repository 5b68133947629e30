"""SDKs that are described: presets, files, changes of both, and what is wrong with them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

import real_clock
from conftest import BINARY
from processes import finish

#: Seconds that it takes: the longest go first.
LONG = 80

OWN = {
    "name": "own-sdk",
    "version": "1.0",
    "upload": {"flushBulkSize": 5, "flushInterval": "2s"},
    "request": {"path": "/own/in", "compress": "gzip", "body": {"key": "{{apiKey}}", "events": "{{events}}"}},
    "events": {
        "id": "uuid7",
        "tag": "/props/bs_id",
        "key": ["/id"],
        "common": {
            "id": "{{id}}", "name": "{{name}}", "at": "{{time|iso}}", "user": "{{userId?}}", "props": "{{properties}}",
        },
        "business": {"name": "{{event}}"},
        "screen": {"name": "screen", "properties": {"screen": "{{screen.name}}"}},
    },
}


def scenario(folder: Path, *sdks: dict, **members) -> Path:
    populations = [
        {
            "name": f"p{number}", "devices": 20, "system": "declared", "sdk": sdk,
            "persona": {"preset": "steady", "rate": "1/s"},
        }
        for number, sdk in enumerate(sdks)
    ]
    path = folder / "scenario.json"
    path.write_text(json.dumps({"duration": "1m", "seed": 5, "populations": populations} | members))
    return path


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    return finish([str(BINARY), *map(str, arguments)])


def report(folder: Path, verb: str, path: Path, *options: str) -> dict:
    if verb == "run":
        real_clock.plays()
    done = run(verb, path, "--json", "--out", folder, *options)
    if verb == "run" and done.returncode == 96 and real_clock.was_late(done.args, folder, done.stdout + done.stderr):
        real_clock.inconclusive(f"the generator was late\n{done.stderr}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_a_description_in_a_file_plays_in_both_worlds(tmp_path: Path, verb: str):
    (tmp_path / "own.json").write_text(json.dumps(OWN))
    path = scenario(
        tmp_path, {"file": "own.json"}, {"preset": "posthog-ios", "upload": {"flushInterval": "1s"}},
        duration="6s", drain="3s",
    )
    found = report(tmp_path / "out", verb, path)
    assert found["events"]["captured"] > 200 and found["events"]["balance"] == 0
    assert found["audit"]["confirmed"] == found["events"]["delivered"] > 100
    assert found["audit"]["acked_not_found"] == found["audit"]["unexpected"] == found["audit"]["undecodable"] == 0


def test_events_without_the_harness_id_are_audited_by_their_own(tmp_path: Path):
    path = scenario(tmp_path, *({"preset": name} for name in PRESETS), tagEvents=False, duration="3m")
    found = report(tmp_path / "out", "simulate", path)
    assert found["audit"]["confirmed"] == found["events"]["delivered"] > 5000
    assert found["audit"]["unexpected"] == found["audit"]["undecodable"] == 0


def test_natural_keys_are_those_of_the_collector(tmp_path: Path):
    """Numbers in other forms than the normal one, and keys of which nothing is there: of some events, or of all."""
    members = {
        "numbers": (["/id", "/v"], {"v": {"a": [1e3, 20.0]}}),
        "nothing": (["/none"], {"none": ""}),
        "users": (["/user"], {}),
    }
    sdks = [
        OWN | {
            "name": f"{name}-sdk",
            "request": OWN["request"] | {"path": f"/{name}", "perEvent": {"sent": "{{sent|ms}}"}},
            "events": OWN["events"] | {"key": key, "common": OWN["events"]["common"] | more},
        }
        for name, (key, more) in members.items()
    ]
    path = scenario(tmp_path, *sdks, tagEvents=False, duration="15s")
    found = report(tmp_path / "out", "simulate", path)
    assert found["audit"]["confirmed"] == found["events"]["delivered"] > 500
    assert found["audit"]["unexpected"] == found["audit"]["acked_not_found"] == 0


PRESETS = ["amplitude-ios", "mixpanel-ios", "posthog-ios", "segment-ios", "snowplow-ios"]


def test_the_same_seed_gives_the_same_report(tmp_path: Path):
    path = scenario(tmp_path, *({"preset": name} for name in PRESETS))
    first, second = (report(tmp_path / name, "simulate", path) for name in "ab")
    assert first["fingerprint"] == second["fingerprint"] and first["events"] == second["events"]


def test_an_option_changes_what_a_file_says(tmp_path: Path):
    (tmp_path / "own.json").write_text(json.dumps(OWN))
    path = scenario(tmp_path, {"file": "own.json"})
    done = run("sample", path, "--set", "populations.0.sdk.request.compress=none")
    assert done.returncode == 0, done.stderr
    assert "POST /own/in HTTP/1.1" in done.stdout and '"events":[{"id":"' in done.stdout


@pytest.mark.parametrize(
    ("where", "name"),
    [({"timeZones": "Asia/Kolkata"}, "Asia/Kolkata"), ({"utcOffset": "-05:30"}, "GMT-0530"), ({}, "GMT+0800")],
)
def test_a_preset_tells_the_zone_in_which_its_users_live(tmp_path: Path, where: dict, name: str):
    path = scenario(tmp_path, {"preset": "posthog-ios"})
    content = json.loads(path.read_text())
    content["populations"][0] |= where
    path.write_text(json.dumps(content))
    done = run("sample", path)
    assert done.returncode == 0, done.stderr
    assert re.search(r'"\$timezone": ?"%s"' % re.escape(name), done.stdout), done.stdout


def test_what_a_collector_would_miss_is_told_wherever_a_description_is_read(collect, tmp_path: Path):
    """Each place tells the same of a description without names and times, and goes on."""
    own = OWN | {"events": OWN["events"] | {"common": {"id": "{{id}}", "props": "{{properties}}"}}}
    file = tmp_path / "own.json"
    file.write_text(json.dumps(own))
    path = scenario(tmp_path, {"file": "own.json"}, duration="3s", drain="2s")
    places = ["the name is nowhere in the event", "the time of the capture is nowhere in the event"]

    def told(err: str, place: str) -> None:
        for words in places:
            assert re.search(f"warning: .*{place}: .*{words}", err), (words, err)

    store = tmp_path / "store.sqlite"
    played = run("run", path, "--out", tmp_path / "out", "--store", store)
    told(played.stderr, "/populations/0/sdk/events/common")
    audited = run("audit", tmp_path / "out", "--receipts", store, "--sdk", file, "--json")
    told(audited.stderr, f"{file}: /events/common")
    assert json.loads(audited.stdout)["audit"] is not None
    collector = collect(tmp_path / "own.sqlite", "--sdk", file)
    assert "own-sdk" in collector.running.out
    told(collector.stop().expect(0).err, f"{file}: /events/common")


@pytest.mark.parametrize(
    ("sdk", "words"),
    [
        ({"preset": "posthog"}, ['/populations/0/sdk/preset', 'did you mean "posthog-ios"?']),
        ({"file": "missing.json"}, ["/populations/0/sdk/file", "a file that can be read"]),
        ({"preset": "posthog-ios", "events": {"common": {"who": "{{distinctid}}"}}}, ['did you mean "distinctId"?']),
        ({"preset": "posthog-ios", "answers": [["2xx", "delivered"]]}, ["/sdk/answers", "no rule for 100"]),
        ({"preset": "posthog-ios", "lanes": []}, ["/sdk/lanes", "an object of"]),
        ({"preset": "posthog-ios", "lanes": {"a": {}}}, ["/sdk/lanes", "\"removeBy\": \"position\"", "a lane without events"]),
        ({"preset": "mixpanel-ios", "events": {"business": {"lane": "peopel"}}}, ['did you mean "people"?']),
        ({"preset": "mixpanel-ios", "lanes": {"people": {"request": {"method": "GET"}}}}, ["/lanes/people/request/method"]),
        ({"preset": "posthog-ios", "request": {"method": "GET"}}, ["/request/method", "GET only with a form"]),
        ({"preset": "posthog-ios", "answers": [["*", "dropListed", ["/a"]]]}, ['dropListed on "offline"']),
        ({"preset": "amplitude-ios", "answers": [["400", "dropListed"], ["*", "keep"]]}, ["/answers/0", "three parts"]),
        ({"preset": "posthog-ios", "consent": {"stored": "send", "captures": "store"}}, ["/consent/captures"]),
        ({"preset": "posthog-ios", "consent": None, "events": {"optIn": {"name": "in"}}}, ["/events/optIn", "group consent"]),
        ({"preset": "mixpanel-ios", "storage": {"evictAt": "flush"}}, ["a knob without effect"]),
        ({"preset": "segment-ios", "request": {"form": {"a": "{{apiKey}}"}}}, ["/request/form", "0 fields with the body"]),
        ({"preset": "segment-ios", "request": {"form": {"a": "{{body|gzip}}"}}}, ["/form/a", "{{body|gzip|base64}}"]),
        ({"preset": "segment-ios", "request": {"form": {"a": "x{{body}}"}}}, ["/form/a", "{{body}} by itself"]),
        ({"preset": "posthog-ios", "request": {"form": {"a": "{{body}}"}}}, ["/request/compress", "a knob without effect"]),
        (OWN | {"storage": {"evict": 5}}, ["/storage/evict", "evict only with a limit"]),
        ({"preset": "posthog-ios", "upload": {"networks": ["4g"]}}, ["/upload/onNetwork", "a knob without effect"]),
        (OWN | {"upload": {"overlaps": True, "takes": "all"}}, ["/upload/takes", "a concurrency above 1"]),
        (OWN | {"request": {"path": "/v1/{{apiKey}}"}}, ["/request/path", "no placeholder"]),
        (OWN | {"request": {"path": "/v3/l \u00f6"}}, ["/request/path", "no blank"]),
        (OWN | {"request": {"body": {"n": 10**30, "e": "{{events}}"}}}, ["/request/body/n", "out of range", "64 bits"]),
        (OWN | {"request": {"headers": {"Content-Length": "7"}}}, ["/headers/Content-Length", "does not set itself"]),
        (OWN | {"request": {"headers": {"Keep-Alive": "timeout=5"}}}, ["/headers/Keep-Alive", "does not set itself"]),
        (OWN | {"request": {"headers": {"X-A": "a\r\nX-B: b"}}}, ["/headers/X-A", "a control character"]),
        ({"preset": "otlp-http", "storage": {"persist": "onBackground"}}, ["/storage/persist", "a knob without effect"]),
        ({"preset": "segment-ios", "upload": {"maxBytes": 9}}, ["/upload/maxBytes", "a knob without effect"]),
        ({"preset": "posthog-ios", "upload": {"oversize": "drop"}}, ["/upload/oversize", "only with maxBytes"]),
        (OWN | {"upload": {"overlaps": True, "concurrency": 2, "rounds": True}}, ["/upload/rounds", "a knob without effect"]),
        ({"preset": "posthog-ios", "retry": {"retryAfter": {"on": "4x"}}}, ["/retryAfter/on", "hundreds such as 3xx"]),
        ({"preset": "snowplow-ios", "events": {"firstForeground": ["launch"]}}, ["/firstForeground", '"launch"']),
        ({"preset": "posthog-ios", "events": {"common": {"at": "{{sealed}}"}}}, ["/events/common/at", "is not known here"]),
    ],
)
def test_what_cannot_be_is_told_with_its_place(tmp_path: Path, sdk: dict, words: list[str]):
    done = run("validate", scenario(tmp_path, sdk))
    assert done.returncode == 104
    for word in words:
        assert word in done.stdout + done.stderr


def test_what_is_wrong_in_a_file_is_told_with_its_place_there(tmp_path: Path):
    (tmp_path / "own.json").write_text(json.dumps(OWN | {"storage": {"evict": 5}}, indent=1))
    line = (tmp_path / "own.json").read_text().splitlines().index('  "evict": 5') + 1
    said = run("validate", scenario(tmp_path, {"file": "own.json"})).stderr
    assert re.search(rf"/storage/evict: .* in own\.json:{line}:\d+; allowed", said), said
    # Of a file that cannot be read, nothing else is missed.
    said = run("validate", scenario(tmp_path, {"file": "missing.json"})).stderr
    assert "has 1 problem;" in said and "/populations/0/sdk/file: unknown name" in said, said
    # Nor of one that holds something else.
    (tmp_path / "other.json").write_text('{"duration": "1m", "populations": []}')
    said = run("validate", scenario(tmp_path, {"file": "other.json"})).stderr
    assert "has 1 problem;" in said and "other.json with a scenario" in said, said


def test_an_event_that_no_collector_can_read_is_warned_of(tmp_path: Path):
    nameless = json.loads(json.dumps(OWN))
    del nameless["events"]["common"]["name"]
    # With nothing that could pass for a name.
    nameless["events"]["common"]["props"] = {"screen": "{{screen.name?}}"}
    path = scenario(tmp_path, nameless)
    said = run("validate", path).stdout
    assert "warning: /populations/0/sdk/events/common: screen, business: the name is nowhere in the event" in said
    assert "nowhere" not in run("validate", scenario(tmp_path, OWN)).stdout
    nameless["retry"] = {"backoff": {"initial": "10s"}}
    found = report(tmp_path / "out", "simulate", scenario(tmp_path, nameless))
    # What it cannot read at all it refuses.
    assert found["audit"]["undecodable"] > found["events"]["captured"] > 100 and found["events"]["delivered"] == 0


def test_null_takes_a_presets_key_away_in_the_program_and_in_the_schema(tmp_path: Path):
    validator = jsonschema.Draft202012Validator(json.loads(run("schema").stdout))
    for changes, is_good in [
        ({"retry": {"attempts": "none", "exhausted": None, "backoff": None}, "config": None, "events": {"tap": None}}, True),
        ({"upload": {"flushInterval": None, "maxBatchesPerFlush": None}, "request": {"compress": None}}, True),
        ({"upload": {"batch": "x"}}, False),
        ({"storage": {"evictAt": "never"}}, False),
    ]:
        path = scenario(tmp_path, {"preset": "posthog-ios"} | changes)
        problems = [error.message for error in validator.iter_errors(json.loads(path.read_text()))]
        assert (not problems) == is_good, (changes, problems)
        assert (run("validate", path).returncode == 0) == is_good, changes


@pytest.mark.parametrize("packing", ["", "|base64", "|gzip|base64"])
def test_forms_arrive_in_both_worlds_and_are_shown(tmp_path: Path, packing: str):
    fields = {"who": "x & y", "sum": "{{body%s|javaHash}}" % packing, "content": "{{body%s}}" % packing}
    request = {"path": "/own/in", "body": {"events": "{{events}}"}, "form": fields}
    path = scenario(tmp_path, OWN | {"request": request})
    for verb, options in (("simulate", []), ("run", ["--duration", "4s", "--set", "drain=20s"])):
        found = report(tmp_path / verb, verb, path, *options)
        assert found["events"]["delivered"] == found["audit"]["confirmed"] > 50, verb
        assert found["audit"]["undecodable"] == found["audit"]["unexpected"] == 0, verb
    shown = run("sample", path)
    assert shown.returncode == 0, shown.stderr
    assert "Content-Type: application/x-www-form-urlencoded" in shown.stdout
    assert re.search(r"^who=x%20%26%20y&sum=-?[0-9]+&content=", shown.stdout, re.MULTILINE)
    decoded = shown.stdout.split("## decoded")[1]
    assert '"props"' in decoded and '"bs_id"' in decoded, "taken out of its field again"


@pytest.mark.parametrize(
    ("request_changes", "is_hidden"),
    [
        ({}, True),
        ({"compress": "none"}, False),
        ({"compress": "none", "form": {"content": "{{body}}"}}, False),
        ({"compress": "none", "form": {"who": "{{apiKey}}", "content": "{{body|base64}}"}}, True),
        ({"compress": "none", "form": {"content": "{{body|gzip|base64}}"}}, True),
        ({"compress": "none", "body": {"key": "{{apiKey}}", "in": {"base64url": {"events": "{{events}}"}}}}, False),
        ({"compress": "none", "body": {"in": {"base64url": {"key": "{{apiKey}}", "events": "{{events}}"}}}}, True),
    ],
)
def test_a_key_that_lies_around_packed_events_is_not_shown(tmp_path: Path, request_changes: dict, is_hidden: bool):
    """A key in the text is masked where it stands; a body that packs one is not shown, and the words say so."""
    path = scenario(
        tmp_path, OWN | {"request": OWN["request"] | request_changes},
        target={"url": "http://127.0.0.1:8106", "apiKey": "hush-key"},
    )
    done = run("sample", path)
    assert done.returncode == 0, done.stderr
    raw, _, command = re.split("## (?:decoded|curl)", done.stdout.split("## raw")[1])
    assert ("the whole body is masked" in done.stderr) == is_hidden, done.stderr
    assert (raw.split("\n\n")[2].strip() == "[redacted]") == is_hidden, raw
    assert ("--data-binary '[redacted]'" in command) == is_hidden, command
    assert "hush" not in done.stdout and "[redacted]" in raw


def test_a_key_that_is_packed_in_a_query_is_not_shown(tmp_path: Path):
    request = {
        "path": "/ask", "method": "GET", "form": {"d": "{{body|base64}}"},
        "body": {"key": "{{apiKey}}", "events": "{{events}}"},
    }
    path = scenario(
        tmp_path, OWN | {"request": request}, target={"url": "http://127.0.0.1:8106", "apiKey": "hush-key"}
    )
    done = run("sample", path)
    assert done.returncode == 0, done.stderr
    assert "GET /ask?[redacted] HTTP/1.1" in done.stdout and "--globoff" in done.stdout, done.stdout


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_names_that_need_escapes_and_names_in_other_letters_arrive(tmp_path: Path, verb: str):
    """Of parts of the query, of a form's fields, and of events: "a b" in a request's first line is a 400 everywhere."""
    request = {
        "path": "/own/in", "query": {"a b": "1", "c\r\nX-D: e": "f"}, "form": {"g h&": "1", "events[]": "{{body}}"},
    }
    events = OWN["events"] | {"common": OWN["events"]["common"] | {"name": "{{name|upper}}"}}
    path = scenario(tmp_path, OWN | {"request": request, "events": events}, duration="6s", drain="3s")
    found = report(tmp_path / "out", verb, path)
    assert found["events"]["delivered"] == found["audit"]["confirmed"] > 50
    assert found["audit"]["undecodable"] == found["audit"]["unexpected"] == 0
    if verb == "simulate":
        shown = run("sample", path).stdout
        assert "POST /own/in?a%20b=1&c%0D%0AX-D%3A%20e=f HTTP/1.1" in shown and "\nX-D" not in shown
        assert "g%20h%26=1&events%5B%5D=" in shown
        assert "nowhere" not in run("validate", path).stdout


def test_a_fetched_configuration_silences_those_who_start_meanwhile(tmp_path: Path):
    off = {"name": "off", "at": "20s", "for": "20s", "remoteConfig": {"answer": {"sdk": {"on": False}}}}
    config = {"path": "/settings/{{apiKey}}", "apply": {"/sdk/on": "capture"}, "default": {"sdk": {"on": True}}}
    path = scenario(tmp_path, OWN | {"config": [config]}, timeline=[off], duration="2m")
    whole = json.loads(path.read_text())
    whole["populations"][0] |= {"devices": 30, "arrival": {"over": "1m"}}
    path.write_text(json.dumps(whole))
    found = report(tmp_path / "out", "simulate", path, "--events", tmp_path / "events.ndjson")
    assert found["metrics"]["config_fetches"]["count"] == 30
    silent, loud = set(), set()
    begin: dict[str, float] = {}
    for line in map(json.loads, (tmp_path / "events.ndjson").read_text().splitlines()):
        device = line["id"].split("-")[0]
        begin[device] = min(begin.get(device, 1e18), line["captured_at"])
        (silent if line["cause"] == "sdk_disabled" else loud).add(device)
    # An answer takes a moment, in which somebody may already act.
    assert 6 <= len(silent) <= 14 and len(loud - silent) >= 16
    start = min(begin.values())
    assert all(15_000 < begin[device] - start < 45_000 for device in silent)
    assert found["events"]["suppressed"]["sdk_disabled"] > 300 and found["events"]["balance"] == 0


def test_events_of_two_products_with_the_same_key_are_two_events(tmp_path: Path):
    common = OWN["events"]["common"] | {"row": "{{row}}"}
    own = OWN | {"events": OWN["events"] | {"common": common, "key": ["/row"]}}
    other = own | {"name": "other-sdk", "request": OWN["request"] | {"path": "/other/in"}}
    path = scenario(tmp_path, own, other, tagEvents=False)
    whole = json.loads(path.read_text())
    for population in whole["populations"]:
        population["devices"] = 1
    path.write_text(json.dumps(whole))
    found = report(tmp_path / "out", "simulate", path)
    assert found["audit"]["unique"] == found["audit"]["confirmed"] == found["events"]["delivered"] > 50
    assert found["audit"]["duplicates"] == found["audit"]["unexpected"] == 0


def test_a_status_that_an_sdk_takes_for_success_is_believed_and_told_as_such(tmp_path: Path):
    fault = {"at": "20s", "for": "20s", "collector": {"fault": "status", "status": 500}}
    answers = [["2xx 500", "delivered"], ["*", "retry"]]
    path = scenario(tmp_path, OWN | {"answers": answers}, timeline=[fault])
    found = report(tmp_path / "out", "simulate", path)
    assert found["audit"]["swallowed"] > 100 and found["audit"]["acked_not_found"] == 0
    assert found["events"]["delivered"] == found["audit"]["confirmed"] + found["audit"]["swallowed"]


def test_an_sdk_that_looks_into_answers_gets_what_it_looks_for(tmp_path: Path):
    answers = [["2xx/result/code=0", "delivered"], ["*", "retry"]]
    portal = {"at": "20s", "for": "20s", "collector": {"fault": "wrongContent"}}
    path = scenario(tmp_path, OWN | {"answers": answers}, timeline=[portal])
    for verb, options in (("simulate", []), ("run", ["--duration", "5s", "--set", "drain=20s"])):
        found = report(tmp_path / verb, verb, path, *options)
        assert found["events"]["delivered"] == found["audit"]["confirmed"] > 100, verb
        assert found["audit"]["swallowed"] == 0, "a portal's page is no such answer"


@pytest.mark.parametrize(
    ("sdks", "place"),
    [
        ([{"events": {key: value for key, value in OWN["events"].items() if key != "key"}}], "/populations/0/sdk/events"),
        ([{}, {"name": "other-sdk"}], "/populations/1/sdk/name"),
    ],
)
def test_what_no_audit_could_tell_apart_is_refused(tmp_path: Path, sdks: list[dict], place: str):
    done = run("validate", scenario(tmp_path, *(OWN | sdk for sdk in sdks), tagEvents=False))
    assert done.returncode == 104 and place in done.stderr + done.stdout
    assert run("validate", scenario(tmp_path, *(OWN | sdk for sdk in sdks))).returncode == 0


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_an_sdk_that_reads_lists_of_refused_events_drops_these_alone(tmp_path: Path, verb: str):
    """Of the same events, one SDK loses those that are invalid, and one blocks, since nobody tells it which they are."""
    upload = {"flushBulkSize": 5, "flushInterval": "1s"}
    path = scenario(
        tmp_path, {"preset": "amplitude-ios", "upload": upload},
        {"preset": "mixpanel-ios", "upload": upload | {"flushBulkSize": "none"}, "retry": {"backoff": None}},
        duration="8s", drain="4s",
        timeline=[{"at": "0s", "collector": {"fault": "invalidEvents", "events": 0.05}}],
    )
    found = report(tmp_path / "out", verb, path)
    lists, blocks = (found["populations"][name]["events"] for name in ("p0", "p1"))
    assert lists["balance"] == blocks["balance"] == 0
    refused = lists["rejected"]["400"]
    assert 0.02 < refused / lists["captured"] < 0.1
    assert lists["delivered"] + refused > 0.8 * lists["captured"]
    assert blocks["rejected"] == {} or sum(blocks["rejected"].values()) == 0
    assert blocks["delivered"] < 0.8 * blocks["captured"] and blocks["pending"]["stored"] > 0


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_methods_and_lanes_arrive_in_both_worlds(tmp_path: Path, verb: str):
    form = {"path": "/ask", "method": "GET", "compress": "none", "body": {"rows": "{{events}}"}, "form": {"d": "{{body|base64}}"}}
    lanes = {
        "taps": {"request": {"path": "/own/taps", "method": "POST"}, "tag": "/bs_id", "common": {"name": "{{name}}", "id": "{{id}}"}}
    }
    business = OWN["events"] | {"business": {"name": "{{event}}", "lane": "taps"}, "launch": {"name": "launch"}}
    path = scenario(
        tmp_path, OWN | {"name": "asks", "request": form},
        OWN | {"name": "puts", "request": OWN["request"] | {"method": "PUT"}, "lanes": lanes, "events": business},
        duration="6s", drain="3s",
    )
    found = report(tmp_path / "out", verb, path)
    assert found["events"]["captured"] > 200 and found["events"]["balance"] == 0
    assert found["audit"]["confirmed"] == found["events"]["delivered"] > 150
    assert found["audit"]["unexpected"] == found["audit"]["undecodable"] == 0
    shown = run("sample", path).stdout
    assert "GET /ask?d=" in shown and "curl -sS -X GET" in shown


def test_users_who_withdraw_their_consent_are_captured_no_more(tmp_path: Path):
    """Half of the users withdraw it; the app of each is opened anew after a minute, and one SDK has forgotten it by then."""
    persona = {"extends": "casual", "sessionLength": "40s", "actionGap": "2s", "returnChance": 1, "returnGap": "30s",
               "killAtBackgroundChance": 1}
    names = ["posthog-ios", "amplitude-ios", "otlp-http"]
    path = scenario(
        tmp_path, *({"preset": name} for name in names), duration="30m",
        timeline=[{"at": "5m", "share": 0.5, "device": {"consent": "withdrawn"}}],
    )
    content = json.loads(path.read_text())
    for population in content["populations"]:
        population |= {"persona": persona, "app": "shop", "users": "p0"}
    del content["populations"][0]["users"]
    path.write_text(json.dumps(content))
    found = report(tmp_path / "out", "simulate", path)
    knows, forgets, asks_nobody = (found["populations"][f"p{number}"]["events"] for number in range(3))
    assert knows["suppressed"]["consent"] > 3 * forgets["suppressed"]["consent"] > 0
    assert sum(asks_nobody["suppressed"].values()) == 0
    warned = run("validate", path)
    assert 'population "p2" has no described SDK with a group "consent"' in warned.stdout + warned.stderr


def test_what_the_app_hands_over_is_one_text_of_otlp(tmp_path: Path):
    """A value of OTLP/JSON that is called stringValue is a text, also where it is all that the app hands over."""
    path = scenario(tmp_path, {"preset": "otlp-http"}, duration="5m")
    done = run("generate", path, "--out", tmp_path / "data", "--format", "sqlite", "--raw", "--tag", "-q")
    assert done.returncode == 0, done.stderr
    texts = []
    for line in (tmp_path / "data/raw.ndjson").read_text().splitlines():
        attributes = {member["key"]: member["value"] for member in json.loads(line)["attributes"]}
        assert all(isinstance(text, str) for value in attributes.values() for text in value.values())
        texts.append(json.loads(attributes["app.event.properties"]["stringValue"]))
    assert len(texts) > 100 and all("bs_id" in text for text in texts) and any(len(text) > 1 for text in texts)


def test_each_path_has_its_own_answer(tmp_path: Path):
    config = {"on": ["launch", "session"], "apply": {"/on": "capture"}}
    first, second = (
        OWN | {"name": name, "config": [config | {"path": f"/{name}/{{{{apiKey}}}}/config"}]} for name in ("left", "right")
    )
    path = scenario(
        tmp_path, first, second, duration="1m", drain="5s",
        timeline=[
            {"at": "0s", "remoteConfig": {"path": "/left/{key}/config", "answer": {"on": False}}},
            {"at": "0s", "remoteConfig": {"answer": {"on": True}}},
        ],
    )
    found = report(tmp_path / "out", "simulate", path)
    left, right = (found["populations"][name]["events"] for name in ("p0", "p1"))
    assert left["suppressed"]["sdk_disabled"] > 0.9 * left["captured"] > 0
    assert sum(right["suppressed"].values()) == 0 and right["delivered"] > 0
    unknown = run("validate", path, "--set", "timeline.0.remoteConfig.path=/elsewhere")
    assert 'no described SDK fetches a configuration at "/elsewhere"' in unknown.stdout + unknown.stderr


@pytest.mark.parametrize("verb", ["simulate", "run"])
def test_the_end_of_a_run_is_no_answer_to_what_never_left(tmp_path: Path, verb: str):
    """An SDK that drops whatever fails: what it asks for when nothing may start any more stays on its device."""
    sdk = {
        "preset": "ga4-mp", "storage": {"prefill": 1000, "limit": 5000}, "upload": {"maxBatchesPerFlush": "all"},
        "answers": [["2xx", "delivered"], ["*", "drop"]],
    }
    path = scenario(
        tmp_path, sdk, duration="4s", drain="0s",
        timeline=[{"at": "0s", "collector": {"fault": "latency", "latency": "1s"}}],
    )
    events = report(tmp_path / "out", verb, path)["populations"]["p0"]["events"]
    assert sum(events["rejected"].values()) == 0
    assert events["pending"]["stored"] > 5000


@pytest.mark.parametrize("bodies", ["encode", "measure"])
def test_of_two_sdks_at_one_path_each_gets_its_own_answer(tmp_path: Path, bodies: str):
    """Whether the bytes tell whose an upload is, or its population does: the second finds its success in the body."""
    second = {"preset": "posthog-ios", "request": {"path": "/mp/collect"}, "answers": [["2xx/ok=1", "delivered"], ["*", "retry"]]}
    path = scenario(tmp_path, {"preset": "ga4-mp"}, second, duration="3m", drain="1m")
    found = report(tmp_path / "out", "simulate", path, "--bodies", bodies)
    for name in ("p0", "p1"):
        events = found["populations"][name]["events"]
        assert events["delivered"] > 0.9 * events["captured"] > 0, name
    assert found["audit"]["duplicates"] == 0
