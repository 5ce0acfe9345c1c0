import gzip
import itertools
import random
import subprocess

import pytest

from solrbench.results import report
from solrbench.results.document import StepDocument
from unit.results.builders import make_document, make_result, make_spec


def _document() -> StepDocument:
    source = random.Random(1)
    return make_document("a", 1, make_result([source.randrange(1, 10**9) for _ in range(3000)]))


def test_a_document_comes_back_as_it_was() -> None:
    assert report.from_chunks(report.to_chunks(_document())) == _document()


def test_no_chunk_is_larger_than_asked_and_all_but_the_last_are_full() -> None:
    chunks = report.to_chunks(_document(), max_bytes=300)
    assert len(chunks) > 3
    assert {len(chunk) for chunk in chunks[:-1]} == {300}
    assert 0 < len(chunks[-1]) <= 300
    assert report.from_chunks(chunks) == _document()


def test_a_chunk_fits_into_a_config_map() -> None:
    assert report.MAX_CHUNK_BYTES * 4 / 3 < 1024 * 1024 - 16 * 1024


def test_the_same_document_gives_the_same_bytes() -> None:
    assert report.to_chunks(_document()) == report.to_chunks(_document())


def test_joined_chunks_are_a_file_that_gunzip_reads() -> None:
    stream = b"".join(report.to_chunks(_document(), max_bytes=500))
    text = subprocess.run(["gunzip"], input=stream, capture_output=True, check=True).stdout
    assert StepDocument.model_validate_json(text) == _document()
    assert text == gzip.decompress(stream)


@pytest.mark.parametrize("position", [0, 30, 60, 120, 700, -1])
def test_a_changed_byte_is_noticed(position: int) -> None:
    stream = bytearray(report.to_chunks(_document())[0])
    stream[position] ^= 0x11
    with pytest.raises(report.DamagedReportError, match="delete its ConfigMaps"):
        report.from_chunks([bytes(stream)])


def test_every_missing_or_swapped_chunk_is_noticed() -> None:
    chunks = report.to_chunks(_document(), max_bytes=300)
    missing = [chunks[:i] + chunks[i + 1 :] for i in range(len(chunks))]
    swapped = [
        [chunks[b] if i == a else chunks[a] if i == b else chunk for i, chunk in enumerate(chunks)]
        for a, b in itertools.combinations(range(len(chunks)), 2)
    ]
    for damaged in [[], *missing, *swapped]:
        with pytest.raises(report.DamagedReportError):
            report.from_chunks(damaged)


def test_a_chunk_of_another_document_is_noticed() -> None:
    mine = report.to_chunks(_document(), max_bytes=300)
    other = report.to_chunks(_document().model_copy(update={"repeat": 2}), max_bytes=300)
    assert len(mine) == len(other)
    with pytest.raises(report.DamagedReportError):
        report.from_chunks([*mine[:-1], other[-1]])


def test_the_hash_is_the_same_with_defaults_written_out() -> None:
    implicit = make_spec("a")
    explicit = make_spec("a", collection={"shards": 1, "replicas": {"nrt": 1}})
    assert report.spec_hash(implicit) == report.spec_hash(explicit)


def test_the_hash_follows_what_is_measured() -> None:
    assert report.spec_hash(make_spec("a")) != report.spec_hash(
        make_spec("a", collection={"shards": 2})
    )


@pytest.mark.parametrize(
    "change", [{"suspend": True}, {"cleanup": "Never"}, {"ttlSecondsAfterFinished": 5}]
)
def test_the_hash_leaves_out_what_may_change(change: dict[str, object]) -> None:
    assert report.spec_hash(make_spec("a")) == report.spec_hash(make_spec("a", **change))


def test_every_seed_is_recorded() -> None:
    assert report.seeds(make_spec("a")) == {
        "workload.queries.seed": 9,
        "dataset.generator.seed": 4,
    }


def test_an_environment_survives_json() -> None:
    spec = make_spec("a")
    environment = report.Environment(
        spec_hash=report.spec_hash(spec),
        seeds=report.seeds(spec),
        images={"solr": "solr:9.10.1@sha256:00"},
        nodes=[report.NodeRecord(name="one", cpu_cores=2.0, memory_bytes=2**34)],
    )
    text = environment.model_dump_json(by_alias=True)
    assert report.Environment.model_validate_json(text) == environment
