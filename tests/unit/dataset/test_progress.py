import json
from itertools import count
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from solrbench.dataset.errors import IndexingError
from solrbench.dataset.progress import (
    LAST_WORDS_BYTES,
    ProgressCounter,
    as_json,
    as_metrics,
    termination_message,
    write_termination_message,
)
from solrbench.plan.index_plan import IndexProgress
from solrbench.results.model.telemetry import ServerFigures


def test_counts_what_was_accepted() -> None:
    times = count(100.0)
    counter = ProgressCounter(3, lambda: next(times))
    assert counter.progress == IndexProgress(pod=3)
    for size in (10, 20):
        counter.sending()
        counter.accepted(2, size)
    counter.retried()
    counter.ended()
    assert counter.progress == IndexProgress(
        pod=3, documents=4, bytes=30, started=100.0, finished=101.0, retried_batches=1
    )


def test_usage_of_the_pod_is_in_the_last_report() -> None:
    counter = ProgressCounter(0, lambda: 1.0)
    figures = {"cpu_seconds": 1.23456, "throttled_percent": 40.0, "periods": 7.0}
    counter.used(ServerFigures(server="index-0", seconds=2.0, readings=2, figures=figures))
    counter.ended()
    usage = json.loads(as_json(counter.progress))["usage"]
    assert usage == {"seconds": 2.0, "cpu_seconds": 1.235, "throttled_percent": 40.0}


def test_failure_is_reported_by_reason_and_message() -> None:
    counter = ProgressCounter(0, lambda: 1.0)
    counter.ended(IndexingError.malformed("a.json: record 3", "no JSON"))
    body = json.loads(as_json(counter.progress))
    assert body["reason"] == "MalformedDocument"
    assert body["message"] == "a.json: record 3: no JSON; correct the file"
    assert "started" not in body


@pytest.mark.parametrize("message", ["short", "é" * 5000, '"\\\n' * 3000, "😀" * 2000])
def test_long_termination_message_is_shortened_and_parses(message: str) -> None:
    whole = f"a.json: record 3: {message}; correct the file"
    progress = IndexProgress(pod=1, documents=7, reason="MalformedDocument", message=whole)
    text = termination_message(progress)
    assert len(text) <= LAST_WORDS_BYTES
    found = IndexProgress.model_validate_json(text)
    assert (found.documents, found.reason) == (7, "MalformedDocument")
    assert found.message is not None
    assert found.message.startswith("a.json: record 3: ")
    assert found.message.endswith("; correct the file")
    assert len(text) > 2000 or found.message == whole


def test_termination_message_is_written(tmp_path: Path) -> None:
    write_termination_message(IndexProgress(pod=1), tmp_path / "log")
    assert IndexProgress.model_validate_json((tmp_path / "log").read_bytes()).pod == 1


def test_missing_termination_log_is_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_termination_message(IndexProgress(pod=1), tmp_path / "none" / "log")
    assert "no termination message" in caplog.text


def test_metrics_are_prometheus_text() -> None:
    progress = IndexProgress(pod=2, documents=5, bytes=50, started=1.5, retried_batches=1)
    families = text_string_to_metric_families(as_metrics(progress, "ns/books").decode())
    samples = {sample.name: sample for family in families for sample in family.samples}
    assert {name: sample.value for name, sample in samples.items()} == {
        "solrbench_index_documents_total": 5,
        "solrbench_index_bytes_total": 50,
        "solrbench_index_retried_batches_total": 1,
        "solrbench_index_started_timestamp_seconds": 1.5,
    }
    labels = samples["solrbench_index_bytes_total"].labels
    assert labels == {"benchmark": "ns/books", "pod": "2"}
