"""Every pod that the operator makes keeps the rules of the usual scanners."""

from collections.abc import Iterator

import pytest

from support.resources.objects import POD_KINDS, target, tools
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
    "with secrets and storage": {
        f"{SOLR}.storage": {"persistent": {"size": "5Gi"}},
        f"{SOLR}.zookeeper": {"replicas": 3},
    },
}


def workloads(changes: Changes) -> Iterator[Workload]:
    for manifest in [*target(changes), *tools(changes)]:
        if manifest["kind"] in POD_KINDS:
            component = manifest["metadata"]["labels"]["app.kubernetes.io/component"]
            spec = manifest["spec"]["template"]["spec"]
            yield Workload(component, spec, serves=component in SERVING)


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES.keys())
def test_every_made_pod_keeps_the_rules(changes: Changes) -> None:
    assert unexplained(find_problems(workloads(changes))) == set()


def test_every_kind_of_pod_is_looked_at() -> None:
    found = {each.name for each in workloads({})}
    assert found == {"zookeeper", "solr", "index", "load-master", "load-worker"}


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
    assert left <= {"load-master"}  # has a request and no field


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
