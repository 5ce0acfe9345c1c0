"""A proxy before the API server that counts requests: `python -m bench.servers.api_proxy PORT`.

It stands for the audit log, which only the API server's own flags turn on. It takes plain HTTP and
uses the credentials of the kubeconfig.
"""

import http.client
import json
import ssl
import sys
from collections import Counter
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from kubernetes.client import Configuration
from kubernetes.config import load_kube_config

COUNTS = "/bench/counts"
_DROPPED = frozenset({"connection", "transfer-encoding", "content-length", "host"})
_CHUNK = 1 << 16
Headers = Sequence[tuple[str, str]]


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


def write_kubeconfig(file: Path, port: int) -> None:
    """Write a kubeconfig with which a client sends to a proxy on loopback."""
    file.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
        f"clusters: [{{name: c, cluster: {{server: 'http://127.0.0.1:{port}'}}}}]\n"
        "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n"
    )


class ForwardingHandler(BaseHTTPRequestHandler):
    """Passes requests on to an API server, over a connection for each of the client's."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    upstream: http.client.HTTPConnection | None = None

    def connect(self) -> http.client.HTTPConnection:
        """Return a new connection to the API server."""
        raise NotImplementedError

    def read_body(self) -> bytes:
        """Return the body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def forward(self, body: bytes) -> tuple[http.client.HTTPResponse, Headers]:
        """Send the request on; return the response, and its headers but those of a connection."""
        if self.upstream is None:
            self.upstream = self.connect()
        headers = {key: text for key, text in self.headers.items() if key.lower() not in _DROPPED}
        self.upstream.request(self.command, self.path, body or None, headers)
        response = self.upstream.getresponse()
        return response, [e for e in response.getheaders() if e[0].lower() not in _DROPPED]

    def send_whole(self, status: int, headers: Headers, body: bytes) -> None:
        """Respond with a body whose length is known."""
        self.send_head(status, [*headers, ("Content-Length", str(len(body)))])
        self.wfile.write(body)

    def send_head(self, status: int, headers: Headers) -> None:
        """Send what stands before a body."""
        self.send_response(status)
        for key, text in headers:
            self.send_header(key, text)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Proxy(ThreadingHTTPServer):
    """Passes everything on, and counts."""

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.api_server = credentials()
        self.counts: Counter[str] = Counter()
        self.lock = Lock()


class _Handler(ForwardingHandler):
    server: Proxy

    def do_GET(self) -> None:
        if self.path == COUNTS:
            with self.server.lock:
                body = json.dumps(self.server.counts).encode()
            self.send_whole(200, [("Content-Type", "application/json")], body)
            return
        with self.server.lock:
            self.server.counts[name_of(self.command, self.path)] += 1
        response, headers = self.forward(self.read_body())
        if "watch" in parse_qs(urlsplit(self.path).query):
            self.send_head(response.status, [*headers, ("Connection", "close")])
            while part := response.read1(_CHUNK):
                self.wfile.write(part)
        else:
            self.send_whole(response.status, headers, response.read())

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 - as the base has them

    def connect(self) -> http.client.HTTPConnection:
        host, port, context = self.server.api_server
        return http.client.HTTPSConnection(host, port, context=context)


if __name__ == "__main__":
    Proxy(int(sys.argv[1])).serve_forever()
