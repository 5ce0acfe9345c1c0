"""A load master with a finished step, and worlds in which its document is stored."""

from datetime import timedelta
from typing import Any, Self

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.load_plan import LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.kube.results import BenchmarkResultStore
from support.controller.measured_worlds import measured_so_far
from support.controller.world import NOW, World
from support.results.builders import make_document, make_result

STEP_RUN = "r1-s0-two-users"


def measured(**fields: Any) -> StepRunResult:
    """Return a document of the ten seconds before now."""
    document = make_document("two-users", 1, make_result([1000] * 300), seconds=10.0)
    times = {"start_time": NOW - timedelta(seconds=10), "end_time": NOW}
    return document.model_copy(update={"id": STEP_RUN} | times | fields)


def stored(world: World) -> StepRunResult:
    cluster = world.cluster
    body = world.cluster.objects["SolrBenchmark", "default", "one"]
    return BenchmarkResultStore(cluster).documents(SolrBenchmark.parse(body))[STEP_RUN]


def world_with(document: StepRunResult) -> World:
    """Return a world in which a document is stored and the load goes on."""
    world = measured_so_far(retries=2)
    body = world.cluster.objects["SolrBenchmark", "default", "one"]
    body["spec"]["load"]["repeats"] = {"count": 2}
    for condition in body["status"]["conditions"]:
        condition["lastTransitionTime"] = (NOW - timedelta(minutes=1)).isoformat()
    reports = BenchmarkResultStore(world.cluster)
    reports.store(SolrBenchmark.parse(body), document, 1)
    return world


class Master:
    """A load master with one finished step."""

    acknowledged: list[str] = []

    def __init__(self, host: str, _: object = None) -> None:
        self.host = host

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def state(self) -> LoadState:
        return LoadState(
            stage="Ramping" if self.acknowledged else "Waiting", unacknowledged=[STEP_RUN]
        )

    def result(self, step_run_id: str) -> StepRunResult:
        assert step_run_id == STEP_RUN
        return measured()

    def acknowledge(self, step_run_id: str) -> None:
        self.acknowledged.append(step_run_id)


def master_pod() -> dict[str, Any]:
    labels = {
        "solrbench.io/benchmark": "one",
        "app.kubernetes.io/component": "load-master",
        "solrbench.io/attempt": "1",
    }
    metadata = {"name": "one-load-master", "uid": "m", "labels": labels}
    return {
        "kind": "Pod",
        "metadata": metadata,
        "status": {"phase": "Running", "podIP": "10.0.0.1"},
    }
