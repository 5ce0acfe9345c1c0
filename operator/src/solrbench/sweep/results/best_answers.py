"""The best point in a sentence: what it costs, and which points are Same or not distinguished."""

import math
from collections.abc import Iterator, Sequence

from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.api.v1alpha1.sweep.spec import SweepSpec
from solrbench.api.v1alpha1.sweep.status import SweepPoint
from solrbench.results.comparison.findings import Rule
from solrbench.results.stats.number_format import format_number
from solrbench.sweep.plan import PlannedPoint, SweepPlan
from solrbench.sweep.results.best_point import find_best
from solrbench.sweep.results.differences import MeasuredPoint, compare_all, read_measured
from solrbench.sweep.results.phrases import (
    join_some,
    phrase_figure,
    phrase_finding,
    phrase_need,
    phrase_point,
)

MOST_COMPARED = 50
"""Points beside the best one: of the nearest ones a sentence names five, and each costs tests."""


def answer_best(
    spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint], rule: Rule
) -> Iterator[str]:
    """Yield which point is best and what it requests; then what is Same, and what is not known.

    Args:
        spec: of the sweep
        plan: its plan
        points: the points of the plan, in its order
        rule: how words are found

    """
    baseline, others = read_measured(plan, points, spec.objective.metric)
    best = find_best(spec, plan, points)
    if baseline is None or best is None:
        return
    measured = [baseline, *others]
    chosen = next(each for each in measured if each.name == best.name)
    rest = _nearest(chosen, measured)
    found = [*zip(rest, compare_all(chosen, rest, spec.objective.metric, rule), strict=True)]
    planned = {each.point.name: each for each in plan.points}
    same = [
        f"{phrase_point(each.values, baseline.values)} {_cost(planned[each.name])}"
        for each, finding in found
        if finding.word is Word.SAME
    ]
    unclear = [
        f"{phrase_point(each.values, baseline.values)} {phrase_finding(finding)},"
        f" {phrase_need(finding)}"
        for each, finding in found
        if finding.word is Word.UNCLEAR
    ]
    name = phrase_point(chosen.values, baseline.values)
    figure = phrase_figure(chosen.figure, spec.objective.metric)
    yield f"best: {name}, {figure} {_cost(planned[chosen.name])}"
    if same:
        yield f"Same as the best: {join_some(same)}"
    if unclear:
        yield f"not distinguished from the best: {join_some(unclear)}"


def _nearest(best: MeasuredPoint, measured: Sequence[MeasuredPoint]) -> list[MeasuredPoint]:
    """Return the Valid points whose figures are nearest to that of the best one."""
    rest = [each for each in measured if each.is_valid and each.name != best.name]
    return sorted(rest, key=lambda each: abs(math.log(each.figure / best.figure)))[:MOST_COMPARED]


def _cost(planned: PlannedPoint) -> str:
    """Return what Solr and ZooKeeper of a point request."""
    cost = planned.demand.target
    cores, memory = format_number(cost.cores), format_number(cost.memory_bytes / 2**30)
    return f"({f'{cores} cores' if cost.cores else 'no CPU'} and {memory} GiB requested)"
