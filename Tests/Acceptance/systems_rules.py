"""What uploads of GrowingIO, TrackingSDK, Kit and the codeless SDK must look like, written down apart from the program.

Decodes bodies with nothing but the standard library, and says what is wrong with them. LZ4, Snappy and Protocol
Buffers are read by what their formats' documents say. The other half writes bodies, for tests of collectors.
Sources: growingio-sdk-ios-autotracker 3.2.1 and 4.11.0 (GrowingEventRequest*.m, event_v3.proto),
growingio-sdk-ios-saas (GrowingBaseModel.m), KitUserStatisicsUtil.m; the designs of the other two.
"""

from __future__ import annotations

import io
import json
import re
import struct
import urllib.parse
import zipfile
from dataclasses import dataclass, field

import field_rules

GROWING, TRACKING, KIT, CODELESS = "growing", "trackingsdk", "kit", "codeless"
BS_ID = re.compile(r"(0|[1-9]\d*)-(0|[1-9]\d*)\Z")
HEX = re.compile(r"[0-9a-f]{32}\Z")


class WireError(Exception):
    """A body that cannot be read, or not for certain."""


@dataclass
class Event:
    """One event, row or item."""

    system: str
    type: str
    bs_id: str | None
    #: What names the event where it has no id.
    natural: tuple
    value: dict
    #: What of it may not change from one attempt to the next.
    stable: str = ""

    @property
    def key(self) -> str:
        return self.bs_id if self.bs_id else "|".join(map(str, (self.system, *self.natural)))


@dataclass
class Batch:
    """A request's events, and what is wrong with it."""

    system: str
    events: list[Event] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def system_of(path: str) -> str | None:
    """Whose upload goes to a path, without its query."""
    parts = path.strip("/").split("/")
    if parts[-1:] == ["collect"] and parts[-4:-2] == ["v3", "projects"] or parts[-2:] == ["collect", "item"]:
        return GROWING
    if parts[-2:-1] == ["ios"] and parts[-4:-3] in (["v3"], ["app"]):
        return GROWING
    if parts[-2:] == ["tracking", "events"]:
        return TRACKING
    if parts[-1:] == ["uploadIosLogfiles.do1"]:
        return KIT
    return CODELESS if parts[-3:] == ["codeless", "v1", "events"] else None


def decode(system: str, target: str, headers: dict[str, str], body: bytes) -> Batch:
    """Reads an upload; `headers` have lower-case names."""
    return DECODERS[system](urllib.parse.urlsplit(target), headers, body)


# GrowingIO

TYPES = [
    "VISIT",
    "CUSTOM",
    "VISITOR_ATTRIBUTES",
    "LOGIN_USER_ATTRIBUTES",
    "CONVERSION_VARIABLES",
    "APP_CLOSED",
    "PAGE",
    "PAGE_ATTRIBUTES",
    "VIEW_CLICK",
    "VIEW_CHANGE",
    "FORM_SUBMIT",
    "ACTIVATE",
]
#: EventV3Dto by number; text where nothing else is said.
FIELDS = dict(
    enumerate(
        """deviceId userId gioId sessionId dataSourceId eventType platform timestamp domain path query title referralPage
        globalSequenceId eventSequenceId screenHeight screenWidth language sdkVersion appVersion extraSdk eventName
        pageShowTimestamp attributes resourceItem protocolType textValue xpath index hyperlink urlScheme appState
        networkState appChannel pageName platformVersion deviceBrand deviceModel deviceType operatingSystem - appName -
        latitude longitude imei androidId oaid googleAdvertisingId idfa idfv orientation projectKey sendTime userKey
        xcontent timezoneOffset""".split(),
        1,
    )
)
NUMBERS = {"timestamp", "globalSequenceId", "eventSequenceId", "screenHeight", "screenWidth", "pageShowTimestamp"}
NUMBERS |= {"index", "sendTime"}


def decode_growing(url, headers, body: bytes) -> Batch:
    batch = Batch(GROWING)
    query = dict(urllib.parse.parse_qsl(url.query))
    crypt, codec = headers.get("x-crypt-codec"), headers.get("x-compress-codec")
    if crypt == "1":
        if "stm" not in query:
            raise WireError("encrypted, and the URL has no stm")
        body = bytes(byte ^ (int(query["stm"]) & 0xFF) for byte in body)
    elif crypt is not None:
        raise WireError(f"X-Crypt-Codec {crypt}")
    if codec is not None:
        body = {"3": lz4_decode, "2": snappy_decode}[codec](body)
    if "protobuf" in headers.get("content-type", ""):
        values = [growing_message(value) for number, value in fields_of(body) if number == 1]
    else:
        values = json.loads(body)
    if not isinstance(values, list) or not values:
        raise WireError("no list of events")
    if url.path.endswith("/collect") and any(isinstance(one, dict) and one.get("platform") == "iOS" for one in values):
        batch.problems += field_rules.growing_headers(headers, query.get("stm"))
    if len(values) > 500:
        batch.problems.append(f"{len(values)} events, 500 are allowed")
    for value in values:
        batch.events += growing_events(value, is_item=url.path.endswith("/item"))
        if "eventType" in value:
            batch.problems += field_rules.growing(value)
    batch.problems += growing_head_problems(url.path, headers, values)
    return batch


def growing_head_problems(path: str, headers: dict[str, str], values: list[dict]) -> list[str]:
    """What a request of the iOS SDK must say of itself: long names go as JSON or messages to v3/projects, and short
    names to the second protocol's paths, always compressed and encrypted."""
    problems = []
    old = [value for value in values if value.get("sdkVersion", "").startswith("3.")]
    if len({value.get("domain") for value in old}) > 1:
        problems.append(f"domains {sorted({value.get('domain') for value in old})} of one app of 3.x")
    if any(value.get("platform") == "iOS" for value in values) and not path.endswith("/collect"):
        problems.append(f"long names to {path}")
    if any("iv" in value for value in values):
        if headers.get("content-type") != "application/octet-stream":
            problems.append(f"short names as {headers.get('content-type')!r}")
        if "x-compress-codec" not in headers or "x-crypt-codec" not in headers:
            problems.append("short names in a body that is not coded")
        if "/ios/" not in path:
            problems.append(f"short names to {path}")
    return problems


def growing_message(message: bytes) -> dict:
    """An EventV3Dto with the names of JSON."""
    value: dict = {"eventType": "VISIT"}
    for number, content in fields_of(message):
        name = FIELDS.get(number, "-")
        if name == "-":
            continue
        if name == "eventType":
            value[name] = TYPES[content]
        elif name in ("attributes", "extraSdk"):
            entry = dict(fields_of(content))
            value.setdefault(name, {})[entry.get(1, b"").decode()] = entry.get(2, b"").decode()
        elif name in ("latitude", "longitude"):
            value[name] = struct.unpack("<d", content)[0]
        elif name in NUMBERS:
            value[name] = signed(content)
        elif name == "resourceItem":
            value[name] = {number: part for number, part in fields_of(content)}
        else:
            value[name] = content.decode()
    return value


def growing_events(value: dict, is_item: bool) -> list[Event]:
    if is_item:
        text = json.dumps(value, sort_keys=True)
        return [Event(GROWING, "item", value.get("attributes", {}).get("bs_id"), (text,), value, text)]
    if "eventType" in value:
        natural = tuple(value.get(name, "") for name in ("deviceId", "sessionId", "eventType", "timestamp"))
        natural += (value.get("globalSequenceId") or value.get("eventSequenceId", 0),)
        identifier = value.get("attributes", {}).get("bs_id")
        kind, stable = value["eventType"], {name: part for name, part in value.items() if name != "sendTime"}
        return [Event(GROWING, kind, identifier, natural, value, json.dumps(stable, sort_keys=True))]
    parts = [value | part for part in value["e"]] if "e" in value else [value]
    events = []
    for part in parts:
        natural = tuple(part.get(name, "") for name in ("u", "s", "t", "tm"))
        natural += (part.get("gesid") or part.get("esid", 0),)
        places = (part, part.get("attributes", {}), part.get("var", {}))
        identifier = next((place["bs_id"] for place in places if "bs_id" in place), None)
        events.append(Event(GROWING, part["t"], identifier, natural, part, json.dumps(part, sort_keys=True)))
    return events


# TrackingSDK


def decode_tracking(url, headers, body: bytes) -> Batch:
    batch = Batch(TRACKING)
    if headers.get("content-type") != "application/json":
        batch.problems.append(f"content-type {headers.get('content-type')!r}")
    if "x-api-key" not in headers:
        batch.problems.append("no X-API-Key")
    values = json.loads(body)
    if not isinstance(values, list) or not values:
        raise WireError("no list of events")
    for value in values:
        if set(value) != {"event_name", "parameters", "timestamp"}:
            batch.problems.append(f"an event of {sorted(value)}")
        batch.problems += field_rules.tracking(value)
        text = json.dumps(value, sort_keys=True)
        natural = (value["event_name"], value["timestamp"], json.dumps(value["parameters"], sort_keys=True))
        batch.events.append(Event(TRACKING, "event", value["parameters"].get("bs_id"), natural, value, text))
    return batch


# Kit

REMARKS = {
    "启动App": {"0"},
    "进入ViewController": {"1"},
    "离开ViewController": {"2"},
    "Tabbar切换ViewController": {"3"},
    "UIButton点击事件": {"100"},
    "UISegmentedControl选择事件": {"101"},
    "UISlider选择事件": {"102"},
    "UISwitch选择事件": {"102", "103"},
    "UIStepper选择事件": {"102", "104"},
    "其它UIControl事件": {"103", "105"},
}
LOG_NAME = re.compile(r"\d{4}-\d\d-\d\d_userStatisics_[0-9A-F-]{36}\.log\Z")


def decode_kit(url, headers, body: bytes) -> Batch:
    batch = Batch(KIT)
    boundary = re.match(r'multipart/form-data; boundary="?([^";]+)"?\Z', headers["content-type"])
    if not boundary:
        raise WireError(f"content-type {headers['content-type']!r}")
    mark = b"--" + boundary[1].encode()
    head, _, rest = body.partition(b"\r\n\r\n")
    content, _, tail = rest.rpartition(b"\r\n" + mark + b"--")
    lines = head.decode().split("\r\n")
    if lines[0].encode() != mark or tail != b"\r\n" or mark in content:
        raise WireError("no form of one part")
    part = re.match(r'Content-Disposition: form-data; name="file"; filename="([^"]*)"\Z', lines[1])
    if not part or lines[2:] != ["Content-Type: zip"]:
        raise WireError(f"a part with {lines[1:]}")
    if not re.match(r"\d{4}-\d\d-\d\d_userStatisics_.*\.zip\Z", part[1]):
        batch.problems.append(f"archive {part[1]!r}")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            read_log(entry.filename, archive.read(entry).decode(), batch)
    return batch


def read_log(name: str, text: str, batch: Batch) -> None:
    lines = text.split("\n")
    if not LOG_NAME.match(name):
        batch.problems.append(f"log {name!r}")
    device = lines[0].rsplit(",", 6)
    batch.problems += field_rules.kit_header(name, lines[0])
    for number, line in enumerate(lines[1:], 2):
        try:
            code, seconds, rest = line.split(",", 2)
            content, remark = rest.rsplit(",", 1)
        except ValueError:
            batch.problems.append(f"{name}:{number}: {line!r}")
            continue
        if code not in REMARKS.get(remark, ()) or not seconds.isdigit():
            batch.problems.append(f"{name}:{number}: {line!r}")
        identifier = None
        if int(code) >= 100:
            parts = content.split("|", 5)
            if len(parts) != 6 or not re.match(r"\{\{-?[\d.]+, -?[\d.]+\}, \{[\d.]+, [\d.]+\}\}\Z", parts[4]):
                batch.problems.append(f"{name}:{number}: {line!r}")
                continue
            _, mark, after = parts[5].rpartition("~")
            identifier = after if mark and BS_ID.match(after) else None
        batch.problems += field_rules.kit_row(name, code, seconds, content)
        value = {"log": name, "line": number, "device": device, "row": line}
        batch.events.append(Event(KIT, code, identifier, (name, number), value, line))


# Codeless

def decode_codeless(url, headers, body: bytes) -> Batch:
    batch = Batch(CODELESS)
    shared = {number: value.decode() for number, value in fields_of(body) if number in (1, 2, 3)}
    if headers.get("content-type") != "application/x-protobuf":
        batch.problems.append(f"content-type {headers.get('content-type')!r}")
    if not HEX.match(shared.get(3, "")) or headers.get("x-events-id") != shared[3]:
        batch.problems.append(f"events_id {shared.get(3)!r} under X-Events-Id {headers.get('x-events-id')!r}")
    for number, content in fields_of(body):
        if number != 4:
            continue
        value: dict = {11: {}}
        for part, text in fields_of(content):
            if part == 2:
                value[part] = signed(text)
            elif part == 5:
                value[part] = {number: text.decode() for number, text in fields_of(text)}
            elif part == 11:
                entry = dict(fields_of(text))
                value[11][entry.get(1, b"").decode()] = entry.get(2, b"").decode()
            else:
                value[part] = text.decode()
        natural = (shared.get(2, ""), value.get(3, ""), value[1], value[2], value.get(4, ""))
        natural += (value.get(5, {}).get(5, ""), value.get(6, ""), value.get(7, ""))
        batch.problems += field_rules.codeless(value)
        text = json.dumps(value, sort_keys=True)
        batch.events.append(Event(CODELESS, value[1], value.get(15), natural, value, text))
    return batch


DECODERS = {
    GROWING: decode_growing,
    TRACKING: decode_tracking,
    KIT: decode_kit,
    CODELESS: decode_codeless,
}

# Formats


def fields_of(message: bytes):
    """The fields of a message of Protocol Buffers: number, and a whole number or bytes."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value & 0xFFFFFFFFFFFFFFFF

    while place < len(message):
        tag = varint()
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            yield number, varint()
            continue
        length = {1: 8, 5: 4}.get(kind)
        if length is None:
            if kind != 2:
                raise WireError(f"wire type {kind}")
            length = varint()
        if place + length > len(message):
            raise WireError("the message ends within a field")
        yield number, message[place : place + length]
        place += length


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def lz4_decode(block: bytes) -> bytes:
    """A raw LZ4 block (lz4_Block_format.md)."""
    output, place = bytearray(), 0

    def length(nibble: int) -> int:
        nonlocal place
        if nibble < 15:
            return nibble
        while True:
            byte = block[place]
            place += 1
            nibble += byte
            if byte < 255:
                return nibble

    while True:
        token = block[place]
        place += 1
        literals = length(token >> 4)
        output += block[place : place + literals]
        place += literals
        if place >= len(block):
            if place > len(block):
                raise WireError("the block ends within literals")
            return bytes(output)
        distance = block[place] | block[place + 1] << 8
        place += 2
        if not 0 < distance <= len(output):
            raise WireError("a match before the beginning")
        for _ in range(length(token & 15) + 4):
            output.append(output[-distance])


def snappy_decode(block: bytes) -> bytes:
    """A raw Snappy block (format_description.txt)."""
    size = shift = place = 0
    while True:
        byte = block[place]
        place += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    output = bytearray()
    while place < len(block):
        tag = block[place]
        place += 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:
                extra = length - 59
                length = int.from_bytes(block[place : place + extra], "little")
                place += extra
            output += block[place : place + length + 1]
            place += length + 1
            continue
        if kind == 1:
            length, distance = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | block[place]
            place += 1
        else:
            extra = 2 if kind == 2 else 4
            length, distance = (tag >> 2) + 1, int.from_bytes(block[place : place + extra], "little")
            place += extra
        for _ in range(length):
            output.append(output[-distance])
    if len(output) != size:
        raise WireError(f"{len(output)} bytes in place of {size}")
    return bytes(output)


# Bodies for tests


def lz4_encode(content: bytes) -> bytes:
    """One sequence of literals, which is a block too."""
    if len(content) < 15:
        return bytes([len(content) << 4]) + content
    rest = len(content) - 15
    return b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + content


def varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    output = b""
    while value >= 0x80:
        output += bytes([value & 0x7F | 0x80])
        value >>= 7
    return output + bytes([value])


def number_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def text_field(number: int, value: str | bytes) -> bytes:
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def map_field(number: int, values: dict[str, str]) -> bytes:
    return b"".join(text_field(number, text_field(1, name) + text_field(2, text)) for name, text in values.items())


def growing_list(events: list[dict]) -> bytes:
    """An EventV3List of events as JSON has them."""
    numbers = {name: number for number, name in FIELDS.items()}
    output = b""
    for event in events:
        message = b""
        for name, value in event.items():
            if name == "eventType":
                message += number_field(6, TYPES.index(value)) if value != "VISIT" else b""
            elif isinstance(value, dict):
                message += map_field(numbers[name], value)
            elif isinstance(value, int):
                message += number_field(numbers[name], value)
            elif isinstance(value, float):
                message += varint(numbers[name] << 3 | 1) + struct.pack("<d", value)
            else:
                message += text_field(numbers[name], value)
        output += text_field(1, message)
    return output


def kit_form(logs: dict[str, str], boundary: str = "Boundary+0123456789ABCDEF") -> tuple[str, bytes]:
    """Content type and body."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in logs.items():
            file.writestr(name, content)
    head = (
        f"--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; "
        f'filename="2026-03-01_userStatisics_X.zip"\r\nContent-Type: zip\r\n\r\n'
    )
    return (
        f"multipart/form-data; boundary={boundary}",
        head.encode() + archive.getvalue() + f"\r\n--{boundary}--\r\n".encode(),
    )


def codeless_batch(events: list[dict], events_id: str, device: str = "d-1") -> bytes:
    """An EventBatch of events by field number."""
    output = text_field(1, "app-1") + text_field(2, device) + text_field(3, events_id)
    for event in events:
        message = b""
        for number, value in event.items():
            if isinstance(value, int):
                message += number_field(number, value)
            elif number == 11:
                message += map_field(number, value)
            elif isinstance(value, dict):
                message += text_field(number, b"".join(text_field(part, text) for part, text in value.items()))
            else:
                message += text_field(number, value)
        output += text_field(4, message)
    return output
