"""Bodies posted over connections that are kept."""

import asyncio
import ssl
from pathlib import Path

import pytest

from solrbench.index import update_client
from solrbench.index.update_client import UpdateClient
from solrbench.net.http import NO_AUTH, HttpAuth, basic_auth, certificate_problem
from solrbench.net.http_connection import HttpConnection
from support.servers.certificates import authority, server_context
from support.servers.http_server import Exchange, HttpServer, respond_after

BODY = b"[" + b" " * 400_000 + b"]"


async def post_many(server: HttpServer, streams: int, each: int) -> None:
    async with UpdateClient(NO_AUTH, 10) as client, asyncio.TaskGroup() as group:

        async def stream() -> None:
            for _ in range(each):
                status, _ = await client.post(f"{server.url}/books/update?wt=json", BODY)
                assert status == 200

        for _ in range(streams):
            group.create_task(stream())


async def test_each_stream_keeps_its_connection() -> None:
    async with HttpServer(respond_after(0.005)) as server:
        await post_many(server, streams=24, each=3)
        assert server.connections == 24
        assert len(server.exchanges) == 72
        first = server.exchanges[0]
        assert (first.method, first.path) == ("POST", "/solr/books/update")
        assert (first.parameters, first.body) == ([("wt", "json")], BODY.decode())


async def has_ended(connections: list[HttpConnection]) -> None:
    async with asyncio.timeout(5):
        for each in connections:
            while each.is_open:  # noqa: ASYNC110 - a connection has no event of its end
                await asyncio.sleep(0.001)


async def test_connection_that_the_server_closed_is_not_used_again() -> None:
    async def close_after(exchange: Exchange) -> None:
        exchange.send()
        exchange.close()

    async with HttpServer(close_after) as server, UpdateClient(NO_AUTH, 10) as client:
        for _ in range(3):
            status, _ = await client.post(f"{server.url}/books/update?wt=json", b"[]")
            assert status == 200
            (idle,) = client._idle.values()
            await has_ended([connection for connection, _ in idle])
        assert server.connections == 3


async def test_old_connection_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update_client, "_IDLE_SECONDS", 0.0)
    async with HttpServer() as server, UpdateClient(NO_AUTH, 10) as client:
        for _ in range(2):
            await client.post(f"{server.url}/books/update?wt=json", b"[]")
            await asyncio.sleep(0.002)
        assert server.connections == 2


async def test_late_response_is_a_time_out_and_its_connection_is_closed() -> None:
    async with HttpServer(respond_after(30)) as server, UpdateClient(NO_AUTH, 0.05) as client:
        with pytest.raises(TimeoutError, match=r"no response within 0\.05 s"):
            await client.post(f"{server.url}/books/update?wt=json", b"[]")
        assert list(client._idle.values()) == [[]]


@pytest.mark.parametrize("malformed", [False, True])
async def test_lost_connection_and_what_is_no_http_are_errors(malformed: bool) -> None:
    async def break_off(exchange: Exchange) -> None:
        if malformed:
            exchange.writer.write(b"hello\r\n\r\n")
        else:
            exchange.reset()

    async with HttpServer(break_off) as server, UpdateClient(NO_AUTH, 10) as client:
        with pytest.raises(ConnectionError):
            await client.post(f"{server.url}/books/update?wt=json", b"[]")


async def test_nothing_that_listens_is_an_error() -> None:
    async with HttpServer() as server:
        url = server.url
    async with UpdateClient(NO_AUTH, 10) as client:
        with pytest.raises(OSError, match="Connect"):
            await client.post(f"{url}/books/update?wt=json", b"[]")


async def test_trust_and_credentials_are_those_of_the_target(tmp_path: Path) -> None:
    trusted = authority(tmp_path, "own").read_text()
    other = authority(tmp_path, "other").read_text()
    context = server_context(tmp_path, "own", "127.0.0.1")
    user = basic_auth("solr", "secret")
    async with HttpServer(trust=context) as server:
        async with UpdateClient(HttpAuth(user, trusted), 10) as client:
            status, _ = await client.post(f"{server.url}/books/update?wt=json", BODY)
            assert status == 200
        async with UpdateClient(HttpAuth(user, other), 10) as client:
            with pytest.raises(ssl.SSLCertVerificationError) as refused:
                await client.post(f"{server.url}/books/update?wt=json", b"[]")
            assert certificate_problem(refused.value)
