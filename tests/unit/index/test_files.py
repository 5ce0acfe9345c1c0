"""The first documents of a dataset: the same whatever the pods, the first 10 among the first 20."""

import io
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.dataset import Dataset, Format
from solrbench.index.download_rules import DownloadRules
from solrbench.index.errors import IndexingError, RetryPolicy
from solrbench.index.files import (
    CountingReader,
    DataFile,
    Partition,
    distinct_names,
    flattened,
    format_of,
    mounted_files,
    unpacked,
)
from solrbench.index.sources import ReadContext, read_documents
from support.failing import failing
from support.servers.index_servers import file_server, packed


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"id": "1", "a": "x"}, {"id": "1", "a": "x"}),
        ({"id": "1", "a": None}, {"id": "1"}),
        ({"a": "x"}, {"a": "x"}),
        ({"id": None, "a": "x"}, {"a": "x"}),
        ({"id": "1", "a": [None, "x"]}, {"id": "1", "a": ["x"]}),
        ({"id": "1", "a": []}, {"id": "1"}),
        ({"id": "1", "a": {"b": 1, "c": {"d": 2}}}, {"id": "1", "a.b": 1, "a.c.d": 2}),
        ({"id": "1", "a": [{"b": 1}, {"b": [2, 3]}]}, {"id": "1", "a.b": [1, 2, 3]}),
        ({"id": "1", "a": [["x"], ["y", None]]}, {"id": "1", "a": ["x", "y"]}),
        ({"id": "1", "a.b": 1, "a": {"b": 2}}, {"id": "1", "a.b": [1, 2]}),
    ],
)
def test_documents_become_flat(document: dict[str, Any], expected: dict[str, Any]) -> None:
    assert flattened(document) == expected


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.json", "a.json", "a.csv", ".hidden.json", "x[1].json", "deep/c.json"):
        file = tmp_path / "volume" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (tmp_path / "secret.json").write_text("secret")
    (tmp_path / "volume" / "link.json").symlink_to("a.json")
    (tmp_path / "volume" / "leak").symlink_to(tmp_path / "secret.json")
    return tmp_path / "volume"


def file(name: str) -> DataFile:
    return DataFile(name, name, lambda: io.BufferedReader(io.BytesIO(b"")))


def read(folder: Path, path: str) -> bytes:
    with mounted_files(folder, [path])[0].open() as stream:
        return stream.read()


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["b.json", "a.json"], ["b.json", "a.json"]),
        (["b.json", "?.json"], ["b.json", "a.json"]),
        (["*.json"], ["a.json", "b.json", "link.json", "x[1].json"]),
        (["*/*.json", "**/c.json"], ["deep/c.json"]),
        (["x[1].*"], ["x[1].json"]),
    ],
)
def test_finds_files_in_order_and_once(folder: Path, paths: list[str], expected: list[str]) -> None:
    assert [each.location for each in mounted_files(folder, paths)] == expected


def test_reads_through_links_inside_the_volume(folder: Path) -> None:
    assert read(folder, "link.json") == b"a.json"
    assert mounted_files(folder, ["deep/c.json"])[0].name == "c.json"


@pytest.mark.parametrize(
    "path", ["../secret.json", "deep/../../secret.json", "/etc/passwd", "leak"]
)
def test_nothing_outside_the_volume_is_read(folder: Path, path: str) -> None:
    with pytest.raises(IndexingError, match="leads out of the volume"):
        read(folder, path)


@pytest.mark.parametrize("path", ["none.json", "*.xml", "deep", "a.json/x"])
def test_missing_files_are_reported(folder: Path, path: str) -> None:
    with failing(IndexingError, "DatasetNotFound", re.escape(path), permanent=True):
        read(folder, path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.json", Format.JSON),
        ("a.JSONL", Format.JSONL),
        ("a.ndjson.gz", Format.JSONL),
        ("a.b.csv.GZ", Format.CSV),
        ("a.xml", Format.XML),
    ],
)
def test_file_extension_sets_the_format(name: str, expected: Format) -> None:
    assert format_of(file(name), Format.AUTO) is expected
    assert format_of(file(name), Format.CSV) is Format.CSV


@pytest.mark.parametrize("name", ["a.txt", "json", "a.gz", ".gz"])
def test_other_endings_are_refused(name: str) -> None:
    with failing(IndexingError, "UnknownFormat", r"set spec\.dataset\.format"):
        format_of(file(name), Format.AUTO)


def test_names_for_ids_are_distinct_and_hold_no_separator() -> None:
    files = [file("a.json"), file("b!.json"), file("a.json")]
    assert distinct_names(files) == ["1-a.json", "b_.json", "3-a.json"]


@pytest.mark.parametrize("data", [b"", b"x", b"plain text"])
def test_gzip_is_detected_by_its_first_bytes(data: bytes) -> None:
    for stored in (packed(data), data):
        assert unpacked(io.BufferedReader(io.BytesIO(stored))).read() == data


def test_a_file_that_unpacks_to_too_much_is_refused() -> None:
    bomb = replace(file("a.json"), max_bytes=1 << 20)

    def unpack(size: int) -> bytes:
        stream = unpacked(io.BufferedReader(io.BytesIO(packed(bytes(size)))))
        return io.BufferedReader(CountingReader(stream, bomb)).read()

    assert len(unpack(1 << 20)) == 1 << 20
    with failing(IndexingError, "DatasetTooLarge", r"more than .* GiB when decompressed"):
        unpack(4 << 20)


@pytest.mark.parametrize(
    ("pods", "batch", "total"), [(1, 10, 25), (2, 10, 95), (3, 7, 50), (5, 9, 4)]
)
def test_each_position_is_in_the_ranges_of_one_pod(pods: int, batch: int, total: int) -> None:
    parts = [Partition(pod, pods, batch) for pod in range(pods)]
    owners = [[part.pod for part in parts if part.owns(position)] for position in range(total)]
    assert owners == [[position // batch % pods] for position in range(total)]
    ranges = [[each for piece in part.ranges(total) for each in piece] for part in parts]
    assert ranges == [[each for each in range(total) if part.owns(each)] for part in parts]


@pytest.mark.parametrize(("pods", "files"), [(1, 3), (2, 5), (3, 3), (5, 2), (7, 3)])
def test_each_document_of_each_file_belongs_to_one_pod(pods: int, files: int) -> None:
    owners: dict[tuple[int, int], list[int]] = {}
    for pod in range(pods):
        own, part = Partition(pod, pods, 4).of_files(files)
        assert len(own) <= -(-files // pods)
        for file in own:
            for position in filter(part.owns, range(50)):
                owners.setdefault((file, position), []).append(pod)
    if files >= pods:  # positions go on over the files of a pod, and all are its own
        assert {file for file, _ in owners} == set(range(files))
    assert len(owners) == 50 * files
    assert all(len(each) == 1 for each in owners.values())


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
    with ExitStack() as stack:
        if kind == "http":
            url = stack.enter_context(
                file_server({f"/{name}": body(rows) for name, rows in FILES.items()}, [])
            )
            yield {"http": {"urls": [f"{url}/{name}" for name in FILES]}}
            return
        for name, rows in FILES.items():
            (folder / name).write_bytes(body(rows))
        yield MOUNTED[kind]


def read_first(spec: dict[str, Any], folder: Path, part: Partition) -> list[str]:
    rules = DownloadRules(address_rule=lambda *_: None)
    context = ReadContext(folder, RetryPolicy(2, 0.001, 0.001, 0.0), rules)
    records = read_documents(Dataset.model_validate(spec), part, context)
    return [document["id"] for document, _ in records]


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(
    ("first", "pods", "batch"), [(1, 1, 4), (8, 1, 4), (8, 3, 2), (25, 4, 3), (ALL, 1, 4)]
)
def test_the_first_documents_are_indexed_once_by_any_number_of_pods(
    kind: str, first: int, pods: int, batch: int, tmp_path: Path
) -> None:
    with source(kind, tmp_path) as spec:
        whole = read_first(spec, tmp_path, Partition(0, 1, batch))
        part = spec | {"firstDocuments": first}
        found = [
            name
            for pod in range(pods)
            for name in read_first(part, tmp_path, Partition(pod, pods, batch))
        ]
    assert len(whole) == ALL
    assert sorted(found) == sorted(whole[:first])


@pytest.mark.parametrize("kind", SOURCES[1:])
def test_files_with_fewer_documents_are_named_by_every_pod(kind: str, tmp_path: Path) -> None:
    with source(kind, tmp_path) as spec:
        for pod in range(2):
            with failing(
                IndexingError,
                "DatasetTooSmall",
                r"only 30 documents in .*, expected 31",
                permanent=True,
            ):
                read_first(spec | {"firstDocuments": 31}, tmp_path, Partition(pod, 2, 4))


def test_files_behind_the_last_document_are_not_read(tmp_path: Path) -> None:
    asked: list[str] = []
    with file_server({"/a.jsonl": body(FILES["a.jsonl"])}, [], asked) as url:
        spec = {"http": {"urls": [f"{url}/a.jsonl", f"{url}/missing.jsonl"]}, "firstDocuments": 7}
        assert len(read_first(spec, tmp_path, Partition(0, 1, 4))) == 7
    assert asked == ["/a.jsonl"]
