"""Who waited, over all workers."""

from collections.abc import Iterable

from solrbench.load.recording.silences import longest
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.results.model.silences import MOST_SHARES, Silence, UserShares
from solrbench.results.stats import histograms


def merge_silences(results: Iterable[WorkerStepResult]) -> list[Silence]:
    """Return the longest waits of users, then those of nodes as each worker saw them."""
    found = [each for result in results for each in result.silences]
    users = longest(each for each in found if each.user is not None)
    return users + longest(each for each in found if each.user is None)


def merge_user_shares(results: Iterable[WorkerStepResult]) -> UserShares | None:
    """Return how requests are spread over the users of all workers; None without any."""
    parts = [each.user_shares for each in results if each.user_shares is not None]
    if not parts:
        return None
    fewest = [share for part in parts for share in part.fewest]
    return UserShares(
        users=sum(part.users for part in parts),
        idle_users=sum(part.idle_users for part in parts),
        histogram=histograms.merge(part.histogram for part in parts).encode(),
        most_requests=max(part.most_requests for part in parts),
        fewest=sorted(fewest, key=lambda each: (each.requests, each.user))[:MOST_SHARES],
    )
