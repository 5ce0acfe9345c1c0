"""What a growing index costs: how the disk reads of a query depend on its size, in sentences."""

from collections.abc import Iterator, Sequence
from itertools import islice

from solrbench.analysis.sentences import CONFIDENCE
from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.stats.number_format import GIBIBYTE, count_noun, format_bytes, format_number
from solrbench.stats.regression import (
    MIN_RUNS,
    MIN_SIZES,
    CurveShape,
    SegmentedFit,
    SizeRuns,
    fit_segments,
)
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.points import Values, text_of_values
from solrbench.sweep.state import is_valid

_MIN_RANGE = 1.5
"""How far the largest index must exceed the smallest, so that an axis is about its size."""
_MIN_SIZES = 3
"""Sizes from which on a sentence says what is missing for a conclusion."""
MAX_SIZE_ANSWERS = 4


def answer_sizes(plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Return a sentence for each axis that changes the size of the index, with the others held."""
    known = [
        (planned.point.values, point)
        for planned, point in zip(plan.points, points, strict=True)
        if is_valid(point) and point.index_bytes and point.read_bytes_per_request is not None
    ]
    axes = [value.axis for value in plan.points[0].point.values] if plan.points else []
    answers = (
        f"{axis}{f' with {held}' if held else ''}: {text}"
        for place, axis in enumerate(axes)
        for held, group in _groups(place, known).items()
        if (text := _describe(group))
    )
    return islice(answers, MAX_SIZE_ANSWERS)


def _groups(place: int, known: Sequence[tuple[Values, SweepPoint]]) -> dict[str, list[SweepPoint]]:
    """Return the points that differ in nothing but the axis at a place, by the other values."""
    groups: dict[str, list[SweepPoint]] = {}
    for values, point in known:
        held = text_of_values((*values[:place], *values[place + 1 :]))
        groups.setdefault(held, []).append(point)
    return groups


def _describe(points: Sequence[SweepPoint]) -> str:
    """Return what the reads of points say; empty if they are not about the size."""
    sizes = [
        SizeRuns(
            x=each.index_bytes or 0.0,
            mean=each.read_bytes_per_request or 0.0,
            deviation=each.read_bytes_deviation or 0.0,
            runs=1 if each.read_bytes_deviation is None else each.repeats or 1,
        )
        for each in points
    ]
    smallest, largest = min(each.x for each in sizes), max(each.x for each in sizes)
    different = len({each.x for each in sizes})
    if different < _MIN_SIZES or largest < _MIN_RANGE * smallest:
        return ""
    bend = fit_segments(sizes)
    if bend is None:
        runs = min(each.runs for each in sizes)
        return (
            "how disk reads per query depend on the index size is not known from"
            f" {different} sizes with {count_noun(runs, 'repeat')} or more each ({MIN_SIZES} with"
            f" {MIN_RUNS} are needed)."
        )
    return _words(bend, smallest, largest)


def _words(bend: SegmentedFit, smallest: float, largest: float) -> str:
    if bend.shape is CurveShape.STRAIGHT:
        return (
            "disk reads per query show no breakpoint from an index size of"
            f" {_gib(smallest)} to {_gib(largest)} GiB."
        )
    interval = f"({CONFIDENCE} {_gib(bend.lower)} to {_gib(bend.upper)} GiB)"
    near = f"{_gib(bend.joint)} GiB {interval}"
    slopes = f"{_slope(bend.after)} per GiB of index above, {_slope(bend.before)} below."
    if bend.shape is CurveShape.CURVED:
        return f"disk reads per query follow a curve. If it has a breakpoint, near {near}: {slopes}"
    return f"disk reads per query have a breakpoint at an index size of {near}: {slopes}"


def _slope(bytes_per_byte: float) -> str:
    size = bytes_per_byte * GIBIBYTE
    return f"{'-' if size < 0 else ''}{format_bytes(abs(size))}"


def _gib(size: float) -> str:
    return format_number(size / GIBIBYTE)
