"""Every pod that the operator makes keeps the rules of the usual scanners."""

from collections.abc import Iterator
from typing import Any

import pytest

from solrbench.plan import names
from support.resources.objects import POD_KINDS, everything, operated_target
from support.resources.small_resource import SOLR, Changes
from support.resources.workload_rules import (
    EXCEPTIONS,
    Finding,
    Workload,
    find_problems,
    unexplained,
)

SERVING = {"solr", "zookeeper"}
CHANGES: dict[str, Changes] = {
    "little": {},
    "with agents": {"spec.load.telemetry": {"collect": "ServersAndPods"}},
    "of a sweep": {
        "metadata.ownerReferences": [
            {
                "apiVersion": "solrbench.io/v1alpha1",
                "kind": "SolrBenchmarkSweep",
                "name": "heaps",
                "uid": "5eeb",
                "controller": True,
            }
        ]
    },
    "with secrets and storage": {
        f"{SOLR}.storage": {"persistent": {"size": "5Gi"}},
        f"{SOLR}.zookeeper": {"replicas": 3},
    },
}


def workloads(changes: Changes) -> Iterator[Workload]:
    for manifest in everything(changes):
        if manifest["kind"] in POD_KINDS:
            component = manifest["metadata"]["labels"]["app.kubernetes.io/component"]
            spec = manifest["spec"]["template"]["spec"]
            yield from _split(component, spec)


def _split(component: str, spec: dict[str, Any]) -> Iterator[Workload]:
    """Yield a pod without the agent, and as one with nothing else."""
    agents = [each for each in spec["containers"] if each["name"] == names.AGENT]
    servers = [each for each in spec["containers"] if each["name"] != names.AGENT]
    if agents:
        yield Workload("agent", spec | {"containers": agents}, serves=False)
        spec = {key: each for key, each in spec.items() if key != "shareProcessNamespace"}
    yield Workload(component, spec | {"containers": servers}, serves=component in SERVING)


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES.keys())
def test_every_made_pod_keeps_the_rules(changes: Changes) -> None:
    assert unexplained(find_problems(workloads(changes))) == set()


def test_every_kind_of_pod_is_looked_at() -> None:
    found = {each.name for each in workloads({})}
    components = {"zookeeper", "solr", "index", "load-master", "load-worker"}
    assert found == components | {"export", "companion"}
    assert "agent" in {each.name for each in workloads(CHANGES["with agents"])}


def test_agents_beside_solr_of_the_solr_operator_are_the_same() -> None:
    cloud = operated_target(CHANGES["with agents"])
    (sidecar,) = cloud["spec"]["customSolrKubeOptions"]["podOptions"]["sidecarContainers"]
    ours = [each.spec["containers"][0] for each in workloads(CHANGES["with agents"])]
    assert sidecar in ours


def test_exceptions_are_needed_and_have_a_reason() -> None:
    rules = {each.rule for each in find_problems(workloads({}))}
    assert {each.rule for each in EXCEPTIONS if each.workload == "*"} <= rules
    assert all(EXCEPTIONS.values())


def test_sizes_of_the_spec_leave_no_exception_of_memory() -> None:
    sizes = {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "2Gi"}}
    fields = (f"{SOLR}.resources", f"{SOLR}.zookeeper.resources", "spec.load.resources")
    changes = dict.fromkeys((*fields, "spec.dataset.indexing.resources"), sizes)
    found = find_problems(workloads(changes))
    left = {each.workload for each in found if "emory" in each.rule or "Requests" in each.rule}
    # The master has a request and no field; a companion has what its user's manifest says.
    assert left <= {"load-master", "companion"}


def test_a_pod_that_breaks_everything_is_found() -> None:
    container = {
        "name": "a",
        "image": "solr",
        "securityContext": {"privileged": True},
        "env": [{"name": "ADMIN_PASSWORD", "value": "x"}],
        "ports": [{"hostPort": 1}],
    }
    volumes = [{"name": "a", "hostPath": {"path": "/"}}]
    spec = {"containers": [container], "hostNetwork": True, "volumes": volumes}
    found = find_problems(iter([Workload("bad", spec, serves=True)]))
    assert len(found) > 15
    assert Finding("bad", "hostPathVolume") in found
    assert Finding("bad", "sensitiveContainerEnvVar") in found
