from pathlib import Path

import gevent

from solrbench.load.master.result_store import ResultStore
from solrbench.results.model.step_result import StepRunResult
from support.load.worker_results import merged_document


def test_document_stays_until_it_is_acknowledged(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results")
    store.add(merged_document("r1-s0-a"))
    store.add(merged_document("r1-s1-b"))
    assert store.unacknowledged == ["r1-s0-a", "r1-s1-b"]
    text = store.get("r1-s0-a")
    assert text is not None
    assert StepRunResult.model_validate_json(text) == merged_document("r1-s0-a")
    assert (tmp_path / "results" / "r1-s0-a.json").read_text() == text
    assert store.acknowledge("r1-s0-a")
    assert store.unacknowledged == ["r1-s1-b"]
    assert store.get("r1-s0-a") is None
    assert not (tmp_path / "results" / "r1-s0-a.json").exists()


def test_acknowledgement_may_be_repeated_but_not_invented(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.add(merged_document("r1-s0-a"))
    assert [store.acknowledge("r1-s0-a") for _ in range(2)] == [True, True]
    assert not store.acknowledge("r1-s0-b")


def test_document_survives_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = ResultStore(tmp_path / "file" / "results")
    store.add(merged_document("r1-s0-a"))
    assert store.get("r1-s0-a") is not None
    assert store.acknowledge("r1-s0-a")


def test_waiting_for_an_empty_store_ends(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.add(merged_document("r1-s0-a"))
    waiting = gevent.spawn(store.wait_until_empty)
    assert not waiting.ready()
    gevent.spawn(store.acknowledge, "r1-s0-a")
    waiting.join(5)
    assert waiting.ready()
