"""An API server on loopback with a few objects, and the kubeconfig that leads to it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

Body = dict[str, Any]

CORE = ("Namespace", "Node", "Pod", "ConfigMap", "Event", "Secret", "ResourceQuota")
GROUPS: dict[str, tuple[str, ...]] = {
    "api/v1": CORE,
    "apis/apps/v1": ("Deployment",),
    "apis/authorization.k8s.io/v1": ("SelfSubjectAccessReview",),
    "apis/solrbench.io/v1alpha1": ("SolrBenchmark", "SolrBenchmarkSweep"),
    "apis/storage.k8s.io/v1": ("StorageClass",),
}
OF_CLUSTER = ("Namespace", "Node", "SelfSubjectAccessReview", "StorageClass")


class ApiStub(ThreadingHTTPServer):
    """Serves `objects`; `refusals` by path come first.

    Attributes:
        objects: by path
        refusals: HTTP status and body by the begin of a path; `*` for every path
        groups: kinds by group and version
        requests: verb, path, query and body of each

    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, Body] = {}
        self.refusals: dict[str, tuple[int, Body]] = {}
        self.groups = dict(GROUPS)
        self.requests: list[tuple[str, str, dict[str, str], Body]] = []

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
        return [(path, body) for verb, path, _, body in self.requests if verb == method]

    def respond(self, method: str, path: str, query: dict[str, str], body: Body) -> tuple[int, Any]:
        for begin, refusal in self.refusals.items():
            if begin == "*" or path.startswith(begin):
                return refusal
        if path.strip("/") in self.groups:
            return 200, {"resources": _resources(self.groups[path.strip("/")])}
        if path == "/version":
            return 200, {"gitVersion": "v1.34.0"}
        if path == "/apis/solrbench.io" and "apis/solrbench.io/v1alpha1" in self.groups:
            return 200, {"versions": [{"version": "v1alpha1"}]}
        return self._of_objects(method, path, query, body)

    def _of_objects(  # noqa: PLR0911 - one for each verb
        self, method: str, path: str, query: dict[str, str], body: Body
    ) -> tuple[int, Any]:
        if path.endswith("/log"):
            return 200, self.objects.get(path, {}).get("text", "")
        if method == "POST" and path.endswith("selfsubjectaccessreviews"):
            return 201, {"status": {"allowed": True}}
        if method == "POST":
            metadata = body["metadata"]
            metadata.setdefault("name", f"{metadata.get('generateName')}7xk2p")
            return 201, self.put(body)
        found = self.objects.get(path)
        if method == "PATCH":
            return 200, self.put((found or {}) | body | {"metadata": (found or body)["metadata"]})
        if method == "DELETE":
            if found is not None and not found["metadata"].get("finalizers"):
                del self.objects[path]
            return 200, {}
        if path.rsplit("/", 1)[1].endswith("s") and found is None:
            return 200, {"kind": "List", "items": self._below(path, query)}
        return (200, found) if found is not None else (404, {"message": f"no {path}"})

    def _below(self, path: str, query: dict[str, str]) -> list[Body]:
        root, _, plural = path.rpartition("/")
        wanted = dict(p.split("=") for p in query.get("labelSelector", "").split(",") if p)
        return [
            each
            for place, each in self.objects.items()
            if place.startswith(root)
            and place.rsplit("/", 2)[1] == plural
            and wanted.items() <= each["metadata"].get("labels", {}).items()
        ]


def _resources(kinds: tuple[str, ...]) -> list[Body]:
    return [
        {"name": f"{each.lower()}s", "kind": each, "namespaced": each not in OF_CLUSTER}
        for each in kinds
    ]


class _Handler(BaseHTTPRequestHandler):
    server: ApiStub

    def _respond(self) -> None:
        place = urlsplit(self.path)
        query = {key: value[0] for key, value in parse_qs(place.query).items()}
        length = int(self.headers["Content-Length"] or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        self.server.requests.append((self.command, place.path, query, body))
        code, found = self.server.respond(self.command, place.path, query, body)
        content = found.encode() if isinstance(found, str) else json.dumps(found).encode()
        if query.get("watch"):
            code, content = 403, b'{"message": "may not watch"}'
        self.send_response(code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = _respond  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def serving(folder: Path) -> Iterator[ApiStub]:
    """Yield the server; `folder/config` is its kubeconfig."""
    with ApiStub() as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        write_kubeconfig(folder / "config", f"http://127.0.0.1:{http.server_port}")
        yield http
        http.shutdown()
        thread.join()


def write_kubeconfig(file: Path, server: str) -> None:
    """Write a kubeconfig with one context, `stub`."""
    content = {
        "current-context": "stub",
        "contexts": [{"name": "stub", "context": {"cluster": "stub", "user": "stub"}}],
        "clusters": [{"name": "stub", "cluster": {"server": server}}],
        "users": [{"name": "stub", "user": {"token": "t"}}],
    }
    file.write_text(yaml.safe_dump(content), "utf-8")
