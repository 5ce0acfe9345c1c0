"""Whether requests failed, and whether responses were partial or empty."""

from collections import Counter
from collections.abc import Callable

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.failure_kinds import PARTIAL_RESULTS
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.stats.number_format import (
    format_percent,
    format_share,
)
from solrbench.results.summary.early_end import describe_early_end
from solrbench.results.validity.checks.finding import (
    Finding,
    NotEvaluated,
    Outcome,
    count_of_kind,
    worst_share_of_requests,
)

_MOST_NAMED = 3


def check_requests_failed(document: StepRunResult, load: Load) -> Outcome:
    """Look at requests and at seconds.

    Users without a response send seldom: few failures may be all that there was for a long time.
    So seconds count as well in which at least half of the requests failed.
    """
    limit = load.validity.max_failed_percent
    found = worst_share_of_requests(document, "failed", lambda each: each.failures, limit)
    if found is not None:
        return found
    counts: dict[int, Counter[str]] = {}
    for window in (window for result in document.requests for window in result.windows):
        found_in = {"requests": window.requests, "failures": window.failures}
        counts.setdefault(window.second, Counter()).update(found_in)
    bad = sum(2 * each["failures"] >= each["requests"] for each in counts.values())
    total, width = len(counts), document.window_seconds
    if bad * 100 <= limit * total:
        return None
    unit, of = ("s", "seconds") if width == 1 else (f"windows of {width} s", "windows")
    return Finding(
        bad / total,
        f"in {bad} of {total} {unit} at least half of the requests failed"
        f" ({format_share(bad, total)}, limit {format_percent(limit)} of the {of})",
    )


def check_ended_early(document: StepRunResult, load: Load) -> Outcome:
    """Look for a step run that was ended before its time."""
    ended = document.ended_early
    return None if ended is None else Finding(-ended.second, describe_early_end(ended, load.stop))


def check_partial_results(document: StepRunResult, load: Load) -> Outcome:
    """Compare the share of partial results of each request name with the limit."""

    def partial(result: RequestResult) -> int:
        # Users of a locustfile report them as failures of this kind alone.
        return max(result.partial_results or 0, count_of_kind([result], PARTIAL_RESULTS))

    found = worst_share_of_requests(
        document, "had partial results", partial, load.validity.max_partial_percent
    )
    return found or _uncounted(document, "partial results", lambda each: each.partial_results)


def check_empty_results(document: StepRunResult, load: Load) -> Outcome:
    """Compare the share of empty results of each request name with the limit."""
    found = worst_share_of_requests(
        document,
        "had empty results",
        lambda each: each.empty_results or 0,
        load.validity.max_empty_percent,
    )
    return found or _uncounted(document, "empty results", lambda each: each.empty_results)


def _uncounted(
    document: StepRunResult, what: str, count: Callable[[RequestResult], int | None]
) -> NotEvaluated | None:
    sent = [each for each in document.requests if each.requests]
    uncounted = [each.request for each in sent if count(each) is None]
    if not uncounted:
        return None
    more = f" and {len(uncounted) - _MOST_NAMED} more" if len(uncounted) > _MOST_NAMED else ""
    of = "" if len(uncounted) == len(sent) else f" of {', '.join(uncounted[:_MOST_NAMED])}{more}"
    return NotEvaluated(f"{what}{of} were not counted")
