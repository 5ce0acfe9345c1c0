"""What a growing index costs: where the reads of a query begin to rise, in sentences."""

from collections.abc import Iterator, Sequence

from solrbench.api.v1alpha1.sweep.status import SweepPoint
from solrbench.results.stats.number_format import format_number
from solrbench.results.stats.segmented_regression import (
    LEAST_RUNS,
    LEAST_SIZES,
    CurveShape,
    SegmentedFit,
    SizeRuns,
    fit_segments,
)
from solrbench.sweep.plan import SweepPlan

_GIB = 2**30
_LEAST_RANGE = 1.5
"""How far the largest index must exceed the smallest, so that an axis is about its size."""
_LEAST_SIZES = 3
"""Sizes from which on a sentence says what is missing for a word."""
MOST_ANSWERS = 4

_Point = tuple[tuple[int, ...], SweepPoint]


def answer_sizes(plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield a sentence for each axis that changes the size of the index, with the others held."""
    known: list[_Point] = [
        (tuple(value.index for value in planned.point.values), each)
        for planned, each in zip(plan.points, points, strict=True)
        if each.index_bytes and each.reads_per_request is not None
    ]
    found = 0
    for place, axis in enumerate(_axes(plan)):
        for group in _groups(place, known):
            if found < MOST_ANSWERS and (text := _describe(group)):
                found += 1
                yield f"{axis}, disk reads per query over the size of the index: {text}"


def _axes(plan: SweepPlan) -> list[str]:
    return [each.axis for each in plan.points[0].point.values] if plan.points else []


def _groups(place: int, known: Sequence[_Point]) -> list[list[SweepPoint]]:
    """Return the points that differ in nothing but the axis at a place."""
    groups: dict[tuple[int, ...], list[SweepPoint]] = {}
    for key, point in known:
        groups.setdefault((*key[:place], *key[place + 1 :]), []).append(point)
    return list(groups.values())


def _describe(points: Sequence[SweepPoint]) -> str:
    """Return what the reads of points say; empty if they are not about the size."""
    sizes = [_size(each) for each in points]
    smallest, largest = min(each.x for each in sizes), max(each.x for each in sizes)
    different = len({each.x for each in sizes})
    if different < _LEAST_SIZES or largest < _LEAST_RANGE * smallest:
        return ""
    bend = fit_segments(sizes)
    if bend is None:
        runs = min(each.runs for each in sizes)
        return (
            f"no word, {different} sizes with {runs} repeats or more each ({LEAST_SIZES} with"
            f" {LEAST_RUNS} are needed)"
        )
    return _words(bend, smallest, largest)


def _size(point: SweepPoint) -> SizeRuns:
    return SizeRuns(
        x=point.index_bytes or 0.0,
        mean=point.reads_per_request or 0.0,
        deviation=point.reads_deviation or 0.0,
        runs=1 if point.reads_deviation is None else point.repeats or 1,
    )


def _words(bend: SegmentedFit, smallest: float, largest: float) -> str:
    if bend.shape is CurveShape.STRAIGHT:
        return f"no bend from {_gib(smallest)} to {_gib(largest)} GiB"
    near = f"near {_gib(bend.joint)} GiB (95 %: {_gib(bend.lower)} to {_gib(bend.upper)})"
    slopes = (
        f"{format_number(bend.before * _GIB)} reads for each GiB below,"
        f" {format_number(bend.after * _GIB)} above"
    )
    if bend.shape is CurveShape.CURVED:
        return f"a curve without a clear bend; if it has one, {near}: {slopes}"
    return f"bends {near}: {slopes}"


def _gib(size: float) -> str:
    return format_number(size / _GIB)
