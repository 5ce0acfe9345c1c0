"""The stored form of a step run, and the record of what it ran on.

A step run is stored as JSON in one gzip stream (RFC 1952), cut into pieces that fit into
ConfigMaps. The pieces in order, joined by `cat`, are a file that `gunzip` reads. The comment field
of the gzip header holds the number of pieces and the SHA-256 of the JSON, so lost, swapped and
damaged pieces are all noticed.
"""

import hashlib
import re
import struct
import zlib
from collections.abc import Sequence

import orjson

from solrbench.results.model.step_result import StepRunResult

MAX_CHUNK_BYTES = 700 * 1024
"""A ConfigMap holds 1 MiB, and base64 makes 700 KiB into 934 KiB."""

_COMMENT = re.compile(rb"solrbench chunks=([0-9]{8}) sha256=([0-9a-f]{64})")
_COMMENT_OFFSET = 10
_HEADER = b"\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\xff"
"""gzip, deflate, a comment follows, no time (the same document gives the same bytes)."""
_GZIP_WINDOW = 31
_RAW_DEFLATE_WINDOW = -15


class DamagedReportError(ValueError):
    """Stored pieces do not make up the document that was stored."""


def to_chunks(document: StepRunResult, max_bytes: int = MAX_CHUNK_BYTES) -> list[bytes]:
    """Return `document` as pieces of at most `max_bytes` bytes, in order."""
    text = orjson.dumps(document.model_dump(mode="json", by_alias=True, exclude_none=True))
    tail = _deflate(text) + struct.pack("<II", zlib.crc32(text), len(text) & 0xFFFFFFFF)
    digest = hashlib.sha256(text).hexdigest()
    size = len(_header(0, digest)) + len(tail)
    stream = _header(-(-size // max_bytes), digest) + tail
    return [stream[start : start + max_bytes] for start in range(0, size, max_bytes)]


def from_chunks(chunks: Sequence[bytes]) -> StepRunResult:
    """Return the document that `to_chunks` cut into `chunks`, given in order.

    Raises:
        DamagedReportError: if a piece is missing, swapped, foreign or changed.

    """
    stream = b"".join(chunks)
    comment = _COMMENT.match(stream, _COMMENT_OFFSET)
    if not stream.startswith(_HEADER) or comment is None:
        raise DamagedReportError(_damage("chunk 0 does not begin as a stored step run does"))
    if int(comment[1]) != len(chunks):
        raise DamagedReportError(_damage(f"{len(chunks)} of {int(comment[1])} chunks are there"))
    try:
        text = zlib.decompress(stream, wbits=_GZIP_WINDOW)
    except zlib.error as error:
        raise DamagedReportError(_damage(f"the compressed stream is broken ({error})")) from error
    if hashlib.sha256(text).hexdigest() != comment[2].decode():
        raise DamagedReportError(_damage("the SHA-256 of the document differs"))
    return StepRunResult.model_validate_json(text)


def _header(chunks: int, digest: str) -> bytes:
    return _HEADER + f"solrbench chunks={chunks:08d} sha256={digest}".encode() + b"\x00"


def _deflate(text: bytes) -> bytes:
    compressor = zlib.compressobj(9, zlib.DEFLATED, _RAW_DEFLATE_WINDOW)
    return compressor.compress(text) + compressor.flush()


def _damage(what: str) -> str:
    return f"stored step run is damaged: {what}; delete its ConfigMaps to measure it again"
