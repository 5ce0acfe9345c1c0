"""The limit of what the stored results of a namespace take in etcd, which all tenants share."""

from collections import defaultdict
from typing import Any

from solrbench.api.identity import BENCHMARKS
from solrbench.contract.names import LABEL_COMPONENT, LABEL_STEP_RUN, REPORT
from solrbench.controller.events import Event
from solrbench.decide.pauses import awaits_export, is_over
from solrbench.decide.views import controller_uid
from solrbench.kube.client import Cluster
from solrbench.kube.reader import Manifest
from solrbench.kube.result_documents import READ_AT_ONCE
from solrbench.manifests.results import BYTES_ANNOTATION
from solrbench.reasons.end import CleanupReason

_KEPT = ("apiVersion", "kind", "metadata")
"""What an event needs of the resource that it is about."""


def drop_oldest_reports(
    cluster: Cluster, namespace: str, max_bytes: int, newest_uid: str
) -> list[tuple[Manifest, Event]]:
    """Delete stored results until those of a namespace are within the limit, oldest first.

    Returns the benchmarks that have lost theirs, each with the event that says so. Results stay of
    one that is not over, or still to be exported, of the baseline of such a one, and of
    `newest_uid`, which has just ended.
    """
    chunks: dict[str, list[Manifest]] = defaultdict(list)
    for body in cluster.list_metadata("v1", "ConfigMap", namespace, {LABEL_COMPONENT: REPORT}):
        if LABEL_STEP_RUN in body["metadata"]["labels"]:
            chunks[controller_uid(body) or ""].append(body)
    sizes = {uid: sum(map(_bytes_of, bodies)) for uid, bodies in chunks.items()}
    left, dropped = sum(sizes.values()), []
    if left <= max_bytes:
        return []
    for body in _ended_benchmarks(cluster, namespace):
        uid = body["metadata"]["uid"]
        if left <= max_bytes:
            break
        if uid == newest_uid or uid not in chunks:
            continue
        for chunk in chunks[uid]:
            metadata = chunk["metadata"]
            cluster.delete("v1", "ConfigMap", namespace, metadata["name"], uid=metadata["uid"])
        left -= sizes[uid]
        text = (
            f"the stored results of {body['metadata']['name']}, {sizes[uid] / (1 << 20):.1f} MiB,"
            f" were deleted: those of namespace {namespace} took more than"
            f" {max_bytes / (1 << 20):g} MiB; its status keeps the figures"
        )
        dropped.append((body, Event("Warning", CleanupReason.REPORT_DROPPED, text)))
    return dropped


def _bytes_of(chunk: Manifest) -> int:
    text = (chunk["metadata"].get("annotations") or {}).get(BYTES_ANNOTATION, "")
    return int(text) if text.isdigit() else 0


def _ended_benchmarks(cluster: Cluster, namespace: str) -> list[Manifest]:
    """Return the benchmarks whose results are not needed, the one that ended first comes first."""
    ended: list[tuple[str, Manifest]] = []
    baselines = set()
    for part in cluster.list_in_parts(*BENCHMARKS, namespace, {}, READ_AT_ONCE):
        for body in part:
            if is_over(body) and not awaits_export(body):
                time = str(body["status"].get("completionTime", ""))
                # Not the whole: status and spec of hundreds would be in memory at once.
                ended.append((time, {key: body[key] for key in _KEPT}))
            else:
                baselines.add(_baseline_of(body))
    ended.sort(key=lambda each: each[0])
    return [body for _, body in ended if body["metadata"]["name"] not in baselines]


def _baseline_of(body: Manifest) -> Any:
    baseline = (body["spec"].get("comparison") or {}).get("baseline") or {}
    return (baseline.get("benchmark") or {}).get("name")
