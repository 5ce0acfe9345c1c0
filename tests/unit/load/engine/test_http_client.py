"""Users whose requests get no response wait before they try again."""

import asyncio
import errno
import os
import resource
import ssl
from pathlib import Path

import pytest

from bench.servers.running import free_port
from solrbench.load.engine.http_client import connect_failure
from solrbench.load.workload.requests import Node
from support.load.builders import assignment, kinds, only, run_step, target
from support.servers.http_server import Exchange, HttpServer

NODE = Node("solr", 8983, ())


async def test_a_closed_port_is_not_hammered() -> None:
    what = target(f"http://127.0.0.1:{free_port()}/solr")
    result = await run_step(what, assignment(users=3, seconds=1))
    (refused,) = only(result).failure_kinds
    # 1 + 2 + 4 + … + 512 ms is more than a second: at most 11 attempts by each user in it.
    assert refused.kind == "ConnectionRefused"
    assert 3 <= refused.count <= 3 * 11
    assert only(result).requests == only(result).failures == refused.count


async def test_after_an_answer_users_ask_at_full_speed_again() -> None:
    answered_after: list[float] = []

    async def sometimes(exchange: Exchange) -> None:
        if exchange.number < 9:
            exchange.reset()
        else:
            answered_after.append(asyncio.get_running_loop().time() - begun)
            exchange.send()

    async with HttpServer(sometimes) as server:
        begun = asyncio.get_running_loop().time()
        result = await run_step(target(server.url), assignment(users=1, requests=40))
    assert kinds(result) == {"ConnectionReset": 9}
    # 1 + 2 + 4 + … + 256 ms, less what a clock of whole milliseconds rounds off each. Single pauses
    # cannot be seen from here: they count from the begin of a request, not from its arrival.
    assert answered_after[0] >= 0.5
    assert only(result).requests == 40


async def test_an_answer_however_bad_is_followed_at_once() -> None:
    async def unavailable(exchange: Exchange) -> None:
        exchange.send(b"down", status=503)

    async with HttpServer(unavailable) as server:
        result = await run_step(target(server.url), assignment(users=1, requests=50))
    assert kinds(result) == {"HTTP503": 50}
    # With a pause after each they would take more than 40 s, and the test would end.
    assert only(result).requests == 50


@pytest.mark.parametrize("number", [errno.EADDRNOTAVAIL, errno.EMFILE, errno.ENFILE, errno.ENOBUFS])
def test_exhausted_resources_are_a_failure_kind(number: int) -> None:
    several = OSError(f"Multiple exceptions: [Errno {number}] x, [Errno 101] y")
    for error in (OSError(number, os.strerror(number)), several):
        found = connect_failure(error, NODE)
        assert found.kind == "ConnectionsRanOut"
        assert "solr:8983" in found.message


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "ConnectionRefused"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), "ConnectionReset"),
        (TimeoutError(errno.ETIMEDOUT, "late"), "Timeout"),
        (OSError(errno.EHOSTUNREACH, "no route"), "ConnectionFailed"),
        (ssl.SSLError(1, "wrong version number"), "ConnectionFailed"),
    ],
)
def test_others_keep_their_kinds(error: OSError, kind: str) -> None:
    assert connect_failure(error, NODE).kind == kind


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.slow
async def test_files_that_run_out_are_noticed_for_real() -> None:
    async with HttpServer() as server:
        what = target(server.url)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (open_files() + 6, hard))
        try:
            result = await run_step(what, assignment(users=20, seconds=1))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert kinds(result).get("ConnectionsRanOut", 0) > 0
