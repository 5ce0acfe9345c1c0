"""What four workers counted, merged, is what one would have counted."""

import random
from datetime import timedelta
from typing import Any

from solrbench.api.v1alpha1.load import Step
from solrbench.contract.second_series import SecondSums
from solrbench.contract.server_document import ServerFigures, Telemetry
from solrbench.contract.step_document import FailureKind, RequestResult
from solrbench.contract.windows import CacheSample, EndedEarly, RequestWindow
from solrbench.load.master.merge import add_load_pods, merge_worker_results
from solrbench.load.master.step_run import StepRunMetadata, WarmUpResult
from solrbench.load.recording.recorder import ConnectionCounts
from solrbench.load.recording.response_gaps import NodeActivity, NodeCounts
from solrbench.load.recording.worker_result import MicroBatch, WorkerStepResult
from solrbench.load.workload.response_checks import EMPTY_RESULT, request_failure
from solrbench.stats.histograms import decode
from solrbench.stats.time_blocks import TimeBlocks
from support.load.worker_results import BEGAN, PLANNED, histogram, merged, outcome, part
from support.narrowing import not_none

REPLAY = Step.model_validate({"name": "log", "durationSeconds": 60, "replay": {}})


def worker(*times: int) -> WorkerStepResult:
    """Return a worker that sent to node a by these times, and one request each to a and b."""
    a, b = NodeCounts(NodeActivity("a:1")), NodeCounts(NodeActivity("b:2"))
    connections = ConnectionCounts()
    for each in times:
        a.record(each, None)
        connections.record(each // 10)
    a.record(7, request_failure("Timeout", "late"))
    b.record(9, EMPTY_RESULT)
    b.record_dropped(5000)
    nodes = [a.result(), b.result()]
    return outcome(part([5]), nodes=nodes, connections=connections.result())


def test_nodes_are_added_over_workers_in_their_order() -> None:
    first, second = merged(worker(100, 300), worker(200)).nodes
    assert (first.node, first.requests, first.failures, first.unsent_requests) == ("a:1", 5, 2, 0)
    assert (first.response_sum_microseconds, first.response_max_microseconds) == (614, 300)
    assert (second.node, second.requests, second.failures) == ("b:2", 2, 0)
    assert second.unsent_requests == 2
    assert decode(second.response_time_histogram).count == 4


def test_connections_are_added_unless_a_worker_did_not_count_them() -> None:
    found = merged(worker(100, 300), worker(200), worker()).connections
    assert (found.opened, found.open_sum_microseconds, found.open_max_microseconds) == (3, 60, 30)
    assert decode(found.open_time_histogram).count == 3
    assert merged(worker(1), outcome(part([5]))).connections is None


def only(*results: WorkerStepResult) -> RequestResult:
    (result,) = merged(*results).requests
    assert isinstance(result, RequestResult)
    return result


def merged_as(step: dict[str, float], *results: WorkerStepResult) -> Any:
    """Return the document of another step than that of `PLANNED`."""
    return merged(*results, step=Step(name="storm", **step))


def test_document_has_list_offsets() -> None:
    record = StepRunMetadata(1, BEGAN, list_offsets=(7, 0), queries_may_repeat=True)
    document = merge_worker_results(PLANNED, [("worker-0", outcome(part([5])))], record)
    assert (document.list_offsets, document.queries_may_repeat) == ([7, 0], True)


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
    workers = [(each.worker, each.users, each.requests) for each in document.workers]
    assert workers == [("worker-0", 4, 1), ("worker-1", 4, 1)]


def test_worker_without_requests_changes_nothing() -> None:
    idle = outcome(first=None)
    document = merged(outcome(part([5, 7]), first=1.0, last=2.0), idle)
    assert (document.seconds, document.requests[0].requests) == (1.0, 2)
    assert (merged(idle).requests, merged(idle).seconds) == ([], 0.0)


def test_counts_that_one_worker_lacks_are_absent() -> None:
    known = part([1], partial_results=2, empty_results=3)
    both = only(outcome(known), outcome(known))
    assert (both.partial_results, both.empty_results) == (4, 6)
    lacking = only(outcome(known), outcome(part([1], partial_results=None, empty_results=1)))
    assert (lacking.partial_results, lacking.empty_results) == (None, 4)
    unseen = part([1], "xml", partial_results=None, empty_results=None)
    named = {each.request: each for each in merged(outcome(known, unseen)).requests}
    assert (named["xml"].empty_results, named["query"].empty_results) == (None, 3)


def test_windows_of_the_same_second_are_added() -> None:
    one = part([1], windows=[SecondSums(0, 2, 1, 300, 200), SecondSums(2, 1, 0, 50, 50)])
    two = part([1], windows=[SecondSums(0, 1, 0, 900, 900), SecondSums(1, 4, 4, 8, 3)])
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
    found = [(each.kind, each.count) for each in result.failure_kinds]
    assert found == [("HTTP503", 4), ("Reset", 4), ("Timeout", 3)]
    assert (result.failures, result.ramp_requests, result.ramp_failures) == (11, 7, 1)
    assert result.retried_requests == 2


def test_request_names_are_kept_apart() -> None:
    document = merged(outcome(part([1, 2], "b"), part([3], "a")), outcome(part([4], "b")))
    assert [(r.request, r.requests) for r in document.requests] == [("a", 1), ("b", 3)]


def test_response_times_lags_and_plans_are_added() -> None:
    responses = [[5, 900], [7, 70_000]]
    results = [
        outcome(
            part(
                values[:1],
                response_time_histogram=histogram(values),
                response_sum_microseconds=sum(values),
                response_max_microseconds=max(values),
                dropped_requests=1,
                ramp_dropped_requests=2,
                late_requests=3,
            )
        ).model_copy(update={"planned_requests": 2, "lag_p99_microseconds": values[0]})
        for values in responses
    ]
    document = merged_as({"requests_per_second": 2.5, "duration_seconds": 9}, *results)
    (result,) = document.requests
    assert result.response_time_histogram == histogram([5, 7, 900, 70_000])
    assert (result.response_sum_microseconds, result.response_max_microseconds) == (70_912, 70_000)
    assert (result.requests, result.dropped_requests, result.late_requests) == (2, 2, 6)
    assert result.ramp_dropped_requests == 4
    assert document.users is None
    assert (document.requests_per_second, document.planned_requests) == (2.5, 4)
    assert [worker.lag_p99_microseconds for worker in document.workers] == [5, 7]


def test_closed_loop_has_no_response_times_and_no_plan() -> None:
    document = merged(outcome(part([5])))
    assert document.requests[0].response_time_histogram is None
    assert (document.requests_per_second, document.planned_requests) == (None, None)


def test_document_has_windows_steadiness_and_outliers() -> None:
    slow = [SecondSums(second, 50, 0, 50 * 9000, 20_000) for second in range(4)]
    usual = [SecondSums(second, 50, 0, 50 * 1000, 3000) for second in range(4, 40)]
    stalled = [SecondSums(40, 2, 0, 2 * 800_000, 900_000)]
    rest = [SecondSums(second, 50, 0, 50 * 1000, 3000) for second in range(41, 60)]
    micro_batches = [MicroBatch(500_000 * index, 50, 1, 50_000, 3000) for index in range(1, 61)]
    requests = part([5], requests=3000, windows=slow + usual + stalled + rest)
    document = merged(outcome(requests, last=60.0, micro_batches=micro_batches))
    assert document.steady_from_second == 4
    assert [each.second for each in document.outliers] == [0, 1, 2, 3, 40]
    assert document.outlier_windows == 5
    assert document.outliers[-1].time == BEGAN + timedelta(seconds=40)
    assert [(each.requests, each.seconds) for each in document.thousands] == [(1000, 10.0)] * 3
    assert [each.failures for each in document.thousands] == [20] * 3


def test_document_keeps_the_warm_up_apart() -> None:
    times = {"end_seconds": 1.5, "seconds": 1.5, "mean_microseconds": 9, "max_microseconds": 9}
    thousand = RequestWindow.model_validate({"requests": 77, "failures": 0} | times)
    sample = CacheSample(second=0.1, cache="filterCache", lookups=3, hits=1)
    warmed = WarmUpResult(77, False, [thousand], [sample])
    record = StepRunMetadata(3, BEGAN, warmed, [sample, sample])
    document = merge_worker_results(PLANNED, [("w", outcome(part([5])))], record)
    assert (document.warm_up_requests, document.warm_up_steady) == (77, False)
    assert document.warm_up_thousands == [thousand]
    assert (document.warm_up_caches, document.caches) == ([sample], [sample, sample])
    assert document.thousands == []


def test_blocks_of_workers_are_added_by_time() -> None:
    early, late = TimeBlocks(), TimeBlocks()
    early.add(3, {50: 2}, 100)
    late.add(130, {50: 1}, 50)
    result = only(
        outcome(part([50, 50], service_time_blocks=early.encode())),
        outcome(part([50], service_time_blocks=late.encode())),
    )
    merged_blocks = TimeBlocks.decode(result.service_time_blocks)
    assert (merged_blocks.seconds, merged_blocks.sums[0], merged_blocks.sums[32]) == (4, 100, 50)
    assert result.response_time_blocks == ""


def windows(*numbers: tuple[int, int]) -> list[SecondSums]:
    return [SecondSums(second, requests, 0, 100 * requests, 100) for second, requests in numbers]


def test_what_ended_after_the_time_of_sending_is_the_drain() -> None:
    one = part([1], requests=12, windows=windows((0, 4), (8, 5), (9, 2), (31, 1)))
    two = part([1], requests=6, windows=windows((0, 5), (9, 1)))
    document = merged(
        outcome(one, last=31.5, sending_seconds=9), outcome(two, last=9.25, sending_seconds=9)
    )
    (result,) = document.requests
    assert (result.requests, result.drain_requests) == (18, 4)
    assert (document.duration_seconds, document.drain_seconds) == (9, 22.5)
    assert document.rated(result) / document.rate_seconds == 14 / 9
    # The drain has no seconds that anything could be read from.
    assert [(each.second, each.requests) for each in result.windows] == [(0, 9), (8, 5)]


def test_counted_step_has_a_drain_and_the_rate_of_all_its_time() -> None:
    sent = part([1], requests=30, windows=windows((0, 20), (1, 5), (2, 4), (6, 1)))
    worker = outcome(sent, last=6.5, sending_seconds=1.5)
    document = merged_as({"users": 8, "requests": 30}, worker)
    (result,) = document.requests
    assert (document.duration_seconds, document.drain_seconds) == (None, 5.0)
    assert result.drain_requests == 5
    assert (document.rated(result), document.rate_seconds) == (30, 6.5)
    assert [each.second for each in result.windows] == [0, 1]


def test_counted_arrivals_have_the_rate_of_their_schedule() -> None:
    sent = part([1], requests=30, windows=windows((0, 20), (1, 9), (6, 1)))
    worker = outcome(sent, last=6.5, sending_seconds=1.5, planned_seconds=1.5)
    document = merged_as({"requests_per_second": 20, "requests": 30}, worker)
    (result,) = document.requests
    assert (document.duration_seconds, document.drain_seconds) == (1.5, 5.0)
    assert (document.rated(result), document.rate_seconds) == (29, 1.5)


def test_log_has_the_rate_of_the_time_in_which_it_was_replayed() -> None:
    planned = PLANNED.model_copy(update={"step": REPLAY})
    workers = [("worker-0", outcome(part([1]), planned_requests=60, sending_seconds=60))]
    for ended, rate in ((None, 1), (EndedEarly(second=20.0, last_good_second=5, failures=9), 3)):
        record = StepRunMetadata(1, BEGAN, ended_early=ended)
        assert merge_worker_results(planned, workers, record).requests_per_second == rate


def test_step_whose_queries_ended_has_the_rate_of_all_its_time() -> None:
    sent = part([1], windows=windows((0, 1)))
    document = merged(outcome(sent, sending_seconds=0.5, queries_exhausted=True))
    assert (document.duration_seconds, document.rate_seconds) == (None, 1.0)


def test_drain_is_unknown_if_a_worker_does_not_report_its_end() -> None:
    known = outcome(part([1], windows=windows((0, 1))), sending_seconds=9)
    document = merged(known, outcome(part([1], windows=windows((12, 1)))))
    (result,) = document.requests
    assert (document.drain_seconds, result.drain_requests) == (None, None)
    assert [each.second for each in result.windows] == [0, 12]


def test_workers_have_percentiles_of_their_own() -> None:
    usual, slow = [1000] * 100, [1000] * 80 + [9000] * 20
    document = merged(
        outcome(part(usual), part([1] * 9, "whole", is_transaction=True)), outcome(part(slow))
    )
    found = [
        [(each.percent, round(each.microseconds, -3), each.beyond) for each in worker.percentiles]
        for worker in document.workers
    ]
    assert found == [
        [(50, 1000, 0), (95, 1000, 0), (99, 1000, 0)],
        [(50, 1000, 20), (95, 9000, 0), (99, 9000, 0)],
    ]
    assert merged(outcome(part(usual))).workers[0].percentiles == []


def test_response_times_without_lag_are_those_of_all_workers() -> None:
    delayed: dict[str, Any] = {
        "response_time_histogram": histogram([1000, 90_000]),
        "response_time_without_lag_histogram": histogram([1000, 2000]),
    }
    calm: dict[str, Any] = {"response_time_histogram": histogram([3000])}
    both = only(outcome(part([900] * 2, **delayed)), outcome(part([900], **calm)))
    assert both.response_time_without_lag_histogram == histogram([1000, 2000, 3000])
    assert only(outcome(part([900], **calm))).response_time_without_lag_histogram is None


def pod(name: str, component: str, cpu_seconds: float) -> ServerFigures:
    figures = {"cpu_seconds": cpu_seconds, "throttled_percent": cpu_seconds}
    return ServerFigures(server=name, component=component, seconds=2.0, readings=2, figures=figures)


def test_workers_stand_beside_the_pods_that_the_master_read() -> None:
    read = Telemetry(pods=[pod("solr-0", "solr", 9.0), pod("master", "load-master", 1.0)])
    found = not_none(add_load_pods(read, [pod("worker-0", "load-worker", 3.0), None]))
    assert [each.server for each in found.pods] == ["solr-0", "master", "worker-0"]
    spreads = {each.figure: each for each in found.spreads["load-pods"]}
    assert spreads["cpu_seconds"].total == 2.0  # per second, without Solr
    assert spreads["throttled_percent"].highest_server == "worker-0"


def test_without_telemetry_or_pods_nothing_is_added() -> None:
    assert add_load_pods(None, [pod("worker-0", "load-worker", 3.0)]) is None
    read = Telemetry()
    assert add_load_pods(read, [None]) is read
