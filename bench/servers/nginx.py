"""nginx with one worker and one small response."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.harness.processes import started, wait_until
from bench.servers.running import Server, free_port, is_open

SMALL_BYTES = 550
"""Of the body."""

_START = '{"responseHeader":{"zkConnected":true,"status":0,"QTime":1,"params":{"q":"word"}},'
_MIDDLE = '"response":{"numFound":1,"start":0,"numFoundExact":true,"docs":[{"id":"a1","text":["'
_END = '"]}]}}'

_CONFIGURATION = """
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
def nginx(folder: Path, engine: int | None = None, connections: int = 4096) -> Iterator[Server]:
    """Run nginx on a free port, on one core only if it is given, for so many connections.

    Raises:
        FileNotFoundError: nginx is not on the PATH.
    """
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise FileNotFoundError("nginx is not on the PATH; `hack/tools bench` unpacks it")
    port = free_port()
    configuration = folder / "nginx.conf"
    affinity = "" if engine is None else f"worker_cpu_affinity {1 << engine:b};"
    fields = {"folder": folder, "port": port, "body": small_response(), "affinity": affinity}
    fields["connections"] = connections
    configuration.write_text(_CONFIGURATION.format_map(fields))
    command = [program, "-p", str(folder), "-c", str(configuration)]
    with started(command, folder / "nginx.out") as process:
        wait_until(lambda: is_open(port), 10, "nginx")
        yield Nginx(port, process.pid)


def small_response() -> str:
    """Return a response as Solr writes it, of 550 bytes."""
    filling = "word " * SMALL_BYTES
    return _START + _MIDDLE + filling[: SMALL_BYTES - len(_START + _MIDDLE + _END)] + _END
