"""Why a sweep cannot have its objective: a figure that no point has, a load that none holds."""

import re
from collections.abc import Iterator, Sequence

from pydantic.alias_generators import to_camel

from solrbench.analysis.sentences import describe
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import CAPACITY_UNITS
from solrbench.api.v1alpha1.load import Load
from solrbench.api.v1alpha1.objectives import Objective, SearchFor
from solrbench.api.v1alpha1.sweep_objective import Demand, Metric
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.api.v1alpha1.validity import Collect
from solrbench.contract.step_runs import variant_names
from solrbench.stats.number_format import format_number
from solrbench.sweep.objective_figure import OF_BENCHMARK, OF_TELEMETRY, RATES, figure_of
from solrbench.sweep.validation import CheckedPoint, group_problems


def check_objective(spec: SweepSpec, points: Sequence[CheckedPoint]) -> list[str]:
    """Return why the points cannot be compared by the objective."""
    specs = [each.benchmark.spec for each in points]
    if not specs:
        return []
    wrong = [*_check_metric(spec, specs), *_check_rate(spec, specs), *_check_axes(spec)]
    is_measured = any(each.load.visibility is not None for each in specs)
    if spec.metric is Metric.TIME_UNTIL_FOUND and not is_measured:
        wrong.append(
            f"spec.objective.metric: must not be {spec.metric} without load.visibility; set it"
        )
    figure, given = figure_of(spec), spec.template.part("load", "repeats")
    repeats = given.get("count")
    has_repeats = "until" in given or (isinstance(repeats, int) and repeats > 1)
    if not figure.has_field and spec.rounds is None and has_repeats:
        wrong.append(
            f"spec.objective: {figure.words} is one number of each benchmark, whose repeats must be"
            " rounds: set order to Random and load.repeats.count, or spec.repeats"
        )
    return wrong or [*_check_names(spec, specs)]


def _check_metric(spec: SweepSpec, specs: Sequence[Spec]) -> Iterator[str]:
    metric, field = spec.metric, "spec.objective.metric"
    if metric is Metric.CAPACITY:
        if all(each.load.capacity is None for each in specs):
            yield f"{field}: must not be Capacity, no point has a search; set load.capacity"
        if spec.objective.request is not None:
            # The rule of the resource cannot see that Capacity is the default.
            yield (
                "spec.objective.request: must be omitted, as a capacity is of all requests together"
            )
    elif metric in OF_BENCHMARK:
        if all(each.dataset is None for each in specs):
            yield f"{field}: must not be {metric}, no point indexes documents; set dataset"
    elif not any(each.load.steps for each in specs):
        yield f"{field}: must be Capacity, or of the index, as no point has load.steps"
    elif metric in OF_TELEMETRY:
        wanted = [Collect.SERVERS_AND_PODS]
        wanted += [Collect.SERVERS] if metric is Metric.CPU_MILLISECONDS_PER_REQUEST else []
        if all(each.load.telemetry.collect not in wanted for each in specs):
            yield (
                f"{field}: {metric} is not read; set load.telemetry.collect of the template to"
                f" {wanted[-1]}"
            )


def _check_rate(spec: SweepSpec, specs: Sequence[Spec]) -> Iterator[str]:
    """Yield the step whose rate is given, or that adds no documents, if the objective is a rate."""
    metric, name = spec.metric, spec.objective.step
    if metric not in RATES:
        return
    steps = [[step for step in each.load.steps if name in (None, step.name)] for each in specs]
    named, which = [each[-1] for each in steps if each], f"step {name}" if name else "the last step"
    # That of a sizing, whose rates are given, is shown only.
    if not spec.objective.is_sizing and any(step.users is None for step in named):
        yield (
            f"spec.objective.metric: must not be {metric}, which {which} gives; choose"
            " P95Milliseconds, or Capacity with load.capacity"
        )
    elif metric is Metric.DOCUMENTS_PER_SECOND and any(step.indexing is None for step in named):
        yield (
            f"spec.objective.metric: {which} adds no documents; set its indexing, or name another"
            " in spec.objective.step"
        )


def _check_axes(spec: SweepSpec) -> Iterator[str]:
    """Yield the conditions that the objective has no use of."""
    for index, axis in enumerate(spec.axes):
        steps = [path for path in axis.paths if path.startswith("load.steps")]
        if spec.metric is Metric.CAPACITY and steps:
            yield (
                f"spec.axes[{index}]: must not be {steps[0]} with the objective Capacity, whose"
                " search sends a load of its own; leave the axis out, or choose another metric"
            )


def _check_names(spec: SweepSpec, specs: Sequence[Spec]) -> Iterator[str]:
    """Yield the step, variant and request name that no point has."""
    objective = spec.objective
    steps = dict.fromkeys(step.name for each in specs for step in each.load.steps)
    variants = dict.fromkeys(filter(None, (name for s in specs for name in variant_names(s))))
    known = [_request_names(each) for each in specs]
    names = None if None in known else dict.fromkeys(n for each in known for n in each or ())
    for field, value, values in (
        ("step", objective.step, steps),
        ("variant", objective.variant, variants),
        ("request", objective.request, names),
    ):
        if value is not None and values is not None and value not in values:
            shown = f"must be one of {', '.join(values)}" if values else "no point has any"
            yield f"spec.objective.{field}: no point has the {field} {value}; {shown}"


def _request_names(spec: Spec) -> list[str] | None:
    """Return the names of the requests; None where lines of a file, or code, may name others."""
    names = []
    for entry in spec.workload.entries:
        if entry.queries is not None and entry.queries.generated is None:
            return None
        names.append(entry.name)
        if entry.transaction is not None:
            names += [f"{entry.name}.{request.name}" for request in entry.transaction.requests]
    return names if spec.workload.locustfile is None else None


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
    if not spec.objective.is_sizing:
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
    elif (prices := spec.prices) is not None:
        if prices.per_core_hour and not (solr.resources.requests.cpu or solr.resources.limits.cpu):
            yield (
                "target.solrCloud.resources.requests.cpu: must be set, as prices.perCoreHour counts"
                " what is requested"
            )
        if not (prices.per_core_hour or prices.per_memory_gibibyte_hour or solr.storage.persistent):
            yield (
                "target.solrCloud.storage.persistent: must be set, as prices.perDiskGibibyteHour"
                " alone counts persistent volumes alone"
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
