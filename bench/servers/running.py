"""A server in a process of its own: one of this folder, or nginx with one small response."""

import http.client
import json
import os
import random
import shutil
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness.processes import started, wait_until

_ROOT = Path(__file__).parents[2]
_PATHS = os.pathsep.join([str(_ROOT), str(_ROOT / "operator" / "src")])
_START_SECONDS = 10.0
_PORTS, _DRAW = range(20_000, 30_000), random.SystemRandom()


@dataclass(frozen=True)
class Server:
    """A process that listens on a port of 127.0.0.1."""

    port: int
    pid: int

    @property
    def url(self) -> str:
        """Base URL as a benchmark would name it."""
        return f"http://127.0.0.1:{self.port}/solr"

    def get(self, path: str) -> bytes:
        """Return the body behind a path."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            return connection.getresponse().read()
        finally:
            connection.close()

    def get_json(self, path: str) -> Any:
        """Return the JSON behind a path."""
        return json.loads(self.get(path))

    def served(self) -> int:
        """Return how many requests it has served; those of this method are not among them."""
        return int(self.get("/served").split()[-1])


def free_port() -> int:
    """Return a free port on loopback for a server that is still to start.

    It is none of those that the kernel hands out, to another server or connection meanwhile.
    """
    while True:
        port = _DRAW.choice(_PORTS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def python_server(module: str, folder: Path, arguments: Sequence[str] = ()) -> Iterator[Server]:
    """Run `bench.servers.<module>` on a free port."""
    port = free_port()
    command = [sys.executable, "-m", f"bench.servers.{module}", str(port), *arguments]
    with started(command, folder / f"{module}.log", {"PYTHONPATH": _PATHS}) as process:
        wait_until(lambda: is_open(port), _START_SECONDS, f"server {module}")
        yield Server(port, process.pid)


def is_open(port: int) -> bool:
    """Say whether a port of loopback is open."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


_NGINX_CONFIGURATION = """
worker_processes 1;
{affinity}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections {connections}; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    default_type application/json;
    location / {{ return 200 '{body}'; }}
    location = /served {{ stub_status; }}
  }}
}}
"""


class Nginx(Server):
    """An nginx that counts."""

    def served(self) -> int:
        """Return how many requests it has served, by `stub_status`, this one included."""
        lines = self.get("/served").decode().splitlines()
        # "Active connections", "server accepts handled requests", then the three numbers.
        return int(lines[2].split()[2])


@contextmanager
def nginx(folder: Path, core: int | None = None, connections: int = 4096) -> Iterator[Server]:
    """Run nginx on a free port, on one core only if it is given, for so many connections."""
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise FileNotFoundError("nginx is not on the PATH; `hack/tools bench` unpacks it")
    port = free_port()
    own = folder / f"nginx-{port}"
    own.mkdir()
    configuration = own / "nginx.conf"
    affinity = "" if core is None else f"worker_cpu_affinity {1 << core:b};"
    fields = {"folder": own, "port": port, "body": small_response(), "affinity": affinity}
    fields["connections"] = connections
    configuration.write_text(_NGINX_CONFIGURATION.format_map(fields))
    command = [program, "-p", str(own), "-c", str(configuration)]
    with started(command, own / "nginx.out") as process:
        wait_until(lambda: is_open(port), 10, "nginx")
        yield Nginx(port, process.pid)


def small_response() -> str:
    """Return a response as Solr writes it, of 550 bytes."""
    begin = (
        '{"responseHeader":{"zkConnected":true,"status":0,"QTime":1,"params":{"q":"conclusion"}},'
        '"response":{"numFound":1,"start":0,"numFoundExact":true,"docs":[{"id":"a1","text":["'
    )
    end = '"]}]}}'
    return begin + ("word " * 550)[: 550 - len(begin + end)] + end
