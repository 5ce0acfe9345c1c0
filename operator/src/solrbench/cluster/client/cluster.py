"""Write objects: apply, delete, replace the status.

Every child is written by server-side apply under one field manager, so a reconcile that is repeated
changes nothing, and fields that others own stay theirs.
"""

from typing import Any

from solrbench.cluster.client.api_errors import NotFoundError, wrap_api_errors
from solrbench.cluster.client.reader import Manifest, ObjectReader
from solrbench.decide.ownership import check_not_taken, controller_uid
from solrbench.errors import TemporaryError
from solrbench.plan.names import MANAGER


class Cluster(ObjectReader):
    """The objects of one Kubernetes cluster."""

    def within(self, seconds: float) -> "Cluster":
        """Return a client of the same cluster that waits so long for each response."""
        return Cluster(self._dynamic, seconds, self._kinds)

    def apply(self, manifest: Manifest, manager: str = MANAGER) -> Manifest:
        """Create or change an object so that our fields are as in `manifest`.

        An object with a controller is changed only if the stored one has the same controller; the
        uid in the request makes sure that it is still the one that was read.

        Raises:
            TemporaryError: `NameTaken`.

        """
        metadata = manifest["metadata"]
        owned, found = controller_uid(manifest) is not None, None
        if owned:
            place = metadata["namespace"], metadata["name"]
            found = self.get(manifest["apiVersion"], manifest["kind"], *place)
            refuse_taken(manifest, found)
        if found is not None:
            manifest = manifest | {"metadata": metadata | {"uid": found["metadata"]["uid"]}}
        with wrap_api_errors(f"applying {manifest['kind']} {metadata['name']}"):
            return self._call(
                "server_side_apply",
                manifest["apiVersion"],
                manifest["kind"],
                body=manifest,
                name=metadata["name"],
                namespace=metadata["namespace"],
                field_manager=manager,
                # One that appeared since the look above is another client's.
                force_conflicts=not owned or found is not None,
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

        Raises:
            ConflictError: if the object of this name is not the one with `uid`.

        """
        options: dict[str, Any] = {"propagationPolicy": "Background"}
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

    def _delete(
        self, api_version: str, kind: str, namespace: str, name: str, options: Manifest
    ) -> None:
        try:
            with wrap_api_errors(f"deleting {kind} {name}"):
                self._call(
                    "delete", api_version, kind, name=name, namespace=namespace, body=options
                )
        except NotFoundError:
            return

    def replace_status(self, body: Manifest) -> Manifest:
        """Write the status of a resource that was read before.

        Raises:
            ConflictError: if the resource changed since it was read.

        """
        metadata = body["metadata"]
        resource = self._resource(body["apiVersion"], body["kind"]).status
        with wrap_api_errors(f"writing the status of {metadata['name']}"):
            response = resource.replace(
                body=body,
                name=metadata["name"],
                namespace=metadata["namespace"],
                _request_timeout=self._timeout_seconds,
            )
        written: Manifest = response.to_dict()
        return written


def refuse_taken(wanted: Manifest, found: Manifest | None) -> None:
    """Refuse to change an object that belongs to something else.

    Raises:
        TemporaryError: `NameTaken`.

    """
    outcome = check_not_taken(wanted, found)
    if outcome is not None:
        raise TemporaryError(outcome.reason, outcome.message)
