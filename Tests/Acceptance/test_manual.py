"""The man page and the shells' completions, which packages have, against the program's own description of itself."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import select
import shutil
import signal
import time
from pathlib import Path

import pytest

from conftest import BINARY, ROOT, Tool
from processes import finish

SHELLS = {"bash": "bash-completion/completions/beaconswarm", "zsh": "zsh/vendor-completions/_beaconswarm",
          "fish": "fish/vendor_completions.d/beaconswarm.fish"}


@pytest.fixture(scope="module")
def share(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("manual")
    finish([ROOT / ".ci" / "manual", BINARY, folder]).check_returncode()
    return folder / "share"


@pytest.fixture(scope="module")
def verbs() -> dict[str, set[str]]:
    """Each verb with its options, without those that are hidden."""
    said = finish([BINARY, "--experimental-dump-help"]).stdout
    return {
        verb["commandName"]: {
            "--" + name["name"]
            for argument in verb.get("arguments", []) if argument["shouldDisplay"]
            for name in argument.get("names", []) if name["kind"] == "long"
        } - {"--help", "--version"}
        for verb in json.loads(said)["command"]["subcommands"] if verb["commandName"] != "help"
    }


def test_the_page_has_every_verb_with_every_option(share: Path, verbs: dict[str, set[str]]):
    text = gzip.decompress((share / "man/man1/beaconswarm.1.gz").read_bytes()).decode()
    assert len(verbs) > 15 and text.isascii()
    sections = dict(re.findall(r"^\.SH (.+)\n((?:(?!\.SH ).*\n)*)", text, re.M))
    for verb, options in verbs.items():
        plain = sections[verb.upper()].replace("\\-", "-")
        told = set(re.findall(r"\\fB(--[a-z-]+)\\fR", plain))
        assert told == options, verb
        assert f"\\fB{verb}\\fR" in sections["VERBS"]
    assert "104" in sections["DESCRIPTION"]


def test_the_page_can_be_typeset_without_a_warning(share: Path):
    if not shutil.which("groff"):
        pytest.skip("there is no groff here")
    page = gzip.decompress((share / "man/man1/beaconswarm.1.gz").read_bytes())
    # Lines that are too long for the terminal are those of examples, which stay as they are.
    done = finish(["groff", "-man", "-ww", "-Wbreak", "-Tutf8"], input=page, text=False)
    assert done.returncode == 0 and done.stderr == b"", done.stderr.decode()


@pytest.mark.parametrize("shell", SHELLS)
def test_completions_know_every_verb(share: Path, verbs: dict[str, set[str]], shell: str):
    text = (share / SHELLS[shell]).read_text()
    for verb in verbs:
        assert re.search(rf"\b{verb}\b", text), verb
    if shutil.which(shell):
        finish([shell, "-n", share / SHELLS[shell]]).check_returncode()


def test_values_complete_by_what_they_are():
    """Folders, files and words of closed sets, all of them: an option that is added without is a mistake."""
    said = finish([BINARY, "--experimental-dump-help"]).stdout
    kinds = {}
    for verb in json.loads(said)["command"]["subcommands"]:
        for argument in verb.get("arguments", []):
            if verb["commandName"] == "help" or not argument["shouldDisplay"] or argument["kind"] == "flag":
                continue
            # An argument and an option may have one name.
            name = argument.get("preferredName", {}).get("name", f"<{argument['valueName']}>")
            kinds[verb["commandName"], name] = argument["valueName"], argument.get("completionKind")
    for place, (value, kind) in kinds.items():
        if value == "DIR":
            assert kind == {"directory": {}}, place
        elif value.startswith("FILE"):
            assert kind and "file" in kind, place
        elif "|" in value and value.islower():
            assert kind == {"list": {"values": value.split("|")}}, place
        elif value == "FORMAT":
            assert kind and "json" in kind["list"]["values"] or place == ("generate", "format"), place
    for verb, name in [("audit", "<run>"), ("explain", "<run>"), ("merge", "<DIR>"), ("runs", "<folder>")]:
        assert kinds[verb, name][1] == {"directory": {}}, verb
    for verb, name in [("report", "run"), ("compare", "base"), ("compare", "candidate"), ("import", "capture")]:
        assert "file" in kinds[verb, f"<{name}>"][1], (verb, name)
    words = {
        ("simulate", "bodies"): "measure", ("sweep", "bodies"): "encode", ("generate", "format"): "ndjson.gz",
        ("generate", "partition"): "day", ("collect", "log"): "auto", ("collect", "systems"): "sensors",
        ("capacity", "by"): "rate", ("new", "system"): "posthog-ios", ("examples", "<name>"): "smoke",
        ("report", "metric"): "event_freshness", ("compare", "format"): "junit",
    }
    for place, word in words.items():
        assert word in kinds[place][1]["list"]["values"], place


def bash_completes(share: Path, folder: Path, *words: str) -> list[str]:
    """What bash offers for the last of the words, in a folder."""
    line = " ".join(("beaconswarm", *words))
    script = f"""
        source {share / SHELLS["bash"]}
        COMP_WORDS=(beaconswarm {" ".join(repr(word) for word in words)}) COMP_CWORD={len(words)}
        COMP_LINE='{line}' COMP_POINT={len(line)}
        _beaconswarm beaconswarm {words[-1]!r} {(("beaconswarm", *words)[-2])!r}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = finish(["bash", "-c", script], cwd=folder)
    return sorted(done.stdout.split())


def test_bash_completes(share: Path, tmp_path: Path):
    assert bash_completes(share, tmp_path, "ru") == ["run", "runs"]
    (tmp_path / "reports" / "evening").mkdir(parents=True)
    (tmp_path / "reports" / "rows.ndjson").touch()
    folder = ["reports/evening"]
    for typed in [("explain",), ("audit",), ("merge",), ("run", "smoke", "--out"), ("generate", "smoke", "--out")]:
        assert bash_completes(share, tmp_path, *typed, "reports/") == folder, typed
    for typed in [("audit", "reports/evening", "--receipts"), ("explain", "reports/evening", "--events")]:
        found = bash_completes(share, tmp_path, *typed, "reports/ro")
        assert found == ["reports/rows.ndjson"], (typed, found)
    assert bash_completes(share, tmp_path, "simulate", "smoke", "--bodies", "m") == ["measure"]


#: What takes a scenario.
PLAYING = ["run", "simulate", "generate", "sweep", "capacity", "sample", "validate"]


def beside_scenarios(folder: Path) -> list[str]:
    """Makes files and a folder whose names begin as that of a shipped scenario; gives what of all is offered."""
    (folder / "smoggy").mkdir()
    for name in ("smooth.json", "smother.jsonc", "smoke.txt"):
        (folder / name).touch()
    return ["smoggy", "smoke", "smooth.json", "smother.jsonc"]


@pytest.mark.parametrize("verb", PLAYING)
def test_bash_completes_scenarios_by_file_and_by_name(share: Path, tmp_path: Path, verb: str):
    offered = beside_scenarios(tmp_path)
    assert bash_completes(share, tmp_path, verb, "smo") == offered
    assert "policies/batch" in bash_completes(share, tmp_path, verb, "policies/ba")
    # A verb that takes a run's folder or another file has no use for them.
    assert "smoke" not in bash_completes(share, tmp_path, "report", "smo")


@pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish here")
def test_fish_completes(share: Path, tmp_path: Path):
    (tmp_path / "beaconswarm").symlink_to(BINARY)
    script = f"set PATH {tmp_path} $PATH; source {share / SHELLS['fish']}; complete -C 'beaconswarm ru'; complete -C 'beaconswarm run --se'"
    done = finish(["fish", "--no-config", "-c", script])
    words = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert words[:2] == ["run", "runs"] and "--seed" in words[2:], (words, done.stderr)
    offered = beside_scenarios(tmp_path)
    for verb in PLAYING:
        script = f"set PATH {tmp_path} $PATH; source {share / SHELLS['fish']}; complete -C 'beaconswarm {verb} smo'"
        done = finish(["fish", "--no-config", "-c", script], cwd=tmp_path)
        words = sorted(line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines())
        assert words == offered, (verb, words, done.stderr)


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh here")
def test_zsh_completes(share: Path, tmp_path: Path):
    """In a terminal, as a person would: zsh completes for nobody else."""
    folder = tmp_path / "functions"
    folder.mkdir()
    (folder / "_beaconswarm").write_bytes((share / SHELLS["zsh"]).read_bytes())
    (tmp_path / "beaconswarm").symlink_to(BINARY)
    (tmp_path / "evening-of-mine.json").touch()
    process, terminal = pty.fork()
    if process == 0:
        environment = os.environ | {"TERM": "dumb", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        os.chdir(tmp_path)
        os.execvpe("zsh", ["zsh", "-f", "-i"], environment)
    try:
        for typed, shown in [
            (f"fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; echo REA''DY\n", b"READY"),
            ("beaconswarm simul\t", b"simulate "),
            ("--see\t", b"--seed"),
            (" 1 smok\t", b"smoke "),
            ("\x15beaconswarm run evening-of\t", b"evening-of-mine.json "),
        ]:
            os.write(terminal, typed.encode())
            said, deadline = b"", time.monotonic() + 60
            while shown not in said:
                assert time.monotonic() < deadline, said
                if select.select([terminal], [], [], 1)[0]:
                    said += os.read(terminal, 1 << 16)
    finally:
        os.close(terminal)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def test_the_version_tells_the_commit(tool: Tool):
    assert re.fullmatch(
        r"\d+\.\d+\.\d+ \(commit (unknown|[0-9a-f]{40}(-modified)?, \d{4}-\d\d-\d\d)\)\n", tool.run("--version").expect(0).out
    )
