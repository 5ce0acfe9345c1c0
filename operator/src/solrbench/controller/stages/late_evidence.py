"""Pod events that are reported after their step run was stored."""

from solrbench.controller.context import ReconcileContext
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.decide.pods.events import add_pod_events, has_new_events
from solrbench.decide.views import PodView


def add_late_pod_events(context: ReconcileContext, pods: list[PodView]) -> None:
    """Add to the stored documents what happened to `pods` in their time.

    The kubelet reports a container's end some seconds later, and a pod that ended may be deleted
    as soon as the loss is noticed, so this is done before anything else is made of it. The results
    in the status follow at the end of the reconcile.
    """
    indexed = context.conditions.get(DATA_INDEXED)
    if indexed.status != "True" or not has_new_events(pods, indexed.last_transition_time):
        return
    documents = context.reports.documents(context.benchmark)
    for document in list(documents.values()):
        if document.pods is None or add_pod_events(document, pods) is document:
            continue
        whole = context.reports.whole_document(context.benchmark, document.id)
        if whole is not None:
            extended = add_pod_events(whole, pods)
            context.reports.store(context.benchmark, extended, document.attempt)
            context.has_late_evidence = True
