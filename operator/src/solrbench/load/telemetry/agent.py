"""The agent in pods of Solr and ZooKeeper: their control group and GC log, over HTTP.

`python3 -m solrbench.load.telemetry.agent` responds with JSON to `GET /usage`, and to `GET /gc-log`
with the length of the log, and with its text from `?begin=BYTES` on. It runs as a container beside
the server, under the same user, in a pod whose containers share their processes; it needs no right
on the node and meets the Pod Security Standard "restricted".
"""

import json
import signal
import socket
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType

from solrbench.load.telemetry.gc_log import find_gc_log, read_gc_log
from solrbench.load.telemetry.kernel_files import (
    find_java,
    read_machine,
    read_network,
    read_process_group,
)

AGENT_PORT = 9101
REQUEST_SECONDS = 5.0


def usage() -> dict[str, object]:
    """Return everything that can be read at this moment; without the server only its machine."""
    machine, counters, gauges = read_machine()
    found: dict[str, object] = {
        "machine": machine,
        "machineCounters": counters,
        "machineGauges": gauges,
    }
    pid = find_java()
    group_counters, group_gauges, peaks = read_process_group(pid) if pid else ({}, {}, {})
    # Under another user the group cannot be read; what is left would be that of one process.
    if "cpu_seconds" in group_counters:
        found["counters"] = group_counters | read_network()
        found["gauges"] = group_gauges
        found["peaks"] = peaks
    return found


def gc_log(begin: int | None) -> dict[str, object]:
    """Return the length of the GC log, and its text from `begin` on.

    Raises:
        OSError: if there is none that can be read.

    """
    pid = find_java()
    path = find_gc_log(pid) if pid else None
    if path is None:
        raise OSError("no GC log in the options of the JVM")
    size, text = read_gc_log(path, begin)
    return {"bytes": size, "text": text}


class _Handler(BaseHTTPRequestHandler):
    timeout = REQUEST_SECONDS

    def do_GET(self) -> None:
        """Send what is asked for."""
        path, _, query = self.path.partition("?")
        if path == "/usage":
            self._send(usage())
        elif path == "/gc-log":
            self._send_gc_log(query)
        else:
            self.send_error(404)

    def _send_gc_log(self, query: str) -> None:
        begin = query.removeprefix("begin=")
        try:
            self._send(gc_log(int(begin) if begin.isdecimal() else None))
        except OSError as error:
            self.send_error(404, error.strerror or str(error))

    def _send(self, found: dict[str, object]) -> None:
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - of the base class
        """Write no line for each request."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET

    def server_bind(self) -> None:
        """Listen on both families where there are two."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


def serve(port: int) -> ThreadingHTTPServer:
    """Return a server of the usage on all addresses; port 0 takes any free one."""
    return _Server(("", port), _Handler)


def _end(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    # The first process of a container ignores signals until it has handlers.
    signal.signal(signal.SIGTERM, _end)
    with serve(int(sys.argv[1]) if len(sys.argv) > 1 else AGENT_PORT) as server:
        server.serve_forever()
