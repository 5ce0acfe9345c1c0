"""A step that breaks off keeps what its workers had reported; load pods stand beside servers."""

from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.load import Step
from solrbench.contract.second_series import MAX_WINDOWS
from solrbench.contract.server_document import ServerFigures, Telemetry
from solrbench.load.master.distributed_step_run import RunningTotals
from solrbench.load.master.partial_result import StepRunMetadata, add_load_pods, partial_result
from solrbench.load.recording.request_stats import pack_times
from solrbench.load.schedule.messages import LiveTotals
from solrbench.stats.histograms import bucket_of
from support.load.coordinated_run import TIMED, Run
from support.load.fake_workers import load_plan
from support.load.worker_results import BEGAN, PLANNED
from support.narrowing import not_none

NOTHING = LiveTotals(0, 0, 0, 0)
LONG = TIMED | {"durationSeconds": 600}


def test_all_workers_lost_leaves_what_they_reported(tmp_path: Path) -> None:
    run = Run(load_plan(LONG), tmp_path)
    run.at(100, lambda: run.load.lose("a", "b"))
    run.fail()
    found = not_none(run.coordinator.unfinished())
    assert found.ended_early is not None
    assert found.id == "r1-s0-timed"
    # Workers join and spawn in the first seconds, then each has ten requests a second.
    assert 90 <= found.seconds <= 100
    assert found.requests[0].requests == pytest.approx(20 * found.seconds, abs=40)
    assert sum(each.requests for each in found.requests[0].windows) > 1700
    assert found.ended_early.failures == 0
    assert found.ended_early.last_good_second == pytest.approx(found.seconds, abs=2)


def test_first_symptom_is_the_last_good_response(tmp_path: Path) -> None:
    run = Run(load_plan(LONG), tmp_path)
    run.workers.fails_from_second = 30
    run.at(100, lambda: run.load.lose("a", "b"))
    run.fail()
    found = not_none(run.coordinator.unfinished())
    assert found.ended_early is not None
    assert 27 <= found.ended_early.last_good_second <= 31
    assert found.ended_early.failures > 1000


@pytest.mark.parametrize("changes", [{}, {"warmUp": {"durationSeconds": 60}}])
def test_nothing_is_left_before_measuring(changes: dict[str, Any], tmp_path: Path) -> None:
    run = Run(load_plan(LONG, **changes), tmp_path)
    assert run.coordinator.unfinished() is None
    run.at(2 if not changes else 30, lambda: run.load.lose("a", "b"))
    run.fail()
    assert run.coordinator.unfinished() is None


def test_a_step_that_ended_is_not_unfinished(tmp_path: Path) -> None:
    run = Run(load_plan(TIMED), tmp_path)
    run.run()
    assert run.coordinator.unfinished() is None


def test_times_are_those_of_all_workers() -> None:
    so_far = RunningTotals()
    so_far.begin(100.0)
    so_far.add(NOTHING, LiveTotals(1, 2, 0, 9000), pack_times({bucket_of(4000): 2}), 101.0)
    so_far.add(NOTHING, LiveTotals(1, 2, 1, 90_000), pack_times({bucket_of(40_000): 2}), 101.1)
    assert so_far.histogram.percentile(50) == pytest.approx(4000, rel=0.02)
    assert so_far.histogram.percentile(99) == pytest.approx(40_000, rel=0.02)
    assert (so_far.requests, so_far.failures, so_far.last_good_second) == (4, 1, 0)


@pytest.mark.parametrize("phase", [0, 0.3, 0.7, 0.9])
def test_a_report_is_of_the_last_whole_second(phase: float) -> None:
    so_far, before = RunningTotals(), NOTHING
    so_far.begin(100.0)
    for second in range(1, 4):
        totals = LiveTotals(1, 10 * second, 0, 9000)
        so_far.add(before, totals, b"", 100 + second + phase)
        before = totals
    assert [each.second for each in so_far.windows] == [0, 1]
    assert so_far.last_good_second == 2


def test_what_came_before_measuring_is_left_out() -> None:
    so_far = RunningTotals()
    so_far.add(NOTHING, LiveTotals(1, 50, 0, 9000), b"", 99.0)
    assert so_far.requests == 0
    so_far.begin(100.0)
    ramp = LiveTotals(1, 60, 20, 0)
    so_far.add(LiveTotals(1, 50, 0, 0), ramp, b"", 100.1)
    assert so_far.requests == 0
    so_far.add(ramp, LiveTotals(1, 80, 3, 9000), b"", 101.1)
    assert (so_far.requests, so_far.failures) == (80, 3)


def test_a_day_takes_no_more_windows_than_a_finished_step() -> None:
    so_far = RunningTotals()
    so_far.begin(0.0)
    before = NOTHING
    for second in range(1, 86_401):
        totals = LiveTotals(1, second, 0, 1000 * second)
        so_far.add(before, totals, b"", float(second))
        before = totals
    assert len(so_far.windows) <= MAX_WINDOWS + 600
    assert so_far.requests == 86_400


def pod(name: str, component: str, cpu_seconds: float) -> ServerFigures:
    figures = {"cpu_seconds": cpu_seconds, "throttled_percent": cpu_seconds}
    return ServerFigures(server=name, component=component, seconds=2.0, readings=2, figures=figures)


def test_telemetry_of_a_step_that_breaks_off_is_kept() -> None:
    read = Telemetry(pods=[pod("solr-0", "solr", 9.0)])
    metadata = StepRunMetadata(1, BEGAN, telemetry=read)
    assert partial_result(PLANNED, RunningTotals(), 5.0, metadata).telemetry == read


@pytest.mark.parametrize(
    ("load", "rate"),
    [
        ({"users": 3}, None),
        ({"requestsPerSecond": 4, "rateChanges": [{"atSeconds": 0, "requestsPerSecond": 8}]}, 8),
        ({"replay": {}}, 6),
    ],
)
def test_planned_rate_of_a_step_that_breaks_off(load: dict[str, Any], rate: float | None) -> None:
    step = Step.model_validate({"name": "storm", "durationSeconds": 9} | load)
    planned, so_far = PLANNED.model_copy(update={"step": step}), RunningTotals()
    so_far.begin(0.0)
    so_far.add(NOTHING, LiveTotals(1, 30, 0, 9000), b"", 5.0)
    found = partial_result(planned, so_far, 5.0, StepRunMetadata(1, BEGAN))
    assert found.requests_per_second == rate


def test_workers_stand_beside_the_pods_that_the_master_read() -> None:
    read = Telemetry(pods=[pod("solr-0", "solr", 9.0), pod("master", "load-master", 1.0)])
    found = not_none(add_load_pods(read, [pod("worker-0", "load-worker", 3.0), None]))
    assert [each.server for each in found.pods] == ["solr-0", "master", "worker-0"]
    spreads = {each.figure: each for each in found.spreads["load-pods"]}
    assert spreads["cpu_seconds"].total == 2.0  # per second, without Solr
    assert spreads["throttled_percent"].highest_server == "worker-0"


def test_without_telemetry_or_pods_nothing_is_added() -> None:
    assert add_load_pods(None, [pod("worker-0", "load-worker", 3.0)]) is None
    read = Telemetry()
    assert add_load_pods(read, [None]) is read
