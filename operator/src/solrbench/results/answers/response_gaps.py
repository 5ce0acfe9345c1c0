"""Users who got far fewer responses than the others."""

from collections.abc import Iterator

from solrbench.api.v1alpha1 import Spec, Status
from solrbench.results.stats.number_format import format_milliseconds

LEAST_SHARE = 0.5
"""Of the median of all users, below which a user is a straggler."""

LEAST_MEDIAN = 20
"""Requests of a median user, with fewer of which shares differ by chance."""


def answer_response_gaps(spec: Spec, status: Status) -> Iterator[str]:
    """Yield `user 3 of users-8 got 12 responses, the median user 480 …` for each such step."""
    del spec
    for each in status.response_gaps:
        least, median = each.least_user_requests, each.median_user_requests
        if least is None or median is None or median < LEAST_MEDIAN:
            continue
        if least >= LEAST_SHARE * median:
            continue
        through = f" through {each.variant}" if each.variant else ""
        text = (
            f"user {each.least_user} of {each.step}{through} on {each.least_user_node} got {least}"
            f" responses in repeat {each.least_user_repeat}, the median user {median}"
        )
        if each.longest_milliseconds is not None and each.longest_user == each.least_user:
            waited = format_milliseconds(each.longest_milliseconds)
            text += f"; it waited up to {waited}, from second {each.longest_second:g} on"
        yield text
