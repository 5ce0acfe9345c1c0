"""An API server with a few objects, over HTTP: in the process, or on loopback with a kubeconfig."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import yaml

from solrbench.kube.client import Cluster
from solrbench.kube.connection import ApiConnection
from support.servers.in_thread import QuietHandler, served_by

Body = dict[str, Any]
Handler = Callable[[httpx.Request], httpx.Response]

CORE = ("Namespace", "Node", "Pod", "Service", "ConfigMap", "Event", "Secret", "ResourceQuota")
GROUPS: dict[str, tuple[str, ...]] = {
    "/api/v1": CORE,
    "/apis/apps/v1": ("Deployment",),
    "/apis/authorization.k8s.io/v1": ("SelfSubjectAccessReview",),
    "/apis/solrbench.io/v1alpha1": ("SolrBenchmark", "SolrBenchmarkSweep"),
    "/apis/storage.k8s.io/v1": ("StorageClass",),
}
OF_CLUSTER = ("Namespace", "Node", "SelfSubjectAccessReview", "StorageClass")


def cluster_of(handler: Handler) -> Cluster:
    """Return a client whose requests a stub or a function responds to, below its HTTP library."""
    transport = httpx.MockTransport(handler)
    return Cluster(ApiConnection(httpx.Client(transport=transport, base_url="https://api.test")))


def cluster_with_kinds(respond: Handler) -> Cluster:
    """Return a client of a function that responds to all but questions for the usual kinds."""

    def answer(request: httpx.Request) -> httpx.Response:
        kinds = GROUPS.get(request.url.path)
        return respond(request) if kinds is None else resources(*kinds)

    return cluster_of(answer)


def resources(*kinds: str) -> httpx.Response:
    """Return what the API server says about the kinds of a group."""
    found = [
        {"name": f"{each.lower()}s", "kind": each, "namespaced": each not in OF_CLUSTER}
        for each in kinds
    ]
    return httpx.Response(200, json={"resources": found})


def status(code: int, message: str = "no", **more: Any) -> httpx.Response:
    """Return a refusal, as the API server words it."""
    return httpx.Response(code, json={"kind": "Status", "code": code, "message": message, **more})


def stream_of(*events: Body) -> httpx.Response:
    """Return the response to a watch: one line for each event."""

    def lines() -> Iterator[bytes]:
        for each in events:
            text = json.dumps(each).encode() + b"\n"
            yield text[:10]  # a line need not come in one piece
            yield text[10:]

    return httpx.Response(200, content=lines())


def body_of(request: httpx.Request) -> Body:
    found: Body = json.loads(request.content or b"{}")
    return found


class ApiStub:
    """Serves `objects`; `responses` by path come first."""

    def __init__(self, *bodies: Body) -> None:
        self.objects: dict[str, Body] = {}
        self.responses: dict[str, httpx.Response] = {}
        """By the begin of a path; `*` for every path."""
        self.groups = dict(GROUPS)
        self.requests: list[httpx.Request] = []
        for body in bodies:
            self.put(body)

    def put(self, body: Body) -> Body:
        """Store an object; finalizers hold it when it is deleted."""
        metadata = body["metadata"]
        metadata.setdefault("uid", f"uid-{metadata['name']}")
        metadata.setdefault("resourceVersion", "1")
        metadata.setdefault("creationTimestamp", "2026-01-01T00:00:00Z")
        if body["kind"] not in OF_CLUSTER:
            metadata.setdefault("namespace", "default")
        self.objects[self.path_of(body)] = body
        return body

    def path_of(self, body: Body) -> str:
        version = body["apiVersion"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        metadata = body["metadata"]
        place = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
        return f"{root}{place}/{body['kind'].lower()}s/{metadata['name']}"

    def sent(self, method: str) -> list[tuple[str, Body]]:
        """Return path and body of the requests of one verb."""
        return [(each.url.path, body_of(each)) for each in self.requests if each.method == method]

    def __call__(self, request: httpx.Request) -> httpx.Response:  # noqa: PLR0911 - by path
        self.requests.append(request)
        path = request.url.path
        if request.url.params.get("watch"):
            return status(403, "may not watch")
        for begin, response in self.responses.items():
            if begin == "*" or path.startswith(begin):
                return response
        if path in self.groups:
            return resources(*self.groups[path])
        if path == "/version":
            return httpx.Response(200, json={"gitVersion": "v1.34.0"})
        if path == "/apis/solrbench.io" and "/apis/solrbench.io/v1alpha1" in self.groups:
            return httpx.Response(200, json={"versions": [{"version": "v1alpha1"}]})
        if path.endswith("/log"):
            return httpx.Response(200, text=self.objects.get(path, {}).get("text", ""))
        code, found = getattr(self, f"_{request.method.lower()}")(path, request)
        return httpx.Response(code, json=found)

    def _post(self, path: str, request: httpx.Request) -> tuple[int, Body]:
        if path.endswith("selfsubjectaccessreviews"):
            return 201, {"status": {"allowed": True}}
        body = body_of(request)
        body["metadata"].setdefault("name", f"{body['metadata'].get('generateName')}7xk2p")
        return 201, self.put(body)

    def _patch(self, path: str, request: httpx.Request) -> tuple[int, Body]:
        found, body = self.objects.get(path), body_of(request)
        asked, metadata = body.get("metadata", {}), (found or {}).get("metadata", {})
        if found is None and "uid" in asked:
            return 409, {"message": "uid mismatch: no existing object was found"}
        if asked.get("uid", metadata.get("uid")) != metadata.get("uid"):
            return 422, {"message": "metadata.uid: field is immutable"}
        if found is not None and "resourceVersion" in asked:
            return 409, {"message": "the object has been modified"}
        return 200, self.put((found or {}) | body | {"metadata": (found or body)["metadata"]})

    def _delete(self, path: str, _: httpx.Request) -> tuple[int, Body]:
        metadata = self.objects.get(path, {"metadata": {}})["metadata"]
        if metadata.get("finalizers"):
            metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        else:
            self.objects.pop(path, None)
        return 200, {}

    def _get(self, path: str, request: httpx.Request) -> tuple[int, Body]:
        if path in self.objects:
            return 200, self.objects[path]
        root, _, plural = path.rpartition("/")
        if not plural.endswith("s"):
            return 404, {"message": f"no {path}"}
        labels = request.url.params.get("labelSelector", "")
        wanted = dict(each.split("=") for each in labels.split(",") if each)
        items = [
            each
            for place, each in self.objects.items()
            if place.startswith(root)
            and place.rsplit("/", 2)[1] == plural
            and wanted.items() <= each["metadata"].get("labels", {}).items()
        ]
        return 200, {"kind": "List", "items": items}


@contextmanager
def serving(folder: Path) -> Iterator[ApiStub]:
    """Yield a stub that is on loopback, too; `folder/config` is the kubeconfig."""
    stub = ApiStub()

    class Exchange(QuietHandler):
        def _respond(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"] or 0))
            url = f"http://{self.headers['Host']}{self.path}"
            response = stub(httpx.Request(self.command, url, content=content))
            self.send(response.content, response.status_code)

        do_GET = do_POST = do_PATCH = do_DELETE = _respond  # noqa: N815

    with served_by(Exchange) as address:
        write_kubeconfig(folder / "config", address)
        yield stub


def write_kubeconfig(file: Path, server: str) -> None:
    content = {
        "current-context": "stub",
        "contexts": [{"name": "stub", "context": {"cluster": "stub", "user": "stub"}}],
        "clusters": [{"name": "stub", "cluster": {"server": server}}],
        "users": [{"name": "stub", "user": {"token": "t"}}],
    }
    file.write_text(yaml.safe_dump(content), "utf-8")
