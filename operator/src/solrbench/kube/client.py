"""Write objects: create, apply, change, delete, replace the status.

Every child is written by server-side apply under one field manager, so a reconcile that is repeated
changes nothing, and fields that others own stay theirs.
"""

import copy
from contextlib import suppress
from pathlib import Path

from solrbench.contract.names import MANAGER
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.views import check_not_taken, controller_uid
from solrbench.errors import ConflictError, PermanentError, TemporaryError
from solrbench.kube.connection import Connection, NotFoundError, open_connection
from solrbench.kube.kubeconfig import find_access
from solrbench.kube.reader import Manifest, ObjectReader, as_manifest
from solrbench.reasons.end import ApiServerReason

APPLY_PATCH = "application/apply-patch+yaml"
"""The only media type of server-side apply; JSON is YAML, too."""
MERGE_PATCH = "application/merge-patch+json"

_ABSENT: Manifest = {"resourceVersion": "1"}
"""Metadata with which an apply creates an object and changes none: etcd begins to count at 1, so no
stored object has this version, and any that is there makes it a conflict."""
_AS_US: Manifest = {"fieldManager": MANAGER}
"""Else the API server shows the library that generated the client as the author of a change."""

FENCING_NUMBER = "fencingNumber"
_MAX_KNOWN = 4096
"""Objects whose uid is remembered; the result documents of a day are fewer."""


class Cluster(ObjectReader):
    """The objects of one Kubernetes cluster; safe for threads."""

    fencing_number = 0
    """That of the operator's Lease, which each status is written with; 0 without a Lease."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._own: dict[tuple[str | None, ...], str] = {}
        """Uids of applied objects by kind, name and controller."""

    def within(self, seconds: float) -> "Cluster":
        """Return a client that waits so long for each response, and shares what this one learns."""
        other = copy.copy(self)
        other.timeout_seconds = seconds
        return other

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """Return whether objects of a kind are in namespaces."""
        return self._kinds.find(api_version, kind, self.timeout_seconds)[1]

    def create(self, manifest: Manifest, manager: str = MANAGER) -> Manifest:
        """Create an object, and return it as it is stored; ConflictError if its name is taken."""
        kind, metadata = manifest["kind"], manifest.get("metadata", {})
        path = self._path(manifest["apiVersion"], kind, metadata.get("namespace"))
        name = metadata.get("name") or metadata.get("generateName") or ""
        # As apply is: by default, the API server leaves out fields that it does not know.
        query = {"fieldManager": manager, "fieldValidation": "Strict"}
        action = f"creating {kind} {name}"
        return as_manifest(self._send(action, "POST", path, query=query, body=manifest))

    def apply(self, manifest: Manifest, manager: str = MANAGER) -> Manifest:
        """Create or change an object so that our fields are as in `manifest`.

        An object with a controller is changed only if the stored one has the same controller. That
        takes one request if there is none yet, or if this client has applied it before; the stored
        object is read only if the API server refuses this request.

        It raises `TemporaryError` with `NameTaken`.
        """
        metadata, kind = manifest["metadata"], (manifest["apiVersion"], manifest["kind"])
        key, controller = (metadata.get("namespace"), metadata["name"]), controller_uid(manifest)
        known = self._own.get((*kind, *key, controller))
        # An apply that is not forced is refused only where a field has another value, and would
        # take over an object of another client that has none of our fields. So the request itself
        # says which object it means. It is never a POST: the fields that this creates are of
        # another manager to the API server, and stay when a later manifest leaves them out.
        condition, force = (_ABSENT, False) if known is None else ({"uid": known}, True)
        if controller is None:
            condition, force = {}, True
        is_read = False
        while True:
            try:
                body = self._send(
                    f"applying {manifest['kind']} {metadata['name']}",
                    "PATCH",
                    self._path(*kind, *key),
                    query={"fieldManager": manager, "force": force},
                    body=manifest | {"metadata": metadata | condition},
                    content_type=APPLY_PATCH,
                )
                break
            except (ConflictError, PermanentError) as error:
                # The API server calls a manifest invalid if its uid is not the stored one.
                may_differ = isinstance(error, ConflictError) or known is not None
                if is_read or controller is None or not may_differ:
                    raise
            existing, is_read = self.get(*kind, *key), True
            apply_outcome(check_not_taken(manifest, existing))
            # One that appears after this look is another client's, and makes it a conflict.
            condition = _ABSENT if existing is None else {"uid": existing["metadata"]["uid"]}
            force = existing is not None
        stored = as_manifest(body)
        if controller is not None:
            if len(self._own) >= _MAX_KNOWN:
                self._own.clear()  # each of them costs two requests more, once
            self._own[*kind, *key, controller] = stored["metadata"]["uid"]
        return stored

    def merge(
        self, api_version: str, kind: str, namespace: str, name: str, changes: Manifest
    ) -> Manifest:
        """Change some fields of an object that exists, by a JSON merge patch (RFC 7386)."""
        path = self._path(api_version, kind, namespace, name)
        action = f"changing {kind} {name}"
        return as_manifest(
            self._send(action, "PATCH", path, query=_AS_US, body=changes, content_type=MERGE_PATCH)
        )

    def delete(  # noqa: PLR0913 - which object, and two options of the API
        self,
        api_version: str,
        kind: str,
        namespace: str,
        name: str,
        grace_seconds: int | None = None,
        *,
        uid: str | None = None,
    ) -> None:
        """Delete an object and all it owns; it is no error if it is gone already.

        With `grace_seconds` of 0 a pod is deleted without waiting for its kubelet.

        It raises `ConflictError` if the object of this name is not the one with `uid`.
        """
        # In the foreground an object stays until all it owns is gone, and with it its name.
        options: Manifest = {"propagationPolicy": "Background"}
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        path = self._path(api_version, kind, namespace, name)
        with suppress(NotFoundError):
            self._send(f"deleting {kind} {name}", "DELETE", path, body=options)

    def store_status(self, body: Manifest, status: Manifest) -> Manifest:
        """Write the status of a resource, and return the resource as it is stored then.

        Every status that the operator writes is written here. Spec and status must be those that
        were read, or what was decided is out of date; other changes, as when kopf adds a finalizer
        to a new resource, do not hinder. A status that is stored already costs no request.

        Raises:
            TemporaryError: if an operator that took over from this one has written the status.
            ConflictError: if spec or status changed meanwhile, or another resource has the name.
            PermanentError: if the status is too large or invalid.
        """
        before = body.get("status") or {}
        # The number alone is no difference: what decided the status does not know it.
        if status | {FENCING_NUMBER: before.get(FENCING_NUMBER)} == {FENCING_NUMBER: None} | before:
            return body
        if self.fencing_number:
            if before.get(FENCING_NUMBER, 0) > self.fencing_number:
                text = (
                    "another operator has taken over, and nothing is written; a status restored"
                    f" from another cluster must be without {FENCING_NUMBER}"
                )
                raise TemporaryError(ApiServerReason.LEASE_NOT_HELD, text)
            status = status | {FENCING_NUMBER: self.fencing_number}
        try:
            return self.replace_status(body | {"status": status})
        except ConflictError:
            metadata = body["metadata"]
            key = body["apiVersion"], body["kind"], metadata["namespace"], metadata["name"]
            stored = self.get(*key)
            if stored is None or stored["metadata"]["uid"] != metadata["uid"]:
                raise
            if any(stored.get(part) != body.get(part) for part in ("spec", "status")):
                raise
        return self.replace_status(stored | {"status": status})

    def replace_status(self, body: Manifest) -> Manifest:
        """Write the status of a resource; ConflictError if it changed since it was read."""
        metadata = body["metadata"]
        path = self._path(body["apiVersion"], body["kind"], metadata["namespace"], metadata["name"])
        action = f"writing the status of {metadata['name']}"
        return as_manifest(self._send(action, "PUT", f"{path}/status", query=_AS_US, body=body))


def connect(context: str | None = None, kubeconfig: Path | None = None) -> Cluster:
    """Return a client for the cluster that the kubeconfig names, or this pod belongs to.

    It raises `NoClusterError` if there is no cluster to talk to.
    """
    return Cluster(open_connection(find_access(context, kubeconfig)))
