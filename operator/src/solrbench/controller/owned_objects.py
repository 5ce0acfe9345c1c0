"""The objects that were made for a benchmark, listed once in each reconcile."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from solrbench.contract.names import COMPONENTS, LABEL_BENCHMARK, LABEL_COMPONENT, REPORT
from solrbench.kube.client import Cluster
from solrbench.kube.connection import KindNotServedError, NotFoundError
from solrbench.kube.facts import is_of_nodes
from solrbench.kube.reader import Manifest
from solrbench.reasons.end import CleanupReason

REMOVED_COMPONENTS = tuple(component for component in COMPONENTS if component != REPORT)
"""All that clean-up may delete. The report stays, and is hundreds of megabytes."""


@dataclass(frozen=True)
class OwnedKind:
    """A kind of object that is made for a target.

    Attributes:
        not_removed: for the kind of another operator, the reason while that has not removed it.
            What it made of the resource is its own to remove, and must be left to it until the
            resource is gone: its finalizers need it.
        has_owner: whether it goes with another object, and is waited for but never deleted
    """

    api_version: str
    kind: str
    not_removed: CleanupReason | None = None
    has_owner: bool = False

    @property
    def reference(self) -> tuple[str, str]:
        """`apiVersion` and `kind`, as the client of the cluster takes them."""
        return self.api_version, self.kind


@dataclass
class OwnedObjects:
    """Whose objects are looked for, and those that were found.

    Each kind is listed once, as all that clean-up decides needs one look: what is applied later in
    the same reconcile is never deleted in it. Only the metadata is read, of pods all: their node
    and the end of their grace period say which of them are lost.

    Attributes:
        benchmark_name: its name; nothing more is known of one that is being deleted
        target_name: name of the benchmark that the target was made for, if the target is shared
    """

    cluster: Cluster
    namespace: str
    benchmark_name: str
    now: datetime
    target_name: str | None = None
    _listed: dict[OwnedKind, Sequence[Manifest]] = field(default_factory=dict, repr=False)

    def list(self, kind: OwnedKind) -> Sequence[Manifest]:
        """Return the objects of a kind: the benchmark's own, and those of a shared target."""
        if kind not in self._listed:
            self._listed[kind] = [*self._read(kind)]
        return self._listed[kind]

    def delete(self, kind: OwnedKind, body: Manifest) -> None:
        """Delete an object, unless that is done or it goes with its owner; pods at once.

        Raises:
            ConflictError: if another object has its name by now.
        """
        metadata = body["metadata"]
        if kind.has_owner or metadata.get("deletionTimestamp") is not None:
            return
        grace = 1 if kind.kind == "Pod" else None  # it has nothing to save
        key = metadata["namespace"], metadata["name"]
        self.cluster.delete(*kind.reference, *key, grace, uid=metadata["uid"])
        metadata["deletionTimestamp"] = self.now.isoformat()  # as another list would show it

    def _read(self, kind: OwnedKind) -> Iterator[Manifest]:
        yield from self._of(kind, self.benchmark_name)
        if self.target_name not in (None, self.benchmark_name):
            yield from filter(is_of_nodes, self._of(kind, self.target_name or ""))

    def _of(self, kind: OwnedKind, benchmark_name: str) -> Sequence[Manifest]:
        if kind.kind == "Pod":
            labels = {LABEL_BENCHMARK: benchmark_name}
            return self.cluster.list(*kind.reference, self.namespace, labels)
        selector = {LABEL_BENCHMARK: benchmark_name, LABEL_COMPONENT: REMOVED_COMPONENTS}
        try:
            return [*self.cluster.list_metadata(*kind.reference, self.namespace, selector)]
        except (KindNotServedError, NotFoundError):
            if kind.not_removed is None:
                raise
            return ()  # the other operator is not installed, or its definition just went
