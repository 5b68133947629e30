"""The public products' own clients in Python, each made to say everything that it can say.

Each client is driven through a recorder that passes requests on to a collector, so that the very bytes can be sent
again. What a client calls its events (`ids`) is what the client itself says, not what its requests have in them.
"""

from __future__ import annotations

import http.client
import http.server
import json
import threading
import time
from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Recorded:
    """A request of a client, and what the collector answered."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    status: int
    answer: bytes


@dataclass
class Sent:
    """What a client said that it sent."""

    #: Each event's own id; of events without one, none.
    ids: list[str] = field(default_factory=list)
    #: How often each name of an event was handed to the client.
    names: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


class Recorder:
    """Passes requests on to a collector on this machine, and keeps them."""

    def __init__(self, port: int):
        self.port = port
        self.requests: list[Recorded] = []
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name: text for name, text in self.headers.items() if name.lower() not in ("host", "connection")}
                status, answer, kind = recorder.send(self.command, self.path, headers, body)
                recorder.requests.append(Recorded(self.command, self.path, headers, body, status, answer))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = pass_on

            def log_message(self, *_) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers.get("Content-Type") or "text/plain"
        finally:
            connection.close()

    def send_again(self) -> None:
        """Each request once more, as a client does whose answer was lost."""
        for request in list(self.requests):
            assert self.send(request.method, request.path, request.headers, request.body)[0] == request.status

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def segment(url: str, packs: bool = False) -> Sent:
    from segment.analytics.client import Client

    sent = Sent()
    client = Client(
        "WK", host=url, gzip=packs, upload_interval=0.05, max_retries=0,
        on_error=lambda error, _: sent.failures.append(str(error)),
    )
    said = [
        client.track("u42", "Buy", {"price": 9.5}),
        client.track("u42", "购买 \"x\" \\ \u2028", {"list": [1, {"a": None}], "text": "é😀"}),
        client.identify("u42", {"plan": "pro"}),
        client.screen("u42", "cat", "Home", {"a": 1}),
        client.page("u42", "cat", "Start"),
        client.group("u42", "g1", {"n": 1}),
        client.alias("a1", "u42"),
    ]
    sent.names = ["Buy", "购买 \"x\" \\ \u2028", "identify", "Home", "Start", "group", "alias"]
    sent.ids = [message["messageId"] for _, message in said]
    client.flush()
    client.shutdown()
    return sent


def segment_packed(url: str) -> Sent:
    return segment(url, packs=True)


def posthog(url: str, packs: bool = False) -> Sent:
    from posthog import Posthog

    sent = Sent()
    client = Posthog(
        "phc_x", host=url, gzip=packs, flush_interval=0.05, max_retries=0,
        on_error=lambda error, _: sent.failures.append(str(error)),
    )
    sent.ids = [
        client.capture("Buy", distinct_id="u42", properties={"price": 9.5}),
        client.capture("Look"),
        client.set(distinct_id="u42", properties={"plan": "pro"}),
        client.alias("anon", "u42"),
        client.group_identify("company", "c1", {"x": 1}),
    ]
    sent.names = ["Buy", "Look", "$set", "$create_alias", "$groupidentify"]
    client.shutdown()
    return sent


def posthog_packed(url: str) -> Sent:
    return posthog(url, packs=True)


def snowplow(url: str, method: str = "post", in_base64: bool = True) -> Sent:
    from snowplow_tracker import Emitter, PageView, SelfDescribing, SelfDescribingJson, StructuredEvent, Tracker

    sent = Sent()
    emitter = Emitter(
        url, method=method, batch_size=3,
        on_success=lambda payloads: sent.ids.extend(payload["eid"] for payload in payloads),
        on_failure=lambda _, payloads: sent.failures.extend(payload["eid"] for payload in payloads),
    )
    tracker = Tracker(namespace="ns", app_id="a", emitters=emitter, encode_base64=in_base64)
    schema = "iglu:com.acme/buy/jsonschema/1-0-0"
    tracker.track(
        SelfDescribing(
            event_json=SelfDescribingJson(schema, {"price": 9.5, "text": "é😀>>>???"}),
            context=[SelfDescribingJson("iglu:com.acme/c/jsonschema/1-0-0", {"k": 1})],
        )
    )
    tracker.track(StructuredEvent("shop", "add", label="l", value=2))
    tracker.track(PageView("http://x/y?z=1&w", page_title="Title"))
    tracker.track(SelfDescribing(event_json=SelfDescribingJson(schema, {"price": 10})))
    tracker.flush()
    sent.names = [schema, "add", "Title", schema]
    return sent


def snowplow_plain(url: str) -> Sent:
    return snowplow(url, in_base64=False)


def snowplow_get(url: str) -> Sent:
    return snowplow(url, method="get")


def amplitude(url: str, path: str = "/2/httpapi") -> Sent:
    from amplitude import Amplitude, BaseEvent, Config, EventOptions, Identify, Revenue

    sent = Sent()
    ended = threading.Semaphore(0)

    def told(event, code, message) -> None:
        (sent.ids if code == 200 else sent.failures).append(event.insert_id)
        ended.release()

    client = Amplitude("K", Config(server_url=url + path, flush_queue_size=200, callback=told))
    client.track(BaseEvent("Buy", user_id="u42", event_properties={"price": 9.5}))
    client.track(BaseEvent("Look", device_id="d1"))
    plan = Identify()
    plan.set("plan", "pro")
    client.identify(plan, EventOptions(user_id="u42"))
    client.group_identify("company", "c1", plan)
    client.revenue(Revenue(price=3.5, quantity=2, product_id="x"), EventOptions(user_id="u42"))
    client.flush()
    sent.names = ["Buy", "Look", "$identify", "$groupidentify", "revenue_amount"]
    deadline = time.monotonic() + 60
    for _ in sent.names:
        assert ended.acquire(timeout=max(0, deadline - time.monotonic())), "a callback for each event"
    client.shutdown()
    return sent


def amplitude_batch(url: str) -> Sent:
    """Its other endpoint, whose path is another product's too."""
    return amplitude(url, "/batch")


def mixpanel(url: str, buffers: bool = True) -> Sent:
    from mixpanel import BufferedConsumer, Consumer, Mixpanel

    sent = Sent()
    urls = {f"{kind}_url": f"{url}/{path}" for kind, path in (("events", "track"), ("people", "engage"), ("groups", "groups"))}

    class Noting(BufferedConsumer if buffers else Consumer):
        def send(self, endpoint, json_message, *rest):
            properties = json.loads(json_message).get("properties", {})
            if "$insert_id" in properties:
                sent.ids.append(properties["$insert_id"])
            return super().send(endpoint, json_message, *rest)

    consumer = Noting(**urls)
    client = Mixpanel("T", consumer)
    client.track("u42", "Buy", {"price": 9.5, "text": "é😀 & = %"})
    client.track("u42", "Look")
    client.people_set("u42", {"plan": "pro"})
    client.people_increment("u42", {"n": 1})
    client.group_set("company", "c1", {"x": 1})
    if buffers:
        consumer.flush()
    sent.names = ["Buy", "Look", "$set", "$add", "$set"]
    return sent


def mixpanel_single(url: str) -> Sent:
    """A request for each event, in which there is no list."""
    return mixpanel(url, buffers=False)


#: Each way to drive a client, with the product by which the collector knows it.
CLIENTS: dict[str, tuple[str, Callable[[str], Sent]]] = {
    "segment": ("segment", segment),
    "segment-gzip": ("segment", segment_packed),
    "posthog": ("posthog", posthog),
    "posthog-gzip": ("posthog", posthog_packed),
    "snowplow": ("snowplow", snowplow),
    "snowplow-plain": ("snowplow", snowplow_plain),
    "snowplow-get": ("snowplow", snowplow_get),
    "amplitude": ("amplitude", amplitude),
    "amplitude-batch": ("amplitude", amplitude_batch),
    "mixpanel": ("mixpanel", mixpanel),
    "mixpanel-single": ("mixpanel", mixpanel_single),
}
