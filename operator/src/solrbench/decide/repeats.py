"""What a point of a sweep takes over from the one before: its target, and its index.

A benchmark knows its target by the pods and the number of the attempt. One that goes on with the
target of another begins with what that has stored of it, and is from then on as careful with it as
with one of its own: if a pod is not the one that was there, everything starts again
(docs/adr/0004).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from solrbench.api.v1alpha1.status.conditions import Attempts
from solrbench.api.v1alpha1.status.status import Status
from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.decide.conditions import SUCCEEDED, holds
from solrbench.decide.views import PodView
from solrbench.plan.shared_target import Reuse


def find_reusable(body: Mapping[str, Any] | None, pods: Iterable[PodView]) -> Status | None:
    """Return the status of the benchmark before, if its target is still the one it measured.

    Args:
        body: the benchmark as it is stored; None if it is gone
        pods: of the target as they are now

    """
    try:
        status = Status.model_validate((body or {}).get("status") or {})
    except ValidationError:
        return None  # of another version of the operator
    known = {each.name: each.identity for each in pods if each.ready and not each.deleting}
    is_whole = bool(known) and known == status.target.pods
    return status if is_whole and holds(status, SUCCEEDED) else None


def reuse_target(status: Status, before: Status, reuses: Reuse) -> Status:
    """Return the status of a benchmark that goes on with a target.

    Args:
        status: its own
        before: of the benchmark that used the target last
        reuses: whether the index is used again, too

    """
    attempts = before.attempts
    target = TargetStatus(pods=before.target.pods, reuses=reuses)
    fresh_data = attempts.fresh_data or 0
    if reuses is Reuse.INDEX:
        numbers = _attempts(attempts.target, fresh_data)
        return status.model_copy(
            update={"attempts": numbers, "target": target, "dataset": before.dataset}
        )
    numbers = _attempts(attempts.target, fresh_data + 1)
    return status.model_copy(update={"attempts": numbers, "target": target})


def begin_after(status: Status, latest: int) -> Status:
    """Return the status of a benchmark whose target must be made, after what may be left of others.

    Args:
        status: its own
        latest: last attempt that something of the target was made for; 0 if nothing is left

    """
    if latest < status.attempts.target:
        return status
    return status.model_copy(update={"attempts": _attempts(latest + 1, 0)})


def _attempts(target: int, fresh_data: int) -> Attempts:
    """Return numbers of which none counts against `backoffLimit`."""
    load = target + fresh_data
    return Attempts(
        target=target,
        load=load,
        first_load_on_target=load if load > 1 else None,
        fresh_targets=target - 1 or None,
        fresh_data=fresh_data or None,
    )
