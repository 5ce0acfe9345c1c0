"""Worlds in which a benchmark has come so far: measuring, a finished step, a filled index."""

import json
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Self

import httpx2 as httpx
import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.load_plan import LoadPlan, LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.controller.stages import load_results
from solrbench.errors import TemporaryError
from solrbench.kube.results import BenchmarkResultStore
from solrbench.reasons.load import LoadReason
from support.cluster.benchmarks import small
from support.controller.world import NOW, World, condition_of
from support.results.builders import make_document, make_result
from support.solr.states import replica

TIME = NOW.isoformat()
OWNED_BY_ONE = [{"uid": "uid-of-one", "controller": True}]


def stored_conditions(**truths: str) -> list[dict[str, Any]]:
    """Return conditions by their type, as they have been stored since the beginning."""
    return [
        {"type": type_, "status": status, "reason": "Test", "lastTransitionTime": TIME}
        for type_, status in truths.items()
    ]


def measured_so_far(retries: int, **attempts: int) -> World:
    """Return a world with a benchmark whose target was ready, and whose pods are gone."""
    body = small("one", backoffLimit=retries)
    body["status"] = {
        "startTime": TIME,
        "phase": "Measuring",
        "phaseStartTime": TIME,
        "attempts": {"target": 1, "load": 1} | attempts,
        "target": {"pods": {"one-solr-0": "some-uid/0"}},
        "conditions": stored_conditions(Accepted="True", TargetReady="True", DataIndexed="True"),
    }
    return World(body)


def solr_pod(restarts: int = 0, **ended: Any) -> dict[str, Any]:
    """Return the Solr pod that was there when the target became ready."""
    container = {"restartCount": restarts, "lastState": {"terminated": ended}}
    return _pod("solr", "one-solr-0", "some-uid", "Running", container)


def worker_pod(phase: str = "Failed", **words: str) -> dict[str, Any]:
    """Return a worker that ended; `words` are its last ones."""
    ended = {"exitCode": 137, "reason": "OOMKilled"} if not words else {"exitCode": 3}
    message = json.dumps({"stage": "Failed"} | words) if words else ""
    state = {"terminated": ended | {"message": message}}
    return _pod("load-worker", "one-load-worker-0-x", "w", phase, {"state": state})


def _pod(
    component: str, name: str, uid: str, phase: str, container: dict[str, Any]
) -> dict[str, Any]:
    """Return a pod of the first attempt, whose container has the name of its component."""
    labels = {
        "solrbench.io/benchmark": "one",
        "app.kubernetes.io/component": component,
        "solrbench.io/attempt": "1",
    }
    return {
        "kind": "Pod",
        "metadata": {"name": name, "uid": uid, "labels": labels, "ownerReferences": OWNED_BY_ONE},
        "status": {"phase": phase, "containerStatuses": [{"name": component} | container]},
    }


def with_worker_lost(mode: str, **words: str) -> World:
    """Return a world whose load has started and has lost a worker."""
    world = measured_so_far(retries=2)
    world.body()["spec"]["load"] |= {"workers": 2, "onWorkerLoss": mode}
    world.cluster.put(solr_pod())
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "LoadStarted")
    world.cluster.put(worker_pod(**words))
    return world


def plan_of(world: World) -> LoadPlan:
    """Return the plan that the load pods read after the next reconcile."""
    world.cluster.put(solr_pod())
    world.reconcile("one")
    found = world.cluster.objects["ConfigMap", "default", "one-load-master"]
    return LoadPlan.model_validate(json.loads(found["data"]["load-plan.json"]))


STEP_RUN = "r1-s0-two-users"


def measured(**fields: Any) -> StepRunResult:
    """Return a document of the ten seconds before now."""
    times = {"start_time": NOW - timedelta(seconds=10), "end_time": NOW}
    given: dict[str, Any] = {"id": STEP_RUN, "seconds": 10.0} | times | fields
    return make_document("two-users", 1, make_result([1000] * 300), **given)


def stored(world: World) -> StepRunResult:
    reports = BenchmarkResultStore(world.cluster)
    return reports.documents(SolrBenchmark.parse(world.body()))[STEP_RUN]


def world_with(document: StepRunResult) -> World:
    """Return a world in which a document is stored and the load goes on."""
    world = measured_so_far(retries=2)
    body = world.body()
    body["spec"]["load"]["repeats"] = {"count": 2}
    for condition in body["status"]["conditions"]:
        condition["lastTransitionTime"] = (NOW - timedelta(minutes=1)).isoformat()
    world.store(document)
    return world


@dataclass
class Master:
    """A load master with the result of one step run, in place of the client of one."""

    document: StepRunResult
    current: LoadState | None
    """Its state; `None` where it does not respond any more."""
    acknowledged: list[str] = field(default_factory=list)
    """Ids of the results that the operator has stored."""

    def put(self, patch: pytest.MonkeyPatch) -> Self:
        """Let it be found at every address."""
        patch.setattr(load_results, "LoadMasterClient", lambda *_: nullcontext(self))
        return self

    def state(self) -> LoadState:
        if self.current is None:
            raise TemporaryError(LoadReason.LOAD_MASTER_UNREACHABLE, "connection refused")
        return self.current

    def unfinished(self) -> StepRunResult:
        self.state()
        return self.document

    def result(self, step_run_id: str) -> StepRunResult:
        self.state()
        assert step_run_id == self.document.id
        return self.document.model_copy(update={"ended_early": None})

    def acknowledge(self, step_run_id: str) -> None:
        self.state()
        self.acknowledged.append(step_run_id)


def master_with_result(patch: pytest.MonkeyPatch) -> Master:
    """Return a load master with a finished step."""
    return Master(measured(), LoadState(stage="Waiting", unacknowledged=[STEP_RUN])).put(patch)


def master_pod() -> dict[str, Any]:
    found = _pod("load-master", "one-load-master", "m", "Running", {})
    found["status"]["podIP"] = "10.0.0.1"
    return found


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

    @classmethod
    def whole(cls, documents: int = DOCUMENTS) -> Self:
        """Return one whose replicas all hold so many."""
        return cls(leader=documents, tlog=documents, pull=documents)

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/update"):
            self.commits += 1
            return httpx.Response(200, json={"responseHeader": {"status": 0}})
        if request.url.path.endswith("/admin/collections"):
            shard = {"range": "80000000-7fffffff", "state": "active", "replicas": SHARD}
            collection = {"configName": "one", "shards": {"shard1": shard}}
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
    body = world.body()
    body["spec"]["target"]["solrCloud"]["nodes"] = 3
    body["spec"]["collection"] = {"replicas": {"nrt": 0, "tlog": 2, "pull": 1}}
    body["status"]["conditions"].pop()  # DataIndexed
    progress = {"pod": 0, "documents": DOCUMENTS, "bytes": 9, "started": 1.0, "finished": 2.0}
    ended = {"exitCode": 0, "reason": "Completed", "message": json.dumps(progress)}
    pod = _pod("index", "one-index-0", "i", "Succeeded", {"state": {"terminated": ended}})
    job = pod["metadata"] | {"name": "one-index", "uid": "j"}
    done = {"conditions": [{"type": "Complete", "status": "True"}]}
    for each in (solr_pod(), {"kind": "Job", "metadata": job, "status": done}, pod):
        world.cluster.put(each)
    return world


def passed(world: World, monkeypatch: pytest.MonkeyPatch, index: Index) -> SolrBenchmark:
    """Make a reconcile while Solr is in the state of `index`."""
    monkeypatch.setattr("solrbench.solr.client.httpx.Client", index.client)
    return world.reconcile("one")
