"""Write objects: create, apply, change, delete, replace the status.

Every child is written by server-side apply under one field manager, so a reconcile that is repeated
changes nothing, and fields that others own stay theirs.

From the kubeconfig, or the pod's own credentials, to a client.
"""

from pathlib import Path
from typing import Any

import orjson

from solrbench.contract.names import MANAGER
from solrbench.decide.views import check_not_taken, controller_uid
from solrbench.errors import TemporaryError
from solrbench.kube.connection import NotFoundError, open_connection
from solrbench.kube.kubeconfig import NoClusterError, find_access
from solrbench.kube.reader import Manifest, ObjectReader

APPLY_PATCH = "application/apply-patch+yaml"
"""JSON is YAML, too."""
MERGE_PATCH = "application/merge-patch+json"


class Cluster(ObjectReader):
    """The objects of one Kubernetes cluster."""

    def within(self, seconds: float) -> "Cluster":
        """Return a client of the same cluster that waits so long for each response."""
        return Cluster(self._connection, seconds, self._kinds)

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """Return whether objects of a kind are in namespaces.

        Raises:
            KindNotServedError: if the API server does not know the kind.
        """
        return self._kinds.is_namespaced(api_version, kind)

    def create(self, manifest: Manifest, manager: str = MANAGER) -> Manifest:
        """Create an object, and return it as it is stored, with the name that it got.

        Args:
            manifest: with `metadata.name` or `metadata.generateName`
            manager: of its fields

        Raises:
            ConflictError: if there is one of this name.
        """
        kind, metadata = manifest["kind"], manifest.get("metadata", {})
        path = self._path(manifest["apiVersion"], kind, metadata.get("namespace"))
        name = metadata.get("name") or metadata.get("generateName") or ""
        query = {"fieldManager": manager}
        return self._write(f"creating {kind} {name}", "POST", path, manifest, query=query)

    def apply(self, manifest: Manifest, manager: str = MANAGER) -> Manifest:
        """Create or change an object so that our fields are as in `manifest`.

        An object with a controller is changed only if the stored one has the same controller; the
        uid in the request makes sure that it is still the one that was read.

        Raises:
            TemporaryError: `NameTaken`.
        """
        metadata = manifest["metadata"]
        key = metadata.get("namespace"), metadata["name"]
        owned, existing = controller_uid(manifest) is not None, None
        if owned:
            existing = self.get(manifest["apiVersion"], manifest["kind"], *key)
            refuse_taken(manifest, existing)
        if existing is not None:
            manifest = manifest | {"metadata": metadata | {"uid": existing["metadata"]["uid"]}}
        query = {
            "fieldManager": manager,
            # One that appeared since the look above is another client's.
            "force": not owned or existing is not None,
        }
        return self._write(
            f"applying {manifest['kind']} {metadata['name']}",
            "PATCH",
            self._path(manifest["apiVersion"], manifest["kind"], *key),
            manifest,
            query=query,
            content_type=APPLY_PATCH,
        )

    def merge(
        self, api_version: str, kind: str, namespace: str, name: str, changes: Manifest
    ) -> Manifest:
        """Change some fields of an object, by a JSON merge patch (RFC 7386).

        Raises:
            NotFoundError: if there is none of this name.
        """
        path = self._path(api_version, kind, namespace, name)
        action = f"changing {kind} {name}"
        return self._write(action, "PATCH", path, changes, content_type=MERGE_PATCH)

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

        Raises:
            ConflictError: if the object of this name is not the one with `uid`.
        """
        options: Manifest = {"propagationPolicy": "Background"}
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        self._delete(api_version, kind, namespace, name, options)

    def force_delete_pod(self, namespace: str, name: str, uid: str) -> None:
        """Delete a pod without waiting for its kubelet; it is no error if it is gone already.

        Raises:
            ConflictError: if the pod of this name has another uid; it is spared.
        """
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}}
        self._delete("v1", "Pod", namespace, name, options)

    def replace_status(self, body: Manifest) -> Manifest:
        """Write the status of a resource that was read before.

        Raises:
            ConflictError: if the resource changed since it was read.
        """
        metadata = body["metadata"]
        path = self._path(body["apiVersion"], body["kind"], metadata["namespace"], metadata["name"])
        return self._write(
            f"writing the status of {metadata['name']}", "PUT", f"{path}/status", body
        )

    def _delete(
        self, api_version: str, kind: str, namespace: str, name: str, options: Manifest
    ) -> None:
        path = self._path(api_version, kind, namespace, name)
        try:
            self._send(f"deleting {kind} {name}", "DELETE", path, body=options)
        except NotFoundError:
            return

    def _write(
        self, action: str, method: str, path: str, body: Manifest, **options: Any
    ) -> Manifest:
        written: Manifest = orjson.loads(self._send(action, method, path, body=body, **options))
        return written


def refuse_taken(wanted: Manifest, found: Manifest | None) -> None:
    """Refuse to change an object that belongs to something else.

    Raises:
        TemporaryError: `NameTaken`.
    """
    outcome = check_not_taken(wanted, found)
    if outcome is not None:
        raise TemporaryError(outcome.reason, outcome.message)


def connect(context: str | None = None, kubeconfig: Path | None = None) -> Cluster:
    """Return a client for the cluster that the kubeconfig names, or this pod belongs to.

    Args:
        context: the kubeconfig's context, the current one by default
        kubeconfig: file, instead of those that `KUBECONFIG` names

    Raises:
        NoClusterError: if there is no cluster to talk to.
    """
    return Cluster(open_connection(find_access(context, kubeconfig)))


def current_namespace(context: str | None = None, kubeconfig: Path | None = None) -> str:
    """Return the namespace of the kubeconfig's context, or of this pod, or `default`."""
    try:
        return find_access(context, kubeconfig).namespace
    except NoClusterError:
        return "default"
