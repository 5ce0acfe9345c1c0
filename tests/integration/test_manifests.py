"""The real API server takes every object of a benchmark, its pods in a restricted namespace."""

from typing import Any

import pytest

from support.cluster.admission import ApiServer, RejectedError
from support.cluster.definitions import lost
from support.resources.objects import POD_KINDS, everything
from support.resources.pod_options import EVERY_OPTION, with_options
from support.resources.small_resource import SOLR, Changes

pytestmark = pytest.mark.cluster

NAMED = {"priorityClassName", "runtimeClassName", "serviceAccountName"}

CHANGES: dict[str, Changes] = {
    "little": {},
    "everything": {
        f"{SOLR}.zookeeper": {"replicas": 3, "heap": "1Gi"},
        f"{SOLR}.image": {"tag": "9.9.0", "pullPolicy": "Always"},
        f"{SOLR}.imagePullSecrets": [{"name": "key"}],
        f"{SOLR}.gcTune": "-XX:+UseG1GC",
        f"{SOLR}.solrOpts": "-Da=b",
        f"{SOLR}.resources": {"requests": {"cpu": "500m"}, "limits": {"memory": "2G"}},
        f"{SOLR}.storage": {"ephemeral": {"sizeLimit": "5Gi"}},
        f"{SOLR}.nodeSelector": {"disk": "ssd"},
        f"{SOLR}.tolerations": [{"operator": "Exists"}, {"key": "a", "effect": "NoExecute"}],
        "spec.dataset": {"persistentVolumeClaim": {"claimName": "d", "paths": ["a.json"]}},
        "spec.workload.queries": {"configMap": {"name": "q"}},
        "spec.load.workers": 4,
        "spec.target.variants": [
            {"name": "raw", "endpoint": "Nodes"},
            {"name": "service", "endpoint": "Service"},
        ],
    },
    "claims": {
        "metadata.name": "a" * 40,
        f"{SOLR}.storage": {"persistent": {"size": "5Gi", "storageClassName": "fast"}},
        f"{SOLR}.nodes": 100,
        "spec.dataset.indexing": {"pods": 64},
    },
    "agents": {"spec.load.telemetry": {"collect": "ServersAndPods"}},
    "pod options": with_options(EVERY_OPTION),
    "ids of the cluster": with_options({"securityContext": {"omitIds": True}}),
}
ADMITTED = CHANGES | {
    # Admission plug-ins look these up, and the cluster has none.
    "pod options": with_options({key: EVERY_OPTION[key] for key in EVERY_OPTION.keys() - NAMED})
}
"""Changes whose pods the API server can store, beside their StatefulSets and Jobs."""


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES.keys())
def test_every_object_is_stored_as_built(
    server: ApiServer, namespace: str, changes: Changes
) -> None:
    for manifest in everything(changes | {"metadata.namespace": namespace}):
        assert lost(manifest, server.try_apply(manifest)) == []


@pytest.mark.parametrize("changes", ADMITTED.values(), ids=ADMITTED.keys())
def test_every_pod_is_let_into_a_restricted_namespace(
    server: ApiServer, namespace: str, changes: Changes
) -> None:
    for manifest in everything(changes | {"metadata.namespace": namespace}):
        if manifest["kind"] in POD_KINDS:
            assert server.try_apply(_first_pod(manifest))["spec"]["containers"]


def test_a_pod_of_another_kind_is_not_let_in(server: ApiServer, namespace: str) -> None:
    jobs = [each for each in everything({"metadata.namespace": namespace}) if each["kind"] == "Job"]
    pod = _first_pod(jobs[0])
    pod["spec"]["containers"][0]["securityContext"]["capabilities"] = {"add": ["SYS_ADMIN"]}
    with pytest.raises(RejectedError, match="restricted"):
        server.try_apply(pod)


def _first_pod(manifest: dict[str, Any]) -> dict[str, Any]:
    template, metadata = manifest["spec"]["template"], manifest["metadata"]
    spec = template["spec"]
    claims = manifest["spec"].get("volumeClaimTemplates", [])
    volumes = [
        {"name": claim["metadata"]["name"], "persistentVolumeClaim": {"claimName": "made-for-it"}}
        for claim in claims
    ]
    place = {"name": f"{metadata['name']}-0", "namespace": metadata["namespace"]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": template["metadata"] | place,
        "spec": spec | {"volumes": [*spec["volumes"], *volumes]},
    }
