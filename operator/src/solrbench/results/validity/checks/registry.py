"""The checks of one step run, each by the reason that it gives."""

from collections.abc import Mapping

from solrbench.results.model.failure_kinds import CONNECTIONS_RAN_OUT, PARTIAL_RESULTS
from solrbench.results.validity.checks.finding import Check
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

CHECKS: Mapping[str, Check] = {
    "WorkerSaturated": check_worker_saturated,
    "ScheduleLag": check_schedule_lag,
    "WorkersLost": check_workers_lost,
    "PodThrottled": check_pod_throttled,
    "PodRestarted": check_pod_restarted,
    CONNECTIONS_RAN_OUT: check_connections_ran_out,
    "RequestsFailed": check_requests_failed,
    PARTIAL_RESULTS: check_partial_results,
    "EmptyResults": check_empty_results,
    "RequestsDropped": check_requests_dropped,
    "RequestsLate": check_requests_late,
    "QueriesMayRepeat": check_queries_may_repeat,
}
"""Checks of one step run by the reason that they give."""
