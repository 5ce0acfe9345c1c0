import pytest

from solrbench.decide.views import Replica
from solrbench.errors import PermanentError
from solrbench.solr.cluster import (
    NodeInfo,
    config_set_of,
    live_nodes,
    node_info,
    replicas,
    resolve_alias,
)
from support.solr.recorded_solr import Solr
from support.solr.states import CLUSTER_STATUS

# from the answer of Solr 9.10.1 on OpenJDK 17
SYSTEM = {
    "lucene": {"solr-spec-version": "9.10.1", "lucene-spec-version": "9.12.3"},
    "jvm": {
        "version": "17.0.15 17.0.15+6",
        "name": "Eclipse Adoptium OpenJDK 64-Bit Server VM",
        "memory": {"raw": {"free": 1, "total": 2, "max": 805306368, "used": 1}},
    },
}


def test_nodes_are_sorted() -> None:
    with Solr({"CLUSTERSTATUS": CLUSTER_STATUS}).client() as client:
        assert live_nodes(client) == ["a:8983_solr", "b:8983_solr"]


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
    assert found[1] == Replica(
        shard="shard1",
        core="books_shard1_replica_p4",
        node="b:8983_solr",
        base_url="http://b:8983/solr",
        type="PULL",
        state="active",
        leader=False,
    )


def test_only_one_collection_is_asked_for() -> None:
    solr = Solr({"CLUSTERSTATUS": CLUSTER_STATUS})
    with solr.client() as client:
        replicas(client, "books")
        live_nodes(client)
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
    with Solr({"CLUSTERSTATUS": status}).client() as client:
        assert resolve_alias(client, "old") == "books"


def test_node_describes_itself() -> None:
    with Solr({"/admin/info/system": SYSTEM}).client() as client:
        found = node_info(client, "http://b:8983/solr")
    assert found == NodeInfo(
        url="http://b:8983/solr",
        solr_version="9.10.1",
        jvm="Eclipse Adoptium OpenJDK 64-Bit Server VM 17.0.15 17.0.15+6",
        heap_max_bytes=805306368,
    )
