"""Progress of the index pods added up."""

from collections.abc import Iterable

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.status.target import DatasetStatus
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
    total = dataset.generator.documents if dataset.generator else dataset.expected_documents
    if not started:
        return DatasetStatus(documents_total=total)
    end = max(finished) if len(finished) == dataset.indexing.pods else now
    seconds = max(end - min(started), 0.001)
    documents, size = sum(each.documents for each in best), sum(each.bytes for each in best)
    return DatasetStatus(
        documents=documents,
        documents_total=total,
        bytes=size,
        seconds=round(seconds, 3),
        documents_per_second=round(documents / seconds, 1),
        bytes_per_second=round(size / seconds, 1),
    )


def _latest_per_pod(progress: Iterable[IndexProgress]) -> list[IndexProgress]:
    best: dict[int, IndexProgress] = {}
    for each in progress:
        known = best.get(each.pod)
        if known is None or _rank(each) > _rank(known):
            best[each.pod] = each
    return list(best.values())


def _rank(progress: IndexProgress) -> tuple[bool, int]:
    return progress.finished is not None and progress.reason is None, progress.documents
