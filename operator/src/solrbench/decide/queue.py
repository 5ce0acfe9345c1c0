"""Which benchmark may run: at most so many at a time, oldest first.

Benchmarks that run side by side disturb each other's numbers, so the default is one.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.decide.conditions import CLEANED_UP, is_finished
from solrbench.decide.internal_errors import has_too_many_errors
from solrbench.reasons.lifecycle import LifecycleReason

CLEANUP_DONE_REASONS = (
    LifecycleReason.CLEANED_UP,
    LifecycleReason.CLEANUP_SKIPPED,
    LifecycleReason.COLLECTION_NOT_REMOVED,
)
"""Reasons of `CleanedUp` with which nothing of a benchmark runs any more. A collection that is
still on an existing Solr, perhaps one that is gone for good, is no load."""


def is_running(benchmark: SolrBenchmark) -> bool:
    """Return whether a benchmark holds a place: started, and not all over or suspended.

    Pods that are being removed may still disturb others, so clean-up belongs to it. Clean-up and
    suspension have no deadline, so one that ends with internal errors gives up its place.
    """
    if benchmark.status.start_time is None or has_too_many_errors(benchmark.status):
        return False
    return not is_finished(benchmark.status) or not _is_cleaned_up(benchmark)


def _is_cleaned_up(benchmark: SolrBenchmark) -> bool:
    return any(
        each.type == CLEANED_UP and each.reason in CLEANUP_DONE_REASONS
        for each in benchmark.status.conditions
    )


def blocking_benchmarks(
    benchmark: SolrBenchmark, everyone: Sequence[SolrBenchmark], max_concurrent: int
) -> list[str]:
    """Return the benchmarks to wait for; an empty list means it is this one's turn.

    Args:
        benchmark: the one that asks
        everyone: all benchmarks of the watched namespaces, the one that asks included
        max_concurrent: how many may run at a time

    """
    others = [each for each in everyone if each.metadata.uid != benchmark.metadata.uid]
    running = sorted(each.key for each in others if is_running(each))
    waiting = sorted(
        (each for each in others if _waits(each) and _rank(each) < _rank(benchmark)), key=_rank
    )
    before = running + [each.key for each in waiting]
    return before if len(before) >= max_concurrent else []


def _waits(benchmark: SolrBenchmark) -> bool:
    accepted = any(
        each.type == "Accepted" and each.status == "True" for each in benchmark.status.conditions
    )
    return (
        accepted
        and not benchmark.spec.suspend
        and benchmark.metadata.deletion_timestamp is None
        and benchmark.status.start_time is None
        and not is_finished(benchmark.status)
    )


def _rank(benchmark: SolrBenchmark) -> tuple[datetime, str]:
    created = benchmark.metadata.creation_timestamp or datetime.max.replace(tzinfo=UTC)
    return created, benchmark.key
