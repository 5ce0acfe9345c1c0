"""Who waited, over all workers."""

from collections.abc import Iterable

from solrbench.load.recording.response_gaps import longest, median_requests
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.results.model.response_gaps import MOST_SHARES, ResponseGap, UserShares
from solrbench.results.stats import histograms


def merge_response_gaps(results: Iterable[WorkerStepResult]) -> list[ResponseGap]:
    """Return the longest waits of users, then those of nodes as each worker saw them."""
    found = [each for result in results for each in result.response_gaps]
    users = longest(each for each in found if each.user is not None)
    return users + longest(each for each in found if each.user is None)


def merge_user_shares(results: Iterable[WorkerStepResult]) -> UserShares | None:
    """Return how requests are spread over the users of all workers; None without any."""
    parts = [each.user_shares for each in results if each.user_shares is not None]
    if not parts:
        return None
    fewest = [share for part in parts for share in part.fewest]
    histogram = histograms.merge(part.histogram for part in parts)
    users = sum(part.users for part in parts)
    return UserShares(
        users=users,
        idle_users=sum(part.idle_users for part in parts),
        histogram=histogram.encode(),
        median_requests=median_requests(histogram, users),
        most_requests=max(part.most_requests for part in parts),
        fewest=sorted(fewest, key=lambda each: (each.requests, each.user))[:MOST_SHARES],
    )
