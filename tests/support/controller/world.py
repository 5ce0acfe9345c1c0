"""A fake cluster and a clock, in which a test reconciles benchmarks."""

from datetime import UTC, datetime, timedelta
from typing import Any

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.step_document import StepRunResult
from solrbench.controller.context import ReconcileContext
from solrbench.controller.reconcile import reconcile
from solrbench.controller.settings import Settings
from solrbench.kube.results import BenchmarkResultStore
from support.fakes.fake_cluster import FakeCluster

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SETTINGS = Settings.from_environment({"SOLRBENCH_IMAGE": "solrbench:1"})


class World:
    """A fake cluster and a clock that the test turns."""

    def __init__(self, *bodies: dict[str, Any]) -> None:
        self.cluster = FakeCluster(*bodies)
        self.now = NOW

    def body(self, name: str = "one") -> dict[str, Any]:
        """Return a benchmark as it is stored; what a test changes of it is stored, too."""
        return self.cluster.objects["SolrBenchmark", "default", name]

    def store(self, *documents: StepRunResult, name: str = "one") -> None:
        """Store results of a benchmark, each as one of its attempt of the load."""
        reports = BenchmarkResultStore(self.cluster)
        benchmark = SolrBenchmark.parse(self.body(name))
        for each in documents:
            reports.store(benchmark, each, each.attempt)

    def reconcile(self, name: str, seconds: float = 0) -> SolrBenchmark:
        self.now += timedelta(seconds=seconds)
        return self.reconcile_body(self.body(name))

    def reconcile_body(self, body: dict[str, Any]) -> SolrBenchmark:
        """Reconcile a benchmark once as it was read, now or before."""
        benchmark, store = SolrBenchmark.parse(body), BenchmarkResultStore(self.cluster)
        context = ReconcileContext(self.cluster, store, SETTINGS, benchmark, body, self.now)
        return reconcile(context)


def condition_of(benchmark: SolrBenchmark, type_: str) -> tuple[str, str]:
    found = next(each for each in benchmark.status.conditions if each.type == type_)
    return found.status, found.reason


def message_of(benchmark: SolrBenchmark, type_: str = "Succeeded") -> str:
    return next(each.message for each in benchmark.status.conditions if each.type == type_)


def fail_with(error: Exception) -> Any:
    def work(*_: object, **__: object) -> None:
        raise error.with_traceback(None)  # or each time adds to the one before

    return work
