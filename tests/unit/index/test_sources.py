import gc
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.dataset.errors import IndexingError
from solrbench.dataset.retries import RetryPolicy
from solrbench.dataset.sources.documents import ReadContext, read_documents
from solrbench.dataset.sources.download_rules import DownloadRules
from solrbench.dataset.sources.partition import Partition
from solrbench.reasons.indexing import IndexingReason
from unit.dataset.fake_servers import file_server, packed

WHOLE = Partition(0, 1, 10)
ON_LOOPBACK = DownloadRules(address_rule=lambda *_: None)


def dataset(*paths: str, **more: Any) -> Dataset:
    claim = {"claimName": "data", "paths": paths}
    return Dataset.model_validate({"persistentVolumeClaim": claim, **more})


def read(wanted: Dataset, folder: Path, part: Partition = WHOLE) -> list[dict[str, Any]]:
    around = ReadContext(folder, RetryPolicy(5, 0.001, 0.001, 0.0), ON_LOOPBACK)
    return list(read_documents(wanted, part, around))


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
        ("a.jsonl", b'{"a":1}\n{"a":\n', IndexingReason.MALFORMED_DOCUMENT, "a.jsonl: line 2"),
        ("a.json", b'[{"a":1},{"a" 2}]', IndexingReason.MALFORMED_DOCUMENT, "a.json: record 2"),
        ("a.json.gz", packed(b'[{"a":1}]')[:-6], IndexingReason.MALFORMED_DOCUMENT, "damaged gzip"),
        ("a.csv.gz", packed(b"a\n1\n")[:-6], IndexingReason.MALFORMED_DOCUMENT, "damaged gzip"),
        (
            "a.csv.gz",
            packed(b"a\n")[:10] + b"\xff" * 9,
            IndexingReason.MALFORMED_DOCUMENT,
            "damaged",
        ),
        ("a.jsonl", b"\n", IndexingReason.EMPTY_DATASET, "there is no document in a.jsonl"),
        (
            "a.tsv",
            b"a\t",
            IndexingReason.UNKNOWN_FORMAT,
            "a.tsv: the file extension belongs to no known format",
        ),
    ],
)
def test_says_what_is_wrong_with_a_file(
    tmp_path: Path, name: str, data: bytes, reason: IndexingReason, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(IndexingError, match=message) as caught:
        read(dataset(name), tmp_path)
    assert caught.value.reason is reason
    assert caught.value.permanent


def test_config_map_keys_are_files(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"id":"1"}]')
    wanted = Dataset.model_validate({"configMap": {"name": "m", "keys": ["a.json"]}})
    assert read(wanted, tmp_path) == [{"id": "1"}]


def test_urls_are_read_like_files(tmp_path: Path) -> None:
    files = {"/x/a.jsonl.gz": packed(b'{"t":"x"}\n'), "/b.json": b'[{"t":"y"}]'}
    with file_server(files, []) as url:
        urls = [f"{url}/x/a.jsonl.gz?token=secret", f"{url}/b.json"]
        found = read(Dataset.model_validate({"http": {"urls": urls}}), tmp_path)
    assert [each["id"] for each in found] == ["a.jsonl.gz-1", "b.json-1"]


def test_an_empty_file_among_others_is_no_failure(tmp_path: Path) -> None:
    with file_server({"/a.jsonl": b"", "/b.jsonl": b'{"t":"x"}\n', "/c.jsonl": b""}, []) as url:
        urls = [f"{url}/{name}.jsonl" for name in "abc"]
        wanted = Dataset.model_validate({"http": {"urls": urls}})
        parts = [Partition(pod, 2, 10) for pod in range(2)]
        assert [len(read(wanted, tmp_path, part)) for part in parts] == [0, 1]
        empty = Dataset.model_validate({"http": {"urls": urls[::2]}})
        with pytest.raises(IndexingError, match="no document in") as caught:
            read(empty, tmp_path)
    assert caught.value.reason is IndexingReason.EMPTY_DATASET


@pytest.mark.parametrize("pods", [1, 2, 3, 5, 7])
def test_each_pod_downloads_only_the_files_of_its_own(tmp_path: Path, pods: int) -> None:
    names = [f"{letter}.jsonl" for letter in "abc"]
    bodies = {f"/{name}": b'{"t":"x"}\n' * 17 for name in names}
    asked: list[list[str]] = []
    found: list[str] = []
    for pod in range(pods):
        asked.append([])
        with file_server(bodies, [], asked[pod]) as url:
            urls = [f"{url}/{name}" for name in names]
            wanted = Dataset.model_validate({"http": {"urls": urls}})
            found += [each["id"] for each in read(wanted, tmp_path, Partition(pod, pods, 3))]
    assert sorted(found) == sorted(f"{name}-{n}" for name in names for n in range(1, 18))
    assert {path for paths in asked for path in paths} == set(bodies)
    most = -(-len(names) // pods)
    assert all(len(paths) <= most for paths in asked)


def test_body_that_ends_early_may_be_whole_next_time(tmp_path: Path) -> None:
    script = [(0, "")]
    with file_server({"/a.jsonl": b'{"t":"x"}\n' * 9}, script) as url:
        wanted = Dataset.model_validate({"http": {"urls": [f"{url}/a.jsonl?token=secret"]}})
        assert len(read(wanted, tmp_path)) == 9
        script.extend([(0, "")] * 10)
        with pytest.raises(IndexingError, match="connection lost after 85 bytes") as caught:
            read(wanted, tmp_path)
    assert caught.value.reason is IndexingReason.DATASET_UNREACHABLE
    assert not caught.value.permanent
    assert "secret" not in str(caught.value)


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
    around = ReadContext(tmp_path, RetryPolicy())
    found = read_documents(dataset(name), WHOLE, around)
    assert next(found)["t"] == "x"
    del found
    gc.collect()
    assert [str(each.message) for each in recwarn] == []
