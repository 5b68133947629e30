"""A viewer of a page of `--ui` that shares no code with it: an event stream read by hand (HTML, 9.2.6), and a browser
that is driven over the DevTools protocol."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from conftest import HANG, Running


@dataclass
class Page:
    """Where a program says that it can be watched."""

    port: int
    token: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def ask(self, method: str, path: str, token: str | None = "", **headers: str) -> tuple[int, dict, bytes]:
        """A request; with the page's own token unless another one, or None, is given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG)
        try:
            token = self.token if token == "" else token
            query = "" if token is None else "?" + urllib.parse.urlencode({"token": token})
            connection.request(method, path + query, headers={name.replace("_", "-"): text for name, text in headers.items()})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def stream(self, last: str | None = None) -> "Stream":
        return Stream(self, last)


def page_of(running: Running) -> Page:
    """Waits until the program says where its page is."""
    pattern = r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)"
    running.wait_until(lambda: re.search(pattern, running.err), "said where its page is")
    found = re.search(pattern, running.err)
    return Page(int(found[1]), found[2])


@dataclass
class Event:
    name: str
    data: object
    id: str


@dataclass
class Stream:
    """An event stream that goes on."""

    page: Page
    last: str | None = None
    #: The parts of the page as they were sent last.
    parts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", self.page.port, timeout=HANG)
        headers = {"Last-Event-ID": self.last} if self.last else {}
        self.connection.request("GET", f"/events?token={self.page.token}", headers=headers)
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200 and self.answer.getheader("Content-Type") == "text/event-stream"

    def events(self) -> Iterator[Event]:
        """What comes, until the server closes."""
        name, data, last = "message", [], self.last or ""
        while line := self.answer.readline():
            text = line.decode().rstrip("\n")
            key, _, value = text.partition(":")
            value = value.removeprefix(" ")
            if not text:
                if data:
                    event = Event(name, json.loads("\n".join(data)), last)
                    if name == "parts":
                        self.parts |= {part["id"]: part["html"] for part in event.data}
                        self.last = last
                    yield event
                name, data = "message", []
            elif key == "event":
                name = value
            elif key == "data":
                data.append(value)
            elif key == "id":
                last = value

    def until(self, condition: Callable[[Event], bool], what: str) -> Event:
        for event in self.events():
            if condition(event):
                return event
        pytest.fail(f"the stream ended before {what}")

    def close(self) -> None:
        self.connection.close()


class Browser:
    """Headless Chromium, told what to do through a pair of pipes."""

    def __init__(self, program: str, width: int = 1200, height: int = 900):
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        own_in, their_out = os.pipe()
        their_in, own_out = os.pipe()
        # The descriptors 3 and 4 are the protocol's; high ones first, so that neither is overwritten.
        high = [os.dup2(descriptor, 200 + n, inheritable=True) for n, descriptor in enumerate((their_in, their_out))]
        arguments = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-extensions", "--disable-background-networking", f"--user-data-dir={self.profile}",
            f"--window-size={width},{height}", "--remote-debugging-pipe",
        ]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{high[0]} 4>&{high[1]}', "bash", *arguments], pass_fds=high,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for descriptor in (their_in, their_out, *high):
            os.close(descriptor)
        self._in, self._out = os.fdopen(own_in, "rb"), os.fdopen(own_out, "wb")
        self._pending, self._number, self._session = b"", 0, None
        self._loads = 0
        #: What the page complained of: errors of its script, and breaches of its policy.
        self.complaints: list[str] = []
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.tell(f"{domain}.enable")

    def _read(self) -> dict:
        while b"\0" not in self._pending:
            more = os.read(self._in.fileno(), 1 << 16)
            if not more:
                pytest.fail("the browser ended")
            self._pending += more
        message, _, self._pending = self._pending.partition(b"\0")
        return json.loads(message)

    def tell(self, method: str, **parameters) -> dict:
        answer = self._ask(method, **parameters)
        assert "error" not in answer, answer
        return answer["result"]

    def _ask(self, method: str, **parameters) -> dict:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (answer := self._read()).get("id") != self._number:
            self._note(answer)
        return answer

    def _note(self, event: dict) -> None:
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(event["params"]))
        self._loads += event.get("method") == "Page.loadEventFired"
        if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
            self.complaints.append(event["params"]["entry"]["text"])

    def open(self, url: str) -> None:
        self.tell("Page.navigate", url=url)

    def reload(self) -> None:
        """Loads the page again, until it is there: what is asked before may be answered by the one that goes."""
        before = self._loads
        self.tell("Page.reload")
        while self._loads == before:
            self._note(self._read())

    def value(self, expression: str):
        """What a JavaScript expression comes to."""
        answer = self.tell("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Waits until an expression is true."""
        deadline = time.monotonic() + HANG
        while not self._is_true(expression):
            assert time.monotonic() < deadline, f"never true: {expression}\n{self.value('document.body.innerText')}"
            time.sleep(0.1)

    def _is_true(self, expression: str) -> bool:
        """Whether it is true by now; between two pages there is nobody who could say."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "error" in answer:
            return False
        assert "exceptionDetails" not in answer["result"], answer
        return bool(answer["result"]["result"].get("value"))

    def press(self, key: str) -> None:
        code = {"Tab": 9, "Enter": 13}[key]
        text = "\r" if key == "Enter" else ""
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.tell("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def resize(self, width: int, height: int) -> None:
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=True)

    def close(self) -> None:
        self._in.close()
        self._out.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def find_browser() -> str | None:
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


def browsing() -> Iterator[Browser]:
    """A browser for a fixture to yield; the test is skipped where none is installed."""
    program = find_browser()
    if not program:
        pytest.skip("no Chromium is installed")
    browser = Browser(program)
    yield browser
    browser.close()
