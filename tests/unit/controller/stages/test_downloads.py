"""What the operator checks of a dataset over HTTP, and passes on to the index pods."""

import json
from dataclasses import replace
from typing import Any

import pytest

from solrbench.api.v1alpha1 import Status
from solrbench.controller.stages import indexing
from solrbench.controller.stages.indexing import reconcile_index
from solrbench.controller.stages.references import check_references
from solrbench.errors import PermanentError, TemporaryError
from solrbench.plan.index_plan import IndexPlan
from support.fakes.fake_cluster import FakeCluster
from support.resources.small_resource import Changes, create
from unit.controller.runs import reconcile_context
from unit.solr.cloud import Cloud


def http(**fields: Any) -> Changes:
    """Return the changes to a dataset over HTTP, into an existing target."""
    given = {"urls": ["http://files/a.json", "https://example.org/b.json"], **fields}
    queries = {"configMap": {"name": "q"}}
    return create() | {"spec.dataset": {"http": given}, "spec.workload.queries": queries}


def check(changes: Changes, **settings: Any) -> None:
    run = reconcile_context(Cloud(), changes, Status())
    cluster: Any = FakeCluster(
        {"kind": "ConfigMap", "metadata": {"name": "q", "namespace": run.namespace}, "data": {}}
    )
    cluster.objects["ConfigMap", run.namespace, "q"]["data"] = {"queries.txt": "*:*"}
    run.body = run.benchmark.model_dump(mode="json", by_alias=True)
    run.cluster, run.settings = cluster, replace(run.settings, **settings)
    check_references(run)


def test_a_host_without_dots_is_a_service_of_the_namespace() -> None:
    check(http())
    check(http(), dataset_hosts=("*.{namespace}.svc", "example.org"))
    with pytest.raises(PermanentError, match=r"example\.org matches none") as caught:
        check(http(), dataset_hosts=("*.{namespace}.svc",))
    assert caught.value.reason == "HostNotAllowed"


def test_secrets_need_the_installers_consent() -> None:
    changes = http(auth={"bearerSecret": {"name": "files"}})
    with pytest.raises(PermanentError, match=r"spec\.dataset\.http\.auth") as caught:
        check(changes)
    assert caught.value.reason == "DatasetSecretNotAllowed"
    check(changes, dataset_secrets=True)


def test_a_missing_config_map_with_authorities_is_named() -> None:
    with pytest.raises(TemporaryError, match=r"http\.tls\.caConfigMap: there is no ConfigMap ca"):
        check(http(tls={"caConfigMap": {"name": "ca"}}))


def test_index_plan_has_what_downloads_may_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "api_server_addresses", lambda _: ["10.96.0.1"])
    run = reconcile_context(Cloud(), http() | {"spec.deadlines": {"indexingSeconds": 77}})
    cluster: Any = FakeCluster()
    run.cluster = cluster
    run.settings = replace(run.settings, dataset_hosts=("*.{namespace}.svc",))
    with pytest.raises(TemporaryError, match="Job was created"):
        reconcile_index(run)
    (data,) = (each["data"] for each in cluster.applied if each["kind"] == "ConfigMap")
    plan = IndexPlan.model_validate(json.loads(data["index-plan.json"]))
    assert plan.download_hosts == [f"*.{run.namespace}.svc"]
    assert (plan.api_server, plan.max_seconds) == (["10.96.0.1"], 77)
