"""Every reason for which a step is Invalid, with the check of a step run that gives it."""

from collections.abc import Mapping
from functools import partial

from solrbench.analysis import load_checks, target_checks
from solrbench.analysis.checks import Check, CheckedReason, CheckOfRepeats, VerdictReason
from solrbench.analysis.repeat_checks import (
    check_agreement,
    check_empty_increased,
    check_steady,
    check_times,
)
from solrbench.contract.step_document import CONNECTIONS_RAN_OUT, PARTIAL_RESULTS
from solrbench.stats.repeats import Disagreement

TARGET_CHANGED = "TargetChanged"
TOO_FEW_SAMPLES = "TooFewSamples"

CHECKS: Mapping[str, CheckedReason[Check]] = {
    "WorkerSaturated": CheckedReason(
        "A load worker used more than its share of CPU time, so it may have been the bottleneck.",
        "raise load.workers, or the CPU in load.resources",
        load_checks.check_worker_saturated,
    ),
    "WorkersDiffer": CheckedReason(
        "Requests of one load worker took much longer than those of the others.",
        "look at the Kubernetes node of that worker, and at the Solr nodes that its users reach",
        load_checks.check_workers_differ,
    ),
    "DelayedByGenerator": CheckedReason(
        "In an open loop, delays that load workers caused themselves raised a percentile.",
        "give load pods nodes of their own and no CPU limit, or raise load.workers",
        load_checks.check_generator_delay,
    ),
    "ScheduleLag": CheckedReason(
        "In an open loop, a load worker itself delayed requests.",
        "raise load.workers, or the CPU in load.resources",
        load_checks.check_schedule_lag,
    ),
    "WorkersLost": CheckedReason(
        "Load workers were lost while the step was measured, or never took part.",
        "look at the events of the load pods, and measure again",
        load_checks.check_workers_lost,
    ),
    "PodThrottled": CheckedReason(
        "A load worker was throttled by its CPU limit.",
        "raise load.resources.limits.cpu",
        load_checks.check_pod_throttled,
    ),
    "CpuStolen": CheckedReason(
        "The host of a load worker's node gave CPU time of the node to others.",
        "use nodes whose CPUs are not shared, or measure when the host is idle",
        target_checks.check_cpu_stolen,
    ),
    "OthersUseCpu": CheckedReason(
        "Processes that are not of the benchmark used CPU time of a node that it was measured on.",
        "stop what else runs on that node, or give the benchmark nodes of its own",
        target_checks.check_others_use_cpu,
    ),
    "CpuPressure": CheckedReason(
        "Processes of a load worker waited for a CPU that others used.",
        "give load pods nodes of their own, or raise the CPU in load.resources.requests",
        target_checks.check_cpu_pressure,
    ),
    "NotSteady": CheckedReason(
        "Service times still rose or fell when the step ended: it never became steady.",
        "look for caches that fill, merges and a growing index, and lengthen warmUp or raise"
        " load.validity.maxDriftPercent",
        check_steady,
    ),
    "PodRestarted": CheckedReason(
        "A container of the benchmark ended, or a pod was replaced, during the step.",
        "look at the events of the pod, raise its memory if it was OOMKilled",
        load_checks.check_pod_restarted,
    ),
    CONNECTIONS_RAN_OUT: CheckedReason(
        "A load pod had no port, file descriptor or memory left for a connection.",
        "raise load.workers: each pod has ports and files of its own",
        load_checks.check_connections_ran_out,
    ),
    "RequestsFailed": CheckedReason(
        "Too many requests failed, or in too many seconds at least half of them did.",
        "look for failureKinds in the JSON report, and at Solr's log",
        target_checks.check_requests_failed,
    ),
    "EndedEarly": CheckedReason(
        "The step was ended before its time: requests failed and none was good any more, or the"
        " benchmark failed in the middle of it.",
        "look at Solr's log at that time, then measure again",
        target_checks.check_ended_early,
    ),
    PARTIAL_RESULTS: CheckedReason(
        "Responses lack the results of a shard.",
        "look for shards without a live replica, and for timeAllowed",
        target_checks.check_partial_results,
    ),
    "EmptyResults": CheckedReason(
        "Too many responses have no document.",
        "use queries that fit the documents",
        target_checks.check_empty_results,
    ),
    "RequestsDropped": CheckedReason(
        "In an open loop, planned requests were never sent.",
        "lower requestsPerSecond, or raise maxInFlight",
        load_checks.check_requests_dropped,
    ),
    "RequestsLate": CheckedReason(
        "In an open loop, planned requests were sent late.",
        "lower requestsPerSecond, or raise maxInFlight",
        load_checks.check_requests_late,
    ),
    "QueriesMayRepeat": CheckedReason(
        "Load pods were lost, and queries of a list with order Once may have been sent twice.",
        "measure again",
        load_checks.check_queries_may_repeat,
    ),
    "DocumentsLost": CheckedReason(
        "After a step that indexes, replicas lack documents that Solr had accepted, differ from"
        " each other, or could not be asked.",
        "look at Solr's log and at the events of its pods, and measure again",
        target_checks.check_added_documents,
    ),
    "DeletedDocuments": CheckedReason(
        "Too many documents in the index are deleted, as after index pods that ran again.",
        "use dataset.indexing.maxSegments 1, which drops them, or raise"
        " load.validity.maxDeletedPercent",
        target_checks.check_deleted_documents,
    ),
    "VariantDiffers": CheckedReason(
        "A variant points to another number of documents, or another version of Solr, than the"
        " target has.",
        "look at the URLs of target.variants, or set load.validity.allowVariantDifferences",
        target_checks.check_variant,
    ),
}
"""Checks of one step run by the reason that they give."""

CHECKS_OF_REPEATS: Mapping[str, CheckedReason[CheckOfRepeats]] = {
    "FirstRepeatDiffers": CheckedReason(
        "The first repeat is unlike the others by more than chance explains: too short a"
        " warm-up, most often.",
        "lengthen warmUp, or let it last until steady with warmUp.untilSteady",
        partial(check_agreement, Disagreement.FIRST),
    ),
    "RepeatsDrift": CheckedReason(
        "Repeats become slower or faster one after another.",
        "look for a growing index, a leak, or caches that still fill, and lengthen warmUp",
        partial(check_agreement, Disagreement.TREND),
    ),
    "RepeatsDisagree": CheckedReason(
        "Repeats differ by more than chance explains.",
        "look at the outliers and at what else ran on the nodes, and measure longer steps",
        partial(check_agreement, Disagreement.SPREAD),
    ),
    "RepeatTimesDiffer": CheckedReason(
        "The mean or the percentile of one repeat is far above that of another, by more than chance"
        " explains.",
        "lengthen warmUp if the first is the slow one, look at what else ran on the nodes, and"
        " measure longer steps",
        check_times,
    ),
    "EmptyResultsIncreased": CheckedReason(
        "In a later repeat, more responses have no document than in the first.",
        "look for documents or replicas that were lost between the repeats",
        check_empty_increased,
    ),
}
"""Checks of all repeats of a step by the reason that they give."""

PLACEMENT_CHECKS: Mapping[str, CheckedReason[target_checks.PlacementCheck]] = {
    "LoadSharesNodes": CheckedReason(
        "Load pods ran on a Kubernetes node with Solr pods.",
        "taint nodes for Solr (target.solrCloud.tolerations), or set"
        " load.validity.allowSharedNodes",
        target_checks.check_load_shares_nodes,
    ),
    "SolrSharesNodes": CheckedReason(
        "Several Solr pods ran on one Kubernetes node.",
        "add Kubernetes nodes, lower target.solrCloud.nodes, or set load.validity.allowSharedNodes",
        target_checks.check_solr_shares_nodes,
    ),
}
"""Checks of where pods ran by the reason that they give."""

REASONS: Mapping[str, VerdictReason] = {
    **CHECKS,
    **CHECKS_OF_REPEATS,
    **PLACEMENT_CHECKS,
    TARGET_CHANGED: VerdictReason(
        "The step, or one of its repeats, was measured on another target than the first step run:"
        " other pods, nodes, images, index or documents.",
        "measure again, on a target that stays as it is",
    ),
    TOO_FEW_SAMPLES: VerdictReason(
        "A request name has too few requests, over all repeats, for the percentile.",
        "raise the step's requests or durationSeconds, or more load.repeats",
    ),
}
"""Every reason by its word, those of all repeats together last."""
