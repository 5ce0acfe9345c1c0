import asyncio
import dataclasses
from collections import Counter

import pytest

from solrbench.api.v1alpha1.arrivals import ThinkTime
from solrbench.load.engine.engine import Engine
from solrbench.load.engine.measurement import EngineReport
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.messages import Abort, AdoptUsers, Start, StartMeasuring, StopSending
from solrbench.load.workload.query_file import WorkloadQuery
from solrbench.stats.histograms import decode
from support.load.builders import (
    SHORT_THINK,
    RecordingListener,
    assignment,
    begin_step,
    only,
    plain,
    run_step,
    send_first_at_once,
    target,
    until,
    workload,
)
from support.servers.http_server import EVERY, HttpServer, respond_after


@pytest.mark.parametrize(("users", "requests"), [(1, 1), (1, 50), (7, 50), (50, 7), (10, 1000)])
async def test_requests_are_exact(users: int, requests: int) -> None:
    async with HttpServer() as server:
        result = await run_step(target(server.url), assignment(users=users, requests=requests))
    assert len(server.requests) == requests
    assert min(users, requests) <= server.connections <= users
    assert result.measured == requests
    assert only(result).failures == 0
    assert decode(only(result).service_time_histogram).count == requests
    assert sum(window.requests for window in only(result).windows) == requests


async def test_step_run_uses_the_endpoints_of_its_variant() -> None:
    async with HttpServer() as raw, HttpServer() as first, HttpServer() as second:
        endpoints = {"raw": target(raw.url).nodes, "proxies": target(first.url, second.url).nodes}
        what = dataclasses.replace(target(raw.url), variants=endpoints)
        await run_step(what, assignment(users=4, requests=40, variant="proxies"))
        assert [len(each.requests) for each in (raw, first, second)] == [0, 20, 20]
        await run_step(what, assignment(users=4, requests=40, variant="raw"))
        assert [len(each.requests) for each in (raw, first, second)] == [40, 20, 20]
    asked = [Counter(dict(p)["q"] for _, _, p in each.requests) for each in (first, second)]
    assert asked[0] + asked[1] == Counter(dict(p)["q"] for _, _, p in raw.requests)


async def test_users_are_spread_over_nodes() -> None:
    async with HttpServer() as one, HttpServer() as two, HttpServer() as three:
        what = target(one.url, two.url, three.url)
        for worker in (0, 1):
            await run_step(what, assignment(users=12, requests=240, worker=worker, workers=2))
    assert [each.connections for each in (one, two, three)] == [4, 4, 4]


async def test_request_goes_to_the_handler_with_all_parameters() -> None:
    spec = workload(method="POST", handler="/browse", parameters={"rows": "5"})
    async with HttpServer() as server:
        what = target(server.url, queries=plain("café & crème"), spec=spec)
        await run_step(what, assignment(requests=1))
    assert server.requests == [
        ("POST", "/solr/books/browse", [("q", "café & crème"), ("wt", "json"), ("rows", "5")])
    ]


async def test_progress_adds_up_to_the_outcome() -> None:
    listener = RecordingListener()
    async with HttpServer() as server:
        duty = assignment(users=2, seconds=2, think=SHORT_THINK)
        result = await run_step(target(server.url), duty, listener)
    live = [second for heard in listener.progress for _, second in heard.seconds]
    assert sum(second.requests for second in live) == result.measured
    assert listener.progress[-1].totals.requests == result.measured
    assert len(listener.progress) >= 2
    assert len(server.requests) == result.measured


async def test_stopped_step_run_finishes_requests_in_flight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send_first_at_once(monkeypatch)
    listener = RecordingListener()
    async with HttpServer(respond_after(0.3, EVERY[3:])) as server:
        duty = assignment(users=4, seconds=60, think=ThinkTime(constant_milliseconds=3_600_000))
        engine = await begin_step(target(server.url), duty, listener)
        await until(lambda: len(server.requests) == 4)
        engine.execute(StopSending(key="r9-s9-other"))
        assert not listener.outcome.done()
        engine.execute(StopSending(key=duty.key))
        result = await asyncio.wait_for(listener.outcome, 5)
        engine.execute(StopSending(key=duty.key))
    assert (result.measured, only(result).failures) == (4, 0)
    assert len(server.requests) == 4
    spent = listener.progress[-1].totals.sum_microseconds
    # The server's clock counts whole milliseconds.
    assert spent == only(result).sum_microseconds > 295_000
    assert [each.requests for each in result.micro_batches] == [4]


async def test_names_in_the_file_are_counted_apart() -> None:
    named = [WorkloadQuery(name, (("q", name),)) for name in ("hot", "cold", "hot")]
    async with HttpServer() as server:
        result = await run_step(target(server.url, queries=named), assignment(users=2, requests=30))
    assert {each.request: each.requests for each in result.requests} == {"hot": 20, "cold": 10}
    assert Counter(server.queries) == {"hot": 20, "cold": 10}


@pytest.mark.slow
async def test_next_step_run_keeps_nothing_of_the_last() -> None:
    reports: asyncio.Queue[EngineReport] = asyncio.Queue()
    async with HttpServer() as server:
        engine = Engine(target(server.url), reports.put_nowait, asyncio.get_running_loop())
        for requests in (5, 3):
            duty = assignment(requests=requests)
            engine.execute(duty)
            engine.add_user()
            engine.execute(StartMeasuring(key=duty.key))
            while not isinstance(report := await reports.get(), WorkerStepResult):
                pass
            assert report.measured == requests
    assert len(server.requests) == 8


@pytest.mark.parametrize("start", [Start.BARRIER, Start.RAMP])
async def test_users_of_a_lost_worker_begin_at_once(start: Start) -> None:
    listener = RecordingListener()
    duty = assignment(users=5, seconds=1, start=start, worker=1, workers=2, think=SHORT_THINK)
    async with HttpServer() as first, HttpServer() as second:
        engine = await begin_step(target(first.url, second.url), duty, listener)
        before = first.connections
        # Users 1 and 3 are its own; those with even numbers ask the first node.
        engine.execute(AdoptUsers(key="another step run", users=[7, 9]))
        engine.execute(AdoptUsers(key=duty.key, users=[0, 2, 4]))
        for _ in range(3):
            engine.add_user()
        result = await asyncio.wait_for(listener.outcome, 5)
        assert (before, first.connections, second.connections) == (0, 3, 2)
    assert result.users == 5
    assert result.measured == len(first.requests + second.requests) - only(result).ramp_requests


async def test_aborted_step_run_has_no_result_and_sends_no_more() -> None:
    listener, duty = RecordingListener(), assignment(users=2, seconds=60)
    async with HttpServer() as server:
        engine = await begin_step(target(server.url), duty, listener)
        await until(lambda: len(server.requests) > 10)
        engine.execute(Abort(key="another step run"))
        before = len(server.requests)
        await until(lambda: len(server.requests) > before + 100)
        engine.execute(Abort(key=duty.key))
        result = await run_step(target(server.url), assignment(users=1, requests=5))
        seen = len(server.requests)
        await run_step(target(server.url), assignment(users=1, requests=5))
        assert len(server.requests) == seen + 5
    assert result.measured == 5
    assert not listener.outcome.done()


async def test_user_who_comes_after_the_step_run_has_nothing_to_do() -> None:
    listener = RecordingListener()
    Engine(target("http://one:1/solr"), listener, asyncio.get_running_loop()).add_user()
    assert not listener.all_ready.is_set()
