"""Live runs against https targets: who is believed, and how refusals are told.

The server is Python's own `ssl`; its certificates are made here by `openssl`.
"""

from __future__ import annotations

import http.server
import json
import re
import shutil
import ssl
import subprocess
import threading

import pytest

from helpers import read_report, steady, write_scenario
from otlp_sink import Sink

#: Seconds that it takes: the longest go first.
LONG = 60

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


def openssl(*arguments: object) -> None:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def pki(tmp_path_factory):
    """A folder with two authorities, and certificates of the first one."""
    folder = tmp_path_factory.mktemp("pki")
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for authority in ("ca", "other-ca"):
        openssl(
            "req", "-x509", *curve, "-days", 30, "-subj", f"/CN={authority}",
            "-keyout", folder / f"{authority}.key", "-out", folder / f"{authority}.pem",
        )  # fmt: skip

    def issue(name: str, names: str | None, days: int = 30, more: str = "") -> None:
        (folder / f"{name}.ext").write_text((f"subjectAltName={names}\n" if names else "") + more)
        openssl(
            "req", *curve, "-subj", f"/CN={name}",
            "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr",
        )  # fmt: skip
        openssl(
            "x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / "ca.pem",
            "-CAkey", folder / "ca.key", "-CAcreateserial", "-days", days,
            "-extfile", folder / f"{name}.ext", "-out", folder / f"{name}.pem",
        )  # fmt: skip

    issue("server", "DNS:localhost,IP:127.0.0.1")
    issue("expired", "DNS:localhost,IP:127.0.0.1", days=-1)
    issue("elsewhere", "DNS:collector.example,DNS:*.other.example")
    issue("address", "DNS:collector.example,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1")
    issue("client", "DNS:client")
    issue("for-clients", "DNS:localhost", more="extendedKeyUsage=clientAuth\n")
    issue("subject", None, more="basicConstraints=CA:FALSE\n")
    return folder


class Acknowledge(http.server.BaseHTTPRequestHandler):
    """Takes every upload and answers 200."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.uploads += 1
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(304)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, context: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), Acknowledge)
        self.context = context
        #: From the fourth connection on, if there is one.
        self.later: ssl.SSLContext | None = None
        self.uploads = 0
        self.connections = 0

    def get_request(self):
        connection, address = super().get_request()
        self.connections += 1
        context = self.later if self.later and self.connections > 3 else self.context
        if context:
            # The handshake is made by the thread that serves the connection.
            connection = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        return connection, address

    def handle_error(self, *_: object) -> None:
        pass  # refused handshakes are what these tests are about


@pytest.fixture
def serve(pki):
    """Starts servers with a certificate of that name (None for plain HTTP)."""
    running = []

    def start(name: str | None, client_authority: str | None = None) -> Server:
        context = None
        if name:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pki / f"{name}.pem", pki / f"{name}.key")
            if client_authority:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(pki / f"{client_authority}.pem")
        server = Server(context)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


def scenario(server: Server, host: str = "localhost", connections=None, **tls) -> dict:
    target = {"url": f"https://{host}:{server.server_port}/sa?project=default"}
    if tls:
        target["tls"] = tls
    if connections:
        target["connections"] = connections
    document = steady(devices=4, duration="4s", target=target)
    # Figures of http_* are of uploads alone; without fetches it is they that open the connections.
    document["populations"][0]["sdk"]["remoteConfig"] = {"enabled": False}
    return document


def play(tool, folder, scenario: dict, *options: str):
    file = write_scenario(folder, scenario)
    return tool.run("run", file, "--out", folder / "run", *options)


def test_own_authority(tool, pki, serve, tmp_path):
    server = serve("server")
    # A relative path begins at the scenario's folder.
    shutil.copy(pki / "ca.pem", tmp_path / "own.pem")
    done = play(tool, tmp_path, scenario(server, ca="own.pem"))
    done.expect(0)
    report = read_report(tmp_path / "run")
    metrics, generator = report["metrics"], report["generator"]
    assert report["events"]["delivered"] == report["events"]["captured"] > 0
    assert report["run"]["target"] == f"https://localhost:{server.server_port}/sa?project=default"
    assert server.uploads == metrics["http_reqs"]["count"]
    assert generator["tls_handshakes"] == generator["connections_opened"] > 0
    assert generator["tls_resumed"] == 0
    assert metrics["http_req_tls_handshaking"]["count"] > 0
    assert metrics["http_req_tls_handshaking"]["min"] > 0
    assert metrics["http_req_looking_up"]["count"] > 0


@pytest.mark.parametrize(
    "certificate, host, authority, words",
    [
        ("expired", "localhost", "ca.pem", ["expired on 20"]),
        ("server", "localhost", "other-ca.pem", ["unknown authority", "other-ca.pem; no intermediate certificate came with it"]),
        ("for-clients", "localhost", "ca.pem", ["its certificate (for localhost) is not one for servers"]),
        ("subject", "127.0.0.1", "ca.pem", ["127.0.0.1 was expected", "is for subject, its subject's name, and no other"]),
        ("server", "localhost", None, ["unknown authority", "this system trusts"]),
        (
            "elsewhere", "localhost", "ca.pem",
            ["wrong host name", "localhost was expected", "collector.example, *.other.example"],
        ),
        ("elsewhere", "127.0.0.1", "ca.pem", ["wrong host name", "127.0.0.1 was expected"]),
        ("address", "localhost", "ca.pem", ["wrong host name", "localhost was expected", "collector.example, 127.0.0.1"]),
        (None, "localhost", "ca.pem", ["TLS on that port"]),
    ],
)  # fmt: skip
def test_refusals(tool, pki, serve, tmp_path, certificate, host, authority, words):
    server = serve(certificate)
    tls = {"ca": str(pki / authority)} if authority else {}
    done = play(tool, tmp_path, scenario(server, host, **tls))
    done.expect(69)
    for word in [f"https://{host}:{server.server_port}", "nothing was run", *words]:
        assert word in done.err
    assert server.uploads == 0
    assert not (tmp_path / "run").exists()


def test_insecure(tool, serve, tmp_path):
    server = serve("expired")
    done = play(tool, tmp_path, scenario(server), "--insecure")
    done.expect(0)
    assert "not verified" in done.err
    report = read_report(tmp_path / "run")
    assert any("not verified" in warning for warning in report["warnings"])
    assert any("--insecure" in override for override in report["scenario"]["overrides"])
    assert server.uploads > 0


def test_server_name(tool, pki, serve, tmp_path):
    server = serve("elsewhere")
    tls = {"ca": str(pki / "ca.pem"), "serverName": "www.other.example"}
    play(tool, tmp_path, scenario(server, **tls)).expect(0)


def test_client_certificate(tool, pki, serve, tmp_path):
    server = serve("server", client_authority="ca")
    missing = play(tool, tmp_path, scenario(server, ca=str(pki / "ca.pem")))
    missing.expect(69)
    assert "client certificate" in missing.err
    tls = {name: str(pki / file) for name, file in
           (("ca", "ca.pem"), ("certificate", "client.pem"), ("key", "client.key"))}  # fmt: skip
    given = play(tool, tmp_path, scenario(server, **tls))
    given.expect(0)
    assert server.uploads > 0


@pytest.mark.parametrize(
    "tls, words",
    [
        ({"ca": "missing.pem"}, ["/target/tls/ca", "missing.pem", "No such file"]),
        ({"ca": "server.key"}, ["/target/tls/ca", "server.key", "no certificate"]),
        ({"certificate": "client.pem", "key": "server.key"}, ["/target/tls/key", "do not belong together"]),
        ({"certificate": "client.pem"}, ["/target/tls/certificate", "no private key"]),
        ({"ca": "missing.pem", "certificate": "none.pem"}, ["/target/tls/ca", "/target/tls/certificate", "2 problems"]),
        ({"ca": "a.pem", "certificate": "b.pem", "key": "c.key"}, ["/target/tls/ca", "/target/tls/certificate", "/target/tls/key", "3 problems"]),
        ({"ca": "missing.pem", "certificate": "client.pem", "key": "server.key"}, ["/target/tls/ca", "do not belong together", "2 problems"]),
        ({"key": "client.key"}, ["/target/tls/key", "certificate"]),
        ({"serverName": "127.0.0.1"}, ["/target/tls/serverName"]),
    ],
)
def test_unusable_files(tool, pki, serve, tmp_path, tls, words):
    server = serve("server")
    for file in pki.iterdir():
        shutil.copy(file, tmp_path / file.name)
    for verb in ("run", "validate"):
        file = write_scenario(tmp_path, scenario(server, **tls))
        done = tool.run(verb, file)
        done.expect(104)
        for word in words:
            assert word in done.err
        told = [line for line in done.err.splitlines() if "/target/tls/" in line]
        assert told and all(re.match(rf"{re.escape(str(file))}:\d+:\d+: /target/tls/", line) for line in told), done.err
    assert server.connections == 0
    # A simulation connects to nobody, and may run where the files are not.
    if "No such file" in done.err:
        tool.run("simulate", file, "--out", tmp_path / "simulated").expect(0)


def test_files_of_several_scenarios_are_told_apart(tool, tmp_path):
    files = []
    for name in ("a", "b"):
        document = steady(target={"url": "https://localhost/sa?project=default", "tls": {"ca": f"{name}.pem"}})
        files.append(write_scenario(tmp_path, document | {"sede": 1}, f"{name}.json"))
    said = tool.run("validate", *files).expect(104).err
    for name, file in zip("ab", files):
        assert re.search(rf"{re.escape(str(file))}:\d+:\d+: /target/tls/ca: .*{name}\.pem", said), said
        assert re.search(rf"{re.escape(str(file))}:\d+:\d+: /sede: unknown key", said), said


@pytest.mark.parametrize("connections, opened", [({"pooled": 2}, 2), ("perRequest", None)])
def test_policies(tool, pki, serve, tmp_path, connections, opened):
    server = serve("server")
    done = play(tool, tmp_path, scenario(server, connections=connections, ca=str(pki / "ca.pem")))
    done.expect(0)
    report = read_report(tmp_path / "run")
    assert report["events"]["delivered"] == report["events"]["captured"]
    generator = report["generator"]
    if opened:
        assert generator["connections_opened"] == opened
    else:
        assert generator["connections_opened"] == report["metrics"]["http_reqs"]["count"]
    # One more looked, before the run, whether there is anybody.
    assert server.connections == generator["connections_opened"] + 1
    assert generator["tls_handshakes"] == generator["connections_opened"]


def test_a_certificate_that_expires_during_the_run(tool, pki, serve, tmp_path):
    """Nothing of an answer tells why; what TLS says does."""
    server = serve("server")
    server.later = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.later.load_cert_chain(pki / "expired.pem", pki / "expired.key")
    play(tool, tmp_path, scenario(server, connections="perRequest", ca=str(pki / "ca.pem"))).expect(0)
    report = read_report(tmp_path / "run")
    # One connection looked before the run.
    assert server.uploads == report["answers"]["200"] == 2 and report["answers"]["tls"] > 0
    first = json.loads((tmp_path / "run" / "errors.ndjson").read_text().splitlines()[0])
    assert (first["failure"], first["status"], first["body"]) == ("tls", 0, "TLS: CERTIFICATE_VERIFY_FAILED")
    assert "CERTIFICATE_VERIFY_FAILED" in json.dumps(report["first_failed_answer"])


def test_several_addresses(tool, serve, tmp_path):
    servers = [serve(None), serve(None), serve(None)]
    urls = [f"http://127.0.0.1:{server.server_port}/sa?project=default" for server in servers]
    document = steady(devices=6, duration="4s", target={"urls": urls})
    done = play(tool, tmp_path, document)
    done.expect(0)
    report = read_report(tmp_path / "run")
    assert report["run"]["target"] == ", ".join(urls)
    assert sum(server.uploads for server in servers) == report["metrics"]["http_reqs"]["count"]
    assert all(server.uploads > 0 for server in servers)
    file = write_scenario(tmp_path, document, "virtual.json")
    virtual = tool.run("simulate", file, "--json", "--out", tmp_path / "virtual")
    virtual.expect(0)
    assert json.loads(virtual.out)["events"]["captured"] > 0
    # --target takes the place of all of them.
    single = tool.run("run", file, "--target", urls[0], "--out", tmp_path / "single")
    single.expect(0)
    assert read_report(tmp_path / "single")["run"]["target"] == urls[0]


def test_figures_are_pushed_over_tls(tool, pki, tmp_path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pki / "server.pem", pki / "server.key")
    sink = Sink(tls=context)
    scenario = write_scenario(tmp_path, steady(4, "5s"))

    def push(name: str, authority: str | None, code: int = 0) -> str:
        env = {"OTEL_EXPORTER_OTLP_CERTIFICATE": str(pki / authority)} if authority else {}
        out = tmp_path / name
        return tool.run("simulate", scenario, "--out", out, "--otlp", sink.url, env=env).expect(code).err

    try:
        assert "--otlp" not in push("trusted", "ca.pem") and len(sink.requests) == 1
        for name, authority in [("stranger", "other-ca.pem"), ("system", None)]:
            refused = push(name, authority)
            assert "1 of 1 pushes did not get through" in refused and "CERTIFICATE_VERIFY_FAILED" in refused, refused
        assert len(sink.requests) == 1
        wrong = push("wrong", "ca.key", 64)
        assert "OTEL_EXPORTER_OTLP_CERTIFICATE" in wrong and "ca.key" in wrong and not (tmp_path / "wrong").exists()
    finally:
        sink.close()
