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
_BUFFER_BYTES = 1 << 16


@dataclass(frozen=True)
class DataFile:
    """One file of documents.

    Attributes:
        name: last part of its path, the beginning of the ids made for its documents
        location: what messages call it: the path in its volume, or the URL without secrets
        open: returns the packed bytes; raises IndexingError when there are none
        max_bytes: what it may have when unpacked; `None` for any number

    """

    name: str
    location: str
    open: Callable[[], io.BufferedReader]
    max_bytes: int | None = None


def mounted_files(folder: Path, paths: list[str]) -> list[DataFile]:
    """Return the files below `folder` that `paths` name, in order and each once.

    `*` and `?` match within one folder, and what they match is sorted.

    Raises:
        IndexingError: a path leads out of the folder, or nothing is there

    """
    found = dict.fromkeys(match for path in paths for match in _matches(folder, path))
    return [DataFile(PurePosixPath(path).name, path, _opener(folder, path)) for path in found]


def distinct_names(files: list[DataFile]) -> list[str]:
    """Return a name for each file, with its number in front where two would be equal.

    `!` becomes `_`, since Solr's compositeId router would read it as a separator.
    """
    names = [file.name.replace("!", "_") for file in files]
    seen = Counter(names)
    return [f"{number}-{name}" if seen[name] > 1 else name for number, name in enumerate(names, 1)]


def format_of(file: DataFile, wanted: Format) -> Format:
    """Return `wanted`, or for `Auto` the format of the file's ending.

    Raises:
        IndexingError: the ending is unknown

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


def unpacked(packed: io.BufferedReader, file: DataFile) -> BinaryIO:
    """Return the bytes behind `packed`, unzipped when they begin as gzip does (RFC 1952).

    Reading them raises IndexingError beyond the limit of `file`: a small file can unpack to a huge
    one.
    """
    if packed.peek(2)[:2] == _GZIP_MAGIC:
        return cast("BinaryIO", io.BufferedReader(_Unpacked(packed, file), _BUFFER_BYTES))
    return packed


class _Unpacked(io.RawIOBase):
    """What a gzip file holds, up to a limit."""

    def __init__(self, packed: io.BufferedReader, file: DataFile) -> None:
        self._stream = gzip.GzipFile(fileobj=packed)
        self._file = file
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        count = self._stream.readinto(buffer)
        self._read += count
        most = self._file.max_bytes
        if most is not None and self._read > most:
            raise too_large(self._file.location, most, " when decompressed")
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def too_large(location: str, max_bytes: int, what: str = "") -> IndexingError:
    """Return the failure for a file beyond its limit; `what` says in which form."""
    return IndexingError(
        IndexingReason.DATASET_TOO_LARGE,
        f"{location}: the file has more than {max_bytes / (1 << 30):g} GiB{what}; raise"
        " spec.dataset.http.maxGibibytes if that is intended",
        permanent=True,
    )


def _matches(folder: Path, path: str) -> list[str]:
    if path.startswith("/") or ".." in PurePosixPath(path).parts:
        raise _outside(path)
    if not set(path) & {"*", "?"}:
        return [path]
    # Unlike Path.glob, this one skips hidden files and takes ** for *.
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
