"""Read, list and watch objects; every list that may be long comes in parts."""

import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from kubernetes import client
from kubernetes.dynamic import DynamicClient
from kubernetes.watch import Watch

from solrbench.cluster.client.api_errors import NotFoundError, wrap_api_errors
from solrbench.cluster.client.known_kinds import KnownKinds
from solrbench.cluster.client.parts import read_parts
from solrbench.plan.names import label_selector

Manifest = dict[str, Any]

TIMEOUT_SECONDS = 20
METADATA_ONLY = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
METADATA_AT_ONCE = 100
"""Objects in one part of a list: the API server reads and decodes all of each."""


class ObjectReader:
    """Reads the objects of one Kubernetes cluster."""

    def __init__(
        self,
        dynamic: DynamicClient,
        timeout_seconds: float = TIMEOUT_SECONDS,
        kinds: "KnownKinds | None" = None,
    ) -> None:
        self._dynamic = dynamic
        self._timeout_seconds = timeout_seconds
        self._kinds = kinds or KnownKinds(dynamic)

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
            with wrap_api_errors(f"reading {path}"):
                response = self._dynamic.request(
                    "get", path, serialize=False, _request_timeout=self._timeout_seconds
                )
        except NotFoundError:
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
        with wrap_api_errors("reading the addresses of the API server"):
            response = client.CoreApi(api).get_api_versions(_request_timeout=self._timeout_seconds)
        places = [each.server_address for each in response.server_address_by_client_cidrs or []]
        found += [urlsplit(f"//{place}").hostname or "" for place in places]
        return [host for host in found if host]

    def get(self, api_version: str, kind: str, namespace: str, name: str) -> Manifest | None:
        """Return an object, or `None` if there is none of this name."""
        try:
            with wrap_api_errors(f"reading {kind} {name}"):
                return self._call("get", api_version, kind, name=name, namespace=namespace)
        except NotFoundError:
            return None

    def list(
        self, api_version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> list[Manifest]:
        """Return the objects with these labels, in every namespace when `namespace` is `None`."""
        text = label_selector(selector)
        with wrap_api_errors(f"listing {kind}"):
            found = self._call("get", api_version, kind, namespace=namespace, label_selector=text)
        items: list[Manifest] = found.get("items") or []
        return items

    def list_in_parts(
        self, api_version: str, kind: str, namespace: str, selector: dict[str, str], most: int
    ) -> Iterator[Sequence[Manifest]]:
        """Yield the objects with these labels, at most so many at once: they may be large."""

        def fetch(rest: dict[str, str]) -> Manifest:
            text = label_selector(selector)
            with wrap_api_errors(f"listing {kind}"):
                return self._call(
                    "get",
                    api_version,
                    kind,
                    namespace=namespace,
                    label_selector=text,
                    limit=most,
                    **rest,
                )

        return read_parts(fetch)

    def list_metadata(
        self, api_version: str, kind: str, namespace: str | None
    ) -> Iterator[Manifest]:
        """Yield the metadata of all objects of a kind, which may be large themselves.

        See "Metadata-only fetches" in https://kubernetes.io/docs/reference/using-api/api-concepts.
        """

        def fetch(rest: dict[str, str]) -> Manifest:
            with wrap_api_errors(f"listing metadata of {kind}"):
                response = self._dynamic.request(
                    "get",
                    self._resource(api_version, kind).path(namespace=namespace),
                    header_params={"Accept": METADATA_ONLY},
                    limit=METADATA_AT_ONCE,
                    serialize=False,
                    _request_timeout=self._timeout_seconds,
                    **rest,
                )
            found: Manifest = json.loads(response.data)
            return found

        for part in read_parts(fetch):
            yield from part

    def list_if_served(
        self, api_version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> Sequence[Manifest]:
        """Return the same, and nothing of a kind that the API server does not know."""
        if not self.serves(api_version, kind):
            return []
        try:
            return self.list(api_version, kind, namespace, selector)
        except NotFoundError:  # its definition went a moment ago
            return []

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
        with wrap_api_errors(f"reading the log of {pod}"):
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
        with wrap_api_errors(f"listing events of {kind} {name}"):
            found = self._call("get", "v1", "Event", namespace=namespace, field_selector=about)
        items: Sequence[Manifest] = found.get("items") or []
        return items

    def watch(self, body: Manifest, seconds: int) -> Iterator[Manifest | None]:
        """Yield an object each time it changes after it was read as `body`, `None` once it is gone.

        The API server ends the watch after so many seconds, or earlier.

        Raises:
            ExpiredError: `body` is too old; read the object again.
            ForbiddenError: the user may not watch.
            TemporaryError: the connection was lost.

        """
        metadata = body["metadata"]
        with wrap_api_errors(f"watching {body['kind']} {metadata['name']}"):
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

    def _call(self, verb: str, api_version: str, kind: str, **arguments: Any) -> Manifest:
        resource = self._resource(api_version, kind)
        response = getattr(resource, verb)(_request_timeout=self._timeout_seconds, **arguments)
        body: Manifest = response.to_dict()
        return body

    def _resource(self, api_version: str, kind: str) -> Any:
        return self._kinds.find(api_version, kind)
