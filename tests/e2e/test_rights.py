"""Rights granted and rights used are equal: the roles, and the audit log of all tests before.

The last module of those that run alone, in the order of names. Rights that no other test needs are
used here first.
"""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from solrbench.api.kinds import BENCHMARK, SWEEP
from support.cluster import kube
from support.cluster.audit_log import (
    ACCOUNT,
    Requests,
    Right,
    granted_rights,
    read_log,
    read_requests,
)
from support.cluster.benchmarks import build_sweep, claim, small

pytestmark = pytest.mark.alone

Body = dict[str, Any]
KINDS = "roles,clusterroles,rolebindings,clusterrolebindings"
OPERATORS = "app.kubernetes.io/part-of=solrbench,app.kubernetes.io/component=operator"
NOT_PROVOKED = {
    "update solrbenchmarks/finalizers.solrbench.io": "checked by an admission plugin of OpenShift",
    "update solrbenchmarksweeps/finalizers.solrbench.io": "the same, for benchmarks of a sweep",
    "get networkpolicies.networking.k8s.io": "needed where an operator begins while pods are made",
    "get replicasets.apps": "needed in the second in which pods outlive their ReplicaSet",
}
"""Rights of which no test can be sure that they are used, with the reason."""


def lease() -> Body:
    """Return the metadata of the operator's Lease, which must be held."""
    listed = json.loads(kube.kubectl("get", "leases", "--output", "json"))["items"]
    found = [each for each in listed if each["metadata"]["name"].endswith("benchmark-operator")]
    return dict(found[0]["metadata"]) if found and found[0]["spec"].get("holderIdentity") else {}


def test_operator_makes_its_lease_again() -> None:
    before = lease()
    kube.kubectl("delete", "lease", before["name"])
    after = kube.wait_for("another Lease", lease, 60)
    assert after["uid"] != before["uid"]
    kube.kubectl("rollout", "status", "deployment", "--timeout=120s")


def apply_sweep(name: str, url: str, **spec: Any) -> Callable[[], list[Body]]:
    """Apply a sweep that measures an existing Solr; return what lists its benchmarks."""
    existing = {"urls": [url], "collectionPolicy": "Create"}
    axis = {"name": "users", "field": "load.steps[0].users", "values": [1, 2]}
    kube.apply(build_sweep(small(name, target={"existing": existing}), axes=[axis], **spec))
    return lambda: kube.items(BENCHMARK.plural, f"solrbench.io/sweep={name}")


def test_sweep_is_deleted_when_its_time_to_live_is_over() -> None:
    outside = "http://198.51.100.7:8983/solr"  # not allowed, so that both points fail at once
    points = apply_sweep("expiring-sweep", outside, ttlSecondsAfterFinished=1)
    kube.wait_for("its expiry", lambda: kube.get(SWEEP.plural, "expiring-sweep") is None, 120)
    kube.wait_for("end of its points", lambda: not points(), 60)


def test_job_before_an_uninstall_suspends_a_sweep_and_releases_its_point() -> None:
    points = apply_sweep("released-sweep", "http://nowhere:8983/solr")  # it may come later
    kube.wait_for("point", lambda: [x for x in points() if x["metadata"].get("finalizers")], 60)
    command = ["helm", "get", "hooks", "solrbench", "--namespace", kube.NAMESPACE]
    hooks = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    (job,) = [each for each in yaml.safe_load_all(hooks) if each and each["kind"] == "Job"]
    name = f"job/{job['metadata']['name']}"
    kube.apply(job)
    kube.kubectl("wait", "--for=condition=Complete", name, "--timeout=120s")
    kube.kubectl("delete", name)
    assert (kube.get(SWEEP.plural, "released-sweep") or {})["spec"]["suspend"] is True
    assert [each["metadata"].get("finalizers", []) for each in points()] == [[]]
    kube.kubectl("delete", SWEEP.plural, "released-sweep", "--wait=false")
    kube.wait_for("end of its point", lambda: not points(), 60)


def test_claim_that_a_solr_operator_leaves_is_deleted() -> None:
    labels = {"solrbench.io/benchmark": "leaving", "app.kubernetes.io/component": "solr"}
    name, plural = "data-leaving-solrcloud-0", "persistentvolumeclaims"
    kube.apply(claim(name, "1Mi", labels=labels))
    kube.apply(small("leaving", suspend=True))
    kube.wait_for("removal", lambda: not kube.get(plural, name), 60)
    kube.delete("leaving")


@pytest.fixture(scope="module")
def requests() -> dict[str, Requests]:
    """Requests by account since `make` began, or all of the log if it was not called by `make`."""
    since = datetime.fromtimestamp(float(os.environ.get("SOLRBENCH_STARTED", "0")), UTC)
    found = read_requests(read_log(os.environ["KUBECONFIG"]), since)
    return found or pytest.skip("no audit log; the cluster from packages has one (CLUSTER)")


def test_rights_granted_and_rights_used_are_equal(
    requests: dict[str, Requests], record_property: Callable[[str, object], None]
) -> None:
    selected = ("--all-namespaces", "--selector", OPERATORS, "--output", "json")
    by_account = granted_rights(json.loads(kube.kubectl("get", KINDS, *selected))["items"])
    granted = set[Right]().union(*by_account.values())
    used, refused = Counter[Right](), Counter[Right]()
    for account in by_account.keys() & requests.keys():
        used += requests[account].used
        refused += requests[account].refused
    record_property(f"rights of the operator were used, {len(granted)} are granted", len(used))
    record_property(f"of {used.total()} requests of it more were refused", refused.total())
    assert set(used) - granted == set(), "used without being granted by the chart"
    # While a release is deleted, its role goes before the last request of its operator.
    assert set(refused) - granted == set(), "needed, but not granted"
    not_used = {*map(str, granted - set(used))}
    assert not_used - set(NOT_PROVOKED) == set(), "granted, but not used"
    assert set(NOT_PROVOKED) - {*map(str, granted)} == set(), "not granted any more"


def test_pods_of_benchmarks_send_nothing_to_the_api_server(requests: dict[str, Requests]) -> None:
    assert f"{ACCOUNT}{kube.NAMESPACE}:default" not in requests
