"""What an upload of the SensorsAnalytics iOS SDK must look like, written down apart from the program.

Decodes a form body with nothing but the standard library and says everything that is wrong with it.
Sources: sa-sdk-ios v1.10.17 (SensorsAnalyticsSDK.m) and v4.9.1 (Core/Builder/EventObject, Core/Utils).
"""

from __future__ import annotations

import base64
import json
import re
import urllib.parse
import zlib
from dataclasses import dataclass

OLD, NEW = "1.10.17", "4.9.1"

BODY = re.compile(r"crc=(-?\d+)&gzip=1&data_list=([A-Za-z0-9%/]+)(&instant_event=true)?\Z")
FLUSH_TIME = re.compile(r',?"_flush_time":\d+')
BS_ID = re.compile(r"(0|[1-9]\d*)-(0|[1-9]\d*)\Z")
NAME = re.compile(
    r"((?!^distinct_id$|^original_id$|^time$|^event$|^properties$|^id$|^first_id$|^second_id$|^users$|^events$"
    r"|^user_id$|^date$|^datetime$)[a-zA-Z_$][a-zA-Z\d_$]{0,99})\Z",
    re.IGNORECASE,
)

TRACKS = {"track", "track_signup"}
BINDS = {"track_id_bind", "track_id_unbind"}
PROFILES = {
    "profile_set",
    "profile_set_once",
    "profile_unset",
    "profile_increment",
    "profile_append",
    "profile_delete",
}
ITEMS = {"item_set", "item_delete"}

#: Identities that the SDK sets itself (SAIdentifier.m); an app can bind all others.
OWN_IDENTITIES = {"$identity_idfv", "$identity_anonymous_id", "$identity_login_id"}
BIND_EVENTS = {"track_id_bind": "$BindID", "track_id_unbind": "$UnbindID"}

NETWORK_TYPES = {OLD: {"WIFI", "2G", "3G", "4G", "NULL"}, NEW: {"WIFI", "2G", "3G", "4G", "5G", "NULL", "UNKNOWN"}}
CARRIERS = {"中国移动", "中国联通", "中国电信", "中国卫通", "中国铁通", "T-mobile/Telekom", "Vodafone D2", "O2"}

# Automatic properties of every track event: name -> type, and the value where it is fixed.
AUTOMATIC = {
    "$app_version": str,
    "$os": "iOS",
    "$os_version": str,
    "$manufacturer": "Apple",
    "$model": str,
    "$lib": "iOS",
    "$lib_version": str,
    "$screen_height": int,
    "$screen_width": int,
    "$device_id": str,
    "$network_type": str,
    "$wifi": bool,
}
AUTOMATIC_NEW = {"$app_id": str, "$app_name": str, "$timezone_offset": int, "$lib_method": str}

# Events of the SDK itself: properties that they must have, with their types.
PRESETS = {
    "$AppStart": {"$is_first_time": bool, "$resume_from_background": bool},
    "$AppViewScreen": {"$screen_name": str},
    "$AppClick": {"$screen_name": str, "$element_type": str},
    "AppCrashed": {"app_crashed_reason": str},
    "$AppRemoteConfigChanged": {"$app_remote_config": str},
}
#: $element_type of 1.10.17 (UIApplication+AutoTrack.m, AutoTrackUtils.m, SensorsAnalyticsSDK.m), and what
#: 4.9.1 (UIView+SAElementType.m, SAUIProperties.m, the hooks of SAGesturePlugin.m) never tells.
OLD_ELEMENTS = {
    "UIButton",
    "UICollectionView",
    "UIControl",
    "UIImageView",
    "UILabel",
    "UISegmentedControl",
    "UISlider",
    "UIStepper",
    "UISwitch",
    "UITableView",
    "RNView",
}
NEVER_NEW_ELEMENTS = {
    "RCTView",
    "RNView",
    "UIAlertAction",
    "UICollectionViewCell",
    "UITabBarButton",
    "UITableViewCell",
    "_UIButtonBarButton",
}
#: $element_position and $element_content, where the type says them.
PLACES = {
    "UICollectionView": r"\d+:\d+",
    "UISegmentedControl": r"\d+",
    "UITabBarItem": r"\d+",
    "UITableView": r"\d+:\d+",
}
TEXTS = {"UISwitch": r"checked|unchecked", "UISlider": r"[01]\.\d{6}", "UIStepper": r"\d+"}
#: $lib_detail of 1.10.17's own events: the third frame of the call stack.
OLD_CALL_SITES = {
    "$AppStart": {
        "SensorsAnalyticsSDK##enableAutoTrack:####",
        "SensorsAnalyticsSDK##applicationDidBecomeActive:####",
    },
    "$AppStartPassively": {"SensorsAnalyticsSDK##enableAutoTrack:####"},
    "$AppEnd": {
        "SensorsAnalyticsSDK##applicationDidEnterBackground:####",
        "SensorsAnalyticsExceptionHandler##sa_handleUncaughtException:####",
    },
    "AppCrashed": {"SensorsAnalyticsExceptionHandler##sa_handleUncaughtException:####"},
    "$SignUp": {"SensorsAnalyticsSDK##login:####"},
    "DisableSensorsDataSDK": {"SensorsAnalyticsSDK##requestFunctionalManagermentConfigDelay:index:####"},
}
QUOTED_CONFIG = {
    "autoTrackMode",
    "disableDebugMode",
    "disableSDK",
    "effect_mode",
    "event_blacklist",
    "nv",
    "supportTransportEncrypt",
}
AUTO_TRACKED = {"$AppStart", "$AppStartPassively", "$AppEnd", "$AppViewScreen", "$AppClick"}


def java_hash(text: str) -> int:
    """Java's String.hashCode of ASCII text, as a signed 32-bit number."""
    value = 0
    for byte in text.encode("ascii"):
        value = (31 * value + byte) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


@dataclass
class Event:
    """One event of a batch."""

    value: dict
    #: The event's own characters, without `_flush_time`.
    stable_text: str
    flush_time: int

    @property
    def bs_id(self) -> str | None:
        tagged = self.value.get("properties", {}).get("bs_id")
        return tagged if tagged is not None else self.value.get("lib", {}).get("bs_id")

    @property
    def version(self) -> str | None:
        return self.value.get("lib", {}).get("$lib_version")

    @property
    def is_web(self) -> bool:
        """Whether a page in a web view made it; the SDK only passes it on."""
        return self.value.get("lib", {}).get("$lib") == "js"


@dataclass
class Batch:
    events: list[Event]
    #: Which way the form's value was escaped: OLD, NEW, or None if it had no slash.
    escaping: str | None
    #: Whether the form says that its events are instant.
    is_instant: bool = False


class WireError(Exception):
    """A body that cannot be decoded."""


def split_array(text: str) -> list[tuple[dict, str]]:
    """The objects of a JSON array, each with its own characters."""
    decoder = json.JSONDecoder(object_pairs_hook=_without_duplicates)
    if not text.startswith("["):
        raise WireError("no JSON array")
    result, place = [], 1
    while text[place] != "]":
        value, end = decoder.raw_decode(text, place)
        result.append((value, text[place:end]))
        place = end + 1 if text[end] == "," else end
    if place != len(text) - 1:
        raise WireError("text after the JSON array")
    return result


def _without_duplicates(pairs: list) -> dict:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        raise WireError(f"a key twice: {sorted({n for n in names if names.count(n) > 1})}")
    return value


def decode(body: bytes) -> Batch:
    """Takes a form body apart: percent-encoding, check sum, base64, gzip, JSON."""
    match = BODY.match(body.decode("ascii"))
    if match is None:
        raise WireError(f"not crc=…&gzip=1&data_list=…: {body[:80]!r}")
    checksum, escaped = int(match[1]), match[2]
    coded = urllib.parse.unquote(escaped)
    if java_hash(coded) != checksum:
        raise WireError(f"crc {checksum}, expected {java_hash(coded)}")
    literal, hidden = "/" in escaped, "%2F" in escaped
    if literal and hidden:
        raise WireError("slashes are escaped at some places only")
    if set(re.findall(r"%(..)", escaped)) - {"2B", "2F", "3D"}:
        raise WireError("an escape that base64 does not need")
    packed = base64.b64decode(coded, validate=True)
    unpacker = zlib.decompressobj(31)
    text = unpacker.decompress(packed)
    if not unpacker.eof or unpacker.unused_data:
        raise WireError("not exactly one whole gzip member")
    events = []
    for value, raw in split_array(text.decode("utf-8")):
        stable, count = FLUSH_TIME.subn("", raw)
        if count != 1 or not isinstance(value.get("_flush_time"), int):
            raise WireError(f"_flush_time {count} times in {raw[:200]}")
        events.append(Event(value, stable, value["_flush_time"]))
    return Batch(events, NEW if literal else OLD if hidden else None, match[3] is not None)


class Checker:
    """Collects what is wrong with one event."""

    def __init__(self, event: Event, version: str):
        self.event, self.value, self.version = event, event.value, version
        self.problems: list[str] = []

    def fail(self, text: str) -> None:
        name = self.value.get("event") or self.value.get("type")
        self.problems.append(f"{self.version} {self.event.bs_id} {name}: {text}")

    def typed(self, holder: dict, key: str, kind) -> None:
        """Wants a member of a type (or of a value); a bool is no number."""
        if key not in holder:
            self.fail(f"{key} is missing")
            return
        found = holder[key]
        if not isinstance(kind, type):
            if found != kind:
                self.fail(f"{key} is {found!r}, not {kind!r}")
        elif not isinstance(found, kind) or (kind is not bool and isinstance(found, bool)):
            self.fail(f"{key} is {found!r}, not of type {kind.__name__}")
        elif kind is str and not found:
            self.fail(f"{key} is empty")

    def check(self) -> list[str]:
        kind = self.value.get("type")
        known = TRACKS | PROFILES | (ITEMS | BINDS if self.version == NEW else set())
        if kind not in known:
            self.fail(f"type {kind!r}")
            return self.problems
        if self.event.bs_id is None or not BS_ID.match(self.event.bs_id):
            self.fail(f"bs_id {self.event.bs_id!r}")
        self.check_keys(kind)
        if kind in BIND_EVENTS and self.value.get("event") != BIND_EVENTS[kind]:
            self.fail(f"event of type {kind}")
        self.check_lib(kind)
        if kind == "item_delete":
            if "properties" in self.value:
                self.fail("item_delete has properties")
        else:
            self.typed(self.value, "properties", dict)
            self.check_properties(kind, self.value.get("properties", {}))
        return self.problems

    def check_keys(self, kind: str) -> None:
        value = self.value
        wanted = {"type": str, "time": int, "lib": dict, "_flush_time": int}
        allowed = {"project", "token", "properties"}
        if kind in ITEMS:
            wanted |= {"item_type": str, "item_id": str}
        else:
            wanted |= {"distinct_id": str, "_track_id": int}
            if kind not in PROFILES:
                wanted["event"] = str
            if kind == "track_signup":
                wanted["original_id"] = str
            if self.version == NEW:
                wanted["identities"] = dict
                allowed |= {"login_id", "anonymous_id", "_hybrid_h5"}
                if kind != "track_id_unbind":
                    wanted["anonymous_id"] = str
        for key, type_ in wanted.items():
            self.typed(value, key, type_)
        if extra := set(value) - set(wanted) - allowed:
            self.fail(f"unexpected keys {sorted(extra)}")
        if not 0 <= value.get("_track_id", 0) < 1 << 32:
            self.fail(f"_track_id {value['_track_id']}")
        if value.get("_flush_time", 0) < value.get("time", 0):
            self.fail(f"_flush_time {value['_flush_time']} before time {value['time']}")
        if "event" in value and not NAME.match(str(value["event"])):
            self.fail("a bad event name")
        if self.version == NEW and kind not in ITEMS:
            self.check_identity(kind)

    def check_identity(self, kind: str) -> None:
        value, identities = self.value, self.value.get("identities", {})
        if not identities or not all(isinstance(text, str) and text for text in identities.values()):
            self.fail(f"identities {identities!r}")
        if bool(value.get("_hybrid_h5")) != self.event.is_web:
            self.fail("_hybrid_h5 does not go with the library of a page")
        if kind == "track_id_unbind":
            # SAIDMappingInterceptor.m processIdentitiesWithObject: no ids but the best one and the pair.
            if extra := {"login_id", "anonymous_id"} & set(value):
                self.fail(f"{sorted(extra)} beside what is unbound")
            if len(identities) != 1 or set(identities) & OWN_IDENTITIES:
                self.fail(f"unbinds {identities!r}")
            return
        if identities.get("$identity_anonymous_id") != value.get("anonymous_id"):
            self.fail("anonymous_id is not in identities")
        if not self.event.is_web and "$identity_idfv" not in identities:
            self.fail("no $identity_idfv in identities")
        if kind == "track_id_bind" and not set(identities) - OWN_IDENTITIES:
            self.fail(f"binds nothing: {identities!r}")
        best = value.get("login_id") or value.get("anonymous_id")
        if value.get("distinct_id") != best:
            self.fail(f"distinct_id {value.get('distinct_id')!r}, login id or anonymous id is {best!r}")
        if "login_id" in value and identities.get("$identity_login_id") != value["login_id"]:
            self.fail("login_id is not in identities")

    def check_lib(self, kind: str) -> None:
        lib = self.value.get("lib", {})
        if self.event.is_web:
            return
        self.typed(lib, "$lib", "iOS")
        self.typed(lib, "$lib_version", self.version)
        self.typed(lib, "$app_version", str)
        method = lib.get("$lib_method")
        automatic = self.value.get("event") in AUTO_TRACKED
        if self.version == OLD and method != "code":
            self.fail(f"$lib_method {method!r}")
        if self.version == NEW and method != ("autoTrack" if automatic else "code"):
            self.fail(f"$lib_method {method!r}")
        allowed = {"$lib", "$lib_version", "$app_version", "$lib_method", "$lib_detail"}
        if kind in PROFILES | ITEMS:
            allowed.add("bs_id")
        if extra := set(lib) - allowed:
            self.fail(f"unexpected keys in lib {sorted(extra)}")

    def check_properties(self, kind: str, properties: dict) -> None:
        for key, found in properties.items():
            if not NAME.match(key):
                self.fail(f"property name {key!r}")
            self.check_value(key, found)
        if kind in PROFILES | ITEMS:
            self.check_profile(kind, properties)
        elif not self.event.is_web:
            self.check_track(kind, properties)

    def check_value(self, key: str, found) -> None:
        """A string, a number, a flag, a list of strings; 1.10.17 also sends null."""
        if isinstance(found, list):
            if not all(isinstance(element, str) for element in found):
                self.fail(f"{key} is a list of other things than strings")
        elif isinstance(found, dict) or (found is None and self.version == NEW):
            self.fail(f"{key} is {found!r}")

    def check_profile(self, kind: str, properties: dict) -> None:
        automatic = (set(AUTOMATIC) | set(AUTOMATIC_NEW) | {"$is_first_day", "bs_id"}) & set(properties)
        if automatic:
            self.fail(f"automatic properties {sorted(automatic)}")
        if kind == "profile_delete" and properties:
            self.fail("profile_delete has properties")
        if kind == "profile_unset" and any(found != "" for found in properties.values()):
            self.fail("profile_unset with values")
        if kind == "profile_increment" and not all(_is_number(found) for found in properties.values()):
            self.fail("profile_increment by something else than numbers")
        if kind == "profile_append" and not all(isinstance(found, list) for found in properties.values()):
            self.fail("profile_append of something else than lists")

    def check_track(self, kind: str, properties: dict) -> None:
        for key, type_ in AUTOMATIC.items():
            self.typed(properties, key, type_)
        self.typed(properties, "$lib_version", self.version)
        if properties.get("$network_type") not in NETWORK_TYPES[self.version]:
            self.fail(f"$network_type {properties.get('$network_type')!r}")
        if properties.get("$wifi") is not (properties.get("$network_type") == "WIFI"):
            self.fail("$wifi contradicts $network_type")
        if "$carrier" in properties and properties["$carrier"] not in CARRIERS:
            self.fail(f"$carrier {properties['$carrier']!r}")
        if ("$is_first_day" in properties) != (kind == "track" or kind in BINDS):
            self.fail("$is_first_day " + ("is there" if "$is_first_day" in properties else "is missing"))
        elif not isinstance(properties.get("$is_first_day", True), bool):
            self.fail("$is_first_day is no flag")
        if self.version == NEW:
            for key, type_ in AUTOMATIC_NEW.items():
                self.typed(properties, key, type_)
            if properties.get("$lib_method") != self.value.get("lib", {}).get("$lib_method"):
                self.fail("$lib_method differs between lib and properties")
        elif extra := {"$app_id", "$app_name", "$timezone_offset", "$lib_method"} & set(properties):
            self.fail(f"properties of a later version {sorted(extra)}")
        self.check_preset(properties)

    def check_preset(self, properties: dict) -> None:
        name = self.value.get("event")
        for key, type_ in PRESETS.get(name, {}).items():
            self.typed(properties, key, type_)
        if name == "$AppRemoteConfigChanged":
            self.check_quoted_config(properties.get("$app_remote_config"))
        if name == "$AppEnd" and "event_duration" in properties and not _is_number(properties["event_duration"]):
            self.fail("event_duration is no number")
        if name == "$AppClick":
            self.check_element(properties)
            if ("$element_path" in properties) != (self.version == NEW):
                self.fail("$element_path belongs to 4.9.1 alone, and to all its taps")
        detail = self.value.get("lib", {}).get("$lib_detail")
        if self.version == OLD and name in OLD_CALL_SITES and detail not in OLD_CALL_SITES[name]:
            self.fail(f"$lib_detail {detail!r}")
        if name == "$AppStart" and self.version == OLD:
            resumed = detail == "SensorsAnalyticsSDK##applicationDidBecomeActive:####"
            if properties.get("$resume_from_background") is not resumed:
                self.fail(f"$lib_detail {detail!r} of $resume_from_background {not resumed}")
        if name == "$AppViewScreen" and self.version == OLD and "$referrer" in properties and "$url" not in properties:
            self.fail("$referrer without $url")
        if name in {"$AppClick", "$AppViewScreen"}:
            if detail != properties.get("$screen_name", "") + "######":
                self.fail(f"$lib_detail {detail!r}")


    def check_quoted_config(self, text) -> None:
        """SARemoteConfigOperator.m extractRemoteConfig: takes these fields, as far as they came."""
        config = json.loads(text or "{}")
        if not {"configs"} <= set(config) <= {"v", "configs"} or set(config["configs"]) - QUOTED_CONFIG:
            self.fail(f"$app_remote_config {text}")

    def check_element(self, properties: dict) -> None:
        type_, position = properties.get("$element_type"), properties.get("$element_position")
        known = type_ in OLD_ELEMENTS if self.version == OLD else type_ not in NEVER_NEW_ELEMENTS
        if not known:
            self.fail(f"$element_type {type_!r}")
        if type_ in PLACES:
            if not re.fullmatch(PLACES[type_], position or ""):
                self.fail(f"$element_position {position!r} of {type_}")
        elif position is not None and (self.version == OLD or not re.fullmatch(r"\d+:\d+", position)):
            self.fail(f"$element_position {position!r} of {type_}")
        text = properties.get("$element_content")
        if type_ in TEXTS and not re.fullmatch(TEXTS[type_], text or ""):
            self.fail(f"$element_content {text!r} of {type_}")


def _is_number(found) -> bool:
    return isinstance(found, (int, float)) and not isinstance(found, bool)


class Person:
    """Who a device's events of 4.9.1 say they are of, one after another without a gap (SAIdentifier.m).

    What was bound stays among the identities until it is unbound, until the next $SignUp, which still carries
    it, and until a logout, which no event tells.
    """

    def __init__(self) -> None:
        self.bound: dict[str, str] = {}
        self.login: str | None = None
        self.device: str | None = None

    def take(self, value: dict) -> str | None:
        """Says what is wrong with the next event, if anything."""
        kind, identities = value["type"], value.get("identities", {})
        if kind in ITEMS:
            return None
        others = {key: text for key, text in identities.items() if key not in OWN_IDENTITIES}
        if kind == "track_id_unbind":
            for key, text in others.items():
                if self.bound.get(key, text) != text:
                    return f"unbinds {key} {text}, bound is {self.bound[key]}"
                self.bound.pop(key, None)
            return None
        self.device = self.device or identities.get("$identity_idfv")
        if identities.get("$identity_idfv") != self.device:
            return f"$identity_idfv was {self.device}"
        login = value.get("login_id")
        if login != self.login and kind != "track_signup":
            if login is not None:
                return f"login_id {login} without a $SignUp"
            self.bound = {}
        self.login = login
        if kind == "track_id_bind":
            new = {key for key in others if self.bound.get(key) != others[key]}
            if set(self.bound) - set(others) or len(new) > 1:
                return f"binds {others} upon {self.bound}"
            self.bound = others
        elif others != self.bound:
            return f"identities {others}, bound are {self.bound}"
        if kind == "track_signup":
            self.bound = {}
        return None


def version_of(batch: Batch) -> str | None:
    """The SDK's version, by the first event that the SDK made itself."""
    return next((event.version for event in batch.events if not event.is_web), None)
