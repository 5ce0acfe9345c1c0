"""Documents that steps add where the dataset is of files: what is taken of them, and its bounds."""

import json
from collections.abc import Iterable
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.load.engine.target import load_target
from solrbench.load.errors import LoadError
from solrbench.load.schedule.messages import step_assignment
from solrbench.load.workload import dataset_sample
from solrbench.load.workload.dataset_sample import read_sample
from support.load.builders import plan_of, sent_json

FILES = {"configMap": {"name": "books", "keys": ["a.jsonl", "b.csv"]}, "idField": "isbn"}


def dataset(**changes: Any) -> Dataset:
    return Dataset.model_validate(FILES | changes)


def read(tails: Iterable[bytes]) -> list[dict[str, Any]]:
    return [json.loads(b'{"isbn":"x"' + each) for each in tails]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [{"isbn": 1, "title_t": "one", "author": {"name_s": "A"}, "old_s": None}, {"isbn": 2}]
    text = "".join(f"{json.dumps(each)}\n" for each in lines).encode()
    (tmp_path / "a.jsonl").write_bytes(text)
    (tmp_path / "b.csv").write_bytes(b"title_t\nthree\x00\n")
    return tmp_path


def test_documents_are_those_that_index_pods_would_send_without_their_ids(folder: Path) -> None:
    cleaned = dataset(cleaning={"controlCharacters": "Remove"})
    assert read(read_sample(cleaned, folder)) == [
        {"isbn": "x", "title_t": "one", "author.name_s": "A"},
        {"isbn": "x"},
        {"isbn": "x", "title_t": "three"},
    ]


def test_no_more_is_kept_than_fits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(read_sample(dataset(firstDocuments=2), folder)) == 2
    monkeypatch.setattr(dataset_sample, "MAX_BYTES", 10)
    assert len(read_sample(dataset(), folder)) == 1
    monkeypatch.setattr(dataset_sample, "MAX_BYTES", 1000)
    monkeypatch.setattr(dataset_sample, "MAX_TEXTS", 2)
    assert len(read_sample(dataset(), folder)) == 2


def test_a_volume_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"^NoDocuments: spec\.dataset: a\.jsonl does not exist"):
        read_sample(dataset(), tmp_path)


def test_steps_add_documents_of_files_with_ids_of_their_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset_sample, "read_sample", partial(read_sample, folder=folder))
    step = {"name": "add", "users": 4, "requests": 40, "indexing": {"batchSize": 3}}
    plan = plan_of(
        {"queries": {"configMap": {"name": "queries"}}},
        dataset=FILES | {"firstDocuments": 2},
        idField="isbn",
        stepRuns=[{"id": "r1-s0-add", "repeat": 1, "step": step}],
    )
    (folder / "queries.txt").write_text("q\n")
    duty = step_assignment(plan, plan.step_runs[0])
    requests = load_target(plan, folder).of(duty).requests
    bodies = map(sent_json, islice(requests.open_stream(duty).requests, 20))
    sent = list(chain.from_iterable(bodies))
    ids = [f"{duty.document_prefix}{number:012d}" for number in range(60)]
    assert [each.pop("isbn") for each in sent] == ids
    first = {"title_t": "one", "author.name_s": "A"}
    assert all(each in (first, {}) for each in sent)
    assert first in sent
    assert {} in sent
