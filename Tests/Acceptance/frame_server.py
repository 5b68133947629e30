"""A server that speaks HTTP/2 by hand, from the first byte (RFC 9113, 3.3): frames as they lie on the wire, no library.

It reads no fields, so it needs no HPACK: an answer of 200 is the single byte 0x88.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
REFUSED_STREAM, ENHANCE_YOUR_CALM = 7, 11


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(**values: int) -> bytes:
    numbers = {"streams": 3, "window": 4}
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", numbers[name], values[name]) for name in values))


def ok(stream: int) -> bytes:
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, b"\x88")


def reset(stream: int, code: int) -> bytes:
    return frame(RST_STREAM, stream=stream, payload=struct.pack(">I", code))


def go_away(last: int, code: int = 0, words: bytes = b"") -> bytes:
    return frame(GOAWAY, payload=struct.pack(">II", last, code) + words)


def window_update(stream: int, size: int) -> bytes:
    return frame(WINDOW_UPDATE, stream=stream, payload=struct.pack(">I", size))


#: Gets the number of the request, from 0 over all connections, and its stream; gives what is sent, and whether the
#: connection is closed then.
Script = Callable[[int, int], tuple[bytes, bool]]


class FrameServer:
    """Answers whole requests as a script says, one after the other on each connection; with `hold`, so many seconds after
    each came, while it reads on."""

    def __init__(self, script: Script, first: bytes | None = None, window: int | None = None, hold: float = 0):
        self.script, self.window, self.hold = script, window, hold
        self.first = settings(**({"window": window} if window else {})) if first is None else first
        self.requests = self.connections = 0
        self.over_window: list[str] = []
        #: The most streams that one connection had open at once.
        self.most_open = 0
        self.numbering = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError, EOFError):
            source = connection.makefile("rb")
            preface = source.read(len(PREFACE))
            if not preface:
                return  # somebody looks whether anybody listens
            assert preface == PREFACE, preface
            connection.sendall(self.first)
            self._read(connection, source)

    def _read(self, connection: socket.socket, source) -> None:
        # Until it has acknowledged the settings, the client may go by the windows that it began with.
        room, windows, window = 65_535, {}, 65_535
        is_used = False
        opened: set[int] = set()
        while True:
            head = source.read(9)
            if len(head) < 9:
                return
            length = int.from_bytes(head[:3], "big")
            kind, flags, stream = struct.unpack(">BBI", head[3:])
            payload = source.read(length)
            if kind == SETTINGS and not flags & ACK:
                connection.sendall(frame(SETTINGS, ACK))
            if kind == SETTINGS and flags & ACK:
                change = (self.window or window) - window
                window += change
                windows = {known: size + change for known, size in windows.items()}
            if kind == PING and not flags & ACK:
                connection.sendall(frame(PING, ACK, payload=payload))
            if kind == HEADERS:
                # One without requests only looked whether HTTP/2 is spoken here.
                with self.numbering:
                    self.connections += not is_used
                is_used = True
                windows[stream] = window
                opened.add(stream)
                self.most_open = max(self.most_open, len(opened))
            if kind == DATA:
                room -= length
                windows[stream] -= length
                if room < 0 or windows[stream] < 0:
                    self.over_window.append(f"stream {stream}: {length} bytes")
                # What was taken may be sent again, a window at a time.
                if length:
                    update = struct.pack(">I", length)
                    connection.sendall(frame(WINDOW_UPDATE, payload=update))
                    room += length
                    if not flags & END_STREAM:
                        connection.sendall(frame(WINDOW_UPDATE, stream=stream, payload=update))
                        windows[stream] += length
            if kind in (HEADERS, DATA) and flags & END_STREAM:
                # Of two connections at once, each request has a number of its own.
                with self.numbering:
                    number = self.requests
                    self.requests += 1
                said, ends = self.script(number, stream)
                if self.hold:
                    threading.Timer(self.hold, self._answer_late, (connection, said, stream, opened)).start()
                    continue
                opened.discard(stream)
                connection.sendall(said)
                if ends:
                    # Closed in order: what is not read would turn that into a reset.
                    connection.shutdown(socket.SHUT_WR)
                    source.read()
                    return

    @staticmethod
    def _answer_late(connection: socket.socket, said: bytes, stream: int, opened: set[int]) -> None:
        # No longer open before the client can know it.
        opened.discard(stream)
        with contextlib.suppress(OSError):
            connection.sendall(said)
