"""The load over https, against a server with a certificate of an authority made for the test."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import uvloop

from solrbench.errors import PermanentError, SolrbenchError
from solrbench.http_auth import HttpAuth
from solrbench.load.engine.target import LoadTarget
from solrbench.load.errors import LoadError
from solrbench.load.master.target_probe import wait_for_target
from solrbench.solr.client import SolrClient
from support.servers.certificates import authority, server_context
from support.servers.http_server import HttpServer
from unit.load.builders import assignment, do_not_pause, run_step, target

GOOD_HOST = "127.0.0.1"


def run(body: Callable[[], Awaitable[None]]) -> None:
    async def awaiting() -> None:
        await body()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(awaiting())


@pytest.fixture
def trusted(tmp_path: Path) -> HttpAuth:
    return HttpAuth(ca=authority(tmp_path, "trusted").read_text())


def https(url: str, access: HttpAuth) -> LoadTarget:
    return target(url, access=access)


def test_load_over_https_is_measured(tmp_path: Path, trusted: HttpAuth) -> None:
    async def body() -> None:
        async with HttpServer(trust=server_context(tmp_path, "trusted", GOOD_HOST)) as server:
            result = await run_step(https(server.url, trusted), assignment(users=3, requests=60))
        assert result.measured == len(server.requests) == 60
        assert result.requests[0].failures == 0
        assert server.connections == 3

    run(body)


@pytest.mark.parametrize(
    ("signer", "host"), [("stranger", GOOD_HOST), ("trusted", "other.example.org")]
)
def test_certificate_of_another_signer_or_host_is_refused(
    tmp_path: Path, trusted: HttpAuth, signer: str, host: str
) -> None:
    if signer == "stranger":
        authority(tmp_path, "stranger")

    async def body() -> None:
        async with HttpServer(trust=server_context(tmp_path, signer, host)) as server:
            result = await run_step(https(server.url, trusted), assignment(requests=2))
            (kind,) = result.requests[0].failure_kinds
            assert (kind.kind, kind.count) == ("CertificateNotTrusted", 2)
            await asyncio.to_thread(_expect_refusals, server.url, trusted)
        assert server.requests == []

    run(body)


def _expect_refusals(url: str, access: HttpAuth) -> None:
    with pytest.raises(LoadError) as failed:
        wait_for_target([url], 5, do_not_pause, access=access)
    assert failed.value.reason == "CertificateNotTrusted"
    with SolrClient([url], auth=access) as client, pytest.raises(SolrbenchError) as refused:
        client.get("/admin/info/system")
    assert isinstance(refused.value, PermanentError)
    assert refused.value.reason == "CertificateNotTrusted"
    assert "tls.caSecret" in refused.value.message


def test_target_is_reached_over_https(tmp_path: Path, trusted: HttpAuth) -> None:
    async def body() -> None:
        async with HttpServer(trust=server_context(tmp_path, "trusted", GOOD_HOST)) as server:
            await asyncio.to_thread(wait_for_target, [server.url], 5, do_not_pause, access=trusted)
        assert len(server.requests) == 1

    run(body)
