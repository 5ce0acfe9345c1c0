"""The load over https, against a server with a certificate of an authority made for the test."""

import asyncio
from pathlib import Path

import pytest

from solrbench.errors import PermanentError
from solrbench.load.engine.target import RequestSupply, load_target
from solrbench.load.errors import LoadError
from solrbench.load.master.steady_state import wait_for_target
from solrbench.load.workload.request_mix import QuerySource, RequestStream
from solrbench.net.http import HttpAuth
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import live_nodes
from support.failing import failing
from support.load.builders import (
    assignment,
    do_not_pause,
    plain,
    plan_of,
    run_step,
    target,
    workload,
)
from support.servers.certificates import authority, server_context
from support.servers.http_server import HttpServer

URL = "http://solr:8983/solr"


def opened(order: str = "Sequential") -> RequestStream:
    what = target(URL, queries=plain("a", "b"), spec=workload(order=order))
    return what.requests.open_stream(assignment())


def test_supply_ends_with_its_number() -> None:
    stream = opened()
    found = RequestSupply(stream.requests, 3)
    assert [found.take(0) is None for _ in range(5)] == [False, False, False, True, True]
    assert found.is_exhausted(0)
    assert (found.is_closed(0), found.queries_exhausted) == (False, False)
    assert stream.used_numbers() == [3]


def test_supply_ends_at_its_time_and_not_before() -> None:
    stream = opened()
    found = RequestSupply(stream.requests)
    found.stops_ns = 100
    assert (found.is_exhausted(99), found.is_closed(99)) == (False, False)
    assert found.take(99) is not None
    assert found.take(100) is None
    assert (found.is_exhausted(100), found.is_closed(100)) == (True, True)
    assert stream.used_numbers() == [1]


def test_supply_ends_with_queries_that_are_sent_once_each() -> None:
    found = RequestSupply(opened("Once").requests)
    assert [found.take(0) is None for _ in range(3)] == [False, False, True]
    assert (found.is_exhausted(0), found.queries_exhausted) == (True, True)


def test_supply_without_a_limit_goes_on() -> None:
    found = RequestSupply(opened().requests)
    assert all(found.take(0) is not None for _ in range(50))


def test_queries_of_a_warm_up_need_no_times_before_a_replay(tmp_path: Path) -> None:
    spec = {name: {"configMap": {"name": "any"}} for name in ("queries", "warmUpQueries")}
    step = {"name": "log", "replay": {}, "durationSeconds": 5}
    plan = plan_of(spec, stepRuns=[{"id": "r1-s0-log", "repeat": 1, "step": step}])
    for folder, lines in (("q", '{"params": {"q": "a"}, "time": 7}'), ("q-warm-up", "b\nc\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "queries.txt").write_text(lines)
    found = load_target(plan, tmp_path / "q")
    assert list(found.requests.recorded_seconds) == [0]
    assert found.warm_up is not None
    (source,) = found.warm_up.requests.sources
    assert isinstance(source, QuerySource)
    assert len(source.requests) == 2


GOOD_HOST = "127.0.0.1"


@pytest.fixture
def trusted(tmp_path: Path) -> HttpAuth:
    return HttpAuth(ca=authority(tmp_path, "trusted").read_text())


async def test_load_over_https_is_measured(tmp_path: Path, trusted: HttpAuth) -> None:
    async with HttpServer(trust=server_context(tmp_path, "trusted", GOOD_HOST)) as server:
        what = target(server.url, access=trusted)
        result = await run_step(what, assignment(users=3, requests=60))
    assert result.measured == len(server.requests) == 60
    assert (result.requests[0].failures, server.connections) == (0, 3)


@pytest.mark.parametrize(
    ("signer", "host"), [("stranger", GOOD_HOST), ("trusted", "other.example.org")]
)
async def test_certificate_of_another_signer_or_host_is_refused(
    tmp_path: Path, trusted: HttpAuth, signer: str, host: str
) -> None:
    if signer == "stranger":
        authority(tmp_path, "stranger")
    async with HttpServer(trust=server_context(tmp_path, signer, host)) as server:
        result = await run_step(target(server.url, access=trusted), assignment(requests=2))
        (kind,) = result.requests[0].failure_kinds
        assert (kind.kind, kind.count) == ("CertificateNotTrusted", 2)
        await asyncio.to_thread(_expect_refusals, server.url, trusted)
    assert server.requests == []


def _expect_refusals(url: str, access: HttpAuth) -> None:
    with failing(LoadError, "CertificateNotTrusted"):
        wait_for_target([url], 5, do_not_pause, access=access)
    refused = failing(PermanentError, "CertificateNotTrusted", r"tls\.caSecret")
    with SolrClient([url], auth=access) as client, refused:
        live_nodes(client)


async def test_target_is_reached_over_https(tmp_path: Path, trusted: HttpAuth) -> None:
    async with HttpServer(trust=server_context(tmp_path, "trusted", GOOD_HOST)) as server:
        await asyncio.to_thread(wait_for_target, [server.url], 5, do_not_pause, access=trusted)
    assert len(server.requests) == 1
