"""The limit of what the stored results of a namespace take in etcd, which all tenants share."""

from collections import defaultdict
from typing import Any

from solrbench.api.identity import BENCHMARKS
from solrbench.api.kinds import SWEEP
from solrbench.contract.names import LABEL_COMPONENT, LABEL_STEP_RUN, REPORT
from solrbench.controller.context import ReconcileContext
from solrbench.controller.events import Event, post_events
from solrbench.decide.conditions import is_over
from solrbench.decide.pauses import awaits_export
from solrbench.decide.views import controller_uid
from solrbench.kube.client import Cluster
from solrbench.kube.reader import Manifest
from solrbench.kube.result_documents import Chunk, delete_chunks
from solrbench.reasons.end import CleanupReason

_KEPT = ("apiVersion", "kind", "metadata")
"""What an event needs of the resource that it is about."""


def limit_reports(context: ReconcileContext) -> str:
    """Delete the oldest results of the namespace when a benchmark has ended, each with an event.

    Returns what the condition adds: that those that are needed take more than they may.
    """
    namespace, limit = context.namespace, context.settings.report_mebibytes << 20
    ended = context.benchmark
    dropped, left = drop_oldest_reports(context.cluster, namespace, limit, ended.metadata.uid)
    for body, event in dropped:
        post_events(body, f"{namespace}/{body['metadata']['name']}", [event])
    if left <= limit:
        return ""
    text = (
        f"the stored results of namespace {namespace} take {left / (1 << 20):.1f} MiB of"
        f" {limit / (1 << 20):g} MiB, and none is deleted, as those of the last benchmark and of"
        " benchmarks and sweeps that are not over are needed"
    )
    post_events(context.body, ended.key, [Event("Warning", CleanupReason.REPORTS_TOO_LARGE, text)])
    return f"; {text}"


def drop_oldest_reports(
    cluster: Cluster, namespace: str, max_bytes: int, newest_uid: str
) -> tuple[list[tuple[Manifest, Event]], int]:
    """Delete stored results until those of a namespace are within the limit, oldest first.

    Returns the benchmarks that have lost theirs, each with the event that says so, and the bytes
    that are left. Results stay of one that is not over, or still to be exported, of the points of a
    sweep that is not over, of the baseline of such a one, and of `newest_uid`, which has just
    ended.
    """
    chunks: dict[str, list[Chunk]] = defaultdict(list)
    for body in cluster.list_metadata("v1", "ConfigMap", namespace, {LABEL_COMPONENT: REPORT}):
        if LABEL_STEP_RUN in body["metadata"]["labels"]:
            chunks[controller_uid(body) or ""].append(Chunk.of(body))
    sizes = {uid: sum(chunk.size for chunk in found) for uid, found in chunks.items()}
    left, dropped = sum(sizes.values()), []
    if left <= max_bytes:
        return [], left
    for body in _ended_benchmarks(cluster, namespace):
        uid = body["metadata"]["uid"]
        if left <= max_bytes:
            break
        if uid == newest_uid or uid not in chunks:
            continue
        delete_chunks(cluster, chunks[uid])
        left -= sizes[uid]
        text = (
            f"the stored results of {body['metadata']['name']}, {sizes[uid] / (1 << 20):.1f} MiB,"
            f" were deleted: those of namespace {namespace} took more than"
            f" {max_bytes / (1 << 20):g} MiB; its status keeps the figures"
        )
        dropped.append((body, Event("Warning", CleanupReason.REPORT_DROPPED, text)))
    return dropped, left


def _ended_benchmarks(cluster: Cluster, namespace: str) -> list[Manifest]:
    """Return the benchmarks whose results are not needed, the one that ended first comes first."""
    ended: list[tuple[str, Manifest]] = []
    baselines, sweeps = set(), set()
    for body in cluster.list_in_parts(*SWEEP.reference, namespace, {}):
        if not is_over(body):
            sweeps.add(body["metadata"]["uid"])
            baselines.add(_baseline_of(body["spec"].get("template")))
    for body in cluster.list_in_parts(*BENCHMARKS, namespace, {}):
        is_needed = awaits_export(body) or controller_uid(body) in sweeps
        if is_over(body) and not is_needed:
            time = str(body["status"].get("completionTime", ""))
            # Not the whole: status and spec of hundreds would be in memory at once.
            ended.append((time, {key: body[key] for key in _KEPT}))
        else:
            baselines.add(_baseline_of(body))
    ended.sort(key=lambda each: each[0])
    return [body for _, body in ended if body["metadata"]["name"] not in baselines]


def _baseline_of(body: Any) -> str | None:
    """Return the name of a baseline, if there is one: the template of a sweep may be anything."""
    for key in ("spec", "comparison", "baseline", "benchmark", "name"):
        body = body.get(key) if isinstance(body, dict) else None
    return body if isinstance(body, str) else None
