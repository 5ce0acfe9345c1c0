"""What to vary or repeat next, in sentences."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.api.v1alpha1.sweep.spec import SweepSpec
from solrbench.results.comparison.findings import Finding
from solrbench.sweep.axis_values import AxisValue
from solrbench.sweep.results.differences import MeasuredPoint
from solrbench.sweep.results.phrases import join_some, phrase_finding, phrase_need, phrase_point

_AMOUNT = re.compile(r"[0-9][0-9.]*([A-Za-z]{0,2})(/[0-9.]+)*")
"""A label that stands for more or less of something, such as 8, 2Gi or 2/2."""

Alone = Mapping[str, Sequence[tuple[AxisValue, Finding]]]
"""By axis, its values that were changed alone, each with its word."""


def advise(
    spec: SweepSpec,
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    found: Mapping[str, Finding],
) -> Iterator[str]:
    """Yield which axes go on to pay, which to cross, which to leave, and what is to be repeated.

    Args:
        spec: of the sweep
        baseline: the point that the others are compared with
        others: all other points
        found: their words

    """
    alone = _changed_alone(baseline, others, found)
    yield from _beyond(spec, alone)
    yield from _to_cross(baseline, others, alone)
    yield from _to_leave(alone)
    yield from _to_repeat(spec, baseline, others, found)


def _changed_alone(
    baseline: MeasuredPoint, others: Sequence[MeasuredPoint], found: Mapping[str, Finding]
) -> Alone:
    alone: dict[str, list[tuple[AxisValue, Finding]]] = {}
    for each in others:
        changed = _changes(baseline, each)
        if len(changed) == 1 and each.is_valid:
            alone.setdefault(changed[0].axis, []).append((changed[0], found[each.name]))
    return alone


def _changes(baseline: MeasuredPoint, point: MeasuredPoint) -> list[AxisValue]:
    pairs = zip(point.values, baseline.values, strict=True)
    return [value for value, usual in pairs if value.index != usual.index]


def _best_value(values: Sequence[tuple[AxisValue, Finding]]) -> tuple[AxisValue, Finding] | None:
    """Return the value that is Better by most, None if none is."""
    better = [each for each in values if each[1].word is Word.BETTER]
    return max(better, key=lambda each: abs(each[1].difference.centre), default=None)


def _beyond(spec: SweepSpec, alone: Alone) -> Iterator[str]:
    """Yield the axes whose best value is at their end, so that more may be better still."""
    for axis in spec.axes:
        best = _best_value(alone.get(axis.name, []))
        if best is None or not _AMOUNT.fullmatch(best[0].label):
            continue
        place = {0: "first", len(axis.values) - 1: "last"}.get(best[0].index)
        if place is not None:
            yield (
                f"vary next: {axis.name} beyond {best[0].label}, its {place} value and"
                f" {phrase_finding(best[1])}"
            )


def _to_cross(
    baseline: MeasuredPoint, others: Sequence[MeasuredPoint], alone: Alone
) -> Iterator[str]:
    """Yield two values that are each Better alone and were not measured together."""
    together = {frozenset((v.axis, v.index) for v in _changes(baseline, each)) for each in others}
    best = [found[0] for each in alone.values() if (found := _best_value(each)) is not None]
    for first, second in itertools.combinations(best, 2):
        if frozenset(((first.axis, first.index), (second.axis, second.index))) not in together:
            yield (
                f"measure next: {first.axis} {first.label} with {second.axis} {second.label}:"
                " each alone is Better, together they were not measured"
            )


def _to_leave(alone: Alone) -> Iterator[str]:
    """Yield the axes that change nothing."""
    nothing = [
        axis
        for axis, values in alone.items()
        if values and all(finding.word is Word.SAME for _, finding in values)
    ]
    if nothing:
        yield (
            f"leave as it is: {', '.join(nothing)}, of which every value is Same as the"
            " baseline's: take the cheapest"
        )


def _to_repeat(
    spec: SweepSpec,
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    found: Mapping[str, Finding],
) -> Iterator[str]:
    """Yield the points without a clear word, and how many repeats would decide each."""
    if all(each.word is None for each in found.values()):
        yield (
            "for words, set load.repeats.count of the template to 5, or spec.repeats to"
            " {until: Decided}"
        )
    unclear = [each for each in others if found[each.name].word is Word.UNCLEAR]
    if not unclear:
        return
    unclear.sort(key=lambda each: found[each.name].more_repeats or 0)
    named = join_some(
        f"{phrase_point(each.values, baseline.values)} needs {phrase_need(found[each.name])}"
        for each in unclear
    )
    how = (
        "repeat the baseline as often"
        if spec.repeats is None
        else f"at most {spec.repeats.max} repeats are made of each"
    )
    verb = "is" if len(unclear) == 1 else "are"
    number = f"{len(unclear)} of {len(others)} points {verb}"
    yield f"{number} Unclear beside the baseline: {named}; {how}"
