"""Who stands at Solr's endpoint, and what lies behind a single one."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from solrbench.decide.views import NodeIdentity, Replica, ReplicaSize
from solrbench.errors import PermanentError, TemporaryError
from solrbench.net.http import HttpAuth, basic_auth
from solrbench.solr.cluster import (
    commit,
    config_set_of,
    live_nodes,
    node_identities,
    node_identity,
    replica_sizes,
    replica_sizes_via_proxy,
    replicas,
    resolve,
    resolve_alias,
    zookeepers,
)
from support.failing import failing
from support.solr.cloud import Cloud
from support.solr.recorded_solr import Solr
from support.solr.states import CLUSTER_STATUS

# from the answer of Solr 9.10.1 on OpenJDK 17
SYSTEM = {
    "lucene": {"solr-spec-version": "9.10.1", "lucene-spec-version": "9.12.3"},
    "jvm": {
        "version": "17.0.15 17.0.15+6",
        "name": "Eclipse Adoptium OpenJDK 64-Bit Server VM",
        "memory": {"raw": {"free": 1, "total": 2, "max": 805306368, "used": 1}},
        "jmx": {"startTime": "2026-01-01T00:00:00Z"},
    },
}


def test_nodes_are_sorted() -> None:
    solr = Solr({"CLUSTERSTATUS": CLUSTER_STATUS})
    assert solr.call(live_nodes) == ["a:8983_solr", "b:8983_solr"]


def test_replicas_by_shard() -> None:
    with Solr({"CLUSTERSTATUS": CLUSTER_STATUS}).client() as client:
        found = replicas(client, "books")
        assert replicas(client, "other") == []
    assert [(each.shard, each.type, each.state, each.leader) for each in found] == [
        ("shard1", "NRT", "active", True),
        ("shard1", "PULL", "active", False),
        ("shard2", "NRT", "active", True),
        ("shard2", "NRT", "down", False),
    ]
    assert found[1] == replace(replica("books_shard1_replica_p4", "b"), type="PULL")


def test_the_parent_of_a_split_shard_serves_no_more() -> None:
    status = copy.deepcopy(CLUSTER_STATUS)
    status["cluster"]["collections"]["books"]["shards"]["shard1"]["state"] = "inactive"
    found = Solr({"CLUSTERSTATUS": status}).call(replicas, "books")
    assert {each.shard for each in found} == {"shard2"}


def test_only_one_collection_is_asked_for() -> None:
    solr = Solr({"CLUSTERSTATUS": CLUSTER_STATUS})
    solr.call(replicas, "books")
    solr.call(live_nodes)
    asked = [parameters for _, _, parameters, _ in solr.asked]
    assert [each.get("collection") for each in asked] == ["books", None]
    assert asked[1]["includeAll"] == "false"


def test_an_absent_collection_is_no_error_and_anything_else_is() -> None:
    # of Solr 9.10.1
    absent = {"error": {"msg": "Collection: other not found", "code": 400}}
    with Solr({"CLUSTERSTATUS": (400, absent)}).client() as client:
        assert replicas(client, "other") == []
        assert config_set_of(client, "other") is None
        assert resolve_alias(client, "other") == "other"
        with pytest.raises(PermanentError, match="Collection: other not found"):
            replicas(client, "books")


def test_an_alias_is_resolved() -> None:
    status = {"cluster": {"collections": {}, "aliases": {"old": "books"}, "live_nodes": []}}
    assert Solr({"CLUSTERSTATUS": status}).call(resolve_alias, "old") == "books"


def test_node_describes_itself() -> None:
    found = Solr({"/admin/info/system": SYSTEM}).call(node_identity, "http://b:8983/solr")
    assert found == NodeIdentity(
        solr_version="9.10.1",
        heap_max_bytes=805306368,
        started="2026-01-01T00:00:00Z",
        jvm="Eclipse Adoptium OpenJDK 64-Bit Server VM 17.0.15 17.0.15+6",
    )


# As `MetricsHandler` of Solr 10.0.0 writes it.
NO_JSON = {
    "responseHeader": {"status": 400, "QTime": 0},
    "error": {
        "msg": "Only Prometheus and OpenMetrics metric formats supported. Unsupported format"
        " requested: json",
        "code": 400,
    },
}


def core_of_solr_10(core: str, live: int, all_: int, megabytes: float) -> str:
    """Return a core as `SolrCore` and `SolrIndexSearcher` of Solr 10.0.0 register it."""
    labels = f'category="{{}}",collection="books",core="{core}",replica_type="NRT",shard="s"'
    searcher, own = labels.format("SEARCHER"), labels.format("CORE")
    return f"""\
# TYPE solr_core_index_size_megabytes gauge
solr_core_index_size_megabytes{{{own},otel_scope_name="org.apache.solr"}} {megabytes}
# TYPE solr_core_indexsearcher_index_docs gauge
solr_core_indexsearcher_index_docs{{{searcher},otel_scope_name="org.apache.solr"}} {all_}.0
# TYPE solr_core_indexsearcher_index_num_docs gauge
solr_core_indexsearcher_index_num_docs{{{searcher},otel_scope_name="org.apache.solr"}} {live}.0
"""


def replica(core: str, node: str, shard: str = "shard1", url: str | None = None) -> Replica:
    base_url = f"http://{node}:8983/solr" if url is None else url
    return Replica(shard, core, f"{node}:8983_solr", base_url, "NRT", "active", False)


def test_solr_10_is_asked_for_each_node_through_the_one_address() -> None:
    texts = [core_of_solr_10("c1", 90, 100, 1.5), core_of_solr_10("c2", 90, 90, 3e-1)]
    solr = Solr({"/admin/metrics": [(400, NO_JSON), *texts]})
    found = solr.call(replica_sizes_via_proxy, [replica("c1", "a"), replica("c2", "b")])
    assert found == [
        ReplicaSize("shard1", "c1", documents=90, bytes=3 << 19, deleted_documents=10),
        ReplicaSize("shard1", "c2", documents=90, bytes=314572, deleted_documents=0),
    ]
    asked = [parameters for _, _, parameters, _ in solr.asked]
    assert [each.get("node") for each in asked] == [None, "a:8983_solr", "b:8983_solr"]
    node = "a:8983_solr"
    where = {"node": node, "nodes": node, "core": "c1", "category": "CORE,SEARCHER"}
    assert asked[1] == {"wt": "prometheus", **where}


def test_core_that_solr_10_does_not_show_whole_is_waited_for() -> None:
    text = core_of_solr_10("c1", 1, 1, 1.0).partition("# TYPE solr_core_indexsearcher_index_docs")
    solr = Solr({"/admin/metrics": [(400, NO_JSON), text[0]]})
    with pytest.raises(TemporaryError, match="the index of c1"):
        solr.call(replica_sizes_via_proxy, [replica("c1", "a")])


def test_other_refusals_of_metrics_are_errors() -> None:
    refusal = {"error": {"msg": "metrics collection is disabled", "code": 400}}
    with (
        Solr({"/admin/metrics": [(400, refusal)]}).client() as client,
        pytest.raises(PermanentError, match="is disabled"),
    ):
        replica_sizes_via_proxy(client, [replica("c1", "a")])


def test_credentials_go_with_every_request() -> None:
    login = basic_auth("solr", "SolrRocks")
    cloud = Cloud(authorization=login)
    with cloud.client(HttpAuth(login)) as client:
        assert set(node_identities(client)) == {"a:8983_solr", "b:8983_solr"}


@pytest.mark.parametrize("access", [HttpAuth(), HttpAuth(basic_auth("solr", "secret-guess"))])
def test_wrong_password_is_reported_without_the_password(access: HttpAuth) -> None:
    cloud = Cloud(authorization=basic_auth("solr", "SolrRocks"))
    refused = failing(PermanentError, "AuthenticationFailed", r"basicAuth\.secret\.name")
    with cloud.client(access) as client, refused as caught:
        node_identities(client)
    assert "guess" not in str(caught.value)
    assert "Basic" not in str(caught.value)


def test_one_life_of_each_node() -> None:
    cloud = Cloud(nodes={"a:8983_solr": "2026-01-01T00:00:00Z", "b:8983_solr": "later"})
    lives = cloud.call(node_identities)
    assert {name: life.started for name, life in lives.items()} == cloud.nodes
    assert lives["a:8983_solr"].solr_version == "9.10.1"
    assert lives["a:8983_solr"].heap_max_bytes == 1 << 30


def test_answer_that_names_no_node_is_waited_for() -> None:
    with pytest.raises(TemporaryError, match="no live node"):
        Cloud(nodes={}).call(node_identities)


def test_size_of_every_replica_through_one_endpoint() -> None:
    cloud = Cloud()
    cloud.make("books", "books")
    cloud.make("others", "others")
    found = cloud.call(replica_sizes_via_proxy, cloud.call(replicas, "books"))
    assert found == [ReplicaSize("shard1", "books_shard1_replica_n1", 5, 700, 0)]


def test_missing_replica_is_waited_for() -> None:
    cloud = Cloud()
    cloud.make("books", "books")
    found = cloud.call(replicas, "books")
    cloud.collections.clear()
    with pytest.raises(TemporaryError, match="books_shard1_replica_n1"):
        cloud.call(replica_sizes_via_proxy, found)


def test_ensemble_is_absent_where_solr_does_not_know_it() -> None:
    assert Cloud().call(zookeepers) is None
    solr = Solr({"/admin/zookeeper/status": {"zkStatus": {"ensembleSize": 3}}})
    assert solr.call(zookeepers) == 3


def test_names_are_resolved() -> None:
    assert "127.0.0.1" in resolve("127.0.0.1")
    with failing(TemporaryError, "HostNotFound", "spec.target: .* cannot be resolved"):
        resolve("no-such-host.invalid")


def status(**documents: int) -> dict[str, Any]:
    """Return core status; the fields of Solr 9.10.1 that count."""
    cores = {
        name: {"name": name, "index": {"numDocs": n, "deletedDocs": 2, "sizeInBytes": 1000 + n}}
        for name, n in documents.items()
    }
    return {"status": cores}


@pytest.mark.parametrize(
    ("max_segments", "more"), [(None, {}), (1, {"optimize": "true", "maxSegments": "1"})]
)
def test_commit_waits_for_the_searcher(max_segments: int | None, more: dict[str, str]) -> None:
    solr = Solr({"/books/update": {"responseHeader": {"status": 0}}})
    solr.call(commit, "books", max_segments)
    expected = {"wt": "json", "commit": "true", "waitSearcher": "true", **more}
    assert solr.asked == [("POST", "/books/update", expected, b"[]")]


def test_every_core_is_asked_of_its_own_node() -> None:
    replicas = [replica("s1b", "b"), replica("s1a", "a"), replica("s2a", "a", "shard2")]
    solr = Solr({"STATUS": [status(s1a=3, s2a=4, other=9), status(s1b=3)]})
    with solr.client(("http://a:8983/solr", "http://b:8983/solr")) as client:
        found = replica_sizes(client, replicas)
    assert solr.actions() == ["STATUS", "STATUS"]
    assert found == [
        ReplicaSize("shard1", "s1a", 3, 1003, 2),
        ReplicaSize("shard2", "s2a", 4, 1004, 2),
        ReplicaSize("shard1", "s1b", 3, 1003, 2),
    ]


@pytest.mark.parametrize(
    "address",
    ["http://10.0.0.1/latest/user-data?x=", "http://a@b:8983/solr", "http://[a", "b:8983"],
)
def test_a_host_that_is_not_the_targets_is_never_asked(address: str) -> None:
    foreign = replica("s1", "a", url=address)
    solr = Solr({"STATUS": status(s1=3)})
    with failing(PermanentError, "ForeignNode"):
        solr.call(replica_sizes, [replica("s1", "a"), foreign])
    assert solr.asked == []


def test_a_node_is_asked_at_its_known_url() -> None:
    elsewhere = replica("s1", "a", url="http://A:2181/latest?x=")
    solr = Solr({"/admin/cores": status(s1=3), "STATUS": status(s1=3)})
    assert solr.call(replica_sizes, [elsewhere]) == [ReplicaSize("shard1", "s1", 3, 1003, 2)]
    assert [path for _, path, _, _ in solr.asked] == ["/admin/cores"]
