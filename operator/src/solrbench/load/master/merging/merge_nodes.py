"""The counts of nodes and connections, over all workers."""

from collections.abc import Iterable, Sequence
from itertools import chain

from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.results.model.connection_result import ConnectionResult
from solrbench.results.model.node_result import NodeResult
from solrbench.results.stats import histograms


def merge_nodes(results: Iterable[WorkerStepResult]) -> list[NodeResult]:
    """Return the sums of each node, in the order of the plan; none in a closed loop."""
    by_node: dict[str, list[NodeResult]] = {}
    for part in chain.from_iterable(result.nodes for result in results):
        by_node.setdefault(part.node, []).append(part)
    return [_merge(node, parts) for node, parts in by_node.items()]


def _merge(node: str, parts: Sequence[NodeResult]) -> NodeResult:
    longest = [part.response_max_microseconds for part in parts]
    return NodeResult(
        node=node,
        requests=sum(part.requests for part in parts),
        failures=sum(part.failures for part in parts),
        unsent_requests=sum(part.unsent_requests for part in parts),
        response_time_histogram=histograms.merge(
            part.response_time_histogram for part in parts
        ).encode(),
        response_sum_microseconds=sum(part.response_sum_microseconds for part in parts),
        response_max_microseconds=max((each for each in longest if each is not None), default=None),
    )


def merge_connections(results: Iterable[WorkerStepResult]) -> ConnectionResult | None:
    """Return the connections of all workers; None if one did not count them."""
    parts = [result.connections for result in results]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    longest = [part.open_max_microseconds for part in found]
    return ConnectionResult(
        opened=sum(part.opened for part in found),
        open_time_histogram=histograms.merge(part.open_time_histogram for part in found).encode(),
        open_sum_microseconds=sum(part.open_sum_microseconds for part in found),
        open_max_microseconds=max((each for each in longest if each is not None), default=None),
    )
