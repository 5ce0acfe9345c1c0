"""What the first index pod reads of Solr, and that its termination message has room for it."""

import time
from collections.abc import Sequence
from random import Random

import pytest

from solrbench.contract.pod_plans import IndexPlan, IndexProgress, pack_telemetry, unpack_telemetry
from solrbench.contract.server_document import Telemetry
from solrbench.index.errors import IndexingError
from solrbench.index.progress import (
    MAX_TERMINATION_MESSAGE_BYTES,
    ProgressCounter,
    termination_message,
)
from solrbench.index.solr_reader import MAX_READINGS, TargetReader, target_reader
from solrbench.reasons.data import IndexingReason
from solrbench.telemetry.readings import ServerReading
from solrbench.telemetry.sources import TelemetrySource

NODES = 20


class Nodes(TelemetrySource):
    """Nodes whose counters grow by a draw, with every figure that Solr has."""

    kind = "solr"

    def __init__(self) -> None:
        self.random, self.number, self.closed = Random(5), 0, False
        self.spent = [0.0] * NODES

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        assert full
        self.number += 1
        for node in range(NODES):
            self.spent[node] += self.random.uniform(0.5, 3) * (1 + (node == 3))
        return [self._node(node) for node in range(NODES)]

    def _node(self, node: int) -> ServerReading:
        counters = {"cpu_seconds": self.spent[node], "updates": 1234.0 * self.number}
        names = ("commits", "gc_count", "gc_seconds", "filter_cache_lookups", "soft_auto_commits")
        counters |= {name: self.random.random() + self.number for name in names}
        gauges = {"cpus": 4.0, "index_bytes": 1e9 * self.random.random(), "segments": 12.0}
        peaks = {"heap_used_bytes": 1e9 * self.random.random(), "threads_blocked": 1.0}
        name = f"books-solr-{node}.books-solr.namespace.svc:8983"
        return ServerReading(name, 2.0 * self.number, counters, gauges, peaks)

    def close(self) -> None:
        self.closed = True


def observed() -> tuple[Nodes, Telemetry]:
    nodes = Nodes()
    reader = TargetReader([nodes], seconds=1e-5)
    reader.begin()
    while nodes.number < 2 * MAX_READINGS:
        time.sleep(0.001)
    return nodes, reader.end()


def test_the_busiest_node_is_followed_and_readings_are_bounded() -> None:
    nodes, found = observed()
    (busiest,) = found.solr
    assert nodes.closed
    assert busiest.server.startswith("books-solr-3.")
    assert busiest.readings <= MAX_READINGS
    assert {each.server for each in found.series} == {busiest.server}
    figures = {each.figure: each.values for each in found.series}
    assert figures["updates_per_second"] == pytest.approx([617] * len(figures["cpu_percent"]))
    spread = {each.figure: each for each in found.spreads["solr"]}
    assert spread["updates"].total == pytest.approx(617 * NODES, rel=0.01)
    assert "filter_cache_lookups" not in spread


def test_a_termination_message_holds_it_beside_the_rest() -> None:
    _, found = observed()
    counter = ProgressCounter(0, lambda: 1.0)
    counter.observed(found)
    counter.ended()
    message = termination_message(counter.progress)
    assert len(message) <= MAX_TERMINATION_MESSAGE_BYTES
    stored = unpack_telemetry(IndexProgress.model_validate_json(message).telemetry)
    assert stored.spreads["solr"] == found.spreads["solr"]
    assert [each.figure for each in stored.series] == [each.figure for each in found.series]
    assert pack_telemetry(found, 10) == ""


def test_a_failure_needs_the_room_for_itself() -> None:
    counter = ProgressCounter(0, lambda: 1.0)
    counter.observed(Telemetry(missing=["x"]))
    counter.ended(IndexingError(IndexingReason.INTERRUPTED, "why", permanent=False))
    assert counter.progress.telemetry == ""


@pytest.mark.parametrize("packed", ["", "?", "eA==", "H4sIAAAAAAAA"])
def test_what_is_no_telemetry_is_said_to_be_missing(packed: str) -> None:
    (missing,) = unpack_telemetry(packed).missing
    assert "left no readings" in missing


def test_nothing_is_read_where_telemetry_is_turned_off() -> None:
    place = {"benchmark": "ns/books", "solrUrls": ["http://solr:8983/solr"], "collection": "books"}
    plan = place | {"dataset": {"generator": {"documents": 1}}, "telemetry": {"collect": "None"}}
    assert target_reader(IndexPlan.model_validate(plan)) is None
