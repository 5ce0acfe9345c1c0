"""What a sizing asks of each point, in words, and why it cannot be asked."""

import re
from collections.abc import Iterator, Sequence

from pydantic.alias_generators import to_camel

from solrbench.analysis.sentences import describe
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import CAPACITY_UNITS
from solrbench.api.v1alpha1.load import Load
from solrbench.api.v1alpha1.objectives import Objective, SearchFor
from solrbench.api.v1alpha1.sweep_objective import Demand
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.stats.number_format import format_number
from solrbench.sweep.validation import CheckedPoint, group_problems


def describe_load(spec: SweepSpec, benchmark: Spec) -> str:
    """Return what a point is to hold, such as `300 requests/s with p95 ≤ 200 ms`."""
    rates = [step.requests_per_second or 0.0 for step in benchmark.load.steps]
    rate, unit = spec.objective.demand or Demand(max(rates, default=0.0))
    limits = " and ".join(map(describe, _limits(spec, benchmark)))
    return f"{format_number(rate)} {unit} with {limits}"


def _limits(spec: SweepSpec, benchmark: Spec) -> list[Objective]:
    search = benchmark.load.capacity
    if spec.objective.demand is None or search is None:
        return benchmark.objectives
    return [each for each in benchmark.objectives if each.limits_trials_of(search)]


_OF_SEARCH = re.compile(r"load\.(steps|capacity)\b.*")


def check_sizing(spec: SweepSpec, points: Sequence[CheckedPoint]) -> list[str]:
    """Return why the cheapest point that holds its load cannot be found, if it is to be."""
    if spec.objective.minimise is None:
        return []
    wrong: dict[str, list[str]] = {}
    for each in points:
        for problem in _problems(spec, each):
            wrong.setdefault(problem, []).append(each.point.text)
    problems = [*group_problems(wrong, len(points))]
    if any(each.benchmark.spec.load.capacity is not None for each in points):
        problems += [
            f"spec.axes[{index}] ({axis.name}): must not be an axis of a search, which finds the"
            " load itself; leave it out, or replace load.capacity by steps with requestsPerSecond"
            for index, axis in enumerate(spec.axes)
            if any(_OF_SEARCH.fullmatch(path) for path in axis.paths)
        ]
    return problems


def _problems(spec: SweepSpec, checked: CheckedPoint) -> Iterator[str]:
    benchmark = checked.benchmark.spec
    solr = benchmark.target.solr_cloud
    if solr is None:
        yield "target.solrCloud: must be set, as an existing Solr has no price"
    elif spec.prices is not None and spec.prices.per_core_hour:
        requested = solr.resources.requests.cpu or solr.resources.limits.cpu
        if not requested:
            yield (
                "target.solrCloud.resources.requests.cpu: must be set, as prices.perCoreHour counts"
                " what is requested"
            )
    if not _limits(spec, benchmark):
        yield (
            "objectives: must have one, such as {name: fast, responseTime: {maxMilliseconds: 200}}"
        )
    yield from _demand_problems(spec.objective.demand, benchmark.load)


def _demand_problems(demand: Demand | None, load: Load) -> Iterator[str]:
    """Yield why the load of a point cannot be the one that is asked."""
    search = load.capacity
    given = None if demand is None else to_camel(CAPACITY_UNITS[demand.unit])
    indexes = search is not None and search.indexing is not None
    wanted = "documentsPerSecond" if indexes else "requestsPerSecond"
    if search is None:
        if given is not None:
            yield (
                f"spec.objective.{given}: must not be set without load.capacity; the steps have"
                " their rates"
            )
        elif not all(step.requests_per_second for step in load.steps):
            yield (
                "load.steps: must have requestsPerSecond in each step, or be replaced by"
                " load.capacity with spec.objective.requestsPerSecond"
            )
    elif given is None:
        yield f"spec.objective.{wanted}: must be set with load.capacity, the rate to hold"
    elif given != wanted:
        yield (
            f"spec.objective.{given}: must be {wanted}, as load.capacity has"
            f"{'' if indexes else ' no'} indexing"
        )
    elif search.search_for is not SearchFor.REQUESTS_PER_SECOND:
        yield "load.capacity.searchFor: must be RequestsPerSecond, the rate to hold is one, too"
