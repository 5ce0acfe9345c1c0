"""What the pairs on a real Solr are made of: its target, the way to it, and the benchmarks."""

from pathlib import Path
from typing import Any

from bench.servers import relay
from bench.statistics.comparison_words import LOOKS
from solrbench.api.kinds import BENCHMARK

Body = dict[str, Any]

TARGET = "pairs-target"
QUERIES = "pairs-queries"
WAY = "pairs-way"

_DELAY_MILLISECONDS = 20
_USERS = 4
_STEP_SECONDS = 6
_COMPILED_REQUESTS = 100_000
_PORT = 8983
_SCRIPT = "/relay/relay.py"


def target_benchmark() -> Body:
    """Return the benchmark that makes Solr, fills a collection and keeps both."""
    small = {"requests": {"cpu": "100m", "memory": "768Mi"}, "limits": {"memory": "1536Mi"}}
    zookeeper = {
        "replicas": 1,
        "heap": "128Mi",
        "resources": {
            "requests": {"cpu": "50m", "memory": "192Mi"},
            "limits": {"memory": "512Mi"},
        },
    }
    solr = {
        "provisioner": "StatefulSet",
        "nodes": 1,
        "heap": "512Mi",
        "resources": small,
        "zookeeper": zookeeper,
    }
    return _benchmark(
        TARGET,
        target={"solrCloud": solr},
        dataset={"generator": {"documents": 20_000, "seed": 1}},
        workload={"queries": {"configMap": {"name": QUERIES}}},
        warmUp={"requests": _COMPILED_REQUESTS},
        load={"steps": [{"name": "first", "users": 2, "requests": 1000}]},
        cleanup="Never",
    )


def pair_benchmark(number: int, url: str) -> Body:
    """Return a benchmark of the chain; all but the first are compared with the one before."""
    repeats: Body = {"count": LOOKS.minimum}
    comparison: Body = {"primary": "Average"}
    if number:
        repeats = {"until": "Decided", "min": LOOKS.minimum, "max": LOOKS.maximum}
        comparison["baseline"] = {"benchmark": {"name": pair_name(number - 1)}}
    existing = {"urls": [url], "collectionPolicy": "UseExisting", "collectionName": TARGET}
    return _benchmark(
        pair_name(number),
        target={"existing": existing},
        workload={"queries": {"configMap": {"name": QUERIES}}},
        warmUp={"requests": 200},
        load={
            "repeats": repeats,
            "steps": [{"name": "users", "users": _USERS, "durationSeconds": _STEP_SECONDS}],
        },
        comparison=comparison,
    )


def config_map() -> Body:
    """Return the queries of the chain, and what the pod of the way runs."""
    words = ("books", "music", "films", "games")
    lines = "".join(f"q=category_s:{word}\n" for word in words)
    script = Path(relay.__file__).read_text("utf-8")
    return {"metadata": {"name": QUERIES}, "data": {"queries.txt": lines, "relay.py": script}}


def way_pod(image: str, server: str) -> Body:
    """Return the pod through which the benchmarks reach Solr.

    Args:
        image: any with Python
        server: host and port of Solr
    """
    container = {
        "name": "relay",
        "image": image,
        "command": ["python", _SCRIPT, str(_PORT), server, str(_DELAY_MILLISECONDS)],
        "ports": [{"containerPort": _PORT}],
        "readinessProbe": {"tcpSocket": {"port": _PORT}, "periodSeconds": 1},
        "volumeMounts": [{"name": "relay", "mountPath": "/relay"}],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        },
    }
    spec = {
        "containers": [container],
        "volumes": [{"name": "relay", "configMap": {"name": QUERIES}}],
        "automountServiceAccountToken": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65532,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
    return {"metadata": {"name": WAY, "labels": {"app": WAY}}, "spec": spec}


def way_service() -> Body:
    """Return the Service before that pod."""
    spec = {"selector": {"app": WAY}, "ports": [{"port": _PORT}]}
    return {"metadata": {"name": WAY}, "spec": spec}


def pair_name(number: int) -> str:
    """Return the name of a benchmark of the chain."""
    return f"pair-{number:02}"


def _benchmark(name: str, **spec: Any) -> Body:
    return {
        "apiVersion": BENCHMARK.api_version,
        "kind": BENCHMARK.name,
        "metadata": {"name": name},
        "spec": spec,
    }
