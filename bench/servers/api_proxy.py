"""A proxy before the API server that counts requests: `python -m bench.servers.api_proxy PORT`.

It stands for the audit log, which only the API server's own flags turn on. It takes plain HTTP and
uses the credentials of the kubeconfig.
"""

import http.client
import json
import ssl
import sys
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from kubernetes.client import Configuration
from kubernetes.config import load_kube_config

COUNTS = "/bench/counts"
_DROPPED = frozenset({"connection", "transfer-encoding", "content-length", "host"})
_CHUNK = 1 << 16


def credentials() -> tuple[str, int, ssl.SSLContext]:
    """Return host and port of the API server, and what to identify with."""
    settings = Configuration()
    load_kube_config(client_configuration=settings)
    context = ssl.create_default_context(cafile=settings.ssl_ca_cert)
    context.load_cert_chain(settings.cert_file, settings.key_file)
    place = urlsplit(settings.host)
    return place.hostname or "", place.port or 443, context


def name_of(method: str, target: str) -> str:
    """Return verb and resource of a request as the audit log has them, such as `get pods`."""
    place = urlsplit(target)
    parts = [each for each in place.path.split("/") if each]
    if len(parts) < 2:
        return f"{method.lower()} {place.path}"
    rest = parts[2:] if parts[0] == "api" else parts[3:]
    if rest[:1] == ["namespaces"] and len(rest) > 2:
        rest = rest[2:]
    kind, name, *more = [*rest, "", ""][:3]
    verbs = {"GET": "get" if name else "list", "PUT": "update", "POST": "create"}
    verb = verbs.get(method, method.lower())
    if "watch" in parse_qs(place.query):
        verb = "watch"
    return f"{verb} {kind}/{more[0]}" if more and more[0] else f"{verb} {kind or place.path}"


class Proxy(ThreadingHTTPServer):
    """Passes everything on, and counts."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.api_server = credentials()
        self.counts: Counter[str] = Counter()
        self.lock = Lock()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Proxy
    upstream: http.client.HTTPSConnection | None = None

    def do_GET(self) -> None:
        if self.path == COUNTS:
            with self.server.lock:
                body = json.dumps(self.server.counts).encode()
            self._send(200, [("Content-Type", "application/json")], body)
            return
        with self.server.lock:
            self.server.counts[name_of(self.command, self.path)] += 1
        response = self._forward(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        headers = [each for each in response.getheaders() if each[0].lower() not in _DROPPED]
        if "watch" in parse_qs(urlsplit(self.path).query):
            self._stream(response, headers)
        else:
            self._send(response.status, headers, response.read())

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 - as the base has them

    def _forward(self, body: bytes) -> http.client.HTTPResponse:
        if self.upstream is None:
            host, port, context = self.server.api_server
            self.upstream = http.client.HTTPSConnection(host, port, context=context)
        headers = {key: text for key, text in self.headers.items() if key.lower() not in _DROPPED}
        self.upstream.request(self.command, self.path, body or None, headers)
        return self.upstream.getresponse()

    def _send(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response(status)
        for key, text in headers:
            self.send_header(key, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, response: http.client.HTTPResponse, headers: list[tuple[str, str]]) -> None:
        self.send_response(response.status)
        for key, text in headers:
            self.send_header(key, text)
        self.send_header("Connection", "close")
        self.end_headers()
        while part := response.read1(_CHUNK):
            self.wfile.write(part)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


if __name__ == "__main__":
    Proxy(int(sys.argv[1])).serve_forever()
