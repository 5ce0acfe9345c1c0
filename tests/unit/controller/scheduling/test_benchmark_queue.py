"""One list of the benchmarks serves all that wait."""

from datetime import UTC, datetime
from typing import cast

from solrbench.cluster.client import Cluster
from solrbench.controller.scheduling.benchmark_queue import MAX_AGE, BenchmarkQueue
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_list_is_shared_until_it_is_too_old() -> None:
    fake = FakeCluster(small("one"))
    cluster, queue = cast(Cluster, fake), BenchmarkQueue()
    for _ in range(5):
        assert [each.key for each in queue.entries(cluster, (), NOW)] == ["default/one"]
    assert fake.asked == ["SolrBenchmark"]
    fake.put(small("two"))
    assert len(queue.entries(cluster, (), NOW + MAX_AGE)) == 2


def test_every_watched_namespace_is_listed() -> None:
    fake = FakeCluster(small("one"))
    found = BenchmarkQueue().entries(cast(Cluster, fake), ("default", "team"), NOW)
    assert [each.key for each in found] == ["default/one"]
    assert fake.asked == ["SolrBenchmark", "SolrBenchmark"]
