"""Benchmarks that a walk begins with: between them, they have all parts of a spec."""

from typing import Any

from support.resources import companions
from support.resources.small_resource import REMOVE, Changes, create

CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "reports", "labels": {}},
}


def manifests() -> dict[str, Any]:
    """Return the ConfigMap with the companions."""
    text = companions.text_of(*companions.MANIFESTS).replace("$(WORKERS)", "1")
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "manifests"},
        "data": {"all": text},
    }


BASES: tuple[Changes, ...] = (
    create() | {"spec.suspend": False, "spec.load.repeats.count": 3},
    create() | {"spec.suspend": False, "spec.cleanup": "Never"},
    create() | {"spec.suspend": True},
    {"spec.suspend": False, "spec.target.solrCloud.provisioner": "StatefulSet"},
    create()
    | {
        "spec.suspend": False,
        "spec.load.repeats": {"count": 2, "startOn": "FreshData", "order": "Random"},
        "spec.load.telemetry": {"collect": "None"},
        "spec.load.stop": {"maxFailedPercent": 20},
        "spec.objectives": [
            {"name": "fast", "responseTime": {"maxMilliseconds": 300}},
            {"name": "rate", "throughput": {"minRequestsPerSecond": 0.5}},
        ],
        "spec.comparison": {"smallestEffectPercent": 2.5},
    },
    create()
    | {
        "spec.suspend": False,
        "spec.load.repeats.count": 2,
        "spec.load.between": {"before": "EachRepeat", "caches": "Keep", "warmUp": {"requests": 0}},
        "spec.diagnostics": {"repeat": 2},
    },
    create()
    | {
        "spec.suspend": False,
        "spec.results.export": {
            "persistentVolumeClaim": {"claimName": "reports", "path": "kept"},
            "deadlineSeconds": 300,
        },
    },
    create()
    | {
        "spec.suspend": False,
        "spec.comparison.baseline": {"benchmark": {"name": "one"}},
        "spec.deadlines": {"provisioningSeconds": 120},
    },
    create() | {"spec.suspend": False, "spec.companions": [{"configMap": {"name": "manifests"}}]},
    create()
    | {
        "spec.suspend": False,
        "spec.load.steps": REMOVE,
        "spec.load.capacity": {"maxTrials": 8, "trialSeconds": 10},
        "spec.objectives": [{"name": "fast", "responseTime": {"maxMilliseconds": 300}}],
        # Trials are the master's to plan, which is faked and plans none.
        "spec.deadlines": {"measuringSeconds": 600},
    },
)
"""Changes to a small resource. The baseline of those that have one is the benchmark `one`."""
