"""The first documents of a dataset: the same whatever the pods, the first 10 among the first 20."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
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
from unit.dataset.fake_servers import file_server

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


def read(spec: dict[str, Any], folder: Path, part: Partition) -> list[str]:
    rules = DownloadRules(address_rule=lambda *_: None)
    context = ReadContext(folder, RetryPolicy(2, 0.001, 0.001, 0.0), rules)
    return [each["id"] for each in read_documents(Dataset.model_validate(spec), part, context)]


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(("first", "pods", "batch"), [(1, 1, 4), (8, 1, 4), (8, 3, 2), (25, 4, 3)])
def test_the_first_documents_are_indexed_once_by_any_number_of_pods(
    kind: str, first: int, pods: int, batch: int, tmp_path: Path
) -> None:
    with source(kind, tmp_path) as spec:
        whole = read(spec, tmp_path, Partition(0, 1, batch))
        part = spec | {"firstDocuments": first}
        found = [
            name
            for pod in range(pods)
            for name in read(part, tmp_path, Partition(pod, pods, batch))
        ]
    assert len(whole) == ALL
    assert sorted(found) == sorted(whole[:first])


@pytest.mark.parametrize("kind", SOURCES[1:])
def test_files_with_fewer_documents_are_named_by_every_pod(kind: str, tmp_path: Path) -> None:
    with source(kind, tmp_path) as spec:
        for pod in range(2):
            with pytest.raises(
                IndexingError, match=r"only 30 documents in .*, expected 31"
            ) as caught:
                read(spec | {"firstDocuments": 31}, tmp_path, Partition(pod, 2, 4))
            assert caught.value.reason is IndexingReason.DATASET_TOO_SMALL
            assert caught.value.permanent


@pytest.mark.parametrize("kind", SOURCES)
def test_exactly_as_many_documents_are_enough(kind: str, tmp_path: Path) -> None:
    with source(kind, tmp_path) as spec:
        found = read(spec | {"firstDocuments": ALL}, tmp_path, Partition(0, 1, 4))
    assert len(found) == ALL


def test_files_behind_the_last_document_are_not_read(tmp_path: Path) -> None:
    asked: list[str] = []
    with file_server({"/a.jsonl": body(FILES["a.jsonl"])}, [], asked) as url:
        spec = {"http": {"urls": [f"{url}/a.jsonl", f"{url}/missing.jsonl"]}, "firstDocuments": 7}
        assert len(read(spec, tmp_path, Partition(0, 1, 4))) == 7
    assert asked == ["/a.jsonl"]
