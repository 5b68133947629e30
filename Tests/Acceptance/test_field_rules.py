"""The judge of fields itself: events that are right in every part pass, and one wrong part is found out."""

from __future__ import annotations

import hashlib

import pytest

import field_rules as fields
import systems_rules as rules
from helpers import changed

DEVICE, SESSION = "5F2C1111-2222-3333-4444-555566667777", "351B2E50-1BE9-4B17-B899-49445F305EC6"
BASE = {
    "sessionId": SESSION, "deviceId": DEVICE, "platform": "iOS", "platformVersion": "12.0",
    "urlScheme": "growing.0a1b2c3d4e5f6789", "networkState": "WIFI", "screenWidth": 1125, "screenHeight": 2436,
    "deviceBrand": "Apple", "deviceModel": "iPhone10,3", "deviceType": "iPhone", "appName": "Demo",
    "appVersion": "1.0", "language": "zh-Hans-CN", "sdkVersion": "3.2.1", "timestamp": 1692911673474,
    "eventSequenceId": 1, "globalSequenceId": 2, "appState": "FOREGROUND", "domain": "com.example.app",
    "attributes": {"bs_id": "0-1"},
}  # fmt: skip
NEW = {name: part for name, part in BASE.items() if name != "globalSequenceId"} | {
    "sdkVersion": "4.11.0", "dataSourceId": "0a1b", "timezoneOffset": "-480"
}  # fmt: skip
WEB = {"query": "from=app"}
LINK = {"hyperlink": "https://m.example.com/promo?from=app", "path": "/promo", "xpath": "/html/body/div/a"}
#: Each right, by a name for tests.
GROWING = {
    "visit": BASE | {"eventType": "VISIT", "idfv": DEVICE},
    "page": BASE | {"eventType": "PAGE", "path": "/Home", "orientation": "PORTRAIT", "title": "t"},
    "web page": BASE | WEB | {"eventType": "PAGE", "path": "/", "orientation": "PORTRAIT", "protocolType": "https"},
    "click": BASE | {"eventType": "VIEW_CLICK", "path": "/Home", "xpath": "/Page/UIButton[0]", "textValue": "Buy"}
    | {"pageShowTimestamp": 1692911673000, "index": 3},
    "web click": BASE | WEB | LINK | {"eventType": "VIEW_CLICK", "pageShowTimestamp": 1692911673000},
    "web form": BASE | WEB | LINK | {"eventType": "FORM_SUBMIT", "pageShowTimestamp": 1692911673000},
    "custom": BASE | {"eventType": "CUSTOM", "eventName": "Buy"},
    "web custom": BASE | WEB | {"eventType": "CUSTOM", "eventName": "Buy", "path": "/promo", "pageShowTimestamp": 1},
    "closed": BASE | {"eventType": "APP_CLOSED", "appState": "BACKGROUND"},
    "new click": NEW | {"eventType": "VIEW_CLICK", "path": "/Home", "xpath": "/Home/UIButton", "xcontent": "/0/0"},
    "new web click": NEW | WEB | LINK | {"domain": "m.example.com", "eventType": "VIEW_CLICK", "xcontent": "/0/0"},
    "own type": BASE | {"eventType": "vst", "shop": "Paris"},
    "new closed": NEW | {"eventType": "APP_CLOSED", "appState": "BACKGROUND", "eventSequenceId": 0},
}
PATH = "SHHomeViewController-UIView-UITableView-SHCell & 0-0-0-2:1"
CODELESS = {
    "page": {1: "PageShow", 2: 1692911673474, 3: "0" * 32, 4: "SHHomeViewController", 11: {}, 15: "0-0"},
    "row": {1: "ListItemClick", 2: 1692911673474, 3: "0" * 32, 4: "SHHomeViewController", 6: "2:1", 11: {}, 15: "0-1"}
    | {5: {1: "SHCell", 2: PATH, 3: "{{12, 220}, {170, 240}}", 4: "Row", 5: hashlib.md5(PATH.encode()).hexdigest()}},
}
LOG = f"2026-03-01_userStatisics_{DEVICE}.log"
HEADER = f"Li's iPhone, work,iPhone 6s,iOS,10.0,{DEVICE},1.2,34"


@pytest.mark.parametrize("name", GROWING)
def test_right_events_of_growingio_pass(name: str):
    assert fields.growing(GROWING[name]) == []


@pytest.mark.parametrize(
    "name, members, told",
    [
        ("visit", {"idfv": None}, "idfv is missing"),
        ("visit", {"sessionId": "x"}, "sessionId"),
        ("visit", {"screenWidth": "1125"}, "screenWidth"),
        ("visit", {"globalSequenceId": None}, "globalSequenceId is missing"),
        ("visit", {"timezoneOffset": "-480"}, "unexpected timezoneOffset"),
        ("visit", {"attributes__price": 3}, "attributes"),
        ("page", {"orientation": None}, "orientation is missing"),
        ("page", {"xpath": "/"}, "unexpected xpath"),
        ("web page", {"orientation": None}, "orientation is missing"),
        ("click", {"pageShowTimestamp": None}, "pageShowTimestamp is missing"),
        ("click", {"xcontent": "/0"}, "unexpected xcontent"),
        ("web click", {"xcontent": "/0"}, "unexpected xcontent"),
        ("web click", {"pageShowTimestamp": None}, "pageShowTimestamp is missing"),
        ("web form", {"xcontent": "/0"}, "unexpected xcontent"),
        ("web custom", {"pageShowTimestamp": None}, "pageShowTimestamp is missing"),
        ("custom", {"eventName": None}, "eventName is missing"),
        ("custom", {"path": "/Home"}, "pageShowTimestamp is missing"),
        ("click", {"pageShowTimestamp": 1692911673475}, "a page shown at"),
        ("web click", {"domain": "m.example.com"}, "domain"),
        ("new web click", {"domain": "com.example.app"}, "domain"),
        ("closed", {"appState": "FOREGROUND"}, "appState"),
        ("new click", {"xcontent": None}, "xcontent is missing"),
        ("new click", {"pageShowTimestamp": 1}, "unexpected pageShowTimestamp"),
        ("new click", {"globalSequenceId": 1}, "unexpected globalSequenceId"),
        ("new click", {"timezoneOffset": "+8"}, "timezoneOffset"),
        ("new click", {"dataSourceId": None}, "dataSourceId is missing"),
        ("new closed", {"eventType": "CONVERSION_VARIABLES"}, "a type of 3.x"),
    ],
)
def test_a_wrong_field_of_growingio_is_found_out(name: str, members: dict, told: str):
    found = fields.growing(changed(GROWING[name], **members))
    assert any(told in problem for problem in found), found


@pytest.mark.parametrize(
    "headers, stm, told",
    [
        ({"x-timestamp": "99"}, "100", "x-timestamp"),
        ({"x-timestamp": "1100"}, "100", "x-timestamp"),
        ({"accept": "*/*"}, "100", "accept"),
        ({"content-type": "text/plain"}, "100", "content-type"),
        ({}, None, "stm"),
    ],
)
def test_a_wrong_header_of_growingio_is_found_out(headers: dict, stm: str | None, told: str):
    right = {"accept": "application/json", "content-type": "application/json", "x-timestamp": "101"}
    assert fields.growing_headers(right, "100") == []
    assert any(told in problem for problem in fields.growing_headers(right | headers, stm))


@pytest.mark.parametrize(
    "coding, hexadecimal",
    [
        ("lz4+xor", "8d5c2000591e0d1e150f2f020b1e5941592d3228322f5957591f1e0d12181e321f5941591f564a5957590f12161e080f1a160b59"
         "414a4c4b7a7b9957591c1714191a17281e0a0e1e15487b594a572f7b7d6f7b2b59414a0626"),
        ("snappy+xor", "10a32000591e0d1e150f2f020b1e5941592d3228322f5957591f1e0d12181e321f5941591f564a5957590f12161e080f1a160b"
         "59414a4c4b4b6e794f57591c1714191a17281e0a0e1e1572487f4a57722f43281e0a0e1e15181e321f59414a0626"),
    ],
)  # fmt: skip
def test_published_bodies_of_growingio_are_read(coding: str, hexadecimal: str):
    codec = {"lz4+xor": "3", "snappy+xor": "2"}[coding]
    headers = {"x-crypt-codec": "1", "x-compress-codec": codec, "content-type": "application/json"}
    batch = rules.decode(rules.GROWING, "/v3/projects/a/collect?stm=1700000000123", headers, bytes.fromhex(hexadecimal))
    assert [event.value for event in batch.events] == [
        {"eventType": "VISIT", "deviceId": "d-1", "timestamp": 1700000000000, "globalSequenceId": 1, "eventSequenceId": 1}
    ]


def test_right_events_of_the_codeless_sdk_pass():
    assert [fields.codeless(event) for event in CODELESS.values()] == [[], []]


@pytest.mark.parametrize(
    "name, members, told",
    [
        ("page", {"n5": {1: "UIView"}}, "unexpected 5"),
        ("page", {"n3": "short"}, "3 is 'short'"),
        ("page", {"n4": "App.HomeViewController"}, "4 is"),
        ("page", {"n1": "PageDestroy"}, "unknown name"),
        ("row", {"n6": None}, "6 is missing"),
        ("row", {"n6": "2:2"}, "index path"),
        ("row", {"n5__n5": "0" * 32}, "MD5"),
        ("row", {"n5__n1": "UIView"}, "class"),
        ("row", {"n5__n3": "12 220"}, "3 is"),
        ("row", {"n5__n2": "SHCell & 1"}, "places"),
        ("row", {"n5__n2": "App.SHCell & 0"}, "viewPath"),
        ("row", {"n7": "https://x"}, "unexpected 7"),
        ("row", {"n1": "Scroll", "n6": None}, "a title"),
    ],
)
def test_a_wrong_field_of_the_codeless_sdk_is_found_out(name: str, members: dict, told: str):
    found = fields.codeless(changed(CODELESS[name], **members))
    assert any(told in problem for problem in found), found


@pytest.mark.parametrize(
    "line, told",
    [
        (HEADER, None),
        (HEADER.replace(",iOS,10.0", ",iPhone OS,9.3.5"), None),
        (HEADER.replace(",iOS,10.0", ",iOS,9.3.5"), "systemName"),
        (HEADER.replace(",iOS,", ",iPhone OS,"), "systemName"),
        (HEADER.replace("iPhone 6s", "SM-G900"), "deviceModel"),
        (HEADER.replace("iPhone 6s", "iPhone 7 Plus"), "deviceModel"),
        (HEADER.replace(",10.0,", ",ten,"), "systemVersion"),
        (HEADER.replace(DEVICE, SESSION), "uuid"),
        (HEADER.replace(",1.2,", ",,"), "appVersion"),
        (HEADER.replace(",34", ","), "appBuild"),
        (HEADER.removeprefix("Li's iPhone, work"), "deviceName"),
        ("iPhone,iOS,10.0", "begins with"),
    ],
)
def test_the_header_of_kits_logs(line: str, told: str | None):
    found = fields.kit_header(LOG, line)
    assert any(told in problem for problem in found) if told else found == [], found


@pytest.mark.parametrize(
    "code, seconds, content, told",
    [
        ("1", "1772352000", "HomeViewController", None),
        ("100", "1772352000", "UIButton|HomeViewController|buy:|0|{{10, 20}, {80, 30}}|购买", None),
        ("1", "1772652000", "HomeViewController", "a row of"),
        ("1", "1772352000", "App.HomeViewController", "class"),
        ("100", "1772352000", "UIButton|Home|buy: it|0|{{10, 20}, {80, 30}}|x", "selector"),
        ("100", "1772352000", "UIButton|Home|buy:|a|{{10, 20}, {80, 30}}|x", "tag"),
    ],
)
def test_rows_of_kits_logs(code: str, seconds: str, content: str, told: str | None):
    found = fields.kit_row(LOG, code, seconds, content)
    assert any(told in problem for problem in found) if told else found == [], found


@pytest.mark.parametrize(
    "event, told",
    [
        ({"event_name": "PageView", "parameters": {"page": "Home"}, "timestamp": 1556107397.123}, None),
        ({"event_name": "PageView", "parameters": {}, "timestamp": 1556107397.123}, "page is missing"),
        ({"event_name": "ButtonClick", "parameters": {"action": "buy:"}, "timestamp": 1556107397.1}, "target"),
        ({"event_name": "AppLaunch", "parameters": {"version": "1", "x": 1}, "timestamp": 1556107397.1}, "unexpected"),
        ({"event_name": "Buy", "parameters": {"n": 1}, "timestamp": 17}, "timestamp"),
        ({"event_name": "", "parameters": {}, "timestamp": 1556107397.1}, "an event"),
    ],
)
def test_events_of_trackingsdk(event: dict, told: str | None):
    found = fields.tracking(event)
    assert any(told in problem for problem in found) if told else found == [], found
