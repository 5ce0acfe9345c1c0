"""What points cost: by the hour, and for a million requests."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.api.v1alpha1.sweep_objective import Metric
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.stats.distributions import geometric_interval
from solrbench.stats.number_format import round_significant
from solrbench.sweep.differences import DIGITS
from solrbench.sweep.objective_figure import figure_of
from solrbench.sweep.planned_points import PlannedPoint
from solrbench.sweep.sizing import Pair, SizedPoint, group_points, is_cut

_REQUESTS = 1_000_000

Bounds = tuple[float, float]
"""Of a 95 % interval."""


@dataclass(frozen=True)
class PointCost:
    """Price of Solr and ZooKeeper for an hour, and of a million requests at the measured rate.

    `bounds` are those of the requests, if they are known. In a sizing, `sized` is what it knows.
    """

    price: float
    requests: float | None = None
    bounds: Bounds | None = None
    sized: SizedPoint | None = None


def pair_points(planned: Iterable[PlannedPoint], points: Iterable[SweepPoint]) -> list[Pair]:
    """Return the points of a plan that are stored; a status may still list others."""
    stored = {point.name: point for point in points}
    return [(each, stored[each.point.name]) for each in planned if each.point.name in stored]


def point_costs(
    spec: SweepSpec, pairs: Iterable[Pair], rates: Mapping[str, Bounds] | None = None
) -> dict[str, PointCost]:
    """Return what each point costs, by its name; those without a price are left out.

    `rates` has the bounds of rates that are known better than from the values of repeats.
    """
    pairs = [pair for pair in pairs if pair[0].price is not None]
    sized: dict[str, SizedPoint] = {}
    if spec.objective.is_sizing and spec.rounds is not None:
        for _, group in group_points(spec, spec.rounds, pairs):
            sized |= {each.point.name: each for each in group}
    costs = {}
    figure = figure_of(spec)
    is_search = figure.metric is Metric.CAPACITY
    for planned, point in pairs:
        of_point, price = sized.get(point.name), planned.price or 0.0
        # Requests cost least at the capacity where that is measured. The rate that a sizing shows
        # is that of its headrooms, which has searches in it that found none.
        rate = point.value if is_search and of_point is None else point.requests_per_second
        if of_point is not None and spec.objective.demand is not None:
            # Of what holds far more than is asked, or far less, only a bound is known.
            rate = None if any(map(is_cut, point.headrooms or ())) else rate
        interval = _rate_bounds(spec, point, of_point) or (rates or {}).get(point.name)
        if is_search and figure.unit != "requests/s":
            rate = None  # a million updates are no million requests
        if rate is None:  # nor has a step that failFast left out any, though an earlier one had
            interval = None
        # The higher the rate, the less a request costs.
        upper, lower = (_cost_at(price, each) for each in interval or (None, None))
        bounds = None if lower is None or upper is None else (lower, upper)
        costs[point.name] = PointCost(price, _cost_at(price, rate), bounds, of_point)
    return costs


def _cost_at(price: float, rate: float | None) -> float | None:
    return round_significant(price * _REQUESTS / 3600 / rate, DIGITS) if rate else None


def _rate_bounds(spec: SweepSpec, point: SweepPoint, sized: SizedPoint | None) -> Bounds | None:
    """Return the interval of the rate over the rounds or repeats, if it is known."""
    demand = spec.objective.requests_per_second
    if demand is not None and sized is not None and sized.interval is not None:
        return demand * sized.interval[0], demand * sized.interval[1]
    values, figure = point.repeat_values or [], figure_of(spec)
    is_searched = figure.metric is Metric.CAPACITY and sized is None
    is_rate = figure.metric is Metric.REQUESTS_PER_SECOND and figure.has_field
    if not (is_rate or is_searched) or len(values) < 2:
        return None
    return geometric_interval(values)
