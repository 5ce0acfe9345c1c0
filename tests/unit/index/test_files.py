import io
from dataclasses import replace
from pathlib import Path

import pytest

from solrbench.api.v1alpha1.dataset import Format
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.sources.files import (
    DataFile,
    distinct_names,
    format_of,
    mounted_files,
    unpacked,
)
from solrbench.reasons.indexing import IndexingReason
from unit.dataset.fake_servers import packed


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
    with pytest.raises(IndexingError) as caught:
        read(folder, path)
    assert caught.value.reason is IndexingReason.DATASET_NOT_FOUND
    assert caught.value.permanent
    assert path in str(caught.value)


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
    with pytest.raises(IndexingError, match=r"set spec\.dataset\.format") as caught:
        format_of(file(name), Format.AUTO)
    assert caught.value.reason is IndexingReason.UNKNOWN_FORMAT


def test_names_for_ids_are_distinct_and_hold_no_separator() -> None:
    files = [file("a.json"), file("b!.json"), file("a.json")]
    assert distinct_names(files) == ["1-a.json", "b_.json", "3-a.json"]


@pytest.mark.parametrize("data", [b"", b"x", b"plain text"])
def test_gzip_is_detected_by_its_first_bytes(data: bytes) -> None:
    any_file = file("a.json")
    assert unpacked(io.BufferedReader(io.BytesIO(packed(data))), any_file).read() == data
    assert unpacked(io.BufferedReader(io.BytesIO(data)), any_file).read() == data


def test_a_file_that_unpacks_to_too_much_is_refused() -> None:
    bomb = replace(file("a.json"), max_bytes=1 << 20)
    fits = unpacked(io.BufferedReader(io.BytesIO(packed(bytes(1 << 20)))), bomb)
    assert len(fits.read()) == 1 << 20
    stream = unpacked(io.BufferedReader(io.BytesIO(packed(bytes(4 << 20)))), bomb)
    with pytest.raises(IndexingError, match=r"more than .* GiB when decompressed") as caught:
        stream.read()
    assert caught.value.reason is IndexingReason.DATASET_TOO_LARGE
