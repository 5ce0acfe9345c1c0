"""One timer for many requests, in virtual time."""

import asyncio

import pytest

from solrbench.load.engine.http import request_deadline
from solrbench.load.engine.http.request_deadline import RequestDeadline
from support.fakes.virtual_time import VirtualTimeLoop, run_virtually


class Client:
    """Sends a request on demand, as the HTTP client does."""

    def __init__(self, patch: pytest.MonkeyPatch, loop: VirtualTimeLoop) -> None:
        patch.setattr(request_deadline, "_now", loop.clock_ns)
        self.loop = loop
        self.deadline = RequestDeadline(1.0, loop)
        self.pending = False
        self.timers = 0
        self.expired_ns: list[int] = []

    def send(self) -> None:
        self.pending = True
        self.deadline.at_ns = self.loop.now_ns + self.deadline.timeout_ns
        if self.deadline.timer is None:
            self.timers += 1
            self.deadline.set_timer(self)

    def has_request(self) -> bool:
        return self.pending

    def on_deadline_expired(self, now_ns: int) -> None:
        self.pending = False
        self.expired_ns.append(now_ns)


def test_request_expires_at_its_own_deadline_by_the_timer_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main(loop: VirtualTimeLoop) -> None:
        client = Client(monkeypatch, loop)
        for _ in range(9):
            client.send()
            await asyncio.sleep(0.1)
        client.send()
        last_ns = loop.now_ns
        await asyncio.sleep(0.999)
        assert client.expired_ns == []
        await asyncio.sleep(0.1)
        assert [round((at - last_ns) / 1e6) for at in client.expired_ns] == [1000]
        assert client.timers == 1

    run_virtually(main)


def test_request_that_ended_does_not_expire_and_needs_a_new_timer_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main(loop: VirtualTimeLoop) -> None:
        client = Client(monkeypatch, loop)
        client.send()
        client.pending = False
        await asyncio.sleep(2)
        assert (client.expired_ns, client.deadline.timer) == ([], None)
        client.send()
        await asyncio.sleep(2)
        assert (len(client.expired_ns), client.timers) == (1, 2)

    run_virtually(main)


def test_cancelled_deadline_lets_nothing_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(loop: VirtualTimeLoop) -> None:
        client = Client(monkeypatch, loop)
        client.deadline.cancel()
        client.send()
        client.deadline.cancel()
        await asyncio.sleep(5)
        assert client.expired_ns == []

    run_virtually(main)
