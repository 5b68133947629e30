"""The fields of single events of GrowingIO, TrackingSDK, Kit and the codeless SDK, written down apart from the program.

Each function says what is wrong with one event, row or header. Sources: growingio-sdk-ios-autotracker 3.2.1 and 4.11.0
(GrowingBaseEvent.m, GrowingPageEvent.m, GrowingViewElementEvent.m, GrowingHybridPageBuilder), KitUserStatisicsUtil.m and
KitDeviceInfo.m, the source printed in TrackingSDK's text, the schema of the codeless SDK's messages.
"""

from __future__ import annotations

import hashlib
import re
import urllib.parse
from datetime import date, datetime, timezone

UUID = re.compile(r"[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}\Z")
HEX = re.compile(r"[0-9a-f]{32}\Z")
CLASS = re.compile(r"[A-Za-z_]\w*\Z")
FRAME = re.compile(r"\{\{-?[\d.]+, -?[\d.]+\}, \{[\d.]+, [\d.]+\}\}\Z")
#: As `[UIDevice systemVersion]` tells it.
SYSTEM_VERSION = re.compile(r"\d+\.\d+(\.\d+)?\Z")
NUMBER = (int, float)


class Fields:
    """Collects what is wrong with the members of one event."""

    def __init__(self, name: str, value: dict):
        self.name, self.value, self.problems = name, value, []

    def fail(self, text: str) -> None:
        self.problems.append(f"{self.name}: {text}")

    def want(self, key, kind) -> None:
        """A member of a type, with a certain value, or that matches a pattern."""
        if key not in self.value:
            self.fail(f"{key} is missing")
            return
        found = self.value[key]
        if isinstance(kind, re.Pattern):
            if not isinstance(found, str) or not kind.match(found):
                self.fail(f"{key} is {found!r}")
        elif isinstance(kind, (type, tuple)):
            if not isinstance(found, kind) or isinstance(found, bool):
                self.fail(f"{key} is {found!r}, not a {kind}")
            elif found == "":
                self.fail(f"{key} is empty")
        elif isinstance(kind, set):
            if found not in kind:
                self.fail(f"{key} is {found!r}")
        elif found != kind:
            self.fail(f"{key} is {found!r}, not {kind!r}")

    def only(self, wanted: dict, allowed: dict) -> None:
        """Wants members, allows others, and nothing else."""
        for key, kind in wanted.items():
            self.want(key, kind)
        for key in set(self.value) - set(wanted):
            if key in allowed:
                self.want(key, allowed[key])
            else:
                self.fail(f"unexpected {key}")


# GrowingIO

GROWING = {
    "sessionId": UUID,
    "deviceId": UUID,
    "platform": "iOS",
    "platformVersion": SYSTEM_VERSION,
    "urlScheme": re.compile(r"growing\.[0-9a-f]+\Z"),
    "networkState": {"2G", "3G", "4G", "5G", "WIFI", "UNKNOWN"},
    "screenWidth": int,
    "screenHeight": int,
    "deviceBrand": "Apple",
    "deviceModel": re.compile(r"(iPhone|iPad)\d+,\d+\Z"),
    "deviceType": {"iPhone", "iPad"},
    "appName": str,
    "appVersion": str,
    "language": re.compile(r"[a-z]{2}(-[A-Za-z]+)*\Z"),
    "sdkVersion": str,
    "eventType": str,
    "timestamp": int,
    "appState": {"FOREGROUND", "BACKGROUND"},
    "domain": str,
    "attributes": dict,
}
GROWING_MAY = {"userId": str, "userKey": str, "latitude": NUMBER, "longitude": NUMBER}
#: Of 3.x and 4.x alone. A number that is 0 is absent from a message of Protocol Buffers.
GROWING_3 = {"globalSequenceId": int, "eventSequenceId": int}
GROWING_4 = {"dataSourceId": str, "timezoneOffset": re.compile(r"-?\d+\Z")}
ELEMENTS = {"VIEW_CLICK", "VIEW_CHANGE", "FORM_SUBMIT"}
ORIENTATION = {"PORTRAIT", "LANDSCAPE"}
#: Types of 3.x alone.
OLD_TYPES = {"VISITOR_ATTRIBUTES", "CONVERSION_VARIABLES"}


def growing(value: dict) -> list[str]:
    """An event of the iOS SDK in the third protocol, as JSON names it; who else sends events names no such platform."""
    if value.get("platform") != "iOS" or "sdkVersion" not in value:
        return []
    kind, version = value.get("eventType"), str(value.get("sdkVersion"))
    is_old = version.startswith("3.")
    fields = Fields(f"{version} {value.get('attributes', {}).get('bs_id')} {kind}", value)
    wanted, allowed = dict(GROWING), dict(GROWING_MAY)
    wanted |= GROWING_3 if is_old else GROWING_4
    if not is_old:
        allowed["eventSequenceId"] = int
        if kind in OLD_TYPES:
            fields.fail("a type of 3.x")
    is_web = _is_of_web(value)
    if not _growing_type(kind, is_old, is_web, wanted, allowed):
        # A type of the app's own: what it carries beside the rest is the app's.
        allowed |= {name: object for name in set(value) - set(wanted)}
    fields.only(wanted, allowed)
    if not 0 <= value.get("pageShowTimestamp", 0) <= value.get("timestamp", 0):
        fields.fail(f"a page shown at {value['pageShowTimestamp']}, after {value['timestamp']}")
    # Until 3.3.2 the app's identifier took the place of the page's host.
    if "hyperlink" in value and (urllib.parse.urlsplit(value["hyperlink"]).netloc == value["domain"]) == is_old:
        fields.fail(f"domain {value['domain']!r} of a page in a web view")
    attributes = value.get("attributes", {})
    if not all(isinstance(text, str) for text in attributes.values()):
        fields.fail(f"attributes {attributes!r}")
    if kind == "APP_CLOSED" and value.get("appState") != "BACKGROUND":
        fields.fail(f"appState {value.get('appState')!r}")
    return fields.problems


def _is_of_web(value: dict) -> bool:
    """Only what a page in a web view sends has these; of CUSTOM events of 3.x, no other has a path."""
    of_old = value.get("eventType") == "CUSTOM" and "path" in value and str(value.get("sdkVersion")).startswith("3.")
    return of_old or bool({"hyperlink", "query", "protocolType"} & set(value))


def _growing_type(kind, is_old: bool, is_web: bool, wanted: dict, allowed: dict) -> bool:
    """Adds what a type must and may have; whether it is one of the SDK's."""
    page_time = {"pageShowTimestamp": int} if is_old else {}
    web = {"query": str} if is_web else {}
    if kind == "VISIT":
        wanted["idfv"] = UUID
        allowed |= {"idfa": UUID, "extraSdk": dict}
    elif kind == "CUSTOM":
        wanted["eventName"] = str
        if is_web:
            wanted |= {"path": str} | page_time
        elif not is_old:
            allowed["path"] = str
        allowed |= web
    elif kind == "PAGE":
        wanted |= {"path": str, "orientation": ORIENTATION}
        allowed |= {"title": str, "referralPage": str} | web
        if is_web:
            allowed["protocolType"] = {"http", "https"}
    elif kind in ELEMENTS:
        wanted |= {"xpath": str} | page_time
        (wanted if is_old or is_web else allowed)["path"] = str
        if not is_old:
            wanted["xcontent"] = str
        allowed |= {"textValue": str, "index": int} | web
        if is_web:
            allowed["hyperlink"] = str
    else:
        return kind in {"LOGIN_USER_ATTRIBUTES", "PAGE_ATTRIBUTES", "APP_CLOSED"} | OLD_TYPES
    return True


def growing_headers(headers: dict[str, str], stm: str | None) -> list[str]:
    """Of an upload of the third protocol."""
    problems = []
    if headers.get("accept") != "application/json":
        problems.append(f"accept {headers.get('accept')!r}")
    if headers.get("content-type") not in ("application/json", "application/protobuf"):
        problems.append(f"content-type {headers.get('content-type')!r}")
    moment = headers.get("x-timestamp", "")
    if not moment.isdigit() or not stm or not stm.isdigit() or not 0 <= int(moment) - int(stm) < 1000:
        problems.append(f"x-timestamp {moment!r} with stm {stm!r}")
    return problems


# TrackingSDK

TRACKING = {
    "AppLaunch": {"version": str},
    "PageView": {"page": CLASS},
    "ButtonClick": {"action": str, "target": CLASS},
}


def tracking(value: dict) -> list[str]:
    name, parameters = value.get("event_name"), value.get("parameters")
    if not isinstance(name, str) or not name or not isinstance(parameters, dict):
        return [f"an event {value!r}"]
    fields = Fields(f"{parameters.get('bs_id')} {name}", parameters)
    moment = value.get("timestamp")
    if not isinstance(moment, float) and not isinstance(moment, int) or isinstance(moment, bool) or moment < 1e9:
        fields.fail(f"timestamp {moment!r}")
    if name in TRACKING:
        fields.only(TRACKING[name], {"bs_id": str})
    return fields.problems


# Kit

#: `deviceModel` of KitDeviceInfo.m: a marketing name, the last of which is the SE. What is newer has a comma in its name.
KIT_MODEL = re.compile(r"iPhone (4S?|5( \(|c |s )|6|SE)")


def kit_header(name: str, line: str) -> list[str]:
    """The first line of a log: deviceName, deviceModel, systemName, systemVersion, uuid, appVersion, appBuild."""
    parts = line.rsplit(",", 6)
    if len(parts) != 7:
        return [f"{name} begins with {line!r}"]
    device, model, system, version, identifier, app_version, build = parts
    wrong = []
    if not device or "\n" in device:
        wrong.append(f"deviceName {device!r}")
    if not KIT_MODEL.match(model):
        wrong.append(f"deviceModel {model!r}")
    if not SYSTEM_VERSION.match(version):
        wrong.append(f"systemVersion {version!r}")
    elif system != kit_system_name(version):
        wrong.append(f"systemName {system!r} of version {version}")
    if not UUID.match(identifier) or name != f"{name[:10]}_userStatisics_{identifier}.log":
        wrong.append(f"uuid {identifier!r}")
    if not re.match(r"\d+(\.\d+)*\Z", app_version):
        wrong.append(f"appVersion {app_version!r}")
    if not re.match(r"\d+(\.\d+)*\Z", build):
        wrong.append(f"appBuild {build!r}")
    return [f"{name} begins with {text}" for text in wrong]


def kit_system_name(version: str) -> str:
    """`[UIDevice systemName]`: iPhone OS up to iOS 9, iOS from iOS 10 on (react-native-device-info, issue 410)."""
    return "iPhone OS" if int(version.split(".")[0]) < 10 else "iOS"


def kit_row(name: str, code: str, seconds: str, content: str) -> list[str]:
    """A row's time belongs to its log's day, wherever the phone is; its content names classes."""
    wrong = []
    try:
        day = date.fromisoformat(name[:10])
    except ValueError:
        return [f"log {name!r}"]
    moment = datetime.fromtimestamp(int(seconds), timezone.utc).date()
    if abs((moment - day).days) > 1:
        wrong.append(f"{name}: a row of {moment}")
    if int(code) < 100:
        if not CLASS.match(content):
            wrong.append(f"{name}: class {content!r}")
        return wrong
    kind, target, selector, tag, frame, _ = content.split("|", 5)
    if not CLASS.match(kind) or not CLASS.match(target):
        wrong.append(f"{name}: classes {kind!r}, {target!r}")
    if not re.match(r"[A-Za-z_]\w*(:\w*)*\Z", selector):
        wrong.append(f"{name}: selector {selector!r}")
    if not re.match(r"-?\d+\Z", tag) or not FRAME.match(frame):
        wrong.append(f"{name}: tag {tag!r}, frame {frame!r}")
    return wrong


# Codeless

PAGES = {"PageCreate", "PageShow", "PageHide", "PageDestory"}
WEB = {"WebViewStart", "WebViewFinish", "WebViewFail"}
TAPS = {"ButtonClick", "ListItemClick", "ViewTap", "AlertClick", "RNViewTap"}
#: Members of an event by number, for messages.
EVENT_NAME, EVENT_TIME, SESSION, PAGE, VIEW, INDEX_PATH, URL, ERROR, ALERT_TITLE, ALERT_MESSAGE = range(1, 11)
BUSINESS, BS_ID_FIELD = 11, 15
VIEW_CLASS, VIEW_PATH, VIEW_FRAME, VIEW_TITLE, VIEW_ID = range(1, 6)


def codeless(value: dict) -> list[str]:
    """An event by field number; `value[11]` has the business data."""
    kind = value.get(EVENT_NAME)
    fields = Fields(f"{value.get(BS_ID_FIELD)} {kind}", value)
    wanted = {EVENT_NAME: str, EVENT_TIME: int, SESSION: HEX, PAGE: CLASS, BUSINESS: dict}
    allowed = {BS_ID_FIELD: str}
    if kind in PAGES:
        fields.only(wanted, allowed)
        return fields.problems
    if kind not in TAPS | WEB | {"Scroll"}:
        fields.fail("an unknown name")
    wanted[VIEW] = dict
    if kind == "ListItemClick":
        wanted[INDEX_PATH] = re.compile(r"\d+:\d+\Z")
    if kind in WEB:
        wanted[URL] = re.compile(r"https?://")
    if kind == "WebViewFail":
        wanted[ERROR] = str
    if kind == "AlertClick":
        allowed |= {ALERT_TITLE: str, ALERT_MESSAGE: str}
    fields.only(wanted, allowed)
    codeless_view(fields, kind, value.get(VIEW, {}), value.get(INDEX_PATH))
    return fields.problems


def codeless_view(fields: Fields, kind: str, view: dict, index_path: str | None) -> None:
    """Class, path, frame, title and the path's MD5; the path's last place is a row's index path. The app's description gives no
    frames of scroll views, web views and back buttons."""
    parts = Fields(f"{fields.name}: view", view)
    parts.only({VIEW_CLASS: CLASS, VIEW_PATH: str, VIEW_ID: HEX}, {VIEW_FRAME: FRAME, VIEW_TITLE: str})
    if view.get(VIEW_FRAME) == "{{0, 0}, {0, 0}}":
        parts.fail("a frame of nothing")
    path = view.get(VIEW_PATH, "")
    if view.get(VIEW_ID) != hashlib.md5(path.encode()).hexdigest():
        parts.fail("viewId is not the MD5 of viewPath")
    classes, mark, places = path.partition(" & ")
    names, depths = classes.split("-"), places.split("-")
    if not mark or len(names) != len(depths) or not all(CLASS.match(name) for name in names):
        parts.fail(f"viewPath {path!r}")
    elif depths[0] != "0" or not all(re.match(r"\d+(:\d+)?\Z", depth) for depth in depths):
        parts.fail(f"places in {path!r}")
    elif names[-1] != view.get(VIEW_CLASS):
        parts.fail(f"class {view.get(VIEW_CLASS)!r} at the end of {path!r}")
    elif index_path is not None and depths[-1] != index_path:
        parts.fail(f"index path {index_path!r} at the end of {path!r}")
    if (VIEW_TITLE in view) and kind in WEB | {"Scroll"}:
        parts.fail(f"a title {view[VIEW_TITLE]!r}")
    fields.problems += parts.problems
