"""A sweep and `solrbench compare` say the same of the same step runs.

Before points kept their repeats, the sweep knew the p95 of all repeats together and the deviation
of their p95s, and with one slow repeat in ten both disagreed on two thirds of equal pairs.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from solrbench.analysis.baseline import ComparisonInput, compare_candidate, primary_comparisons
from solrbench.analysis.samples import BenchmarkSamples, RunSamples
from solrbench.analysis.step_comparison import ComparisonSettings
from solrbench.analysis.step_results import summarise
from solrbench.api.rules import plain
from solrbench.api.v1alpha1.comparisons import Conclusion, FigureComparison
from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.contract.environment import MeasuredTarget
from solrbench.present.sweeps.results import build_sweep_report
from solrbench.sweep.decision import decide_sweep
from solrbench.sweep.rounds import finish_points
from solrbench.sweep.state import ChildView
from support.resources.small_sweep import DONE, again, observe, parse_sweep, users_axis
from support.results.builders import make_document, make_result, make_spec

SPEC = make_spec("one")


def runs(levels: Sequence[float], targets: str = "") -> list[RunSamples]:
    """Return a step run for each level in ms, whose times lie around it, on these targets."""
    found = []
    for repeat, level in enumerate(levels, start=1):
        times = [round(level * 1000 * (0.5 + index / 100)) for index in range(100)]
        target = targets[repeat - 1] if targets else "a"
        measured = MeasuredTarget(attempt=1, pods={"solr-0": target})
        document = make_document("one", repeat, make_result(times), target=measured)
        found.append(RunSamples(document))
    return found


def drawn(draw: Random, count: int, level: float = 100.0) -> list[float]:
    return [level * math.exp(draw.gauss(0, 0.01)) for _ in range(count)]


def child(step_runs: list[RunSamples]) -> ChildView:
    """Return the benchmark of a point as its status shows it."""
    summary = plain(summarise(BenchmarkSamples(SPEC, step_runs)))
    return replace(DONE, summary=summary | {"verdict": "Valid"})


def by_sweep(baseline: list[RunSamples], candidate: list[RunSamples]) -> Any:
    """Return the report of the second point of a sweep of two."""
    seen = observe({"spec.axes": [users_axis(2)], "spec.parallelism": 2}, concurrency=2)
    decision = decide_sweep(seen)
    children = {
        each.name: child(step_runs)
        for each, step_runs in zip(decision.status.points, (baseline, candidate), strict=True)
    }
    seen = again(seen, decision, children)
    ended = again(seen, decide_sweep(seen), {})
    report = build_sweep_report(ended.sweep, {})
    return next(each for each in report.points if not each.is_baseline)


def by_compare(baseline: list[RunSamples], candidate: list[RunSamples]) -> FigureComparison:
    sides = ComparisonInput("old", {}, baseline), ComparisonInput("new", {}, candidate)
    found = compare_candidate(*sides, ComparisonSettings())
    (primary,) = primary_comparisons(found.figures)
    return primary


def pairs(kind: str) -> list[tuple[list[RunSamples], list[RunSamples]]]:
    found = []
    for number in range(12):
        draw = Random(f"{kind} {number}")
        sides = [drawn(draw, 10), drawn(draw, 10, draw.choice([100.0, 100.0, 93.0, 110.0]))]
        for side in sides:
            match kind:
                case "one slow repeat in ten":
                    side[draw.randrange(10)] *= 2
                case "cold first repeat":
                    side[0] *= 1.6
                case "noise":
                    side[:] = [each * math.exp(draw.gauss(0, 0.08)) for each in side]
                case _:
                    pass
        found.append((runs(sides[0]), runs(sides[1])))
    return found


KINDS = ("one slow repeat in ten", "cold first repeat", "noise", "calm")


@pytest.mark.parametrize("kind", KINDS)
def test_conclusion_difference_and_interval_are_the_same(kind: str) -> None:
    conclusions = set()
    for baseline, candidate in pairs(kind):
        point, compared = by_sweep(baseline, candidate), by_compare(baseline, candidate)
        conclusions.add(compared.conclusion)
        assert point.result.conclusion == compared.conclusion
        assert point.difference_percent == pytest.approx(compared.difference_percent, abs=0.05)
        assert compared.low_percent is not None
        assert point.difference_lower_percent == pytest.approx(compared.low_percent, abs=0.1)
        assert point.difference_upper_percent == pytest.approx(compared.high_percent, abs=0.1)
    assert len(conclusions) > 1


@pytest.mark.parametrize("kind", KINDS[:2])
def test_one_slow_repeat_does_not_hide_that_points_are_the_same(kind: str) -> None:
    """By mean and deviation of the merged repeats, all of these were Inconclusive."""
    draw = Random(f"{kind} one")
    sides = [drawn(draw, 10), drawn(draw, 10)]
    for side in sides:
        side[0] *= 2
    assert by_sweep(*map(runs, sides)).result.conclusion is Conclusion.SAME


def test_repeats_after_a_lost_target_count_as_of_another_one() -> None:
    baseline = runs([100, 101, 110, 111, 112], "aabbb")
    candidate = runs([103, 104, 113, 114, 115], "cdddd")
    point, compared = by_sweep(baseline, candidate), by_compare(baseline, candidate)
    assert point.result.repeat_targets == [1, 2, 2, 2, 2]
    assert point.result.conclusion == compared.conclusion
    assert point.difference_percent == pytest.approx(compared.difference_percent, abs=0.05)


def test_many_repeats_of_many_points_are_kept_as_means_of_some() -> None:
    spec = parse_sweep().spec
    begun = [SweepPoint(name=str(n), values=[0, 0], state="Running") for n in range(250)]
    values = drawn(Random(1), 40)
    ended = finish_points(begun, {"0": child(runs(values))}, spec, 0)[0]
    kept = ended.repeat_values
    assert kept is not None
    assert (len(kept), ended.repeats) == (10, 40)
    p95 = [run.values("query", [95]) for run in runs(values[:4])]
    first = math.exp(sum(math.log(each[list(each)[-1]]) for each in p95) / 4)
    assert kept[0] == pytest.approx(first, rel=1e-3)
