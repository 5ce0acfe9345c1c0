"""Prometheus metrics of sweeps, rendered from their latest status at every scrape.

Labels are bounded by the resource: at most 500 points with 8 values each.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepPoint, SweepStatus
from solrbench.metrics.family import MetricFamily, ResourceStore, Sample, ShownResource
from solrbench.metrics.findings import VERDICT_NUMBERS, answer_samples
from solrbench.stats.number_format import scaled
from solrbench.sweep.costs import PointCost, pair_points, point_costs
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.points import DesignPoint
from solrbench.sweep.state import is_valid


@dataclass(frozen=True)
class ShownSweep(ShownResource):
    """What metrics show of a sweep: its status, and the points of its plan by name."""

    status: SweepStatus
    points: dict[str, DesignPoint]
    currency: str = ""
    costs: dict[str, PointCost] = field(default_factory=dict)

    kind_label: ClassVar[str] = "sweep"

    def without_results(self) -> Self:
        """Return the sweep without its points."""
        return replace(
            self, status=self.status.model_copy(update={"points": []}), points={}, costs={}
        )


SweepFamily = MetricFamily[ShownSweep]


def _states(sweep: ShownSweep) -> list[Sample]:
    counts = sweep.status.counts
    others = counts.running + counts.succeeded + counts.failed + counts.not_measured
    return [
        (("Planned",), counts.total - others),
        (("NotMeasured",), counts.not_measured),
        (("Running",), counts.running),
        # A point whose steps are invalid succeeded all the same: its benchmark did not fail.
        (("Valid",), counts.succeeded - counts.inconclusive - counts.invalid),
        (("Inconclusive",), counts.inconclusive),
        (("Invalid",), counts.invalid),
        (("Failed",), counts.failed),
    ]


def _figure(
    read: Callable[[SweepPoint], float | None], divisor: float = 1.0, *quantile: str
) -> Callable[[ShownSweep], Iterator[Sample]]:
    return lambda sweep: (
        ((each.name, point.text, *quantile), scaled(read(each), divisor))
        for each in sweep.status.points
        # The status may still list points that a changed plan does not have.
        if (point := sweep.points.get(each.name)) is not None
    )


def _verdict_number(point: SweepPoint) -> float | None:
    """Return that of a point; one that is due for another round has that of the rounds before."""
    before = 0.5 if point.inconclusive_rounds else 1.0
    return VERDICT_NUMBERS.get(point.state, before if is_valid(point) else None)


def _request_costs(sweep: ShownSweep) -> Iterator[Sample]:
    for name, cost in sweep.costs.items():
        lower, upper = cost.bounds or (None, None)
        for bound, value in (("estimate", cost.requests), ("lower", lower), ("upper", upper)):
            yield (name, sweep.points[name].text, sweep.currency, bound), value


_POINT = ("point", "values")

SWEEP_FAMILIES = (
    SweepFamily(
        "sweep_info",
        "Always 1; the phase is in the label.",
        lambda sweep: [((sweep.status.phase,), 1)],
        ("phase",),
        unit="always 1",
    ),
    SweepFamily("sweep_points", "Points by state.", _states, ("state",), unit="points"),
    SweepFamily(
        "sweep_remaining_seconds",
        "Estimated time of the points that are left, one after another.",
        lambda sweep: [((), sweep.status.estimate.remaining_seconds)],
        unit="s",
    ),
    SweepFamily(
        "sweep_point_value_info",
        "Always 1; the value of each axis is in the labels.",
        lambda sweep: [
            ((point.name, value.axis, value.label), 1)
            for point in sweep.points.values()
            for value in point.values
        ],
        ("point", "axis", "value"),
        unit="always 1",
    ),
    SweepFamily(
        "sweep_point_requests_per_second",
        "Rate of the last step of a point.",
        _figure(lambda point: point.requests_per_second),
        _POINT,
        unit="requests/s",
    ),
    SweepFamily(
        "sweep_point_duration_seconds",
        "Quantiles of the last step of a point: of the service time, with a planned rate of the"
        " response time.",
        _figure(lambda point: point.p95_milliseconds, 1000, "0.95"),
        (*_POINT, "quantile"),
        unit="s",
    ),
    SweepFamily(
        "sweep_point_failed_ratio",
        "Share of failed requests of the last step of a point.",
        _figure(lambda point: point.failed_percent, 100),
        _POINT,
        unit="ratio",
    ),
    SweepFamily(
        "sweep_point_cpu_seconds_per_request",
        "CPU time of all Solr processes for each query, of the last step of a point.",
        _figure(lambda point: point.cpu_milliseconds_per_request, 1000),
        _POINT,
        unit="s",
    ),
    SweepFamily(
        "sweep_point_read_bytes_per_request",
        "Bytes that all pods of Solr read from disk for each query.",
        _figure(lambda point: point.read_bytes_per_request),
        _POINT,
        unit="bytes",
    ),
    SweepFamily(
        "sweep_point_reads_per_request",
        "Reads of the disk by all pods of Solr for each query.",
        _figure(lambda point: point.reads_per_request),
        _POINT,
        unit="reads",
    ),
    SweepFamily(
        "sweep_point_index_bytes",
        "Size of the index over all replicas, in the last step of a point.",
        _figure(lambda point: point.index_bytes),
        _POINT,
        unit="bytes",
    ),
    SweepFamily(
        "sweep_answers_different",
        "Queries that a point answers differently than the baseline; absent unless compared.",
        lambda sweep: answer_samples(sweep.status.answer_comparisons),
        ("candidate", "baseline"),
        unit="queries",
    ),
    SweepFamily(
        "sweep_point_price_per_hour",
        "Price of what Solr and ZooKeeper of a point request, by `spec.prices`.",
        lambda sweep: (
            ((name, sweep.points[name].text, sweep.currency), cost.price)
            for name, cost in sweep.costs.items()
        ),
        (*_POINT, "currency"),
        unit="currency/h",
    ),
    SweepFamily(
        "sweep_point_cost_per_million_requests",
        "Cost of a million requests at the rate of a point, and the bounds of its 95 % interval.",
        _request_costs,
        (*_POINT, "currency", "bound"),
        unit="currency",
    ),
    SweepFamily(
        "sweep_point_valid",
        "1 if all steps of a point are Valid, 0 if one is Invalid, else 0.5: one is Inconclusive.",
        _figure(_verdict_number),
        _POINT,
        unit="1, 0.5 or 0",
    ),
)


class SweepStore(ResourceStore[ShownSweep]):
    """The latest status of every sweep, as Prometheus collects it."""

    families = SWEEP_FAMILIES

    def update(self, sweep: SolrBenchmarkSweep, plan: SweepPlan) -> None:
        """Show `sweep` from the next scrape on."""
        points = {point.point.name: point.point for point in plan.points}
        metadata, status = sweep.metadata, sweep.status
        end, prices = status.completion_time, sweep.spec.prices
        shown = ShownSweep(metadata.namespace, metadata.name, end, status, points)
        if prices is not None:
            costs = point_costs(sweep.spec, pair_points(plan.points, status.points))
            shown = replace(shown, currency=prices.currency, costs=costs)
        self._keep(sweep.key, shown)
