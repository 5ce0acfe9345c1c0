"""`spec` of a `SolrBenchmarkSweep`: a benchmark as template, axes, points and rounds."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema

from solrbench.api.identity import GROUP
from solrbench.api.rules import ListMap, Matches, Model, Rule, exactly_one
from solrbench.api.v1alpha1.benchmark import Cleanup
from solrbench.api.v1alpha1.fields import DEFAULT_SEED, Bool, Int, Labels, Seed, ShortName
from solrbench.api.v1alpha1.pod_options import Annotations
from solrbench.api.v1alpha1.prices import Prices
from solrbench.api.v1alpha1.repeats import DEFAULT_MAX, DEFAULT_MIN
from solrbench.api.v1alpha1.sweep_objective import Metric, SweepObjective

MAX_AXES = 8
MAX_POINTS = 500

MAX_DEPTH = 64
"""Levels of lists and objects in a value that has no schema; a benchmark has a dozen."""


def _check_depth(value: Any) -> Any:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = (list(each.values()) if isinstance(each, dict) else each for each in level)
        level = [item for each in inner if isinstance(each, list) for item in each]
        if not level:
            return value
    raise ValueError(f"must not be nested more than {MAX_DEPTH} levels deep")


AnyValue = Annotated[
    Any,
    AfterValidator(_check_depth),
    WithJsonSchema({"x-kubernetes-preserve-unknown-fields": True}),
]
"""Whatever a field of a benchmark takes; the operator validates it as part of a point."""

FieldPath = Annotated[
    str,
    StringConstraints(min_length=1, max_length=256),
    Matches(
        r"[a-z][A-Za-z0-9]*(\[[0-9]{1,3}\])?(\.[A-Za-z][A-Za-z0-9]*(\[[0-9]{1,3}\])?)*",
        "must be the path of a field below the spec of a SolrBenchmark, such as"
        " target.solrCloud.heap or load.steps[0].users",
    ),
]
"""Path of a field below `spec` of a benchmark."""


class AxisRole(StrEnum):
    """Whether the values of an axis are chosen or given."""

    SETTING = "Setting"
    CONDITION = "Condition"


CONDITION_FIELDS = ("load", "workload", "warmUp", "objectives", "dataset", "seed")
"""Fields that are conditions, with all below them: what is asked, of which data, and what must be
held. All others are settings: target, collection, companions, pods."""
SETTING_FIELDS = ("dataset.indexing",)
"""Fields below them that are settings."""


class Axis(Model):
    """A field of the benchmark, or several that change together, and their values."""

    name: ShortName
    """`name` is the name of the axis in points, answers and metrics."""
    field: FieldPath | None = None
    """`field` is the path of the field below the spec of the benchmark, such as
    `target.solrCloud.heap` or `load.steps[0].users`."""
    fields: Annotated[list[FieldPath], Field(min_length=2, max_length=8)] | None = None
    """`fields` are the paths of several fields that change together."""
    values: Annotated[list[AnyValue], Field(min_length=1, max_length=MAX_POINTS)]
    """`values` are the values, one point or more for each. A value is a number, a text or a
    boolean; with `fields` a list with the value of each. Anything else has a name: `{name: small,
    value: ...}`; without `value` the field is omitted, so that its default holds. More may be
    added at any time."""
    role: AxisRole | None = None
    """`role` is whether the values are chosen (`Setting`) or given (`Condition`). Points are
    compared, and a best one is named, within each condition, never over conditions. When absent,
    fields below load, workload, warmUp, objectives, seed and dataset are conditions, others and
    dataset.indexing are settings; it must be given where fields are of both."""

    rules: ClassVar = (exactly_one("field", "fields"),)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all its fields."""
        return tuple(self.fields) if self.fields is not None else (self.field or "",)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Those of its paths that are conditions unless `role` says otherwise."""
        return tuple(
            path
            for path in self.paths
            if _is_below(path, CONDITION_FIELDS) and not _is_below(path, SETTING_FIELDS)
        )

    @property
    def is_condition(self) -> bool:
        """Whether its values are given, and nothing to choose."""
        if self.role is not None:
            return self.role is AxisRole.CONDITION
        return self.conditions == self.paths


def _is_below(path: str, fields: tuple[str, ...]) -> bool:
    return any(re.match(rf"{re.escape(field)}(?![A-Za-z0-9])", path) for field in fields)


Combination = Annotated[dict[str, AnyValue], Field(max_length=MAX_AXES)]
"""A value for each of some axes, by their names."""


_Number = Annotated[Int, Field(ge=2, le=100)]


class RoundsUntil(StrEnum):
    """What rounds go on until."""

    DECIDED = "Decided"
    BEST_KNOWN = "BestKnown"


class SweepRepeats(Model):
    """Rounds over the points: each is a benchmark of every point that takes part in it."""

    until: RoundsUntil = RoundsUntil.DECIDED
    """`until` is what rounds go on until: with `Decided`, a point takes part in the next one while
    the conclusion beside the baseline, or that beside the best point, is neither Better, Worse nor
    Same, at most up to `max` repeats; the best point counts only if it is not the Same as the
    baseline. With `BestKnown`, only what may still be the best point takes part: nothing that is
    Worse than the best one, or the Same. The baseline takes part in every round. Levels of the
    tests allow for the looks after each round. Where `objective.minimise` is set, it must be
    `BestKnown`: then only what may be the cheapest point that holds its load is measured."""
    min: _Number = DEFAULT_MIN
    """`min` is the number of repeats of each point after which it is looked at first."""
    max: _Number = DEFAULT_MAX
    """`max` is the number of repeats that no point exceeds."""

    rules: ClassVar = (Rule(cel="self.min <= self.max", message="max must not be less than min"),)


MIN_ROUNDS = 2
"""One round shows no variation between rounds."""


class Rounds(NamedTuple):
    """How many rounds there are; without `until`, as many of each point as are given."""

    until: RoundsUntil | None
    least: int
    most: int


AnyObject = Annotated[
    dict[str, Any],
    AfterValidator(_check_depth),
    WithJsonSchema({"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
]
"""An object that the operator validates as part of each point."""

Expression = Annotated[str, Field(min_length=1, max_length=256)]
"""A CEL expression that is true or false; the operator evaluates it for each point."""


class Design(StrEnum):
    """Which combinations of values become points."""

    ONE_AT_A_TIME = "OneAtATime"
    FULL = "Full"
    LIST = "List"


class PointOrder(StrEnum):
    """Order in which points are measured."""

    LISTED = "Listed"
    RANDOM = "Random"


class PointTargetPolicy(StrEnum):
    """What a point starts on."""

    SAME_TARGET = "SameTarget"
    FRESH_TARGET = "FreshTarget"


class TemplateMetadata(Model):
    """Metadata of each benchmark of the sweep."""

    labels: Labels = {}
    """`labels` are further labels of each benchmark."""
    annotations: Annotations = {}
    """`annotations` are annotations of each benchmark."""

    # The operator trusts its own: one names the target that a point goes on with.
    rules: ClassVar = tuple(
        Rule(
            cel=(
                f"!has(self.{field}) || self.{field}.all(each, !each.startsWith('{GROUP}/')"
                " && each != 'app.kubernetes.io/managed-by')"
            ),
            message=(
                f"{field} must not contain {GROUP}/* or app.kubernetes.io/managed-by, which the"
                " operator sets; leave them out"
            ),
        )
        for field in ("labels", "annotations")
    )


class BenchmarkTemplate(Model):
    """The benchmark that all points have in common."""

    metadata: TemplateMetadata = TemplateMetadata()
    """`metadata` are labels and annotations of each benchmark."""
    spec: AnyObject
    """`spec` is the spec of a SolrBenchmark without what the axes set. It must not change once a
    point has begun."""

    def part(self, *path: str) -> Mapping[str, Any]:
        """Return an object of the spec, which no schema has checked; empty if it is none."""
        found: Any = self.spec
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}


class SweepSpec(Model):
    """Desired state of the sweep."""

    template: BenchmarkTemplate
    """`template` is the benchmark that all points have in common."""
    axes: Annotated[list[Axis], ListMap("name"), Field(min_length=1, max_length=MAX_AXES)]
    """`axes` are the fields that differ from point to point, and their values."""
    design: Design = Design.ONE_AT_A_TIME
    """`design` controls which combinations of values become points: `OneAtATime` changes one axis
    at a time from the baseline, `Full` takes every combination, `List` takes `points`."""
    baseline: Combination = {}
    """`baseline` is the point that all others are compared with: a value, or the name of one, for
    each axis; of an axis that is omitted, its first one. With design `List` it is the first of
    `points` when absent. It must not change once a point has begun."""
    points: Annotated[list[Combination], Field(max_length=MAX_POINTS)] = []
    """`points` are the combinations of design `List`; an axis that is omitted has the value of the
    baseline, in the first point the first value. More may be added at any time."""
    exclude: Annotated[list[Expression], Field(max_length=16)] = []
    """`exclude` omits the points for which one of these CEL expressions is true, such as
    `point.heap == "8Gi" && point.nodes < 3`. `point` has the value of each axis by its name, or
    the name of the value if it has one, and a list where the axis has several fields."""
    max_points: Annotated[Int, Field(ge=1, le=MAX_POINTS)] = 100
    """`maxPoints` limits the number of points: a sweep with more does not start."""
    order: PointOrder = PointOrder.RANDOM
    """`order` is the order in which points are measured. With `Random`, `load.repeats.count` of the
    template is a number of rounds: in each, every point is measured once, and points are compared
    within rounds. The order is drawn from `seed` for the first of every two rounds and turned for
    the second. So a machine that slows down is not mistaken for the effect of an axis. With
    `Listed`, all repeats of a point come one after another, in the order of `design`, which spares
    making targets again; `repeats` are rounds in any case. In both, points that share a target come
    one after another."""
    start_on: PointTargetPolicy = PointTargetPolicy.SAME_TARGET
    """`startOn` is what a point starts on: with `SameTarget` on that of the point before, if it
    needs the same SolrCloud, and on its index, if collection and dataset are the same, too;
    otherwise, and with `FreshTarget`, on a target of its own."""
    seed: Seed = DEFAULT_SEED
    """`seed` is the seed of order `Random`."""
    parallelism: Annotated[Int, Field(ge=1, le=16)] = 1
    """`parallelism` limits the points under way at a time; the operator's `concurrency`, which
    counts all benchmarks, is a limit too. Benchmarks on the same machines disturb each other."""
    check_room: Bool = True
    """`checkRoom` begins nothing while a point needs pods that no node could take even if nothing
    else ran. Set it to `false` where nodes are added on demand."""
    fail_fast: Bool = False
    """`failFast` begins no further point once one has failed."""
    objective: SweepObjective = SweepObjective()
    """`objective` is what the best point is chosen by."""
    prices: Prices | None = None
    """`prices` are those of cores, memory and disk: each point has a price by the hour, and a cost
    of a million requests."""
    repeats: SweepRepeats | None = None
    """`repeats` measures points in rounds, each with the repeats of `template`, while conclusions
    are missing; for at most 100 points. `{}` has the usual limits. When absent, each point has the
    repeats of `template`."""
    cleanup: Cleanup = Cleanup.ALWAYS
    """`cleanup` controls when Solr and ZooKeeper of each point are deleted after its end. What is
    kept takes room that the next points may need. Results of all points stay."""
    ttl_seconds_after_finished: Annotated[Int, Field(ge=0, le=315_360_000)] | None = None
    """`ttlSecondsAfterFinished` is the time after the end after which the sweep and all its
    benchmarks, results included, are deleted. They are kept when absent."""
    suspend: Bool = False
    """`suspend` suspends the benchmarks under way and begins no other one while `true`."""

    @property
    def metric(self) -> Metric:
        """The metric of the objective."""
        if self.objective.metric is not None:
            return self.objective.metric
        return Metric.CAPACITY if self.is_search else Metric.P95_MILLISECONDS

    @property
    def is_search(self) -> bool:
        """Whether the load of the template is a search for the capacity alone."""
        load = self.template.part("load")
        return "capacity" in load and not load.get("steps")

    @property
    def rounds(self) -> Rounds | None:
        """How many rounds there are; None where points are measured one after another."""
        given = self.template.part("load", "repeats")
        count = given.get("count")
        every = count if isinstance(count, int) and count > 0 else 1
        if self.repeats is not None:
            most = max(MIN_ROUNDS, self.repeats.max // every)
            least = max(MIN_ROUNDS, -(-self.repeats.min // every))
            return Rounds(self.repeats.until, min(least, most), most)
        # With `until`, each point is decided alone, beside a baseline of its own.
        if self.order is PointOrder.LISTED or every < MIN_ROUNDS or "until" in given:
            return None
        return Rounds(None, every, every)

    rules: ClassVar = (
        Rule(
            cel="!has(self.objective.minimise) || has(self.prices)",
            message=(
                "prices must be set with objective.minimise, such as"
                " {currency: EUR, perCoreHour: 0.04}"
            ),
        ),
        Rule(
            # From one run nothing is concluded.
            cel=(
                "!has(self.objective.minimise)"
                " || (has(self.repeats) && self.repeats.until == 'BestKnown')"
            ),
            message=(
                "repeats must be set with objective.minimise, such as"
                " {until: BestKnown, min: 2, max: 8}"
            ),
        ),
    )

    # Rules of the API server cannot see fields without a schema, so the operator itself refuses
    # changes of the template, the baseline and of points that have begun.
    mutable: ClassVar = frozenset(
        {
            "axes",
            "baseline",
            "checkRoom",
            "cleanup",
            "exclude",
            "failFast",
            "maxPoints",
            "parallelism",
            "points",
            "prices",
            "suspend",
            "template",
            "ttlSecondsAfterFinished",
        }
    )
