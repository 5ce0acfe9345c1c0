"""Pods keep the rules of the usual scanners and get the files that targets ask for."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from solrbench.contract import names
from solrbench.contract.load_plan import CA_FOLDER, CREDENTIALS_FOLDER, auth_files
from solrbench.net.http import HttpAuth, read_auth
from support.resources.objects import (
    POD_KINDS,
    everything,
    mounted,
    operated_target,
    pick,
    pod,
    stored,
    tools,
)
from support.resources.small_resource import SOLR, Changes, create
from support.resources.workload_rules import (
    EXCEPTIONS,
    Finding,
    Workload,
    find_problems,
    unexplained,
)

SERVING = {"solr", "zookeeper"}
SWEEP = {"apiVersion": "solrbench.io/v1alpha1", "kind": "SolrBenchmarkSweep", "name": "heaps"}
CHANGES: dict[str, Changes] = {
    "little": {},
    "with agents": {"spec.load.telemetry": {"collect": "ServersAndPods"}},
    "of a sweep": {"metadata.ownerReferences": [SWEEP | {"uid": "5eeb", "controller": True}]},
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


SECRETS = create(
    urls=["https://search/solr"],
    basicAuth={"secret": {"name": "login"}},
    tls={"caSecret": {"name": "authority", "key": "root.pem"}},
)
LOGIN = ("username", "password")
JOBS = ["base-index", "base-load-master", "base-load-worker"]


@pytest.mark.parametrize("job", JOBS)
def test_only_the_keys_that_are_named_are_mounted_where_the_plan_says(job: str) -> None:
    manifest = pick(tools(SECRETS), "Job", job)
    files = auth_files(stored(SECRETS).spec.target.existing)
    for name, folder, secret, items in (
        ("credentials", CREDENTIALS_FOLDER, "login", {each: each for each in LOGIN}),
        ("ca", CA_FOLDER, "authority", {"root.pem": "ca.crt"}),
    ):
        keys = [{"key": key, "path": path} for key, path in items.items()]
        source = {"secretName": secret, "items": keys, "defaultMode": 0o440}
        assert mounted(manifest, name) == (folder, {"secret": source})
    assert files.credentials_folder == CREDENTIALS_FOLDER
    assert files.ca_file == f"{CA_FOLDER}/ca.crt"


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("changes", [{}, create()])
def test_no_secret_without_need(job: str, changes: Changes) -> None:
    assert "secret" not in str(pod(pick(tools(changes), "Job", job))["volumes"])
    assert read_auth(auth_files(stored(changes).spec.target.existing)) == HttpAuth()


def test_plans_name_files_and_no_secret() -> None:
    for name in ("base-index", "base-load-master"):
        text = json.dumps(pick(tools(SECRETS), "ConfigMap", name)["data"])
        assert "login" not in text
        assert "authority" not in text
