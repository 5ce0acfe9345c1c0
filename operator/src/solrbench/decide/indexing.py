"""Whether the index Job goes on, what its pods did, and whether Solr holds every document.

A backup is restored without a Job; what Solr holds then is checked, too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.status import (
    CleanedStatus,
    DatasetStatus,
    IndexPodsStatus,
    IndexPodStatus,
)
from solrbench.contract.pod_plans import IndexProgress
from solrbench.decide.lifecycle import check_starting
from solrbench.decide.outcome import Check, Outcome, fail, wait
from solrbench.decide.pods import ObservedPods, first_problem, shorten
from solrbench.decide.views import JobView, PodView, ReplicaSize
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.registry import find_reason
from solrbench.reasons.target import PodReason


@dataclass(frozen=True)
class IndexRun(ObservedPods):
    """The index Job under way."""

    job: JobView
    progress: Sequence[IndexProgress]
    dataset: DatasetStatus
    """The progress of all of them together."""
    starting_seconds: int
    """Limit of the time until the pods run."""


def check_job_failed(run: IndexRun) -> Outcome | None:
    """Fail with the reason of the pod that failed first, if the Job did."""
    if not run.job.failed:
        return None
    failures = [progress for progress in run.progress if progress.reason is not None]
    # The other pods are interrupted because of that one.
    for progress in sorted(failures, key=lambda each: each.reason == IndexingReason.INTERRUPTED):
        reason = find_reason(progress.reason) or IndexingReason.INDEX_POD_FAILED
        return fail(reason, progress.message or "")
    ended = [outcome for pod in run.pods if (outcome := _pod_failure(pod)) is not None]
    return ended[0] if ended else fail(IndexingReason.INDEX_JOB_FAILED, run.job.failure)


def _pod_failure(pod: PodView) -> Outcome | None:
    for container in pod.containers:
        if container.ended_reason not in ("", "Completed"):
            out_of_memory = container.ended_reason == "OOMKilled"
            return fail(
                PodReason.OOM_KILLED if out_of_memory else IndexingReason.INDEX_POD_FAILED,
                f"pod {pod.name} ended: {container.ended_reason}, exit code {container.exit_code};"
                f" {shorten(container.termination_message)}",
            )
    return None


def check_pods_work(run: IndexRun) -> Outcome | None:
    """Wait with the problem of a pod that is still needed."""
    if run.job.succeeded:
        return None
    needed = [pod for pod in run.pods if pod.phase in ("Pending", "Running")]
    problem = first_problem(needed, run.now)
    if problem is None and run.creation is not None:
        # Of a pod that has to be made again since, it is not known for how long it is missing.
        since = None if run.dataset.documents else run.job.created
        problem = replace(run.creation, since=since)
    return check_starting(problem, run.now, run.starting_seconds)


def check_job_succeeded(run: IndexRun) -> Outcome | None:
    """Wait until the Job has succeeded."""
    if run.job.succeeded:
        return None
    total = f" of {run.dataset.documents_total}" if run.dataset.documents_total else ""
    message = f"{run.dataset.documents or 0}{total} documents sent"
    return wait(IndexingReason.INDEXING, message)


INDEX_RUN_CHECKS: tuple[Check[IndexRun], ...] = (
    check_job_failed,
    check_pods_work,
    check_job_succeeded,
)


def count_documents(sizes: Sequence[ReplicaSize]) -> dict[str, int]:
    """Return the documents of each shard, whose replicas agree."""
    return {size.shard: size.documents for size in sizes}


def total_documents(sizes: Sequence[ReplicaSize]) -> int | None:
    """Return the documents of all shards; `None` if the replicas of one disagree."""
    return None if find_disagreement(sizes) else sum(count_documents(sizes).values())


def count_deleted(sizes: Sequence[ReplicaSize]) -> int | None:
    """Return the deleted documents that are still in the index, of each shard its worst replica.

    `None` if a replica does not report them. Replicas of a shard merge on their own, so that they
    need not agree; `count_documents` counts each shard once, too.
    """
    by_shard: dict[str, int] = {}
    for size in sizes:
        if size.deleted_documents is None:
            return None
        by_shard[size.shard] = max(by_shard.get(size.shard, 0), size.deleted_documents)
    return sum(by_shard.values())


def find_disagreement(sizes: Sequence[ReplicaSize]) -> Outcome | None:
    """Return why there is no number of documents, if the replicas of a shard disagree."""
    for shard in dict.fromkeys(size.shard for size in sizes):
        by_core = {size.core: size.documents for size in sizes if size.shard == shard}
        if len(set(by_core.values())) > 1:
            # They do until a PULL or TLOG replica has copied the leader's last commit.
            message = f"documents of {shard} by replica: {by_core}, expected the same on each"
            return wait(IndexingReason.REPLICAS_DISAGREE, message)
    return None


def check_documents(
    sizes: Sequence[ReplicaSize], sent: int | None, expected: int | None
) -> Outcome | None:
    """Wait while replicas disagree; fail if the index holds another number of documents.

    `sent` is what the index pods are known to have sent. Without `expected`, as if a pod of the
    complete Job is gone with its report and the spec has no number, at least `sent` must be there.
    """
    disagreement = find_disagreement(sizes)
    if disagreement is not None:
        return disagreement
    by_shard = count_documents(sizes)
    total = sum(by_shard.values())
    if total == expected or (expected is None and total >= (sent or 0)):
        return None
    wanted = f"at least {sent}" if expected is None else expected
    return fail(
        IndexingReason.DOCUMENT_COUNT_MISMATCH,
        f"The index has {total:,} documents, expected are {wanted} ({sent} were sent; by"
        f" shard {by_shard}). If ids repeat, set spec.dataset.expectedDocuments.",
    )


def check_expected_known(expected: int | None, *, is_empty: bool = False) -> Outcome | None:
    """Fail if neither the spec, nor a pod, nor Solr says how many documents there are.

    `is_empty` says that every index pod has reported, and none of them found a document.
    """
    if expected is not None:
        return None
    if is_empty:
        return fail(
            IndexingReason.EMPTY_DATASET,
            "the index pods found no document in any file; correct spec.dataset or fill the files",
        )
    return fail(
        IndexingReason.DOCUMENTS_UNKNOWN,
        "no index pod reported how many documents it sent, and the index is empty; set"
        " spec.dataset.expectedDocuments",
    )


def check_restored(sizes: Sequence[ReplicaSize], expected: int | None) -> Outcome | None:
    """Wait while replicas disagree; fail if a restored index is empty, or not of the size expected.

    A backup does not say how many documents it has.
    """
    total = total_documents(sizes)
    if total is None:
        return find_disagreement(sizes)
    if total and expected in (None, total):
        return None
    return fail(
        IndexingReason.DOCUMENT_COUNT_MISMATCH,
        f"The restored index has {total:,} documents, expected are {expected or 'some'}. Correct"
        " spec.dataset.backup, or spec.dataset.expectedDocuments.",
    )


_RATES = {
    "cpu_cores": "cpu_seconds",
    "cpu_user_cores": "cpu_user_seconds",
    "network_sent_bytes_per_second": "network_sent_bytes",
    "network_received_bytes_per_second": "network_received_bytes",
}
"""Figures that are added, each divided by the seconds of its pod."""

_WORST = (
    *("throttled_percent", "cpu_some_percent", "memory_some_percent", "io_some_percent"),
    "working_set_max_bytes",
)


def add_up_usage(pods: Sequence[Mapping[str, float]]) -> IndexPodsStatus | None:
    """Return the figures of all pods together; None if none of them reported any."""
    known = [pod for pod in pods if pod.get("seconds", 0.0) > 0]
    usage = {
        name: round(sum(rates), 3)
        for name, figure in _RATES.items()
        if (rates := [pod[figure] / pod["seconds"] for pod in known if figure in pod])
    }
    usage |= {
        name: max(numbers)
        for name in _WORST
        if (numbers := [pod[name] for pod in known if name in pod])
    }
    return IndexPodsStatus.model_validate(usage) if usage else None


MAX_FILES = 64
"""Files of all pods that the status has."""


def _describe_pods(pods: Iterable[IndexProgress], nodes: Mapping[int, str]) -> list[IndexPodStatus]:
    ordered = sorted(pods, key=lambda each: each.pod)
    most = max(1, MAX_FILES // max(1, len(ordered)))
    return [
        IndexPodStatus(
            pod=each.pod,
            node=nodes.get(each.pod) or None,
            documents=each.documents,
            bytes=each.bytes,
            seconds=_seconds(each),
            files=each.files,
            slowest_files=each.slowest_files[:most],
        )
        for each in ordered
    ]


def _seconds(pod: IndexProgress) -> float | None:
    if pod.started is None or pod.finished is None:
        return None  # it had no document of its own
    return round(max(pod.finished - pod.started, 0.001), 3)


def _add_up_cleaned(pods: Iterable[IndexProgress]) -> CleanedStatus | None:
    """Return what was cleaned by all pods together; None without cleaning."""
    known = [pod.cleaned.model_dump() for pod in pods if pod.cleaned is not None]
    if not known:
        return None
    return CleanedStatus(**{name: sum(each[name] for each in known) for name in known[0]})


def aggregate_progress(
    dataset: Dataset,
    progress: Iterable[IndexProgress],
    now: float,
    nodes: Mapping[int, str] | None = None,
) -> DatasetStatus:
    """Return the progress of all pods together; `now` is Unix time.

    `nodes` are the Kubernetes nodes of the pods, by their number.

    A pod that ran again reports twice, from its container that ended and the next one: what is
    furthest counts.
    """
    furthest: dict[int, IndexProgress] = {}
    for each in sorted(progress, key=lambda each: (_is_done(each), each.documents), reverse=True):
        furthest.setdefault(each.pod, each)
    pods = list(furthest.values())
    started = [pod.started for pod in pods if pod.started is not None]
    finished = [pod.finished for pod in pods if pod.finished is not None]
    total = known_documents(dataset)
    if not started:
        return DatasetStatus(documents_total=total)
    is_over = len(finished) == dataset.indexing.pods
    # A pod without a document of its own may have been scheduled long after the last response.
    end = max(pod.finished or 0.0 for pod in pods if pod.started) if is_over else now
    # Clocks of two nodes may differ by more than a short run takes.
    seconds = max(end - min(started), 0.001)
    documents, size = sum(pod.documents for pod in pods), sum(pod.bytes for pod in pods)
    return DatasetStatus(
        documents=documents,
        documents_total=total,
        bytes=size,
        seconds=round(seconds, 3),
        documents_per_second=round(documents / seconds, 1),
        bytes_per_second=round(size / seconds, 1),
        waiting_percent=_waiting_percent(dataset, pods) if is_over else None,
        pods=add_up_usage([pod.usage for pod in pods if pod.documents]) if is_over else None,
        by_pod=_describe_pods(pods, nodes or {}) if is_over else [],
        cleaned=_add_up_cleaned(pods) if is_over else None,
    )


def _waiting_percent(dataset: Dataset, pods: Sequence[IndexProgress]) -> float | None:
    """Return the share of their time in which the streams of all pods waited for Solr."""
    streams = dataset.indexing.concurrency
    sending = sum((pod.finished or 0.0) - (pod.started or 0.0) for pod in pods if pod.started)
    waited = sum(pod.waiting_seconds for pod in pods)
    return min(100.0, round(100 * waited / sending / streams, 1)) if sending and waited else None


def known_documents(dataset: Dataset) -> int | None:
    """Return how many documents the spec says there are, or `None`."""
    if dataset.expected_documents is not None:
        return dataset.expected_documents
    if dataset.first_documents is not None:
        return dataset.first_documents
    return dataset.generator.documents if dataset.generator else None


def all_reported(dataset: Dataset, progress: Iterable[IndexProgress]) -> bool:
    """Return whether every pod of a Job that is complete has left its final report."""
    return len({each.pod for each in progress if _is_done(each)}) >= dataset.indexing.pods


def _is_done(progress: IndexProgress) -> bool:
    return progress.finished is not None and progress.reason is None


def keep_known_progress(known: DatasetStatus, found: DatasetStatus) -> DatasetStatus:
    """Return the progress that is further: pods that have ended may be gone with their report."""
    return found if (found.documents or 0) >= (known.documents or 0) else known
