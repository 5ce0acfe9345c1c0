"""The objects that were made for a benchmark, listed once in each reconcile."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from solrbench.api.kinds import BENCHMARK
from solrbench.contract.names import COMPONENTS, LABEL_BENCHMARK, LABEL_COMPONENT, REPORT
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError, KindNotServedError, NotFoundError
from solrbench.kube.facts import is_of_nodes
from solrbench.kube.reader import Manifest
from solrbench.manifests import solr_cloud
from solrbench.manifests.common import DISRUPTION_BUDGET_API_VERSION, DISRUPTION_BUDGET_KIND
from solrbench.reasons.end import CleanupReason

REMOVED_COMPONENTS = tuple(component for component in COMPONENTS if component != REPORT)
"""All that clean-up may delete. The report stays, and is hundreds of megabytes."""


@dataclass(frozen=True)
class OwnedKind:
    """A kind of object that is made for a target."""

    api_version: str
    kind: str
    not_removed: CleanupReason | None = None
    """For the kind of another operator, the reason while that has not removed it. What it made of
    the resource is its own to remove, and must be left to it until the resource is gone: its
    finalizers need it."""
    has_owner: bool = False
    """Whether it goes with another object, and is waited for but never deleted."""

    @property
    def reference(self) -> tuple[str, str]:
        """`apiVersion` and `kind`, as the client of the cluster takes them."""
        return self.api_version, self.kind


JOBS = OwnedKind("batch/v1", "Job")
DEPLOYMENTS = OwnedKind("apps/v1", "Deployment")
SOLR_CLOUDS = OwnedKind(
    solr_cloud.API_VERSION, solr_cloud.KIND, CleanupReason.SOLR_CLOUD_NOT_REMOVED
)
ZOOKEEPER_CLUSTERS = OwnedKind(
    "zookeeper.pravega.io/v1beta1",
    "ZookeeperCluster",
    CleanupReason.ZOOKEEPER_CLUSTER_NOT_REMOVED,
    has_owner=True,
)
"""Each goes with the SolrCloud that owns it."""
STATEFUL_SETS = OwnedKind("apps/v1", "StatefulSet")
SERVICES = OwnedKind("v1", "Service")
CONFIG_MAPS = OwnedKind("v1", "ConfigMap")
PODS = OwnedKind("v1", "Pod")
CLAIMS = OwnedKind("v1", "PersistentVolumeClaim")
REPLICA_SETS = OwnedKind("apps/v1", "ReplicaSet", has_owner=True)
BUDGETS = OwnedKind(DISRUPTION_BUDGET_API_VERSION, DISRUPTION_BUDGET_KIND)

OWNED_KINDS = (
    *(JOBS, DEPLOYMENTS, SOLR_CLOUDS, ZOOKEEPER_CLUSTERS, STATEFUL_SETS, SERVICES, CONFIG_MAPS),
    *(PODS, CLAIMS, REPLICA_SETS, BUDGETS),
)
"""Kinds of load, index and target in the order of deletion: load first, so that it stops at once,
and those of other operators before what these make of them.

A deleted benchmark is known by its name alone, so any of them is looked for.
"""

PARENTS = (JOBS, STATEFUL_SETS, REPLICA_SETS)
"""Kinds that control pods."""

MAX_LEVELS = 4
"""Owners above an object: StatefulSet, ZookeeperCluster and SolrCloud, below the benchmark."""

MAX_OWNERS = 100
"""Owners that are looked at in a reconcile; a benchmark has some ten, with companions 30."""


@dataclass
class OwnedObjects:
    """Whose objects are looked for, and those that were found.

    Each kind is listed once, as all that clean-up decides needs one look: what is applied later in
    the same reconcile is never deleted in it. Only the metadata is kept, and of pods their node,
    which says with the end of their grace period which of them are lost.
    """

    cluster: Cluster
    namespace: str
    benchmark_name: str
    owners: frozenset[str]
    """Uids of the benchmark, and of the sweep whose target it shares."""
    now: datetime
    target_name: str | None = None
    """Name of the benchmark that the target was made for, if the target is shared."""
    _labelled: dict[OwnedKind, Sequence[Manifest]] = field(default_factory=dict, repr=False)
    _verdicts: dict[str, bool] = field(default_factory=dict, repr=False)
    _gone: set[str] = field(default_factory=set, repr=False)
    """Owners that are not there, and what they control."""

    def list(self, kind: OwnedKind) -> Sequence[Manifest]:
        """Return the objects of a kind: the benchmark's own, and those of a shared target.

        Labels do not say whose an object is, as anyone may set them: those that another resource
        controls, or none, are left out.
        """
        return [body for body in self._find(kind) if self._is_owned(kind, body["metadata"])]

    def delete(self, kind: OwnedKind, body: Manifest) -> None:
        """Delete an object, unless that is done or it goes with its owner; pods at once.

        It raises `ConflictError` if another object has its name by now.
        """
        metadata = body["metadata"]
        if kind.has_owner or metadata.get("deletionTimestamp") is not None:
            return
        grace = 1 if kind == PODS else None  # it has nothing to save
        key = metadata["namespace"], metadata["name"]
        self.cluster.delete(*kind.reference, *key, grace, uid=metadata["uid"])
        metadata["deletionTimestamp"] = self.now.isoformat()  # as another list would show it

    def is_made_by_us(self, pod: Manifest) -> bool:
        """Return whether what made a pod is there and ours; what is gone may never have been."""
        owners = pod["metadata"].get("ownerReferences") or []
        owner = next((each for each in owners if each.get("controller")), None)
        return owner is not None and self._leads_to_us(owner) and owner["uid"] not in self._gone

    def _is_owned(self, kind: OwnedKind, metadata: Manifest) -> bool:
        owners = metadata.get("ownerReferences") or []
        # StatefulSets own their claims, but up to Kubernetes 1.32 they do not control them.
        is_claim = kind == CLAIMS
        owner = next((each for each in owners if each.get("controller") or is_claim), None)
        if owner is not None:
            return self._leads_to_us(owner)
        if not is_claim:
            return False
        # Those of the Solr Operator's StatefulSets have no owner at all, only its name in theirs.
        sets = [
            each["metadata"]
            for each in self._find(STATEFUL_SETS)
            if f"-{each['metadata']['name']}-" in metadata["name"]
        ]
        return all(self._is_owned(STATEFUL_SETS, each) for each in sets)

    def _leads_to_us(self, owner: Manifest, levels: int = MAX_LEVELS) -> bool:
        """Return whether an owner is ours: by its uid, or by the uid of the one that controls it.

        So is one that is gone: what it has left is waited for.
        """
        uid = owner["uid"]
        if uid in self.owners:
            return True
        if uid not in self._verdicts:
            # Each one may cost a request, and others may make as many as they like.
            if not levels or len(self._verdicts) >= MAX_OWNERS:
                return False
            self._verdicts[uid] = False  # owners in a circle end here
            try:
                self._verdicts[uid] = self._is_controlled_by_us(owner, levels)
            except ForbiddenError:
                pass  # of a kind that is never made for a benchmark
            except Exception:
                # Not known: a stage that catches this and asks again must not take our pods for
                # those of others, which are as good as lost.
                del self._verdicts[uid]
                raise
        return self._verdicts[uid]

    def _is_controlled_by_us(self, owner: Manifest, levels: int) -> bool:
        body = self._parent(owner)
        above = [] if body is None else body["metadata"].get("ownerReferences") or []
        controllers = [
            each
            for each in above
            # What another point has made is not ours for their common sweep.
            if each.get("controller") and owner["kind"] != BENCHMARK.name
        ]
        is_ours = body is None or any(self._leads_to_us(each, levels - 1) for each in controllers)
        if body is None or any(each["uid"] in self._gone for each in controllers):
            self._gone.add(owner["uid"])
        return is_ours

    def _parent(self, owner: Manifest) -> Manifest | None:
        """Return an owner; None if it is gone."""
        reference = owner["apiVersion"], owner["kind"]
        for kind in PARENTS:
            if kind.reference == reference:
                found = [x for x in self._find(kind) if x["metadata"]["uid"] == owner["uid"]]
                if found:
                    return found[0]
        try:
            body = self.cluster.get(*reference, self.namespace, owner["name"])
        except (KindNotServedError, NotFoundError):
            return None
        return body if body is not None and body["metadata"]["uid"] == owner["uid"] else None

    def _find(self, kind: OwnedKind) -> Sequence[Manifest]:
        if kind not in self._labelled:
            bodies = [*self._of(kind, self.benchmark_name)]
            if self.target_name not in (None, self.benchmark_name):
                bodies += filter(is_of_nodes, self._of(kind, self.target_name or ""))
            self._labelled[kind] = bodies
        return self._labelled[kind]

    def _of(self, kind: OwnedKind, benchmark_name: str) -> Sequence[Manifest]:
        if kind == PODS:
            labels = {LABEL_BENCHMARK: benchmark_name}
            found = self.cluster.list_in_parts(*kind.reference, self.namespace, labels)
            return [_outline(pod) for pod in found]
        selector = {LABEL_BENCHMARK: benchmark_name, LABEL_COMPONENT: REMOVED_COMPONENTS}
        try:
            return [*self.cluster.list_metadata(*kind.reference, self.namespace, selector)]
        except (KindNotServedError, NotFoundError):
            if kind.not_removed is None:
                raise
            return ()  # the other operator is not installed, or its definition just went


def _outline(pod: Manifest) -> Manifest:
    """Return what the removal of a pod needs.

    Who may label pods may fill them, and a clean-up must not wait for that: it holds a place in the
    queue.
    """
    return {
        "metadata": {key: each for key, each in pod["metadata"].items() if key != "annotations"},
        "spec": {"nodeName": (pod.get("spec") or {}).get("nodeName")},
        "status": {"phase": (pod.get("status") or {}).get("phase")},
    }
