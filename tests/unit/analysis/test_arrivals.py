from typing import Any

import pytest

from solrbench.analysis.arrivals import of_arrivals, open_loop_stats
from solrbench.api.v1alpha1.step_details import OpenLoopStats
from solrbench.contract.step_document import RequestResult, StepRunResult, WorkerResult
from support.results.builders import make_document, make_result, make_spec, make_variants
from support.results.samples import benchmark_samples


def worker(name: str = "w-0", **lags: int) -> WorkerResult:
    return WorkerResult(worker=name, requests=1, cpu_seconds=1.0, users=1, **lags)


WITH_LAG = worker(lag_p99_microseconds=900, lag_max_microseconds=1500)


def counted(name: str = "query", sent: int = 8, late: int = 0, dropped: int = 0) -> RequestResult:
    return make_result([1000] * sent, name, late_requests=late, dropped_requests=dropped)


def planned(repeat: int, *results: RequestResult, **fields: Any) -> StepRunResult:
    given: dict[str, Any] = {"requests_per_second": 10.0, "planned_requests": 10}
    return make_document("a", repeat, *results, **given | {"workers": [WITH_LAG]} | fields)


def arrivals(*documents: StepRunResult) -> OpenLoopStats:
    (found,) = open_loop_stats(benchmark_samples(make_spec("a"), documents))
    return found


def test_repeats_are_added_up() -> None:
    slow = worker("w-1", lag_p99_microseconds=2500, lag_max_microseconds=2600)
    found = arrivals(
        planned(1, counted(late=3, dropped=2)),
        planned(2, counted("a", 4), counted("b", 6, late=1), workers=[WITH_LAG, slow]),
    )
    assert (found.step, found.variant) == ("a", None)
    assert (found.planned_arrivals, found.sent_arrivals) == (20, 18)
    assert (found.late_arrivals, found.dropped_arrivals) == (4, 2)
    assert (found.lag_p99_milliseconds, found.lag_max_milliseconds) == (2.5, 2.6)


def test_a_transaction_is_one_arrival_whatever_it_asks() -> None:
    whole = counted("visit", 7, late=2, dropped=1).model_copy(update={"is_transaction": True})
    inside = [counted("visit.first", 7, late=2, dropped=1), counted("visit.second", 6, late=1)]
    other = counted("visitor", 2)
    results = [other, whole, *inside]
    assert of_arrivals(results) == [other, whole]
    found = arrivals(planned(1, *results))
    assert (found.planned_arrivals, found.sent_arrivals) == (10, 9)
    assert (found.late_arrivals, found.dropped_arrivals) == (2, 1)


def test_names_with_dots_are_arrivals_where_there_is_no_transaction() -> None:
    results = [counted("visit"), counted("visit.first")]
    assert of_arrivals(results) == results


def test_closed_loops_and_steps_that_are_not_stored_have_none() -> None:
    for documents in ([make_document("a", 1, counted())], []):
        assert open_loop_stats(benchmark_samples(make_spec("a"), documents)) == []


def test_variants_are_kept_apart() -> None:
    spec = make_variants(make_spec("a"), "raw", "proxy")
    documents = [
        planned(1, counted(), id=name, variant=name, planned_requests=number)
        for name, number in (("raw", 8), ("proxy", 9))
    ]
    found = open_loop_stats(benchmark_samples(spec, documents))
    assert [(each.variant, each.planned_arrivals) for each in found] == [("raw", 8), ("proxy", 9)]


@pytest.mark.parametrize(
    "workers", [[], [worker()], [worker(lag_max_microseconds=0)], [WITH_LAG, worker("w-1")]]
)
def test_lag_is_absent_if_one_worker_did_not_report_it(workers: list[WorkerResult]) -> None:
    found = arrivals(planned(1, counted(), workers=workers))
    assert (found.lag_p99_milliseconds, found.lag_max_milliseconds) == (None, None)


def test_planned_arrivals_are_absent_if_one_repeat_lacks_them() -> None:
    found = arrivals(planned(1, counted()), planned(2, counted(), planned_requests=None))
    assert (found.planned_arrivals, found.sent_arrivals) == (None, 16)
