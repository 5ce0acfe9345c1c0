"""The cheapest point that holds its load: which points are measured next, and what is known.

A sizing asks one question of each point: does it hold the load? Each round of a point gives its
headroom, how often the load fits into what the round held. The headrooms of a point, in logarithms,
are compared with 0, which is the load itself: points are compared with what is asked and not with
each other, so that rounds need not have points in common.

Points are looked at from cheap to dear. A point is repeated while it may hold the load and may not;
once one certainly holds it, nothing that costs as much or more is begun or repeated. Nothing is
taken to be monotone: a dearer point may hold less, so each cheaper one has to be measured.

Rounds of one point vary about as much as those of another, so the variance is pooled over all
points, as in an analysis of variance (Montgomery, Design and Analysis of Experiments, 3.3), but
never below that of the point itself. A point that is repeated shows how much rounds vary; then a
single round shows that a point far below the load does not hold it. Nothing holds it by one round.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean, variance
from typing import Any

from pydantic.alias_generators import to_camel

from solrbench.api.v1alpha1.findings import CAPACITY_UNITS, ObjectiveConclusion
from solrbench.api.v1alpha1.repeats import DEFAULT_MIN
from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.api.v1alpha1.sweep_objective import Demand, SweepObjective
from solrbench.api.v1alpha1.sweep_spec import Rounds, SweepSpec
from solrbench.reasons.lifecycle import SweepReason
from solrbench.stats.confirmation import MAX_CLIFF_OVERLAP
from solrbench.stats.distributions import STANDARD_ERRORS, t_quantile
from solrbench.stats.number_format import round_significant
from solrbench.stats.tests import MIN_DEVIATION
from solrbench.sweep.differences import DIGITS, group_by_condition
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.planned_points import PlannedPoint
from solrbench.sweep.points import text_of_values
from solrbench.sweep.state import ChildView, PointState, forget_values

LEVEL = 0.05
"""Of each look, both directions together: what is shown is what decides. Where rounds vary by 3 %,
looks after up to 16 of them say in 5 of 100 cases that a point holds its load which is 1 % short
of it (`python -m bench sizing`)."""

MIN_HEADROOM, MAX_HEADROOM = 0.25, 4.0
"""Headrooms beyond these say no more than these: a share of failures may be 0."""


def is_cut(headroom: float) -> bool:
    """Return whether a headroom is a bound: the true one is beyond it."""
    return not MIN_HEADROOM < headroom < MAX_HEADROOM


FAR_BELOW = 0.9
"""Headroom below which one round may show that a point does not hold its load, where rates were
searched. Nearer to the load, other servers may vary more than those whose rounds are known."""
FAR_BEYOND_LIMIT = 0.5
"""The same where limits were measured: near saturation, times vary far more than elsewhere."""
FAR_ABOVE = 1.5
"""Headroom above which a search without a result shows that a point holds its load. No longer run
has confirmed it: a target that is a quarter slower after some minutes, with runs that differ by
5 %, meets in short trials 1.4 times what it holds (`python -m bench held` has such targets)."""

SEARCHES = DEFAULT_MIN
"""Rounds without a result after which a search is given up, of `repeats.max` at most. Where runs
differ by 5 %, half of all searches are inconclusive, two in a row at every fourth point."""

OVERLOADED = frozenset({"RequestsDropped", "RequestsFailed", "RequestsLate", "NotSteady"})
"""Reasons for an Invalid step that a target gives that cannot serve its rate: if it misses an
objective, too, the round counts. Requests that are late and nothing else may be the load
generator's, and those that fail in time the workload's."""

Pair = tuple[PlannedPoint, SweepPoint]
"""A point of the plan, and what is stored of it."""


def read_headroom(demand: Demand | None, child: ChildView) -> float | None:
    """Return how often the load fits into what a benchmark held; None if that is not known."""
    status, is_slow = child.status, True
    ratios: list[float | None]
    if demand is not None:
        # Of variants, the first one counts.
        rate = _find_held_rate(demand, next(iter(status.get("capacity") or []), {}))
        ratios = [rate / demand.rate if rate else None]
    else:
        results = (status.get("objectives") or {}).get("results") or []
        ratios = [_read_ratio(each) for each in results]
        is_slow = any(e["unit"] == "ms" and (e.get("value") or 0) > e["limit"] for e in results)
    faults = {
        reason["reason"]
        for verdict in status.get("verdicts") or []
        if verdict.get("verdict") == PointState.INVALID
        for reason in verdict.get("reasons") or []
    }
    of_target = OVERLOADED if is_slow else OVERLOADED - {"RequestsFailed"}
    is_overloaded = faults <= of_target and bool(faults - {"RequestsLate"})
    # Of the rate of a step that was not run, what the others show says nothing.
    is_cut_short = demand is None and bool(status.get("notRun"))
    known = [each for each in ratios if each is not None]
    if not known or len(known) < len(ratios) or (faults and not is_overloaded):
        return None
    if min(known) >= 1 and (faults or is_cut_short):
        return None
    return round_significant(min(max(min(known), MIN_HEADROOM), MAX_HEADROOM), DIGITS)


def _find_held_rate(demand: Demand, search: Mapping[str, Any]) -> float | None:
    """Return the rate that a search has found, or by which it is plain whether the load is held."""
    field = CAPACITY_UNITS[demand.unit]
    found: float | None = search.get(to_camel(field))
    missed: float | None = search.get(to_camel(f"lowest_missed_{field}"))
    met: float = search.get(to_camel(f"highest_met_{field}")) or 0.0
    if found:
        return found
    # It may be inconclusive, and yet have met trials far above the load, and missed none up to
    # there.
    nearest = min(met, missed or met)
    is_confirmed = not any(each["excess"] > 0 for each in search.get("confirmations") or [])
    if nearest > FAR_ABOVE * demand.rate and is_confirmed:
        return nearest
    # Or it has missed far below what is asked: by the target.
    if missed is None or missed >= FAR_BELOW * demand.rate:
        return None
    trials = (each for each in search.get("trials") or [] if each["excess"] > 0)
    was_disturbed = any(each["disturbed"] for each in trials)
    # Trials that were met beyond it contradict it: the target was cold, or noisy.
    return None if was_disturbed or met > (1 + MAX_CLIFF_OVERLAP) * missed else missed


def _read_ratio(result: Mapping[str, Any]) -> float | None:
    """Return how far the result of an objective is from its limit; None if it is not known."""
    value: float | None = result.get("value")
    limit: float = result["limit"]
    if value is None:
        # Longer than documents are waited for.
        return MIN_HEADROOM if result.get("conclusion") == ObjectiveConclusion.MISSED else None
    if result["unit"].endswith("/s"):  # the least that is allowed, not the most
        return value / limit if limit else MAX_HEADROOM
    return limit / value if value else MAX_HEADROOM


def add_headroom(
    objective: SweepObjective, before: SweepPoint, ended: SweepPoint, child: ChildView
) -> SweepPoint:
    """Return a point whose round has ended with the headroom of that round."""
    found = read_headroom(objective.demand, child)
    headrooms = [*(before.headrooms or []), *([] if found is None else [found])]
    changes: dict[str, object] = {"headrooms": headrooms or None}
    if (demand := objective.requests_per_second) is not None:
        rate = demand * math.exp(_mean(headrooms)) if headrooms else None
        changes["requests_per_second"] = round_significant(rate, DIGITS)
    return ended.model_copy(update=changes)


def _mean(headrooms: Sequence[float]) -> float:
    return fmean(map(math.log, headrooms))


class Holding(Enum):
    """What is known of a point."""

    NEW = "new"
    OPEN = "open"
    HOLDS = "holds"
    MISSES = "misses"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class SizedPoint:
    """A point with what is known of it; it `is_due` if another round may show more.

    `headroom` is the geometric mean over its rounds, `interval` that of 95 %. It `is_far` from the
    load if it holds so little that one round may show it.
    """

    planned: PlannedPoint
    point: SweepPoint
    holding: Holding
    is_due: bool
    headroom: float | None = None
    interval: tuple[float, float] | None = None
    is_far: bool = False

    @property
    def price(self) -> float:
        """Its price by the hour."""
        return self.planned.price or 0.0


def _pool(points: Sequence[SweepPoint]) -> tuple[float, int]:
    """Return the variance of the headrooms of one point, and its degrees of freedom."""
    squares, degrees = 0.0, 0
    for point in points:
        # Without those that were cut: they vary less than what was measured.
        logarithms = [math.log(each) for each in point.headrooms or [] if not is_cut(each)]
        if len(logarithms) > 1:
            squares += variance(logarithms) * (len(logarithms) - 1)
            degrees += len(logarithms) - 1
    return (max(squares / degrees, MIN_DEVIATION**2), degrees) if degrees else (0.0, 0)


def _is_bound(headrooms: Sequence[float]) -> bool:
    """Return whether all were cut, on one side of the load."""
    return len({*headrooms}) == 1 and is_cut(headrooms[0])


def _find_margin(headrooms: Sequence[float], pooled: tuple[float, int]) -> float | None:
    """Return half of the 95 % interval of the mean of their logarithms; None if it is not known."""
    (spread, degrees), number = pooled, len(headrooms)
    if _is_bound(headrooms):
        # The true ones are further from the load by what is not known: this makes up for the few
        # rounds by which the variance is known, if by any.
        return 0.0 if number > 1 else STANDARD_ERRORS * math.sqrt(spread)
    if number > 1:
        # With those that were cut: they are nearer to the others, and to the load, than they were.
        # The pool, which is without them, may know less of this point than its own rounds do.
        own = max(variance(map(math.log, headrooms)), MIN_DEVIATION**2)
        knows_less = degrees < number - 1
        spread, degrees = (own, number - 1) if knows_less else (max(spread, own), degrees)
    return t_quantile(LEVEL, degrees) * math.sqrt(spread / number) if degrees else None


def _size(
    spec: SweepSpec,
    rounds: Rounds,
    planned: PlannedPoint,
    point: SweepPoint,
    pooled: tuple[float, int],
) -> SizedPoint:
    begun, headrooms = point.rounds or 0, point.headrooms or []
    number, is_search = len(headrooms), spec.objective.demand is not None
    # What is Invalid or inconclusive is not repeated for ever.
    patience = max(rounds.least, min(SEARCHES, rounds.most)) if is_search else rounds.least
    may_go_on = begun < (rounds.most if number else patience)
    if point.state == PointState.FAILED:
        return SizedPoint(planned, point, Holding.UNKNOWN, is_due=False)
    if not number:
        holding = Holding.NEW if not begun else Holding.UNKNOWN
        return SizedPoint(planned, point, holding, is_due=may_go_on)
    centre, margin, holding = _mean(headrooms), _find_margin(headrooms, pooled), Holding.OPEN
    is_far = centre < math.log(FAR_BELOW if is_search else FAR_BEYOND_LIMIT)
    if margin is not None and centre - margin > 0 and number >= rounds.least:
        holding = Holding.HOLDS
    elif margin is not None and centre + margin < 0 and (number > 1 or is_far):
        holding = Holding.MISSES
    interval = None
    if margin and not _is_bound(headrooms):
        interval = math.exp(centre - margin), math.exp(centre + margin)
    is_due = holding is Holding.OPEN and may_go_on
    return SizedPoint(planned, point, holding, is_due, math.exp(centre), interval, is_far)


def find_cheapest(sized: Sequence[SizedPoint]) -> SizedPoint | None:
    """Return the cheapest point that certainly holds its load."""
    return next((each for each in sized if each.holding is Holding.HOLDS), None)


def find_contenders(sized: Sequence[SizedPoint]) -> list[SizedPoint]:
    """Return the points that cost less than the cheapest that holds; all if none does."""
    cheapest = find_cheapest(sized)
    return [each for each in sized if cheapest is None or each.price < cheapest.price]


def plan_sizing(
    spec: SweepSpec, rounds: Rounds, plan: SweepPlan, points: Sequence[SweepPoint], places: int
) -> tuple[list[SweepPoint], frozenset[str]]:
    """Return the points, in the order of the plan, and the names of those that may begin now.

    A point begins when all that are cheaper are known, or are begun in the other places.
    """
    wanted: list[str] = []
    excluded: set[str] = set()
    for _, sized in group_points(spec, rounds, zip(plan.points, points, strict=True)):
        contenders = find_contenders(sized)
        # What is far below its load most likely needs no other round once the variance is known.
        in_turn = sorted(contenders, key=lambda each: each.is_far)
        wanted += [each.point.name for each in in_turn if each.is_due]
        excluded |= {each.point.name for each in sized if each not in contenders}
    # A sweep that is suspended has no places, but is not over.
    due = frozenset(wanted[: max(places, 1)])
    planned = [
        _plan(point, is_due=point.name in due, is_excluded=point.name in excluded)
        for point in points
    ]
    return planned, due


def _plan(point: SweepPoint, *, is_due: bool, is_excluded: bool) -> SweepPoint:
    if point.state in (PointState.RUNNING, PointState.FAILED):
        return point
    update: dict[str, object]
    if is_due and point.state == PointState.INVALID:
        return forget_values(point)
    if is_due:
        update = {"state": PointState.PLANNED, "reason": None, "reuses": None}
    elif point.rounds:
        if point.state != PointState.PLANNED:
            return point
        update = {"state": PointState.VALID if point.headrooms else PointState.INVALID}
    elif is_excluded:
        update = {"state": PointState.NOT_MEASURED, "reason": SweepReason.DEARER_THAN_CHEAPEST}
    else:
        update = {"state": PointState.PLANNED, "reason": None}
    return point.model_copy(update=update)


def group_points(
    spec: SweepSpec, rounds: Rounds, pairs: Iterable[Pair]
) -> Iterator[tuple[str, list[SizedPoint]]]:
    """Yield each condition in words, empty if there is none, and its points from cheap to dear.

    The first one is that of the baseline, which is among the points.
    """
    given = [(pair[0].point.values, pair) for pair in pairs]
    usual = next(
        (planned.point.values for _, (planned, _) in given if planned.point.is_baseline), ()
    )
    for values, group in group_by_condition(spec, usual, given):
        pooled = _pool([point for _, point in group])
        sized = [_size(spec, rounds, *pair, pooled) for pair in group]
        yield text_of_values(values), sorted(sized, key=lambda each: each.price)
