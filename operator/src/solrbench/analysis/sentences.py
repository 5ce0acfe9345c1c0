"""How differences and objectives are phrased; light enough for commands without numpy.

A difference has one phrase for each of two purposes: `difference_sentence` stands alone,
`phrase_difference` stands beside a name that says what is compared with what.
"""

from collections.abc import Iterable

from solrbench.analysis.metrics import Difference, Scale
from solrbench.api.v1alpha1.comparisons import MORE_THAN_50, Conclusion
from solrbench.api.v1alpha1.findings import NotRun, ObjectiveResult, ObjectivesStatus
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.stats.number_format import format_number, round_significant

NO_CONCLUSION = "no conclusion from one repeat"

COMPARISON_NOTE = (
    "Ratio of each repeat to the same repeat of the first variant, then the geometric mean and its"
    " 95 % confidence interval over the repeats. Same: any difference is smaller than the smallest"
    " effect that matters. Words are made from the primary figure of each step, the p95 unless"
    " spec.comparison.primary names another; those of other figures count only"
    " below it. docs/method.md has the tests."
)

_TIMES_FROM_PERCENT = 1000.0
_DIGITS_OF_TIMES = 3
_MEBIBYTE = 1 << 20
_GROWTH_UNITS = {"bytes": "MiB", "milliseconds": "ms", "percent": "percentage points"}


def difference_sentence(
    subject: str, difference: Difference, baseline: str, invalid: str = ""
) -> str:
    """Return `p95 of search at 20 users: Worse by 27 % (95 %: 19 to 35) than juniper`.

    `subject` is the metric and where it was measured. The difference must have a conclusion.
    """
    if difference.metric.scale is Scale.PER_HOUR:
        growth = _growth(difference)
        return f"{subject} grows by {growth} than in {baseline}: {difference.conclusion}"
    tail = f"; {invalid}" if invalid else ""
    word = format_conclusion(difference)
    match difference.conclusion:
        case Conclusion.SAME:
            text = f"{word} as {baseline} ({_amount(difference)})"
        case Conclusion.INCONCLUSIVE:
            more = f": {text}" if (text := format_more_repeats(difference)) else ""
            text = f"{Conclusion.INCONCLUSIVE} beside {baseline}{more} ({_amount(difference)})"
        case _:
            size = format_signed(abs(difference.estimate)).removeprefix("+")
            # A size has no sign: of a negative difference, the bounds change their places.
            interval = _interval(difference, -1 if difference.estimate < 0 else 1)
            text = f"{word} by {size}{f' ({interval})' if interval else ''} than {baseline}"
    return f"{subject}: {text}{tail}"


def phrase_difference(difference: Difference) -> str:
    """Return `Same (-1 %, 95 %: -6 to 4)`, or why there is no conclusion."""
    if difference.conclusion is None:
        return f"{format_signed(difference.estimate)} ({NO_CONCLUSION})"
    return f"{difference.conclusion} ({_amount(difference)})"


def format_conclusion(difference: Difference) -> str:
    """Return `Worse on this target`, `Inconclusive: about 5 more repeats`, or why there is none."""
    match difference.conclusion:
        case None:
            return NO_CONCLUSION
        case Conclusion.INCONCLUSIVE:
            more = format_more_repeats(difference)
            return f"{Conclusion.INCONCLUSIVE}: {more}" if more else str(Conclusion.INCONCLUSIVE)
        case conclusion:
            return f"{conclusion} on this target" if difference.on_target else str(conclusion)


def format_more_repeats(difference: Difference) -> str:
    """Return `about 5 more repeats`, which would decide it; empty if their number is unknown."""
    more = difference.more_repeats
    if more is None:
        return ""
    if more >= MORE_THAN_50:
        return "more than 50 more repeats"
    return f"about {more} more repeat{'s' if more > 1 else ''}"


def _amount(difference: Difference) -> str:
    interval = _interval(difference)
    return format_signed(difference.estimate) + (f", {interval}" if interval else "")


def _interval(difference: Difference, sign: int = 1) -> str:
    if difference.interval is None:
        return ""
    bounds = [
        format_bound(sign * bound, difference.estimate)
        for bound in (difference.interval if sign > 0 else reversed(difference.interval))
    ]
    return f"95 %: {' to '.join(bounds)}"


def is_in_times(percent: float) -> bool:
    """Say whether a difference is so large that it is shown in times instead of per cent."""
    return percent >= _TIMES_FROM_PERCENT


def format_signed(percent: float) -> str:
    """Return a difference in per cent with its sign; from 1,000 % on as `16700 times`."""
    if is_in_times(percent):
        return f"{format_bound(percent, percent)} times"
    sign = "+" if percent > 0 else ""
    return f"{sign}{format_number(percent)} %"


def format_bound(bound: float, percent: float) -> str:
    """Return a bound of the interval of a difference, in the unit in which that is shown."""
    if is_in_times(percent):
        return format_number(round_significant(1 + bound / 100, _DIGITS_OF_TIMES))
    return format_number(bound)


def _growth(difference: Difference) -> str:
    """Return how much more, or less, a metric grows in an hour than in the baseline."""
    sign, more = (1, "more") if difference.conclusion is Conclusion.WORSE else (-1, "less")
    low, high = sorted(sign * bound for bound in difference.interval or (0.0, 0.0))
    return f"{format_growth(sign * difference.estimate, low, high, difference.metric.unit)} {more}"


def format_growth(growth: float, lower: float, upper: float, unit: str) -> str:
    """Return `41 MiB/h (95 %: 37 to 45)`."""
    shown, low, high = (
        format_number(each / _MEBIBYTE if unit == "bytes" else each)
        for each in (growth, lower, upper)
    )
    return f"{shown} {_GROWTH_UNITS[unit]}/h (95 %: {low} to {high})"


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
    return [f"{_place(result)}: {result.conclusion}: {result.message}" for result in status.results]


def not_run_lines(not_run: Iterable[NotRun]) -> list[str]:
    """Return a line for each step that was not run."""
    return [
        f"{entry.step}{f' ({entry.variant})' if entry.variant else ''} was not run: {entry.reason}"
        for entry in not_run
    ]


def completion_text(status: ObjectivesStatus) -> str:
    """Return the message of the condition: the results that are not met, or how many are."""
    others = [result for result in status.results if result.conclusion is not result.conclusion.MET]
    if not others:
        return f"{len(status.results)} of {len(status.results)} limits are kept"
    ordered = sorted(others, key=lambda result: result.conclusion is not result.conclusion.MISSED)
    lines = [
        f"{_place(result)}: {result.conclusion}: {result.message}"
        for result in ordered[:_MAX_LINES]
    ]
    more = f" (and {len(others) - _MAX_LINES} more)" if len(others) > _MAX_LINES else ""
    return "; ".join(lines) + more


def _place(result: ObjectiveResult) -> str:
    where = [each for each in (result.step, result.variant) if each]
    return f"{result.name} ({', '.join(where)})" if where else result.name
