import gzip
import itertools
import random
import subprocess

import pytest

from solrbench.results.model import storage
from solrbench.results.model.step_result import StepRunResult
from unit.results.builders import make_document, make_result


def _document() -> StepRunResult:
    source = random.Random(1)
    return make_document("a", 1, make_result([source.randrange(1, 10**9) for _ in range(3000)]))


def test_a_document_comes_back_as_it_was() -> None:
    assert storage.from_chunks(storage.to_chunks(_document())) == _document()


def test_no_chunk_is_larger_than_asked_and_all_but_the_last_are_full() -> None:
    chunks = storage.to_chunks(_document(), max_bytes=300)
    assert len(chunks) > 3
    assert {len(chunk) for chunk in chunks[:-1]} == {300}
    assert 0 < len(chunks[-1]) <= 300
    assert storage.from_chunks(chunks) == _document()


def test_a_chunk_fits_into_a_config_map() -> None:
    assert storage.MAX_CHUNK_BYTES * 4 / 3 < 1024 * 1024 - 16 * 1024


def test_the_same_document_gives_the_same_bytes() -> None:
    assert storage.to_chunks(_document()) == storage.to_chunks(_document())


def test_joined_chunks_are_a_file_that_gunzip_reads() -> None:
    stream = b"".join(storage.to_chunks(_document(), max_bytes=500))
    text = subprocess.run(["gunzip"], input=stream, capture_output=True, check=True).stdout
    assert StepRunResult.model_validate_json(text) == _document()
    assert text == gzip.decompress(stream)


@pytest.mark.parametrize("position", [0, 30, 60, 120, 700, -1])
def test_a_changed_byte_is_noticed(position: int) -> None:
    stream = bytearray(storage.to_chunks(_document())[0])
    stream[position] ^= 0x11
    with pytest.raises(storage.DamagedReportError, match="delete its ConfigMaps"):
        storage.from_chunks([bytes(stream)])


def test_every_missing_or_swapped_chunk_is_noticed() -> None:
    chunks = storage.to_chunks(_document(), max_bytes=300)
    missing = [chunks[:i] + chunks[i + 1 :] for i in range(len(chunks))]
    swapped = [
        [chunks[b] if i == a else chunks[a] if i == b else chunk for i, chunk in enumerate(chunks)]
        for a, b in itertools.combinations(range(len(chunks)), 2)
    ]
    for damaged in [[], *missing, *swapped]:
        with pytest.raises(storage.DamagedReportError):
            storage.from_chunks(damaged)


def test_a_chunk_of_another_document_is_noticed() -> None:
    mine = storage.to_chunks(_document(), max_bytes=300)
    other = storage.to_chunks(_document().model_copy(update={"repeat": 2}), max_bytes=300)
    assert len(mine) == len(other)
    with pytest.raises(storage.DamagedReportError):
        storage.from_chunks([*mine[:-1], other[-1]])
