"""Worlds with a benchmark under way: its target was ready, its pods come and go."""

import json
from typing import Any

from solrbench.contract.load_plan import LoadPlan
from support.cluster.benchmarks import small
from support.controller.world import NOW, World, condition_of

TIME = NOW.isoformat()


def measured_so_far(retries: int, **attempts: int) -> World:
    """Return a world with a benchmark whose target was ready, and whose pods are gone."""
    body = small("one", backoffLimit=retries)
    conditions = [
        {"type": type_, "status": "True", "reason": "Test", "lastTransitionTime": TIME}
        for type_ in ("Accepted", "TargetReady", "DataIndexed")
    ]
    body["status"] = {
        "startTime": TIME,
        "phase": "Measuring",
        "phaseStartTime": TIME,
        "attempts": {"target": 1, "load": 1} | attempts,
        "target": {"pods": {"one-solr-0": "some-uid/0"}},
        "conditions": conditions,
    }
    return World(body)


def solr_pod(restarts: int = 0, **ended: Any) -> dict[str, Any]:
    """Return the Solr pod that was there when the target became ready."""
    labels = {
        "solrbench.io/benchmark": "one",
        "app.kubernetes.io/component": "solr",
        "solrbench.io/attempt": "1",
    }
    container = {"name": "solr", "restartCount": restarts, "lastState": {"terminated": ended}}
    return {
        "kind": "Pod",
        "metadata": {"name": "one-solr-0", "uid": "some-uid", "labels": labels},
        "status": {"phase": "Running", "containerStatuses": [container]},
    }


def worker_pod(phase: str = "Failed", **words: str) -> dict[str, Any]:
    """Return a worker that ended; `words` are its last ones."""
    labels = {
        "solrbench.io/benchmark": "one",
        "app.kubernetes.io/component": "load-worker",
        "solrbench.io/attempt": "1",
    }
    ended = {"exitCode": 137, "reason": "OOMKilled"} if not words else {"exitCode": 3}
    message = json.dumps({"stage": "Failed"} | words) if words else ""
    state = {"terminated": ended | {"message": message}}
    return {
        "kind": "Pod",
        "metadata": {"name": "one-load-worker-0-x", "uid": "w", "labels": labels},
        "status": {
            "phase": phase,
            "containerStatuses": [{"name": "load-worker", "state": state}],
        },
    }


def with_worker_lost(mode: str, **words: str) -> World:
    """Return a world whose load has started and has lost a worker."""
    world = measured_so_far(retries=2)
    load = world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]["load"]
    load |= {"workers": 2, "onWorkerLoss": mode}
    world.cluster.put(solr_pod())
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "LoadStarted")
    world.cluster.put(worker_pod(**words))
    return world


def plan_of(world: World) -> LoadPlan:
    """Return the plan that the load pods read after the next reconcile."""
    world.cluster.put(solr_pod())
    world.reconcile("one")
    found = world.cluster.objects["ConfigMap", "default", "one-load-master"]
    return LoadPlan.model_validate(json.loads(found["data"]["load-plan.json"]))
