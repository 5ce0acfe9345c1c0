"""A world whose index Job has sent all documents, and the Solr that has them."""

import json
from typing import Any

import httpx
import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from support.controller.measured_worlds import measured_so_far, solr_pod
from support.controller.world import World
from support.solr.states import replica

DOCUMENTS = 2000
HOST = "one-solr-{}.one-solr.default.svc"
SHARD = {
    "n1": replica("leader", HOST.format(0), type="TLOG", leader="true"),
    "n2": replica("tlog", HOST.format(1), type="TLOG"),
    "n3": replica("pull", HOST.format(2), type="PULL"),
}
REAL_CLIENT = httpx.Client


class Index:
    """A Solr whose replicas hold so many documents; notes what it is asked to do."""

    def __init__(self, **documents: int) -> None:
        self.documents = documents
        self.commits = 0

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/update"):
            self.commits += 1
            return httpx.Response(200, json={"responseHeader": {"status": 0}})
        if request.url.path.endswith("/admin/collections"):
            shard = {"range": "80000000-7fffffff", "state": "active", "replicas": SHARD}
            collection = {"router": {"name": "compositeId"}, "shards": {"shard1": shard}}
            cluster = {"collections": {"one": collection}, "live_nodes": []}
            return httpx.Response(200, json={"cluster": cluster})
        cores = {
            name: {"index": {"numDocs": number, "sizeInBytes": 7, "deletedDocs": number // 10}}
            for name, number in self.documents.items()
        }
        return httpx.Response(200, json={"status": cores})

    def client(self, **_: Any) -> httpx.Client:
        return REAL_CLIENT(transport=httpx.MockTransport(self.answer), trust_env=False)


def indexed_world() -> World:
    """Return a world whose index Job has just sent all documents."""
    world = measured_so_far(retries=2)
    body = world.cluster.objects["SolrBenchmark", "default", "one"]
    body["spec"]["target"]["solrCloud"]["nodes"] = 3
    body["spec"]["collection"] = {"replicas": {"nrt": 0, "tlog": 2, "pull": 1}}
    body["status"]["conditions"].pop()  # DataIndexed
    labels = solr_pod()["metadata"]["labels"] | {"app.kubernetes.io/component": "index"}
    owners = [{"uid": body["metadata"]["uid"], "controller": True}]
    done = {"type": "Complete", "status": "True"}
    progress = {"pod": 0, "documents": DOCUMENTS, "bytes": 9, "started": 1.0, "finished": 2.0}
    ended = {"exitCode": 0, "reason": "Completed", "message": json.dumps(progress)}
    container = {"name": "index", "state": {"terminated": ended}}
    world.cluster.put(solr_pod())
    world.cluster.put(
        {
            "kind": "Job",
            "metadata": {"name": "one-index", "labels": labels, "ownerReferences": owners},
            "status": {"conditions": [done]},
        }
    )
    world.cluster.put(
        {
            "kind": "Pod",
            "metadata": {"name": "one-index-0", "labels": labels},
            "status": {"phase": "Succeeded", "containerStatuses": [container]},
        }
    )
    return world


def passed(world: World, monkeypatch: pytest.MonkeyPatch, index: Index) -> SolrBenchmark:
    """Make a reconcile while Solr is in the state of `index`."""
    monkeypatch.setattr("solrbench.solr.client.httpx.Client", index.client)
    return world.reconcile("one")
