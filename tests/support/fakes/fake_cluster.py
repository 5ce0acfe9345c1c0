"""The objects of a cluster in memory, in place of the client of an API server.

It keeps objects by kind, namespace and name; nothing runs, so pods are what a test puts there.
Lookups go through a copy, as a test may change objects while a thread of the operator reads them.
Every request is noted and passes the fault that a test injects.
The real API server validates the same calls in tests/integration and tests/e2e.
"""

import functools
import inspect
import pickle
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from solrbench.contract.names import LABEL_BENCHMARK
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.views import check_not_taken
from solrbench.errors import ConflictError, PermanentError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import KindNotServedError
from solrbench.reasons.end import ApiServerReason

Body = dict[str, Any]
Bodies = list[Body]
Key = tuple[str, str, str]
T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])

OPERATED = ("SolrCloud", "ZookeeperCluster")
"""Kinds that come with other operators."""
POD_KINDS = ("Pod", "Job", "StatefulSet", "PersistentVolumeClaim", "Deployment", "ReplicaSet")
"""Kinds that are pods, their volumes, or become pods by a controller of Kubernetes."""
KIND_OF_METHOD = {"events": "Event", "pod_log": "Pod"}
"""Kinds that the arguments of a method do not name."""
WRITES = ("apply", "replace_status", "delete")
CREATED = "2026-01-01T00:00:00Z"


@dataclass(frozen=True)
class Request:
    """A call of the client."""

    method: str
    kind: str
    arguments: dict[str, Any]


Fault = Callable[[Request, Callable[[], Any]], Any]
"""Gets each request and the function that serves it; returns a response or raises an error."""


def no_fault(_: Request, serve: Callable[[], Any]) -> Any:
    return serve()


def refusal(
    error: Exception,
    methods: Collection[str] = (),
    kinds: Collection[str] = (),
    times: int | None = None,
) -> Fault:
    """Return a fault that refuses requests, all or of these methods and kinds, or only so many."""
    refused = 0

    def refuse(request: Request, serve: Callable[[], Any]) -> Any:
        nonlocal refused
        is_meant = (not methods or request.method in methods) and (
            not kinds or request.kind in kinds
        )
        if is_meant and refused != times:
            refused += 1
            raise error
        return serve()

    return refuse


def _request(method: Method) -> Method:
    """Make a method a request: it is noted, passes the fault, and may be for the real cluster."""
    name, parameters = method.__name__, list(inspect.signature(method).parameters)[1:]

    @functools.wraps(method)
    def send(self: "FakeCluster", *values: Any, **options: Any) -> Any:
        arguments = dict(zip(parameters, values, strict=False)) | options
        body = arguments.get("manifest") or arguments.get("body") or {"kind": ""}
        kind = KIND_OF_METHOD.get(name) or arguments.get("kind") or body["kind"]
        request = Request(name, kind, arguments)
        self.requests.append(request)
        if self._real is None or kind in (*POD_KINDS, "Event"):
            return self.fault(request, lambda: method(self, *values, **options))
        return self.fault(request, lambda: getattr(self._real, name)(*values, **options))

    return cast(Method, send)


class FakeCluster(Cluster):
    """Stands in for `solrbench.kube.client.Cluster`.

    It does not know the kinds in `unknown`, and has `documents` at paths of its own. `real` is a
    client of an API server that has all but pods and what becomes pods.
    """

    def __init__(
        self,
        *bodies: Body,
        unknown: Collection[str] = OPERATED,
        documents: dict[str, Body] | None = None,
        hosts: Sequence[str] = (),
        fault: Fault = no_fault,
        real: Any = None,
    ) -> None:
        self.objects: dict[Key, Body] = {}
        self._version = 0
        self.requests: list[Request] = []
        self.applied: list[Body] = []
        self.deleted: list[str] = []
        self.on_lost_nodes: set[str] = set()
        self.logs: dict[tuple[str, str, bool], str] = {}
        self.now: Callable[[], str] = lambda: CREATED
        self.fault = fault
        self._unknown = unknown
        self._documents = documents or {}
        self._addresses = hosts
        self._real = real
        for body in bodies:
            self.put(body)

    def put(self, body: Body) -> Body:
        """Store an object as if another client had."""
        metadata = body["metadata"]
        metadata.setdefault("namespace", "default")
        metadata.setdefault("uid", f"uid-of-{metadata['name']}")
        metadata.setdefault("creationTimestamp", CREATED)
        self._version = max(self._version, int(metadata.get("resourceVersion", "0"))) + 1
        metadata["resourceVersion"] = str(self._version)
        self.objects[body["kind"], metadata["namespace"], metadata["name"]] = body
        return body

    def names(self, *kinds: str) -> set[str]:
        """Return the names of all objects of some kinds."""
        return {name for found, _, name in [*self.objects] if found in kinds}

    def select(
        self, kind: str, namespace: str | None, labels: Mapping[str, str | Sequence[str]]
    ) -> Bodies:
        """Return the objects of a kind in one namespace or all, without a request."""
        return [
            _copied(body)
            for (found, place, _), body in [*self.objects.items()]
            if found == kind
            and namespace in (None, place)
            and _matches(body["metadata"].get("labels") or {}, labels)
        ]

    @property
    def asked(self) -> Sequence[str]:
        """The kinds that were listed, one after another."""
        lists = ("list", "list_in_parts", "list_metadata", "events")
        return [each.kind for each in self.requests if each.method in lists]

    def pods_of(self, benchmark: str) -> set[str]:
        """Return kind and name of all that is or becomes pods of a benchmark."""
        return {f"{kind}/{name}" for kind, _, name in self._pods(benchmark)}

    def collect(self, benchmark: str) -> None:
        """Remove the pods that a benchmark has left, as the garbage collector does."""
        for key in self._pods(benchmark):
            del self.objects[key]

    def within(self, seconds: float) -> "FakeCluster":
        return self

    @_request
    def server_hosts(self) -> list[str]:
        return list(self._addresses)

    @_request
    def serves(self, api_version: str, kind: str) -> bool:
        return kind not in self._unknown

    @_request
    def read(self, path: str) -> Body | None:
        return self._documents.get(path)

    @_request
    def get(self, api_version: str, kind: str, namespace: str, name: str) -> Body | None:
        return _copied(self.objects.get((kind, namespace, name)))

    @_request
    def list(
        self, api_version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> Bodies:
        assert kind not in self._unknown, f"{kind} is not known"
        return self.select(kind, namespace, selector)

    @_request
    def list_in_parts(
        self, api_version: str, kind: str, namespace: str | None, selector: dict[str, str]
    ) -> Iterator[Body]:
        return iter(self.select(kind, namespace, selector))

    @_request
    def list_metadata(
        self,
        api_version: str,
        kind: str,
        namespace: str | None,
        selector: Mapping[str, str | Sequence[str]] | None = None,
    ) -> Iterator[Body]:
        if kind in self._unknown:
            raise KindNotServedError(ApiServerReason.KIND_NOT_SERVED, f"{kind} is not known")
        found = self.select(kind, namespace, selector or {})
        return ({"metadata": each["metadata"]} for each in found)

    @_request
    def pod_log(
        self,
        namespace: str,
        pod: str,
        container: str,
        *,
        previous: bool,
        lines: int,
        max_bytes: int,
    ) -> str:
        if (pod, container, previous) not in self.logs:
            raise PermanentError(ApiServerReason.MANIFEST_REJECTED, "no such log")
        ends = self.logs[pod, container, previous].splitlines()[-lines:]
        return "\n".join(ends).encode()[:max_bytes].decode()

    @_request
    def events(
        self, namespace: str, kind: str, name: str, reason: str | None = None
    ) -> Sequence[Body]:
        about = {"kind": kind, "name": name}
        return [
            each
            for each in self.select("Event", namespace, {})
            if about.items() <= each["involvedObject"].items() and reason in (None, each["reason"])
        ]

    @_request
    def apply(self, manifest: Body, manager: str = "") -> Body:
        """Replace all that is not the API server's to set; the status is not the client's."""
        wanted = _copied(manifest)
        metadata = wanted["metadata"]
        stored = self.objects.get(
            (wanted["kind"], metadata.get("namespace", "default"), metadata["name"])
        )
        apply_outcome(check_not_taken(manifest, stored))
        found = "1" if stored is None else stored["metadata"]["resourceVersion"]
        if metadata.pop("resourceVersion", found) != found:
            raise ConflictError(ApiServerReason.CONFLICT, "the object has been modified")
        self.applied.append(_copied(manifest))
        if stored is None:
            return self.put(wanted | {"metadata": {"creationTimestamp": self.now()} | metadata})
        kept = ("uid", "creationTimestamp", "resourceVersion", "generation")
        metadata |= {key: stored["metadata"][key] for key in kept if key in stored["metadata"]}
        status = {"status": stored["status"]} if "status" in stored else {}
        return self.put(status | wanted)

    @_request
    def delete(
        self,
        api_version: str,
        kind: str,
        namespace: str,
        name: str,
        grace_seconds: int | None = None,
        *,
        uid: str | None = None,
    ) -> None:
        """Delete at once, or begin to where a finalizer or a lost node holds the object."""
        metadata = self.objects.get((kind, namespace, name), {}).get("metadata", {})
        if uid is not None and metadata.get("uid", uid) != uid:
            raise ConflictError(ApiServerReason.CONFLICT, "the uid differs")
        self.deleted.append(f"{kind}/{name}")
        is_lost = name in self.on_lost_nodes and grace_seconds != 0
        if metadata.get("finalizers") or is_lost:
            metadata["deletionTimestamp"] = metadata["creationTimestamp"]
        else:
            self.objects.pop((kind, namespace, name), None)

    @_request
    def merge(self, api_version: str, kind: str, namespace: str, name: str, changes: Body) -> Body:
        stored = self.objects[kind, namespace, name]
        found = stored["metadata"]["resourceVersion"]
        if changes.get("metadata", {}).get("resourceVersion", found) != found:
            raise ConflictError(ApiServerReason.CONFLICT, "the object has been modified")
        return _copied(self.put(_merged(stored, changes)))

    @_request
    def replace_status(self, body: Body) -> Body:
        metadata = body["metadata"]
        stored = self.objects[body["kind"], metadata["namespace"], metadata["name"]]
        if stored["metadata"]["resourceVersion"] != metadata["resourceVersion"]:
            raise ConflictError(ApiServerReason.CONFLICT, "the object has been modified")
        return _copied(self.put(stored | {"status": body["status"]}))

    def _pods(self, benchmark: str) -> Collection[Key]:
        label = (LABEL_BENCHMARK, benchmark)
        return [
            key
            for key, body in self.objects.items()
            if key[0] in POD_KINDS and label in (body["metadata"].get("labels") or {}).items()
        ]


def _matches(labels: Body, wanted: Mapping[str, str | Sequence[str]]) -> bool:
    return all(
        labels.get(key) == value if isinstance(value, str) else labels.get(key) in value
        for key, value in wanted.items()
    )


def _merged(stored: Any, changes: Any) -> Any:
    """Return what a JSON merge patch (RFC 7386) without removals makes of a value."""
    if not isinstance(changes, dict):
        return changes
    stored = stored if isinstance(stored, dict) else {}
    return stored | {key: _merged(stored.get(key), each) for key, each in changes.items()}


def _copied(body: T) -> T:
    """Return a deep copy; pickle makes it in a fifth of the time of `copy.deepcopy`."""
    return cast(T, pickle.loads(pickle.dumps(body)))
