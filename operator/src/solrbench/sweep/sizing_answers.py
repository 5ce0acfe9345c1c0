"""The cheapest point that holds its load, in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from solrbench.analysis.sentences import CONFIDENCE
from solrbench.api.v1alpha1.sweep import MAX_SIZINGS, SizingConclusion, SizingResult, SweepPoint
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.stats.number_format import count_noun, format_number, round_significant
from solrbench.sweep.differences import DIGITS, join_some
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.points import text_of_values
from solrbench.sweep.sizing import (
    Holding,
    SizedPoint,
    find_cheapest,
    find_contenders,
    group_points,
    is_cut,
)
from solrbench.sweep.state import PointState, has_stopped

MAX_NAMED = 3


def answer_sizing(
    spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]
) -> list[SizingResult]:
    """Return the cheapest point that holds its load, for each condition."""
    rounds = spec.rounds
    if not spec.objective.is_sizing or rounds is None:
        return []
    groups = group_points(spec, rounds, zip(plan.points, points, strict=True))
    is_running = any(point.state == PointState.RUNNING for point in points)
    goes_on = is_running or not has_stopped(spec, points)
    return [SizingWords(spec, *each, goes_on=goes_on).result() for each in groups][:MAX_SIZINGS]


def _nearness(sized: SizedPoint) -> tuple[float, float]:
    """Order points by what they hold; of equal ones, as far from the load, by their price."""
    return sized.headroom or 0.0, sized.price


def count_rounds(spec: SweepSpec, points: Sequence[SweepPoint]) -> str:
    """Return how many benchmarks a sizing took, of those that all points would take."""
    rounds = [point.rounds or 0 for point in points]
    most = 0 if spec.rounds is None else spec.rounds.most * len(points)
    measured = sum(each > 0 for each in rounds)
    verb = "was" if sum(rounds) == 1 else "were"
    return (
        f"{count_noun(sum(rounds), 'benchmark')} of at most {most} {verb} run, of {measured} of"
        f" {len(points)} points."
    )


@dataclass(frozen=True)
class SizingWords:
    """What is said of the points of one condition, which are sorted by price.

    `goes_on` says whether the sweep has not stopped after a failure.
    """

    spec: SweepSpec
    condition: str
    sized: Sequence[SizedPoint]
    goes_on: bool

    def result(self) -> SizingResult:
        """Return the result as the status has it."""
        cheapest, contenders = find_cheapest(self.sized), find_contenders(self.sized)
        unsure = [each for each in contenders if each.holding is not Holding.MISSES]
        running = self.goes_on and any(each.is_due for each in contenders)
        if cheapest is not None:
            word = SizingConclusion.INCONCLUSIVE if unsure else SizingConclusion.FOUND
            text = self._found(cheapest, contenders)
        elif unsure or running:
            word, text = SizingConclusion.INCONCLUSIVE, self._none_certain(unsure)
        else:
            word, text = SizingConclusion.NOT_HELD, self._not_held(contenders)
        if running:
            word, text = SizingConclusion.MEASURING, f"So far: {text}"
        failed = [e for e in contenders if e.holding is Holding.UNKNOWN and not e.is_due]
        if failed:
            text += f" Not known, as nothing valid was measured: {self._join(failed)}."
            if any(e.point.state != PointState.FAILED for e in failed):
                is_search = self.spec.objective.demand is not None
                field = "status.capacity" if is_search else "status.verdicts"
                text += f" See {field} of its benchmarks."
        left_out = sum(e.point.state == PointState.NOT_MEASURED for e in self.sized)
        if left_out:
            text += (
                f" Not measured, as they cost at least as much: {left_out} of {len(self.sized)}."
            )
        return SizingResult(
            condition=self.condition or None,
            conclusion=word,
            message=f"{self.condition}: {text}" if self.condition else text,
            point=None if cheapest is None else cheapest.point.name,
            price_per_hour=None if cheapest is None else round_significant(cheapest.price, DIGITS),
        )

    @property
    def _load(self) -> str:
        return self.sized[0].planned.load

    @property
    def _none(self) -> str:
        return f"None of {len(self.sized)} topologies" if len(self.sized) > 1 else "No topology"

    @property
    def _verb(self) -> tuple[str, str]:
        """What a point does with its load, and the participle: an index holds documents, too."""
        is_of_documents = self.spec.objective.documents_per_second is not None
        return ("takes", "taken") if is_of_documents else ("holds", "held")

    def _found(self, cheapest: SizedPoint, contenders: Sequence[SizedPoint]) -> str:
        which = f"cheapest of {len(self.sized)} topologies" if len(self.sized) > 1 else "topology"
        text = (
            f"The {which} that {self._verb[0]} {self._load}:"
            f" {self._name(cheapest)}, {self._price(cheapest)}, {self._measured(cheapest)}."
        )
        missing = [each for each in contenders if each.holding is Holding.MISSES]
        if missing:
            nearest = max(missing, key=_nearness)
            which = "the nearest of " if len(missing) > 1 else ""
            number = f"{len(missing)} cheaper ones" if len(missing) > 1 else "the cheaper one"
            text += (
                f" It is not {self._verb[1]} by {which}{number}: {self._name(nearest)},"
                f" {self._measured(nearest)}."
            )
        maybe = [each for each in contenders if each.holding is Holding.OPEN]
        if maybe:
            text += f" Cheaper and uncertain: {self._join(maybe)}.{self._remedy()}"
        if cheapest is self.sized[0] and len(self.sized) > 1:
            text += " It is the cheapest point of all: a smaller one was not measured."
        return text

    def _none_certain(self, unsure: Sequence[SizedPoint]) -> str:
        text = f"{self._none} certainly {self._verb[0]} {self._load}."
        maybe = [each for each in unsure if each.holding is Holding.OPEN]
        if not maybe:
            return text
        if all(len(each.point.headrooms or []) < 2 for each in maybe):
            text += " One round alone shows nothing."
        far, near = ([each for each in maybe if each.is_far is is_far] for is_far in (True, False))
        text += f" Far below it in one round: {self._join(far)}." if far else ""
        text += f" It may be {self._verb[1]} by {self._join(near)}." if near else ""
        return text + self._remedy()

    def _not_held(self, contenders: Sequence[SizedPoint]) -> str:
        nearest = max(contenders, key=_nearness)
        return (
            f"{self._none} {self._verb[0]} {self._load}. The nearest is"
            f" {self._name(nearest)}, {self._price(nearest)}, {self._measured(nearest)}."
            f" Nothing is known of larger ones: {self._larger(nearest)}."
        )

    def _larger(self, nearest: SizedPoint) -> str:
        """Return which axes to go on with: those whose last value the nearest point has."""
        last = {axis.name: len(axis.values) - 1 for axis in self.spec.axes if not axis.is_condition}
        ends = [
            f"{value.axis} beyond {value.label}"
            for value in nearest.planned.point.values
            if last.get(value.axis) == value.index
        ]
        return f"measure {' or '.join(ends)}" if ends else "add points that cost more"

    def _remedy(self) -> str:
        rounds = self.spec.rounds
        return f" At most {rounds.most} rounds are run of each." if rounds is not None else ""

    def _join(self, some: Sequence[SizedPoint]) -> str:
        found = (
            (each, self._measured(each) if each.headroom else each.point.reason) for each in some
        )
        named = (f"{self._name(each)}{f', {text}' if text else ''}" for each, text in found)
        return join_some(named, MAX_NAMED)

    def _name(self, sized: SizedPoint) -> str:
        given = {axis.name for axis in self.spec.axes if axis.is_condition}
        values = sized.planned.point.values
        return text_of_values([each for each in values if each.axis not in given])

    def _price(self, sized: SizedPoint) -> str:
        currency = self.spec.prices.currency if self.spec.prices is not None else ""
        return f"{format_number(sized.price)} {currency}/h"

    def _measured(self, sized: SizedPoint) -> str:
        """Return the rate that a point holds, or how near to its limit it is, with the interval."""
        demand, headroom = self.spec.objective.demand, sized.headroom or 1.0
        numbers, is_share = [headroom, *(sized.interval or ())], False
        objectives = self.spec.template.spec.get("objectives") or ()
        if demand is not None:
            shown = [format_number(demand.rate * each) for each in numbers]
            unit = f" {demand.unit}"
        elif any(each.get("throughput") or each.get("goodput") for each in objectives):
            shown = [format_number(each) for each in numbers]  # the limit may be a least, or a most
            unit = " times what the objectives ask"
        else:
            shown = [format_number(100 / each) for each in (headroom, *numbers[:0:-1])]
            unit, is_share = " % of its limit", True  # the inverse of a headroom
        if is_cut(headroom):
            unit += " or more" if (headroom < 1) is is_share else " or less"
        rounds = len(sized.point.headrooms or [])
        bounds = " in one round" if rounds < 2 else f" in {rounds} rounds"
        if len(shown) > 1:
            bounds = f" ({CONFIDENCE} {shown[1]} to {shown[2]})"
        return f"{shown[0]}{unit}{bounds}"
