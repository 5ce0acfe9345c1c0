"""The Kubernetes API of one namespace, as the doubles need it."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from kubernetes import config
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ApiException, NotFoundError
from urllib3.exceptions import HTTPError

Body = dict[str, Any]
Kind = tuple[str, str]

MANAGER = "solr-operator"
TIMEOUT_SECONDS = 20
WATCH_SECONDS = 60
STRATEGIC_MERGE = "application/strategic-merge-patch+json"


class Store(Protocol):
    """What a reconcile reads and writes."""

    def get(self, kind: Kind, name: str) -> Body | None:
        """Return an object, or None."""

    def select(self, kind: Kind, labels: dict[str, str]) -> list[Body]:
        """Return the objects with these labels."""

    def apply(self, body: Body) -> Body:
        """Create or change an object; what others set in it stays."""

    def replace(self, body: Body) -> Body:
        """Write an object as a whole; refused when it changed since it was read."""

    def replace_status(self, body: Body) -> None:
        """Write the status of an object; refused when it changed since it was read."""

    def add_conditions(self, pod: Body, conditions: list[Body]) -> None:
        """Add conditions to the status of a pod."""

    def delete(self, kind: Kind, name: str) -> None:
        """Delete an object, if it is there."""


class Objects:
    """Reads and writes of objects, by kind and name."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self._dynamic = DynamicClient(config.new_client_from_config())

    def get(self, kind: Kind, name: str) -> Body | None:
        """Return an object, or None."""
        try:
            return self._call("get", kind, name=name)
        except NotFoundError:
            return None

    def select(self, kind: Kind, labels: dict[str, str]) -> list[Body]:
        """Return the objects with these labels."""
        text = ",".join(f"{key}={value}" for key, value in labels.items())
        found: list[Body] = self._call("get", kind, label_selector=text)["items"]
        return found

    def apply(self, body: Body) -> Body:
        """Create or change an object; what others set in it stays."""
        return self._call(
            "server_side_apply",
            (body["apiVersion"], body["kind"]),
            body=body,
            name=body["metadata"]["name"],
            field_manager=MANAGER,
            force_conflicts=True,
        )

    def replace(self, body: Body) -> Body:
        """Write an object as a whole; refused when it changed since it was read."""
        kind = (body["apiVersion"], body["kind"])
        return self._call("replace", kind, body=body, name=body["metadata"]["name"])

    def replace_status(self, body: Body) -> None:
        """Write the status of an object; refused when it changed since it was read."""
        self._kind((body["apiVersion"], body["kind"])).status.replace(
            body=body, namespace=self.namespace, _request_timeout=TIMEOUT_SECONDS
        )

    def add_conditions(self, pod: Body, conditions: list[Body]) -> None:
        """Add conditions to the status of a pod."""
        self._kind(("v1", "Pod")).status.patch(
            body={"status": {"conditions": conditions}},
            name=pod["metadata"]["name"],
            namespace=self.namespace,
            content_type=STRATEGIC_MERGE,
            _request_timeout=TIMEOUT_SECONDS,
        )

    def delete(self, kind: Kind, name: str) -> None:
        """Delete an object, if it is there."""
        try:
            self._call("delete", kind, name=name)
        except NotFoundError:
            return

    def must_serve(self, kind: Kind) -> None:
        """Check that the API server knows a kind.

        Raises:
            ResourceNotFoundError: if it does not.
        """
        self._kind(kind)

    def watch(self, kind: Kind, labels: str, seen: Callable[[Body], None]) -> None:
        """Yield every object of a kind, first as it is and then whenever it changes, for ever."""
        pause = threading.Event()
        while True:
            try:
                for body in self._changes(kind, labels):
                    seen(body)
            except (ApiException, HTTPError, OSError) as error:
                print(f"watching {kind[1]}: {error}", flush=True)
                pause.wait(1)

    def _changes(self, kind: Kind, labels: str) -> Iterator[Body]:
        stream = self._dynamic.watch(
            self._kind(kind),
            namespace=self.namespace,
            label_selector=labels,
            resource_version="0",  # any; for the newest an API server on an old etcd waits in vain
            timeout=WATCH_SECONDS,
        )
        for event in stream:
            yield event["raw_object"]

    def _call(self, verb: str, kind: Kind, **arguments: Any) -> Body:
        response = getattr(self._kind(kind), verb)(
            namespace=self.namespace, _request_timeout=TIMEOUT_SECONDS, **arguments
        )
        body: Body = response.to_dict()
        return body

    def _kind(self, kind: Kind) -> Any:
        return self._dynamic.resources.get(api_version=kind[0], kind=kind[1])
