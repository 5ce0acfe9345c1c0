"""Datasets over HTTP are checked, and a load waits until every replica has all documents."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx2 as httpx
import pytest

from solrbench.api.v1alpha1 import Status
from solrbench.contract.pod_plans import IndexPlan
from solrbench.controller.stages import indexing
from solrbench.controller.stages.indexing import reconcile_index
from solrbench.controller.stages.start import check_references
from solrbench.errors import PermanentError, TemporaryError
from support.cluster.benchmarks import config_map
from support.controller.runs import reconcile_context
from support.controller.world import World, condition_of
from support.controller.worlds import DOCUMENTS, Index, indexed_world, passed
from support.failing import failing
from support.fakes.fake_cluster import FakeCluster
from support.narrowing import not_none
from support.resources.small_resource import Changes, create
from support.solr.cloud import Cloud


@pytest.fixture
def world() -> World:
    return indexed_world()


@pytest.mark.parametrize(("tlog", "pull"), [(0, 0), (DOCUMENTS, 0), (0, DOCUMENTS), (1999, 1999)])
def test_replicas_that_are_behind_are_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch, tlog: int, pull: int
) -> None:
    after = passed(world, monkeypatch, Index(leader=DOCUMENTS, tlog=tlog, pull=pull))
    assert condition_of(after, "DataIndexed") == ("False", "ReplicasDisagree")
    assert condition_of(after, "Succeeded") == ("Unknown", "ReplicasDisagree")
    assert after.status.phase == "Indexing"
    whole = Index.whole()
    after = passed(world, monkeypatch, whole)
    assert condition_of(after, "DataIndexed") == ("True", "Indexed")
    assert after.status.dataset.documents == DOCUMENTS
    assert after.status.dataset.deleted_documents == DOCUMENTS // 10
    assert whole.commits == 1


def test_what_was_concluded_stays_while_replicas_catch_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed(world, monkeypatch, Index(leader=DOCUMENTS, tlog=0, pull=0))
    dataset = world.body()["status"]["dataset"]
    assert dataset["verdict"] == "Valid"
    found = {"step": "indexing", "resource": "Merges", "message": "80 %"}
    dataset |= {"verdict": "Invalid", "bottleneck": found, "solr": {"nodes": 3}}
    after = passed(world, monkeypatch, Index.whole()).status.dataset
    assert (after.verdict, after.documents) == ("Invalid", DOCUMENTS)
    assert not_none(after.bottleneck).resource == "Merges"
    assert after.solr is not None


def test_commit_that_outlasts_its_request_is_counted_from_its_begin(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Merging(Index):
        def answer(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/update"):
                raise httpx.ReadTimeout("600 s")
            return super().answer(request)

    after = passed(world, monkeypatch, Merging.whole())
    assert after.status.dataset.commit_time is None  # Solr did not respond, but not for long
    monkeypatch.setattr(indexing, "COMMIT_TIMEOUT_SECONDS", 0)
    passed(world, monkeypatch, Merging.whole())
    for _ in range(2):
        world.now += timedelta(seconds=605)
        after = passed(world, monkeypatch, Merging.whole())
        assert after.status.dataset.commit_seconds is None
    after = passed(world, monkeypatch, Index.whole())
    assert condition_of(after, "DataIndexed") == ("True", "Indexed")
    assert after.status.dataset.commit_seconds == pytest.approx(1210, abs=5)


def test_node_that_is_lost_while_documents_are_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Losing(Index):
        def answer(self, request: httpx.Request) -> httpx.Response:
            world.cluster.objects.pop(("Pod", "default", "one-solr-0"), None)
            return super().answer(request)

    after = passed(world, monkeypatch, Losing.whole())
    assert condition_of(after, "DataIndexed") == ("False", "TargetPodLost")
    assert after.status.attempts.target == 2


def test_index_pod_of_a_lost_node_is_not_waited_for(world: World) -> None:
    del world.cluster.objects["Job", "default", "one-index"]["status"]
    pod = world.cluster.objects["Pod", "default", "one-index-0"]
    pod["metadata"]["deletionTimestamp"] = (world.now - timedelta(minutes=2)).isoformat()
    pod |= {"status": {"phase": "Running"}, "spec": {"nodeName": "gone"}}
    after = world.reconcile("one")
    assert condition_of(after, "DataIndexed") == ("False", "NodeLost")
    assert after.status.attempts.target == 2


def test_pods_are_listed_once_for_progress_and_troubles(world: World) -> None:
    del world.cluster.objects["Job", "default", "one-index"]["status"]
    assert condition_of(world.reconcile("one"), "DataIndexed") == ("False", "Indexing")
    assert world.cluster.asked.count("Pod") == 2  # one of them is the look at the target


def without_pod(world: World, sent: int | None, **dataset: Any) -> World:
    """Let the pod be one of two and go; `sent` documents were seen before."""
    body = world.body()
    if dataset:
        body["spec"]["dataset"] = dataset
        body["spec"]["workload"] = {"queries": {"configMap": {"name": "mine", "key": "q.txt"}}}
    body["spec"]["dataset"]["indexing"] = {"pods": 2}
    if sent is not None:
        body["status"]["dataset"] = {"documents": sent}
    del world.cluster.objects["Pod", "default", "one-index-0"]
    return world


FILES = {"configMap": {"name": "mine", "keys": ["a.jsonl"]}}


@pytest.mark.parametrize("surplus", [0, -1, 1])
def test_number_of_the_generator_counts_when_index_pods_are_gone(
    world: World, monkeypatch: pytest.MonkeyPatch, surplus: int
) -> None:
    index = Index.whole(DOCUMENTS + surplus)
    after = passed(without_pod(world, sent=None), monkeypatch, index)
    expected = ("False", "DocumentCountMismatch") if surplus else ("True", "Indexed")
    assert condition_of(after, "DataIndexed") == expected


@pytest.mark.parametrize(
    ("sent", "found", "outcome"),
    [
        (500, 1000, ("True", "Indexed")),
        (None, 1000, ("True", "Indexed")),
        (500, 499, ("False", "DocumentCountMismatch")),
        (None, 0, ("False", "DocumentsUnknown")),
    ],
)
def test_count_of_solr_is_taken_when_reports_of_files_are_gone(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    sent: int | None,
    found: int,
    outcome: tuple[str, str],
) -> None:
    world.cluster.put(config_map("mine", **{"a.jsonl": "{}", "q.txt": "q=*:*"}))
    after = passed(without_pod(world, sent, **FILES), monkeypatch, Index.whole(found))
    assert condition_of(after, "DataIndexed") == outcome
    if outcome[0] == "True":
        assert after.status.dataset.documents == found


def test_pods_of_a_finished_index_are_protected_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = world.cluster.objects["Job", "default", "one-index"]["metadata"]
    metadata = {key: job[key] for key in ("name", "labels", "ownerReferences")}
    world.cluster.put({"kind": "PodDisruptionBudget", "metadata": metadata})
    passed(world, monkeypatch, Index(leader=DOCUMENTS, tlog=0, pull=0))
    assert world.cluster.names("PodDisruptionBudget") == {"one-index"}
    passed(world, monkeypatch, Index.whole())
    assert "one-index" not in world.cluster.names("PodDisruptionBudget")


def http(**fields: Any) -> Changes:
    """Return the changes to a dataset over HTTP, into an existing target."""
    given = {"urls": ["http://files/a.json", "https://example.org/b.json"], **fields}
    queries = {"configMap": {"name": "q"}}
    return create() | {"spec.dataset": {"http": given}, "spec.workload.queries": queries}


def check(changes: Changes, **settings: Any) -> None:
    run = reconcile_context(Cloud(), changes, Status())
    metadata, data = {"name": "q", "namespace": run.namespace}, {"queries.txt": "*:*"}
    run.cluster = FakeCluster({"kind": "ConfigMap", "metadata": metadata, "data": data})
    run.settings = replace(run.settings, **settings)
    run.body = run.benchmark.model_dump(mode="json", by_alias=True)
    check_references(run)


def test_a_host_without_dots_is_a_service_of_the_namespace() -> None:
    check(http())
    check(http(), dataset_hosts=("*.{namespace}.svc", "example.org"))
    refusal = r"http\.urls: example\.org matches none .* datasets\.allowedHosts"
    with failing(PermanentError, "HostNotAllowed", refusal):
        check(http(), dataset_hosts=("*.{namespace}.svc",))
    # A proxy gets all that is sent through it.
    proxied, hosts = http(proxyUrl="http://proxy.example.net:3128"), ("*.svc", "example.org")
    with failing(PermanentError, "HostNotAllowed", r"http\.proxyUrl: proxy\.example\.net matches"):
        check(proxied, dataset_hosts=hosts)
    check(proxied, dataset_hosts=(*hosts, "*.net"))


def test_a_variant_that_is_not_allowed_ends_it_before_anything_is_indexed() -> None:
    variants = [
        {"name": "raw", "endpoint": "Nodes"},
        {"name": "proxy", "urls": ["http://a.b/solr"]},
    ]
    with failing(PermanentError, "HostNotAllowed", r"spec\.target: a\.b matches none"):
        check(http() | {"spec.target.variants": variants})


def test_secrets_need_the_installers_consent() -> None:
    changes = http(auth={"bearerSecret": {"name": "files"}})
    with failing(PermanentError, "DatasetSecretNotAllowed", r"spec\.dataset\.http\.auth"):
        check(changes)
    check(changes, dataset_secrets=True)


def test_a_missing_config_map_with_authorities_is_named() -> None:
    with pytest.raises(TemporaryError, match=r"http\.tls\.caConfigMap: there is no ConfigMap ca"):
        check(http(tls={"caConfigMap": {"name": "ca"}}))
    bucket = {"endpoint": "https://s3.example.org", "bucket": "results"} | {
        "credentialsSecret": {"name": "s3"},
        "tls": {"caConfigMap": {"name": "ca"}},
    }
    with pytest.raises(TemporaryError, match=r"s3\.tls\.caConfigMap: there is no ConfigMap ca"):
        check(http() | {"spec.results.export": {"s3": bucket}})


def test_index_plan_has_what_downloads_may_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "api_server_addresses", lambda _: ["10.96.0.1"])
    run = reconcile_context(Cloud(), http() | {"spec.deadlines": {"indexingSeconds": 77}})
    run.cluster = cluster = FakeCluster()
    run.settings = replace(run.settings, dataset_hosts=("*.{namespace}.svc",))
    with pytest.raises(TemporaryError, match="Job was created"):
        reconcile_index(run)
    (data,) = (each["data"] for each in cluster.applied if each["kind"] == "ConfigMap")
    plan = IndexPlan.model_validate(json.loads(data["index-plan.json"]))
    assert plan.download_hosts == [f"*.{run.namespace}.svc"]
    assert (plan.api_server, plan.max_seconds) == (["10.96.0.1"], 77)
