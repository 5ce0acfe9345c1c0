"""A cluster in which all is real but pods: nothing is scheduled, the test ends Jobs.

What the controllers of Kubernetes, a kubelet and the programs in pods would do is done in memory,
so that a benchmark runs from its beginning to its end in some ten reconciles.
"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Self

from solrbench.plan.load_plan import LoadState
from solrbench.plan.names import EXPORT, INDEX, LABEL_BENCHMARK, LABEL_COMPONENT, LOAD_MASTER
from solrbench.results.model.step_result import StepRunResult
from support.fakes.fake_cluster import FakeCluster
from unit.results.builders import make_document, make_result
from unit.solr.cloud import Cloud

Body = dict[str, Any]
FAKED = ("Pod", "Job", "StatefulSet", "PersistentVolumeClaim", "Deployment", "ReplicaSet")
DOCUMENTS = 1000


class ClusterWithFakedPods:
    """Passes everything on to a cluster, except what would become pods.

    Args:
        real: the cluster, which may be a fake as a whole

    """

    def __init__(self, real: Any) -> None:
        self.real = real
        self.faked = FakeCluster(unknown=())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def get(self, version: str, kind: str, namespace: str, name: str) -> Body | None:
        found: Body | None = self._of(kind).get(version, kind, namespace, name)
        return found

    def list(
        self, version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> list[Body]:
        found: list[Body] = self._of(kind).list(version, kind, namespace, selector)
        return found

    def list_if_served(
        self, version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> Sequence[Body]:
        found: Sequence[Body] = self._of(kind).list_if_served(version, kind, namespace, selector)
        return found

    def events(self, *_: str) -> Sequence[Body]:
        return []

    def apply(self, manifest: Body) -> Body:
        applied: Body = self._of(manifest["kind"]).apply(manifest)
        return applied

    def delete(self, version: str, kind: str, *place: Any, uid: str | None = None) -> None:
        self._of(kind).delete(version, kind, *place, uid=uid)

    def force_delete_pod(self, namespace: str, name: str, uid: str) -> None:
        self.faked.force_delete_pod(namespace, name, uid)

    def pods_of(self, name: str) -> set[str]:
        """Return the names of everything faked that belongs to a benchmark."""
        return {
            f"{kind}/{found}"
            for (kind, _, found), body in self.faked.objects.items()
            if body["metadata"]["labels"].get(LABEL_BENCHMARK) == name
        }

    def collect(self, name: str) -> None:
        """Remove what a benchmark has left, as the garbage collector does."""
        self.faked.objects = {
            key: body
            for key, body in self.faked.objects.items()
            if body["metadata"]["labels"].get(LABEL_BENCHMARK) != name
        }

    def _of(self, kind: str) -> Any:
        return self.faked if kind in FAKED else self.real


class Workloads:
    """Lets the Jobs of a cluster get on: those of the index and of exports end at once.

    Args:
        cluster: with the Jobs
        clock: of the operator

    """

    def __init__(self, cluster: ClusterWithFakedPods, clock: Callable[[], datetime]) -> None:
        self._cluster = cluster
        self._clock = clock
        self._acknowledged: set[tuple[str, str]] = set()
        self.microseconds: Callable[[str], int] = lambda _: 1000
        """Service time in a step run, by its id."""
        self.variants: tuple[str, ...] = ("",)
        """Names of the variants."""

    def advance(self) -> None:
        """Make the pods of every Job; those of the index end at once."""
        objects = self._cluster.faked.objects
        for (kind, namespace, name), job in list(objects.items()):
            if kind == "Job" and ("Pod", namespace, f"{name}-0") not in objects:
                self._make_pod(job)
            if kind == "Deployment":
                self._make_available(job)

    def _make_available(self, deployment: Body) -> None:
        """Make the pods of a Deployment that are missing."""
        metadata, spec = deployment["metadata"], deployment["spec"]
        for number in range(spec["replicas"]):
            place = {"name": f"{metadata['name']}-{number}", "namespace": metadata["namespace"]}
            if ("Pod", place["namespace"], place["name"]) in self._cluster.faked.objects:
                continue
            made = len(self._cluster.faked.applied)
            meta = place | {"uid": f"pod-{made}", "labels": spec["template"]["metadata"]["labels"]}
            ready = {"type": "Ready", "status": "True"}
            status = {"phase": "Running", "conditions": [ready]}
            self._cluster.faked.put({"kind": "Pod", "metadata": meta, "status": status})
        deployment["status"] = {"availableReplicas": spec["replicas"]}

    def _make_pod(self, job: Body) -> None:
        metadata = job["metadata"]
        labels = job["spec"]["template"]["metadata"]["labels"]
        number = len(self._cluster.faked.applied)
        status: Body = {"phase": "Running", "podIP": f"pod-{number}.{metadata['name']}"}
        if labels[LABEL_COMPONENT] in (INDEX, EXPORT):
            ended = _indexed() if labels[LABEL_COMPONENT] == INDEX else _exported()
            status = {"phase": "Succeeded", "containerStatuses": [ended]}
            job["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
        place = {"name": f"{metadata['name']}-0", "namespace": metadata["namespace"]}
        uid = {"uid": f"pod-{number}", "labels": labels}
        self._cluster.faked.put({"kind": "Pod", "metadata": place | uid, "status": status})

    def master(self, host: str, _: object = None) -> "Master":
        """Return what stands in for the client of the load master at an address."""
        for (kind, *_), pod in self._cluster.faked.objects.items():
            if kind == "Pod" and pod["status"].get("podIP") == host:
                return Master(self, pod["metadata"])
        raise AssertionError(f"no pod has the address {host}")

    def unacknowledged(self, metadata: Body) -> list[str]:
        """Return the ids of a master's step runs that are not stored yet, the first one only."""
        place = metadata["namespace"], metadata["name"].removesuffix("-0")
        files = self._cluster.get("v1", "ConfigMap", *place)
        assert metadata["labels"][LABEL_COMPONENT] == LOAD_MASTER
        assert files is not None
        plan = json.loads(files["data"]["load-plan.json"])
        ids = [each["id"] for each in plan["stepRuns"]]
        return [each for each in ids if (metadata["uid"], each) not in self._acknowledged][:1]

    def acknowledge(self, metadata: Body, step_run_id: str) -> None:
        self._acknowledged.add((metadata["uid"], step_run_id))

    def result(self, step_run_id: str) -> StepRunResult:
        """Return a result that ended a minute ago."""
        repeat, _, step = re.sub("v[0-9]-", "", step_run_id).split("-", 2)
        place = re.search("-v([0-9])-", step_run_id)
        variant = "" if place is None else self.variants[int(place[1])]
        result = make_result([self.microseconds(step_run_id)] * 200)
        document = make_document(step, int(repeat[1:]), result, variant=variant)
        ended = self._clock() - timedelta(seconds=60)
        times = {"start_time": ended - timedelta(seconds=1), "end_time": ended}
        return document.model_copy(update={"id": step_run_id} | times)


class Master:
    """A load master that has always just finished the next step run."""

    def __init__(self, workloads: Workloads, pod: Body) -> None:
        self._workloads = workloads
        self._pod = pod

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def state(self) -> LoadState:
        waiting = self._workloads.unacknowledged(self._pod)
        return LoadState(stage="Storing", unacknowledged=waiting)

    def result(self, step_run_id: str) -> StepRunResult:
        return self._workloads.result(step_run_id)

    def acknowledge(self, step_run_id: str) -> None:
        self._workloads.acknowledge(self._pod, step_run_id)


class IndexedCloud(Cloud):
    """A cloud that takes commits and reloads, and whose collections have no settings."""

    def _reply(self, method: str, what: str, params: dict[str, str]) -> tuple[int, Any]:
        if what == "RELOAD":
            self.changed.append((what, params["name"]))
            return 200, {"responseHeader": {"status": 0}}
        if what.endswith("/config/overlay"):
            return 200, {"overlay": {}}
        if what.endswith("/update"):
            return 200, {"responseHeader": {"status": 0}}
        return super()._reply(method, what, params)


def _indexed() -> Body:
    progress = {"pod": 0, "documents": DOCUMENTS, "bytes": 9, "started": 1.0, "finished": 2.0}
    ended = {"exitCode": 0, "reason": "Completed", "message": json.dumps(progress)}
    return {"name": "index", "state": {"terminated": ended}}


def _exported() -> Body:
    outcome = {"files": 3, "bytes": 9, "sha256": "0" * 64, "removed": 0}
    ended = {"exitCode": 0, "reason": "Completed", "message": json.dumps(outcome)}
    return {"name": "export", "state": {"terminated": ended}}
