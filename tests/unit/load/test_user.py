import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from solrbench.api.v1alpha1.load import ThinkTime
from solrbench.load.core import Core
from solrbench.load.running import Target
from solrbench.load.user import ClosedLoopUser
from support.http_server import GOOD, Exchange, HttpServer
from unit.load.builders import Ear, assignment, run, target, until
from unit.load.test_transactions import CHAIN, by_name, lines
from unit.load.test_transactions import target as transaction_target
from unit.load.test_transactions import workload as transactions

AN_HOUR = 3_600_000


async def _silence(_: Exchange) -> None:
    await asyncio.sleep(60)


def _thinking(url: str) -> Target:
    return target(url)


def _in_a_transaction(url: str) -> Target:
    thought: dict[str, Any] = CHAIN[1] | {"thinkTime": {"constantMilliseconds": AN_HOUR}}
    return transaction_target(url, transactions(CHAIN[0], thought), lines("x"))


@pytest.mark.parametrize(
    ("make_target", "think", "counted"),
    [
        (_thinking, ThinkTime(constant_milliseconds=AN_HOUR), {"query": 1}),
        (_in_a_transaction, None, {"lend.a": 1}),
    ],
)
def test_user_whose_answer_is_judged_after_the_close_does_not_think(
    make_target: Callable[[str], Target], think: ThinkTime | None, counted: dict[str, int]
) -> None:
    async def body() -> None:
        ear, duty = Ear(), assignment(seconds=60, think=think)
        async with HttpServer(_silence) as server:
            core = Core(make_target(server.url), ear, asyncio.get_running_loop())
            core.begin(duty)
            core.add_user()
            await ear.all_there.wait()
            core.go(duty.key)
            await until(lambda: len(server.requests) == 1)
            came_ns = time.perf_counter_ns()
            core.close(duty.key)
            _answer(core, came_ns)
            outcome = await asyncio.wait_for(ear.outcome, 5)
        assert {name: each.requests for name, each in by_name(outcome).items()} == counted
        assert len(server.requests) == 1

    run(body)


def _answer(core: Core, came_ns: int) -> None:
    """Let the only user read an answer that came at some time."""
    assert core._pass is not None
    (user,) = core._pass._users
    assert isinstance(user, ClosedLoopUser)
    body = GOOD.replace(b'"docs":[]', b'"docs":[{"id":"y"}]')
    user.answered(200, body, len(body), True, came_ns)
