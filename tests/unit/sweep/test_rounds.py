"""Points that are measured in rounds until their words are there."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, geometric_mean, stdev
from typing import Any

import pytest

from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.api.v1alpha1.sweep_spec import Metric
from solrbench.sweep.decision import decide_sweep
from solrbench.sweep.points import benchmark_name
from solrbench.sweep.rounds import add_round
from solrbench.sweep.state import count_points, round_of
from support.resources.small_resource import Changes
from support.resources.small_sweep import DONE, again, observe, plan, users_axis

ROUNDS: Changes = {
    "spec.repeats": {"until": "Decided", "min": 3, "max": 6},
    "spec.startOn": "FreshTarget",
    "spec.parallelism": 4,
}
RepeatValues = dict[int, Sequence[float]]
"""p95 of each round, by the number of users; the last one is that of all later rounds."""


def measure(figures: RepeatValues, changes: Changes | None = None) -> tuple[Any, list[str]]:
    """Return the last observation and the benchmarks that were made, in their order."""
    axes = {"spec.axes": [users_axis(len(figures))]}
    seen = observe(ROUNDS | axes | (changes or {}), concurrency=4)
    made: list[str] = []
    for _ in range(30):
        decision = decide_sweep(seen)
        running = [each for each in decision.status.points if each.state == "Running"]
        made += [benchmark_name("trial", each.name, round_of(each)) for each in running]
        children = {each.name: ended(figures, each) for each in running}
        seen = again(seen, decision, children)
        if decision.status.completion_time is not None:
            return seen, made
    raise AssertionError(seen.sweep.status)


def ended(figures: RepeatValues, point: SweepPoint) -> Any:
    of_point = figures[point.values[0] + 1]
    figure = of_point[min(round_of(point), len(of_point)) - 1]
    verdict, value = (VERDICT, figure) if figure else ("Invalid", 7.8)
    repeats = [{"target": 1, "p95Milliseconds": value}]
    summary = {"p95Milliseconds": value, "verdict": verdict, "repeats": repeats}
    return replace(DONE, summary=DONE.summary | summary)


VERDICT = "Valid"
EQUAL = (100.0, 100.1, 99.9, 100.0, 100.1, 99.9)
NOISY = (95.0, 111.0, 99.0, 106.0, 93.0, 107.0)


def test_time_goes_to_the_points_that_are_open() -> None:
    seen, made = measure({1: EQUAL, 2: (100.5, 100.4, 100.6), 3: (200.0, 201.0, 199.0), 4: NOISY})
    points = sorted(seen.sweep.status.points, key=lambda each: each.values)
    assert [each.rounds for each in points] == [6, 3, 3, 6]
    assert [each.conclusion for each in points] == [None, "Same", "Worse", "Inconclusive"]
    assert len(made) == len(set(made)) == 18
    assert made[-1].endswith("-6")
    assert seen.sweep.status.phase == "Succeeded"
    assert seen.sweep.status.estimate.remaining_seconds == 0


def test_what_is_open_beside_the_best_goes_on() -> None:
    near = (50.0, 53.0, 48.0, 52.0, 49.0, 51.0)
    figures: RepeatValues = {1: EQUAL, 2: (49.9, 50.0, 50.1), 3: near}
    seed = {"name": "seed", "field": "seed", "values": [1, 2, 3]}
    seen, _ = measure(figures, {"spec.axes": [seed]})
    points = sorted(seen.sweep.status.points, key=lambda each: each.values)
    assert [each.rounds for each in points] == [3, 6, 6]  # the baseline is decided from both


def test_loads_are_no_choice_for_the_best() -> None:
    near = (50.0, 53.0, 48.0, 52.0, 49.0, 51.0)
    seen, _ = measure({1: EQUAL, 2: (49.9, 50.0, 50.1), 3: near})
    assert [each.rounds for each in seen.sweep.status.points] == [3, 3, 3]
    best = seen.sweep.status.best
    assert best is not None
    assert best.name == seen.plan.points[0].point.name  # the baseline, though it is the slowest


def test_a_best_point_that_is_the_same_as_the_baseline_is_not_compared() -> None:
    """2 is 1 % above and 3 is 2 % below 1: the Same as it, and open beside each other."""
    above, below = (100.45, 101.0, 101.55), (97.45, 98.0, 98.55)
    seen, _ = measure({1: EQUAL, 2: above, 3: below})
    points = sorted(seen.sweep.status.points, key=lambda each: each.values)
    assert [each.conclusion for each in points] == [None, "Same", "Same"]
    assert [each.rounds for each in points] == [3, 3, 3]


def test_inconclusive_rounds_are_compared_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.VERDICT", "Inconclusive")
    seen, _ = measure({1: EQUAL, 2: EQUAL})
    points = seen.sweep.status.points
    assert [each.state for each in points] == ["Inconclusive"] * 2
    assert {each.conclusion for each in points} == {None, "Same"}
    counts = count_points(points)
    assert (counts.succeeded, counts.inconclusive, counts.invalid) == (2, 2, 0)


def test_invalid_rounds_are_left_out() -> None:
    seen, _ = measure({1: EQUAL, 2: (100.0, 0, 100.1, 99.9, 100.0), 3: (0, 0, 0, 0)})
    points = sorted(seen.sweep.status.points, key=lambda each: each.values)
    assert [each.state for each in points] == ["Valid", "Valid", "Invalid"]
    assert (points[1].rounds, points[1].repeats) == (4, 3)
    assert points[2].rounds == 3
    assert points[2].conclusion is None or points[2].conclusion == "Inconclusive"


def test_a_failure_ends_the_rounds_of_its_point_alone() -> None:
    seen = observe(ROUNDS | {"spec.axes": [users_axis(2)]}, concurrency=4)
    for number in range(8):
        decision = decide_sweep(seen)
        running = [each for each in decision.status.points if each.state == "Running"]
        bad = replace(DONE, has_succeeded=False, reason="DeadlineExceeded")
        children = {
            each.name: bad
            if number == 1 and each.values == [1]
            else ended({1: EQUAL, 2: EQUAL}, each)
            for each in running
        }
        seen = again(seen, decision, children)
    points = sorted(decision.status.points, key=lambda each: each.values)
    assert [(each.state, each.rounds) for each in points] == [("Valid", 3), ("Failed", 1)]
    assert decision.status.phase == "Failed"


@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 1, 2), (2, 5)])
def test_merged_figures_are_those_of_all_repeats(sizes: tuple[int, ...]) -> None:
    drawn = [100.0, 103.0, 99.0, 101.5, 98.0, 104.0, 100.5]
    total, used = SweepPoint(name="p", values=[0], state="Running"), 0
    for size in sizes:
        part = drawn[used : used + size]
        used += size
        ended_round = SweepPoint(
            name="p",
            values=[0],
            state="Valid",
            p95_milliseconds=geometric_mean(part),
            repeats=size,
            repeat_values=part,
        )
        total = add_round(total, ended_round, Metric.P95_MILLISECONDS)
    assert total.rounds == len(sizes)
    assert total.repeats == used
    assert total.repeat_values == drawn[:used]
    assert total.p95_milliseconds == pytest.approx(geometric_mean(drawn[:used]), rel=1e-3)
    expected = 100 * stdev(drawn[:used]) / fmean(drawn[:used])
    assert total.deviation_percent == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("changes", "template", "problem"),
    [
        (
            {},
            {
                "spec.load.repeats": {"until": "Decided"},
                "spec.comparison": {"baseline": {"benchmark": {"name": "other"}}},
            },
            "load.repeats.until of the template",
        ),
        ({}, {"spec.load.repeats": {"count": 7}}, "spec.repeats.max: must be at least 7"),
        (
            {"spec.axes": [{"name": "n", "field": "load.repeats.count", "values": [1, 2]}]},
            {},
            "must be the same in all points, not 1, 2",
        ),
        ({"spec.axes": [users_axis(101)], "spec.maxPoints": 500}, {}, "takes at most 100 points"),
        (
            {"metadata.name": "n" * 24},
            {"spec.target.solrCloud.zookeeper": {"mode": "Provided"}},
            "metadata.name: must have at most 20 characters",
        ),
    ],
)
def test_rounds_that_cannot_be_are_refused(
    changes: Changes, template: Changes, problem: str
) -> None:
    found = plan(ROUNDS | changes, template).problems
    assert any(problem in each for each in found), found
