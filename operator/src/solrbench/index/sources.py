"""The documents of one pod, whatever the source: generated, downloaded or mounted."""

import gzip
import io
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, cast

import httpx2 as httpx

from solrbench.api.v1alpha1.dataset import (
    ConfigMapFiles,
    Dataset,
    Generator,
    Http,
    PersistentVolumeClaim,
)
from solrbench.contract.generated_documents import DocumentGenerator
from solrbench.errors import format_error
from solrbench.index.cleaning import Cleaner, marked
from solrbench.index.download import Downloader
from solrbench.index.download_rules import DownloadRules
from solrbench.index.errors import IndexingError, RetryPolicy
from solrbench.index.files import (
    BUFFER_BYTES,
    CountingReader,
    DataFile,
    Partition,
    ReadCounts,
    distinct_names,
    flattened,
    format_of,
    mounted_files,
    unpacked,
)
from solrbench.index.readers import READERS, Loader, Record
from solrbench.reasons.data import IndexingReason

MAX_NAMED = 5
"""Files that a message names."""


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
) -> Iterator[Record]:
    """Return the documents of `partition`, each with its id, read lazily, as records to be sent.

    It raises `IndexingError` if a file is missing, unreachable, of unknown format, malformed; or
    there is no document in the whole dataset.
    """
    for name in type(dataset).model_fields:
        match getattr(dataset, name):
            case Generator() as generator:
                indexed = dataset.indexed_generator or generator
                made = DocumentGenerator(indexed, dataset.id_field)
                return (
                    (document, None)
                    for positions in partition.ranges(indexed.documents)
                    for document in made.range(positions)
                )
            case Http() as http:
                return _read_urls(http, dataset, partition, context)
            case PersistentVolumeClaim(paths=paths) | ConfigMapFiles(keys=paths):
                mounted = name_files(dataset, mounted_files(context.folder, paths))
                return read_files(dataset, mounted, partition, context.counts)
            case _:  # not a source, or not chosen
                pass
    message = "spec.dataset has no source that this image knows; use the image of the operator"
    raise IndexingError(IndexingReason.INVALID_PLAN, message, permanent=True)


def _read_urls(
    http: Http, dataset: Dataset, partition: Partition, context: ReadContext
) -> Iterator[Record]:
    """Yield the documents in the files behind the URLs, of which each pod opens only its own.

    Which documents are the first of the dataset is known only to a pod that counts those before
    them: then each pod reads the files from the first one on.
    """
    with closing(Downloader(http, context.retry_policy, context.downloads)) as downloader:
        files = name_files(dataset, downloader.files())
        own = range(len(files))
        if dataset.first_documents is None:
            own, partition = partition.of_files(len(files))
        # Files of other pods may have documents, so that having none is no failure of this pod.
        may_be_empty = len(own) < len(files)
        files = [files[i] for i in own]
        yield from read_files(dataset, files, partition, context.counts, may_be_empty=may_be_empty)


def name_files(dataset: Dataset, files: list[DataFile]) -> list[DataFile]:
    """Return files ready to be read: with names that differ, and in a known format."""
    return [
        replace(file, name=name, format=format_of(file, dataset.format))
        for file, name in zip(files, distinct_names(files), strict=True)
    ]


def read_files(
    dataset: Dataset,
    files: list[DataFile],
    partition: Partition,
    counts: ReadCounts,
    *,
    may_be_empty: bool = False,
) -> Iterator[Record]:
    """Yield the documents of `partition` in files of `name_files`, in constant memory.

    What was read and cleaned is added to `counts`. Errors are those of `read_documents`.
    """
    position, first, id_field = 0, dataset.first_documents, dataset.id_field
    cleaner = None if dataset.cleaning is None else Cleaner(dataset.cleaning)
    whole = partition.pods == 1
    for file in files:
        if position == first:
            return
        begun, own, reader = time.monotonic(), 0, None
        try:
            with _bytes_of(file) as packed:
                reader = CountingReader(packed, file)
                stream = cast("BinaryIO", io.BufferedReader(reader, BUFFER_BYTES))
                if dataset.cleaning is not None:
                    stream = marked(stream, dataset.cleaning, file.format, file.location)
                records = READERS[file.format](stream, file.location)
                for number, load in enumerate(records, 1):
                    if whole or partition.owns(position):
                        own += 1
                        document, text = _load(load, cleaner, file, number)
                        if id_field not in document:
                            document, text = {id_field: f"{file.name}-{number}", **document}, None
                        yield document, text
                    position += 1
                    if position == first:  # before the next one is read: it may be malformed
                        return
        finally:
            size = 0 if reader is None else reader.size
            counts.add(file.location, own, size, time.monotonic() - begun)
            counts.cleaned = None if cleaner is None else cleaner.cleaned
    _check_size(dataset, files, position, may_be_empty=may_be_empty)


def _load(load: Loader, cleaner: Cleaner | None, file: DataFile, number: int) -> Record:
    """Return a record as it is sent, but perhaps without its id."""
    try:
        document, text = load()
        if cleaner is not None:
            document, text = cleaner.clean(document), None
        return (flattened(document), None) if text is None else (document, text)
    except RecursionError as error:
        where, remedy = f"{file.location}: record {number}", "give it fewer levels"
        raise IndexingError.malformed(where, "is nested too deeply", remedy) from error


def _check_size(
    dataset: Dataset, files: list[DataFile], documents: int, *, may_be_empty: bool
) -> None:
    """Raise an error if files that were read to their end hold fewer documents than are wanted."""
    # Of a folder there may be thousands, and what is to be done stands behind them.
    places = ", ".join(file.location for file in files[:MAX_NAMED])
    places += f" and {len(files) - MAX_NAMED} more files" if len(files) > MAX_NAMED else ""
    if documents == 0 and not may_be_empty:
        message = f"there is no document in {places}; correct spec.dataset or fill the files"
        raise IndexingError(IndexingReason.EMPTY_DATASET, message, permanent=True)
    if dataset.first_documents is not None:
        raise IndexingError(
            IndexingReason.DATASET_TOO_SMALL,
            f"there are only {documents} documents in {places}, expected"
            f" {dataset.first_documents}; lower spec.dataset.firstDocuments or add files",
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
            problem, remedy = f"damaged gzip: {error}", "pack the file again with gzip"
            raise IndexingError.malformed(file.location, problem, remedy) from error
        except (httpx.TransportError, OSError) as error:
            raise IndexingError(
                IndexingReason.DATASET_UNREACHABLE,
                f"{file.location}: read error: {format_error(error)}; check the server or the"
                " volume",
                permanent=False,
            ) from error
