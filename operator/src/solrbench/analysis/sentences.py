"""How objectives and comparisons are phrased; light enough for commands without numpy."""

from collections.abc import Iterable, Iterator

from solrbench.api.v1alpha1.comparisons import MORE_THAN_50, Comparison, Conclusion, Overhead
from solrbench.api.v1alpha1.findings import NotRun, ObjectiveResult, ObjectivesStatus
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.stats.number_format import format_number, round_significant

NO_CONCLUSION = "no word from one repeat"


def format_conclusion(
    word: Conclusion | None, more_repeats: int | None = None, *, on_target: bool
) -> str:
    """Return `Worse on this target`, `Unclear: about 5 more repeats`, or why there is no word."""
    if word is None:
        return NO_CONCLUSION
    if word is Conclusion.UNCLEAR:
        return f"{word}{format_more_repeats(more_repeats)}"
    return f"{word} on this target" if on_target else str(word)


def format_more_repeats(more_repeats: int | None) -> str:
    """Return `: about 5 more repeats`; empty if their number is unknown."""
    if more_repeats is None:
        return ""
    if more_repeats >= MORE_THAN_50:
        return ": more than 50 more repeats"
    return f": about {more_repeats} more repeat{'s' if more_repeats > 1 else ''}"


COMPARISON_NOTE = (
    "Ratio of each repeat to the same repeat of the first variant, then the geometric mean and its"
    " 95 % confidence interval over the repeats. Same: any difference is smaller than the smallest"
    " effect that matters. Words are made from the p95 of each step; those of other figures count"
    " only below it. docs/method.md has the tests."
)

_TIMES_FROM_PERCENT = 1000.0
_DIGITS_OF_TIMES = 3


def comparison_lines(comparisons: Iterable[Comparison]) -> list[str]:
    """Return one line for each figure of each comparison."""
    return [line for comparison in comparisons for line in _lines(comparison)]


def format_overhead(overhead: Overhead, *, on_target: bool = False) -> str:
    """Return `+12.3 % (95 % confidence: +9.8 % … +14.8 %), Worse`.

    One repeat says nothing about another one, so its number stands without confidence.
    """
    percent = format_signed(overhead.percent)
    low, high = overhead.low_percent, overhead.high_percent
    if low is None or high is None:
        return f"{percent} (one repeat, no confidence)"
    interval = f"(95 % confidence: {format_signed(low)} … {format_signed(high)})"
    if overhead.word is None:  # written by an older version
        return f"{percent} {interval}"
    word = format_conclusion(overhead.word, overhead.more_repeats, on_target=on_target)
    return f"{percent} {interval}, {word}"


def format_signed(percent: float) -> str:
    """Return a difference in per cent with its sign; from 1,000 % on as `16700 times`."""
    if _is_in_times(percent):
        return f"{format_bound(percent, percent)} times"
    sign = "+" if percent > 0 else ""
    return f"{sign}{format_number(percent)} %"


def format_bound(bound: float, percent: float) -> str:
    """Return a bound of the interval of a difference, in the unit in which that is shown."""
    if _is_in_times(percent):
        return format_number(round_significant(1 + bound / 100, _DIGITS_OF_TIMES))
    return format_number(bound)


def _is_in_times(percent: float) -> bool:
    return percent >= _TIMES_FROM_PERCENT


def _lines(comparison: Comparison) -> Iterator[str]:
    sides = f"{comparison.variant} vs {comparison.baseline}"
    index = f"{comparison.step}, {comparison.request}"
    figures = {
        "average": comparison.average,
        "p95": comparison.p95,
        "requests/s": comparison.requests_per_second,
    }
    failures = f"; failed requests: {comparison.failures}" if comparison.failures else ""
    invalid = f"; Invalid: {', '.join(comparison.invalid)}" if comparison.invalid else ""
    for name, overhead in figures.items():
        if overhead is not None:
            shown = format_overhead(overhead, on_target=comparison.on_target)
            yield f"{sides}: {shown}, {name} ({index}){failures}{invalid}"


_MAX_LINES = 3


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
    return next((limit, unit) for unit, values in limits for limit in values)


def is_least(objective: Objective) -> bool:
    """Return whether the limit is the least that a number may be."""
    return objective.throughput is not None or objective.goodput is not None


def objective_lines(status: ObjectivesStatus) -> list[str]:
    """Return a line for each result."""
    return [f"{_place(result)}: {result.word}: {result.message}" for result in status.results]


def not_run_lines(not_run: Iterable[NotRun]) -> list[str]:
    """Return a line for each step that was not run."""
    return [
        f"{entry.step}{f' ({entry.variant})' if entry.variant else ''} was not run: {entry.reason}"
        for entry in not_run
    ]


def completion_text(status: ObjectivesStatus) -> str:
    """Return the message of the condition: the results that are not met, or how many are."""
    others = [result for result in status.results if result.word is not result.word.MET]
    if not others:
        return f"{len(status.results)} of {len(status.results)} limits are kept"
    ordered = sorted(others, key=lambda result: result.word is not result.word.MISSED)
    lines = [
        f"{_place(result)}: {result.word}: {result.message}" for result in ordered[:_MAX_LINES]
    ]
    more = f" (and {len(others) - _MAX_LINES} more)" if len(others) > _MAX_LINES else ""
    return "; ".join(lines) + more


def _place(result: ObjectiveResult) -> str:
    where = [each for each in (result.step, result.variant) if each]
    return f"{result.name} ({', '.join(where)})" if where else result.name
