"""Every reason for which a step is Invalid, with the check of a step run that gives it."""

from collections.abc import Mapping

from solrbench.results.model.failure_kinds import CONNECTIONS_RAN_OUT, PARTIAL_RESULTS
from solrbench.results.validity.checks.finding import ValidityCheck, VerdictReason
from solrbench.results.validity.checks.generator import (
    check_connections_ran_out,
    check_worker_saturated,
)
from solrbench.results.validity.checks.pods import (
    check_pod_restarted,
    check_pod_throttled,
    check_workers_lost,
)
from solrbench.results.validity.checks.responses import (
    check_empty_results,
    check_partial_results,
    check_requests_failed,
)
from solrbench.results.validity.checks.schedule import (
    check_queries_may_repeat,
    check_requests_dropped,
    check_requests_late,
    check_schedule_lag,
)
from solrbench.results.validity.checks.target import check_deleted_documents

TARGET_CHANGED = "TargetChanged"
TOO_FEW_SAMPLES = "TooFewSamples"

CHECKS: Mapping[str, ValidityCheck] = {
    "WorkerSaturated": ValidityCheck(
        "A load worker used more than its share of CPU time, so it may have been the bottleneck.",
        "raise load.workers, or the CPU in load.resources",
        check_worker_saturated,
    ),
    "ScheduleLag": ValidityCheck(
        "In an open loop, a load worker itself delayed requests.",
        "raise load.workers, or the CPU in load.resources",
        check_schedule_lag,
    ),
    "WorkersLost": ValidityCheck(
        "Load workers were lost while the step was measured, or never took part.",
        "look at the events of the load pods, and measure again",
        check_workers_lost,
    ),
    "PodThrottled": ValidityCheck(
        "A load worker was throttled by its CPU limit.",
        "raise load.resources.limits.cpu",
        check_pod_throttled,
    ),
    "PodRestarted": ValidityCheck(
        "A container of the benchmark ended, or a pod was replaced, during the step.",
        "look at the events of the pod, raise its memory if it was OOMKilled",
        check_pod_restarted,
    ),
    CONNECTIONS_RAN_OUT: ValidityCheck(
        "A load pod had no port, file descriptor or memory left for a connection.",
        "raise load.workers: each pod has ports and files of its own",
        check_connections_ran_out,
    ),
    "RequestsFailed": ValidityCheck(
        "Too many requests failed, or in too many seconds too many of them did.",
        "look for failureKinds in the JSON report, and at Solr's log",
        check_requests_failed,
    ),
    PARTIAL_RESULTS: ValidityCheck(
        "Responses lack the results of a shard.",
        "look for shards without a live replica, and for timeAllowed",
        check_partial_results,
    ),
    "EmptyResults": ValidityCheck(
        "Too many responses have no document.",
        "use queries that fit the documents",
        check_empty_results,
    ),
    "RequestsDropped": ValidityCheck(
        "In an open loop, planned requests were never sent.",
        "lower requestsPerSecond, or raise maxInFlight",
        check_requests_dropped,
    ),
    "RequestsLate": ValidityCheck(
        "In an open loop, planned requests were sent late.",
        "lower requestsPerSecond, or raise maxInFlight",
        check_requests_late,
    ),
    "QueriesMayRepeat": ValidityCheck(
        "Load pods were lost, and queries of a list with order Once may have been sent twice.",
        "measure again",
        check_queries_may_repeat,
    ),
    "DeletedDocuments": ValidityCheck(
        "Too many documents in the index are deleted, as after index pods that ran again.",
        "use dataset.indexing.maxSegments 1, which drops them, or raise"
        " load.validity.maxDeletedPercent",
        check_deleted_documents,
    ),
}
"""Checks of one step run by the reason that they give."""

REASONS: Mapping[str, VerdictReason] = {
    **CHECKS,
    TARGET_CHANGED: VerdictReason(
        "The step, or one of its repeats, was measured on another target than the first step run:"
        " other pods, nodes, images, index or documents.",
        "measure again, on a target that stays as it is",
    ),
    TOO_FEW_SAMPLES: VerdictReason(
        "A request name has too few requests, over all repeats, for the percentile.",
        "raise the step's requests or durationSeconds, or load.repeats",
    ),
}
"""Every reason by its word, those of all repeats together last."""
