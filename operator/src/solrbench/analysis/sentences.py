"""Objectives and what became of them, in words."""

from collections.abc import Iterable

from solrbench.api.v1alpha1.objectives import Objective
from solrbench.api.v1alpha1.status.objectives import NotRun, ObjectiveResult, ObjectivesStatus
from solrbench.results.stats.number_format import format_number

_MOST_LINES = 3


def describe(objective: Objective) -> str:
    """Return what an objective limits, and how: `p95 of search <= 200 ms`."""
    sign = "≥" if is_least(objective) else "≤"
    limit, unit = limit_of(objective)
    return f"{describe_measure(objective)} {sign} {format_number(limit)} {unit}"


def describe_measure(objective: Objective) -> str:
    """Return what an objective limits: `p95 of search`."""
    of = f" of {objective.request}" if objective.request else ""
    if objective.response_time is not None:
        return f"p{objective.response_time.percentile:g}{of}"
    if objective.goodput is not None:
        return f"goodput{of} within {objective.goodput.within_milliseconds} ms"
    names = {
        "mean": objective.mean_response_time,
        "failures": objective.failures,
        "throughput": objective.throughput,
        "indexing time": objective.indexing_time,
        "index size": objective.index_size,
    }
    return next(name for name, limit in names.items() if limit is not None) + of


def limit_of(objective: Objective) -> tuple[float, str]:
    """Return the limit and its unit."""
    times = (objective.response_time, objective.mean_response_time)
    rates = (objective.throughput, objective.goodput)
    limits: list[tuple[str, list[float]]] = [
        ("ms", [each.max_milliseconds for each in times if each is not None]),
        ("%", [objective.failures.max_percent] if objective.failures else []),
        ("requests/s", [each.min_requests_per_second for each in rates if each is not None]),
        ("s", [objective.indexing_time.max_seconds] if objective.indexing_time else []),
        ("bytes", [objective.index_size.max_bytes] if objective.index_size else []),
    ]
    return next((limit, unit) for unit, found in limits for limit in found)


def is_least(objective: Objective) -> bool:
    """Return whether the limit is the least that a number may be."""
    return objective.throughput is not None or objective.goodput is not None


def objective_lines(status: ObjectivesStatus) -> list[str]:
    """Return a line for each result."""
    return [f"{_place(each)}: {each.word}: {each.message}" for each in status.results]


def not_run_lines(not_run: Iterable[NotRun]) -> list[str]:
    """Return a line for each step that was not run."""
    return [
        f"{each.step}{f' ({each.variant})' if each.variant else ''} was not run: {each.reason}"
        for each in not_run
    ]


def completion_text(status: ObjectivesStatus) -> str:
    """Return the message of the condition: the results that are not met, or how many are."""
    others = [each for each in status.results if each.word is not each.word.MET]
    if not others:
        return f"{len(status.results)} of {len(status.results)} limits are kept"
    ordered = sorted(others, key=lambda each: each.word is not each.word.MISSED)
    lines = [f"{_place(each)}: {each.word}: {each.message}" for each in ordered[:_MOST_LINES]]
    more = f" (and {len(others) - _MOST_LINES} more)" if len(others) > _MOST_LINES else ""
    return "; ".join(lines) + more


def _place(result: ObjectiveResult) -> str:
    where = [each for each in (result.step, result.variant) if each]
    return f"{result.name} ({', '.join(where)})" if where else result.name
