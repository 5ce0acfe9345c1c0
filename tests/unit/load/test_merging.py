import random
from datetime import UTC, datetime, timedelta
from typing import Any

from solrbench.api.v1alpha1.load import Step
from solrbench.load.merging import PassRecord, merge_outcomes
from solrbench.load.outcome import RequestOutcome, WindowSums, WorkerOutcome
from solrbench.plan.load_plan import PlannedPass
from solrbench.results.document import FailureKind, RequestResult
from solrbench.results.histograms import Histogram

BEGAN = datetime(2026, 11, 1, 12, tzinfo=UTC)
PLANNED = PlannedPass(
    id="r2-s1-storm", repeat=2, step=Step(name="storm", users=8, duration_seconds=9)
)


def histogram(values: list[int]) -> str:
    made = Histogram()
    for value in values:
        made.record(value)
    return made.encode()


def part(values: list[int], name: str = "query", **fields: Any) -> RequestOutcome:
    return RequestOutcome(
        **{
            "request": name,
            "requests": len(values),
            "failures": 0,
            "failure_kinds": [],
            "ramp_requests": 0,
            "ramp_failures": 0,
            "retried_requests": 0,
            "bytes_received": 10 * len(values),
            "sum_microseconds": sum(values),
            "min_microseconds": min(values, default=None),
            "max_microseconds": max(values, default=None),
            "service_time_histogram": histogram(values),
            "windows": [],
            **fields,
        }
    )


def outcome(*parts: RequestOutcome, first: float | None = 0.0, last: float = 1.0) -> WorkerOutcome:
    return WorkerOutcome(
        key=PLANNED.id,
        users=4,
        cpu_seconds=0.5,
        first_seconds=first,
        last_seconds=None if first is None else last,
        requests=list(parts),
    )


def merged(*outcomes: WorkerOutcome) -> Any:
    named = [(f"worker-{place}", each) for place, each in enumerate(outcomes)]
    return merge_outcomes(PLANNED, named, PassRecord(3, BEGAN, 77, ("worker-9",)))


def only(*outcomes: WorkerOutcome) -> RequestResult:
    (result,) = merged(*outcomes).requests
    assert isinstance(result, RequestResult)
    return result


def test_document_of_four_workers_is_that_of_all_samples() -> None:
    rng = random.Random(5)
    samples = [[int(rng.lognormvariate(9, 1)) + 1 for _ in range(2500)] for _ in range(4)]
    result = only(*(outcome(part(values)) for values in samples))
    whole = [value for values in samples for value in values]
    assert result.service_time_histogram == histogram(whole)
    assert (result.requests, result.sum_microseconds) == (10_000, sum(whole))
    assert (result.min_microseconds, result.max_microseconds) == (min(whole), max(whole))
    assert result.bytes_received == 100_000


def test_time_runs_from_the_first_request_to_the_last_answer() -> None:
    document = merged(
        outcome(part([1]), first=0.25, last=8.0), outcome(part([1]), first=0.5, last=9.75)
    )
    assert document.seconds == 9.5
    assert document.start_time == BEGAN + timedelta(seconds=0.25)
    assert document.end_time == BEGAN + timedelta(seconds=9.75)
    assert (document.id, document.repeat, document.step) == ("r2-s1-storm", 2, "storm")
    assert (document.users, document.attempt, document.warm_up_requests) == (8, 3, 77)
    assert document.lost_workers == ["worker-9"]
    assert [(w.worker, w.users, w.requests) for w in document.workers] == [
        ("worker-0", 4, 1),
        ("worker-1", 4, 1),
    ]


def test_worker_without_requests_changes_nothing() -> None:
    idle = outcome(first=None)
    document = merged(outcome(part([5, 7]), first=1.0, last=2.0), idle)
    assert document.seconds == 1.0
    assert document.requests[0].requests == 2
    assert merged(idle).requests == []
    assert merged(idle).seconds == 0.0


def test_windows_of_the_same_second_are_added() -> None:
    one = part([1], windows=[WindowSums(0, 2, 1, 300, 200), WindowSums(2, 1, 0, 50, 50)])
    two = part([1], windows=[WindowSums(0, 1, 0, 900, 900), WindowSums(1, 4, 4, 8, 3)])
    windows = only(outcome(one), outcome(two)).windows
    assert [
        (w.second, w.requests, w.failures, w.mean_microseconds, w.max_microseconds) for w in windows
    ] == [(0, 3, 1, 400, 900), (1, 4, 4, 2, 3), (2, 1, 0, 50, 50)]


def test_kinds_are_added_and_the_most_frequent_comes_first() -> None:
    one = [FailureKind(kind="Timeout", count=3, sample="a"), FailureKind(kind="HTTP503", count=2)]
    two = [FailureKind(kind="HTTP503", count=2, sample="b"), FailureKind(kind="Reset", count=4)]
    result = only(
        outcome(part([1], failure_kinds=one, failures=5, ramp_requests=3, ramp_failures=1)),
        outcome(part([1], failure_kinds=two, failures=6, ramp_requests=4, retried_requests=2)),
    )
    assert [(k.kind, k.count) for k in result.failure_kinds] == [
        ("HTTP503", 4),
        ("Reset", 4),
        ("Timeout", 3),
    ]
    assert (result.failures, result.ramp_requests, result.ramp_failures) == (11, 7, 1)
    assert result.retried_requests == 2


def test_request_names_are_kept_apart() -> None:
    document = merged(outcome(part([1, 2], "b"), part([3], "a")), outcome(part([4], "b")))
    assert [(r.request, r.requests) for r in document.requests] == [("a", 1), ("b", 3)]
