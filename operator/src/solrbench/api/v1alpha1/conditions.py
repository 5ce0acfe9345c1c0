"""The base of everything in the status: conditions, attempts, and the table of what is measured.

The fields of a model of results are the rows of the table. Beside type, bounds and description,
from which the schema and the API reference are made, each carries a `Shown`: its unit, its columns
in tables, its metric. Terminal, Markdown, CSV, Prometheus and the references read it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints
from pydantic.config import JsonDict

from solrbench.api.rules import LenientModel
from solrbench.api.v1alpha1.fields import Count, Text

LIST_MAP_BY_TYPE: JsonDict = {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
}
"""Server-side apply merges the list by the type of its items."""


class StatusModel(LenientModel):
    """Part of a status."""


class Condition(StatusModel):
    """One aspect of the benchmark, as a Kubernetes condition."""

    type: Annotated[str, StringConstraints(max_length=316)]
    """`type` is Accepted, TargetReady, DataIndexed, Measured, CleanedUp; ObjectivesMet with
    `spec.objectives`, once all is measured; Exported with `spec.results.export`; Succeeded,
    which is Unknown until the end; or Complete, which is True at the end, either way, with the
    reason of Succeeded."""
    status: Literal["True", "False", "Unknown"]
    """`status` is True if the condition is met."""
    reason: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    """`reason` is a CamelCase word for programs."""
    message: Annotated[str, StringConstraints(max_length=32_768)] = ""
    """`message` is a sentence for human readers: what happened, measured value, limit, remedy."""
    last_transition_time: datetime
    """`lastTransitionTime` is the time at which `status` last changed."""
    observed_generation: Count = 0
    """`observedGeneration` is the generation of the resource that was observed."""


def find_condition(conditions: Iterable[Condition], type_: str) -> Condition | None:
    """Return the condition of a type; None before it is set."""
    return next((each for each in conditions if each.type == type_), None)


# A target that all points and rounds of a sweep share counts on from one to the next.
AttemptNumber = Annotated[int, Field(ge=1, le=1_000_000)]


class Attempts(StatusModel):
    """Numbers of attempts; repeats that start anew, suspensions and lost pods raise them."""

    target: AttemptNumber = 1
    """`target` is the number of times that the target was created and the data indexed."""
    load: AttemptNumber = 1
    """`load` is the number of times that the load was started."""
    first_load_on_target: AttemptNumber | None = None
    """`firstLoadOnTarget` is the first attempt of the load on the present target, if earlier ones
    ran on another target or on other data."""
    repeat: AttemptNumber | None = None
    """`repeat` is the repeat that the present target, or its data, was made for; absent during
    the first one, and where all repeats share the target."""
    fresh_targets: AttemptNumber | None = None
    """`freshTargets` is the number of targets that were made for a repeat or after a suspension;
    they are counted in `target`, too."""
    fresh_data: AttemptNumber | None = None
    """`freshData` is the number of times that the data was indexed again because a repeat starts
    on fresh data."""

    @property
    def index(self) -> int:
        """Number of times that the data was indexed."""
        return self.target + (self.fresh_data or 0)

    @property
    def starts_of_target(self) -> int:
        """Number of times that a target was made, but for repeats and after suspensions."""
        return self.target - (self.fresh_targets or 0)

    @property
    def starts_of_load(self) -> int:
        """Number of times that the load was started, but for repeats and after suspensions."""
        return self.load - (self.fresh_targets or 0) - (self.fresh_data or 0)


class Unit(Enum):
    """What the number of a field counts or measures."""

    NONE = ("", 1)
    """Not a number: names, flags, and what consists of several numbers."""
    REPEATS = ("repeats", 1)
    REQUESTS = ("requests", 1)
    FAILURES = ("failures", 1)
    """Failed requests; tables show their share of all."""
    ARRIVALS = ("arrivals", 1)
    RATE = ("requests/s", 1)
    MILLISECONDS = ("s", 1000)
    SECONDS = ("s", 1)
    WINDOWS = ("windows", 1)
    BYTES = ("bytes", 1)
    CORES = ("cores", 1)
    SERVERS = ("servers", 1)
    BYTES_PER_SECOND = ("bytes/s", 1)
    FAULTS = ("faults/s", 1)
    READS = ("reads", 1)
    OPERATIONS = ("operations/s", 1)
    COLLECTIONS = ("collections/s", 1)
    ENTRIES = ("entries", 1)
    MERGES = ("merges/s", 1)
    WATCHES = ("watches", 1)
    CONNECTIONS = ("connections", 1)
    THREADS = ("threads", 1)
    SEGMENTS = ("segments", 1)
    DOCUMENTS = ("documents", 1)
    DOCUMENTS_PER_SECOND = ("documents/s", 1)
    EVICTIONS = ("entries/s", 1)
    PERCENT = ("ratio, 0.01 = 1 %", 100)

    def __init__(self, metric_unit: str, divisor: int) -> None:
        self.metric_unit = metric_unit
        """Unit of the metric, which Prometheus wants to be a base unit."""
        self.divisor = divisor
        """Makes a number of the status one of the metric."""


class OnlyWith(Enum):
    """What a step must have, so that it has a number."""

    PLANNED_RATE = "requestsPerSecond"
    RAMP = "spawnRate or rampSeconds"


@dataclass(frozen=True)
class ColumnTitles:
    """Titles of a field's column in the table of results; empty where it stands in none.

    Most columns show service times in rows of a closed loop, and response times in others.
    """

    closed: str = ""
    open: str = ""


@dataclass(frozen=True)
class PrometheusMetric:
    """The Prometheus metric of a field: its name in base units, without the prefix `solrbench_`.

    Where several fields make up a summary, each has its quantile, and all have the same text; the
    text of any other metric is the description of its field.
    """

    name: str
    quantile: str = ""
    text: str = ""


@dataclass(frozen=True)
class Shown:
    """How a field is shown in tables and metrics (CSV has every field); metadata of its type.

    A step without what `only_with` names has no such number.
    """

    unit: Unit
    columns: ColumnTitles = ColumnTitles()
    metric: PrometheusMetric | None = None
    only_with: OnlyWith | None = None

    def optional(self) -> Any:
        """Return the default of an optional field, by which the field is shown so."""
        field: Any = Field(default=None)
        # pydantic merges it with the metadata of the annotation.
        field.metadata.append(self)
        return field


def with_metric(unit: Unit, name: str) -> Shown:
    """Return how a field with a metric is shown, which is in no table but CSV."""
    return Shown(unit, metric=PrometheusMetric(name))


def shown(unit: Unit, metric: str) -> Any:
    """Return the default of an optional field of this kind."""
    return with_metric(unit, metric).optional()


class StepPart(StatusModel):
    """Part of a status that is about one step through one variant."""

    step: Annotated[Text, Shown(Unit.NONE)]
    """Name of the step."""
    variant: Text | None = Shown(Unit.NONE).optional()
    """Name of the variant; absent without variants."""


@dataclass(frozen=True)
class ResultField:
    """A row of the table: the name also of the column in CSV, the description in one line."""

    name: str
    text: str
    shown: Shown


def result_fields(model: type[StatusModel]) -> tuple[ResultField, ...]:
    """Return the rows of `model` in their order, for which each field must be `Shown`."""
    rows = []
    for name, field in model.model_fields.items():
        how = next((each for each in field.metadata if isinstance(each, Shown)), None)
        if how is None:
            raise TypeError(f"field {name} lacks a Shown in its type")
        rows.append(ResultField(name, " ".join((field.description or "").split()), how))
    return tuple(rows)
