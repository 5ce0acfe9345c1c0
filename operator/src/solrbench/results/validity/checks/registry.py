"""The checks of one step run, each by the reason that it gives."""

from collections.abc import Mapping

from solrbench.results.model.failure_kinds import CONNECTIONS_RAN_OUT, PARTIAL_RESULTS
from solrbench.results.validity.checks.finding import ValidityCheck
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

CHECKS: Mapping[str, ValidityCheck] = {
    "WorkerSaturated": ValidityCheck(
        check_worker_saturated, "raise load.workers, or the CPU in load.resources"
    ),
    "ScheduleLag": ValidityCheck(
        check_schedule_lag, "raise load.workers, or the CPU in load.resources"
    ),
    "WorkersLost": ValidityCheck(
        check_workers_lost, "look at the events of the load pods, and measure again"
    ),
    "PodThrottled": ValidityCheck(check_pod_throttled, "raise load.resources.limits.cpu"),
    "PodRestarted": ValidityCheck(
        check_pod_restarted, "look at the events of the pod, raise its memory if it was OOMKilled"
    ),
    CONNECTIONS_RAN_OUT: ValidityCheck(
        check_connections_ran_out, "raise load.workers: each pod has ports and files of its own"
    ),
    "RequestsFailed": ValidityCheck(
        check_requests_failed, "look for failureKinds in the JSON report, and at Solr's log"
    ),
    PARTIAL_RESULTS: ValidityCheck(
        check_partial_results, "look for shards without a live replica, and for timeAllowed"
    ),
    "EmptyResults": ValidityCheck(check_empty_results, "use queries that fit the documents"),
    "RequestsDropped": ValidityCheck(
        check_requests_dropped, "lower requestsPerSecond, or raise maxInFlight"
    ),
    "RequestsLate": ValidityCheck(
        check_requests_late, "lower requestsPerSecond, or raise maxInFlight"
    ),
    "QueriesMayRepeat": ValidityCheck(check_queries_may_repeat, "measure again"),
}
"""Checks of one step run by the reason that they give, with the remedy."""
