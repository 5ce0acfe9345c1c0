"""The start of a point of a sweep on the target of the point before."""

from solrbench.cluster.client import BENCHMARKS
from solrbench.controller.context import ReconcileContext
from solrbench.controller.deletion import latest_attempt
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.decide.reuse import begin_after, find_reusable, reuse_target
from solrbench.plan.shared_target import Reuse, SharedTarget, shared_target
from solrbench.reasons.indexing import IndexingReason


def take_over_target(context: ReconcileContext) -> None:
    """Begin with the shared target as the benchmark before left it, if it is whole.

    It is called when a benchmark takes its turn, and what it changes is stored with that. A target
    that is not whole any more is made again, as one of the next attempt.

    Raises:
        TemporaryError: if the API server does not respond.

    """
    shared = shared_target(context.benchmark)
    if shared is None:
        return
    if not context.status.report.stored_steps and _reuse(context, shared):
        return
    context.status = begin_after(context.status, latest_attempt(context))


def _reuse(context: ReconcileContext, shared: SharedTarget) -> bool:
    if shared.previous is None or shared.reuses is None:
        return False
    body = context.cluster.get(*BENCHMARKS, context.namespace, shared.previous)
    before = find_reusable(body, provisioner_of(context).pods(context))
    if before is None:
        return False
    context.status = reuse_target(context.status, before, shared.reuses)
    if shared.reuses is Reuse.INDEX:
        message = f"the index of {shared.previous} is used again"
        context.conditions.set(DATA_INDEXED, "True", IndexingReason.INDEX_REUSED, message)
    return True
