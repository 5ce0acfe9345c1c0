"""The points of a sweep: which combinations its design takes, and what they are called."""

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solrbench.api.v1alpha1.benchmark import MAX_NAME, MAX_NAME_PROVIDED
from solrbench.api.v1alpha1.sweep.spec import Design, SweepSpec
from solrbench.sweep.axis_values import AxisValue, text_of
from solrbench.sweep.expressions.exclusions import is_excluded, parse_exclusions

HASH_LENGTH = 7
"""Letters of five bits each: two of 500 points have the same hash once in 280,000 sweeps."""
MAX_POINT_NAME = 20
ROUND_LENGTH = len("-100")
BASELINE = "baseline"

Values = tuple[AxisValue, ...]
"""A value for each axis, in the order of the axes."""


class DesignError(ValueError):
    """A combination of the spec names what there is not."""


@dataclass(frozen=True)
class Point:
    """One point.

    Attributes:
        name: values in short and a hash of them
        values: a value for each axis
        is_baseline: whether the others are compared with it

    """

    name: str
    values: Values
    is_baseline: bool

    @property
    def indexes(self) -> list[int]:
        """The place of each value in its axis."""
        return [each.index for each in self.values]

    @property
    def text(self) -> str:
        """Its values in words, such as `heap 2Gi, nodes 3`."""
        return ", ".join(f"{each.axis} {each.label}" for each in self.values)

    @property
    def given(self) -> dict[str, Any]:
        """The value of each axis as it is given, of one with a name the name."""
        return {each.axis: each.given for each in self.values}


def benchmark_name(sweep: str, point: str, round_: int = 1) -> str:
    """Return the name of the benchmark of a point, in the first round or a later one."""
    return f"{sweep}-{point}" if round_ == 1 else f"{sweep}-{point}-{round_}"


def name_room(sweep: str, spec: SweepSpec, *, short: bool) -> int:
    """Return how many letters the name of a point may have."""
    rounds = 0 if spec.repeats is None else ROUND_LENGTH
    most = MAX_NAME_PROVIDED if short else MAX_NAME
    return min(most - len(sweep) - 1 - rounds, MAX_POINT_NAME)


def make_points(
    sweep: str, spec: SweepSpec, axes: Sequence[Values], *, short: bool
) -> tuple[Point, ...]:
    """Return the points in the order of the design, each once.

    Args:
        sweep: name of the sweep
        spec: its spec
        axes: the values of each axis
        short: whether names must leave room for a ZooKeeper of the Solr Operator

    Raises:
        DesignError: if a combination names an axis or a value that there is not.
        ExclusionError: if an expression of `exclude` is wrong, or has no value for a point.

    """
    baseline = baseline_values(spec, axes)
    exclusions = parse_exclusions(spec.exclude)
    room = name_room(sweep, spec, short=short)
    found: dict[str, Point] = {}
    for values in _combinations(spec, axes, baseline):
        shown = _shown(spec.design, values, baseline)
        point = Point(_name(values, shown, room), values, values == baseline)
        if not is_excluded(exclusions, point.given, point.text):
            found.setdefault(point.name, point)
    return tuple(found.values())


def baseline_values(spec: SweepSpec, axes: Sequence[Values]) -> Values:
    """Return the values of the baseline: those given, or the first ones; in a list its first.

    Raises:
        DesignError: if it names an axis or a value that there is not.

    """
    first = tuple(each[0] for each in axes)
    if spec.design is Design.LIST and not spec.baseline:
        return _complete(spec.points[0], axes, first, "points[0]")
    return _complete(spec.baseline, axes, first, "baseline")


def _combinations(
    spec: SweepSpec, axes: Sequence[Values], baseline: Values
) -> Iterator[Values] | Iterable[Values]:
    match spec.design:
        case Design.FULL:
            return itertools.product(*axes)
        case Design.LIST:
            return [
                _complete(each, axes, baseline, f"points[{index}]")
                for index, each in enumerate(spec.points)
            ]
        case Design.ONE_AT_A_TIME:
            return _one_at_a_time(axes, baseline)


def count_combinations(spec: SweepSpec) -> int:
    """Return how many combinations the design has, before any is left out."""
    lengths = [len(axis.values) for axis in spec.axes]
    match spec.design:
        case Design.FULL:
            product = 1
            for each in lengths:
                product *= each
            return product
        case Design.LIST:
            return len(spec.points)
        case Design.ONE_AT_A_TIME:
            return 1 + sum(each - 1 for each in lengths)


def _one_at_a_time(axes: Sequence[Values], baseline: Values) -> Iterator[Values]:
    yield baseline
    for place, values in enumerate(axes):
        for value in values:
            if value != baseline[place]:
                yield (*baseline[:place], value, *baseline[place + 1 :])


def _complete(given: Mapping[str, Any], axes: Sequence[Values], rest: Values, where: str) -> Values:
    chosen = {each.axis: each for each in _selected(given, axes, where)}
    return tuple(chosen.get(each.axis, each) for each in rest)


def _selected(given: Mapping[str, Any], axes: Sequence[Values], where: str) -> Values:
    by_axis = {values[0].axis: values for values in axes}
    return tuple(_select(by_axis, name, value, where) for name, value in given.items())


def _select(by_axis: Mapping[str, Values], name: str, value: Any, where: str) -> AxisValue:
    if name not in by_axis:
        raise DesignError(f"spec.{where}.{name}: must be one of the axes {', '.join(by_axis)}")
    label = text_of(value)
    for each in by_axis[name]:
        if each.label == label:
            return each
    known = ", ".join(each.label for each in by_axis[name])
    raise DesignError(f"spec.{where}.{name}: must be a value of the axis, or its name: {known}")


def _shown(design: Design, values: Values, baseline: Values) -> list[str]:
    """Return the words of a point's name: all values, or what differs from the baseline."""
    if design is not Design.ONE_AT_A_TIME:
        return [each.label for each in values]
    differ = [
        word
        for each, usual in zip(values, baseline, strict=True)
        if each != usual
        for word in (each.axis, each.label)
    ]
    return differ or [BASELINE]


def _name(values: Values, words: Sequence[str], room: int) -> str:
    identity = json.dumps([[each.axis, each.identity] for each in values])
    digest = base64.b32encode(hashlib.sha256(identity.encode()).digest()).decode().lower()
    slug = re.sub("[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")
    short = slug[: max(0, room - HASH_LENGTH - 1)].strip("-")
    return f"{short}-{digest[:HASH_LENGTH]}" if short else digest[:HASH_LENGTH]
