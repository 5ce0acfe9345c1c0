"""The stored form of a step run.

A step run is stored as JSON in one gzip file (RFC 1952), cut into chunks that fit into ConfigMaps.
The chunks in order, joined by `cat`, are a file that `gunzip` reads. The number of chunks and the
SHA-256 of the JSON are annotations of each ConfigMap (`manifests.report`), so lost, swapped and
damaged chunks are all noticed.
"""

import gzip
import hashlib
from dataclasses import dataclass

import orjson

from solrbench.api.rules import plain
from solrbench.contract.foreign import ForeignDataError, read, unpack
from solrbench.contract.step_document import StepRunResult
from solrbench.errors import TemporaryError
from solrbench.reasons.load import LoadReason

# A ConfigMap holds 1 MiB, and base64 makes 700 KiB into 934 KiB.
MAX_CHUNK_BYTES = 700 * 1024

MAX_RESULT_BYTES = 14 << 20
"""What the document of a load master may have as JSON: the largest has 10 MiB, and 2 MiB of
answers."""

MAX_DOCUMENT_BYTES = MAX_RESULT_BYTES + (2 << 20)
"""What a stored document may have: the operator adds pods and target to that of the master."""

MAX_CHUNKS = -(-MAX_DOCUMENT_BYTES // MAX_CHUNK_BYTES) + 1
"""Chunks of such a document that gzip makes no shorter."""


@dataclass(frozen=True)
class ChunkedDocument:
    """A stored step run: the parts of a gzip file, and the digest of its JSON in hexadecimal."""

    chunks: tuple[bytes, ...]
    sha256: str


class DamagedReportError(TemporaryError):
    """Stored chunks do not make up the document that was stored; it can be measured again."""

    def __init__(self, problem: str, reason: LoadReason = LoadReason.REPORT_DAMAGED) -> None:
        remedy = "delete its ConfigMaps and the step is measured again"
        if reason is LoadReason.VERSION_MISMATCH:
            remedy = f"install the operator's version that wrote it, or {remedy}"
        super().__init__(reason, f"stored step run cannot be read: {problem}; {remedy}")


def to_chunks(document: StepRunResult, max_bytes: int = MAX_CHUNK_BYTES) -> ChunkedDocument:
    """Return `document` in chunks of at most `max_bytes` bytes."""
    text = orjson.dumps(plain(document))
    # Without a time in it the same document gives the same bytes.
    packed = gzip.compress(text, mtime=0)
    chunks = (packed[start : start + max_bytes] for start in range(0, len(packed), max_bytes))
    return ChunkedDocument(tuple(chunks), hashlib.sha256(text).hexdigest())


def from_chunks(stored: ChunkedDocument) -> StepRunResult:
    """Return the document that `to_chunks` cut; `DamagedReportError` if it is not as it was."""
    try:
        text = unpack(b"".join(stored.chunks), MAX_DOCUMENT_BYTES)
    except ForeignDataError as error:
        raise DamagedReportError(str(error)) from error
    if hashlib.sha256(text).hexdigest() != stored.sha256:
        raise DamagedReportError("the SHA-256 of the document differs")
    try:
        return read(StepRunResult, text)
    except ForeignDataError as error:
        problem = f"another version wrote it ({error})"
        raise DamagedReportError(problem, LoadReason.VERSION_MISMATCH) from error
