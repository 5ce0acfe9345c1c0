"""The documents of one pod, whatever the source: generated, downloaded or mounted."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solrbench.api.v1alpha1.dataset import (
    ConfigMapFiles,
    Dataset,
    Generator,
    Http,
    PersistentVolumeClaim,
)
from solrbench.contract.generated_documents import DocumentGenerator
from solrbench.index.download import Downloader
from solrbench.index.download_rules import DownloadRules
from solrbench.index.errors import IndexingError, RetryPolicy
from solrbench.index.file_documents import read_files, read_own_files
from solrbench.index.files import Partition, ReadCounts, mounted_files
from solrbench.reasons.data import IndexingReason


class GeneratedDocuments(DocumentGenerator):
    """Makes the documents of one `Generator`."""

    def documents(self, part: Partition) -> Iterator[dict[str, Any]]:
        """Return the documents of one pod in order."""
        for positions in part.ranges(self._spec.documents):
            yield from self.range(positions)


@dataclass(frozen=True)
class ReadContext:
    """What reading needs besides the dataset: a mounted volume or ConfigMap, and download rules."""

    folder: Path
    retry_policy: RetryPolicy
    downloads: DownloadRules = field(default_factory=DownloadRules)
    counts: ReadCounts = field(default_factory=ReadCounts)
    """What was read and cleaned is added to it."""


def read_documents(
    dataset: Dataset, partition: Partition, context: ReadContext
) -> Iterator[dict[str, Any]]:
    """Return the documents of `partition`, each with its id, read lazily.

    Raises:
        IndexingError: a file is missing, unreachable, of unknown format, malformed; or there is
            no document in the whole dataset
    """
    for name in type(dataset).model_fields:
        match getattr(dataset, name):
            case Generator() as generator:
                indexed = dataset.indexed_generator or generator
                return GeneratedDocuments(indexed, dataset.id_field).documents(partition)
            case Http() as http:
                return _read_urls(http, dataset, partition, context)
            case PersistentVolumeClaim() as volume:
                mounted = mounted_files(context.folder, volume.paths)
                return read_files(dataset, mounted, partition, context.counts)
            case ConfigMapFiles() as files:
                mounted = mounted_files(context.folder, files.keys)
                return read_files(dataset, mounted, partition, context.counts)
            case _:  # not a source, or not chosen
                pass
    message = "spec.dataset has no source that this image knows; use the image of the operator"
    raise IndexingError(IndexingReason.INVALID_PLAN, message, permanent=True)


def _read_urls(
    http: Http, dataset: Dataset, partition: Partition, context: ReadContext
) -> Iterator[dict[str, Any]]:
    """Yield the documents in the files behind the URLs, of which each pod reads its own.

    Which documents are the first of the dataset is known only to a pod that counts those before
    them: then each pod reads the files from the first one on.
    """
    read = read_own_files if dataset.first_documents is None else read_files
    with closing(Downloader(http, context.retry_policy, context.downloads)) as downloader:
        yield from read(dataset, downloader.files(), partition, context.counts)
