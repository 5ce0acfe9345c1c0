from datetime import UTC, datetime
from typing import Any

from solrbench.results.model.step_result import RequestResult, SlowRequest, StepRunResult
from solrbench.results.text.slow_requests import slow_lines

THEN = datetime(2025, 1, 1, tzinfo=UTC)


def slow(milliseconds: int, **fields: Any) -> SlowRequest:
    return SlowRequest(
        query=f"q={milliseconds}",
        service_time_microseconds=milliseconds * 1000,
        node="solr-0:8983",
        second=1.25,
        **fields,
    )


def document(repeat: int, *found: SlowRequest, variant: str = "") -> StepRunResult:
    result = RequestResult(
        request="query",
        requests=1,
        failures=0,
        service_time_histogram="",
        slow_requests=list(found),
    )
    return StepRunResult(
        id=f"r{repeat}",
        repeat=repeat,
        variant=variant,
        step="one",
        users=1,
        attempt=1,
        start_time=THEN,
        end_time=THEN,
        seconds=1,
        requests=[result],
        workers=[],
    )


def test_slowest_of_all_step_runs_come_first() -> None:
    first = document(1, slow(300, qtime_milliseconds=290), slow(20))
    second = document(2, slow(700, failure="Timeout"), variant="proxy")
    assert slow_lines([first, second], 2) == [
        "query: 700 ms, Timeout in one through proxy, repeat 2, 1.2 s, solr-0:8983: q=700",
        "query: 300 ms (QTime 290 ms) in one, repeat 1, 1.2 s, solr-0:8983: q=300",
    ]


def test_unknown_node_is_left_out() -> None:
    without_node = slow(300).model_copy(update={"node": None, "query": "transaction check-out"})
    assert slow_lines([document(1, without_node)], 1) == [
        "query: 300 ms in one, repeat 1, 1.2 s: transaction check-out"
    ]


def test_documents_of_old_have_no_slow_requests() -> None:
    old = document(1).model_dump(mode="json", by_alias=True)
    del old["requests"][0]["slowRequests"]
    assert slow_lines([StepRunResult.model_validate(old)], 3) == []
