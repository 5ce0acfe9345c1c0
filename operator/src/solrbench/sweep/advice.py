"""What to measure next after a sweep, and which of its axes and points to leave as they are."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from solrbench.analysis.metrics import MIN_REPEATS, Difference
from solrbench.analysis.sentences import format_more_repeats, format_size
from solrbench.api.quantities import parse_quantity
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep_spec import Design, SweepSpec
from solrbench.sweep.differences import MeasuredCondition, join_some
from solrbench.sweep.points import AxisValue, read_values

Alone = Mapping[str, Sequence[tuple[AxisValue, Difference]]]
"""By axis, its values that were changed alone, each with its difference."""


def advise(
    spec: SweepSpec,
    conditions: Sequence[MeasuredCondition],
    found: Mapping[str, Difference],
    rounds: int,
) -> Iterator[str]:
    """Yield which axes go on to pay, which to cross, which to leave, and what is to be repeated.

    `found` has the differences of the other points from the baseline of their condition, by names;
    `rounds` is the most rounds of any point.
    """
    every: dict[str, list[tuple[AxisValue, Difference]]] = {}
    for condition in conditions:
        alone: dict[str, list[tuple[AxisValue, Difference]]] = {}
        if condition.baseline is None or not condition.baseline.is_valid:
            continue
        for point in condition.others:
            changed = condition.changes(point)
            if len(changed) == 1 and point.is_valid:
                alone.setdefault(changed[0].axis, []).append((changed[0], found[point.name]))
        for axis, values in alone.items():
            every.setdefault(axis, []).extend(values)
        yield from _beyond(spec, alone, condition.where)
        yield from _to_cross(condition, alone)
    yield from _to_leave(every)
    yield from _to_compare(spec, conditions)
    planned = 0 if spec.rounds is None else spec.rounds.most
    # The first rounds compare nothing, and the remedy would be to set what is set.
    if not rounds < MIN_REPEATS <= planned:
        yield from _to_repeat(spec, conditions, found)


def _best_value(
    values: Sequence[tuple[AxisValue, Difference]],
) -> tuple[AxisValue, Difference] | None:
    """Return the value that is Better by most, None if none is."""
    better = [value for value in values if value[1].conclusion is Conclusion.BETTER]
    return max(better, key=lambda value: abs(value[1].estimate), default=None)


def _beyond(spec: SweepSpec, alone: Alone, where: str) -> Iterator[str]:
    """Yield the axes whose best value is at their end, so that more may be better still."""
    for axis in spec.axes:
        best = _best_value(alone.get(axis.name, []))
        # Beyond a name, such as that of a class of machines, there is nothing to vary.
        if best is None or not (amount := _amount(best[0].label)):
            continue
        # Values that are added later stand behind the others, whatever they are.
        amounts = list(filter(None, (_amount(each.label) for each in read_values(axis))))
        which_end = {min(amounts): "smallest", max(amounts): "largest"}.get(amount)
        if which_end is not None:
            yield (
                f"Next: measure {axis.name} beyond {best[0].label}{where}. Its {which_end} value"
                f" was the best one ({format_size(best[1])} than the baseline)."
            )


def _amount(label: str) -> tuple[Decimal, ...]:
    """Return what a label stands for, such as 8, 2Gi or 2/2; empty if it is a name."""
    numbers = [*map(parse_quantity, label.split("/"))]
    known = [each for each in numbers if each is not None]
    return tuple(known) if len(known) == len(numbers) else ()


def _to_cross(condition: MeasuredCondition, alone: Alone) -> Iterator[str]:
    """Yield two values that are each Better alone and were not measured together."""
    together = {
        frozenset((v.axis, v.index) for v in condition.changes(each)) for each in condition.others
    }
    best = [found[0] for each in alone.values() if (found := _best_value(each)) is not None]
    for first, second in itertools.combinations(best, 2):
        if frozenset(((first.axis, first.index), (second.axis, second.index))) not in together:
            yield (
                f"Next: measure {first.axis} {first.label} with {second.axis}"
                f" {second.label}{condition.where}. Each alone is better; the combination was not"
                " measured."
            )


def _to_leave(alone: Alone) -> Iterator[str]:
    """Yield the axes that change nothing."""
    nothing = [
        axis
        for axis, values in alone.items()
        if values and all(difference.conclusion is Conclusion.SAME for _, difference in values)
    ]
    if nothing:
        # Where a value failed, or was Invalid, the cheapest one of the axis may not work at all.
        yield (
            f"Of the Valid points, no value of {', '.join(nothing)} makes a relevant difference."
            " Choose the cheapest of theirs."
        )


def _to_compare(spec: SweepSpec, conditions: Sequence[MeasuredCondition]) -> Iterator[str]:
    """Yield the conditions in which nothing is compared, where others are."""
    alone = [each.text for each in conditions if not each.others or each.baseline is None]
    if alone == [""]:  # a sweep without conditions
        yield "Nothing is compared, as the baseline has not been measured, or has failed."
    elif alone and any(each.others for each in conditions):
        # Of a full design, points are still to be measured, or have failed.
        remedy = " Set design to Full to compare settings in each condition."
        yield (
            f"Nothing is compared with {join_some(alone)}, where either the baseline's settings or"
            f" no others were measured.{'' if spec.design is Design.FULL else remedy}"
        )


def advise_rounds(spec: SweepSpec) -> str:
    """Return what makes rounds of the repeats of a sweep that has none."""
    if "until" in spec.template.part("load", "repeats"):
        return "Set spec.repeats in place of load.repeats.until of the template"
    return "Set order to Random"


def _to_repeat(
    spec: SweepSpec, conditions: Sequence[MeasuredCondition], found: Mapping[str, Difference]
) -> Iterator[str]:
    """Yield the points without a clear conclusion, and how many repeats would decide each."""
    if found and all(each.conclusion is None for each in found.values()):
        remedy = (
            "Set spec.repeats to {until: Decided}, or load.repeats.count of the template to 5."
            if spec.repeats is None
            else "Look for the reasons of rounds that are Invalid, or raise spec.repeats.max."
        )
        yield f"Points cannot be compared with fewer than {MIN_REPEATS} valid repeats. {remedy}"
    inconclusive = [
        (found[point.name], condition.phrase(point) + condition.where)
        for condition in conditions
        if condition.baseline is not None
        for point in condition.others
        if found[point.name].conclusion is Conclusion.INCONCLUSIVE
    ]
    if not inconclusive:
        return
    # Those that need the fewest repeats are named: the list is cut.
    inconclusive.sort(key=lambda each: each[0].more_repeats or 0)
    named = join_some(
        f"{name}{':' if difference.has_changed else ' needs'} {format_more_repeats(difference)}"
        for difference, name in inconclusive
    )
    how = "Repeat the baseline the same number of times."
    if spec.repeats is not None:
        how = f"At most {spec.repeats.max} repeats are made of each point."
    elif all(difference.has_changed for difference, _ in inconclusive):
        how = f"{advise_rounds(spec)}."
    if len(found) == 1:  # its own sentence has said so
        yield how
        return
    verb = "is" if len(inconclusive) == 1 else "are"
    number = f"{len(inconclusive)} of {len(found)} points {verb}"
    yield f"{number} inconclusive against the baseline: {named}. {how}"
