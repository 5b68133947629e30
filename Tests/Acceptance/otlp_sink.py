"""A receiver of OTLP/HTTP that shares no code with the program: its bodies are read by OpenTelemetry's own messages."""

from __future__ import annotations

import http.server
import ssl
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest


class Sink:
    """Keeps what is pushed to it, and answers with `status`; over TLS, if it is given a server's context."""

    def __init__(self, status: int = 200, tls: ssl.SSLContext | None = None):
        sink = self
        self.status = status
        self.requests: list[tuple[str, dict, ExportMetricsServiceRequest]] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                message = json_format.Parse(body, ExportMetricsServiceRequest())
                sink.requests.append((self.path, dict(self.headers), message))
                self.send_response(sink.status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def metrics(self, number: int) -> dict:
        """The metrics of a push by name."""
        (resource,) = self.requests[number][2].resource_metrics
        (scope,) = resource.scope_metrics
        found = {metric.name: metric for metric in scope.metrics}
        assert len(found) == len(scope.metrics), "each metric once"
        return found

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
