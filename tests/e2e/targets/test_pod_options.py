"""Options of pods reach the pods that really run."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import small

Run = Callable[..., str]
CLASS = "solrbench-e2e"
PRIORITY = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": CLASS},
    "value": 1000,
}
TOLERATION = {"key": "dedicated", "operator": "Equal", "value": "bench", "effect": "NoSchedule"}
OPTIONS: dict[str, Any] = {
    "labels": {"team": "search"},
    "annotations": {"example.org/owner": "search"},
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [TOLERATION],
    "priorityClassName": CLASS,
    "env": [{"name": "TZ", "value": "UTC"}],
}
LOAD = ["Index", "LoadMaster", "LoadWorker"]
COMPONENTS = {"solr", "zookeeper", "index", "load-master", "load-worker"}


def pods_by_component(name: str) -> dict[str, dict[str, Any]]:
    found = kube.items("pods", f"solrbench.io/benchmark={name}")
    return {each["metadata"]["labels"]["app.kubernetes.io/component"]: each for each in found}


@pytest.fixture
def priority_class() -> Iterator[None]:
    kube.apply(PRIORITY)
    yield
    kube.kubectl("delete", "priorityclass", CLASS)


@pytest.mark.usefixtures("priority_class")
def test_every_pod_has_the_options(run: Run) -> None:
    options = [
        {"components": ["Solr", "ZooKeeper"], **OPTIONS},
        {"components": LOAD, "securityContext": {"omitIds": True}, **OPTIONS},
    ]
    step = {"name": "one", "users": 1, "durationSeconds": 10}
    name = run(small("options", podOptions=options, load={"steps": [step]}))
    kube.wait_for(
        "a pod of every component", lambda: pods_by_component(name).keys() >= COMPONENTS, 300
    )
    pods = pods_by_component(name)
    for component in COMPONENTS:
        metadata, spec = pods[component]["metadata"], pods[component]["spec"]
        assert metadata["labels"]["team"] == "search"
        assert metadata["annotations"]["example.org/owner"] == "search"
        assert spec["nodeSelector"]["kubernetes.io/os"] == "linux"
        assert TOLERATION in spec["tolerations"]
        assert (spec["priorityClassName"], spec["priority"]) == (CLASS, 1000)
        (container, *_) = spec["containers"]
        assert {"name": "TZ", "value": "UTC"} in container["env"]
        ids = {"runAsUser", "runAsGroup", "fsGroup"} & spec["securityContext"].keys()
        assert bool(ids) == (component in ("solr", "zookeeper"))
        assert spec["securityContext"]["runAsNonRoot"] is True
    kube.wait_for_success(name)
