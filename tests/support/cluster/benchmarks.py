"""Small benchmarks for the end-to-end suite: the least that a machine with two cores can run."""

import copy
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from solrbench.api.kinds import SWEEP
from support.cluster import kube

SMALL_REQUESTS = 200
"""Enough for a 95th percentile."""

BUSY_MACHINE = frozenset(
    {"WorkerSaturated", "CpuStolen", "CpuPressure", "OthersUseCpu", "NotSteady"}
)
"""Reasons of a verdict that the machine of the suite, or its host, may give for some seconds."""

SMALL_SOLR: dict[str, Any] = {
    "provisioner": "StatefulSet",
    "nodes": 1,
    "heap": "512Mi",
    # A JVM of a minute's life: optimizing its code and touching its heap would cost more than
    # all that it must do.
    "solrOpts": "-XX:TieredStopAtLevel=1",
    "gcTune": "-XX:+UseG1GC",
    "resources": {"requests": {"cpu": "100m", "memory": "768Mi"}, "limits": {"memory": "1536Mi"}},
    "zookeeper": {
        "replicas": 1,
        "heap": "128Mi",
        "resources": {"requests": {"cpu": "50m", "memory": "192Mi"}, "limits": {"memory": "512Mi"}},
    },
}

ON_OPERATOR = SMALL_SOLR | {"provisioner": "SolrOperator"}

OTHER_VERSION = "9.8.1"
"""Of Solr, beside the default one; `hack/cluster/images solr-9.8.1` brings it."""


def small_solr(tag: str) -> dict[str, Any]:
    return SMALL_SOLR | {"image": {"tag": tag}}


SMALL_SPEC: dict[str, Any] = {
    "target": {"solrCloud": SMALL_SOLR},
    "collection": {"shards": 1},
    "dataset": {"generator": {"documents": 2000, "seed": 3}},
    "workload": {"queries": {"generated": {"count": 200}}},
    # Most tests look at what is sent and stored, not at how fast it was.
    "warmUp": {"requests": 0},
    "load": {"steps": [{"name": "two-users", "users": 2, "requests": SMALL_REQUESTS}]},
}


def small(name: str, **changes: Any) -> dict[str, Any]:
    """Return a benchmark that takes about a minute, with some parts of its spec replaced.

    A change is named by its path, parts joined by two underscores: `target__solrCloud__nodes`.
    """
    spec = copy.deepcopy(SMALL_SPEC)
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = spec
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmark",
        "metadata": {"name": name},
        "spec": spec,
    }


def config_map(name: str, **data: str) -> dict[str, Any]:
    """Return a ConfigMap; two underscores in a key stand for a dot."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": {key.replace("__", "."): text for key, text in data.items()},
    }


def secret(name: str, namespace: str = "search", **data: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "data": {key: b64encode(text.encode()).decode() for key, text in data.items()},
    }


def service(name: str, namespace: str = "search", **spec: Any) -> dict[str, Any]:
    """Return a Service that selects pods, unless `spec` says something else."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec or {"selector": {"app": "solr"}, "clusterIP": "10.0.0.7"},
    }


def claim(name: str, storage: str, **metadata: Any) -> dict[str, Any]:
    """Return a claim of a volume that the pods of one node may write."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, **metadata},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}},
    }


Body = dict[str, Any]


def build_sweep(benchmark: Body, **spec: Any) -> Body:
    """Return a sweep with the name of a benchmark, whose spec is its template."""
    return {
        "apiVersion": SWEEP.api_version,
        "kind": SWEEP.name,
        "metadata": benchmark["metadata"],
        "spec": {"template": {"spec": benchmark["spec"]}, **spec},
    }


@contextmanager
def ended_sweep(body: Body, seconds: float) -> Iterator[Body]:
    """Apply a sweep and give its status once it is over, which takes so many seconds at most."""
    name = body["metadata"]["name"]

    def read_ended() -> Body:
        status: Body = (kube.get(SWEEP.plural, name) or {}).get("status") or {}
        conditions = {each["type"]: each["status"] for each in status.get("conditions", [])}
        return status if conditions.get("Complete") == "True" else {}

    kube.apply(body)
    yield kube.wait_for("end of the sweep", read_ended, seconds)
    if kube.get(SWEEP.plural, name) is not None:
        kube.kubectl("delete", SWEEP.plural, name, "--wait=false")
    selector = f"solrbench.io/sweep={name}"
    kube.wait_for("deletion of all", lambda: not kube.items("solrbenchmarks", selector), 60)
