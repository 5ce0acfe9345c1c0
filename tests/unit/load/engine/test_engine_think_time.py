"""Users that think between requests, or keep a pace."""

import asyncio
import time

import pytest

from solrbench.api.v1alpha1.load.think_time import ThinkTime
from solrbench.load.schedule.think_time import pacing_wait_seconds
from support.servers.http_server import Exchange, HttpServer, respond_well
from unit.load.builders import (
    assignment,
    only,
    run,
    run_step,
    send_first_at_once,
    target,
)


def test_thinking_users_do_not_delay_the_end_of_the_step_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send_first_at_once(monkeypatch)

    async def body() -> None:
        think = ThinkTime(constant_milliseconds=60_000)
        async with HttpServer() as server:
            began = time.monotonic()
            result = await run_step(target(server.url), assignment(users=4, seconds=1, think=think))
        assert only(result).requests == 4
        assert time.monotonic() - began < 3

    run(body)


def test_users_whose_last_answer_comes_late_do_not_think_about_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send_first_at_once(monkeypatch)

    async def slow(exchange: Exchange) -> None:
        await asyncio.sleep(1.2)
        exchange.send()

    async def body() -> None:
        think = ThinkTime(constant_milliseconds=60_000)
        async with HttpServer(slow) as server:
            began = time.monotonic()
            result = await run_step(target(server.url), assignment(users=4, seconds=1, think=think))
        assert only(result).requests == 4
        assert time.monotonic() - began < 3

    run(body)


def test_thinking_users_wait_between_requests() -> None:
    async def body() -> None:
        think = ThinkTime(constant_milliseconds=200)
        async with HttpServer() as server:
            result = await run_step(target(server.url), assignment(users=2, seconds=1, think=think))
        assert 8 <= only(result).requests <= 10

    run(body)


def test_paced_users_wait_for_the_rest_of_their_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[float] = []

    def wait(pacing_milliseconds: int, passed_seconds: float) -> float:
        passed.append(passed_seconds)
        return pacing_wait_seconds(pacing_milliseconds, passed_seconds)

    async def respond_later(exchange: Exchange) -> None:
        await asyncio.sleep(0.05)
        await respond_well(exchange)

    async def body() -> None:
        duty = assignment(users=2, seconds=1).model_copy(update={"pacing_milliseconds": 200})
        async with HttpServer(respond_later) as server:
            result = await run_step(target(server.url), duty)
        assert 2 <= only(result).requests <= 10
        assert min(passed) >= 0.04  # clocks of the two sides may differ a little

    monkeypatch.setattr("solrbench.load.engine.user_factory.pacing_wait_seconds", wait)
    run(body)
