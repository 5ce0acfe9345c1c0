"""The files of a dataset: names for ids, formats by ending, bytes unpacked while read."""

import glob
import gzip
import io
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from solrbench.api.v1alpha1.dataset import Format
from solrbench.dataset.errors import IndexingError
from solrbench.reasons.indexing import IndexingReason

_ENDINGS = {
    ".json": Format.JSON,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".csv": Format.CSV,
    ".xml": Format.XML,
}
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class DataFile:
    """One file of documents.

    Attributes:
        name: last part of its path, the beginning of the ids made for its documents
        location: what messages call it: the path in its volume, or the URL without secrets
        open: returns the packed bytes; raises IndexingError when there are none

    """

    name: str
    location: str
    open: Callable[[], io.BufferedReader]


def mounted_files(folder: Path, paths: list[str]) -> list[DataFile]:
    """Return the files below `folder` that `paths` name, in order and each once.

    `*` and `?` match within one folder, and what they match is sorted.

    Raises:
        IndexingError: a path leads out of the folder, or nothing is there

    """
    found = dict.fromkeys(match for path in paths for match in _matches(folder, path))
    return [DataFile(PurePosixPath(path).name, path, _opener(folder, path)) for path in found]


def distinct_names(files: list[DataFile]) -> list[str]:
    """Return a name for each file, with its number in front where two would be alike.

    `!` becomes `_`, since Solr's compositeId router would read it as a separator.
    """
    names = [file.name.replace("!", "_") for file in files]
    seen = Counter(names)
    return [f"{number}-{name}" if seen[name] > 1 else name for number, name in enumerate(names, 1)]


def format_of(file: DataFile, wanted: Format) -> Format:
    """Return `wanted`, or for `Auto` the format that the file's ending tells.

    Raises:
        IndexingError: the ending tells nothing

    """
    if wanted is not Format.AUTO:
        return wanted
    ending = PurePosixPath(file.name.lower().removesuffix(".gz")).suffix
    if ending not in _ENDINGS:
        raise IndexingError(
            IndexingReason.UNKNOWN_FORMAT,
            f"{file.location}: the file extension belongs to no known format"
            f" ({', '.join(_ENDINGS)}, each also with .gz); set spec.dataset.format or rename the"
            " file",
            permanent=True,
        )
    return _ENDINGS[ending]


def unpacked(packed: io.BufferedReader) -> BinaryIO:
    """Return the bytes behind `packed`, unzipped when they begin as gzip does (RFC 1952)."""
    if packed.peek(2)[:2] == _GZIP_MAGIC:
        return cast("BinaryIO", io.BufferedReader(gzip.GzipFile(fileobj=packed)))
    return packed


def _matches(folder: Path, path: str) -> list[str]:
    if path.startswith("/") or ".." in PurePosixPath(path).parts:
        raise _outside(path)
    if not set(path) & {"*", "?"}:
        return [path]
    # Unlike Path.glob, this one passes over hidden files and takes ** for *.
    matches = sorted(glob.glob(path.replace("[", "[[]"), root_dir=folder))  # noqa: PTH207
    files = [match for match in matches if (folder / match).is_file()]
    if not files:
        raise IndexingError.not_found(path, "no file matches; correct the path in spec.dataset")
    return files


def _opener(folder: Path, path: str) -> Callable[[], io.BufferedReader]:
    def opened() -> io.BufferedReader:
        try:
            target = (folder / path).resolve(strict=True)
            if not target.is_relative_to(folder.resolve()):
                raise _outside(path)
            return target.open("rb")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
            remedy = "correct the path in spec.dataset or put the file there"
            raise IndexingError.not_found(path, remedy) from error
        except PermissionError as error:
            raise IndexingError(
                IndexingReason.DATASET_UNREACHABLE,
                f"{path}: permission denied; make it readable for all users",
                permanent=True,
            ) from error

    return opened


def _outside(path: str) -> IndexingError:
    return IndexingError.not_found(
        f"{path} leads out of the volume, and there it", "name a file inside the volume"
    )
