"""Files behind URLs."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from solrbench.api.v1alpha1.dataset import Dataset, Http
from solrbench.dataset.sources.download import Downloader
from solrbench.dataset.sources.file_documents import read_files
from solrbench.dataset.sources.partition import Partition
from solrbench.dataset.sources.source import ReadContext, source


@source(Http)
def read_urls(
    member: Http, dataset: Dataset, partition: Partition, context: ReadContext
) -> Iterator[dict[str, Any]]:
    """Yield the documents in the files behind the URLs."""
    with closing(Downloader(context.retry_policy)) as downloader:
        yield from read_files(dataset, downloader.files(member.urls), partition)
