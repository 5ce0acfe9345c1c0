from solrbench.load.master.merging.merge_nodes import merge_connections, merge_nodes
from solrbench.load.recording.connection_counts import ConnectionCounts
from solrbench.load.recording.node_counts import NodeCounts
from solrbench.load.recording.response_gaps import NodeActivity
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.validation.response_checks import EMPTY_RESULT, request_failure
from solrbench.results.stats.histograms import decode


def worker(*times: int) -> WorkerStepResult:
    """Return a worker that sent to node a by these times, and one request each to a and b."""
    a, b, connections = (
        NodeCounts(NodeActivity("a:1")),
        NodeCounts(NodeActivity("b:2")),
        ConnectionCounts(),
    )
    for each in times:
        a.record(each, None)
        connections.record(each // 10)
    a.record(7, request_failure("Timeout", "late"))
    b.record(9, EMPTY_RESULT)
    b.record_dropped(5000)
    nodes = [a.result(), b.result()]
    return WorkerStepResult(
        key="k", users=1, cpu_seconds=0, requests=[], nodes=nodes, connections=connections.result()
    )


def test_nodes_are_added_over_workers_in_their_order() -> None:
    first, second = merge_nodes([worker(100, 300), worker(200)])
    assert (first.node, first.requests, first.failures, first.unsent_requests) == ("a:1", 5, 2, 0)
    assert (first.response_sum_microseconds, first.response_max_microseconds) == (614, 300)
    assert (second.node, second.requests, second.failures) == ("b:2", 2, 0)
    assert second.unsent_requests == 2
    assert decode(second.response_time_histogram).count == 4


def test_connections_are_added_unless_a_worker_did_not_count_them() -> None:
    merged = merge_connections([worker(100, 300), worker(200), worker()])
    assert merged is not None
    assert (merged.opened, merged.open_sum_microseconds, merged.open_max_microseconds) == (
        3,
        60,
        30,
    )
    assert decode(merged.open_time_histogram).count == 3
    uncounted = worker().model_copy(update={"connections": None})
    assert merge_connections([worker(1), uncounted]) is None
