"""Whatever a name means by then, the operator connects to no forbidden address."""

from collections.abc import Callable, Iterator

import httpcore2 as httpcore
import pytest

from solrbench.controller.endpoint import address_check, connect_checked
from solrbench.controller.provisioners.zookeeper import check_external
from solrbench.errors import PermanentError, TemporaryError
from solrbench.index.progress import read_progress
from solrbench.load.master_client import LoadMasterClient
from solrbench.net import deadline, zookeeper
from solrbench.net.http import NO_AUTH
from solrbench.solr.cluster import live_nodes
from support.cluster.benchmarks import service
from support.controller.runs import reconcile_context
from support.failing import failing
from support.fakes.fake_cluster import FakeCluster
from support.resources.small_resource import SOLR
from support.servers.hostile import Canary
from support.solr.cloud import Cloud

NAME = "zk.search.svc"
API_SERVER = "192.0.2.10"
REBOUND = {
    "loopback": "127.0.0.1",
    "mapped": "::ffff:127.0.0.1",
    "IPv6 loopback": "::1",
    "link-local": "169.254.169.254",
    "metadata": "fd00:ec2::254",
    "API server": API_SERVER,
}


@pytest.fixture
def canary() -> Iterator[Canary]:
    """Yield a listener that must never hear anything."""
    found = Canary()
    yield found
    found.close()
    assert found.heard == []


@pytest.fixture(params=REBOUND)
def rebound(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let a name that had a good address when it was checked have another one from then on."""
    address = REBOUND[request.param]
    known = {NAME: "10.0.0.7", "kubernetes.default.svc": API_SERVER, API_SERVER: API_SERVER}
    monkeypatch.setattr("solrbench.solr.cluster.lookup", lambda host: [known[host]])
    for module in (deadline, zookeeper):
        monkeypatch.setattr(module, "lookup", lambda *_: [address])
    return address


def cluster() -> FakeCluster:
    return FakeCluster(service("zk"), hosts=[API_SERVER])


def ask_solr(port: int) -> None:
    urls = [f"http://{NAME}:{port}/solr"]
    with connect_checked(cluster(), urls, 1, NO_AUTH) as solr:
        live_nodes(solr)


def ask_master(port: int) -> None:
    del port  # the load master has a port of its own
    with LoadMasterClient(NAME, "t", address_check(cluster())) as master:
        master.state()


def ask_index_pod(port: int) -> None:
    del port
    read_progress(NAME, address_check(cluster()))


def ask_zookeeper(port: int) -> None:
    mode = {"mode": "External", "connectionString": f"{NAME}:{port}"}
    context = reconcile_context(Cloud(), {f"{SOLR}.zookeeper": mode})
    context.cluster = cluster()
    check_external(context)


@pytest.mark.parametrize("ask", [ask_solr, ask_master, ask_index_pod, ask_zookeeper])
def test_name_that_means_a_forbidden_address_after_the_check(
    ask: Callable[[int], None], rebound: str, canary: Canary
) -> None:
    with failing(PermanentError, "HostNotAllowed", "never allowed") as caught:
        ask(canary.port)
    assert ("the API server" in caught.value.message) == (rebound == API_SERVER)


def test_only_the_addresses_that_were_checked_are_connected_to(
    monkeypatch: pytest.MonkeyPatch, canary: Canary
) -> None:
    addresses = iter([["192.0.2.7"], ["127.0.0.1"]])
    refused: list[str] = []

    class Sockets:
        def connect_tcp(self, address: str, *_: object) -> None:
            refused.append(address)
            raise httpcore.ConnectError("no route")

    monkeypatch.setattr(deadline, "lookup", lambda *_: next(addresses))
    monkeypatch.setattr(httpcore, "SyncBackend", Sockets)
    with pytest.raises(TemporaryError):
        ask_solr(canary.port)
    assert refused == ["192.0.2.7"]
