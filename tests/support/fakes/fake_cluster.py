"""An API server in memory, for moments that a real one gives only by chance.

It keeps objects by kind, namespace and name; nothing runs, so pods are what a test puts there.
The real API server validates the same calls in tests/integration and tests/e2e.
"""

import pickle
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, cast

from solrbench.cluster.client import refuse_taken
from solrbench.errors import ConflictError, PermanentError
from solrbench.reasons.api_server import ApiServerReason

Body = dict[str, Any]
Key = tuple[str, str, str]
T = TypeVar("T")

OPERATED = ("SolrCloud", "ZookeeperCluster")
"""Kinds that come with other operators."""


class FakeCluster:
    """Stands in for `solrbench.cluster.client.Cluster`.

    Args:
        bodies: what is there
        unknown: kinds that it does not know
        documents: what it has at paths of its own

    """

    def __init__(
        self,
        *bodies: Body,
        unknown: tuple[str, ...] = OPERATED,
        documents: dict[str, Body] | None = None,
    ) -> None:
        self.objects: dict[Key, Body] = {}
        self.applied: list[Body] = []
        self.deleted: list[str] = []
        self.asked: list[str] = []
        self.on_lost_nodes: set[str] = set()
        self.logs: dict[tuple[str, str, bool], str] = {}
        self._unknown = unknown
        self._documents = documents or {}
        for body in bodies:
            self.put(body)

    def put(self, body: Body) -> Body:
        """Store an object as if another client had."""
        metadata = body["metadata"]
        metadata.setdefault("namespace", "default")
        metadata.setdefault("uid", f"uid-of-{metadata['name']}")
        metadata.setdefault("creationTimestamp", "2026-01-01T00:00:00Z")
        metadata["resourceVersion"] = str(int(metadata.get("resourceVersion", "0")) + 1)
        self.objects[body["kind"], metadata["namespace"], metadata["name"]] = body
        return body

    def names(self, kind: str) -> set[str]:
        """Return the names of all objects of a kind."""
        return {name for found, _, name in self.objects if found == kind}

    def serves(self, _: str, kind: str) -> bool:
        return kind not in self._unknown

    def server_hosts(self) -> Sequence[str]:
        return []

    def read(self, path: str) -> Body | None:
        return self._documents.get(path)

    def get(self, _: str, kind: str, namespace: str, name: str) -> Body | None:
        found = self.objects.get((kind, namespace, name))
        return _copied(found)

    def list(
        self, _: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> list[Body]:
        assert self.serves(_, kind), f"{kind} is not known"
        self.asked.append(kind)
        return [
            _copied(body)
            for (found, place, _name), body in self.objects.items()
            if found == kind
            and namespace in (None, place)
            and selector.items() <= (body["metadata"].get("labels") or {}).items()
        ]

    def list_in_parts(
        self, version: str, kind: str, namespace: str, selector: dict[str, str], most: int
    ) -> Iterator[Sequence[Body]]:
        found = self.list(version, kind, namespace, selector)
        for start in range(0, len(found), most):
            yield found[start : start + most]

    def list_metadata(self, version: str, kind: str, namespace: str | None) -> Sequence[Body]:
        return [{"metadata": each["metadata"]} for each in self.list(version, kind, namespace, {})]

    def within(self, _: float) -> "FakeCluster":
        return self

    def pod_log(
        self, _: str, pod: str, container: str, *, previous: bool, lines: int, max_bytes: int
    ) -> str:
        if (pod, container, previous) not in self.logs:
            raise PermanentError(ApiServerReason.MANIFEST_REJECTED, "no such log")
        ends = self.logs[pod, container, previous].splitlines()[-lines:]
        return "\n".join(ends).encode()[:max_bytes].decode()

    def events(
        self, namespace: str, kind: str, name: str, reason: str | None = None
    ) -> Sequence[Body]:
        about = {"kind": kind, "name": name}
        return [
            each
            for each in self.list("v1", "Event", namespace, {})
            if about.items() <= each["involvedObject"].items() and reason in (None, each["reason"])
        ]

    def list_if_served(
        self, version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> Sequence[Body]:
        return self.list(version, kind, namespace, selector) if self.serves(version, kind) else []

    def apply(self, manifest: Body) -> Body:
        metadata = manifest["metadata"]
        key = manifest["kind"], metadata.get("namespace", "default"), metadata["name"]
        refuse_taken(manifest, self.objects.get(key))
        self.applied.append(_copied(manifest))
        return self.put(_merged(_copied(manifest), self.objects.get(key)))

    def delete(
        self,
        _: str,
        kind: str,
        namespace: str,
        name: str,
        grace_seconds: int | None = None,
        *,
        uid: str | None = None,
    ) -> None:
        """Delete at once, or begin to where a finalizer or a lost node holds the object."""
        del grace_seconds
        metadata = self.objects.get((kind, namespace, name), {}).get("metadata", {})
        if uid is not None and metadata.get("uid", uid) != uid:
            raise ConflictError(ApiServerReason.CONFLICT, "the uid differs")
        self.deleted.append(f"{kind}/{name}")
        if metadata.get("finalizers") or name in self.on_lost_nodes:
            metadata["deletionTimestamp"] = metadata["creationTimestamp"]
        else:
            self.objects.pop((kind, namespace, name), None)

    def force_delete_pod(self, namespace: str, name: str, uid: str) -> None:
        if self.objects["Pod", namespace, name]["metadata"]["uid"] != uid:
            raise ConflictError(ApiServerReason.CONFLICT, "the pod has another uid")
        del self.objects["Pod", namespace, name]

    def replace_status(self, body: Body) -> Body:
        metadata = body["metadata"]
        stored = self.objects[body["kind"], metadata["namespace"], metadata["name"]]
        if stored["metadata"]["resourceVersion"] != metadata["resourceVersion"]:
            raise ConflictError(ApiServerReason.CONFLICT, "the object has been modified")
        return _copied(self.put(stored | {"status": body["status"]}))


def _merged(manifest: Body, stored: Body | None) -> Body:
    """Return what is stored of a manifest: the status is not its to change."""
    if stored is None or "status" not in stored:
        return manifest
    manifest["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"]
    return {"status": stored["status"]} | manifest


def _copied(body: T) -> T:
    """Return a deep copy; pickle makes it in a fifth of the time of `copy.deepcopy`."""
    return cast(T, pickle.loads(pickle.dumps(body)))
