"""The documents of each source, the first of them, and which pod reads which."""

import gc
import gzip
import json
import re
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import pytest

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.dataset import Dataset, Generator
from solrbench.contract.generated_documents import BLOCK, CATEGORIES, DocumentGenerator
from solrbench.index.download_rules import DownloadRules
from solrbench.index.errors import IndexingError, RetryPolicy
from solrbench.index.files import Partition
from solrbench.index.routing import composite_hash
from solrbench.index.sources import ReadContext, read_documents
from solrbench.reasons.data import IndexingReason
from support.failing import failing
from support.load.words import word
from support.servers.index_servers import file_server, packed

WHOLE = Partition(0, 1, 10)
CONTEXT = ReadContext(Path("/nowhere"), RetryPolicy(0))
ON_LOOPBACK = DownloadRules(address_rule=lambda *_: None)


def dataset(*paths: str, **more: Any) -> Dataset:
    claim = {"claimName": "data", "paths": paths}
    return Dataset.model_validate({"persistentVolumeClaim": claim, **more})


def downloaded(*urls: str) -> Dataset:
    return Dataset.model_validate({"http": {"urls": urls}})


def read(wanted: Dataset, folder: Path, part: Partition = WHOLE) -> list[dict[str, Any]]:
    around = ReadContext(folder, RetryPolicy(5, 0.001, 0.001, 0.0), ON_LOOPBACK)
    return [document for document, _ in read_documents(wanted, part, around)]


def test_document_without_its_key_field_gets_the_made_id(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_text('{"id":"1"}\n{"isbn":null,"a":"x"}\n')
    found = read(dataset("f.jsonl", idField="isbn"), tmp_path)
    assert found == [{"isbn": "f.jsonl-1", "id": "1"}, {"isbn": "f.jsonl-2", "a": "x"}]


def test_documents_without_id_are_named_by_file_and_record(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"t":"x"}\n{"id":"own"}\n\n{"t":null}\n')
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"t\ny\n"))
    found = read(dataset("a.jsonl", "b.csv.gz"), tmp_path)
    assert found == [
        {"id": "a.jsonl-1", "t": "x"},
        {"id": "own"},
        {"id": "a.jsonl-3"},
        {"id": "b.csv.gz-1", "t": "y"},
    ]


@pytest.mark.parametrize(("pods", "batch"), [(2, 3), (3, 10), (4, 1)])
def test_positions_count_over_all_files(tmp_path: Path, pods: int, batch: int) -> None:
    for name in ("a", "b", "c"):
        rows = [json.dumps({"n": number}) for number in range(17)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    wanted = dataset("?.jsonl")
    whole = read(wanted, tmp_path)
    assert len(whole) == 51
    for pod in range(pods):
        part = Partition(pod, pods, batch)
        expected = [each for position, each in enumerate(whole) if part.owns(position)]
        assert read(wanted, tmp_path, part) == expected


@pytest.mark.parametrize(
    ("name", "data", "reason", "message"),
    [
        ("a.jsonl", b'{"a":1}\n{"a":\n', "MalformedDocument", "a.jsonl: line 2"),
        ("a.json", b'[{"a":1},{"a" 2}]', "MalformedDocument", "a.json: record 2"),
        (
            "a.jsonl",
            b'{"a":1}\n' + b'{"a":' * 1000 + b"1" + b"}" * 1000,
            "MalformedDocument",
            "a.jsonl: record 2: is nested too deeply; give it fewer levels",
        ),
        ("a.json.gz", packed(b'[{"a":1}]')[:-6], "MalformedDocument", "damaged gzip"),
        ("a.csv.gz", packed(b"a\n1\n")[:-6], "MalformedDocument", "damaged gzip"),
        ("a.csv.gz", packed(b"a\n")[:10] + b"\xff" * 9, "MalformedDocument", "damaged"),
        ("a.jsonl", b"\n", "EmptyDataset", "there is no document in a.jsonl"),
        ("a.tsv", b"a\t", "UnknownFormat", "a.tsv: the file extension belongs to no known format"),
    ],
)
def test_says_what_is_wrong_with_a_file(
    tmp_path: Path, name: str, data: bytes, reason: str, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with failing(IndexingError, reason, message, permanent=True):
        read(dataset(name), tmp_path)


def test_urls_are_read_like_files(tmp_path: Path) -> None:
    files = {"/x/a.jsonl.gz": packed(b'{"t":"x"}\n'), "/b.json": b'[{"t":"y"}]'}
    with file_server(files, []) as url:
        wanted = downloaded(f"{url}/x/a.jsonl.gz?token=secret", f"{url}/b.json")
        found = read(wanted, tmp_path)
    assert [each["id"] for each in found] == ["a.jsonl.gz-1", "b.json-1"]


def test_an_empty_file_among_others_is_no_failure(tmp_path: Path) -> None:
    with file_server({"/a.jsonl": b"", "/b.jsonl": b'{"t":"x"}\n', "/c.jsonl": b""}, []) as url:
        urls = [f"{url}/{name}.jsonl" for name in "abc"]
        parts = [Partition(pod, 2, 10) for pod in range(2)]
        assert [len(read(downloaded(*urls), tmp_path, part)) for part in parts] == [0, 1]
        with failing(IndexingError, "EmptyDataset", "no document in"):
            read(downloaded(*urls[::2]), tmp_path)


@pytest.mark.parametrize("pods", [1, 2, 3, 5, 7])
def test_each_pod_downloads_only_the_files_of_its_own(tmp_path: Path, pods: int) -> None:
    names = [f"{letter}.jsonl" for letter in "abc"]
    bodies = {f"/{name}": b'{"t":"x"}\n' * 17 for name in names}
    asked: list[list[str]] = []
    found: list[str] = []
    for pod in range(pods):
        asked.append([])
        with file_server(bodies, [], asked[pod]) as url:
            wanted = downloaded(*(f"{url}/{name}" for name in names))
            found += [each["id"] for each in read(wanted, tmp_path, Partition(pod, pods, 3))]
    assert sorted(found) == sorted(f"{name}-{n}" for name in names for n in range(1, 18))
    assert {path for paths in asked for path in paths} == set(bodies)
    most = -(-len(names) // pods)
    assert all(len(paths) <= most for paths in asked)


def test_body_that_ends_early_may_be_whole_next_time(tmp_path: Path) -> None:
    script = [(0, "")]
    with file_server({"/a.jsonl": b'{"t":"x"}\n' * 9}, script) as url:
        wanted = downloaded(f"{url}/a.jsonl?token=secret")
        assert len(read(wanted, tmp_path)) == 9
        script.extend([(0, "")] * 10)
        said = "connection lost after 85 bytes"
        with failing(IndexingError, "DatasetUnreachable", said, permanent=False) as caught:
            read(wanted, tmp_path)
    assert "secret" not in str(caught.value)


SIZES = {"a.jsonl": 7, "b.jsonl": 3, "c.jsonl": 20}
FILES = {name: [{"n": n} for n in range(size)] for name, size in SIZES.items()}
ALL = 30
MOUNTED: dict[str, dict[str, Any]] = {
    "generator": {"generator": {"documents": ALL, "seed": 3}},
    "persistentVolumeClaim": {"persistentVolumeClaim": {"claimName": "c", "paths": ["*.jsonl"]}},
    "configMap": {"configMap": {"name": "m", "keys": list(FILES)}},
}
SOURCES = ["generator", "http", "persistentVolumeClaim", "configMap"]


def body(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


@contextmanager
def source(kind: str, folder: Path) -> Iterator[dict[str, Any]]:
    """Return the source of a dataset of 30 documents."""
    files = {f"/{name}": body(rows) for name, rows in FILES.items()}
    if kind == "http":
        with file_server(files, []) as url:
            yield {"http": {"urls": [f"{url}{path}" for path in files]}}
        return
    for path, text in files.items():
        (folder / path[1:]).write_bytes(text)
    yield MOUNTED[kind]


def ids(spec: dict[str, Any], folder: Path, part: Partition) -> list[str]:
    return [each["id"] for each in read(Dataset.model_validate(spec), folder, part)]


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(
    ("first", "pods", "batch"), [(1, 1, 4), (8, 1, 4), (8, 3, 2), (25, 4, 3), (ALL, 1, 4)]
)
def test_the_first_documents_are_indexed_once_by_any_number_of_pods(
    kind: str, first: int, pods: int, batch: int, tmp_path: Path
) -> None:
    parts = [Partition(pod, pods, batch) for pod in range(pods)]
    with source(kind, tmp_path) as spec:
        whole = ids(spec, tmp_path, Partition(0, 1, batch))
        begin = spec | {"firstDocuments": first}
        found = [name for part in parts for name in ids(begin, tmp_path, part)]
    assert len(whole) == ALL
    assert sorted(found) == sorted(whole[:first])


@pytest.mark.parametrize("kind", SOURCES[1:])
def test_files_with_fewer_documents_are_named_by_every_pod(kind: str, tmp_path: Path) -> None:
    said = r"only 30 documents in .*, expected 31"
    with source(kind, tmp_path) as spec:
        for pod in range(2):
            with failing(IndexingError, "DatasetTooSmall", said, permanent=True):
                ids(spec | {"firstDocuments": 31}, tmp_path, Partition(pod, 2, 4))


def test_of_many_files_without_enough_documents_some_are_named(tmp_path: Path) -> None:
    names = [f"{number}.jsonl" for number in range(7)]
    for name in names:
        (tmp_path / name).write_text('{"a":1}\n')
    words = r"in 0\.jsonl, .*4\.jsonl and 2 more files, expected 8; lower spec"
    with failing(IndexingError, "DatasetTooSmall", words, permanent=True):
        read(dataset(*names, firstDocuments=8), tmp_path)


def test_files_behind_the_last_document_are_not_read(tmp_path: Path) -> None:
    asked: list[str] = []
    with file_server({"/a.jsonl": body(FILES["a.jsonl"])}, [], asked) as url:
        spec = {"http": {"urls": [f"{url}/a.jsonl", f"{url}/missing.jsonl"]}, "firstDocuments": 7}
        assert len(ids(spec, tmp_path, Partition(0, 1, 4))) == 7
    assert asked == ["/a.jsonl"]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.jsonl", "a.json", "a.xml"])
def test_reading_may_stop_in_the_middle(
    tmp_path: Path, name: str, recwarn: pytest.WarningsRecorder
) -> None:
    data = {
        "a.csv": b"t\nx\ny\n",
        "a.csv.gz": packed(b"t\nx\ny\n"),
        "a.jsonl": b'{"t":"x"}\n{"t":"y"}\n',
        "a.json": b'[{"t":"x"},{"t":"y"}]',
        "a.xml": b"<add><doc><field name='t'>x</field></doc><doc/></add>",
    }
    (tmp_path / name).write_bytes(data[name])
    found = read_documents(dataset(name), WHOLE, ReadContext(tmp_path, RetryPolicy()))
    assert next(found)[0]["t"] == "x"
    del found
    gc.collect()
    assert [str(each.message) for each in recwarn] == []


def generated(part: Partition = WHOLE, **spec: int) -> Iterator[dict[str, Any]]:
    small = {"documents": 1000, "vocabularyTerms": 2000, "wordsPerDocument": 20}
    made = Dataset.model_validate({"generator": small | spec})
    return (document for document, _ in read_documents(made, part, CONTEXT))


def test_documents_depend_on_seed_and_position_alone() -> None:
    whole = list(generated())
    assert whole == list(generated(Partition(0, 1, 7)))
    assert whole == list(islice(generated(documents=5000), 1000))
    assert whole[:10] != list(islice(generated(seed=2), 10))


@pytest.mark.parametrize("batch", [pytest.param(1, marks=pytest.mark.slow), 33, BLOCK, 250])
def test_pods_make_each_document_once(batch: int) -> None:
    whole = {each["id"]: each for each in generated()}
    parts = [list(generated(Partition(pod, 3, batch))) for pod in range(3)]
    assert sum(len(part) for part in parts) == len(whole) == 1000
    assert {each["id"]: each for part in parts for each in part} == whole


def test_a_document_stays_the_same_between_releases() -> None:
    # stored results can only be compared when the documents of a seed stay the same
    first = next(generated(wordsPerDocument=5))
    assert first == {
        "id": "doc-000000000000",
        "title_t": "loha fe zu sogu mi fuhe",
        "text_t": "ju si fo mapo qo ju vomo ziho",  # codespell:ignore fo
        "category_s": "games",
        "tags_ss": ["tefe"],
        "published_dt": "2019-05-04T04:03:24Z",
        "price_d": 14.81,
        "popularity_i": 1,
    }


def prefixed(prefixes: int, part: Partition = WHOLE) -> list[dict[str, Any]]:
    return list(generated(part, wordsPerDocument=5, routePrefixes=prefixes))


def test_prefixes_of_ids_are_even_and_change_nothing_else() -> None:
    plain, routed = prefixed(0), prefixed(4)
    assert [each["id"].partition("!")[2] for each in routed] == [each["id"] for each in plain]
    assert [each | {"id": ""} for each in routed] == [each | {"id": ""} for each in plain]
    used = Counter(each["id"].partition("!")[0] for each in routed)
    assert used.keys() == {"p0", "p1", "p2", "p3"}
    # Five standard deviations: sqrt(1000 * 0.25 * 0.75) = 13.7.
    assert max(abs(number - 250) for number in used.values()) < 5 * 13.7
    assert routed == prefixed(4, Partition(0, 1, 17))


@pytest.mark.parametrize("shards", [2, 3, 8])
def test_documents_of_a_prefix_are_in_one_shard(shards: int) -> None:
    width = 2**32 // shards >> 16 << 16  # Solr cuts ranges at multiples of 2 ** 16
    places: dict[str, set[int]] = {}
    for each in prefixed(16):
        value = composite_hash(each["id"])
        assert value is not None
        location = min((value ^ 0x80000000) // width, shards - 1)
        places.setdefault(each["id"].partition("!")[0], set()).add(location)
    assert len(places) == 16
    assert all(len(shard) == 1 for shard in places.values())
    assert len(set.union(*places.values())) > 1


def test_text_follows_the_vocabulary_and_its_skew() -> None:
    documents = list(generated())
    words = Counter(term for each in documents for term in each["text_t"].split())
    assert words.most_common(1)[0][0] == word(0, 1)
    assert words[word(0, 1)] / words[word(9, 1)] == pytest.approx(10, rel=0.25)
    lengths = sorted(len(each["text_t"].split()) for each in documents)
    assert lengths[500] == pytest.approx(20, rel=0.1)
    assert lengths[-1] > 60


def test_fields_are_in_their_ranges() -> None:
    for each in generated():
        assert each["category_s"] in CATEGORIES
        assert 1 <= len(each["tags_ss"]) == len(set(each["tags_ss"])) <= 4
        assert "2000-01-01T00:00:00Z" <= each["published_dt"] < "2025-01-01T00:00:00Z"
        assert each["price_d"] > 0
        assert 0 <= each["popularity_i"] <= 1_000_000


@pytest.mark.slow
def test_memory_does_not_grow_with_the_documents() -> None:
    documents = generated(Partition(0, 1, 1000), documents=10_000_000_000)
    next(documents)
    tracemalloc.start()
    assert sum(1 for _ in islice(documents, 5000)) == 5000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


def test_last_position_of_a_huge_dataset_is_made_at_once() -> None:
    spec = Generator(documents=10_000_000_000)
    last = list(DocumentGenerator(spec).range(range(9_999_999_999, 10_000_000_000)))
    assert [each["id"] for each in last] == ["doc-009999999999"]


MEMBERS: dict[str, dict[str, Any]] = {
    "generator": {"documents": 1},
    "http": {"urls": ["http://127.0.0.1:9/books.json"]},
    "persistentVolumeClaim": {"claimName": "books", "paths": ["books.json"]},
    "configMap": {"name": "books", "keys": ["books.json"]},
}


class Bucket(Model):
    """A source that does not exist."""

    bucket: str


class BucketDataset(Dataset):
    """An API with one source more."""

    s3: Bucket | None = None

    rules: ClassVar = (exactly_one("generator", "s3"),)


def test_every_member_of_the_union_is_covered() -> None:
    members = set(re.findall(r"has\(self\.(\w+)\)", Dataset.rules[0].cel))
    assert members == {*MEMBERS, "backup"}  # Solr reads that one itself


@pytest.mark.parametrize("name", MEMBERS)
def test_every_member_of_the_union_has_a_source(name: str) -> None:
    dataset = Dataset.model_validate({name: MEMBERS[name]})
    reason = None
    try:
        next(read_documents(dataset, WHOLE, CONTEXT))
    except IndexingError as error:
        reason = error.reason
    assert reason is not IndexingReason.INVALID_PLAN


def test_a_member_without_a_source_ends_the_run() -> None:
    dataset = BucketDataset.model_validate({"s3": {"bucket": "books"}})
    with failing(IndexingError, "InvalidPlan", "no source that this image knows", permanent=True):
        read_documents(dataset, WHOLE, CONTEXT)
