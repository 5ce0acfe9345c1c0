import socket
import socketserver
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from solrbench.net.zookeeper import any_reachable, ensemble_size, max_heap_bytes, send_command
from support.servers.in_thread import in_thread

# from the answers of ZooKeeper 3.9.4
STANDALONE = "zk_version\t3.9.4-7246\nzk_server_state\tstandalone\nzk_num_alive_connections\t1\n"
FOLLOWER = "zk_version\t3.9.4-7246\nzk_server_state\tfollower\n"
LEADER = "zk_version\t3.9.4-7246\nzk_server_state\tleader\nzk_synced_followers\t2.0\n"
REFUSED = "mntr is not executed because it is not in the whitelist.\n"
STARTING = "This ZooKeeper instance is not currently serving requests\n"


@contextmanager
def zookeeper(host: str, port: int, answer: str, word: bytes = b"mntr") -> Iterator[int]:
    """Answer a four-letter word and hang up, as ZooKeeper does."""

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            if self.request.recv(4) == word:
                with suppress(OSError):  # a client that has read enough hangs up
                    self.request.sendall(answer.encode())

    with in_thread(socketserver.TCPServer((host, port), Answer)) as address:
        yield int(address.partition(":")[2])


def test_answer_is_read_to_its_end() -> None:
    with zookeeper("127.0.0.1", 0, LEADER * 5000) as port:
        assert send_command("127.0.0.1", port, "mntr") == LEADER * 5000


def test_unreachable_server_is_not_reachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert send_command("127.0.0.1", port, "mntr") == ""
    assert ensemble_size(["127.0.0.1"], port) == 0


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([STANDALONE], 1),
        ([FOLLOWER, LEADER], 3),
        ([LEADER], 3),
        ([FOLLOWER, FOLLOWER], 0),
        ([REFUSED], 0),
        ([STARTING, ""], 0),
    ],
)
def test_leader_reports_the_size(answers: list[str], expected: int) -> None:
    with ExitStack() as stack:
        port, hosts = 0, []
        for number, answer in enumerate(answers, 1):
            hosts.append(f"127.0.0.{number}")
            port = stack.enter_context(zookeeper(hosts[-1], port, answer))
        assert ensemble_size(hosts, port) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Environment:\nos.name=Linux\nos.memory.free=90MB\nos.memory.max=512MB\n", 512 * 2**20),
        ("envi is not executed because it is not in the whitelist.\n", None),
        ("", None),
    ],
)
def test_heap_of_a_member(answer: str, expected: int | None) -> None:
    with zookeeper("127.0.0.1", 0, answer, b"envi") as port:
        assert max_heap_bytes("127.0.0.1", port) == expected


def test_one_member_that_takes_connections_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        closed = gone.getsockname()[1]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert any_reachable(f"127.0.0.1:{closed},127.0.0.1:{port}")
        assert not any_reachable(f"127.0.0.1:{closed},127.0.0.1:x")  # the last one has no port
        monkeypatch.setattr("solrbench.net.zookeeper.ALL_SECONDS", -1.0)
        asked = list[str]()
        monkeypatch.setattr("solrbench.net.zookeeper.lookup", lambda host, _: asked.append(host))
        assert not any_reachable(f"127.0.0.1:{port}")
        assert asked == []


def test_a_member_may_be_an_ipv6_address() -> None:
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("there is no IPv6 here")
    with server:
        assert any_reachable(f"[::1]:{server.getsockname()[1]}")


def test_an_answer_without_end_is_none() -> None:
    with zookeeper("127.0.0.1", 0, LEADER * 20_000) as port:
        assert send_command("127.0.0.1", port, "mntr") == ""
