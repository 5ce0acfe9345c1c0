"""Responses that come together are timed first, then followed by requests, then checked."""

import asyncio
from typing import Any, cast

from solrbench.load.engine.http.http_client import HttpClient
from solrbench.load.engine.http.response_batch import CompletedRequest, batch_of_loop
from solrbench.load.workload.prepared_request import PreparedRequest

REQUEST = PreparedRequest(b"q=a", 0, is_json=True)


def ended(started_ns: int) -> CompletedRequest:
    return REQUEST, started_ns, started_ns + 10, 550, None, (200, b"{}")


class FakeClient:
    def __init__(self, log: list[Any]) -> None:
        self.is_aborted = False
        self._log = log

    def as_client(self) -> HttpClient:
        return cast(HttpClient, self)

    def send_early(self, *given: Any) -> None:
        self._log.append(("send_early", self, *given))

    def on_completed(self, *given: Any) -> None:
        self._log.append(("on_completed", self, *given))


def test_all_next_requests_are_sent_before_the_first_response_is_checked() -> None:
    log: list[Any] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        batch, clients = batch_of_loop(loop), [FakeClient(log) for _ in range(3)]
        for index, client in enumerate(clients):
            batch.add(client.as_client(), ended(index))
        assert log == []
        await asyncio.sleep(0)
        assert [each[:3] for each in log[:3]] == [
            ("send_early", client, REQUEST) for client in clients
        ]
        assert log[3:] == [
            *(("on_completed", client, ended(index)) for index, client in enumerate(clients)),
        ]
        batch.add(clients[0].as_client(), ended(7))
        await asyncio.sleep(0)
        assert len(log) == 8

    asyncio.run(main())


def test_aborted_client_gets_no_response() -> None:
    log: list[Any] = []

    async def main() -> None:
        batch, client = batch_of_loop(asyncio.get_running_loop()), FakeClient(log)
        batch.add(client.as_client(), ended(7))
        client.is_aborted = True
        await asyncio.sleep(0)

    asyncio.run(main())
    assert log == []


def test_each_loop_has_a_turn_of_its_own() -> None:
    one, other = asyncio.new_event_loop(), asyncio.new_event_loop()
    assert batch_of_loop(one) is batch_of_loop(one)
    assert batch_of_loop(one) is not batch_of_loop(other)
    one.close()
    other.close()
