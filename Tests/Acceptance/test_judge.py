"""The judge itself: published vectors, and uploads that are wrong in one place must be found out."""

from __future__ import annotations

import base64
import copy
import gzip
import json
import urllib.parse

import pytest

import reference_collector as reference
import sensors_rules as rules
from helpers import changed

# A gzip of the published example and its check sum.
PACKED = (
    "H4sIAAAAAAAAA4uuVkotS80rUbJSciqtdM/PTylW0lEqqSxIBYqUFCUmZwO5KZnFJZl5ySXxmSlA0VJdQ5CSzFygEkNzAwTQUYoH6wArMzQyNjE1M7ew"
    "1FEqKMovSC0qyUwtVrKqBvIyk4E6LfVMa4Ea0nJKizPi0Q0zNDCojQUAQLONS5sAAAA="
)

OLD_EVENT = {
    "event": "$AppClick", "type": "track", "distinct_id": "3D1F", "time": 1539847154123, "_track_id": 2910475221,
    "_flush_time": 1539847160456,
    "lib": {"$lib": "iOS", "$lib_version": "1.10.17", "$app_version": "1.3.0", "$lib_method": "code",
            "$lib_detail": "Home######"},
    "properties": {
        "$app_version": "1.3.0", "$carrier": "中国移动", "$device_id": "3D1F", "$lib": "iOS", "$lib_version": "1.10.17",
        "$manufacturer": "Apple", "$model": "iPhone10,3", "$os": "iOS", "$os_version": "12.0", "$screen_height": 812,
        "$screen_width": 375, "$network_type": "WIFI", "$wifi": True, "$is_first_day": False, "$screen_name": "Home",
        "$title": "首页", "$element_type": "UIButton", "$element_content": "购买", "bs_id": "0-0"},
}  # fmt: skip


def body(events: list[dict], version: str = rules.OLD, checksum: int | None = None) -> bytes:
    text = json.dumps(events, ensure_ascii=False, separators=(",", ":"))
    coded = base64.b64encode(gzip.compress(text.encode())).decode()
    escaped = urllib.parse.quote(coded, safe="" if version == rules.OLD else "/")
    return f"crc={rules.java_hash(coded) if checksum is None else checksum}&gzip=1&data_list={escaped}".encode()


def judge(*bodies: bytes, target: str = "/sa?project=default", **headers: str) -> list[str]:
    ledger = reference.Ledger()
    inspector = reference.Inspector(ledger, "/sa?project=default")
    usual = {"user-agent": "SensorsAnalytics iOS SDK", "content-type": "application/x-www-form-urlencoded"}
    for each in bodies:
        inspector.take("ok", target, usual | headers, each)
    return ledger.violations


@pytest.mark.parametrize(
    "text, value", [("", 0), ("a", 97), ("hello", 99162322), ("H4sIAAAAAAAA", -1372898654), ("A/B+C==", -1033933044)]
)
def test_check_sums(text: str, value: int):
    assert rules.java_hash(text) == value


@pytest.mark.parametrize("version", [rules.OLD, rules.NEW])
def test_the_published_example_decodes(version: str):
    escaped = urllib.parse.quote(PACKED, safe="" if version == rules.OLD else "/")
    batch = rules.decode(f"crc=284406544&gzip=1&data_list={escaped}".encode())
    assert batch.escaping == version
    assert batch.events[0].flush_time == 1700000000100
    assert batch.events[0].stable_text.endswith('"properties":{"price":9.5}}')


def test_a_right_upload_has_no_violations():
    later = changed(OLD_EVENT, _flush_time=1539847160457)
    assert judge(body([OLD_EVENT]), body([later])) == []


@pytest.mark.parametrize(
    "members, told",
    [
        ({"_flush_time": 1539847154122}, "before time"),
        ({"_track_id": 1 << 32}, "_track_id"),
        ({"_track_id": True}, "_track_id"),
        ({"distinct_id": 7}, "distinct_id"),
        ({"event": "user id"}, "event name"),
        ({"type": "item_set"}, "type"),
        ({"identities": {"a": "b"}}, "identities"),
        ({"lib": None}, "lib"),
        ({"lib__$lib_method": "autoTrack"}, "$lib_method"),
        ({"lib__$lib_detail": None}, "$lib_detail"),
        ({"lib__bs_id": "0-0"}, "unexpected keys in lib"),
        ({"properties__$is_first_day": None}, "$is_first_day"),
        ({"properties__$model": None}, "$model"),
        ({"properties__$screen_width": "375"}, "$screen_width"),
        ({"properties__$network_type": "5G"}, "$network_type"),
        ({"properties__$wifi": False}, "$wifi"),
        ({"properties__$app_id": "x"}, "later version"),
        ({"properties__$element_path": "UIView"}, "$element_path"),
        ({"properties__$element_type": "UITableViewCell"}, "$element_type"),
        ({"properties__$element_position": "1:2"}, "$element_position"),
        ({"properties__$element_type": "UISwitch"}, "$element_content"),
        ({"event": "$AppEnd"}, "$lib_detail"),
        ({"properties__date": "x"}, "property name"),
        ({"properties__tags": [1]}, "list of other things"),
        ({"properties__bs_id": "0-01"}, "bs_id"),
        ({"type": "profile_set", "event": None}, "automatic properties"),
    ],
)
def test_one_wrong_member_is_found_out(members: dict, told: str):
    violations = judge(body([changed(OLD_EVENT, **members)]))
    assert any(told in violation for violation in violations), violations


@pytest.mark.parametrize(
    "bodies, headers, told",
    [
        ([body([OLD_EVENT], checksum=1)], {}, "crc"),
        ([body([OLD_EVENT], rules.NEW)], {}, "escaped as"),
        ([body([OLD_EVENT]), body([changed(OLD_EVENT, _flush_time=1539847160457, time=1)])], {}, "changed"),
        ([body([OLD_EVENT, OLD_EVENT])], {}, "twice in request"),
        ([body([OLD_EVENT, changed(OLD_EVENT, properties__bs_id="0-1")])], {}, "the same distinct_id"),
        ([body([changed(OLD_EVENT, properties__bs_id=f"0-{n}", _track_id=n) for n in range(51)])], {}, "51 events"),
        ([body([OLD_EVENT])], {"content-encoding": "gzip"}, "Content-Encoding"),
        ([body([OLD_EVENT])], {"user-agent": "curl"}, "user-agent"),
        ([body([OLD_EVENT])], {"dry-run": "true"}, "Dry-Run"),
        ([b"data=1"], {}, "crc="),
    ],
)
def test_a_wrong_request_is_found_out(bodies: list[bytes], headers: dict, told: str):
    violations = judge(*bodies, **headers)
    assert any(told in violation for violation in violations), violations


def test_an_event_that_comes_again_unchanged_is_counted():
    """Two uploads may share their millisecond: what is too many is for the run's test to say."""
    ledger = reference.Ledger()
    inspector = reference.Inspector(ledger, "/sa?project=default")
    for _ in range(3):
        inspector.take("ok", "/sa?project=default", {}, body([OLD_EVENT]))
    assert (ledger.repeats, ledger.repeats_of_same_time) == (2, 2)
    assert (ledger.received, ledger.unique, ledger.duplicates) == (3, 1, 2)


ANONYMOUS, OWN = "A-1", {"$identity_idfv": "V-1", "$identity_anonymous_id": "A-1"}


def recent(kind: str = "track", event: str = "Buy", **members) -> dict:
    """An event of 4.9.1."""
    value = copy.deepcopy(OLD_EVENT)
    value |= {"type": kind, "event": event, "distinct_id": ANONYMOUS, "anonymous_id": ANONYMOUS, "identities": OWN}
    value["lib"] = {"$lib": "iOS", "$lib_version": "4.9.1", "$app_version": "1.3.0", "$lib_method": "code"}
    value["properties"] |= {
        "$lib_version": "4.9.1", "$app_id": "a", "$app_name": "b", "$timezone_offset": 0, "$lib_method": "code",
    }  # fmt: skip
    value |= members
    return {key: member for key, member in value.items() if member is not None}


UNBOUND = {"anonymous_id": None, "identities": {"$identity_mobile": "1"}}


@pytest.mark.parametrize(
    "value, told",
    [
        (recent(), None),
        (recent("track_id_bind", "$BindID", identities=OWN | {"$identity_mobile": "1"}), None),
        (recent("track_id_unbind", "$UnbindID", **UNBOUND), None),
        (recent(identities={"$identity_idfv": "V-1"}), "anonymous_id is not in identities"),
        (recent(identities={"$identity_anonymous_id": "A-1"}), "no $identity_idfv"),
        (recent(identities=OWN | {"$identity_anonymous_id": "B"}), "anonymous_id is not in identities"),
        (recent("track_id_bind", "$BindID"), "binds nothing"),
        (recent("track_id_bind", "Bind", identities=OWN | {"$identity_mobile": "1"}), "event of type"),
        (recent("track_id_unbind", "$UnbindID", identities={"$identity_mobile": "1"}), "beside what is unbound"),
        (recent("track_id_unbind", "$UnbindID", anonymous_id=None), "unbinds"),
        (recent("track_id_unbind", "$UnbindID", **UNBOUND, login_id="u"), "beside what is unbound"),
    ],
)
def test_identities_of_one_event(value: dict, told: str | None):
    problems = judge(body([value], rules.NEW))
    assert (told is None and not problems) or any(told and told in problem for problem in problems), problems


def test_identities_from_event_to_event():
    def bound(*keys: str, **members) -> dict:
        return recent(identities=OWN | {key: "1" for key in keys}, **members)

    def told(*values: dict) -> str | None:
        person = rules.Person()
        said = [person.take(value) for value in values]
        assert not any(said[:-1]), said
        return said[-1]

    bind = bound("m", kind="track_id_bind", event="$BindID")
    unbind = recent("track_id_unbind", "$UnbindID", anonymous_id=None, identities={"m": "1"})
    user = {"login_id": "u", "distinct_id": "u"}
    sign_up = bound("m", "$identity_login_id", kind="track_signup", event="$SignUp", **user)
    assert told(recent(), bind, bound("m"), unbind, recent()) is None
    assert told(bind, sign_up, bound("$identity_login_id", **user), recent()) is None
    assert "bound are" in told(bind, recent())
    assert "bound are" in told(bind, unbind, bound("m"))
    assert "bound are" in told(bind, sign_up, bound("m", "$identity_login_id", **user))
    assert "without a $SignUp" in told(recent(), bound("$identity_login_id", **user))
    assert "upon" in told(bind, bound("n", kind="track_id_bind", event="$BindID"))


def test_instant_events_have_names_of_their_own():
    def form(value: dict, version: str, instant: bool) -> bytes:
        return body([value], version) + (b"&instant_event=true" if instant else b"")

    later = {"_flush_time": 1539847160457}
    other = recent(event="Other", properties=recent()["properties"] | {"bs_id": "0-1"}, _track_id=2)
    assert judge(form(recent(), rules.NEW, True), form(other, rules.NEW, False)) == []
    assert any("with and without" in told for told in judge(
        form(recent(), rules.NEW, True), form(recent(**later), rules.NEW, False)))  # fmt: skip
    assert any("of 1.10.17" in told for told in judge(form(OLD_EVENT, rules.OLD, True)))
