"""The contents of what steps add where the dataset is of files: its first documents.

It has a module of its own, which few workers import: the readers of files take memory.
"""

from itertools import islice
from pathlib import Path

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.contract.pod_plans import DATASET_FOLDER
from solrbench.index.errors import IndexingError, RetryPolicy
from solrbench.index.files import Partition
from solrbench.index.sources import ReadContext, read_documents
from solrbench.load.errors import LoadError
from solrbench.load.workload.request_mix import MAX_TEXTS, document_tail
from solrbench.reasons.load import LoadReason

MAX_BYTES = 16 << 20
"""Of the contents that a worker keeps, as JSON; the document that goes beyond it is the last."""


def read_sample(dataset: Dataset, folder: Path = Path(DATASET_FOLDER)) -> list[bytes]:
    """Return the first documents of a dataset of mounted files, as index pods would send them.

    Each is without its id. They are read and cleaned by the code of the index pods.

    It raises `LoadError` with `NoDocuments` if a file cannot be read.
    """
    size, tails = 0, list[bytes]()
    whole = Partition(pod=0, pods=1, batch=MAX_TEXTS)
    try:
        records = read_documents(dataset, whole, ReadContext(folder, RetryPolicy()))
        for document, _ in islice(records, MAX_TEXTS):
            tails.append(document_tail(document, dataset.id_field))
            size += len(tails[-1])
            if size > MAX_BYTES:
                break
    except IndexingError as error:
        raise LoadError(LoadReason.NO_DOCUMENTS, f"spec.dataset: {error.message}") from error
    return tails
