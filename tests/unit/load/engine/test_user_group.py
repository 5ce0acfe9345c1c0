"""Users that connect, start and finish, in virtual time.

Users that think between requests, or keep a pace.
"""

import asyncio

import pytest

from solrbench.load.engine.user_group import UserGroup
from solrbench.load.schedule.users import pacing_wait_seconds
from support.fakes.virtual_time import VirtualTimeLoop
from support.load.builders import assignment, only, run_step, target
from support.servers.http_server import HttpServer, respond_after
from support.servers.virtual_server import Calls, calling


class User:
    """Takes a second to connect, and is finished when the test says so."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def prepare(self) -> None:
        await asyncio.sleep(1)
        self._calls.append("connected")

    def start(self) -> None:
        self._calls.append("started")

    def stop(self) -> None:
        self._calls.append("stopped")

    def abort(self) -> None:
        self._calls.append("aborted")


def group(loop: VirtualTimeLoop, expected: int) -> tuple[UserGroup, Calls]:
    calls: Calls = []
    users = UserGroup(expected, calling(calls, "ready"), calling(calls, "finished"), loop)
    return users, calls


async def test_waiting_users_are_ready_when_the_last_has_connected(loop: VirtualTimeLoop) -> None:
    users, calls = group(loop, 3)
    for _ in range(3):
        users.add_waiting(User(calls))
    await asyncio.sleep(0.9)
    assert (calls, len(users)) == ([], 3)
    await asyncio.sleep(0.2)
    assert calls == [*["connected"] * 3, "ready"]
    users.start()
    assert calls[4:] == ["started"] * 3


async def test_only_so_many_users_connect_side_by_side(loop: VirtualTimeLoop) -> None:
    users, calls = group(loop, 65)
    for _ in range(65):
        users.add_waiting(User(calls))
    await asyncio.sleep(1.5)
    assert calls == ["connected"] * 64
    await asyncio.sleep(1)
    assert calls[64:] == ["connected", "ready"]


async def test_users_are_finished_when_the_last_active_one_is(loop: VirtualTimeLoop) -> None:
    users, calls = group(loop, 2)
    for _ in range(3):
        users.add_started(User(calls))
    assert calls == ["started", "started", "ready", "started"]
    users.on_user_finished()
    users.on_user_finished()
    assert "finished" not in calls
    users.on_user_finished()
    assert calls[-1] == "finished"


async def test_user_that_finishes_as_it_starts_does_not_end_the_others(
    loop: VirtualTimeLoop,
) -> None:
    users, calls = group(loop, 2)

    class Brief(User):
        def start(self) -> None:
            super().start()
            users.on_user_finished()

    users.add_waiting(Brief(calls))
    users.add_waiting(Brief(calls))
    await asyncio.sleep(2)
    users.start()
    assert calls[-3:] == ["started", "started", "finished"]


async def test_stop_and_abort_reach_all_users_and_no_connection_is_opened_any_more(
    loop: VirtualTimeLoop,
) -> None:
    users, calls = group(loop, 2)
    users.add_waiting(User(calls))
    users.add_started(User(calls))
    users.stop()
    users.abort()
    await asyncio.sleep(2)
    assert calls == ["started", "stopped", "stopped", "aborted", "aborted"]


async def test_paced_users_wait_for_the_rest_of_their_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[float] = []

    def wait(pacing_milliseconds: int, passed_seconds: float) -> float:
        passed.append(passed_seconds)
        return pacing_wait_seconds(pacing_milliseconds, passed_seconds)

    monkeypatch.setattr("solrbench.load.engine.user_group.pacing_wait_seconds", wait)
    duty = assignment(users=2, seconds=1, pacing_milliseconds=200)
    async with HttpServer(respond_after(0.05)) as server:
        result = await run_step(target(server.url), duty)
    assert 2 <= only(result).requests <= 10
    assert min(passed) >= 0.04  # clocks of the two sides may differ a little
