import math
from itertools import chain, islice, pairwise
from typing import Any

import numpy as np
import pytest

from solrbench.api.v1alpha1.arrivals import ArrivalDistribution
from solrbench.api.v1alpha1.load import Step, last_rate, mean_rate, rate_at
from solrbench.load.schedule.arrivals import ArrivalRate, Schedule, arrival_rate, arrivals

SECOND = 1_000_000_000


def rate(**fields: Any) -> ArrivalRate:
    given = {"requests_per_second": 16, "distribution": "Poisson", "max_in_flight": 10} | fields
    return ArrivalRate.model_validate(given)


def whole(plan: ArrivalRate, seed: int = 7) -> np.ndarray:
    return np.concatenate(list(arrivals(plan, seed)))


PLANS = [
    {"requests": 1000},
    {"requests": 4096},
    {"requests": 1},
    {"seconds": 60},
    {"seconds": 3, "requests_per_second": 5000, "distribution": "Uniform"},
    {"requests": 9000, "requests_per_second": 700, "ramp_seconds": 9},
    {"seconds": 9, "requests_per_second": 10, "ramp_seconds": 5, "ramp_from": 2000.0},
    {"seconds": 40, "ramp_seconds": 5, "changes": [{"at_seconds": 20, "requests_per_second": 900}]},
]


@pytest.mark.parametrize("fields", PLANS)
@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_workers_together_send_every_arrival_once(fields: dict[str, Any], workers: int) -> None:
    plan = rate(**fields)
    parts = [list(Schedule(plan, 7, n, workers).arrival_times_ns()) for n in range(workers)]
    all_of_them = whole(plan).tolist()
    assert sorted(chain(*parts)) == all_of_them
    for worker, part in enumerate(parts):
        assert part == sorted(part)
        assert len(part) == len(all_of_them[worker::workers])


def test_uniform_arrivals_go_to_the_workers_in_turn() -> None:
    plan = rate(seconds=60, distribution="Uniform")
    all_of_them = whole(plan).tolist()
    for worker in range(3):
        assert list(Schedule(plan, 7, worker, 3).arrival_times_ns()) == all_of_them[worker::3]


@pytest.mark.parametrize("late_ms", [(0,), (0, 0), (0, 10), (50, 0, 20, 10)])
def test_gaps_of_a_poisson_process_are_exponential_even_if_workers_begin_late(
    late_ms: tuple[int, ...],
) -> None:
    plan = rate(requests=20_000, requests_per_second=250)
    parts = [
        np.array(list(Schedule(plan, 7, worker, len(late_ms)).arrival_times_ns())) + late * 10**6
        for worker, late in enumerate(late_ms)
    ]
    # Not the first and last tenth of a second, in which not all of them send.
    together = np.sort(np.concatenate(parts))[50:-50]
    assert distance_from_exponential(np.diff(together) / SECOND, 250) < 1.63


@pytest.mark.parametrize("kind", ArrivalDistribution)
@pytest.mark.parametrize("requests", [1, 1000, 4095, 4096, 4097, 20_000])
@pytest.mark.parametrize("ramp", [0, 4])
def test_number_of_requests_is_exact(kind: ArrivalDistribution, requests: int, ramp: int) -> None:
    plan = rate(requests=requests, requests_per_second=300, distribution=kind, ramp_seconds=ramp)
    times = whole(plan)
    assert np.count_nonzero(times >= plan.ramp_ns) == requests
    assert times[-1] >= plan.ramp_ns


@pytest.mark.parametrize(
    ("per_second", "seconds", "count"),
    [(16, 60, 960), (3, 60, 180), (0.5, 60, 30), (0.001, 60, 1), (2.5, 3, 8), (1000, 9, 9000)],
)
def test_uniform_arrivals_are_those_before_the_end(
    per_second: float, seconds: int, count: int
) -> None:
    times = whole(rate(requests_per_second=per_second, seconds=seconds, distribution="Uniform"))
    assert len(times) == count
    assert times.tolist() == [math.floor(i / per_second * SECOND) for i in range(count)]


def test_no_arrival_is_due_when_the_time_is_over() -> None:
    times = whole(rate(seconds=7, requests_per_second=1000, ramp_seconds=2))
    assert times[-1] < 9 * SECOND
    assert times[-1] > 8.9 * SECOND


def distance_from_exponential(gaps: np.ndarray, per_second: int) -> float:
    """Return Kolmogorov's statistic times the root of their number; its bound at 1 % is 1.63."""
    expected = 1 - np.exp(-per_second * np.sort(gaps))
    steps = np.arange(len(gaps) + 1) / len(gaps)
    distance = max(np.max(steps[1:] - expected), np.max(expected - steps[:-1]))
    return float(distance) * math.sqrt(len(gaps))


def test_seconds_of_a_poisson_process_vary_as_they_should() -> None:
    """Chi-square dispersion: the sum of (n - mean)² / mean over k seconds has k - 1 degrees."""
    times = whole(rate(seconds=400, requests_per_second=50))
    counts = np.bincount(times // SECOND, minlength=400)
    dispersion = float(np.sum((counts - counts.mean()) ** 2) / counts.mean())
    # Normal approximation of chi-square with 399 degrees, 99 % on both sides.
    assert abs(dispersion - 399) < 2.58 * math.sqrt(2 * 399)
    assert abs(len(times) - 400 * 50) < 2.58 * math.sqrt(400 * 50)


@pytest.mark.parametrize(("start", "end"), [(0.0, 1000.0), (2000.0, 500.0), (999.999, 1000.0)])
@pytest.mark.parametrize("kind", ArrivalDistribution)
def test_a_ramp_moves_evenly_from_one_rate_to_the_other(
    start: float, end: float, kind: ArrivalDistribution
) -> None:
    ramp = {"ramp_seconds": 10, "ramp_from": start}
    plan = rate(requests_per_second=end, seconds=5, distribution=kind, **ramp)
    counts = np.bincount(whole(plan) // SECOND, minlength=15)
    for second in range(15):
        middle = start + (end - start) * min(second + 0.5, 10) / 10
        wanted = end if second >= 10 else middle
        spread = 4 * math.sqrt(wanted) if kind is ArrivalDistribution.POISSON else 2
        assert abs(counts[second] - wanted) <= spread


def test_the_schedule_depends_on_the_seed_alone() -> None:
    plan = rate(requests=5000)
    assert (whole(plan, 1) == whole(plan, 1)).all()
    assert (whole(plan, 1) != whole(plan, 2)).any()


def test_a_schedule_of_months_is_computed_as_it_is_needed() -> None:
    plan = rate(seconds=30 * 86_400, requests_per_second=100_000)
    first = list(islice(Schedule(plan, 1, 0, 2).arrival_times_ns(), 10))
    assert first[0] < SECOND
    slow = whole(rate(requests=1_000, requests_per_second=0.001, distribution="Uniform"))
    assert slow[-1] == 999_000 * SECOND


@pytest.mark.slow
def test_times_beyond_64_bits_stay_ascending() -> None:
    blocks = arrivals(rate(requests=10**9, requests_per_second=0.001), 1)
    last = [block[-1] for block in islice(blocks, 2500)]
    assert all(before <= after for before, after in pairwise(last))


def test_plan_of_a_step_has_its_defaults() -> None:
    step = Step(name="a", requests_per_second=4, duration_seconds=5)
    assert arrival_rate(step, 9.0) == rate(requests_per_second=4, seconds=5, max_in_flight=1000)
    ramped = step.model_copy(update={"ramp_seconds": 3, "max_in_flight": 7})
    made = arrival_rate(ramped, 9.0)
    assert made is not None
    assert (made.ramp_from, made.ramp_ns, made.max_in_flight) == (9.0, 3 * SECOND, 7)
    assert arrival_rate(Step(name="a", users=4, duration_seconds=5), 0.0) is None


CHANGES: list[dict[str, float]] = [
    {"at_seconds": 10, "requests_per_second": 100},
    {"at_seconds": 20, "requests_per_second": 100},
    {"at_seconds": 20, "requests_per_second": 10},
    {"at_seconds": 30, "requests_per_second": 0.001},
]


def test_rate_follows_its_changes() -> None:
    plan = rate(
        requests_per_second=20, seconds=40, changes=CHANGES, ramp_seconds=5, distribution="Uniform"
    )
    times = whole(plan) / SECOND - 5
    counts = np.histogram(times, [-5, 0, 5, 10, 20, 25, 30, 40])[0].tolist()
    # The areas below the lines: 50, 200, 400, 1000, then 37.5 and 12.5 of a decline, then nothing.
    assert counts == pytest.approx([50, 200, 400, 1000, 37.5, 12.5, 0], abs=1)


def test_mean_and_last_rate_are_those_of_the_changes() -> None:
    fields = {"requests_per_second": 20, "duration_seconds": 40}
    step = Step.model_validate(fields | {"rate_changes": CHANGES})
    assert mean_rate(step) == pytest.approx((600 + 1000 + 50) / 40, rel=1e-3)
    assert last_rate(step) == 0.001
    assert [rate_at(step, seconds) for seconds in (0, 5, 15, 20)] == [20, 60, 100, 10]
    assert rate_at(step, 99) == 0.001


LOG = [0, 0.5, 0.5, 2, 6]


@pytest.mark.parametrize(
    ("fields", "times"),
    [
        ({"seconds": 10}, [0, 0.25, 0.25, 1, 3, 3]),  # the last one finds no request
        ({"seconds": 2}, [0, 0.25, 0.25, 1]),
        ({"requests": 3}, [0, 0.25, 0.25]),
    ],
)
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_log_is_replayed_at_its_own_times(
    fields: dict[str, Any], times: list[float], workers: int
) -> None:
    plan = rate(requests_per_second=0, speed_factor=2, **fields)
    parts = [list(Schedule(plan, 7, n, workers, LOG).arrival_times_ns()) for n in range(workers)]
    found = sorted(each / SECOND for part in parts for each in part)
    assert found[: len(LOG)] == times[: len(LOG)]
    assert len(found) == len(times[: len(LOG)]) + (workers if fields == {"seconds": 10} else 0)


def sending(plan: ArrivalRate, worker: int = 0, *log: float) -> tuple[int, int] | None:
    times = Schedule(plan, 7, worker, 2, log).arrival_times_ns()
    while True:
        try:
            next(times)
        except StopIteration as over:
            found: tuple[int, int] | None = over.value
            return found


def test_uniform_arrivals_take_as_many_intervals_as_there_are() -> None:
    plan = rate(requests=16, requests_per_second=8, distribution="Uniform")
    assert sending(plan) == (0, 2 * SECOND)


@pytest.mark.parametrize("requests", [1, 1000, 4096])
@pytest.mark.parametrize("ramp", [0, 3])
def test_all_workers_know_when_one_more_would_arrive(requests: int, ramp: int) -> None:
    plan = rate(requests=requests, ramp_seconds=ramp)
    longer = whole(rate(requests=requests + 1, ramp_seconds=ramp))
    first, end = longer[longer >= ramp * SECOND][[0, -1]].tolist()
    assert sending(plan, 0) == sending(plan, 1) == (first, end)


def test_time_of_sending_is_not_planned_with_a_duration() -> None:
    assert sending(rate(seconds=3)) is None


@pytest.mark.parametrize(("requests", "planned"), [(2, (0, 2 * SECOND)), (3, None)])
def test_log_has_a_time_of_sending_if_it_goes_on(
    requests: int, planned: tuple[int, int] | None
) -> None:
    plan = rate(requests=requests, speed_factor=2.0)
    assert sending(plan, 1, 0.0, 1.0, 4.0) == planned
