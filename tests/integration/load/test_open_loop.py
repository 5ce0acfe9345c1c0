"""Planned rates by a real master and real workers, against a server that counts and stalls."""

import asyncio
import json
import math
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from solrbench.stats.histograms import decode
from support.load.processes import LATE_SECONDS, make_plan, measure, run_plan, running, serving
from support.servers.http_server import Exchange

pytestmark = [pytest.mark.alone, pytest.mark.timeout(120)]

RATE = 200

STARTING_SECONDS = 45
"""Longest wait for processes that have to start on a busy machine."""

SLACK_MICROSECONDS = 100_000
"""What a busy machine may add; a client that omits the waiting is wrong by most of a second."""


def planned(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "requestsPerSecond": RATE} | fields


def test_two_workers_send_the_whole_plan_and_nothing_twice(tmp_path: Path) -> None:
    queries = [f"id{number}" for number in range(600)]
    with serving() as server:
        step = planned("exact", requests=401)
        with running(tmp_path, make_plan(server, step), "\n".join(queries)) as load:
            state = load.wait(lambda state: state.stage == "Measuring", STARTING_SECONDS)
            assert state.planned_requests_per_second == RATE
            assert state.users == 0
            page = load.http.get("/stats/requests").json()
            assert page["user_count"] == 2
            load.wait(lambda state: bool(state.unacknowledged))
            load.wait_for_page({"exact": 401})
            (document,) = measure(load, "r1-s0-exact")
        asked = Counter(query for query in server.queries if query.startswith("id"))
    assert asked == Counter(queries[:401])
    (result,) = document.requests
    assert (result.requests, result.failures, result.dropped_requests) == (401, 0, 0)
    assert (document.users, document.requests_per_second) == (None, RATE)
    assert document.planned_requests == 401
    assert decode(result.response_time_histogram or "").count == 401
    assert [worker.requests for worker in document.workers] == [201, 200]
    assert all(worker.lag_p99_microseconds is not None for worker in document.workers)
    # 401 exponential gaps: within 5 standard deviations of their mean sum.
    deviation = document.seconds - 401 / RATE
    assert -5 < deviation * RATE / math.sqrt(401) < 5 + LATE_SECONDS * RATE / math.sqrt(401)
    # The rate is that of the schedule, which both workers know.
    assert document.duration_seconds is not None
    assert abs(document.rate_seconds - 401 / RATE) < 5 * math.sqrt(401) / RATE


def test_two_workers_replay_a_log_at_its_own_times(tmp_path: Path) -> None:
    times = [0, 0.1, 0.1, 0.5, 1.0, 1.01, 1.02, 2.4]
    lines = [
        json.dumps({"time": 10 + time, "params": {"q": f"id{number}"}})
        for number, time in enumerate(times)
    ]
    with serving() as server:
        step = {"name": "log", "replay": {"speedFactor": 2.0}, "durationSeconds": 30}
        (document,) = run_plan(tmp_path, make_plan(server, step), "\n".join(lines))
        sent = [query for query in server.queries if query.startswith("id")]
    assert Counter(sent) == Counter(f"id{number}" for number in range(8))
    found = document.users, document.planned_requests, document.queries_exhausted
    assert found == (None, 8, True)
    assert sent[3:5] == ["id3", "id4"]  # a quarter of a second apart
    assert 1.1 < document.seconds < 1.2 + LATE_SECONDS  # half of the log's 2.4 s
    assert document.requests_per_second


def test_a_ramp_is_kept_apart_and_the_rest_begins_after_it(tmp_path: Path) -> None:
    with serving() as server:
        step = planned("ramp", arrivalDistribution="Uniform", rampSeconds=4, durationSeconds=2)
        plan = make_plan(server, step)
        plan["stepRuns"][0]["rampFromRequestsPerSecond"] = 100
        with running(tmp_path, plan, "a\nb\n") as load:
            load.wait(
                lambda state: state.stage == "Ramping" and state.requests > 0, STARTING_SECONDS
            )
            (document,) = measure(load, "r1-s0-ramp")
        sent = sum(path.endswith("/select") for _, path, _ in server.requests)
    (result,) = document.requests
    assert (result.ramp_requests, result.requests) == (600, 400)
    assert sent == 1000
    assert document.planned_requests == 400
    assert 1.9 < document.seconds < 2 + LATE_SECONDS


def test_a_stall_shows_in_the_response_times_as_theory_says(tmp_path: Path) -> None:
    """A server that answers nothing for a second holds up what arrives in it.

    With uniform arrivals of 200/s over 5 s and one stall of 1 s, 200 of 1000 requests wait for its
    end, from 1 s down to nothing: the p-th percentile is 1 s - (100 - p) % of 5 s.
    """
    stall: list[float] = []

    async def stalls(exchange: Exchange) -> None:
        if not exchange.query:
            exchange.send()
            return
        if not stall:
            stall.append(time.monotonic() + 2.0)
        into = time.monotonic() - stall[0]
        if 0 <= into < 1:
            await asyncio.sleep(1 - into)
        exchange.send()

    with serving(stalls) as server:
        step = planned("stall", arrivalDistribution="Uniform", durationSeconds=5)
        (document,) = run_plan(tmp_path, make_plan(server, step), "a\nb\n")
    (result,) = document.requests
    assert (result.requests, result.failures, result.dropped_requests) == (1000, 0, 0)
    histogram = decode(result.response_time_histogram or "")
    for percent in (85, 90, 95, 99):
        wanted = 1 - 5 * (100 - percent) / 100
        assert histogram.percentile(percent) == pytest.approx(wanted * 1e6, abs=SLACK_MICROSECONDS)
    assert result.response_max_microseconds == pytest.approx(1e6, abs=SLACK_MICROSECONDS)


def test_overload_is_late_and_dropped_but_never_hidden(tmp_path: Path) -> None:
    async def slow(exchange: Exchange) -> None:
        if exchange.query:
            await asyncio.sleep(0.1)
        exchange.send()

    with serving(slow) as server:
        step = planned("overload", durationSeconds=3, maxInFlight=4)
        plan = make_plan(server, step)
        plan["workload"]["timeoutSeconds"] = 1
        (document,) = run_plan(tmp_path, plan, "a\nb\n")
        sent = sum(path.endswith("/select") for _, path, _ in server.requests)
    (result,) = document.requests
    # Four connections at 10/s each do 40 of 200 requests a second.
    assert result.requests == sent < 250
    assert result.dropped_requests > 300
    assert document.planned_requests == result.requests + result.dropped_requests
    assert 0.9 * result.requests < result.late_requests <= result.requests
    histogram = decode(result.response_time_histogram or "")
    assert histogram.count == document.planned_requests
    assert (histogram.percentile(95) or 0) > 900_000
    assert (decode(result.service_time_histogram).percentile(50) or 0) < 200_000
