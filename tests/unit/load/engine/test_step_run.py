"""The states of a step run, in virtual time."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest

from solrbench.api.v1alpha1.arrivals import ThinkTime
from solrbench.api.v1alpha1.workload import Workload
from solrbench.load.engine import resource_usage
from solrbench.load.engine.engine import StepRun
from solrbench.load.engine.measurement import StepRunState
from solrbench.load.schedule.messages import Assignment, Start
from support.fakes.virtual_time import VirtualTimeLoop
from support.load.builders import assignment, duty, send_first_at_once, target, workload
from support.narrowing import not_none
from support.servers.virtual_server import Calls, calling, serve

WAITING, RAMPING, MEASURING, STOPPING, FINISHED, ABORTED = StepRunState
URL = "http://solr:8983/solr"
AN_HOUR = ThinkTime(constant_milliseconds=3_600_000)


class Bench:
    """A step run of one worker, the server it is sent to, and what it reported."""

    def __init__(
        self,
        patch: pytest.MonkeyPatch,
        loop: VirtualTimeLoop,
        part: Assignment,
        spec: Workload | None = None,
    ) -> None:
        self.server = serve(patch, loop, seconds=0.25)
        patch.setattr(resource_usage, "_clock", loop.time)
        self.calls: Calls = []
        ready, ended = (calling(self.calls, each) for each in ("ready", "ended"))
        self.run = StepRun(part, target(URL, spec=spec), ready, ended, loop)

    async def add_users(self, count: int) -> None:
        for _ in range(count):
            self.run.add_user()
        await asyncio.sleep(0.001)

    async def begin(self) -> None:
        """Add all users, and begin to measure."""
        await self.add_users(self.run.assignment.worker_users)
        self.run.start_measuring()


MakeBench = Callable[..., Bench]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop) -> MakeBench:
    return partial(Bench, monkeypatch, loop)


async def test_users_at_the_barrier_wait_and_then_measure_to_the_end(
    loop: VirtualTimeLoop, make: MakeBench
) -> None:
    bench = make(assignment(users=2, requests=4))
    await bench.add_users(1)
    assert (bench.run.state, bench.calls) == (WAITING, [])
    await bench.add_users(1)
    assert (bench.run.state, bench.calls) == (WAITING, ["ready"])
    assert (bench.server.connections, bench.server.sent_ns) == (2, [])
    started_ns = loop.now_ns
    bench.run.start_measuring()
    assert bench.run.state is MEASURING
    await asyncio.sleep(0.3)
    assert bench.run.state is MEASURING
    await asyncio.sleep(0.3)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])
    assert [at - started_ns for at in bench.server.sent_ns] == [0, 0, 250_000_000, 250_000_000]
    assert bench.run.progress(last=True).totals.requests == bench.run.result().measured == 4


async def test_end_is_not_reported_in_the_middle_of_the_last_users_turn(make: MakeBench) -> None:
    bench = make(assignment(users=1, requests=0))
    await bench.begin()
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready"])
    await asyncio.sleep(0)
    assert bench.calls == ["ready", "ended"]


async def test_ramp_is_measured_once_all_users_are_there_and_stops_in_time(
    loop: VirtualTimeLoop, make: MakeBench
) -> None:
    bench = make(assignment(users=1, seconds=1, start=Start.RAMP))
    assert bench.run.state is RAMPING
    await bench.add_users(1)
    assert (bench.run.state, len(bench.server.sent_ns)) == (RAMPING, 1)
    await asyncio.sleep(0.3)
    bench.run.start_measuring()
    measured_ns = loop.now_ns
    assert bench.run.state is MEASURING
    await asyncio.sleep(0.999)
    assert bench.run.state is MEASURING
    await asyncio.sleep(0.001)
    assert (bench.run.state, bench.calls) == (STOPPING, ["ready"])
    await asyncio.sleep(0.25)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])
    assert max(bench.server.sent_ns) < measured_ns + 1_000_000_000
    bench.run.progress(last=True)
    (result,) = bench.run.result().requests
    assert (result.ramp_requests, result.requests) == (2, len(bench.server.sent_ns) - 2)


async def test_drain_is_no_part_of_the_time_of_sending(make: MakeBench) -> None:
    bench = make(assignment(users=2, seconds=6))
    bench.server.seconds = 1.75
    await bench.begin()
    await asyncio.sleep(8)
    assert bench.run.state is FINISHED
    bench.run.progress(last=True)
    result = bench.run.result()
    assert (result.sending_seconds, result.last_seconds) == (6, 7.0)
    assert result.measured_seconds == pytest.approx(6)


async def test_counted_requests_end_when_the_last_one_is_sent(make: MakeBench) -> None:
    bench = make(assignment(users=2, requests=3))
    await bench.begin()
    await asyncio.sleep(1)
    assert bench.run.state is FINISHED
    assert bench.run.result().sending_seconds == 0.25


@pytest.mark.parametrize(
    "part",
    [assignment(users=2, requests=5), duty(requests_per_second=1, requests=4)],
    ids=["users", "arrivals"],
)
async def test_what_counted_requests_cost_is_measured_without_their_drain(
    part: Assignment, make: MakeBench
) -> None:
    bench = make(part)
    await bench.begin()
    await asyncio.sleep(0.4)
    # From now on there is no response before the timeout of 5 s.
    bench.server.seconds = 60.0
    for _ in range(10):
        await asyncio.sleep(1)
        bench.run.progress()
    assert bench.run.state is FINISHED
    assert (bench.run.result().measured_seconds or 0) == pytest.approx(3, abs=2)


async def test_planned_arrivals_end_with_their_time(make: MakeBench) -> None:
    bench = make(duty(requests_per_second=1, seconds=6).model_copy(update={"seconds": 6}))
    bench.server.seconds = 3.0
    await bench.begin()
    await asyncio.sleep(9)
    assert bench.run.state is FINISHED
    assert bench.run.result().sending_seconds == 6
    assert bench.run.result().measured_seconds == pytest.approx(6)


async def test_immediate_start_measures_from_the_first_request(make: MakeBench) -> None:
    bench = make(assignment(users=2, requests=2, start=Start.IMMEDIATE))
    # Meanwhile the master reads servers.
    await asyncio.sleep(5)
    assert bench.run.state is RAMPING
    bench.run.start_measuring()
    bench.run.start_measuring()
    assert bench.run.state is MEASURING
    await bench.add_users(2)
    await asyncio.sleep(0.3)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])
    result = bench.run.result()
    assert 0 <= not_none(result.first_seconds) < 0.1
    assert not_none(result.measured_seconds) < 1


async def test_stop_wakes_users_that_think_and_lets_requests_in_flight_end(
    monkeypatch: pytest.MonkeyPatch, make: MakeBench
) -> None:
    send_first_at_once(monkeypatch)
    bench = make(assignment(users=2, seconds=60, think=AN_HOUR))
    await bench.begin()
    await asyncio.sleep(0.3)
    bench.run.add_user()
    bench.run.stop_sending()
    assert bench.run.state is STOPPING
    bench.run.stop_sending()
    await asyncio.sleep(0.2)
    assert bench.run.state is STOPPING
    await asyncio.sleep(0.1)
    assert (bench.run.state, len(bench.server.sent_ns)) == (FINISHED, 3)


async def test_stop_at_the_barrier_leaves_users_waiting_with_nothing_to_send(
    make: MakeBench,
) -> None:
    bench = make(assignment(users=1, requests=5))
    await bench.add_users(1)
    bench.run.stop_sending()
    assert bench.run.state is WAITING
    bench.run.start_measuring()
    assert (bench.run.state, bench.server.sent_ns) == (FINISHED, [])


async def test_timer_that_fires_early_lets_requests_through_to_the_end(make: MakeBench) -> None:
    bench = make(assignment(users=1, seconds=1))
    await bench.begin()
    await asyncio.sleep(0.6)
    bench.run._stop()
    assert bench.run.state is MEASURING
    await asyncio.sleep(0.41)
    assert (bench.run.state, len(bench.server.sent_ns)) == (FINISHED, 4)


async def test_worker_without_users_finishes_when_measuring_starts(make: MakeBench) -> None:
    bench = make(assignment(users=1, requests=4, worker=1, workers=2))
    await asyncio.sleep(0)
    assert (bench.run.state, bench.calls) == (WAITING, ["ready"])
    bench.run.start_measuring()
    bench.run.start_measuring()
    await asyncio.sleep(0)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])


@pytest.mark.parametrize(
    ("start", "before", "state"),
    [
        (Start.BARRIER, lambda _: None, WAITING),
        (Start.RAMP, lambda _: None, RAMPING),
        (Start.BARRIER, StepRun.start_measuring, MEASURING),
        (Start.IMMEDIATE, StepRun.stop_sending, STOPPING),
    ],
)
async def test_aborted_step_run_sends_and_reports_no_more(
    start: Start, before: Callable[[StepRun], None], state: StepRunState, make: MakeBench
) -> None:
    bench = make(assignment(users=1, seconds=60, start=start))
    await bench.add_users(1)
    before(bench.run)
    assert bench.run.state is state
    sent = len(bench.server.sent_ns)
    bench.run.abort()
    bench.run.add_user()
    bench.run.start_measuring()
    await asyncio.sleep(120)
    assert (bench.run.state, bench.calls) == (ABORTED, ["ready"])
    assert len(bench.server.sent_ns) == sent


async def test_finished_step_run_stays_finished(make: MakeBench) -> None:
    bench = make(assignment(users=1, requests=1, seconds=60))
    await bench.begin()
    await asyncio.sleep(0.3)
    assert bench.run.state is FINISHED
    bench.run.stop_sending()
    bench.run.add_user()
    bench.run.abort()
    await asyncio.sleep(120)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])
    assert len(bench.server.sent_ns) == 1


async def test_open_loop_ramps_before_it_measures(make: MakeBench) -> None:
    bench = make(duty(requests=10, requests_per_second=10, ramp_seconds=2))
    await bench.add_users(1)
    assert (bench.run.state, bench.calls) == (WAITING, ["ready"])
    bench.run.start_measuring()
    assert bench.run.state is RAMPING
    bench.run.start_measuring()
    await asyncio.sleep(1.9)
    assert bench.run.state is RAMPING
    await asyncio.sleep(0.2)
    assert bench.run.state is MEASURING
    await asyncio.sleep(1.3)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])
    bench.run.progress(last=True)
    result = bench.run.result()
    assert (result.planned_requests, result.measured, result.lag_max_microseconds) == (10, 10, 0)
    assert result.requests[0].ramp_requests == len(bench.server.sent_ns) - 10 > 0


@pytest.mark.parametrize(
    "part",
    [
        assignment(users=2, seconds=60, start=Start.RAMP),
        duty(requests_per_second=10, ramp_seconds=60, seconds=60).model_copy(
            update={"seconds": 60}
        ),
    ],
    ids=["users", "arrivals"],
)
async def test_list_that_ends_in_the_ramp_ends_the_step_run_without_a_measurement(
    part: Assignment, make: MakeBench
) -> None:
    bench = make(part, workload("Once"))
    # Of the users, the second one is not there yet when the first has sent all queries.
    await bench.add_users(1)
    if part.open_loop is not None:
        bench.run.start_measuring()
    await asyncio.sleep(30)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])
    bench.run.progress(last=True)
    result = bench.run.result()
    assert (result.queries_exhausted, result.measured, result.sending_seconds) == (True, 0, 0)
    assert result.requests[0].ramp_requests == len(bench.server.sent_ns) == 3


async def test_open_loop_that_is_stopped_in_its_ramp_is_not_measured_again(make: MakeBench) -> None:
    bench = make(duty(requests=10, requests_per_second=1, ramp_seconds=2))
    await bench.add_users(1)
    bench.server.seconds = 5.0
    bench.run.start_measuring()
    await asyncio.sleep(1.9)
    assert (bench.run.state, len(bench.server.sent_ns)) == (RAMPING, 1)
    bench.run.stop_sending()
    assert bench.run.state is STOPPING
    await asyncio.sleep(3)
    assert (bench.run.state, len(bench.server.sent_ns)) == (STOPPING, 1)
    await asyncio.sleep(3)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])
