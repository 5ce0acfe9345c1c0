"""The agent in pods of Solr and ZooKeeper: their control group and what the JVM records, over HTTP.

`python3 -m solrbench.telemetry.agent` responds with JSON to `GET /usage`, which counts the requests
that were refused, too, and to `GET /gc-log` with the length of the log, and with its text from
`?begin=BYTES` on. With `--flight-recordings`, `POST /flight-recording?seconds=N` begins one, and
`DELETE` ends it and responds with its file. Who does not send the token of the variable
`SOLRBENCH_AGENT_TOKEN` (`net.token`) gets 401. It runs as a container beside the server, under the
same user, in a pod whose containers share their processes; it needs no right on the node and meets
the Pod Security Standard "restricted".
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from solrbench.contract import names
from solrbench.net.token import TOKEN_HEADER, TokenCheck
from solrbench.telemetry.jvm import find_gc_log, read_gc_log, start_recording, take_recording
from solrbench.telemetry.kernel_files import (
    find_java,
    find_server,
    read_machine,
    read_network,
    read_process_group,
    read_processes,
)

FLIGHT_RECORDING = "/flight-recording"
OTHER_USER = "its server runs as another user or group"
"""Why there is no control group."""
REQUEST_SECONDS = 5.0


def usage() -> dict[str, object]:
    """Return everything that can be read at this moment; without the server only its machine."""
    machine, counters, gauges = read_machine()
    body: dict[str, object] = {
        "pod": socket.gethostname(),
        "machine": machine,
        "machineCounters": counters,
        "machineGauges": gauges,
    }
    pid = find_server()
    group_counters, group_gauges, peaks = read_process_group(pid) if pid else ({}, {}, {})
    if "cpu_seconds" not in group_counters:
        # Under another user the group cannot be read; of it would be left that of one process.
        group_counters, group_gauges, peaks = read_processes(), {}, {}
        if group_counters:
            body["missing"] = OTHER_USER
    if group_counters:
        body["counters"] = group_counters | read_network()
        body["gauges"] = group_gauges
        body["peaks"] = peaks
    return body


def _java() -> int:
    pid = find_java()
    if pid is None:
        raise OSError("there is no JVM")
    return pid


def gc_log(begin: int | None) -> dict[str, object]:
    """Return the length of the GC log, and its text from `begin` on; `OSError` if there is none."""
    path = find_gc_log(_java())
    if path is None:
        raise OSError("no GC log in the options of the JVM")
    size, text = read_gc_log(path, begin)
    return {"bytes": size, "text": text}


class _Handler(BaseHTTPRequestHandler):
    # A client that sends nothing must not hold a thread for good.
    timeout = REQUEST_SECONDS
    server: "_Server"

    def do_GET(self) -> None:
        if not self._is_admitted():
            return
        path, number = self._asked()
        if path == "/usage":
            self._send(lambda: usage() | {"refused": self.server.check.refused})
        elif path == "/gc-log":
            self._send(lambda: gc_log(number))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        path, seconds = self._asked()
        if self._may_record(path):
            self._send(lambda: start_recording(_java(), seconds or 0))

    def do_DELETE(self) -> None:
        path, _ = self._asked()
        if self._may_record(path):
            self._send(lambda: take_recording(_java()))

    def _asked(self) -> tuple[str, int | None]:
        path, _, query = self.path.partition("?")
        number = query.partition("=")[2]
        return path, int(number) if number.isdecimal() else None

    def _is_admitted(self) -> bool:
        admitted = self.server.check.admits(self.headers.get(TOKEN_HEADER), self.path)
        if not admitted:
            self.send_error(401, "the token of the target is missing")
        return admitted

    def _may_record(self, path: str) -> bool:
        if not self._is_admitted():
            return False
        if path != FLIGHT_RECORDING:
            self.send_error(404)
        elif not self.server.flight_recordings:
            # They slow the server down.
            self.send_error(403, "flight recordings were not asked for")
        return path == FLIGHT_RECORDING and self.server.flight_recordings

    def _send(self, read: Callable[[], object]) -> None:
        try:
            content = read()
        except OSError as error:
            self.send_error(404, error.strerror or str(error))
            return
        form, body = "application/gzip", content
        if not isinstance(body, bytes):
            form, body = "application/json", json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", form)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - of the base class
        """Write no line for each request."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    flight_recordings = False
    check = TokenCheck("")

    def server_bind(self) -> None:
        """Listen on both families where there are two."""
        if self.address_family == socket.AF_INET6:
            # The node's default may be sockets of IPv6 alone.
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


def serve(port: int, token: str, *, flight_recordings: bool = False) -> ThreadingHTTPServer:
    """Return a server on all addresses for who has the token; port 0 takes any free one."""
    server = _Server(("", port), _Handler)
    server.check = TokenCheck(token)
    server.flight_recordings = flight_recordings
    return server


if __name__ == "__main__":
    # The first process of a container ignores signals until it has handlers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    numbers = [int(each) for each in sys.argv[1:] if each.isdecimal()]
    port = numbers[0] if numbers else names.AGENT_PORT
    try:
        token = os.environ.get(names.AGENT_TOKEN, "")
        agent = serve(port, token, flight_recordings=names.AGENT_RECORDS in sys.argv)
    except OSError as error:
        # The pod is there for its server, which may use this port itself.
        sys.stderr.write(f"port {port}: {error.strerror}\n")
        signal.pause()
    else:
        with agent as server:
            server.serve_forever()
