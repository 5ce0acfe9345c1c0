"""Evidence that arrives late: what pods tell of a pass that is stored already."""

from solrbench.controller.context import Run
from solrbench.controller.stages.load_results import show
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.decide.pod_events import may_tell, with_pods
from solrbench.decide.views import PodView


def amend(run: Run, pods: list[PodView]) -> None:
    """Add to the stored documents what befell `pods` in their time.

    The kubelet tells of a container's end some seconds later, and a pod that ended may be deleted
    as soon as the loss is noticed, so this is done before anything else is made of it.
    """
    indexed = run.conditions.get(DATA_INDEXED)
    if indexed.status != "True" or not may_tell(pods, indexed.last_transition_time):
        return
    documents = run.reports.documents(run.benchmark)
    changed = False
    for document in list(documents.values()):
        told = with_pods(document, pods)
        if told is not document and document.pods is not None:
            run.reports.store(run.benchmark, told, document.attempt)
            changed = True
    if changed:
        show(run, run.reports.documents(run.benchmark))
