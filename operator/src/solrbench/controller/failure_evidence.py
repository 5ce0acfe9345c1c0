"""What is kept of a failure before its pods go, and pod events that are reported late.

Logs, events and the state of the collection must never be in the way: whatever goes wrong with
them, the benchmark goes on without, and soon.
"""

import logging
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

from solrbench.contract import names
from solrbench.controller.context import ReconcileContext
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.decide.evidence import (
    describe_collection,
    describe_events,
    describe_log,
    describe_pod,
    has_log,
    has_problem,
    join_sections,
    mask,
    secret_names,
    secret_values,
    without_words,
)
from solrbench.decide.pods import add_pod_events, events_of, has_new_events
from solrbench.decide.views import ContainerView, PodView, view_pod
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError
from solrbench.kube.facts import list_labelled, store_diagnostics
from solrbench.kube.reader import Manifest
from solrbench.reasons.kinds import Reason
from solrbench.solr.cluster import live_nodes, replicas

log = logging.getLogger("solrbench")

OBSERVE_SECONDS = 5.0
"""After this long no further request is made."""

MAX_SECONDS = 8.0
"""After this long the reconcile goes on, whatever is still under way."""

REQUEST_SECONDS = 2.0

LOG_LINES = 100
LOG_BYTES = 256 << 10
"""Of one log as read; far less is kept."""

MAX_PODS = 40


def keep_diagnostics(context: ReconcileContext, reason: Reason, message: str) -> str:
    """Keep what pods, events and Solr show now; return what the condition's message adds."""
    collector = _Collector(context, f"{reason}: {message}")
    thread = threading.Thread(target=collector.run, name="evidence", daemon=True)
    thread.start()
    thread.join(MAX_SECONDS)
    if not collector.stored:
        return ""
    name = names.evidence(context.benchmark)
    context.update_part("report", evidence=name)
    return (
        f"; logs and events are in ConfigMap {name} (solrbench report"
        f" {context.benchmark.metadata.name} -o evidence)"
    )


class _Collector:
    """Observes and stores; a failure of its own is only logged."""

    def __init__(self, context: ReconcileContext, failure: str) -> None:
        self._context = context
        self._failure = failure
        self._cluster: Cluster = context.cluster.within(REQUEST_SECONDS)
        self._end = time.monotonic() + OBSERVE_SECONDS
        self._values: set[str] = set()
        self._hidden: set[str] = set()
        self._refused: set[str] = set()
        self.stored = False

    def run(self) -> None:
        """Observe and store."""
        try:
            bodies = self._list_pods()
            sections = [*self._collection(bodies), *self._owner_events(), *self._pods(bodies)]
            if any(sections):
                attempts = self._context.status.attempts
                head = f"{self._context.now.isoformat()} {self._failure}"
                kept = join_sections([mask(head, self._values), *sections])
                # A key of each failure: one that began again must not hide the first.
                key = f"target-{attempts.target}-load-{attempts.load}.txt"
                store_diagnostics(self._cluster, self._context.benchmark, key, kept)
                self.stored = True
        except Exception as error:  # noqa: BLE001  # the failure itself must still be reported
            log.warning("%s: no evidence was kept: %s", self._context.benchmark.key, error)

    def _list_pods(self) -> list[Manifest]:
        """Return the pods, those with a problem first, and read the Secrets that they know."""
        bodies = [*list_labelled(self._cluster, self._context.benchmark, "v1", "Pod")]
        bodies.sort(key=lambda body: (not has_problem(view_pod(body)), body["metadata"]["name"]))
        existing = self._context.existing
        known = {name for body in bodies for name in secret_names(body)}
        if existing is not None and existing.basic_auth is not None:
            known.add(existing.basic_auth.secret.name)
        for name in sorted(known):
            secret = None
            with suppress(SolrbenchError):
                if not self._is_over():
                    secret = self._cluster.get("v1", "Secret", self._context.namespace, name)
            if secret is None:
                self._hidden.add(name)
            else:
                self._values |= secret_values(secret)
        return bodies[:MAX_PODS]

    def _collection(self, bodies: list[Manifest]) -> Iterable[str]:
        """Yield the state of the collection from the first node that responds."""
        context = self._context
        running = (pod.component for pod in map(view_pod, bodies) if pod.phase == "Running")
        if not context.status.target.nodes and names.SOLR not in running:
            return
        name = names.collection(context.benchmark)
        try:
            urls = context.endpoint.urls
        except SolrbenchError as error:
            yield mask(f"the target cannot be addressed: {error}", self._values)
            return
        for url in urls:
            if self._is_over():
                return
            try:
                with context.solr(REQUEST_SECONDS, url) as solr:
                    collection = describe_collection(name, live_nodes(solr), replicas(solr, name))
            except SolrbenchError as error:
                yield mask(f"{url} does not show the collection: {error}", self._values)
            else:
                yield mask(collection, self._values)
                return

    def _owner_events(self) -> Iterable[str]:
        """Yield the events of the controllers of pods, which say why there are none."""
        started, benchmark = self._context.status.start_time, self._context.benchmark
        if started is None:
            return
        for component in names.NODES:
            yield self._events("StatefulSet", names.child(benchmark, component), since=started)
        for component in (names.INDEX, names.LOAD_MASTER, names.LOAD_WORKER):
            yield self._events("Job", names.child(benchmark, component), since=started)
        # What the Solr Operator and the ZooKeeper operator make has other names.
        for name in (names.solr_operator_stateful_set, names.provided_zookeeper):
            yield self._events("StatefulSet", name(benchmark), since=started)
        if self._is_over():
            return
        # Those of companions are of their ReplicaSets, whose names Kubernetes makes.
        try:
            replica_sets = list_labelled(
                self._cluster, self._context.benchmark, "apps/v1", "ReplicaSet"
            )
        except SolrbenchError as error:
            yield self._explain("replicasets", "events of companions", error)
            return
        for replica_set in replica_sets:
            metadata = replica_set["metadata"]
            yield self._events("ReplicaSet", metadata["name"], uid=metadata["uid"])

    def _pods(self, bodies: list[Manifest]) -> Iterable[str]:
        for body in bodies:
            pod, hidden = view_pod(body), sorted(secret_names(body) & self._hidden)
            shown = without_words(pod) if hidden else pod
            yield mask(describe_pod(shown), self._values)
            yield self._events("Pod", pod.name, uid=pod.uid)
            if hidden:
                yield (
                    f"logs of {pod.name} are omitted: Secrets {', '.join(hidden)} cannot be read"
                    " to mask their values"
                )
                continue
            for container in filter(has_log, pod.containers):
                yield from self._logs(pod, container)

    def _events(
        self, kind: str, name: str, *, uid: str | None = None, since: datetime | None = None
    ) -> str:
        if "events" in self._refused or self._is_over():
            return ""
        try:
            events = self._cluster.events(self._context.namespace, kind, name)
        except SolrbenchError as error:
            return self._explain("events", f"events of {name}", error)
        # Objects of an earlier attempt had the same names.
        text = describe_events(f"{kind} {name}", events_of(events, uid, since))
        return mask(text, self._values)

    def _logs(self, pod: PodView, container: ContainerView) -> Iterable[str]:
        runs = (False, True) if container.restarts else (False,)
        for previous in runs:
            if "logs" in self._refused or self._is_over():
                return
            before = ", the run before" if previous else ""
            title = f"{pod.name}, container {container.name}{before}"
            try:
                text = self._cluster.pod_log(
                    self._context.namespace,
                    pod.name,
                    container.name,
                    previous=previous,
                    lines=LOG_LINES,
                    max_bytes=LOG_BYTES,
                )
            except SolrbenchError as error:
                yield self._explain("logs", f"log of {title}", error)
                continue
            if len(text.encode()) >= LOG_BYTES:
                text = text.rpartition("\n")[0]  # its last line may be cut in a credential
            yield describe_log(title, mask(text, self._values))

    def _explain(self, what: str, title: str, error: SolrbenchError) -> str:
        """Return why something is missing; what is not allowed is not tried again."""
        if isinstance(error, ForbiddenError):
            self._refused.add(what)
            return f"{what} could not be read: the operator's role does not allow it"
        return mask(f"{title}: {error.reason}", self._values)

    def _is_over(self) -> bool:
        return time.monotonic() > self._end


def add_late_pod_events(context: ReconcileContext, pods: list[PodView]) -> None:
    """Add to the stored documents what happened to `pods` in their time.

    The kubelet reports a container's end some seconds later, and a pod that ended may be deleted
    as soon as the loss is noticed, so this is done before anything else is made of it. The results
    in the status follow at the end of the reconcile.
    """
    indexed = context.conditions.get(DATA_INDEXED)
    if indexed.status != "True" or not has_new_events(pods, indexed.last_transition_time):
        return
    documents = context.reports.documents(context.benchmark)
    for document in list(documents.values()):
        if document.pods is None or add_pod_events(document, pods) is document:
            continue
        whole = context.reports.whole_document(context.benchmark, document.id)
        if whole is not None:
            extended = add_pod_events(whole, pods)
            context.reports.store(context.benchmark, extended, document.attempt)
            context.has_late_pod_events = True
