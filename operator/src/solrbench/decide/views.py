"""Pods, Jobs, nodes, replicas and owners, reduced to what decisions need.

To which resource an object belongs, its controller says (Kubernetes, "Owners and Dependents").
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from solrbench.contract.names import AGENT, LABEL_ATTEMPT, LABEL_COMPONENT
from solrbench.decide.outcome import Outcome, wait
from solrbench.reasons.end import ApiServerReason


def attempt_of(body: dict[str, Any]) -> int:
    """Return the attempt that an object was made for, or 0 if its label is no number."""
    text = (body["metadata"].get("labels") or {}).get(LABEL_ATTEMPT, "")
    return int(text) if text.isascii() and text.isdigit() else 0


@dataclass(frozen=True)
class ContainerView:
    """One container of a pod, be it an init container."""

    name: str
    restarts: int = 0
    waiting_reason: str = ""
    """Why it does not run yet, such as ImagePullBackOff, or empty."""
    waiting_message: str = ""
    ended_reason: str = ""
    """Why it, or its run before, ended: OOMKilled, Error, Completed, or empty."""
    exit_code: int | None = None
    termination_message: str = ""
    ended: datetime | None = None
    """When that end was; None if there was none."""


@dataclass(frozen=True)
class PodView:
    """One pod of a benchmark."""

    name: str
    uid: str
    component: str
    attempt: int
    phase: str
    reason: str
    message: str
    ip: str
    node: str
    ready: bool
    deleting: bool
    created: datetime
    unschedulable: str
    containers: tuple[ContainerView, ...] = ()
    gated: bool = False
    """All its containers are ready, but a readiness gate is not open."""
    ready_since: datetime | None = None
    """Known of one that is ready."""

    @property
    def identity(self) -> str:
        """Changes when the pod was replaced or one of its containers started again."""
        return f"{self.uid}/{sum(container.restarts for container in self.containers)}"

    @property
    def termination_message(self) -> str:
        """Termination message of the first container that left one."""
        messages = (container.termination_message for container in self.containers)
        return next(filter(None, messages), "")


@dataclass(frozen=True)
class JobView:
    """One Job of a benchmark."""

    name: str
    succeeded: bool
    failed: bool
    failure: str
    created: datetime


def view_pod(body: dict[str, Any]) -> PodView:
    """Return the view of a pod as the API server gives it."""
    metadata, status = body["metadata"], body.get("status") or {}
    conditions = {each["type"]: each for each in status.get("conditions") or []}
    ready, scheduled = conditions.get("Ready", {}), conditions.get("PodScheduled", {})
    labels = metadata.get("labels") or {}
    since = ready.get("lastTransitionTime") if ready.get("status") == "True" else None
    return PodView(
        name=metadata["name"],
        uid=metadata["uid"],
        component=labels.get(LABEL_COMPONENT, ""),
        attempt=attempt_of(body),
        phase=status.get("phase", "Pending"),
        reason=status.get("reason", ""),
        message=status.get("message", ""),
        ip=status.get("podIP", ""),
        node=(body.get("spec") or {}).get("nodeName", "") or "",
        ready=ready.get("status") == "True",
        deleting=metadata.get("deletionTimestamp") is not None,
        created=datetime.fromisoformat(metadata["creationTimestamp"]),
        unschedulable=(
            scheduled.get("message", "") if scheduled.get("reason") == "Unschedulable" else ""
        ),
        containers=tuple(
            _view_container(each)
            for key in ("initContainerStatuses", "containerStatuses")
            for each in status.get(key) or []
        ),
        gated=ready.get("reason") == "ReadinessGatesNotReady",
        ready_since=datetime.fromisoformat(since) if since else None,
    )


def _view_container(body: dict[str, Any]) -> ContainerView:
    state = body.get("state") or {}
    waiting = state.get("waiting") or {}
    ended = state.get("terminated") or (body.get("lastState") or {}).get("terminated") or {}
    return ContainerView(
        name=body["name"],
        # An agent that began again changes nothing of what is measured.
        restarts=0 if body["name"] == AGENT else body.get("restartCount", 0),
        waiting_reason=waiting.get("reason", ""),
        waiting_message=waiting.get("message", ""),
        ended_reason=ended.get("reason", ""),
        exit_code=ended.get("exitCode"),
        termination_message=(ended.get("message") or "").strip(),
        ended=datetime.fromisoformat(ended["finishedAt"]) if ended.get("finishedAt") else None,
    )


def view_job(body: dict[str, Any]) -> JobView:
    """Return the view of a Job as the API server gives it."""
    metadata = body["metadata"]
    every = (body.get("status") or {}).get("conditions") or []
    conditions = {each["type"]: each for each in every if each["status"] == "True"}
    # The second comes first, while pods of the Job still end.
    failed = conditions.get("Failed") or conditions.get("FailureTarget") or {}
    return JobView(
        name=metadata["name"],
        succeeded="Complete" in conditions,
        failed=bool(failed),
        failure=failed.get("message", ""),
        created=datetime.fromisoformat(metadata["creationTimestamp"]),
    )


@dataclass(frozen=True)
class Replica:
    """One replica of one shard."""

    shard: str
    core: str
    node: str
    """Solr's name of the node, `host:8983_solr`."""
    base_url: str
    """The node's address, `http://host:8983/solr`."""
    type: str
    """NRT, TLOG or PULL."""
    state: str
    """active, recovering, down …"""
    leader: bool


@dataclass(frozen=True)
class ReplicaSize:
    """The index of one core as its current searcher sees it."""

    shard: str
    core: str
    documents: int
    bytes: int
    deleted_documents: int | None = None
    """Those replaced or deleted, but not merged away; `None` if Solr does not report them."""


@dataclass(frozen=True)
class NodeIdentity:
    """One node as it describes itself."""

    solr_version: str
    heap_max_bytes: int
    started: str
    """When its JVM was started, as it writes it; changes with a restart."""
    jvm: str = ""
    """Name and version of the JVM."""


def controller_uid(body: dict[str, Any]) -> str | None:
    """Return the uid of the resource that controls an object, if one does."""
    owners = body["metadata"].get("ownerReferences") or []
    return next((str(owner["uid"]) for owner in owners if owner.get("controller")), None)


def check_not_taken(wanted: dict[str, Any], found: dict[str, Any] | None) -> Outcome | None:
    """Wait if an object of the same name belongs to something else; it is never taken over.

    An object without a controller may change any.
    """
    owner = controller_uid(wanted)
    if found is None or owner is None or controller_uid(found) == owner:
        return None
    metadata = wanted["metadata"]
    what = "sweep" if wanted["kind"] == "SolrBenchmark" else "benchmark"
    return wait(
        ApiServerReason.NAME_TAKEN,
        f"{wanted['kind']} {metadata['name']} in namespace {metadata['namespace']} does not belong"
        f" to this {what} and is not changed; delete it, or give the {what} another name",
    )
