"""The finalizer of a benchmark is there only as long as there is something to remove."""

import asyncio
from typing import Any

import kopf
import pytest
from prometheus_client import CollectorRegistry

from solrbench.controller.handlers.benchmarks import Handlers
from solrbench.decide.scheduling.finalizers import needs_finalizer, needs_reconcile
from solrbench.metrics.operator_metrics import PrometheusMetrics
from support.cluster.benchmarks import small
from support.controller.world import NOW, SETTINGS
from support.fakes.fake_cluster import FakeCluster

CLEANED = {"type": "CleanedUp", "status": "True"}


def benchmark(*conditions: dict[str, str], **spec: Any) -> dict[str, Any]:
    body = small("one", **spec)
    body["metadata"] |= {"namespace": "default", "uid": "u1", "generation": 1}
    times = {"reason": "Test", "lastTransitionTime": NOW.isoformat()}
    body["status"] = {"phase": "Succeeded", "conditions": [each | times for each in conditions]}
    return body


SUCCEEDED = {"type": "Succeeded", "status": "True"}
CREATES: dict[str, Any] = {"existing": {"url": "http://solr:8983/solr"}}
USES: dict[str, Any] = {"existing": CREATES["existing"] | {"collectionPolicy": "UseExisting"}}


@pytest.mark.parametrize(
    ("body", "needed"),
    [
        (small("new"), False),  # owner references are enough
        (benchmark(target=USES), False),
        (benchmark(target=CREATES), True),
        (benchmark(SUCCEEDED, target=CREATES), True),
        (benchmark(SUCCEEDED, CLEANED, target=CREATES), False),
    ],
)
def test_only_a_collection_on_an_existing_solr_needs_a_finalizer(
    body: dict[str, Any], needed: bool
) -> None:
    assert needs_finalizer(body=body) is needed


@pytest.mark.parametrize(
    ("body", "needed"),
    [
        (small("new"), True),
        (benchmark(SUCCEEDED), True),
        (benchmark({"type": "CleanedUp", "status": "False"}), True),
        (benchmark(SUCCEEDED, CLEANED), False),
        (benchmark(CLEANED, ttlSecondsAfterFinished=60), True),  # the operator deletes it
    ],
)
def test_a_benchmark_is_reconciled_until_it_is_cleaned_up(
    body: dict[str, Any], needed: bool
) -> None:
    assert needs_reconcile(body) is needed


def suspended(target: dict[str, Any]) -> dict[str, Any]:
    body = benchmark(target=CREATES, suspend=True)
    body["status"] |= {"phase": "Suspended", "target": target}
    return body


def test_a_suspended_one_needs_it_until_its_collection_is_gone() -> None:
    assert needs_finalizer(body=suspended({"nodes": {"a:8983_solr": NOW.isoformat()}}))
    assert not needs_finalizer(body=suspended({}))
    resumed = suspended({})
    resumed["spec"]["suspend"] = False
    assert needs_finalizer(body=resumed)


def test_new_spec_of_one_that_is_over_is_shown_in_its_status() -> None:
    body = benchmark(SUCCEEDED, CLEANED)
    body["metadata"]["generation"] = 2
    body["status"]["observedGeneration"] = 1
    assert needs_reconcile(body)
    body["status"]["observedGeneration"] = 2
    assert not needs_reconcile(body)


@pytest.fixture
def made() -> tuple[Handlers, PrometheusMetrics]:
    telemetry = PrometheusMetrics(CollectorRegistry(), "test")
    return Handlers(FakeCluster(), SETTINGS, telemetry), telemetry


def test_only_deletion_is_filtered_and_deletion_itself_is_noticed(
    made: tuple[Handlers, PrometheusMetrics], monkeypatch: pytest.MonkeyPatch
) -> None:
    filters: dict[str, Any] = {}

    def note(name: str) -> Any:
        return lambda *_, **given: lambda handler: filters.update({name: given.get("when")})

    monkeypatch.setattr(kopf.on, "delete", note("delete"))
    monkeypatch.setattr(kopf.on, "event", note("event"))
    made[0].register(kopf.OperatorRegistry())
    assert filters == {"delete": needs_finalizer, "event": None}


def shown(telemetry: PrometheusMetrics) -> set[str]:
    return {
        name
        for family in telemetry.registry.collect()
        for sample in family.samples
        for name in sample.labels.values()
        if name == "one"
    }


def test_metrics_of_a_benchmark_off_the_schedule_stay_until_it_is_gone(
    made: tuple[Handlers, PrometheusMetrics],
) -> None:
    handlers, telemetry = made
    body = benchmark(CLEANED)
    asyncio.run(handlers.on_event(event={"type": None}, body=body))  # after a restart
    assert shown(telemetry) == {"one"}
    asyncio.run(handlers.on_event(event={"type": "DELETED"}, body=body))
    assert shown(telemetry) == set()
