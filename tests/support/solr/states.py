"""States of a collection as Solr 9.10.1 returns them."""

from typing import Any


def replica(core: str, node: str = "a", **changes: str) -> dict[str, str]:
    return {
        "core": core,
        "node_name": f"{node}:8983_solr",
        "type": "NRT",
        "state": "active",
        "force_set_state": "false",
        "base_url": f"http://{node}:8983/solr",
        **changes,
    }


CLUSTER_STATUS: dict[str, Any] = {
    "responseHeader": {"status": 0, "QTime": 1},
    "cluster": {
        "collections": {
            "books": {
                "configName": "books",
                "router": {"name": "compositeId"},
                "shards": {
                    "shard2": {
                        "range": "0-7fffffff",
                        "state": "active",
                        "replicas": {
                            "core_node7": replica("books_shard2_replica_n1", "b", leader="true"),
                            "core_node8": replica("books_shard2_replica_n2", "a", state="down"),
                        },
                    },
                    "shard1": {
                        "range": "80000000-ffffffff",
                        "state": "active",
                        "replicas": {
                            "core_node3": replica("books_shard1_replica_n1", leader="true"),
                            "core_node5": replica("books_shard1_replica_p4", "b", type="PULL"),
                        },
                    },
                },
            }
        },
        "live_nodes": ["b:8983_solr", "a:8983_solr"],
    },
}
