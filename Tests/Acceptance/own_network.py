"""Runs a command in a network of its own, in which this machine is all there is; started as a script, by root.

`own_network.py RESULT NAMES STATUS COMMAND...`: NAMES (separated by commas) are names of 127.0.0.1, a server on port
8106 answers every request with STATUS, and a name server answers every query with "no such name". How many came goes to
RESULT as JSON; the exit code is the command's.
"""

from __future__ import annotations

import fcntl
import http.server
import json
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

SIOCSIFFLAGS, IFF_UP_RUNNING = 0x8914, 0x41


def begin_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP_RUNNING))


def replace(path: str, text: str) -> None:
    """Puts a text in the place of a system's file; the mount ends with the process."""
    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        file.write(text)
    Path(file.name).chmod(0o644)
    subprocess.run(["mount", "--bind", file.name, path], check=True)
    Path(file.name).unlink()


def serve_names(counts: dict) -> None:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))

    def answer() -> None:
        while True:
            query, sender = server.recvfrom(4096)
            counts["queries"] += 1
            # The question as it came, without what follows it, and: no such name.
            end = query.index(b"\0", 12) + 5
            server.sendto(query[:2] + b"\x81\x83\0\x01\0\0\0\0\0\0" + query[12:end], sender)

    threading.Thread(target=answer, daemon=True).start()


def serve(counts: dict, status: int) -> None:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            counts["requests"] += 1
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = answer

        def log_message(self, *_) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 8106), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def main(result: str, names: str, status: str, *command: str) -> int:
    begin_loopback()
    replace("/etc/hosts", f"127.0.0.1 localhost {names.replace(',', ' ')}\n")
    replace("/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:1\n")
    counts = {"queries": 0, "requests": 0}
    serve_names(counts)
    serve(counts, int(status))
    code = subprocess.run(command).returncode
    Path(result).write_text(json.dumps(counts))
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
