"""What a ZooKeeper server does before it stops: the script itself, against counted answers."""

import socketserver
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from support.resources.objects import container, pick, target

SERVING = "zk_avg_latency\t0.5\nzk_ephemerals_count\t{}\nzk_approximate_data_size\t4109\n"
NOT_SERVING = "This ZooKeeper instance is not currently serving requests\n"


@contextmanager
def zookeeper(*answers: str) -> Iterator[tuple[int, list[str]]]:
    """Give the port of a server that answers `mntr` so, and the answers left."""
    left = list(answers)

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            assert self.rfile.readline() == b"mntr\n"
            self.wfile.write(left.pop(0).encode())

    with socketserver.TCPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address[1], left
        finally:
            server.shutdown()
            thread.join()


def stop(port: int) -> int:
    hook = container(pick(target(None), "StatefulSet", "base-zookeeper"))["lifecycle"]["preStop"]
    *bash, script = hook["exec"]["command"]
    script = script.replace("/2181", f"/{port}").replace("sleep 0.5", "sleep 0.01")
    return subprocess.run([*bash, script], timeout=10, check=False).returncode


def test_server_waits_until_no_session_has_ephemeral_nodes() -> None:
    with zookeeper(*(SERVING.format(count) for count in (20, 10, 0))) as (port, left):
        assert (stop(port), left) == (0, [])


@pytest.mark.parametrize("answer", [SERVING.format(0), NOT_SERVING, ""])
def test_server_without_clients_or_quorum_stops_at_once(answer: str) -> None:
    with zookeeper(answer, SERVING.format(0)) as (port, left):
        assert (stop(port), len(left)) == (0, 1)


def test_clients_that_stay_are_not_waited_for_without_end() -> None:
    with zookeeper(*[SERVING.format(1)] * 31) as (port, left):
        assert (stop(port), len(left)) == (0, 1)


def test_server_that_does_not_listen_stops_at_once() -> None:
    with zookeeper() as (port, _):
        pass
    assert stop(port) == 0
