import asyncio
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from solrbench.api.v1alpha1.arrivals import ThinkTime
from solrbench.load.engine import http_client
from solrbench.load.engine.engine import Engine
from solrbench.load.engine.target import LoadTarget
from solrbench.load.engine.virtual_user import ClosedLoopUser
from solrbench.load.schedule.messages import StopSending
from solrbench.load.workload.requests import Node
from solrbench.net.http_connection import HttpConnection
from support.fakes.virtual_time import VirtualTimeLoop
from support.load.builders import (
    RecordingListener,
    assignment,
    begin_step,
    only,
    send_first_at_once,
    target,
    until,
)
from support.load.transactions import CHAIN, by_name
from support.load.transactions import target as transactions
from support.servers.http_server import GOOD, HttpServer, respond_after
from support.servers.virtual_server import serve

AN_HOUR = 3_600_000


def _in_a_transaction(url: str) -> LoadTarget:
    thought: dict[str, Any] = CHAIN[1] | {"thinkTime": {"constantMilliseconds": AN_HOUR}}
    return transactions(url, CHAIN[0], thought)


@pytest.mark.parametrize(
    ("make_target", "think", "counted"),
    [
        (target, ThinkTime(constant_milliseconds=AN_HOUR), {"query": 1}),
        (_in_a_transaction, None, {"lend.a": 1}),
    ],
)
async def test_user_whose_answer_is_checked_after_the_close_does_not_think(
    make_target: Callable[[str], LoadTarget],
    think: ThinkTime | None,
    counted: dict[str, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send_first_at_once(monkeypatch)
    listener, duty = RecordingListener(), assignment(seconds=60, think=think)
    async with HttpServer(respond_after(60)) as server:
        engine = await begin_step(make_target(server.url), duty, listener)
        await until(lambda: len(server.requests) == 1)
        came_ns = time.perf_counter_ns()
        engine.execute(StopSending(key=duty.key))
        _answer(engine, came_ns)
        outcome = await asyncio.wait_for(listener.outcome, 5)
    assert {name: each.requests for name, each in by_name(outcome).items()} == counted
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "waits",
    [{"think_time": ThinkTime(constant_milliseconds=4000)}, {"pacing_milliseconds": 4000}],
    ids=["think time", "pacing"],
)
async def test_users_that_think_as_long_do_not_send_in_step(
    monkeypatch: pytest.MonkeyPatch, waits: dict[str, Any], loop: VirtualTimeLoop
) -> None:
    server = serve(monkeypatch, loop)
    listener = RecordingListener()
    duty = assignment(users=200, seconds=20, **waits)
    await begin_step(target("http://solr:1/solr"), duty, listener)
    began_ns = loop.now_ns
    outcome = await listener.outcome
    per_second = Counter((at - began_ns) // 1_000_000_000 for at in server.sent_ns)
    # 50 a second, each user in one of four: five standard deviations of a binomial number.
    assert all(abs(count - 50) < 31 for count in per_second.values())
    assert len(per_second) == 20
    assert only(outcome).requests == per_second.total() == 1000


async def test_users_of_a_silent_node_wait_for_it_once(
    monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop
) -> None:
    server = serve(monkeypatch, loop)

    async def connect(node: Node, loop: asyncio.AbstractEventLoop) -> HttpConnection:
        if node.host == "silent":
            await asyncio.sleep(3600)
        return await server.connect(node, loop)

    monkeypatch.setattr(http_client, "connect", connect)
    nodes = target("http://silent:1/solr", "http://heard:1/solr", timeout_seconds=5)
    listener, began = RecordingListener(), loop.time()
    await begin_step(nodes, assignment(users=500, requests=500), listener)
    assert loop.time() - began == pytest.approx(5)
    assert server.connections == 250
    outcome = await listener.outcome
    (failed,) = only(outcome).failure_kinds
    assert (failed.kind, failed.count) == ("Timeout", 250)
    assert failed.sample == "cannot connect to silent:1 within 5 s"


def _answer(engine: Engine, came_ns: int) -> None:
    """Let the only user read an answer that came at some time."""
    assert engine._step_run is not None
    (user,) = engine._step_run._users._users
    assert isinstance(user, ClosedLoopUser)
    body = GOOD.replace(b'"docs":[]', b'"docs":[{"id":"y"}]')
    user.on_response(200, body, len(body), True, came_ns)
