"""Which files are read, as what, and which of their documents are whose."""

import io
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.dataset import Format
from solrbench.index.errors import IndexingError
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
from support.failing import failing
from support.servers.index_servers import packed


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


def test_a_name_that_is_no_utf_8_is_shown_as_far_as_it_is(folder: Path) -> None:
    (folder / os.fsdecode(b"b\xfccher.xml")).write_bytes(b"<add/>")
    (file,) = mounted_files(folder, ["*.xml"])
    assert (file.name, file.location) == ("b\ufffdcher.xml", "b\ufffdcher.xml")
    with file.open() as opened:
        assert opened.read() == b"<add/>"


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


def test_a_folder_that_may_not_be_entered_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)  # the superuser may enter any
    message = r"^deep/\*\.json: permission denied; make file and folders readable"
    with failing(IndexingError, "DatasetUnreachable", message, permanent=True):
        mounted_files(folder, ["deep/*.json"])


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
    files = [file("a.json"), file("b!.json"), file("3-a.json")]
    assert distinct_names(files) == ["a.json", "b_.json", "3-a.json"]
    files = [file("1-a.json"), *files[:2], file("a.json")]
    assert distinct_names(files) == ["1-1-a.json", "2-a.json", "3-b_.json", "4-a.json"]
    assert len(set(distinct_names([file("a"), file("1-a"), file("a")]))) == 3


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
