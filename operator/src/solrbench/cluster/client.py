"""A small client: apply, read, list, watch, delete; API errors become ours.

Every child is written by server-side apply under one field manager, so a reconcile that is repeated
changes nothing, and fields that others own stay theirs.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from kubernetes import client, config
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ApiException, ResourceNotFoundError
from kubernetes.watch import Watch
from urllib3.exceptions import HTTPError

from solrbench.api.kinds import BENCHMARK
from solrbench.decide.ownership import check_not_taken, controller_uid
from solrbench.errors import ConflictError, PermanentError, TemporaryError
from solrbench.plan.names import MANAGER
from solrbench.reasons.lifecycle import LifecycleReason

Manifest = dict[str, Any]

BENCHMARKS = BENCHMARK.reference
TIMEOUT_SECONDS = 20
CONNECTIONS = 32
"""Kept open, one for each thread that reconciles."""
METADATA_ONLY = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
METADATA_AT_ONCE = 100
"""Objects in one part of a list: the API server reads and decodes all of each."""


def connect(context: str | None = None) -> "Cluster":
    """Return a client for the cluster that this pod, or the kubeconfig, belongs to.

    Args:
        context: the kubeconfig's context, the current one by default

    Raises:
        kubernetes.config.ConfigException: if there is no cluster to talk to.

    """
    try:
        config.load_incluster_config()
    except config.ConfigException:
        config.load_kube_config(context=context)
    configuration = client.Configuration.get_default_copy()
    configuration.connection_pool_maxsize = CONNECTIONS
    return Cluster(DynamicClient(client.ApiClient(configuration)))


def current_namespace(context: str | None = None) -> str:
    """Return the namespace that the kubeconfig's context names, or `default`."""
    try:
        contexts, current = config.list_kube_config_contexts()
    except config.ConfigException:
        return "default"
    chosen = current if context is None else next(c for c in contexts if c["name"] == context)
    return str(chosen["context"].get("namespace", "default"))


class KnownKinds:
    """How the kinds of a cluster are addressed, kept once they are found; safe for threads.

    The discovery of the dynamic client is not, and forgets everything when a kind is not there.
    """

    def __init__(self, dynamic: DynamicClient) -> None:
        self._dynamic = dynamic
        self._lock = Lock()
        self._found: dict[tuple[str, str], Any] = {}

    def find(self, api_version: str, kind: str) -> Any:
        """Return the resource of a kind.

        Raises:
            ResourceNotFoundError: if the API server does not know it.

        """
        key = api_version, kind
        with self._lock:
            if key not in self._found:
                self._found[key] = self._dynamic.resources.get(api_version=api_version, kind=kind)
            return self._found[key]


class Cluster:
    """The objects of one Kubernetes cluster."""

    def __init__(
        self,
        dynamic: DynamicClient,
        timeout_seconds: float = TIMEOUT_SECONDS,
        kinds: "KnownKinds | None" = None,
    ) -> None:
        self._dynamic = dynamic
        self._timeout_seconds = timeout_seconds
        self._kinds = kinds or KnownKinds(dynamic)

    def within(self, seconds: float) -> "Cluster":
        """Return a client of the same cluster that waits so long for each response."""
        return Cluster(self._dynamic, seconds, self._kinds)

    def serves(self, api_version: str, kind: str) -> bool:
        """Return whether the API server knows a kind of a named group right now."""
        found = self.read(f"/apis/{api_version}")
        return found is not None and any(each["kind"] == kind for each in found["resources"])

    def read(self, path: str) -> Manifest | None:
        """Return what the API server has at a path of its own, or `None` if there is nothing.

        What is read is not kept, unlike the discovery of the dynamic client, whose every miss
        throws away all it knows.
        """
        try:
            with _wrap_api_errors(f"reading {path}"):
                response = self._dynamic.request(
                    "get", path, serialize=False, _request_timeout=self._timeout_seconds
                )
        except _NotFoundError:
            return None
        # While a definition goes, its OpenAPI document may be empty.
        body: Manifest | None = json.loads(response.data) if response.data else None
        return body

    def server_hosts(self) -> list[str]:
        """Return the hosts of the API server: where this client finds it, and where it says it is.

        The second is the address behind the Service; every authenticated client may read it.
        """
        api = self._dynamic.client
        found = [urlsplit(api.configuration.host).hostname or ""]
        with _wrap_api_errors("reading the addresses of the API server"):
            response = client.CoreApi(api).get_api_versions(_request_timeout=self._timeout_seconds)
        places = [each.server_address for each in response.server_address_by_client_cidrs or []]
        found += [urlsplit(f"//{place}").hostname or "" for place in places]
        return [host for host in found if host]

    def get(self, api_version: str, kind: str, namespace: str, name: str) -> Manifest | None:
        """Return an object, or `None` if there is none of this name."""
        try:
            with _wrap_api_errors(f"reading {kind} {name}"):
                return self._call("get", api_version, kind, name=name, namespace=namespace)
        except _NotFoundError:
            return None

    def list(
        self, api_version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> list[Manifest]:
        """Return the objects with these labels, in every namespace when `namespace` is `None`."""
        text = ",".join(f"{key}={value}" for key, value in selector.items())
        with _wrap_api_errors(f"listing {kind}"):
            found = self._call("get", api_version, kind, namespace=namespace, label_selector=text)
        items: list[Manifest] = found.get("items") or []
        return items

    def list_in_parts(
        self, api_version: str, kind: str, namespace: str, selector: dict[str, str], most: int
    ) -> Iterator[Sequence[Manifest]]:
        """Yield the objects with these labels, at most so many at once: they may be large."""
        text = ",".join(f"{key}={value}" for key, value in selector.items())
        part: dict[str, Any] = {}
        while True:
            with _wrap_api_errors(f"listing {kind}"):
                found = self._call(
                    "get",
                    api_version,
                    kind,
                    namespace=namespace,
                    label_selector=text,
                    limit=most,
                    **part,
                )
            yield found.get("items") or []
            rest = (found.get("metadata") or {}).get("continue")
            if not rest:
                return
            part = {"_continue": rest}

    def list_metadata(
        self, api_version: str, kind: str, namespace: str | None
    ) -> Iterator[Manifest]:
        """Yield the metadata of all objects of a kind, which may be large themselves.

        See "Metadata-only fetches" in https://kubernetes.io/docs/reference/using-api/api-concepts.
        """
        part: dict[str, Any] = {}
        while True:
            with _wrap_api_errors(f"listing metadata of {kind}"):
                response = self._dynamic.request(
                    "get",
                    self._resource(api_version, kind).path(namespace=namespace),
                    header_params={"Accept": METADATA_ONLY},
                    limit=METADATA_AT_ONCE,
                    serialize=False,
                    _request_timeout=TIMEOUT_SECONDS,
                    **part,
                )
            found = json.loads(response.data)
            yield from found.get("items") or []
            rest = (found.get("metadata") or {}).get("continue")
            if not rest:
                return
            part = {"_continue": rest}

    def pod_log(  # noqa: PLR0913 - which log, and how much of it
        self,
        namespace: str,
        pod: str,
        container: str,
        *,
        previous: bool,
        lines: int,
        max_bytes: int,
    ) -> str:
        """Return the last lines of a container's log, from their begin up to so many bytes.

        Args:
            namespace: of the pod
            pod: its name
            container: name of the container
            previous: whether that of the run before the last restart is meant
            lines: how many at most
            max_bytes: how much of them at most

        Raises:
            ForbiddenError: if the role has no right to read logs.
            SolrbenchError: if there is no such log.

        """
        query = {
            "container": container,
            "previous": str(previous).lower(),
            "tailLines": lines,
            "limitBytes": max_bytes,
        }
        with _wrap_api_errors(f"reading the log of {pod}"):
            response = self._dynamic.request(
                "get",
                f"/api/v1/namespaces/{namespace}/pods/{pod}/log",
                query_params=list(query.items()),
                serialize=False,
                _request_timeout=self._timeout_seconds,
            )
        text: bytes = response.data
        return text.decode("utf-8", "replace")

    def events(
        self, namespace: str, kind: str, name: str, reason: str | None = None
    ) -> Sequence[Manifest]:
        """Return the events about an object, those of its predecessors, too.

        Args:
            namespace: of the object
            kind: of the object
            name: of the object
            reason: of the events; all if it is not given

        """
        about = f"involvedObject.kind={kind},involvedObject.name={name}"
        about += f",reason={reason}" if reason is not None else ""
        with _wrap_api_errors(f"listing events of {kind} {name}"):
            found = self._call("get", "v1", "Event", namespace=namespace, field_selector=about)
        items: Sequence[Manifest] = found.get("items") or []
        return items

    def list_if_served(
        self, api_version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> Sequence[Manifest]:
        """Return the same, and nothing of a kind that the API server does not know."""
        if not self.serves(api_version, kind):
            return []
        try:
            return self.list(api_version, kind, namespace, selector)
        except _NotFoundError:  # its definition went a moment ago
            return []

    def watch(self, body: Manifest, seconds: int) -> Iterator[Manifest | None]:
        """Yield an object each time it changes after it was read as `body`, `None` once it is gone.

        The API server ends the watch after so many seconds, or earlier.

        Raises:
            ExpiredError: `body` is too old; read the object again.
            ForbiddenError: the user may not watch.
            TemporaryError: the connection was lost.

        """
        metadata = body["metadata"]
        with _wrap_api_errors(f"watching {body['kind']} {metadata['name']}"):
            events = Watch().stream(
                self._resource(body["apiVersion"], body["kind"]).get,
                namespace=metadata["namespace"],
                field_selector=f"metadata.name={metadata['name']}",
                resource_version=metadata["resourceVersion"],
                timeout_seconds=seconds,
                serialize=False,
                _request_timeout=(TIMEOUT_SECONDS, seconds + TIMEOUT_SECONDS),
            )
            for event in events:
                yield None if event["type"] == "DELETED" else event["raw_object"]

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
        with _wrap_api_errors(f"applying {manifest['kind']} {metadata['name']}"):
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
            with _wrap_api_errors(f"deleting {kind} {name}"):
                self._call(
                    "delete", api_version, kind, name=name, namespace=namespace, body=options
                )
        except _NotFoundError:
            return

    def replace_status(self, body: Manifest) -> Manifest:
        """Write the status of a resource that was read before.

        Raises:
            ConflictError: if the resource changed since it was read.

        """
        metadata = body["metadata"]
        resource = self._resource(body["apiVersion"], body["kind"]).status
        with _wrap_api_errors(f"writing the status of {metadata['name']}"):
            response = resource.replace(
                body=body,
                name=metadata["name"],
                namespace=metadata["namespace"],
                _request_timeout=self._timeout_seconds,
            )
        written: Manifest = response.to_dict()
        return written

    def _call(self, verb: str, api_version: str, kind: str, **arguments: Any) -> Manifest:
        resource = self._resource(api_version, kind)
        response = getattr(resource, verb)(_request_timeout=self._timeout_seconds, **arguments)
        body: Manifest = response.to_dict()
        return body

    def _resource(self, api_version: str, kind: str) -> Any:
        return self._kinds.find(api_version, kind)


def refuse_taken(wanted: Manifest, found: Manifest | None) -> None:
    """Refuse to change an object that belongs to something else.

    Raises:
        TemporaryError: `NameTaken`.

    """
    outcome = check_not_taken(wanted, found)
    if outcome is not None:
        raise TemporaryError(outcome.reason, outcome.message)


class ForbiddenError(TemporaryError):
    """The user may not do that; a role may be bound any moment."""


class ExpiredError(TemporaryError):
    """The API server has forgotten the version from which to watch."""


class _NotFoundError(TemporaryError):
    """There is no such object."""


@contextmanager
def _wrap_api_errors(action: str) -> Iterator[None]:
    """Turn the client's errors into ours; the API being away is never the benchmark's fault."""
    try:
        yield
    except ResourceNotFoundError as error:
        raise TemporaryError(LifecycleReason.KIND_NOT_SERVED, f"{action}: {error}") from error
    except ApiException as error:
        raise _error_for(error.status, f"{action}: {_api_message(error)}") from error
    except (HTTPError, OSError) as error:
        raise TemporaryError(LifecycleReason.API_UNREACHABLE, f"{action}: {error}") from error


def _error_for(status: int, text: str) -> TemporaryError | PermanentError:
    if status == 404:
        return _NotFoundError(LifecycleReason.NOT_FOUND, text)
    if status == 409:
        return ConflictError(LifecycleReason.CONFLICT, text)
    # etcd's limit is a server error, though another attempt cannot succeed.
    if status in (400, 413, 422) or "request is too large" in text or "larger than max" in text:
        return PermanentError(LifecycleReason.MANIFEST_REJECTED, text)
    if status == 403:
        return ForbiddenError(LifecycleReason.API_REFUSED, text)
    error = ExpiredError if status == 410 else TemporaryError
    return error(LifecycleReason.API_UNREACHABLE, text)


def _api_message(error: ApiException) -> str:
    body = error.body.decode() if isinstance(error.body, bytes) else str(error.body or "")
    return body[:1000] or str(error.reason)
