"""A server in a process of its own."""

import http.client
import json
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness.processes import started, wait_until

_ROOT = Path(__file__).parents[2]
_PATHS = os.pathsep.join([str(_ROOT), str(_ROOT / "operator" / "src")])
_START_SECONDS = 10.0


@dataclass(frozen=True)
class Server:
    """Where a server listens.

    Attributes:
        port: on 127.0.0.1
        pid: its process
    """

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
    """Return a free port on loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
