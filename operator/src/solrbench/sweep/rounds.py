"""Rounds over the points: which of them need another one.

A round is a benchmark of every point that takes part in it, one after another. After it, each point
takes part in the next one as long as its word beside the baseline, or beside the best point, is
open; so time goes to what is undecided and near the best. The baseline and the best go on with
those that are compared with them. If the best point is the Same as the baseline, nothing is gained
by any: then the words beside the baseline are all that is asked for.
"""

from collections.abc import Iterator, Mapping, Sequence

from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.api.v1alpha1.sweep.spec import SweepSpec
from solrbench.api.v1alpha1.sweep.status import SweepPoint
from solrbench.results.comparison.findings import Finding
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.results.best_point import find_best
from solrbench.sweep.results.differences import MeasuredPoint, compare_all, read_measured, rule_of
from solrbench.sweep.states import FINAL, PointState


def plan_next_round(
    spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]
) -> list[SweepPoint]:
    """Return the points, those that need another round planned again once one is over.

    Args:
        spec: of the sweep
        plan: its plan
        points: the points of the plan, in its order

    """
    if spec.repeats is None or any(each.state not in FINAL for each in points):
        return [*points]
    wanted = {*_too_few(spec, points), *_open(spec, plan, points)}
    return [
        _plan_again(each)
        if each.name in wanted and _has_rounds_left(spec.repeats.max, plan, each)
        else each
        for each in points
    ]


def count_rounds_left(spec: SweepSpec, plan: SweepPlan, point: SweepPoint) -> int:
    """Return how many rounds of a point are known to be left: up to the first look at least."""
    due = int(point.state not in FINAL)
    if spec.repeats is None or point.state == PointState.FAILED:
        return due
    least = -(-spec.repeats.min // plan.repeats_per_round)
    return max(due, least - (point.rounds or 0))


def _has_rounds_left(most: int, plan: SweepPlan, point: SweepPoint) -> bool:
    """Return whether another round stays within `most` repeats, those left out counted too."""
    return ((point.rounds or 0) + 1) * plan.repeats_per_round <= most


def _too_few(spec: SweepSpec, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield the points that have not been looked at; one without a valid round is given up then."""
    least = 0 if spec.repeats is None else spec.repeats.min
    for each in points:
        if each.state == PointState.VALID and (each.repeats or 0) < least:
            yield each.name
        if each.state == PointState.INVALID and (each.rounds or 0) < least:
            yield each.name


def _open(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield the points whose words are open, each with the one that it is compared with."""
    baseline, others = read_measured(plan, points, spec.objective.metric)
    measured = others if baseline is None else [baseline, *others]
    beside: Mapping[str, Finding] = {}
    if baseline is not None:
        beside = _findings_beside(spec, baseline, measured)
        yield from _open_pairs(baseline, beside)
    best = find_best(spec, plan, points)
    named = next((each for each in measured if best is not None and each.name == best.name), None)
    if named is not None and named is not baseline and not _is_same(beside.get(named.name)):
        yield from _open_pairs(named, _findings_beside(spec, named, measured))


def _findings_beside(
    spec: SweepSpec, usual: MeasuredPoint, measured: Sequence[MeasuredPoint]
) -> dict[str, Finding]:
    """Return what the Valid points are beside one of them; nothing if that is Invalid."""
    others = [each for each in measured if each.name != usual.name]
    findings = compare_all(usual, others, spec.objective.metric, rule_of(spec))
    return {
        each.name: finding
        for each, finding in zip(others, findings, strict=True)
        if each.is_valid and usual.is_valid
    }


def _is_same(finding: Finding | None) -> bool:
    return finding is not None and finding.word is Word.SAME


def _open_pairs(usual: MeasuredPoint, beside: Mapping[str, Finding]) -> Iterator[str]:
    for name, finding in beside.items():
        if not finding.is_decided:
            yield name
            yield usual.name


def _plan_again(point: SweepPoint) -> SweepPoint:
    """Return a point that is due again, with its figures unless they are Invalid."""
    if point.state == PointState.VALID:
        return point.model_copy(update={"state": PointState.PLANNED, "reuses": None})
    return SweepPoint(
        name=point.name, values=point.values, state=PointState.PLANNED, rounds=point.rounds
    )
