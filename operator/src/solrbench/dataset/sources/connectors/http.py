"""Files behind URLs."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.download import Http
from solrbench.dataset.sources.download import Downloader
from solrbench.dataset.sources.file_documents import read_files, read_own_files
from solrbench.dataset.sources.partition import Partition
from solrbench.dataset.sources.source import ReadContext, source


@source(Http)
def read_urls(
    member: Http, dataset: Dataset, partition: Partition, context: ReadContext
) -> Iterator[dict[str, Any]]:
    """Yield the documents in the files behind the URLs, of which each pod reads its own.

    Which documents are the first of the dataset is known only to a pod that counts those before
    them: then each pod reads the files from the first one on.
    """
    read = read_own_files if dataset.first_documents is None else read_files
    with closing(Downloader(member, context.retry_policy, context.downloads)) as downloader:
        yield from read(dataset, downloader.files(), partition)
