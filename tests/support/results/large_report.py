"""A report of 256 MiB behind an API server that would send all of it, and its clean-up."""

import base64
from datetime import UTC, datetime
from typing import Any

import httpx2 as httpx

from solrbench.contract.storage import MAX_CHUNK_BYTES, MAX_CHUNKS, ChunkedDocument
from solrbench.controller.report_limit import drop_oldest_reports
from solrbench.kube.reader import METADATA_ONLY
from solrbench.kube.result_documents import delete_leftovers, list_chunks
from solrbench.manifests.results import build_report
from support.resources.objects import stored
from support.servers.api_stub import cluster_with_kinds

BENCHMARK = stored()
DOCUMENTS = 16
BODY = {"document.json.gz": base64.b64encode(bytes(MAX_CHUNK_BYTES)).decode()}
"""What is in each of its ConfigMaps."""


class LargeReport:
    """The ConfigMaps of a report of a benchmark that is over, as an API server lists them."""

    def __init__(self) -> None:
        chunks = ChunkedDocument((b"x",) * (MAX_CHUNKS - 1), "0" * 64)
        self.deleted: list[str] = []
        self.chunks: list[dict[str, Any]] = []
        for document in range(DOCUMENTS):
            for manifest in build_report(BENCHMARK, f"r{document + 1}-s0-two", chunks, 1):
                name = manifest["metadata"]["name"]
                own = {"uid": f"uid-of-{name}", "resourceVersion": f"{len(self.chunks) + 1}"}
                size = {"solrbench.io/bytes": f"{MAX_CHUNK_BYTES}"}
                manifest["metadata"]["annotations"] |= size
                self.chunks.append({"metadata": manifest["metadata"] | own})

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if request.method == "DELETE":
            self.deleted.append(path.rpartition("/")[2])
            return httpx.Response(200, json={})
        if path.endswith("/configmaps"):
            return self._list(request)
        return httpx.Response(200, json={"items": [OVER] if "sweeps" not in path else []})

    def _list(self, request: httpx.Request) -> httpx.Response:
        """Return a part of the ConfigMaps, whole unless metadata are asked for."""
        first = int(request.url.params.get("continue") or 0)
        end = first + int(request.url.params.get("limit") or len(self.chunks))
        data = {} if request.headers["Accept"] == METADATA_ONLY else {"binaryData": BODY}
        more = {"continue": str(end)} if end < len(self.chunks) else {}
        items = [chunk | data for chunk in self.chunks[first:end]]
        return httpx.Response(200, json={"metadata": more, "items": items})


OVER = {
    "metadata": {"name": BENCHMARK.metadata.name, "uid": BENCHMARK.metadata.uid},
    "spec": {},
    "status": {
        "completionTime": datetime(2026, 1, 1, tzinfo=UTC).isoformat(),
        "conditions": [{"type": "Succeeded", "status": "True", "reason": "Succeeded"}],
    },
}


def clean_up(_: bytes = b"") -> None:
    """Look for leftovers of the report, then delete it, as it takes more than its namespace may."""
    report = LargeReport()
    cluster = cluster_with_kinds(report)
    assert len(report.chunks) * MAX_CHUNK_BYTES > 256 << 20
    delete_leftovers(cluster, list_chunks(cluster, BENCHMARK))
    assert report.deleted == []
    dropped, left = drop_oldest_reports(cluster, "search", 64 << 20, "uid-of-another")
    assert (len(dropped), left) == (1, 0)
    assert len(report.deleted) == len(report.chunks)
