import gzip
import hashlib
import itertools
import random
import subprocess
from dataclasses import replace

import pytest

from solrbench.contract import storage
from solrbench.contract.step_document import StepRunResult
from solrbench.errors import TemporaryError
from support.failing import failing
from support.results.builders import make_document, make_result


def _document() -> StepRunResult:
    source = random.Random(1)
    return make_document("a", 1, make_result([source.randrange(1, 10**9) for _ in range(3000)]))


def test_no_chunk_is_larger_than_asked_and_all_but_the_last_are_full() -> None:
    stored = storage.to_chunks(_document(), max_bytes=300)
    assert len(stored.chunks) > 3
    assert {len(chunk) for chunk in stored.chunks[:-1]} == {300}
    assert 0 < len(stored.chunks[-1]) <= 300
    assert storage.from_chunks(stored) == _document()


def test_a_chunk_fits_into_a_config_map() -> None:
    assert storage.MAX_CHUNK_BYTES * 4 / 3 < 1024 * 1024 - 16 * 1024


def test_the_same_document_gives_the_same_bytes() -> None:
    assert storage.to_chunks(_document()) == storage.to_chunks(_document())


def test_joined_chunks_are_a_file_that_gunzip_reads() -> None:
    stored = storage.to_chunks(_document(), max_bytes=500)
    stream = b"".join(stored.chunks)
    text = subprocess.run(["gunzip"], input=stream, capture_output=True, check=True).stdout
    assert StepRunResult.model_validate_json(text) == _document()
    assert text == gzip.decompress(stream)
    digest = subprocess.run(["sha256sum"], input=text, capture_output=True, check=True).stdout
    assert digest.split()[0].decode() == stored.sha256


@pytest.mark.parametrize("position", [0, 30, 60, 120, 700, -1])
def test_a_changed_byte_is_noticed(position: int) -> None:
    stored = storage.to_chunks(_document())
    stream = bytearray(stored.chunks[0])
    stream[position] ^= 0x11
    with failing(TemporaryError, "ReportDamaged", "delete its ConfigMaps"):
        storage.from_chunks(replace(stored, chunks=(bytes(stream),)))


def test_every_chunk_that_is_missing_swapped_or_of_another_document_is_noticed() -> None:
    stored = storage.to_chunks(_document(), max_bytes=300)
    chunks = stored.chunks
    missing = [chunks[:i] + chunks[i + 1 :] for i in range(len(chunks))]
    swapped = [
        (*chunks[:a], chunks[b], *chunks[a + 1 : b], chunks[a], *chunks[b + 1 :])
        for a, b in itertools.combinations(range(len(chunks)), 2)
    ]
    other = storage.to_chunks(_document().model_copy(update={"repeat": 2}), max_bytes=300)
    assert len(chunks) == len(other.chunks)
    for damaged in [(), *missing, *swapped, (*chunks[:-1], other.chunks[-1])]:
        with pytest.raises(storage.DamagedReportError):
            storage.from_chunks(replace(stored, chunks=damaged))


def test_no_more_is_unpacked_than_a_document_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "MAX_DOCUMENT_BYTES", 10_000)
    bomb = storage.ChunkedDocument((gzip.compress(bytes(10_001)),), "0" * 64)
    with pytest.raises(storage.DamagedReportError, match="more than 10000 bytes"):
        storage.from_chunks(bomb)
    with pytest.raises(storage.DamagedReportError, match="SHA-256"):
        storage.from_chunks(replace(bomb, chunks=(gzip.compress(bytes(10_000)),)))


def of_a_later_version(before: bytes, after: bytes) -> storage.ChunkedDocument:
    text = gzip.decompress(b"".join(storage.to_chunks(_document()).chunks))
    later = text.replace(before, after)
    digest = hashlib.sha256(later).hexdigest()
    return storage.ChunkedDocument((gzip.compress(later),), digest)


def test_a_document_of_another_version_has_a_reason_of_its_own() -> None:
    later = of_a_later_version(b'"repeat":1', b'"repeat":"first"')
    said = "another version wrote it.*install the operator's version"
    with failing(storage.DamagedReportError, "VersionMismatch", said):
        storage.from_chunks(later)


def test_a_field_of_a_later_version_is_ignored() -> None:
    later = of_a_later_version(b"{", b'{"fieldOfALaterVersion":1,')
    assert storage.from_chunks(later) == _document()
