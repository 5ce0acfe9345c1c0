"""Of several operators one writes, and the next one takes over in time."""

import asyncio
import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import HTTPServer, ThreadingHTTPServer
from typing import Any

import aiohttp
import httpx2 as httpx
import kopf
import kubernetes.client
import pytest

from bench.servers.running import free_port
from solrbench.controller import main
from solrbench.controller.kopf_settings import open_session
from solrbench.controller.main import keep_lease, release_lease, wait_for_lease
from solrbench.errors import TemporaryError
from solrbench.kube.connection import Connection, Request, UnreachableError
from solrbench.kube.lease import (
    HELD_SECONDS,
    LEASE_SECONDS,
    LeasedConnection,
    LeaseTakenError,
    OperatorLease,
)
from solrbench.kube.official import OfficialConnection, open_officially
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import small
from support.failing import failing
from support.fakes.fake_cluster import FakeCluster, no_fault, refusal
from support.servers.in_thread import QuietHandler, in_thread

WRITE = Request("PUT", "/", {}, {}, None)
READ = Request("GET", "/", {}, {}, None)
AWAY = UnreachableError(ApiServerReason.API_UNREACHABLE, "no response")


class World:
    """Operators that want one Lease, and the clock of all."""

    def __init__(self) -> None:
        self.cluster = FakeCluster(small("one"))  # no version of a Lease is the first of all
        self.seconds = 0.0
        self.one, self.two = self.start("one"), self.start("two")

    def start(self, holder: str) -> OperatorLease:
        return OperatorLease(self.cluster, "tools", "bench", holder, lambda: self.seconds)

    def stored(self) -> dict[str, Any]:
        return self.cluster.objects["Lease", "tools", "bench"]

    def writers(self) -> list[str]:
        return [name for name in ("one", "two") if may_write(getattr(self, name))]


def may_write(lease: OperatorLease) -> bool:
    try:
        with lease.writing():
            return True
    except TemporaryError:
        return False


@pytest.fixture
def world() -> World:
    return World()


def test_one_of_two_writes(world: World) -> None:
    assert world.one.try_take()
    assert not world.two.try_take()
    assert world.writers() == ["one"]


@pytest.mark.parametrize("lost_at", [0.1 * tenth for tenth in range(0, 60, 7)])
def test_the_next_takes_over_in_time_and_they_never_both_write(
    world: World, lost_at: float
) -> None:
    """The one is lost at some moment between two renewals; the other looks each second."""
    world.one.try_take()
    last, taken = 0.0, None
    for tenth in range(200):
        world.seconds = tenth / 10
        if tenth % 15 == 0 and world.seconds <= lost_at:
            world.one.renew()
            last = world.seconds
        if tenth % 10 == 3 and taken is None and world.two.try_take():
            taken = world.seconds
        assert len(world.writers()) < 2
    assert taken is not None
    assert LEASE_SECONDS <= taken - last <= LEASE_SECONDS + 2
    assert world.two.number > world.one.number > 0
    assert world.stored()["spec"]["leaseTransitions"] == 2
    with pytest.raises(LeaseTakenError, match="held by two"):
        world.one.renew()


def test_one_that_is_cut_off_pauses_and_goes_on_if_none_took_over(world: World) -> None:
    world.one.try_take()
    number = world.one.number
    world.cluster.fault = refusal(AWAY)
    world.seconds = HELD_SECONDS + 30
    with pytest.raises(UnreachableError):
        world.one.renew()
    assert world.writers() == []
    world.cluster.fault = no_fault
    world.one.renew()
    assert (world.writers(), world.one.number) == (["one"], number)


def test_a_renewal_whose_response_is_lost_is_no_loss(world: World) -> None:
    world.one.try_take()

    def lose(request: Any, serve: Any) -> Any:
        serve()
        raise AWAY

    world.cluster.fault = lose
    with pytest.raises(UnreachableError):
        world.one.renew()
    world.cluster.fault = no_fault
    world.one.renew()
    assert world.writers() == ["one"]


def test_a_deleted_lease_is_lost_and_the_next_number_is_higher(world: World) -> None:
    world.one.try_take()
    world.cluster.delete("", "Lease", "tools", "bench")
    assert world.two.try_take()
    assert world.two.number > world.one.number
    with pytest.raises(LeaseTakenError, match="held by two"):
        world.one.renew()


def test_a_container_that_is_restarted_takes_its_own_lease_at_once(world: World) -> None:
    world.one.try_take()
    again = world.start("one")
    assert again.try_take()
    assert again.number > world.one.number


def test_the_faster_one_of_two_gets_a_free_lease(world: World) -> None:
    def overtake(request: Any, serve: Any) -> Any:
        if request.method == "apply":
            world.cluster.fault = no_fault
            assert world.two.try_take()
        return serve()

    world.cluster.fault = overtake
    assert not world.one.try_take()
    assert world.writers() == ["two"]


def test_a_release_waits_for_writes_and_lets_the_next_one_in_at_once(world: World) -> None:
    world.one.try_take()
    order = []

    def release() -> None:
        world.one.release()
        order.append("released")

    with world.one.writing():
        thread = threading.Thread(target=release)
        thread.start()
        while not world.one.is_released:
            pass
        assert not world.two.try_take()
        order.append("written")
    thread.join()
    assert order == ["written", "released"]
    assert world.two.try_take()
    assert world.writers() == ["two"]
    assert keep(world.one) == [], "it ends by itself"


def keep(lease: OperatorLease) -> list[int]:
    """Renew until the Lease is lost; return the exit codes of the process."""
    ended: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "RENEW_SECONDS", 0)
        keep_lease(lease, ended.append)
    return ended


def test_the_process_ends_when_another_one_has_the_lease(world: World) -> None:
    world.one.try_take()
    world.two.try_take()
    world.seconds = LEASE_SECONDS
    world.two.try_take()
    world.cluster.fault = refusal(AWAY, times=1)
    assert keep(world.one) == [1]


def test_the_process_ends_when_the_lease_cannot_be_renewed_any_more(world: World) -> None:
    world.one.try_take()
    world.one._stored = {}  # a proxy in front of the API server responded to the renewal before
    assert keep(world.one) == [1]


def test_the_kubelet_finds_one_that_waits_alive(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    world.two.try_take()
    found, port = [], free_port()
    url = f"http://127.0.0.1:{port}/healthz"

    def sleep(_: float) -> None:
        found.append(httpx.get(url, trust_env=False).status_code)
        world.two.release()

    monkeypatch.setattr("time.sleep", sleep)
    wait_for_lease(world.one, port)
    assert found == [200]
    assert world.writers() == ["one"]
    world.cluster.fault = refusal(AWAY)
    release_lease(world.one)
    assert world.writers() == []


class Inner(Connection):
    """Notes what is sent, and for how long it may take."""

    server = "https://api.test"

    def __init__(self) -> None:
        self.sent: list[tuple[str, float]] = []

    def exchange(self, request: Request, seconds: float) -> tuple[int, bytes]:
        self.sent.append((request.method, seconds))
        return 200, b"{}"

    def stream(self, request: Request, seconds: float | None) -> Any:
        raise AssertionError


def test_requests_that_write_need_the_lease_and_end_with_it(world: World) -> None:
    inner = Inner()
    connection = LeasedConnection(inner, world.one)
    with pytest.raises(TemporaryError, match="nothing is written"):
        connection.exchange(WRITE, 20)
    connection.exchange(READ, 20)
    world.one.try_take()
    world.seconds = HELD_SECONDS - 4
    connection.exchange(WRITE, 20)
    assert inner.sent == [("GET", 20), ("PUT", 4)]


@pytest.mark.parametrize("ahead", [-3600.0, -61.0, 61.0, 86_400.0])
def test_nothing_is_written_while_the_clock_is_wrong(world: World, ahead: float) -> None:
    world.one.try_take()
    inner = Inner()
    inner.seconds_ahead = ahead
    connection = LeasedConnection(inner, world.one)
    with failing(TemporaryError, "ClockDiffers"):
        connection.exchange(WRITE, 20)
    inner.seconds_ahead = ahead / 86_400
    connection.exchange(WRITE, 1)
    assert inner.sent == [("PUT", 1)]


def test_a_status_of_the_next_operator_is_not_written_over() -> None:
    cluster = FakeCluster(small("one"))
    key = "", "SolrBenchmark", "default", "one"

    def write(number: int, phase: str) -> dict[str, Any]:
        cluster.fencing_number = number
        body = cluster.get(*key)
        assert body is not None
        written: dict[str, Any] = cluster.store_status(body, {"phase": phase})["status"]
        return written

    assert write(5, "Queued") == {"phase": "Queued", "fencingNumber": 5}
    assert write(9, "Measuring")["fencingNumber"] == 9
    with pytest.raises(TemporaryError, match="taken over"):
        write(5, "Failed")
    cluster.requests.clear()
    assert write(12, "Measuring")["fencingNumber"] == 9
    assert [each.method for each in cluster.requests] == ["get"], "it is stored already"
    assert write(0, "Failed") == {"phase": "Failed"}, "without a Lease there is no number"


class Handler(QuietHandler):
    """Answers with a date that is some hours off."""

    hours = 0
    dates = True

    def do_GET(self) -> None:  # noqa: N802 - its name in the base class
        self.send_response_only(200)
        if self.dates:
            date = datetime.now(UTC) + timedelta(hours=self.hours)
            self.send_header("Date", format_datetime(date))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_PATCH = do_GET  # noqa: N815 - the base class calls it so


def test_the_clock_of_the_api_server_is_read_from_its_responses() -> None:
    with in_thread(HTTPServer(("127.0.0.1", 0), Handler)) as address:
        configuration = kubernetes.client.Configuration(host=f"http://{address}")
        connection = OfficialConnection(kubernetes.client.ApiClient(configuration))
        for Handler.hours in (0, 5, -30):
            connection.send("reading", "GET", "/version")
            assert abs(connection.seconds_ahead - 3600 * Handler.hours) < 3
        Handler.dates = False
        connection.send("reading", "GET", "/version")
        assert connection.seconds_ahead < 0, "the last one counts"


class Silent(QuietHandler):
    asked = 0

    def do_PUT(self) -> None:  # noqa: N802 - its name in the base class
        type(self).asked += 1
        time.sleep(0.3)


def test_a_write_without_a_response_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with in_thread(ThreadingHTTPServer(("127.0.0.1", 0), Silent)) as address:
        configuration = kubernetes.client.Configuration(host=f"http://{address}")
        monkeypatch.setattr("kubernetes.config.load_incluster_config", lambda: None)
        monkeypatch.setattr(kubernetes.client.Configuration, "_default", configuration)
        with pytest.raises(UnreachableError, match="timed out"):
            open_officially().send("writing", "PUT", "/", seconds=0.1)
    assert Silent.asked == 1


def test_what_kopf_writes_needs_the_lease(world: World) -> None:
    async def ask(address: str, method: str) -> int:
        info = kopf.ConnectionInfo(server=f"http://{address}")
        session = open_session(info, world.one).aiohttp_session
        try:
            async with session.request(method, f"http://{address}/") as response:
                return response.status
        finally:
            await session.close()

    with in_thread(HTTPServer(("127.0.0.1", 0), Handler)) as address:
        with pytest.raises(aiohttp.ClientConnectionError, match="nothing is written"):
            asyncio.run(ask(address, "PATCH"))
        assert asyncio.run(ask(address, "GET")) == 200
        world.one.try_take()
        assert asyncio.run(ask(address, "PATCH")) == 200


def test_a_connection_that_dies_without_a_word_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubernetes.config.load_incluster_config", lambda: None)
    options = open_officially()._api.configuration.socket_options
    assert (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1) in options
    assert (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 15) in options
