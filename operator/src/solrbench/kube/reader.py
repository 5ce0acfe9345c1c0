"""Read, list and watch objects of any kind; every list that may be long comes in parts.

See "Retrieving large results sets in chunks" in the API concepts.
"""

import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any
from urllib.parse import quote, urlsplit
from weakref import WeakValueDictionary

import orjson

from solrbench.contract.foreign import ForeignDataError, decode_json, memory_of
from solrbench.contract.names import label_selector
from solrbench.kube.connection import (
    JSON,
    TIMEOUT_SECONDS,
    Connection,
    KindNotServedError,
    NotFoundError,
    Query,
    UnreadableError,
    error_for,
)
from solrbench.reasons.end import ApiServerReason


class KnownKinds:
    """The plural names of a cluster's kinds, kept once they are found; safe for threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        # A lock is gone with its last user: versions that owners name may be any text.
        self._locks = WeakValueDictionary[str, Lock]()
        self._found: dict[tuple[str, str], tuple[str, bool]] = {}

    def find(self, api_version: str, kind: str, seconds: float) -> tuple[str, bool]:
        """Return the name of a kind in paths, and whether its objects are in namespaces.

        It raises `KindNotServedError` if the API server does not know the kind.
        """
        key = api_version, kind
        if key in self._found:
            return self._found[key]
        # Several threads begin with the same kind: one of them asks for it. While the API server is
        # slow, the others wait no longer than for a request of their own, which they then make.
        lock = self._locks.setdefault(api_version, Lock())
        is_held = lock.acquire(timeout=seconds)
        try:
            if key not in self._found:
                self._found[key] = self._look_for(api_version, kind, seconds)
            return self._found[key]
        finally:
            if is_held:
                lock.release()

    def _look_for(self, api_version: str, kind: str, seconds: float) -> tuple[str, bool]:
        action = f"looking for {kind} of {api_version}"
        body = b"{}"
        # The version of an owner may be any text: a path that leads elsewhere has no kinds.
        if not _DOTS & {*api_version.split("/")}:
            with suppress(NotFoundError):
                body = self._connection.send(action, "GET", _root(api_version), seconds=seconds)
        for resource in as_manifest(body).get("resources") or []:
            # Subresources have entries of their own, some under the same kind: `pods/status`.
            if resource["kind"] == kind and "/" not in resource["name"]:
                return resource["name"], resource["namespaced"]
        # That it is absent is not kept: its definition may be installed any moment.
        raise KindNotServedError(
            ApiServerReason.KIND_NOT_SERVED, f"the API server has no kind {kind} of {api_version}"
        )


_DOTS = frozenset({".", ".."})
"""Parts of a path that lead elsewhere."""


def _root(api_version: str) -> str:
    # The API server checks the version of an owner as little as its name: see `_path`.
    quoted = quote(api_version)
    return f"/apis/{quoted}" if "/" in api_version else f"/api/{quoted}"


Manifest = dict[str, Any]

METADATA_ONLY = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
METADATA_OF_EVENTS = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
METADATA_AT_ONCE = 100
"""Objects in one part of a list: the API server reads and decodes all of each."""
LISTED_AT_ONCE = 20
"""Whole objects in one part of a list."""
MAX_LIST_MEMORY = 128 << 20
"""What the whole objects of a list in a namespace may take: who may label pods there may fill them,
too. Those of a benchmark with 100 nodes and 200 workers are reckoned to take 60 MiB."""
MAX_MANIFEST_MEMORY = 64 << 20
"""What the values of a response may take, an eighth of the memory limit of the chart: a megabyte of
an object may be keys without values."""
MAX_PART_BYTES = 8 << 20
"""Text of a part of a list with several objects: a tenant may fill the metadata of each."""
_NO_LIMIT = 1 << 40
HOSTS_SECONDS = 60.0
"""How long the hosts of the API server are kept: every connection elsewhere is checked by them."""


class ObjectReader:
    """Reads the objects of one Kubernetes cluster."""

    timeout_seconds = TIMEOUT_SECONDS
    """How long each response is waited for."""

    def __init__(self, connection: Connection) -> None:
        self.server = connection.server
        self._connection = connection
        self._kinds = KnownKinds(connection)
        self._hosts: list[str] = []
        self._hosts_until = -math.inf

    def _send(self, action: str, method: str, path: str, **options: Any) -> bytes:
        return self._connection.send(action, method, path, seconds=self.timeout_seconds, **options)

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
        # While a definition goes, its OpenAPI document may be empty. Nothing there is of a tenant.
        found: Manifest | None = orjson.loads(body) if body else None
        return found

    def server_hosts(self) -> list[str]:
        """Return the hosts of the API server: where this client finds it, and where it says it is.

        The second is the address behind the Service; every authenticated client may read it.
        """
        if time.monotonic() >= self._hosts_until:
            action = "reading the addresses of the API server"
            versions = as_manifest(self._send(action, "GET", "/api"))
            addresses = versions.get("serverAddressByClientCIDRs") or []
            urls = [self.server, *(f"//{each['serverAddress']}" for each in addresses)]
            self._hosts = [host for url in urls if (host := urlsplit(url).hostname)]
            self._hosts_until = time.monotonic() + HOSTS_SECONDS
        return self._hosts

    def get(self, api_version: str, kind: str, namespace: str, name: str) -> Manifest | None:
        """Return an object, or `None` if there is none of this name."""
        try:
            path = self._path(api_version, kind, namespace, name)
            return as_manifest(self._send(f"reading {kind} {name}", "GET", path))
        except NotFoundError:
            return None

    def list(
        self, api_version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> list[Manifest]:
        """Return the objects with these labels, in every namespace when `namespace` is `None`.

        It raises `UnreadableError` if those of one namespace may take more than `MAX_LIST_MEMORY`.
        """
        query: Query = {"labelSelector": label_selector(selector)}
        return [*self._whole_items(api_version, kind, namespace, query)]

    def list_in_parts(
        self, api_version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> Iterator[Manifest]:
        """Yield the objects with these labels, of which few are in memory at once."""
        query: Query = {"labelSelector": label_selector(selector)}
        return self._items(api_version, kind, namespace, query, LISTED_AT_ONCE)

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
        query: Query = {"labelSelector": None if selector is None else label_selector(selector)}
        limit, accept = METADATA_AT_ONCE, METADATA_ONLY
        return self._items(api_version, kind, namespace, query, limit, accept=accept)

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

        With `previous`, the log of the run before the last restart is meant.

        Raises:
            ForbiddenError: if the role has no right to read logs.
            SolrbenchError: if there is no such log.
        """
        limits = {"tailLines": lines, "limitBytes": max_bytes}
        query: Query = {"container": container, "previous": previous, **limits}
        path = self._path("v1", "Pod", namespace, pod) + "/log"
        body = self._send(f"reading the log of {pod}", "GET", path, query=query, accept="*/*")
        return body.decode("utf-8", "replace")

    def follow_log(self, namespace: str, pod: str, container: str, lines: int) -> Iterator[str]:
        """Yield the last lines of a container's log, then each new one until the container ends."""
        path = self._path("v1", "Pod", namespace, pod) + "/log"
        query: Query = {"container": container, "tailLines": lines, "follow": True}
        for line in self._connection.lines(f"reading the log of {pod}", path, query, None):
            yield line.decode("utf-8", "replace")

    def events(
        self, namespace: str, kind: str, name: str, reason: str | None = None
    ) -> Sequence[Manifest]:
        """Return the events about an object and its predecessors of the same name."""
        about = f"involvedObject.kind={kind},involvedObject.name={name}"
        about += f",reason={reason}" if reason is not None else ""
        return [*self._whole_items("v1", "Event", namespace, {"fieldSelector": about})]

    def watch(self, body: Manifest, seconds: int) -> Iterator[Manifest | None]:
        """Yield an object each time it changes after it was read as `body`, `None` once it is gone.

        The API server ends the watch after so many seconds, or earlier.

        Raises:
            ExpiredError: `body` is too old; read the object again.
            ForbiddenError: the user may not watch.
            TemporaryError: the connection was lost.
        """
        kind, metadata = body["kind"], body["metadata"]
        name, version = metadata["name"], metadata["resourceVersion"]
        path = self._path(body["apiVersion"], kind, metadata["namespace"])
        query = {"fieldSelector": f"metadata.name={name}", "resourceVersion": version}
        for event in self._events_of(f"{kind} {name}", path, query, seconds):
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

        The label may have any value. The API server ends the watch after `seconds`, or earlier;
        `on_open` is called when it has begun. Errors are those of `watch`.
        """
        path = self._path(api_version, kind, namespace)
        # Version 0 is what the API server has in its cache: it asks etcd for nothing.
        query: Query = {"labelSelector": label, "resourceVersion": "0"}
        for event in self._events_of(
            kind, path, query, seconds, accept=METADATA_OF_EVENTS, on_open=on_open
        ):
            yield event["object"]["metadata"]

    def _events_of(
        self, what: str, path: str, query: Query, seconds: int, **options: Any
    ) -> Iterator[Manifest]:
        """Yield the events of a watch, and raise the error that one of them may stand for."""
        query = {"watch": True, "timeoutSeconds": seconds, **query}
        # The server ends the watch by itself; a connection that is silent for longer is dead.
        patience = seconds + TIMEOUT_SECONDS
        action = f"watching {what}"
        for line in self._connection.lines(action, path, query, patience, **options):
            event = orjson.loads(without_managed_fields(line))
            if event["type"] == "ERROR":  # the response itself began with status 200
                status = event["object"]
                raise error_for(status.get("code", 500), f"{action}: {status.get('message')}")
            yield event

    def _whole_items(
        self, api_version: str, kind: str, namespace: str | None, query: Query
    ) -> Iterator[Manifest]:
        # What is listed of all namespaces is no tenant's.
        limit, most = (0, math.inf) if namespace is None else (LISTED_AT_ONCE, MAX_LIST_MEMORY)
        return self._items(api_version, kind, namespace, query, limit, max_memory=most)

    def _items(  # noqa: PLR0913 - which objects, and how much of them
        self,
        api_version: str,
        kind: str,
        namespace: str | None,
        query: Query,
        limit: int,
        *,
        accept: str = JSON,
        max_memory: float = math.inf,
    ) -> Iterator[Manifest]:
        """Yield the items of a list with kind and version, `limit` at a time; 0 is for all."""
        path = self._path(api_version, kind, namespace)
        while True:
            part = {**query, "limit": limit or None}
            # One object takes no more than etcd lets it have.
            is_part = limit > 1
            length, memory = (MAX_PART_BYTES, MAX_MANIFEST_MEMORY) if is_part else (None, _NO_LIMIT)
            try:
                body = self._send(
                    f"listing {kind}", "GET", path, query=part, accept=accept, max_bytes=length
                )
                page = as_manifest(body, memory)
            except UnreadableError:
                if not is_part:
                    raise
                # A tenant may have filled its objects, which must not hold up those of others.
                limit = limit // 10 or 1
                continue
            max_memory -= len(body) + memory_of(body)
            if max_memory < 0:
                most = f"{MAX_LIST_MEMORY >> 20} MiB of memory"
                raise _unreadable(f"the {kind}s of namespace {namespace} take more than {most}")
            item_kind = str(page.get("kind", "")).removesuffix("List")
            about = {"apiVersion": page.get("apiVersion"), "kind": item_kind}
            yield from (about | item for item in page.get("items") or [])
            # The last part of a list has no token, or an empty one.
            token = (page.get("metadata") or {}).get("continue")
            if not token:
                return
            query = {**query, "continue": token}

    def _path(
        self, api_version: str, kind: str, namespace: str | None, name: str | None = None
    ) -> str:
        plural, namespaced = self._kinds.find(api_version, kind, self.timeout_seconds)
        if name in _DOTS:
            raise NotFoundError(ApiServerReason.NOT_FOUND, f"{name} is the name of no {kind}")
        parts = [_root(api_version)]
        if namespaced and namespace is not None:
            parts.append(f"namespaces/{namespace}")
        # The API server checks no name that an object has of an owner or of a Secret: with a query
        # in it, a request would be a watch, which has no end.
        return "/".join([*parts, plural, *([quote(name, safe="")] if name else [])])


_MANAGED_FIELDS = b'"managedFields":['
_SQUARE_OR_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]]')


def without_managed_fields(text: bytes) -> bytes:
    """Return objects as the API server writes them, with each list of `managedFields` empty.

    Nothing reads these lists. They have no schema: a megabyte of keys without values takes 18 in
    memory, and one that is nested 1,000 times, which takes 6 kB, can be parsed by nothing here.
    """
    parts, begin = [], 0
    # In a text each quote has a backslash before it, so these are the begin of a list.
    while (at := text.find(_MANAGED_FIELDS, begin)) >= 0:
        parts.append(text[begin : at + len(_MANAGED_FIELDS)])
        begin, depth = at + len(_MANAGED_FIELDS), 1
        for found in _SQUARE_OR_TEXT.finditer(text, begin):
            begin = found.start()
            depth += {b"[": 1, b"]": -1}.get(text[begin : begin + 1], 0)
            if not depth:
                break
    return b"".join([*parts, text[begin:]])


def as_manifest(body: bytes, max_memory: int = MAX_MANIFEST_MEMORY) -> Manifest:
    """Return the object, or the list of some, that a response of the API server holds.

    It raises `UnreadableError` if its values take more than `max_memory` bytes, or it is no JSON.
    """
    try:
        manifest: Manifest = decode_json(without_managed_fields(body), max_memory)
    except ForeignDataError as error:
        raise _unreadable(str(error)) from error
    for each in (manifest, *(manifest.get("items") or ())):
        (each.get("metadata") or {}).pop("managedFields", None)
    return manifest


def _unreadable(why: str) -> UnreadableError:
    return UnreadableError(
        ApiServerReason.API_UNREACHABLE,
        f"a response of the API server cannot be read: {why}; look for large annotations and keys"
        " without values in the objects of the namespace",
    )
