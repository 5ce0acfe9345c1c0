"""Progress of the index pods added up."""

from collections.abc import Iterable

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.status.target import DatasetStatus
from solrbench.decide.index_pods import add_up_usage
from solrbench.plan.index_plan import IndexProgress


def aggregate_progress(
    dataset: Dataset, progress: Iterable[IndexProgress], now: float
) -> DatasetStatus:
    """Return the progress of all pods together.

    Args:
        dataset: the documents, for the total where the spec says it
        progress: any number of reports; of each pod the one that is furthest counts
        now: Unix time, the end of the measured time while pods run

    """
    best = _latest_per_pod(progress)
    started = [each.started for each in best if each.started is not None]
    finished = [each.finished for each in best if each.finished is not None]
    total = known_documents(dataset)
    if not started:
        return DatasetStatus(documents_total=total)
    is_over = len(finished) == dataset.indexing.pods
    end = max(finished) if is_over else now
    seconds = max(end - min(started), 0.001)
    documents, size = sum(each.documents for each in best), sum(each.bytes for each in best)
    return DatasetStatus(
        documents=documents,
        documents_total=total,
        bytes=size,
        seconds=round(seconds, 3),
        documents_per_second=round(documents / seconds, 1),
        bytes_per_second=round(size / seconds, 1),
        pods=add_up_usage([each.usage for each in best]) if is_over else None,
    )


def known_documents(dataset: Dataset) -> int | None:
    """Return how many documents the spec says there are, or `None`."""
    if dataset.expected_documents is not None:
        return dataset.expected_documents
    if dataset.first_documents is not None:
        return dataset.first_documents
    return dataset.generator.documents if dataset.generator else None


def all_reported(dataset: Dataset, progress: Iterable[IndexProgress]) -> bool:
    """Return whether every pod of a Job that is complete has left its final report."""
    done = {each.pod for each in progress if each.finished is not None and each.reason is None}
    return len(done) >= dataset.indexing.pods


def keep_known_progress(known: DatasetStatus, found: DatasetStatus) -> DatasetStatus:
    """Return the progress that is further: pods that have ended may be gone with their report."""
    return found if (found.documents or 0) >= (known.documents or 0) else known


def _latest_per_pod(progress: Iterable[IndexProgress]) -> list[IndexProgress]:
    best: dict[int, IndexProgress] = {}
    for each in progress:
        known = best.get(each.pod)
        if known is None or _rank(each) > _rank(known):
            best[each.pod] = each
    return list(best.values())


def _rank(progress: IndexProgress) -> tuple[bool, int]:
    return progress.finished is not None and progress.reason is None, progress.documents
