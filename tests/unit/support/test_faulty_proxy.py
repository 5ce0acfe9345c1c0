"""What the proxy makes of requests, before a server that responds with what it is asked."""

import http.client
from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import pytest

from support.cluster.faulty_proxy import Connect, Fault, FaultyProxy, Interference, faulty_proxy
from support.servers.in_thread import QuietHandler, in_thread

WATCH = "/apis/solrbench.io/v1alpha1/namespaces/x/solrbenchmarks?watch=true"


class Handler(QuietHandler):
    protocol_version = "HTTP/1.1"
    served: list[str]

    def do_GET(self) -> None:  # noqa: N802 - its name in the base class
        self.served.append(self.command)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        lines = [b"one\n", b"two\n"] if "watch" in self.path else [self.path.encode()]
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in [*lines, b""]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))

    do_POST = do_GET  # noqa: N815 - as the base has them


@pytest.fixture
def served() -> list[str]:
    return []


@pytest.fixture
def connect(served: list[str]) -> Iterator[Connect]:
    class Noting(Handler):
        pass

    Noting.served = served
    with in_thread(ThreadingHTTPServer(("127.0.0.1", 0), Noting)) as address:
        yield lambda: http.client.HTTPConnection(address, timeout=5)


def ask(proxy: FaultyProxy, method: str, path: str = "/api/v1/pods") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", proxy.server_address[1], timeout=5)
    try:
        connection.request(method, path, b"body" if method == "POST" else None)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_without_a_interference_all_is_passed_on_and_writes_are_counted(connect: Connect) -> None:
    with faulty_proxy(connect, None, lambda: None) as proxy:
        assert ask(proxy, "GET") == (200, b"/api/v1/pods")
        assert ask(proxy, "POST") == (200, b"/api/v1/pods")
        assert ask(proxy, "GET", WATCH) == (200, b"one\ntwo\n")
        assert (proxy.writes, proxy.disturbed) == (1, 0)


def test_the_client_is_killed_after_the_write_is_served(
    connect: Connect, served: list[str]
) -> None:
    killed: list[bool] = []
    interference = Interference(Fault.KILL, write=2)
    with faulty_proxy(connect, interference, lambda: killed.append(True)) as proxy:
        assert ask(proxy, "POST")[0] == 200
        assert not killed
        with pytest.raises(http.client.RemoteDisconnected):
            ask(proxy, "POST")
        assert killed == [True]
        assert ask(proxy, "POST")[0] == 200
    assert served == ["POST"] * 3


@pytest.mark.parametrize(
    ("fault", "path", "status"),
    [
        (Fault.BUSY, "/api/v1/pods", 429),
        (Fault.EXPIRE, WATCH, 410),
        (Fault.EXPIRE, "/api/v1/pods", 200),
    ],
)
def test_requests_are_refused_for_a_while(
    connect: Connect, fault: Fault, path: str, status: int
) -> None:
    with faulty_proxy(connect, Interference(fault, write=1, seconds=2), lambda: None) as proxy:
        assert ask(proxy, "GET", path)[0] == 200
        ask(proxy, "POST")
        assert ask(proxy, "GET", path)[0] == status
        proxy.since = 0.0  # it is over
        assert ask(proxy, "GET", path)[0] == 200


def test_an_api_server_that_is_away_says_nothing(connect: Connect) -> None:
    interference = Interference(Fault.OUTAGE, write=1, seconds=5)
    with (
        faulty_proxy(connect, interference, lambda: None) as proxy,
        pytest.raises(http.client.RemoteDisconnected),
    ):
        ask(proxy, "POST")


def test_some_events_are_hidden(connect: Connect) -> None:
    with faulty_proxy(connect, Interference(Fault.HIDE, write=1), lambda: None) as proxy:
        ask(proxy, "POST")
        assert ask(proxy, "GET", WATCH) == (200, b"")


def test_one_of_twenty_requests_fails_served_or_not(connect: Connect, served: list[str]) -> None:
    with faulty_proxy(connect, Interference(Fault.ERRORS, write=1, seed=3), lambda: None) as proxy:
        failed = [ask(proxy, "POST")[0] == 500 for _ in range(200)]
    assert 3 <= sum(failed) <= 20
    assert 200 - sum(failed) < len(served) < 200
