"""What is done before the release is deleted; tests/integration has a real API server."""

from collections.abc import Callable
from typing import Any

import pytest

from solrbench.api.rules import plain
from solrbench.contract.names import ANNOTATION_RELEASED, FINALIZER
from solrbench.controller.uninstall import Uninstall
from solrbench.decide.conditions import ALL_TYPES
from support.controller.runs import access_to
from support.controller.world import SETTINGS
from support.fakes.fake_cluster import FakeCluster, Request, no_fault
from support.resources.small_resource import create, resource
from support.results.statuses import full_status
from support.solr.cloud import Cloud

Body = dict[str, Any]
KEPT = {"Succeeded": ("True", "Succeeded"), "CleanedUp": ("False", "CleanupSkipped")}


@pytest.fixture
def body() -> Body:
    """Return a benchmark that is over and keeps its collection on an existing Solr."""
    found = resource(create() | {"spec.cleanup": "Never", "metadata.name": "one"})
    found["metadata"] |= {"generation": 1, "finalizers": [FINALIZER]}
    conditions = [
        {"type": each, "status": status, "reason": reason, "message": "", "observedGeneration": 1}
        | {"lastTransitionTime": "2026-01-01T12:00:00Z"}
        for each in ALL_TYPES
        for status, reason in [KEPT.get(each, ("True", "Done"))]
    ]
    found["status"] = plain(full_status()) | {"conditions": conditions, "phase": "Succeeded"}
    return found


def uninstall(cluster: FakeCluster, seconds: float = 60) -> list[str]:
    """Uninstall; return what it says, and "waits" for each pause."""
    said: list[str] = []
    access = access_to(Cloud())
    job = Uninstall(cluster, SETTINGS, said.append, access, lambda _: said.append("waits"))
    job.release(seconds)
    return said


def test_a_kept_collection_is_named_and_not_waited_for(body: Body) -> None:
    cluster = FakeCluster(body)
    said = uninstall(cluster, 1)
    assert said.count("waits") <= 1
    assert "collection may be left on target.existing" in said[0]
    metadata = cluster.select("SolrBenchmark", None, {})[0]["metadata"]
    assert metadata["finalizers"] == []
    assert metadata["annotations"] == {ANNOTATION_RELEASED: "true"}


def test_many_are_released_in_time(body: Body, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, suspended = [0.0], list[str]()

    def suspend(_: Uninstall, each: Body, end: float) -> None:
        suspended.append(each["metadata"]["name"])
        clock[0] += end / 3

    monkeypatch.setattr(Uninstall, "_suspend", suspend)
    monkeypatch.setattr("solrbench.controller.uninstall.time.monotonic", lambda: clock[0])
    bodies = [body | {"metadata": body["metadata"] | {"name": f"b-{n}"}} for n in range(20)]
    said = uninstall(FakeCluster(*bodies), 30)
    assert len(suspended) == 3
    assert sum(each.endswith(": released") for each in said) == 20


def test_finalizers_that_others_add_meanwhile_stay(body: Body) -> None:
    cluster = FakeCluster(body)

    def add_another(request: Request, serve: Callable[[], Any]) -> Any:
        if request.method == "merge":
            cluster.fault = no_fault
            body["metadata"]["finalizers"] = [FINALIZER, "example.org/audit"]
            cluster.put(body)
        return serve()

    cluster.fault = add_another
    uninstall(cluster)
    assert body["metadata"]["finalizers"] == [FINALIZER, "example.org/audit"]
    (stored,) = cluster.select("SolrBenchmark", None, {})
    assert stored["metadata"]["finalizers"] == ["example.org/audit"]
