"""The documents in files, wherever their bytes come from."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

import httpx

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.sources.cleaning import cleaned
from solrbench.dataset.sources.files import DataFile, distinct_names, format_of, unpacked
from solrbench.dataset.sources.partition import Partition
from solrbench.dataset.sources.readers import reader_for
from solrbench.reasons.indexing import IndexingReason


def read_files(
    dataset: Dataset, files: list[DataFile], partition: Partition
) -> Iterator[dict[str, Any]]:
    """Yield the documents of `partition`, each with its id, file by file in constant memory.

    Raises:
        IndexingError: a file is missing, unreachable, of unknown format, malformed; or there is
            no document in any file

    """
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
