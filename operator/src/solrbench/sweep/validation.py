"""What is wrong with a sweep, by its fields, and the benchmark that each point becomes."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from solrbench.analysis.differences import EQUIVALENCE_LEVEL
from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.rules import ADMITTED, problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.fields import LABEL_KEY, LABEL_NAME
from solrbench.api.v1alpha1.repeats import RepeatOrder
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.api.v1alpha1.sweep_spec import MIN_ROUNDS, Axis, Design, SweepSpec
from solrbench.contract.names import LABEL_POINT, LABEL_SWEEP, MANAGER
from solrbench.decide.references import spec_problems
from solrbench.decide.version_fields import version_problems
from solrbench.manifests.common import owner_reference
from solrbench.stats.distributions import t_quantile
from solrbench.sweep.answers import answers_by_default
from solrbench.sweep.points import (
    ABSENT,
    HASH_LENGTH,
    DesignError,
    DesignPoint,
    FieldPathError,
    Values,
    benchmark_name,
    count_combinations,
    max_name_length,
    parse_path,
    read_values,
    set_field,
)

Body = dict[str, Any]

ANNOTATION_VALUES = "solrbench.io/values"
OF_THE_SWEEP = ("cleanup", "suspend", "ttlSecondsAfterFinished")
"""Fields of a benchmark that its sweep decides on."""


def build_child(
    sweep: SolrBenchmarkSweep,
    point: DesignPoint,
    annotations: Mapping[str, str] | None = None,
    round_: int = 1,
) -> Body:
    """Return the benchmark of a point; FieldPathError if the template has no place for a value."""
    template, metadata = sweep.spec.template, sweep.metadata
    spec: Body = template.spec
    if sweep.spec.repeats is None and sweep.spec.rounds is not None:
        # Its repeats are the rounds, each of which is a benchmark.
        spec = set_field(spec, "load.repeats.count", ABSENT)
    for value in point.values:
        for path, setting in value.settings:
            spec = set_field(spec, path, setting)
    if sweep.spec.rounds is not None:
        spec = _turn_variants(spec, round_)
    if answers_by_default(sweep.spec):
        spec = set_field(spec, "comparison.answers", {})
    decided = {"cleanup": sweep.spec.cleanup.value, "suspend": sweep.spec.suspend}
    return {
        "apiVersion": BENCHMARK.api_version,
        "kind": BENCHMARK.name,
        "metadata": {
            "name": benchmark_name(metadata.name, point.name, round_),
            "namespace": metadata.namespace,
            "labels": {
                **template.metadata.labels,
                "app.kubernetes.io/managed-by": MANAGER,
                LABEL_SWEEP: metadata.name,
                LABEL_POINT: point.name,
            },
            "annotations": {
                **template.metadata.annotations,
                ANNOTATION_VALUES: point.text,
                **(annotations or {}),
            },
            "ownerReferences": [owner_reference(SWEEP, metadata.name, metadata.uid)],
        },
        "spec": spec | decided,
    }


def _turn_variants(spec: Body, round_: int) -> Body:
    """Return the spec with its variants turned round in every second round, unless `Listed`.

    Each round is a benchmark, which draws the order of its first repeat as those of all others do.
    """
    target = spec.get("target")
    if not isinstance(target, dict) or not target.get("variants"):
        return spec
    order = RepeatOrder.INTERLEAVED if round_ % 2 else RepeatOrder.REVERSED
    turned: Body = set_field(spec, "load.repeats.order", order.value)
    repeats = (spec.get("load") or {}).get("repeats") or {}  # objects, or it could not be set
    return spec if repeats.get("order") == RepeatOrder.LISTED else turned


_KEY = re.compile(LABEL_KEY)
_LABEL = re.compile(f"({LABEL_NAME})?")

MAX_POINTS_IN_ROUNDS = 100
"""Points of a sweep with rounds: each round makes a benchmark of each."""
MAX_NAMED = 3
"""Points that are named with a problem that several have."""
MAX_PROBLEMS = 20
"""Problems of points that are shown, and points with problems that are checked."""
MAX_PROBLEM = 300
"""Characters of a problem: an unknown field may have a name of any length."""
MAX_TEMPLATE_VALUES = 10_000
"""Values in the spec of a template, which has no schema in the API server. A benchmark has some
hundred; a megabyte of unknown fields would be 100,000 problems of each point."""


@dataclass(frozen=True)
class CheckedPoint:
    """A point with its benchmark, which is valid."""

    point: DesignPoint
    benchmark: SolrBenchmark


def check_axes(axes: Sequence[Axis]) -> tuple[list[Values], list[str]]:
    """Return the values of all axes, and what is wrong with them."""
    all_values: list[Values] = []
    wrong = _overlaps(axes)
    for index, axis in enumerate(axes):
        tops = {path: str(parse_path(path)[0]) for path in axis.paths}
        wrong += [
            f"spec.axes[{index}]: {path} belongs to the sweep, set spec.{top} instead"
            for path, top in tops.items()
            if top in OF_THE_SWEEP
        ]
        if axis.role is None and 0 < len(axis.conditions) < len(axis.paths):
            wrong.append(
                f"spec.axes[{index}].role: must be set where settings change together with"
                f" conditions ({', '.join(axis.conditions)}): Setting to compare its values, or"
                " Condition"
            )
        below = "must be a path below the spec of a benchmark, without the spec itself"
        wrong += [f"spec.axes[{index}]: {path} {below}" for path in tops if tops[path] == "spec"]
        try:
            all_values.append(read_values(axis))
        except DesignError as error:
            wrong.append(f"spec.axes[{index}] ({axis.name}): {error}")
    return all_values, wrong


def _overlaps(axes: Sequence[Axis]) -> list[str]:
    """Return where a field would take away what one before it has set."""
    before: list[tuple[str, tuple[str | int, ...]]] = []
    wrong: list[str] = []
    for index, axis in enumerate(axes):
        for path in axis.paths:
            keys = parse_path(path)
            wrong += [
                f"spec.axes[{index}]: {path} would replace what {other} sets; put the wider field"
                " first, or leave one out"
                for other, taken in before
                if taken[: len(keys)] == keys
            ]
            before.append((path, keys))
    return wrong


def check_template(sweep: SolrBenchmarkSweep) -> list[str]:
    """Return what the template must leave to the sweep."""
    template = sweep.spec.template
    number = sum(1 for _ in _values(template.spec))
    if number > MAX_TEMPLATE_VALUES:
        return [f"spec.template.spec: has {number:,} values, more than {MAX_TEMPLATE_VALUES:,}"]
    wrong = [
        f"spec.template.spec.{name}: must not be set, the sweep decides it; set spec.{name}"
        for name in OF_THE_SWEEP
        if name in template.spec
    ]
    metadata = template.metadata
    keys = [("labels", key) for key in metadata.labels]
    keys += [("annotations", key) for key in metadata.annotations]
    such = "must be a key of Kubernetes, such as team or example.org/team"
    wrong += [
        f"spec.template.metadata.{name}: {key!r} {such}"
        for name, key in keys
        if not _KEY.fullmatch(key)
    ]
    return wrong + [
        f"spec.template.metadata.labels.{key}: {value!r} must be letters, digits, '-', '_' and '.'"
        for key, value in metadata.labels.items()
        if not _LABEL.fullmatch(value)
    ]


def _values(part: Any) -> Iterator[Any]:
    """Yield every value of a JSON document."""
    waiting = [part]
    while waiting:
        value = waiting.pop()
        yield value
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def check_design(spec: SweepSpec) -> list[str]:
    """Return whether points are listed exactly where the design is a list, and are not too many."""
    wrong, number = list[str](), count_combinations(spec)
    if (spec.design is Design.LIST) is not bool(spec.points):
        wrong.append("spec.points: must be set with design List, and only with it")
    if number > spec.max_points:
        text = f"design {spec.design} has {number:,} points, more than {spec.max_points}"
        wrong.append(f"spec.maxPoints: {text}; raise it (500 at most), or take fewer values")
    return wrong


def check_names(sweep: SolrBenchmarkSweep, *, short: bool) -> list[str]:
    """Return whether the name of the sweep leaves room for those of its benchmarks."""
    over = HASH_LENGTH - max_name_length(sweep.metadata.name, sweep.spec, short=short)
    if over <= 0:
        return []
    most = len(sweep.metadata.name) - over
    text = f"must have at most {most} characters with rounds of repeats and a ZooKeeper"
    return [f"metadata.name: {text} of the Solr Operator, as names of benchmarks end in a round"]


def check_rounds(spec: SweepSpec, points: Sequence[CheckedPoint]) -> list[str]:
    """Return why the points cannot be measured in rounds, if they are to be."""
    if spec.rounds is None:
        return []
    repeats = [each.benchmark.spec.load.repeats for each in points]
    wrong = []
    if any(each.benchmark.spec.diagnostics is not None for each in points):
        wrong.append(
            "spec.template.spec.diagnostics: must not go with rounds, in each of which they would"
            " change the times that are compared; set order to Listed without spec.repeats, or"
            " leave it out"
        )
    if len(points) > MAX_POINTS_IN_ROUNDS:
        wrong.append(
            f"spec.order: cannot be Random for {len(points)} points with repeats, as rounds take at"
            f" most {MAX_POINTS_IN_ROUNDS}; set it to Listed"
            if spec.repeats is None
            else f"spec.repeats: takes at most {MAX_POINTS_IN_ROUNDS} points, not {len(points)}"
        )
    if any(each.until is not None for each in repeats):
        wrong.append(
            "spec.repeats: must not go with load.repeats.until of the template, which would decide"
            " each point alone; set load.repeats.count, the repeats of a round, or leave it out"
        )
    counts = sorted({each.most for each in repeats})
    if len(counts) > 1:
        shown = ", ".join(map(str, counts))
        field = "repeats" if spec.repeats is not None else "order"
        wrong.append(
            f"spec.{field}: load.repeats.count must be the same in all points of a round, not"
            f" {shown}"
        )
    elif counts and spec.repeats is not None and MIN_ROUNDS * counts[0] > spec.repeats.max:
        wrong.append(
            f"spec.repeats.max: must be at least {MIN_ROUNDS * counts[0]}, as each of"
            f" {MIN_ROUNDS} rounds or more has {counts[0]} repeats by load.repeats.count of the"
            " template"
        )
    return wrong


MIN_DEVIATION_PERCENT = 2.0
"""Repeats rarely differ by less: rounds that decide nothing above it decide next to nothing."""


def warn_of_few_rounds(spec: SweepSpec, compared: int, effect_percent: float) -> str:
    """Return that so many compared points need more alike repeats than there are; empty if not.

    Equal points are `Same` if the interval of their difference, at the level of the family, is
    within the smallest effect, which is in per cent.
    """
    rounds = spec.rounds
    if rounds is None or rounds.until is not None or not compared:
        return ""
    quantile = t_quantile(2 * EQUIVALENCE_LEVEL / compared, rounds.most - 1)
    margin = math.log1p(effect_percent / 100)
    percent = 100 * margin / (quantile * math.sqrt(2 / rounds.most))
    if percent >= MIN_DEVIATION_PERCENT:
        return ""
    return (
        f"warning: {compared} points compared in {rounds.most} rounds are mostly inconclusive"
        f" unless repeats have a standard deviation below {percent:.1g} %. Set repeats:"
        " {until: Decided}"
    )


def check_points(
    sweep: SolrBenchmarkSweep, points: Sequence[DesignPoint]
) -> tuple[list[CheckedPoint], list[str]]:
    """Return the points with their benchmarks, and every problem with the points that have it.

    Points of a sweep that has begun keep to the rules of the version that let them through.
    """
    status = sweep.status
    admitted = {each.name for each in status.points if status.fixed_hash is not None}
    checked: list[CheckedPoint] = []
    wrong: dict[str, list[str]] = {}
    failed = 0
    for number, point in enumerate(points, start=1):
        try:
            context, body = {ADMITTED: point.name in admitted}, build_child(sweep, point)
            benchmark = SolrBenchmark.model_validate(body, context=context)
            spec = benchmark.spec
            found = [*version_problems(spec), *spec_problems(spec)]
            for problem in () if context[ADMITTED] else found:
                wrong.setdefault(problem, []).append(point.text)
            checked.append(CheckedPoint(point, benchmark))
        except ValidationError as error:
            failed += 1
            for problem in problems(error)[:MAX_PROBLEMS]:
                shown = problem if len(problem) <= MAX_PROBLEM else f"{problem[:MAX_PROBLEM]}…"
                wrong.setdefault(shown, []).append(point.text)
        except FieldPathError as error:
            failed += 1
            wrong.setdefault(f"spec.axes: {error}", []).append(point.text)
        # A template that is wrong in each of 500 points would cost the time of all tenants.
        if len(wrong) >= MAX_PROBLEMS or (failed >= MAX_PROBLEMS and number < len(points)):
            rest = (
                f"spec.template: {number} of {len(points)} points are checked, correct these first"
            )
            return checked, [*list(group_problems(wrong, number))[:MAX_PROBLEMS], rest]
    return checked, list(group_problems(wrong, len(points)))


def group_problems(wrong: Mapping[str, Sequence[str]], total: int) -> Iterable[str]:
    """Yield each problem with the points that have it, as many as a message has room for."""
    for problem, names in wrong.items():
        where = "every point" if len(names) == total > 1 else name_points(names)
        yield f"{where}: {problem}"


def name_points(names: Sequence[str]) -> str:
    """Return points by their names, as many as a message has room for, and how many more."""
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"point {'; '.join(names[:MAX_NAMED])}{more}"
