"""The documents of one pod, whatever the source."""

import gzip
import random
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import httpx

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.dataset.backoff import Backoff
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.sources.cleaning import cleaned
from solrbench.dataset.sources.download import Downloader
from solrbench.dataset.sources.files import (
    DataFile,
    distinct_names,
    format_of,
    mounted_files,
    unpacked,
)
from solrbench.dataset.sources.generator import GeneratedDocuments
from solrbench.dataset.sources.partition import Partition
from solrbench.dataset.sources.readers import reader_for
from solrbench.reasons.indexing import IndexingReason


@dataclass(frozen=True)
class ReadContext:
    """What reading needs besides the dataset.

    Attributes:
        folder: where a volume or ConfigMap with documents is mounted
        backoff: waits before a download is tried again
        rng: for their jitter
        pause: waits for so many seconds; may return early when the run is over

    """

    folder: Path
    backoff: Backoff
    rng: random.Random
    pause: Callable[[float], object]


def read_documents(
    dataset: Dataset, partition: Partition, context: ReadContext
) -> Iterator[dict[str, Any]]:
    """Return the documents of `partition`, each with its id, read as they are asked for.

    Raises:
        IndexingError: a file is missing, unreachable, of unknown format, malformed; or there is
            no document in the whole dataset

    """
    if dataset.generator is not None:
        return GeneratedDocuments(dataset.generator, dataset.id_field).documents(partition)
    if dataset.http is not None:
        return _downloaded(dataset, dataset.http.urls, partition, context)
    if dataset.config_map is not None:
        return _from_files(
            dataset, mounted_files(context.folder, dataset.config_map.keys), partition
        )
    if dataset.persistent_volume_claim is not None:
        paths = dataset.persistent_volume_claim.paths
        return _from_files(dataset, mounted_files(context.folder, paths), partition)
    raise AssertionError("a Dataset has one source")


def _downloaded(
    dataset: Dataset, urls: list[str], partition: Partition, context: ReadContext
) -> Iterator[dict[str, Any]]:
    downloader = Downloader(
        dataset.indexing.batch_retries, context.backoff, context.rng, context.pause
    )
    with closing(downloader):
        yield from _from_files(dataset, downloader.files(urls), partition)


def _from_files(
    dataset: Dataset, files: list[DataFile], partition: Partition
) -> Iterator[dict[str, Any]]:
    formats = [format_of(file, dataset.format) for file in files]
    position = 0
    for file, name, wanted in zip(files, distinct_names(files), formats, strict=True):
        with _bytes_of(file) as stream:
            for number, load in enumerate(reader_for(wanted)(stream, file.location), 1):
                if partition.owns(position):
                    yield cleaned(load(), dataset.id_field, f"{name}-{number}")
                position += 1
    if position == 0:
        places = ", ".join(file.location for file in files)
        raise IndexingError(
            IndexingReason.EMPTY_DATASET,
            f"there is no document in {places}; correct spec.dataset or fill the files",
            permanent=True,
        )


@contextmanager
def _bytes_of(file: DataFile) -> Iterator[BinaryIO]:
    """Open a file and name it in every error while it is read."""
    with ExitStack() as stack:
        try:
            packed = stack.enter_context(file.open())
            yield stack.enter_context(unpacked(packed))
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            remedy = "pack the file again with gzip"
            raise IndexingError.malformed(
                file.location, f"damaged gzip: {error}", remedy
            ) from error
        except (httpx.TransportError, OSError) as error:
            raise IndexingError(
                IndexingReason.DATASET_UNREACHABLE,
                f"{file.location}: read error: {str(error) or type(error).__name__};"
                " check the server or the volume",
                permanent=False,
            ) from error
