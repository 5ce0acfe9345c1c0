"""A world in memory in which benchmarks and sweeps run to their end, whatever the operator meets.

It does what kopf, the garbage collector and the controllers of Kubernetes and of the Solr Operator
do. Pods become ready at once; a result is there as soon as the one before is acknowledged.
"""

import functools
import json
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.contract.names import LABEL_BENCHMARK, LABEL_COMPONENT, LOAD_MASTER, SOLR, ZOOKEEPER
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.storage import to_chunks
from solrbench.contract.windows import EndedEarly
from solrbench.controller import failure_evidence
from solrbench.controller import handlers as benchmark_handlers
from solrbench.controller.context import TargetAccess
from solrbench.controller.handlers import Handlers
from solrbench.controller.provisioners import solr_operator
from solrbench.controller.stages import load_results
from solrbench.controller.sweep_handlers import SweepHandlers
from solrbench.decide.pauses import needs_finalizer
from solrbench.net import zookeeper
from solrbench.net.http import HttpAuth
from solrbench.solr.client import SolrClient
from support.controller.runs import access_to
from support.fakes.operator_driver import KilledError, SweepDriver
from support.fakes.workloads import DOCUMENTS, RUNNING
from support.faults.called_services import CalledCloud, CalledMaster, ListedCluster
from support.faults.crossings import Call, Crossings
from support.resources.solr_clouds import as_ready, stateful_set_of

T = TypeVar("T")
Body = dict[str, Any]
MAX_ROUNDS = 150
QUIET_ROUNDS = 3
SECONDS_A_ROUND = 2
CHUNK_BYTES = 300
"""So that every document is one of several chunks."""
FINALIZER = "kopf"


class _AtOnce:
    """A thread that has ended when it is started, so that calls have one order."""

    def __init__(self, target: Callable[[], None], **_: object) -> None:
        self.start = target

    def join(self, _: float) -> None:
        return


class World:
    """Benchmarks, sweeps, their pods and their Solr."""

    def __init__(self, patch: pytest.MonkeyPatch, crossings: Crossings) -> None:
        self.crossings, self.patch = crossings, patch
        crossings.preempt = self._reconcile_others
        self._reconciled = "", ""
        self.cluster = ListedCluster(crossings)
        self.sweeps = SweepDriver(patch, self.cluster)
        self.operator = self.sweeps.operator
        self.cluster.now = lambda: f"{self.operator.now.isoformat()}"
        self.workloads = self.operator.workloads
        self.cloud = CalledCloud(documents=DOCUMENTS, crossings=crossings)
        self.operator.access = TargetAccess(self._connect, access_to(self.cloud).resolve)
        self.acknowledged: dict[str, set[str]] = defaultdict(set)
        """Ids by the uid of the load master's pod."""
        self.begun: dict[tuple[str, int], datetime] = {}
        self.masters: dict[str, tuple[str, Body]] = {}
        self.microseconds: Callable[[str], int] = lambda _: 1000
        self.finished: int | None = None
        """How many step runs a load master finishes before the next breaks off, if one does."""
        self.events: list[tuple[Callable[[World], bool], Callable[[World], None]]] = []
        """What happens beside the operator, one after another: whether it is time, what it is."""
        self.together: set[tuple[str, ...]] = set()
        self._results: dict[tuple[str, str], StepRunResult] = {}
        for kind, method in (
            (Handlers, "on_due"),
            (Handlers, "on_delete"),
            (SweepHandlers, "on_due"),
        ):
            patch.setattr(kind, method, self._armed(getattr(kind, method)))
        patch.setattr(load_results, "LoadMasterClient", self._master)
        patch.setattr(failure_evidence, "threading", SimpleNamespace(Thread=_AtOnce))
        patch.setattr(benchmark_handlers, "DELETE_POLL_SECONDS", 0.0)
        patch.setattr(benchmark_handlers.log, "exception", self._note_exception)
        small = functools.partial(to_chunks, max_bytes=CHUNK_BYTES)
        patch.setattr("solrbench.kube.results.to_chunks", small)
        patch.setattr(solr_operator, "known_fields", lambda *_: frozenset())
        patch.setattr(zookeeper, "send_command", self._zookeeper)
        self.sweeps.restart()

    def _connect(
        self, _: Any, urls: list[str], seconds: float, auth: HttpAuth, __: tuple[str, ...]
    ) -> SolrClient:
        client = self.cloud.client(auth, seconds)
        client.urls = list(urls)
        return client

    def run(self) -> None:
        """Let all get on until nothing changes any more; `AssertionError` if that never comes."""
        quiet = 0
        for _ in range(MAX_ROUNDS):
            before = self._changes()
            self._happen()
            self._advance()
            self._reconcile()
            after = self._changes()
            quiet = quiet + 1 if before == after else 0
            if quiet == QUIET_ROUNDS and not self.events:
                return
        raise AssertionError("it does not come to its end")

    def _changes(self) -> tuple[object, ...]:
        """Return what differs after a round that was not quiet; one with a fault is not."""
        faults = len(self.crossings.injected)
        return self.cluster._version, set(self.cluster.objects), len(self.events), faults

    def _happen(self) -> None:
        if self.events and self.events[0][0](self):
            self.events.pop(0)[1](self)

    def _reconcile(self) -> None:
        self.operator.now += timedelta(seconds=SECONDS_A_ROUND)
        self.operator.watch()
        for kind, _, name in sorted(self.cluster.objects):
            self._reconciled = kind, name
            try:
                self._reconcile_one(kind, name)
            except KilledError:
                self.sweeps.restart()
                self.operator.watch()
            except RuntimeError:
                continue  # the schedule logs it and tries again

    def _reconcile_one(self, kind: str, name: str) -> None:
        body = self.cluster.objects.get((kind, "default", name))
        if body is not None and kind == SWEEP.name:
            self.sweeps.handlers.on_due(self.sweeps.key(body))
        elif body is not None and kind == BENCHMARK.name:
            self._reconcile_benchmark(body)

    def _reconcile_others(self) -> None:
        """Reconcile all but the resource under way, as another thread would in between.

        It would wait for what is locked, and so does nothing then.
        """
        queue = self.operator.handlers._queue
        if queue.slot_lock.locked() or queue._verify_lock.locked():
            return
        for kind, _, name in sorted(self.cluster.objects):
            if (kind, name) != self._reconciled:
                self._reconcile_one(kind, name)

    def _reconcile_benchmark(self, body: Body) -> None:
        """Keep the finalizer as kopf does, then finalize or reconcile."""
        metadata = body["metadata"]
        held = [FINALIZER] if needs_finalizer(body=body) else []
        if metadata.get("deletionTimestamp") is not None:
            if self.operator.finalize(metadata["name"]):
                del self.cluster.objects[BENCHMARK.name, "default", metadata["name"]]
        elif metadata.get("finalizers", []) != held:
            self.cluster.put(body | {"metadata": metadata | {"finalizers": held}})
        else:
            self.operator.run(body)

    def _advance(self) -> None:
        self.cloud.end_requests("completed")
        self._collect_garbage()
        for body in self.cluster.select("SolrCloud", None, {}):
            self._make_solr_cloud(body)
        for body in self.cluster.select("StatefulSet", None, {}):
            self._make_pods(body)
        self.workloads.advance()
        self._start_masters()
        pods = self.cluster.select("Pod", None, {LABEL_COMPONENT: LOAD_MASTER})
        running = sorted(each["metadata"]["name"] for each in pods)
        self.together.add(tuple(each for each in running if len(running) > 1))

    def _collect_garbage(self) -> None:
        """Delete what is owned by nothing that is there."""
        while True:
            there = {body["metadata"]["uid"] for body in self.cluster.objects.values()}
            gone = [
                key
                for key, body in self.cluster.objects.items()
                if (owners := body["metadata"].get("ownerReferences"))
                and not {each["uid"] for each in owners} & there
            ]
            for key in gone:
                body = self.cluster.objects[key]
                if body["metadata"].get("finalizers"):
                    body["metadata"].setdefault("deletionTimestamp", f"{self.operator.now}")
                else:
                    del self.cluster.objects[key]
            if not [key for key in gone if key not in self.cluster.objects]:
                return

    def _make_solr_cloud(self, cloud: Body) -> None:
        """Make the StatefulSet of a SolrCloud and show it as up, as the Solr Operator does."""
        made = stateful_set_of(cloud)
        if made["metadata"]["name"] not in self.cluster.names("StatefulSet"):
            self.cluster.put(made)
            self.cluster.put(as_ready(cloud))

    def _make_pods(self, owner: Body) -> None:
        """Make the pods of a StatefulSet; the data of its Solr come and go with them."""
        metadata, labels = owner["metadata"], owner["spec"]["template"]["metadata"]["labels"]
        for number in range(owner["spec"]["replicas"]):
            name = f"{metadata['name']}-{number}"
            if ("Pod", "default", name) in self.cluster.objects:
                continue
            self.workloads._put_pod(owner, number, RUNNING)
            if labels[LABEL_COMPONENT] == SOLR:
                service = owner["spec"].get("serviceName", f"{metadata['name']}-headless")
                suffix = ".svc" if "serviceName" in owner["spec"] else ""
                self.cloud.nodes = {f"{name}.{service}.default{suffix}:8983_solr": "1"}
                self.cloud.collections.clear()
                self.cloud.config_sets.clear()

    def _zookeeper(self, _: str, __: int, word: str) -> str:
        def serve() -> str:
            pods = self.cluster.select("Pod", None, {LABEL_COMPONENT: ZOOKEEPER})
            text = {"mntr": "zk_server_state\tstandalone", "envi": "os.memory.max=128MB"}[word]
            return text if pods else ""

        try:
            return self.crossings.cross(
                Call("zookeeper", word, "", is_write=False), serve, lambda: OSError("reset")
            )
        except OSError:
            return ""  # as `send_command` says it

    def _master(self, host: str, token: str, _: object = None) -> nullcontext[CalledMaster]:
        for uid, (address, plan) in self.masters.items():
            if address == host:
                assert token == plan["token"], "the master was started with another token"
                return nullcontext(CalledMaster(self, uid, self.planned(uid)))
        raise AssertionError(f"no load master has the address {host}")

    def _start_masters(self) -> None:
        """Let new load masters read their plan, which they do once."""
        for pod in self.cluster.select("Pod", None, {LABEL_COMPONENT: LOAD_MASTER}):
            metadata = pod["metadata"]
            uid = f"{metadata['labels'][LABEL_BENCHMARK]}-{metadata['uid']}"
            if uid not in self.masters:
                name = metadata["name"].removesuffix("-0")
                files = self.cluster.objects["ConfigMap", "default", name]["data"]
                plan = json.loads(files["load-plan.json"])
                self.masters[uid] = pod["status"]["podIP"], plan

    def planned(self, master: str) -> list[str]:
        """Return the ids of the step runs in the plan of a load master."""
        return [each["id"] for each in self.masters[master][1]["stepRuns"]]

    def result(self, master: str, step_run_id: str) -> StepRunResult:
        """Return a result, which stays as it was when it was asked for first."""
        if (master, step_run_id) not in self._results:
            self.workloads.microseconds = self.microseconds
            times = {"end_time": self.operator.now, "start_time": self.operator.now}
            made = self.workloads.result(step_run_id).model_copy(update=times)
            self._results[master, step_run_id] = made
        return self._results[master, step_run_id]

    def unfinished(self, step_runs: list[str]) -> StepRunResult | None:
        """Return the step run that broke off, if one did."""
        if self.finished is None:
            return None
        ended = EndedEarly(second=1.0, last_good_second=1.0, failures=0)
        return self.result("", step_runs[self.finished]).model_copy(update={"ended_early": ended})

    @property
    def last_end(self) -> datetime:
        """When the last step run ended that was asked for."""
        return max(each.end_time for each in self._results.values())

    def end_pod(self, component: str, reason: str = "OOMKilled") -> None:
        """Let the first pod of a component end, by default for lack of memory."""
        pod = self.cluster.select("Pod", None, {LABEL_COMPONENT: component})[0]
        ended = {"exitCode": 137, "reason": reason}
        status = {"name": component, "state": {"terminated": ended}}
        self.cluster.put(pod | {"status": {"phase": "Failed", "containerStatuses": [status]}})

    def lose_pod(self, component: str) -> None:
        """Take the first pod of a component away, as with its node."""
        pod = self.cluster.select("Pod", None, {LABEL_COMPONENT: component})[0]
        del self.cluster.objects["Pod", "default", pod["metadata"]["name"]]

    def change(self, kind: str, name: str, **spec: Any) -> None:
        """Change fields of a spec as a user does."""
        body = self.cluster.objects[kind, "default", name]
        metadata = body["metadata"] | {"generation": body["metadata"].get("generation", 1) + 1}
        self.cluster.put(body | {"metadata": metadata, "spec": body["spec"] | spec})

    def delete(self, kind: str, name: str) -> None:
        """Begin to delete an object as a user does."""
        body = self.cluster.objects[kind, "default", name]
        if body["metadata"].get("finalizers"):
            time = {"deletionTimestamp": self.operator.now.isoformat()}
            self.cluster.put(body | {"metadata": body["metadata"] | time})
        else:
            del self.cluster.objects[kind, "default", name]

    def stored_steps(self) -> int:
        """Return how many results were acknowledged so far."""
        return sum(map(len, self.acknowledged.values()))

    def _armed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def run(*arguments: Any, **options: Any) -> Any:
            with self.crossings.armed():
                return method(*arguments, **options)

        return run

    def _note_exception(self, text: str, **_: object) -> None:
        self.operator.errors.append(text)
