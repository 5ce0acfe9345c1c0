"""Read, list and watch objects of any kind; every list that may be long comes in parts.

See "Retrieving large results sets in chunks" in the API concepts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any

import orjson

from solrbench.contract.names import label_selector
from solrbench.kube.connection import (
    JSON,
    TIMEOUT_SECONDS,
    Connection,
    KindNotServedError,
    NotFoundError,
    Query,
    ServerHosts,
    error_for,
)
from solrbench.reasons.end import ApiServerReason


class KnownKinds:
    """The paths of the kinds of a cluster, kept once they are found; safe for threads.

    What is not there is asked for each time: its definition may come.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = Lock()
        self._found: dict[tuple[str, str], tuple[str, bool]] = {}

    def path(
        self,
        api_version: str,
        kind: str,
        namespace: str | None,
        name: str | None = None,
        seconds: float = TIMEOUT_SECONDS,
    ) -> str:
        """Return the path of an object, or of all objects of a kind.

        Raises:
            KindNotServedError: if the API server does not know the kind.
        """
        with self._lock:
            if (api_version, kind) not in self._found:
                self._found[api_version, kind] = self._look(api_version, kind, seconds)
            plural, namespaced = self._found[api_version, kind]
        namespace_part = [f"namespaces/{namespace}"] if namespaced and namespace is not None else []
        return "/".join([_root(api_version), *namespace_part, plural, *([name] if name else [])])

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """Return whether objects of a kind are in namespaces.

        Raises:
            KindNotServedError: if the API server does not know the kind.
        """
        self.path(api_version, kind, None)
        return self._found[api_version, kind][1]

    def _look(self, api_version: str, kind: str, seconds: float) -> tuple[str, bool]:
        try:
            body = self._connection.send(
                f"looking for {kind} of {api_version}", "GET", _root(api_version), seconds=seconds
            )
        except NotFoundError:
            body = b"{}"
        for resource in orjson.loads(body).get("resources") or []:
            if resource["kind"] == kind and "/" not in resource["name"]:
                return resource["name"], resource["namespaced"]
        raise KindNotServedError(
            ApiServerReason.KIND_NOT_SERVED, f"the API server has no kind {kind} of {api_version}"
        )


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def read_pages(fetch: Callable[[str | None], dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the items of each part of a list, with kind and version, which lists leave out.

    Args:
        fetch: returns the part that a token of the part before it begins; `None` for the first
    """
    token: str | None = None
    while True:
        page = fetch(token)
        kind = str(page.get("kind", "")).removesuffix("List")
        about = {"apiVersion": page.get("apiVersion"), "kind": kind}
        yield [about | item for item in page.get("items") or []]
        token = (page.get("metadata") or {}).get("continue") or None
        if token is None:
            return


Manifest = dict[str, Any]

METADATA_ONLY = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
METADATA_OF_EVENTS = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
METADATA_AT_ONCE = 100
"""Objects in one part of a list: the API server reads and decodes all of each."""


class ObjectReader:
    """Reads the objects of one Kubernetes cluster."""

    def __init__(
        self,
        connection: Connection,
        timeout_seconds: float = TIMEOUT_SECONDS,
        kinds: KnownKinds | None = None,
    ) -> None:
        self._connection = connection
        self._timeout_seconds = timeout_seconds
        self._send = partial(connection.send, seconds=timeout_seconds)
        self._kinds = kinds or KnownKinds(connection)
        self._hosts = ServerHosts(
            connection.host,
            partial(self._send, "reading the addresses of the API server", "GET", "/api"),
        )

    @property
    def server(self) -> str:
        """The URL of the API server."""
        return self._connection.server

    def serves(self, api_version: str, kind: str) -> bool:
        """Return whether the API server knows a kind of a named group right now."""
        resource_list = self.read(f"/apis/{api_version}")
        return resource_list is not None and any(
            resource["kind"] == kind for resource in resource_list["resources"]
        )

    def read(self, path: str) -> Manifest | None:
        """Return what the API server has at a path of its own, or `None` if there is nothing."""
        try:
            body = self._send(f"reading {path}", "GET", path)
        except NotFoundError:
            return None
        # While a definition goes, its OpenAPI document may be empty.
        return as_manifest(body) if body else None

    def server_hosts(self) -> list[str]:
        """Return the hosts of the API server: where this client finds it, and where it says it is.

        The second is the address behind the Service; every authenticated client may read it.
        """
        return self._hosts.get()

    def get(self, api_version: str, kind: str, namespace: str, name: str) -> Manifest | None:
        """Return an object, or `None` if there is none of this name."""
        path = self._path(api_version, kind, namespace, name)
        try:
            return as_manifest(self._send(f"reading {kind} {name}", "GET", path))
        except NotFoundError:
            return None

    def list(
        self, api_version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> list[Manifest]:
        """Return the objects with these labels, in every namespace when `namespace` is `None`."""
        labels = label_selector(selector)
        parts = self._parts(api_version, kind, namespace, labelSelector=labels)
        return [each for part in parts for each in part]

    def list_in_parts(
        self,
        api_version: str,
        kind: str,
        namespace: str | None,
        selector: dict[str, str],
        most: int,
    ) -> Iterator[Sequence[Manifest]]:
        """Yield the objects with these labels, at most so many at once: they may be large."""
        labels = label_selector(selector)
        return self._parts(api_version, kind, namespace, labelSelector=labels, limit=most)

    def list_metadata(
        self,
        api_version: str,
        kind: str,
        namespace: str | None,
        selector: Mapping[str, str | Sequence[str]] | None = None,
    ) -> Iterator[Manifest]:
        """Yield the metadata of all objects of a kind, or of those with these labels.

        The objects may be large themselves. See "Metadata-only fetches" in
        https://kubernetes.io/docs/reference/using-api/api-concepts.
        """
        options = {} if selector is None else {"labelSelector": label_selector(selector)}
        for part in self._parts(
            api_version,
            kind,
            namespace,
            accept=METADATA_ONLY,
            limit=METADATA_AT_ONCE,
            **options,
        ):
            yield from part

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
        query: Query = {
            "container": container,
            "previous": previous,
            "tailLines": lines,
            "limitBytes": max_bytes,
        }
        path = self._path("v1", "Pod", namespace, pod) + "/log"
        body = self._send(f"reading the log of {pod}", "GET", path, query=query, accept="*/*")
        return body.decode("utf-8", "replace")

    def follow_log(self, namespace: str, pod: str, container: str, lines: int) -> Iterator[str]:
        """Yield the last lines of a container's log, then each new one until the container ends.

        Raises:
            SolrbenchError: as `pod_log`.
        """
        path = self._path("v1", "Pod", namespace, pod) + "/log"
        query: Query = {"container": container, "tailLines": lines, "follow": True}
        for line in self._connection.lines(f"reading the log of {pod}", path, query, None):
            yield line.decode("utf-8", "replace")

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
        parts = self._parts("v1", "Event", namespace, fieldSelector=about)
        return [each for part in parts for each in part]

    def watch(self, body: Manifest, seconds: int) -> Iterator[Manifest | None]:
        """Yield an object each time it changes after it was read as `body`, `None` once it is gone.

        The API server ends the watch after so many seconds, or earlier.

        Raises:
            ExpiredError: `body` is too old; read the object again.
            ForbiddenError: the user may not watch.
            TemporaryError: the connection was lost.
        """
        metadata = body["metadata"]
        action = f"watching {body['kind']} {metadata['name']}"
        path = self._path(body["apiVersion"], body["kind"], metadata["namespace"])
        query = {
            "watch": True,
            "fieldSelector": f"metadata.name={metadata['name']}",
            "resourceVersion": metadata["resourceVersion"],
            "timeoutSeconds": seconds,
        }
        for line in self._connection.lines(action, path, query, seconds + TIMEOUT_SECONDS):
            event = orjson.loads(line)
            _check_event(action, event)
            yield None if event["type"] == "DELETED" else event["object"]

    def watch_changes(  # noqa: PLR0913 - which objects, and how long
        self,
        api_version: str,
        kind: str,
        namespace: str | None,
        label: str,
        *,
        seconds: int,
        on_open: Callable[[], None],
    ) -> Iterator[Manifest]:
        """Yield the metadata of each object with a label, and then of each one that changes.

        Args:
            api_version: of the kind
            kind: of the objects
            namespace: of the objects; `None` for every one
            label: that they have, whatever its value is
            seconds: after which the API server ends the watch
            on_open: called when the watch has begun

        Raises:
            SolrbenchError: as `watch`.
        """
        action = f"watching {kind}"
        query: Query = {
            "watch": True,
            "labelSelector": label,
            # From what the API server has in its cache: it asks etcd for nothing.
            "resourceVersion": "0",
            "timeoutSeconds": seconds,
        }
        for line in self._connection.lines(
            action,
            self._path(api_version, kind, namespace),
            query,
            seconds + TIMEOUT_SECONDS,
            accept=METADATA_OF_EVENTS,
            on_open=on_open,
        ):
            event = orjson.loads(line)
            _check_event(action, event)
            yield event["object"]["metadata"]

    def _parts(
        self,
        api_version: str,
        kind: str,
        namespace: str | None,
        *,
        accept: str = JSON,
        **query: str | int,
    ) -> Iterator[Sequence[Manifest]]:
        path = self._path(api_version, kind, namespace)

        def fetch(token: str | None) -> Manifest:
            options = {**query, "continue": token}
            return as_manifest(
                self._send(f"listing {kind}", "GET", path, query=options, accept=accept)
            )

        return read_pages(fetch)

    def _path(
        self, api_version: str, kind: str, namespace: str | None, name: str | None = None
    ) -> str:
        return self._kinds.path(api_version, kind, namespace, name, self._timeout_seconds)


def _check_event(action: str, event: Manifest) -> None:
    """Raise the error that an event of a watch stands for, if it is one."""
    if event["type"] == "ERROR":
        status = event["object"]
        raise error_for(status.get("code", 500), f"{action}: {status.get('message')}")


def as_manifest(body: bytes) -> Manifest:
    """Return the object that a response of the API server holds."""
    manifest: Manifest = orjson.loads(body)
    return manifest
