"""All that the benchmarks of a point measured, over its rounds, in a few numbers each."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, geometric_mean
from typing import Any

from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.analysis.step_trends import growing
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.findings import CAPACITY_UNITS, CapacityResult, capacity_unit
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import Interval, StepResult
from solrbench.present.result_tables import percentile_of, results_with_totals
from solrbench.present.sweeps.report import PointCapacity, PointStep
from solrbench.stats.distributions import geometric_interval
from solrbench.stats.number_format import round_significant, share_percent

_DIGITS = 4
_Key = tuple[str, str | None, str]


def summarise_point(benchmarks: Sequence[SolrBenchmark]) -> dict[str, Any]:
    """Return the fields of a `PointReport` on steps, index, capacity and trends.

    Numbers are means over the rounds: geometric ones of times and rates, which are compared by
    ratios, arithmetic ones of shares and of what servers used and hold, as in the status of the
    sweep. Rounds that are Invalid are left out unless all are.
    """
    every = [each.status for each in benchmarks]
    statuses = [each for each in every if each.summary.verdict != "Invalid"] or every
    indexed = [each for each in statuses if each.dataset.is_valid] or statuses
    searches: dict[str | None, list[CapacityResult]] = {}
    for result in (result for status in statuses for result in status.capacity):
        searches.setdefault(result.variant, []).append(result)
    return {
        "steps": _steps(statuses),
        "capacities": [_capacity(*each) for each in searches.items()],
        "indexing_seconds": _mean(each.dataset.seconds for each in indexed),
        "documents_per_second": _mean(each.dataset.documents_per_second for each in indexed),
        "index_bytes": _mean((each.dataset.index_bytes for each in statuses), of=fmean),
        # What grew in the last round in which anything did.
        "trends": next(filter(None, (growing(each.trends) for each in reversed(statuses))), []),
    }


def _mean(
    values: Iterable[float | None], of: Callable[[Sequence[float]], float] = geometric_mean
) -> float | None:
    known = [each for each in values if each is not None]
    if not known:
        return None
    # Of 0 there is no logarithm.
    return round_significant(of(known) if min(known) > 0 else fmean(known), _DIGITS)


def _steps(statuses: Sequence[Status]) -> list[PointStep]:
    found: dict[_Key, list[StepResult]] = {}
    servers: dict[tuple[str, str | None], list[StepTelemetry]] = {}
    for status in statuses:
        for result in results_with_totals(status):
            found.setdefault((result.step, result.variant, result.request), []).append(result)
        for entry in status.telemetry:
            servers.setdefault((entry.step, entry.variant), []).append(entry)
    names = Counter(key[:2] for key in found)
    totals = {key for key in found if key[2] == ALL_REQUESTS or names[key[:2]] == 1}
    return [
        _step(key, results, servers.get(key[:2], []) if key in totals else [])
        for key, results in found.items()
    ]


def _step(key: _Key, results: Sequence[StepResult], servers: Sequence[StepTelemetry]) -> PointStep:
    step, variant, request = key

    def times(field: str) -> list[float | None]:
        """Return the response times of a planned rate, else the service times."""
        response = [getattr(each, f"response_{field}") for each in results]
        return response if any(response) else [getattr(each, field) for each in results]

    def of_servers(read: Callable[[StepTelemetry], float | None]) -> float | None:
        return _mean(map(read, servers), of=fmean)

    rates = [each.requests_per_second for each in results]
    rate_bounds = _interval(rates, (each.requests_per_second_interval for each in results))
    p95s = (percentile_of(each, 95.0) for each in results)
    own_p95 = (None if each is None else each.interval for each in p95s)
    p95_bounds = _interval(times("p95_milliseconds"), own_p95)
    return PointStep(
        step=step,
        variant=variant,
        request=request,
        repeats=sum(each.repeats for each in results),
        requests_per_second=_mean(rates),
        requests_per_second_lower=rate_bounds[0],
        requests_per_second_upper=rate_bounds[1],
        mean_milliseconds=_mean(times("average_milliseconds")),
        p50_milliseconds=_mean(times("p50_milliseconds")),
        p95_milliseconds=_mean(times("p95_milliseconds")),
        p95_lower_milliseconds=p95_bounds[0],
        p95_upper_milliseconds=p95_bounds[1],
        p99_milliseconds=_mean(times("p99_milliseconds")),
        failed_percent=_mean(
            (share_percent(each.failures, each.requests) for each in results if each.requests),
            of=fmean,
        ),
        cpu_milliseconds_per_request=of_servers(lambda each: each.cpu_milliseconds_per_request),
        read_bytes_per_request=of_servers(lambda each: each.read_bytes_per_request),
        heap_after_gc_bytes=of_servers(lambda each: each.heap_after_gc_max_bytes),
    )


def _interval(
    values: Iterable[float | None], own: Iterable[Interval | None]
) -> tuple[float | None, float | None]:
    """Return the interval of a mean by how rounds differ; of a single one its `own`."""
    known = [float(each) for each in values if each]
    if len(known) > 1:
        lower, upper = geometric_interval(known)
    elif (first := next(filter(None, own), None)) is not None:
        lower, upper = first.lower, first.upper
    else:
        return None, None
    return round_significant(lower, _DIGITS), round_significant(upper, _DIGITS)


def _capacity(variant: str | None, results: Sequence[CapacityResult]) -> PointCapacity:
    # A search that found none has the unit in its trials alone.
    unit = capacity_unit([*results, *(trial for each in results for trial in each.trials)])
    name = CAPACITY_UNITS[unit]
    known = [float(value) for each in results if (value := getattr(each, name))]
    lower, upper = _interval(known, (getattr(each, f"{name}_interval") for each in results))
    return PointCapacity(
        variant=variant,
        unit=unit,
        searches=len(known),
        value=_mean(known),
        lower=lower,
        upper=upper,
        highest_met=_mean(getattr(each, f"highest_met_{name}") for each in results),
        lowest_missed=_mean(getattr(each, f"lowest_missed_{name}") for each in results),
        message=results[-1].message,
    )
