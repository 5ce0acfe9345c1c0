"""An operator that is killed while it changes something, and targets whose pods are in memory."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from solrbench.controller.context import ReconcileContext
from solrbench.controller.objects import children
from solrbench.controller.provisioners.created import CreatedTarget
from solrbench.decide.solr_views import Replica, ReplicaSize
from solrbench.errors import TemporaryError
from solrbench.plan import names
from solrbench.plan.names import LABEL_COMPONENT
from solrbench.reasons.target import TargetReason
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster_nodes import replica_sizes_via_proxy
from support.fakes.faked_pods import ClusterWithFakedPods, IndexedCloud

Body = dict[str, Any]


class KilledError(BaseException):
    """The operator was killed: nothing of it goes on, and nothing catches that."""


@dataclass
class Kills:
    """Kills at some of the changes that an operator makes, before or after they take effect.

    Attributes:
        source: of chance
        share: of the changes at which the operator is killed
        number: of kills so far

    """

    source: random.Random
    share: float
    number: int = 0

    def around(self, change: Callable[[], Any]) -> Any:
        """Make a change, unless the operator is killed before it."""
        drawn = self.source.random()
        if drawn < self.share / 2:
            self._kill()
        done = change()
        if drawn < self.share:
            self._kill()
        return done

    def _kill(self) -> None:
        self.number += 1
        raise KilledError


class KillingCluster(ClusterWithFakedPods):
    """Kills the operator at some of its changes."""

    def __init__(self, real: Any, kills: Kills) -> None:
        super().__init__(real)
        self._kills = kills

    def apply(self, manifest: Body) -> Body:
        applied: Body = self._kills.around(lambda: super(KillingCluster, self).apply(manifest))
        return applied

    def delete(self, version: str, kind: str, *place: Any, uid: str | None = None) -> None:
        deleting = super().delete
        self._kills.around(lambda: deleting(version, kind, *place, uid=uid))

    def replace_status(self, body: Body) -> Body:
        replaced: Body = self._kills.around(lambda: self.real.replace_status(body))
        return replaced


class KillingCloud(IndexedCloud):
    """Kills the operator at some of the changes that it makes in Solr."""

    def __init__(self, kills: Kills, **fields: Any) -> None:
        super().__init__(**fields)
        self._kills = kills

    def _reply(self, method: str, what: str, params: dict[str, str]) -> tuple[int, Any]:
        replying = super()._reply
        if method != "POST":
            return replying(method, what, params)
        replied: tuple[int, Any] = self._kills.around(lambda: replying(method, what, params))
        return replied


@dataclass
class TargetOfPods(CreatedTarget):
    """A target with one pod that is there at once; the data of its Solr go with it.

    Attributes:
        cluster: where its pods are
        cloud: what its Solr holds
        made: uids of all pods so far

    """

    cluster: ClusterWithFakedPods
    cloud: IndexedCloud
    made: list[str] = field(default_factory=list)

    def ensure_pods(self, context: ReconcileContext) -> None:
        """Make the pod in one reconcile, and find it in the next one."""
        if children.pods(context, names.SOLR):
            return
        assert not self.of_another(context), "two targets at a time"
        self.cloud.collections.clear()
        self.cloud.config_sets.clear()
        self.made.append(f"solr-{len(self.made)}")
        attempt = context.status.attempts.target
        metadata = {
            "name": f"{names.child(context.benchmark, names.SOLR)}-0",
            "namespace": context.namespace,
            "uid": self.made[-1],
            "labels": names.labels(context.benchmark, names.SOLR, attempt),
        }
        running = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        self.cluster.faked.put({"kind": "Pod", "metadata": metadata, "status": running})
        raise TemporaryError(TargetReason.SOLR_NOT_LIVE, "the pod starts")

    def of_another(self, context: ReconcileContext) -> bool:
        """Return whether a pod of another target is there."""
        return any(
            kind == "Pod" and body["metadata"]["labels"][LABEL_COMPONENT] == names.SOLR
            for (kind, *_), body in self.cluster.faked.objects.items()
        )

    def replica_sizes(self, solr: SolrClient, found: list[Replica]) -> list[ReplicaSize]:
        """Ask through the one way into the cloud."""
        return replica_sizes_via_proxy(solr, found)
