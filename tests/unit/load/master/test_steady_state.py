import asyncio
import socket
import threading

import pytest

from solrbench.load.errors import LoadError
from solrbench.load.master.target_probe import wait_for_target
from support.servers.http_server import Exchange, HttpServer
from support.servers.ports import free_port
from unit.load.builders import do_not_pause


async def _unavailable(exchange: Exchange) -> None:
    exchange.send(status=503)


def test_any_answer_of_any_node_will_do() -> None:
    async def body() -> None:
        async with HttpServer(_unavailable) as server:
            urls = [f"http://127.0.0.1:{free_port()}/solr", server.url]
            await asyncio.to_thread(wait_for_target, urls, 1, do_not_pause)
            assert len(server.requests) == 1

    asyncio.run(body())


def test_node_that_comes_up_late_is_waited_for() -> None:
    port, pauses = free_port(), []
    url = f"http://127.0.0.1:{port}/solr"
    with socket.socket() as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        def come_up(seconds: float) -> None:
            pauses.append(seconds)
            listener.bind(("127.0.0.1", port))
            listener.listen()
            threading.Thread(target=serve, daemon=True).start()

        wait_for_target([url], 30, come_up)
    assert len(pauses) == 1


def test_unreachable_target_fails_with_the_last_error() -> None:
    clock = iter(range(100))
    url = f"http://127.0.0.1:{free_port()}/solr"
    with pytest.raises(LoadError, match="none of 1 nodes responded within 3 s") as caught:
        wait_for_target([url], 3, lambda _: None, lambda: next(clock))
    assert caught.value.reason == "TargetUnreachable"
    assert url in caught.value.message
    assert next(clock) == 4


def test_login_that_is_refused_is_not_waited_out() -> None:
    async def refuse(exchange: Exchange) -> None:
        exchange.send(status=401)

    async def body() -> None:
        async with HttpServer(refuse) as server:
            with pytest.raises(LoadError) as caught:
                await asyncio.to_thread(wait_for_target, [server.url], 5, do_not_pause)
            assert caught.value.reason == "AuthenticationFailed"

    asyncio.run(body())
