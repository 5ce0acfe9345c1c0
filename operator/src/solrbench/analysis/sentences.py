"""How differences and objectives are phrased; light enough for commands without numpy.

`difference_sentence` stands alone, `format_conclusion` in a table.
"""

from solrbench.analysis.metrics import (
    MIN_REPEATS,
    MIN_VALUES_FOR_RANKS,
    TIME_UNTIL_FOUND,
    Difference,
    Scale,
)
from solrbench.api.v1alpha1.comparisons import MORE_THAN_50, Conclusion
from solrbench.api.v1alpha1.findings import NotRun, ObjectiveResult, ObjectivesStatus
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.stats.number_format import count_noun, format_number, round_significant

CONFIDENCE = "95 % confidence interval"

COMPARISON_NOTE = (
    "Difference: each repeat compared with the same repeat of the first variant, on average"
    " (geometric mean)."
    " No relevant difference: smaller than smallestEffectPercent. The primary figure of a step"
    " decides (spec.comparison.primary, p95 by default); others are details (docs/method.md)."
)

CONCLUSIONS = {
    None: f"not compared: needs {MIN_REPEATS} or more repeats",
    Conclusion.SAME: "no relevant difference",
    Conclusion.INCONCLUSIVE: "inconclusive",
    Conclusion.BETTER: "better",
    Conclusion.WORSE: "worse",
}
_FIGURES = {
    "requests/s": "throughput",
    "documents/s": "the rate of documents",
    "average": "the mean time",
    "failed": "the share of failed requests",
    "indexing": "the time of indexing",
    "index size": "the index size",
    TIME_UNTIL_FOUND.label: "the p95 of the time until documents are found",
}
_TIMES_FROM_PERCENT = 1000.0
_MEBIBYTE = 1 << 20
_GROWTH_UNITS = {"bytes": "MiB", "milliseconds": "ms", "percent": "percentage points"}


def shorten_sentence(text: str, most: int) -> str:
    """Return a text of at most `most` characters, cut before a word and never within brackets."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    kept = text[: most - 1].rpartition(" ")[0]
    while kept.count("(") > kept.count(")"):
        kept = kept.rpartition("(")[0]
    return f"{kept.rstrip(' ,;:')} …"


def name_figure(label: str, request: str = "") -> str:
    """Return what a sentence calls a figure by its label in tables: `the p95 of search`."""
    of_request = f" of {request}" if request and label != TIME_UNTIL_FOUND.label else ""
    return _FIGURES.get(label, f"the {label}") + of_request


def name_variant(variant: str | None, text: str) -> str:
    """Return `proxy: …`; the text alone without variants."""
    return f"{variant}: {text}" if variant else text


def difference_sentence(subject: str, difference: Difference, than: str) -> str:
    """Return `the p95 is 27 % higher than in juniper (95 % …): worse.`, and what would decide it.

    `subject` is the figure and where it was measured, `than` such as `in juniper` or `with 512Mi`.
    """
    word = CONCLUSIONS[difference.conclusion]
    where = ", measured on one target only" if difference.on_target else ""
    size = format_size(difference)
    match difference.conclusion:
        case None:
            return f"{subject} is {size} than {than}; {word}."
        case Conclusion.SAME:
            low, high = difference.interval or (0.0, 0.0)
            how = "slightly higher than" if low > 0 else "slightly lower than"
            how = "the same as" if low <= 0 <= high else how
            return f"{subject} is {how} {than} ({_amount(difference)}): {word}{where}."
        case Conclusion.INCONCLUSIVE:
            amount, more = _amount(difference), _advise_repeats(difference)
            low, high = difference.interval or (-1.0, 1.0)
            how = "higher" if low > 0 else "lower" if high < 0 else "higher or lower"
            return f"{subject} may be {how} than {than} ({amount}): {word}.{more}"
        case _:
            known = format_interval(difference, is_size=True)
            interval = f" ({CONFIDENCE} {known})" if known else ""
            return f"{subject} is {size} than {than}{interval}: {word}{where}."


def format_size(difference: Difference) -> str:
    """Return `27 % higher`, or `39 MiB/h lower`."""
    way = "higher" if difference.estimate >= 0 else "lower"
    return f"{format_estimate(difference).lstrip('+-')} {way}"


def format_estimate(difference: Difference) -> str:
    """Return `+27 %`, `-39 MiB/h` or, from 1,000 % on, `16700 times`."""
    if _is_in_times(difference):
        return f"{_times(difference.estimate)} times"
    sign = "+" if difference.estimate > 0 else ""
    return f"{sign}{_in_unit(difference.estimate, difference.metric.unit, difference.metric.scale)}"


def _in_unit(value: float, unit: str, scale: Scale) -> str:
    if scale is not Scale.PER_HOUR:
        points = "percentage points" if scale is Scale.POINTS else "%"
        return f"{format_number(value)} {points}"
    number = value / _MEBIBYTE if unit == "bytes" else value
    return f"{format_number(number)} {_GROWTH_UNITS[unit]}/h"


def format_conclusion(difference: Difference) -> str:
    """Return `worse`, `inconclusive: about 5 more repeats`, or why there is no conclusion."""
    more = format_more_repeats(difference)
    word = CONCLUSIONS[difference.conclusion]
    return f"{word}: {more}" if more else f"{word} (one target)" if difference.on_target else word


DRIFT_NOTE = (
    f"With fewer than {MIN_VALUES_FOR_RANKS} repeats of a side, it does not show whether the"
    " machine changed since the baseline. Measure both in turn, as points of a sweep with repeats:"
    " {until: Decided}."
)
"""Note of a comparison with a baseline that was measured at another time, with few repeats."""


def format_more_repeats(difference: Difference) -> str:
    """Return `about 5 more repeats`, which would decide it; empty if their number is unknown."""
    if difference.has_changed:
        return "measure both in turn, as the machine changed meanwhile"
    more = difference.more_repeats
    if more is None:
        return ""
    if more >= MORE_THAN_50:
        return "more than 50 more repeats"
    return f"about {count_noun(more, 'more repeat')}"


def format_remedy(difference: Difference) -> str:
    """Return `about 5 more repeats would decide`, or what to do where no number of them would."""
    needed = format_more_repeats(difference)
    return needed if difference.has_changed else needed and f"{needed} would decide"


def _advise_repeats(difference: Difference) -> str:
    if not difference.has_changed and (difference.more_repeats or 0) >= MORE_THAN_50:
        return " Measure longer steps, or accept a larger smallestEffectPercent."
    remedy = format_remedy(difference)
    return remedy and f" {remedy.capitalize()}."


def _amount(difference: Difference) -> str:
    interval = format_interval(difference)
    return format_estimate(difference) + (f", {CONFIDENCE} {interval}" if interval else "")


def format_interval(difference: Difference, *, is_size: bool = False) -> str:
    """Return `-1.3 to +2.3 %`; the bounds of a size change their places if it is negative."""
    if difference.interval is None:
        return ""
    low, high = difference.interval
    if is_size and difference.estimate < 0:
        low, high = -high, -low
    if _is_in_times(difference):
        return f"{_times(low)} to {_times(high)} times"
    unit, scale = difference.metric.unit, difference.metric.scale
    lower, upper = _in_unit(low, unit, scale).partition(" ")[0], _in_unit(high, unit, scale)
    signs = ["" if is_size or bound <= 0 else "+" for bound in (low, high)]
    return f"{signs[0]}{lower} to {signs[1]}{upper}"


def _is_in_times(difference: Difference) -> bool:
    return difference.metric.scale is Scale.RATIO and difference.estimate >= _TIMES_FROM_PERCENT


def _times(percent: float) -> str:
    return format_number(round_significant(1 + percent / 100))


def format_growth(growth: float, lower: float, upper: float, unit: str) -> str:
    """Return `41 MiB/h (95 % confidence interval 37 to 45 MiB/h)`."""
    shown, low, high = (_in_unit(each, unit, Scale.PER_HOUR) for each in (growth, lower, upper))
    return f"{shown} ({CONFIDENCE} {low.partition(' ')[0]} to {high})"


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
    if objective.time_until_found is not None:
        return f"p{objective.time_until_found.percentile:g} of the time until found"
    if objective.goodput is not None:
        return f"goodput{of} within {objective.goodput.within_milliseconds} ms"
    if objective.is_of_documents:
        return f"rate of documents{of}"
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
    times = objective.response_time or objective.mean_response_time or objective.time_until_found
    if times is not None:
        return times.max_milliseconds, "ms"
    if objective.failures is not None:
        return objective.failures.max_percent, "%"
    if objective.indexing_time is not None:
        return objective.indexing_time.max_seconds, "s"
    if objective.index_size is not None:
        return objective.index_size.max_bytes, "bytes"
    throughput = objective.throughput
    if throughput is not None and throughput.min_documents_per_second is not None:
        return throughput.min_documents_per_second, "documents/s"
    # Each objective has exactly one limit.
    rate = objective.goodput or throughput
    return (rate and rate.min_requests_per_second) or 0.0, "requests/s"


def is_least(objective: Objective) -> bool:
    """Return whether the limit is the least that a number may be."""
    return objective.throughput is not None or objective.goodput is not None


def not_run_line(entry: NotRun) -> str:
    """Return which step was not run, and why."""
    variant = f" ({entry.variant})" if entry.variant else ""
    return f"{entry.step}{variant} was not run, because {entry.reason}"


def completion_text(status: ObjectivesStatus) -> str:
    """Return the message of the condition: the results that are not met, or how many are."""
    if not status.results:
        return "No step that has objectives was run; status.capacity has what a search has found."
    others = [result for result in status.results if result.conclusion is not result.conclusion.MET]
    if not others and status.conclusion is not status.conclusion.MET:
        return f"Steps that have objectives were not run; {len(status.results)} results are met."
    if not others:
        return f"Every objective is met ({len(status.results)} of {len(status.results)} results)."
    ordered = sorted(others, key=lambda result: result.conclusion is not result.conclusion.MISSED)
    more = f" (and {len(others) - _MAX_LINES} more)" if len(others) > _MAX_LINES else ""
    return " ".join(map(objective_line, ordered[:_MAX_LINES])) + more


def objective_line(result: ObjectiveResult) -> str:
    """Return the conclusion on an objective, where, and what was measured."""
    where = ", ".join(filter(None, (result.step, result.variant)))
    place = f" ({where})" if where else ""
    return f"{result.name}{place}: {result.conclusion}. {result.message}"
