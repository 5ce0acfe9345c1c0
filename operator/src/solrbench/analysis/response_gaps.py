"""Who waited in each step: users with far fewer responses than others, and the longest wait."""

from collections.abc import Iterator

from solrbench.analysis.samples import BenchmarkSamples, StepRuns
from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.step_details import MAX_RESPONSE_GAPS, StepResponseGaps
from solrbench.stats.number_format import count_noun, format_milliseconds, milliseconds


def step_response_gaps(samples: BenchmarkSamples) -> list[StepResponseGaps]:
    """Return who waited, in the order of steps.

    Of too many steps and variants those stay in which a user is farthest behind or waited longest.
    """
    all_gaps = [
        _of_step(step, variant, step_samples.documents)
        for step, variant, step_samples in samples.steps()
        if any(document.response_gaps for document in step_samples.documents)
    ]
    worst = sorted(all_gaps, key=_rank)[:MAX_RESPONSE_GAPS]
    return [each for each in all_gaps if each in worst]


def _rank(each: StepResponseGaps) -> tuple[float, float]:
    share = 1.0
    if each.least_user_requests is not None and each.median_user_requests:
        share = each.least_user_requests / each.median_user_requests
    return share, -(each.longest_milliseconds or 0.0)


def _of_step(step: str, variant: str, step_runs: StepRuns) -> StepResponseGaps:
    waits = [(document.repeat, gap) for document in step_runs for gap in document.response_gaps]
    repeat, longest = max(waits, key=lambda wait: (wait[1].user is not None, wait[1].microseconds))
    return StepResponseGaps(
        step=step,
        variant=variant or None,
        **_shares(step_runs),
        longest_milliseconds=milliseconds(longest.microseconds),
        longest_user=longest.user,
        longest_node=longest.node,
        longest_repeat=repeat,
        longest_second=round(longest.second, 1),
    )


def _shares(step_runs: StepRuns) -> dict[str, object]:
    """Return the requests of users in the repeat whose last one is farthest behind."""
    ranked = [
        (document.repeat, shares)
        for document in step_runs
        if (shares := document.user_shares) is not None and shares.fewest
    ]
    if not ranked:
        return {}
    repeat, shares = min(
        ranked,
        key=lambda each: (each[1].fewest[0].requests / max(each[1].median_requests, 1), each[0]),
    )
    last = shares.fewest[0]
    return {
        "least_user_requests": last.requests,
        "median_user_requests": shares.median_requests,
        "most_user_requests": shares.most_requests,
        "least_user": last.user,
        "least_user_node": last.node,
        "least_user_repeat": repeat,
    }


MIN_SHARE = 0.5
"""Of the median of all users, below which a user is a straggler."""

MIN_MEDIAN = 20
"""Requests of a median user, with fewer of which shares differ by chance."""


def answer_response_gaps(status: Status) -> Iterator[str]:
    """Yield `In repeat 1 of step users-8, user 3 received 12 responses …` for each such step."""
    for gap in status.response_gaps:
        least, median = gap.least_user_requests, gap.median_user_requests
        if least is None or median is None or median < MIN_MEDIAN or least >= MIN_SHARE * median:
            continue
        through = f" through {gap.variant}" if gap.variant else ""
        text = (
            f"In repeat {gap.least_user_repeat} of step {gap.step}{through}, user"
            f" {gap.least_user} (on {gap.least_user_node}) received"
            f" {count_noun(least, 'response')}; the median user received {median}."
        )
        if gap.longest_milliseconds is not None and gap.longest_user == gap.least_user:
            waited = format_milliseconds(gap.longest_milliseconds)
            second = f"second {gap.longest_second:g}"
            if gap.longest_repeat != gap.least_user_repeat:
                second += f" of repeat {gap.longest_repeat}"
            text += f" Its longest wait was {waited}, starting at {second}."
        yield text
