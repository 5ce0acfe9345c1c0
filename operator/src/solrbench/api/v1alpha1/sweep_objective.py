"""`spec.objective` of a `SolrBenchmarkSweep`: what the best point is best at."""

from enum import StrEnum
from typing import Annotated, ClassVar, NamedTuple

from pydantic import StringConstraints

from solrbench.api.rules import Model, Rule, at_most_one
from solrbench.api.v1alpha1.fields import Rate, ShortName, at_least


class Metric(StrEnum):
    """What the best point is best at."""

    REQUESTS_PER_SECOND = "RequestsPerSecond"
    DOCUMENTS_PER_SECOND = "DocumentsPerSecond"
    MEAN_MILLISECONDS = "MeanMilliseconds"
    P50_MILLISECONDS = "P50Milliseconds"
    P95_MILLISECONDS = "P95Milliseconds"
    P99_MILLISECONDS = "P99Milliseconds"
    FAILED_PERCENT = "FailedPercent"
    TIME_UNTIL_FOUND = "TimeUntilFoundP95Milliseconds"
    CAPACITY = "Capacity"
    INDEXING_SECONDS = "IndexingSeconds"
    INDEX_BYTES = "IndexBytes"
    CPU_MILLISECONDS_PER_REQUEST = "CpuMillisecondsPerRequest"
    READS_PER_REQUEST = "ReadsPerRequest"
    READ_BYTES_PER_REQUEST = "ReadBytesPerRequest"


_OF_REQUESTS = (
    "['RequestsPerSecond', 'DocumentsPerSecond', 'MeanMilliseconds', 'P50Milliseconds',"
    " 'P95Milliseconds', 'P99Milliseconds', 'FailedPercent']"
)
_OF_BENCHMARK = "['IndexingSeconds', 'IndexBytes']"


class Minimise(StrEnum):
    """What the best point has the least of."""

    COST = "Cost"


class SubjectTo(StrEnum):
    """What a point must hold to be chosen at all."""

    OBJECTIVES = "Objectives"


class Demand(NamedTuple):
    """A rate that a point must hold, in the unit of its capacity."""

    rate: float
    unit: str = "requests/s"


class SweepObjective(Model):
    """What the best point is chosen by."""

    metric: Metric | None = None
    """`metric` is the figure of each point that conclusions, the best point and answers are about:
    the highest RequestsPerSecond, DocumentsPerSecond (of a step with `indexing`) or Capacity, or
    the least of the others. When absent, it is
    Capacity where the template has a capacity search and no steps, else P95Milliseconds. Points
    with an Invalid step are excluded. Times are service times, with a planned rate response times;
    CpuMillisecondsPerRequest, ReadsPerRequest and ReadBytesPerRequest need load.telemetry, and
    TimeUntilFoundP95Milliseconds load.visibility."""
    step: ShortName | None = None
    """`step` is the name of the step that the figure is of; the last one when absent."""
    variant: ShortName | None = None
    """`variant` is the name of the variant that it was measured through; the first one when
    absent."""
    request: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = None
    """`request` is the name of the requests or transactions that it is of; all requests together
    when absent."""
    minimise: Minimise | None = None
    """`minimise`, with `subjectTo`, asks for the point with the lowest price by `spec.prices` that
    holds its load instead; `metric` is then shown only. It needs `spec.repeats`."""
    subject_to: SubjectTo | None = None
    """`subjectTo` is what such a point must hold: all `objectives` of the template, at the rate of
    its steps, or with `load.capacity` at `requestsPerSecond` or `documentsPerSecond`."""
    requests_per_second: Rate | None = None
    """`requestsPerSecond` is the rate that a point must hold where `load.capacity` of the template
    searches for the highest one; at least 0.001."""
    documents_per_second: Rate | None = None
    """`documentsPerSecond` is that rate where `load.capacity.indexing` searches for it; at least
    0.001."""

    rules: ClassVar = (
        Rule(
            cel=(f"!has(self.request) || !has(self.metric) || self.metric in {_OF_REQUESTS}"),
            message=(
                "request must go with RequestsPerSecond, FailedPercent or a time: other figures"
                " are of all requests together"
            ),
        ),
        Rule(
            cel=("!has(self.metric) || !(self.metric == 'Capacity' && has(self.step))"),
            message="step must not go with Capacity, which is of no step; leave it out",
        ),
        Rule(
            cel=(
                "!(has(self.step) || has(self.variant)) || !has(self.metric)"
                f" || !(self.metric in {_OF_BENCHMARK})"
            ),
            message=(
                "step and variant must not go with IndexingSeconds and IndexBytes, which are one"
                " number of the whole benchmark"
            ),
        ),
        Rule(
            cel="has(self.minimise) == has(self.subjectTo)",
            message="minimise and subjectTo must go together",
        ),
        Rule(
            cel=(
                "!has(self.requestsPerSecond) && !has(self.documentsPerSecond)"
                " || has(self.minimise)"
            ),
            message="requestsPerSecond and documentsPerSecond must go with minimise",
        ),
        at_most_one("requestsPerSecond", "documentsPerSecond"),
        at_least("requestsPerSecond", 0.001),
        at_least("documentsPerSecond", 0.001),
    )

    @property
    def is_sizing(self) -> bool:
        """Whether the cheapest point that holds a load is asked for."""
        return self.minimise is not None

    @property
    def demand(self) -> Demand | None:
        """The rate that a point must hold; None where its steps have theirs."""
        if self.documents_per_second is not None:
            return Demand(self.documents_per_second, "documents/s")
        return None if self.requests_per_second is None else Demand(self.requests_per_second)
