"""Requests of described SDKs: headers and queries that come from more than one place, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

from conftest import Tool
from helpers import write_scenario


def described(folder: Path, sdk: dict, target: dict, name: str = "described.json") -> Path:
    population = {"name": "ios", "devices": 1, "system": "declared", "sdk": sdk}
    return write_scenario(folder, {"duration": "1m", "target": target, "populations": [population]}, name)


def test_a_header_is_sent_once_whatever_the_case_of_its_name(tool: Tool, tmp_path: Path):
    twice = {"preset": "posthog-ios", "request": {"headers": {"user-agent": "mine/1"}}}
    said = tool.run("validate", described(tmp_path, twice, {"apiKey": "KEY"})).expect(104).err
    assert 'found "user-agent" beside "User-Agent"' in said and "/populations/0/sdk/request/headers/user-agent" in said
    once = {"preset": "posthog-ios", "request": {"headers": {"User-Agent": None, "user-agent": "mine/1"}}}
    printed = tool.run("sample", described(tmp_path, once, {"apiKey": "KEY"})).expect(0).out
    assert "user-agent: mine/1" in printed and "User-Agent: " not in printed
    target = {"apiKey": "KEY", "headers": {"X-A": "1", "x-a": "2"}}
    said = tool.run("validate", described(tmp_path, {"preset": "posthog-ios"}, target)).expect(104).err
    assert "/target/headers/x-a: conflict" in said and 'found "x-a" beside "X-A"' in said


def test_a_query_of_the_target_goes_before_the_descriptions(tool: Tool, tmp_path: Path):
    def path_of(query: str) -> str:
        target = {"url": f"http://127.0.0.1:9/mp/collect{query}", "accountId": "acc", "apiKey": "hush"}
        printed = tool.run("sample", described(tmp_path, {"preset": "ga4-mp"}, target)).expect(0).out
        return next(line for line in printed.splitlines() if line.startswith("POST ")).split()[1]

    mask = "%5Bredacted%5D" if "%5B" in path_of("") else "[redacted]"
    assert path_of("") == f"/mp/collect?firebase_app_id=acc&api_secret={mask}"
    assert path_of("?debug=1") == f"/mp/collect?debug=1&firebase_app_id=acc&api_secret={mask}"
    # What the URL says itself is as it says.
    assert path_of("?firebase_app_id=own") == f"/mp/collect?firebase_app_id=own&api_secret={mask}"


def test_too_many_rules_are_counted(tool: Tool, tmp_path: Path):
    sdk = {"preset": "posthog-ios", "answers": [["2xx", "delivered"]] * 301}
    said = tool.run("validate", described(tmp_path, sdk, {"apiKey": "KEY"})).expect(104).err
    assert "/populations/0/sdk/answers: out of range: found 301 rules; allowed: an array of 1 to 200 rules" in said
