"""The stored form of a step run.

A step run is stored as JSON in one gzip file (RFC 1952), cut into chunks that fit into ConfigMaps.
The chunks in order, joined by `cat`, are a file that `gunzip` reads. The number of chunks and the
SHA-256 of the JSON are annotations of each ConfigMap (`manifests.report`), so lost, swapped and
damaged chunks are all noticed.
"""

import gzip
import hashlib
import zlib
from dataclasses import dataclass

import orjson
from pydantic import ValidationError

from solrbench.api.rules import problems
from solrbench.contract.step_document import StepRunResult
from solrbench.errors import TemporaryError
from solrbench.reasons.load import LoadReason

# A ConfigMap holds 1 MiB, and base64 makes 700 KiB into 934 KiB.
MAX_CHUNK_BYTES = 700 * 1024

MAX_DOCUMENT_BYTES = 64 << 20
"""What a stored document may have as JSON."""

MAX_PROBLEMS = 3
"""Fields that a message names."""

_GZIP = 16 + zlib.MAX_WBITS


@dataclass(frozen=True)
class ChunkedDocument:
    """A stored step run: the parts of a gzip file, and the digest of its JSON in hexadecimal."""

    chunks: tuple[bytes, ...]
    sha256: str


class DamagedReportError(TemporaryError):
    """Stored chunks do not make up the document that was stored; it can be measured again."""

    def __init__(self, problem: str, reason: LoadReason = LoadReason.REPORT_DAMAGED) -> None:
        """Say what is wrong and what to do about it."""
        remedy = "delete its ConfigMaps and the step is measured again"
        if reason is LoadReason.VERSION_MISMATCH:
            remedy = f"install the operator's version that wrote it, or {remedy}"
        super().__init__(reason, f"stored step run cannot be read: {problem}; {remedy}")


def to_chunks(document: StepRunResult, max_bytes: int = MAX_CHUNK_BYTES) -> ChunkedDocument:
    """Return `document` in chunks of at most `max_bytes` bytes."""
    text = orjson.dumps(document.model_dump(mode="json", by_alias=True, exclude_none=True))
    # Without a time in it the same document gives the same bytes.
    packed = gzip.compress(text, mtime=0)
    chunks = (packed[start : start + max_bytes] for start in range(0, len(packed), max_bytes))
    return ChunkedDocument(tuple(chunks), hashlib.sha256(text).hexdigest())


def from_chunks(stored: ChunkedDocument) -> StepRunResult:
    """Return the document that `to_chunks` cut; `DamagedReportError` if it is not as it was."""
    stream = zlib.decompressobj(_GZIP)
    try:
        # A damaged or foreign file of some bytes could unpack to any number of them.
        text = stream.decompress(b"".join(stored.chunks), MAX_DOCUMENT_BYTES + 1)
    except zlib.error as error:
        raise DamagedReportError(f"the compressed stream is broken ({error})") from error
    if len(text) > MAX_DOCUMENT_BYTES:
        raise DamagedReportError(f"it unpacks to more than {MAX_DOCUMENT_BYTES} bytes")
    # Chunks of two documents join to two members, of which the first alone would be whole.
    if not stream.eof or stream.unused_data:
        raise DamagedReportError("the compressed stream is broken (its end is missing or not last)")
    if hashlib.sha256(text).hexdigest() != stored.sha256:
        raise DamagedReportError("the SHA-256 of the document differs")
    try:
        return StepRunResult.model_validate_json(text)
    except ValidationError as error:
        raise DamagedReportError(
            f"another version wrote it ({'; '.join(problems(error)[:MAX_PROBLEMS])})",
            LoadReason.VERSION_MISMATCH,
        ) from error
