"""The real API server and disruption controller let no pod of a run be evicted.

No container runs: no scheduler takes the pods, and the test reports them as ready.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

from support.cluster.api_server import path_of, wait_for_object
from support.resources.objects import everything, pick

pytestmark = pytest.mark.cluster

NAME = "base-load-worker"
SECONDS = 60
WORKERS = 2
READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
TOO_MANY_REQUESTS = 429


@pytest.fixture
def api() -> client.ApiClient:
    return config.new_client_from_config(config_file=os.environ["KUBECONFIG"])


def test_a_pod_of_a_job_cannot_be_evicted(api: client.ApiClient, namespace: str) -> None:
    changes = {"metadata.namespace": namespace, "spec.load.workers": WORKERS}
    job, budget = (
        _without_owner(pick(everything(changes), kind, NAME))
        for kind in ("Job", "PodDisruptionBudget")
    )
    job["spec"]["template"]["spec"]["schedulerName"] = "none"
    client.BatchV1Api(api).create_namespaced_job(namespace, job)
    _wait("jobs", namespace, lambda found: found.get("active") == WORKERS)
    core, policy = client.CoreV1Api(api), client.PolicyV1Api(api)
    pods = [each.metadata.name for each in core.list_namespaced_pod(namespace).items]
    for name in pods:
        core.patch_namespaced_pod_status(name, namespace, {"status": READY})
    assert [_evict(core, namespace, name) for name in pods] == [None] * WORKERS
    policy.create_namespaced_pod_disruption_budget(namespace, budget)
    _wait("poddisruptionbudgets", namespace, lambda found: found.get("currentHealthy") == WORKERS)
    assert [_evict(core, namespace, name) for name in pods] == [TOO_MANY_REQUESTS] * WORKERS


def _without_owner(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return an object whose benchmark need not exist."""
    del manifest["metadata"]["ownerReferences"]
    return manifest


def _wait(kind: str, namespace: str, holds: Callable[[dict[str, Any]], bool]) -> None:
    """Wait until the status of the object of the workers is as wanted."""
    came, last = wait_for_object(
        path_of(kind, namespace, NAME),
        lambda found: found is not None and holds(found.get("status") or {}),
        SECONDS,
    )
    assert came, last


def _evict(core: client.CoreV1Api, namespace: str, name: str) -> int | None:
    """Return the status with which an eviction is refused; it is only tried."""
    try:
        core.create_namespaced_pod_eviction(
            name, namespace, {"metadata": {"name": name}}, dry_run="All"
        )
    except ApiException as error:
        return int(error.status)
    return None
