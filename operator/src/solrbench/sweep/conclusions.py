"""What a sweep shows, in sentences: axes, what a growing index costs, and what to do next."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten
from typing import NamedTuple

from solrbench.analysis.metrics import MIN_REPEATS, Difference
from solrbench.analysis.sentences import (
    CONCLUSIONS,
    CONFIDENCE,
    difference_sentence,
    format_more_repeats,
    format_size,
)
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep import MAX_ANSWERS, BestPoint, SweepPoint
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.stats.number_format import format_number
from solrbench.stats.regression import (
    MIN_RUNS,
    MIN_SIZES,
    CurveShape,
    SegmentedFit,
    SizeRuns,
    fit_segments,
)
from solrbench.sweep.best_sentences import answer_best
from solrbench.sweep.differences import (
    MeasuredCondition,
    MeasuredPoint,
    best_sets,
    compare_with_baselines,
    find_best,
    join_some,
    phrase_point,
    read_measured,
    rule_of,
)
from solrbench.sweep.interactions import Interaction, find_interactions
from solrbench.sweep.objective_figure import ObjectiveFigure, figure_of
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.points import AxisValue
from solrbench.sweep.state import is_valid

_AMOUNT = re.compile(r"[0-9][0-9.]*([A-Za-z]{0,2})(/[0-9.]+)*")
"""A label that stands for more or less of something, such as 8, 2Gi or 2/2."""

Alone = Mapping[str, Sequence[tuple[AxisValue, Difference]]]
"""By axis, its values that were changed alone, each with its difference."""


def advise(
    spec: SweepSpec, conditions: Sequence[MeasuredCondition], found: Mapping[str, Difference]
) -> Iterator[str]:
    """Yield which axes go on to pay, which to cross, which to leave, and what is to be repeated.

    `found` has the differences of the other points from the baseline of their condition, by names.
    """
    every: dict[str, list[tuple[AxisValue, Difference]]] = {}
    for condition in conditions:
        alone: dict[str, list[tuple[AxisValue, Difference]]] = {}
        for point in condition.others:
            changed = _changes(condition.baseline, point)
            if len(changed) == 1 and point.is_valid:
                alone.setdefault(changed[0].axis, []).append((changed[0], found[point.name]))
        for axis, values in alone.items():
            every.setdefault(axis, []).extend(values)
        yield from _beyond(spec, alone, condition.where)
        yield from _to_cross(condition, alone)
    yield from _to_leave(every)
    yield from _to_compare(conditions)
    yield from _to_repeat(spec, conditions, found)


def _changes(baseline: MeasuredPoint | None, point: MeasuredPoint) -> list[AxisValue]:
    """Return the values in which a point differs from the baseline of its condition."""
    if baseline is None:
        return []
    pairs = zip(point.values, baseline.values, strict=True)
    return [value for value, usual in pairs if value.index != usual.index]


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
        if best is None or not _AMOUNT.fullmatch(best[0].label):
            continue
        which_end = {0: "first", len(axis.values) - 1: "last"}.get(best[0].index)
        if which_end is not None:
            yield (
                f"Next: measure {axis.name} beyond {best[0].label}{where}. Its {which_end} value"
                f" was the best one ({format_size(best[1])} than the baseline)."
            )


def _to_cross(condition: MeasuredCondition, alone: Alone) -> Iterator[str]:
    """Yield two values that are each Better alone and were not measured together."""
    together = {
        frozenset((v.axis, v.index) for v in _changes(condition.baseline, each))
        for each in condition.others
    }
    best = [
        best_value[0] for each in alone.values() if (best_value := _best_value(each)) is not None
    ]
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
        yield (
            f"No value of {', '.join(nothing)} makes a relevant difference. Choose the cheapest"
            " value."
        )


def _to_compare(conditions: Sequence[MeasuredCondition]) -> Iterator[str]:
    """Yield the conditions in which nothing is compared, where others are."""
    alone = [each.text for each in conditions if not each.others or each.baseline is None]
    if alone and any(each.others for each in conditions):
        yield (
            f"Nothing is compared with {join_some(alone)}, where either the baseline's settings or"
            " no others were measured. Set design to Full to compare settings in each condition."
        )


def _to_repeat(
    spec: SweepSpec, conditions: Sequence[MeasuredCondition], found: Mapping[str, Difference]
) -> Iterator[str]:
    """Yield the points without a clear conclusion, and how many repeats would decide each."""
    if found and all(each.conclusion is None for each in found.values()):
        yield (
            f"Points cannot be compared with fewer than {MIN_REPEATS} repeats. Set"
            " load.repeats.count of the template to 5, or spec.repeats to {until: Decided}."
        )
    inconclusive = [
        (found[point.name], phrase_point(point.values, condition.baseline.values) + condition.where)
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
    how = (
        "Repeat the baseline the same number of times."
        if spec.repeats is None
        else f"At most {spec.repeats.max} repeats are made of each point."
    )
    verb = "is" if len(inconclusive) == 1 else "are"
    number = f"{len(inconclusive)} of {len(found)} points {verb}"
    yield f"{number} inconclusive against the baseline: {named}. {how}"


_GIB = 2**30
_MIN_RANGE = 1.5
"""How far the largest index must exceed the smallest, so that an axis is about its size."""
_MIN_SIZES = 3
"""Sizes from which on a sentence says what is missing for a conclusion."""
MAX_SIZE_ANSWERS = 4

_Point = tuple[tuple[int, ...], SweepPoint]


def answer_sizes(plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield a sentence for each axis that changes the size of the index, with the others held."""
    known: list[_Point] = [
        (tuple(value.index for value in planned.point.values), point)
        for planned, point in zip(plan.points, points, strict=True)
        if point.index_bytes and point.reads_per_request is not None
    ]
    answer_count = 0
    axes = [value.axis for value in plan.points[0].point.values] if plan.points else []
    for index, axis in enumerate(axes):
        for group in _groups(index, known):
            if answer_count < MAX_SIZE_ANSWERS and (text := _describe(group)):
                answer_count += 1
                yield f"{axis}: {text}"


def _groups(place: int, known: Sequence[_Point]) -> list[list[SweepPoint]]:
    """Return the points that differ in nothing but the axis at a place."""
    groups: dict[tuple[int, ...], list[SweepPoint]] = {}
    for key, point in known:
        groups.setdefault((*key[:place], *key[place + 1 :]), []).append(point)
    return list(groups.values())


def _describe(points: Sequence[SweepPoint]) -> str:
    """Return what the reads of points say; empty if they are not about the size."""
    sizes = [_runs_of(each) for each in points]
    smallest, largest = min(each.x for each in sizes), max(each.x for each in sizes)
    different = len({each.x for each in sizes})
    if different < _MIN_SIZES or largest < _MIN_RANGE * smallest:
        return ""
    bend = fit_segments(sizes)
    if bend is None:
        runs = min(each.runs for each in sizes)
        return (
            "how disk reads per query depend on the index size is not known from"
            f" {different} sizes with {runs} repeats or more each ({MIN_SIZES} with {MIN_RUNS} are"
            " needed)."
        )
    return _words(bend, smallest, largest)


def _runs_of(point: SweepPoint) -> SizeRuns:
    return SizeRuns(
        x=point.index_bytes or 0.0,
        mean=point.reads_per_request or 0.0,
        deviation=point.reads_deviation or 0.0,
        runs=1 if point.reads_deviation is None else point.repeats or 1,
    )


def _words(bend: SegmentedFit, smallest: float, largest: float) -> str:
    if bend.shape is CurveShape.STRAIGHT:
        return (
            "disk reads per query show no breakpoint from an index size of"
            f" {_gib(smallest)} to {_gib(largest)} GiB."
        )
    interval = f"({CONFIDENCE} {_gib(bend.lower)} to {_gib(bend.upper)} GiB)"
    near = f"{_gib(bend.joint)} GiB {interval}"
    slopes = (
        f"{format_number(bend.after * _GIB)} reads per GiB above,"
        f" {format_number(bend.before * _GIB)} below."
    )
    if bend.shape is CurveShape.CURVED:
        return f"disk reads per query follow a curve. If it has a breakpoint, near {near}: {slopes}"
    return f"disk reads per query have a breakpoint at an index size of {near}: {slopes}"


def _gib(size: float) -> str:
    return format_number(size / _GIB)


MAX_VALUES = 4
"""Values of an axis that a sentence names each."""
MAX_POINTS_WITH_ROOM = 300
"""With more points, answers are fewer and shorter: their status stays below 120 kB."""


class _Room(NamedTuple):
    """How many sentences there may be, of these on axes in a condition, and how long each."""

    answers: int
    on_axes: int
    characters: int


_USUAL_ROOM = _Room(MAX_ANSWERS, on_axes=6, characters=600)
_LITTLE_ROOM = _Room(10, on_axes=3, characters=300)
MIN_POINTS = 2
"""Of a single point there is nothing to say."""


class SweepAnswers(NamedTuple):
    """What is known of the points of a sweep.

    Attributes:
        differences: of each point from its baseline, by its name; points without one are the
            baselines themselves, and all of a condition whose baseline was not measured
        best: of each condition, tested once for the sentences and the status
    """

    differences: Mapping[str, Difference]
    sentences: list[str]
    best: list[BestPoint]


def answer_sweep(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> SweepAnswers:
    """Return what is known of the points, which are in the order of the plan."""
    figure, rule = figure_of(spec), rule_of(spec)
    room = _room(len(points))
    conditions, best = read_measured(spec, plan, points), best_sets(spec, plan, points)
    measured = sum(len(condition.measured) for condition in conditions)
    if plan.baseline is None or measured < MIN_POINTS:
        return SweepAnswers({}, [*answer_sizes(plan, points)], find_best(best))
    found = compare_with_baselines(conditions, figure, rule)
    interactions = find_interactions(conditions, figure.comparison, rule)
    sentences = [
        *itertools.islice(_axis_sentences(conditions, found, figure.words), room.on_axes),
        *answer_best(figure, plan.baseline.point.values, best),
        *_along_conditions(conditions, figure),
        *(_interaction(each, figure.words) for each in interactions),
        *answer_sizes(plan, points),
        *advise(spec, conditions, found),
        *_rounds(spec, plan, points),
        *_scope(found.values()),
    ]
    return SweepAnswers(found, shorten_answers(sentences, len(points)), find_best(best))


def shorten_answers(sentences: Sequence[str], number_of_points: int) -> list[str]:
    """Return as many sentences as a status has room for, each cut to what it has room for."""
    room = _room(number_of_points)
    return [shorten(each, room.characters, placeholder=" …") for each in sentences[: room.answers]]


def _room(number_of_points: int) -> _Room:
    return _USUAL_ROOM if number_of_points <= MAX_POINTS_WITH_ROOM else _LITTLE_ROOM


def _along_conditions(
    conditions: Sequence[MeasuredCondition], figure: ObjectiveFigure
) -> Iterator[str]:
    """Yield the figure of the baseline in each condition, where there are several."""
    given = [
        f"{figure.short(each.baseline.shown_value)}{each.where}"
        for each in conditions
        if each.baseline is not None
    ]
    if len(given) > 1:
        words = figure.words[:1].upper() + figure.words[1:]
        yield f"{words} of the baseline: {join_some(given)}."


def _axis_sentences(
    conditions: Sequence[MeasuredCondition], found: Mapping[str, Difference], figure: str
) -> Iterator[str]:
    """Yield a sentence for each axis that was changed alone, in each condition."""
    axes = conditions[0].measured[0].values if conditions else ()
    for place, axis in enumerate(axes):
        for condition in conditions:
            if condition.baseline is None:
                continue
            values = [
                (point, found[point.name])
                for point in condition.others
                if [value.axis for value in _changes(condition.baseline, point)] == [axis.axis]
            ]
            if values:
                usual = condition.baseline.values[place]
                yield _values(place, usual, values, figure, condition.where)


def _values(
    place: int,
    usual: AxisValue,
    found: Sequence[tuple[MeasuredPoint, Difference]],
    figure: str,
    where: str,
) -> str:
    def describe(point: MeasuredPoint, difference: Difference) -> str:
        label = point.values[place].label + where + ("" if point.is_valid else " (Invalid)")
        subject = f"{usual.axis} {label}: {figure}"
        return difference_sentence(subject, difference, f"with {usual.label}")

    shown = sorted(found, key=lambda each: -abs(each[1].estimate))[:MAX_VALUES]
    named = " ".join(describe(*each) for each in found if each in shown)
    if len(found) <= MAX_VALUES:
        return named
    counts = Counter(CONCLUSIONS[each.conclusion] for _, each in found)
    numbers = ", ".join(f"{number} {word}" for word, number in sorted(counts.items()))
    return (
        f"{len(found)} values of {usual.axis}{where}: {numbers}. The largest differences: {named}"
    )


def _interaction(found: Interaction, figure: str) -> str:
    *axes, last = (value.axis for value in found.values)
    values = [f"{value.axis} {value.label}" for value in found.values]
    together = f"{', '.join(values[:-1])} and {values[-1]}"
    subject = f"Interaction of {', '.join(axes)} and {last}: with {together}, {figure}"
    than = "their separate effects" + (" and those of each two" if len(values) > 2 else "")
    return difference_sentence(subject, found.difference, f"{than} predict")


def _rounds(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield how many benchmarks the rounds took, and which of them were left out."""
    if spec.rounds is None:
        return
    rounds = [sweep_point.rounds or 0 for sweep_point in points]
    left_out = [
        f"{done - len(point.repeat_rounds or [])} of {done} of {planned.point.text}"
        for planned, point, done in zip(plan.points, points, rounds, strict=True)
        if is_valid(point) and len(point.repeat_rounds or []) < done
    ]
    tail = f" Invalid and excluded: {join_some(left_out)}." if left_out else ""
    fewest, most = min(rounds), max(rounds)
    counted = f"{fewest} rounds" if fewest == most else f"{fewest} to {most} rounds"
    yield (
        f"{counted} were run of each point, {sum(rounds)} benchmarks of"
        f" at most {len(points) * spec.rounds.most}.{tail}"
    )


def _scope(differences: Iterable[Difference]) -> Iterator[str]:
    """Yield what conclusions from repeats on one target are about."""
    if any(each.on_target and each.conclusion is not None for each in differences):
        yield (
            "Conclusions on one target are about these targets: identical ones may differ more than"
            " repeats. Set order to Random, or startOn of load.repeats to FreshTarget."
        )
