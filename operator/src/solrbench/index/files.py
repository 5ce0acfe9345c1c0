"""The files of a dataset: who reads which of their documents, and what becomes of a record.

Solr's `/update/json/docs` makes dotted fields of nested objects; its faster `/update` would read
them as atomic updates or child documents. So records are made flat here by the same rule: an id, no
nulls, nested objects as dotted fields.
"""

import glob
import gzip
import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from solrbench.api.v1alpha1.dataset import Format
from solrbench.api.v1alpha1.status import CleanedStatus, IndexedFile
from solrbench.index.errors import IndexingError
from solrbench.reasons.data import IndexingReason

_ENDINGS = {
    ".json": Format.JSON,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".csv": Format.CSV,
    ".xml": Format.XML,
}
_GZIP_MAGIC = b"\x1f\x8b"
BUFFER_BYTES = 1 << 16
"""Read from a file at once."""


@dataclass(frozen=True)
class DataFile:
    """One file of documents."""

    name: str
    """The last part of its path, with which the ids made for its documents begin."""
    location: str
    """What messages call it: the path in its volume, or the URL without secrets."""
    open: Callable[[], io.BufferedReader]
    """Returns the packed bytes; raises IndexingError when there are none."""
    max_bytes: int | None = None
    """What it may have when unpacked."""
    format: Format = Format.AUTO


MAX_FILES = 16
"""Files of which a pod remembers more than that it has read them."""
_MAX_NAME = 60


@dataclass
class ReadCounts:
    """What a pod has read so far; it is written by the thread that reads, and read at its end."""

    files: int = 0
    slowest: list[IndexedFile] = field(default_factory=list)
    cleaned: CleanedStatus | None = None
    """What was cleaned; None without cleaning."""

    def add(self, location: str, documents: int, size: int, seconds: float) -> None:
        """Count a file that was read, of which so many documents were this pod's."""
        name = location if len(location) <= _MAX_NAME else f"…{location[1 - _MAX_NAME :]}"
        file = IndexedFile(name=name, documents=documents, bytes=size, seconds=round(seconds, 3))
        self.files += 1
        self.slowest.append(file)
        if len(self.slowest) > MAX_FILES:
            self.slowest.remove(min(self.slowest, key=lambda each: each.seconds))


class CountingReader(io.RawIOBase):
    """What a file holds, up to its limit, as a small one can unpack to a huge one.

    `size` is the number of bytes so far.
    """

    def __init__(self, stream: BinaryIO, file: DataFile) -> None:
        self._stream = stream
        self._file = file
        self.size = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        """Read bytes into a buffer and return how many; IndexingError beyond the limit."""
        chunk, most = self._stream.read(len(buffer)), self._file.max_bytes
        # A file that is not packed was limited while it was downloaded.
        if most is not None and self.size + len(chunk) > most:
            raise too_large(self._file.location, most, " when decompressed")
        buffer[: len(chunk)] = chunk
        self.size += len(chunk)
        return len(chunk)


def mounted_files(folder: Path, paths: list[str]) -> list[DataFile]:
    """Return the files below `folder` that `paths` name, in order and each once.

    `*` and `?` match within one folder, and what they match is sorted. It raises `IndexingError` if
    a path leads out of the folder, or nothing is there.
    """
    files = dict.fromkeys(match for path in paths for match in _matches(folder, path))
    # Bytes of a name that are no UTF-8 could be in no id, status or message.
    shown = [os.fsencode(path).decode("utf-8", "replace") for path in files]
    return [
        DataFile(PurePosixPath(name).name, name, partial(_open, folder, path))
        for name, path in zip(shown, files, strict=True)
    ]


def distinct_names(files: list[DataFile]) -> list[str]:
    """Return a name for each file, with the file's number in front if two would be equal."""
    # Solr's compositeId router would read `!` as a separator.
    names = [file.name.replace("!", "_") for file in files]
    if len(set(names)) == len(names):
        return names
    # In front of all: another file may be called as one would be with its number.
    return [f"{number}-{name}" for number, name in enumerate(names, 1)]


def format_of(file: DataFile, wanted: Format) -> Format:
    """Return `wanted`, or for `Auto` the format of the ending; `IndexingError` if it is unknown."""
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
    # Not by the name: a server may pack a file on the way, or serve a packed one as plain.
    if packed.peek(2)[:2] == _GZIP_MAGIC:
        return cast("BinaryIO", gzip.GzipFile(fileobj=packed))
    return packed


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
    try:
        files = [match for match in matches if (folder / match).is_file()]
    except PermissionError as error:  # a folder may be listed and not entered, as with mode 744
        raise _denied(path) from error
    if not files:
        raise IndexingError.not_found(path, "no file matches; correct the path in spec.dataset")
    return files


def _open(folder: Path, path: str) -> io.BufferedReader:
    try:
        # Links are followed first: they may lead out of the volume, into the pod's Secrets.
        target = (folder / path).resolve(strict=True)
        if not target.is_relative_to(folder.resolve()):
            raise _outside(path)
        return target.open("rb")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        remedy = "correct the path in spec.dataset or put the file there"
        raise IndexingError.not_found(path, remedy) from error
    except PermissionError as error:
        raise _denied(path) from error


def _denied(path: str) -> IndexingError:
    remedy = "make file and folders readable for all users, as chmod a+rX does"
    message = f"{path}: permission denied; {remedy}"
    return IndexingError(IndexingReason.DATASET_UNREACHABLE, message, permanent=True)


def _outside(path: str) -> IndexingError:
    where = f"{path} leads out of the volume, and there it"
    return IndexingError.not_found(where, "name a file inside the volume")


_PLAIN = frozenset({str, int, float, bool})


def flattened(document: dict[str, Any]) -> dict[str, Any]:
    """Return the fields to send, without nulls and nested objects."""
    for value in document.values():
        # One look at each value is cheaper than to build a document anew that is flat already.
        if type(value) in _PLAIN:
            continue
        if type(value) is not list or not value or not _PLAIN.issuperset(map(type, value)):
            return _made_flat(document)
    return document


def _made_flat(document: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in _leaves("", document):
        if name in flat:  # `{"a.b": 1, "a": {"b": 2}}` has it twice
            before, more = (e if isinstance(e, list) else [e] for e in (flat[name], value))
            flat[name] = [*before, *more]
        else:
            flat[name] = value
    return flat


def _leaves(prefix: str, document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in document.items():
        name = prefix + key
        if isinstance(value, dict):
            yield from _leaves(f"{name}.", value)
        elif isinstance(value, list):
            yield from _list_leaves(name, value)
        elif value is not None:
            yield name, value


def _list_leaves(name: str, values: list[Any]) -> Iterator[tuple[str, Any]]:
    plain: list[Any] = []
    for value in values:
        if isinstance(value, dict):
            yield from _leaves(f"{name}.", value)
        elif isinstance(value, list):
            inner = list(_list_leaves(name, value))
            plain += [leaf for key, leaves in inner if key == name for leaf in leaves]
            yield from (leaf for leaf in inner if leaf[0] != name)
        elif value is not None:
            plain.append(value)
    if plain:
        yield name, plain


@dataclass(frozen=True)
class Partition:
    """The share of one pod: every `pods`-th batch, a batch being positions that stay together."""

    pod: int
    pods: int
    batch: int

    def owns(self, position: int) -> bool:
        """Return whether the document at `position` (from 0) belongs to this pod."""
        return position // self.batch % self.pods == self.pod

    def of_files(self, files: int) -> tuple[range, "Partition"]:
        """Return which of so many files this pod reads, and which positions in them it owns.

        With at least as many files as pods, each pod has whole files of its own; otherwise it has
        one file, which it shares with every pod that is `files` away.
        """
        if files >= self.pods:
            return range(self.pod, files, self.pods), Partition(0, 1, self.batch)
        own = self.pod % files
        sharers = len(range(own, self.pods, files))
        return range(own, own + 1), Partition(self.pod // files, sharers, self.batch)

    def ranges(self, total: int) -> Iterator[range]:
        """Return this pod's positions among the first `total`, batch by batch."""
        for start in range(self.pod * self.batch, total, self.pods * self.batch):
            yield range(start, min(start + self.batch, total))
