"""What the controllers of Kubernetes, a kubelet and the programs in pods would do, in memory.

With it, a benchmark runs from its beginning to its end in some ten reconciles.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from solrbench.contract import names
from solrbench.contract.load_plan import LoadState
from solrbench.contract.names import EXPORT, INDEX, LABEL_COMPONENT, LOAD_MASTER
from solrbench.contract.step_document import StepRunResult
from solrbench.controller import objects
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners.created import CreatedTarget
from solrbench.decide.views import Replica, ReplicaSize
from solrbench.errors import TemporaryError
from solrbench.manifests.common import owner_uid
from solrbench.reasons.target import TargetReason
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import replica_sizes_via_proxy
from support.fakes.fake_cluster import FakeCluster
from support.results.builders import make_document, make_result
from support.solr.cloud import Cloud

Body = dict[str, Any]
DOCUMENTS = 1000
OUTCOMES: dict[str, Body] = {
    INDEX: {"pod": 0, "documents": DOCUMENTS, "bytes": 9, "started": 1.0, "finished": 2.0},
    EXPORT: {"files": 3, "bytes": 9, "sha256": "0" * 64, "removed": 0},
}
"""Last words of the pods that end at once, by component."""
RUNNING: Body = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


class Workloads:
    """Lets the Jobs and Deployments of a cluster get on."""

    def __init__(self, cluster: FakeCluster, clock: Callable[[], datetime]) -> None:
        self._cluster = cluster
        self._clock = clock
        self._stored: dict[str, set[str]] = {}
        self._made = 0
        self.started: Counter[str] = Counter()
        """Number of pods of each Job so far."""
        self.microseconds: Callable[[str], int] = lambda _: 1000
        """Service time in a step run, by its id."""
        self.variants: tuple[str, ...] = ("",)
        """Names of the variants."""

    def advance(self) -> None:
        """Make the pods of every Job and Deployment; those of index and export end at once."""
        for (kind, *_), body in list(self._cluster.objects.items()):
            if kind == "Job" and not self._has_pod(body, 0):
                self._start(body)
            if kind == "Deployment":
                for number in range(body["spec"]["replicas"]):
                    if not self._has_pod(body, number):
                        self._put_pod(body, number, RUNNING)
                body["status"] = {"availableReplicas": body["spec"]["replicas"]}

    def master(self, host: str, token: str, _: object = None) -> "nullcontext[Master]":
        """Return what stands in for the client of the load master at an address."""
        for pod in self._cluster.select("Pod", None, {LABEL_COMPONENT: LOAD_MASTER}):
            if pod["status"].get("podIP") == host:
                place = pod["metadata"]["namespace"], pod["metadata"]["name"].removesuffix("-0")
                files = self._cluster.get("v1", "ConfigMap", *place)
                assert files is not None
                plan = json.loads(files["data"]["load-plan.json"])
                assert token == plan["token"] == files["data"]["token"]
                stored = self._stored.setdefault(pod["metadata"]["uid"], set())
                ids = [each["id"] for each in plan["stepRuns"]]
                return nullcontext(Master(ids, stored, self.result))
        raise AssertionError(f"no load master has the address {host}")

    def result(self, step_run_id: str) -> StepRunResult:
        """Return a result that ended a minute ago."""
        repeat, _, step = re.sub("v[0-9]-", "", step_run_id).split("-", 2)
        place = re.search("-v([0-9])-", step_run_id)
        variant = "" if place is None else self.variants[int(place[1])]
        result = make_result([self.microseconds(step_run_id)] * 200)
        ended = self._clock() - timedelta(seconds=60)
        times: Body = {"start_time": ended - timedelta(seconds=1), "end_time": ended}
        given = times | {"id": step_run_id, "variant": variant}
        return make_document(step, int(repeat[1:]), result, **given)

    def _has_pod(self, owner: Body, number: int) -> bool:
        metadata = owner["metadata"]
        name = f"{metadata['name']}-{number}"
        return ("Pod", metadata["namespace"], name) in self._cluster.objects

    def _start(self, job: Body) -> None:
        """Make the pod of a Job, and end both where its program ends at once."""
        name, component = job["metadata"]["name"], job["metadata"]["labels"][LABEL_COMPONENT]
        self.started[f"{component}/{name}"] += 1
        status: Body = {"phase": "Running", "podIP": f"pod-{self._made}.{name}"}
        if component in OUTCOMES:
            ended = {"exitCode": 0, "message": json.dumps(OUTCOMES[component])}
            state = {"terminated": ended | {"reason": "Completed"}}
            container = {"name": component, "state": state}
            status = {"phase": "Succeeded", "containerStatuses": [container]}
            job["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
        self._put_pod(job, 0, status)

    def _put_pod(self, owner: Body, number: int, status: Body) -> None:
        metadata = owner["metadata"]
        place = {"name": f"{metadata['name']}-{number}", "namespace": metadata["namespace"]}
        labels = owner["spec"]["template"]["metadata"]["labels"]
        self._made += 1
        reference = {key: owner[key] for key in ("apiVersion", "kind")} | {"name": metadata["name"]}
        owners = [reference | {"uid": metadata["uid"], "controller": True}]
        own = {"uid": f"pod-{self._made}", "labels": labels, "ownerReferences": owners}
        self._cluster.put({"kind": "Pod", "metadata": place | own, "status": dict(status)})


@dataclass
class Master:
    """A load master that has always just finished the next step run."""

    step_runs: list[str]
    stored: set[str]
    """Ids of those that the operator has stored."""
    result: Callable[[str], StepRunResult]

    def state(self) -> LoadState:
        waiting = [each for each in self.step_runs if each not in self.stored]
        return LoadState(stage="Storing", unacknowledged=waiting[:1])

    def acknowledge(self, step_run_id: str) -> None:
        self.stored.add(step_run_id)


@dataclass
class TargetOfPods(CreatedTarget):
    """A target with one pod that is there at once; the data of its Solr go with it."""

    cluster: FakeCluster
    cloud: Cloud
    made: list[str] = field(default_factory=list)
    """Uids of all pods so far."""

    def ensure_pods(self, context: ReconcileContext) -> None:
        """Make the pod in one reconcile, and find it in the next one."""
        if objects.pods(context, names.SOLR):
            return
        others = self.cluster.select("Pod", None, {LABEL_COMPONENT: names.SOLR})
        assert not others, "two targets at a time"
        self.cloud.collections.clear()
        self.cloud.config_sets.clear()
        self.made.append(f"solr-{len(self.made)}")
        attempt = context.status.attempts.target
        metadata = {
            "name": f"{names.child(context.benchmark, names.SOLR)}-0",
            "namespace": context.namespace,
            "uid": self.made[-1],
            "labels": names.labels(context.benchmark, names.SOLR, attempt),
            "ownerReferences": [
                {"uid": owner_uid(context.benchmark, names.SOLR), "controller": True}
            ],
        }
        self.cluster.put({"kind": "Pod", "metadata": metadata, "status": dict(RUNNING)})
        raise TemporaryError(TargetReason.SOLR_NOT_LIVE, "the pod starts")

    def replica_sizes(self, solr: SolrClient, found: list[Replica]) -> list[ReplicaSize]:
        """Ask through the one way into the cloud."""
        return replica_sizes_via_proxy(solr, found)
