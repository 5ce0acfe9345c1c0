"""Memory of a pod, and the collector of its JVM.

The limits are those of docs/method.md, with their sources. A rule whose figures are missing does
not apply.
"""

from solrbench.results.bottleneck.evidence import Evidence, Symptom
from solrbench.results.bottleneck.rules.limits import above
from solrbench.results.stats.number_format import format_milliseconds, format_percent

MAX_MEMORY_STALL_PERCENT = 5.0
MAX_MAJOR_FAULTS = 100.0
LEAST_MEMORY_SOME_PERCENT = 1.0
LEAST_MEMORY_USED_PERCENT = 90.0
MAX_GC_PERCENT = 5.0
"""From here on the 95th percentile holds a pause: so many requests meet one."""
MAX_HEAP_AFTER_GC_PERCENT = 85.0
MAX_PAUSE_PERCENT_OF_REQUEST = 10.0
LEAST_GC_OF_LONG_PAUSES_PERCENT = 1.0
LEAST_GC_OF_FULL_HEAP_PERCENT = 3.0
FULL_HEAP_PERCENT = 75.0


def find_memory(run: Evidence) -> Symptom | None:
    """Apply if all tasks of a pod waited for memory, or if it read its own pages anew."""
    what = "of the time stalled for memory"
    stalled = above(run, "memory_full_percent", MAX_MEMORY_STALL_PERCENT, what) or above(
        run, "machine_memory_full_percent", MAX_MEMORY_STALL_PERCENT, f"{what} (machine)"
    )
    if stalled is not None:
        return stalled
    faults, disk = run.figure("major_faults_per_second"), run.figure("io_some_percent")
    if faults is None or faults <= MAX_MAJOR_FAULTS or (disk is not None and disk < 1):
        return None
    if not _is_short_of_memory(run):
        return None
    text = f"{faults:.0f} page faults a second that read the disk (limit {MAX_MAJOR_FAULTS:.0f})"
    return Symptom(text, run.server("major_faults_per_second"))


def _is_short_of_memory(run: Evidence) -> bool:
    """Return whether pages had to leave memory: a file that is read for the first time faults, too.

    The kernel counts the wait for a page that it dropped before as a stall of memory. Version 1 of
    control groups knows no stalls: there the pod must have filled its limit.
    """
    stalled = run.figure("memory_some_percent")
    if stalled is not None:
        return stalled >= LEAST_MEMORY_SOME_PERCENT
    used = run.figure("memory_used_max_percent")
    return used is None or used >= LEAST_MEMORY_USED_PERCENT


def find_garbage_collection(run: Evidence) -> Symptom | None:
    """Apply if the collector stopped a node too long, or had nearly nothing to collect."""
    return (
        above(run, "gc_percent", MAX_GC_PERCENT, "of the time in garbage collection")
        or above(
            run,
            "heap_after_gc_max_percent",
            MAX_HEAP_AFTER_GC_PERCENT,
            "of the heap in use after a collection",
        )
        or _find_full_heap(run)
        or _find_long_pauses(run)
    )


def _find_long_pauses(run: Evidence) -> Symptom | None:
    """Apply if pauses are much of the time of a request, though they are few.

    An arrival meets a pause with the probability of the share of time in pauses, and then waits for
    half of it on average: more if pauses differ, so this is a lower bound.
    """
    spent, often = run.figure("gc_percent"), run.figure("gc_per_second")
    each = run.figure("solr_milliseconds")
    if not spent or not often or not each or spent < LEAST_GC_OF_LONG_PAUSES_PERCENT:
        return None
    pause = 1000 * spent / 100 / often
    share = spent * _share_that_waits(run, pause) * pause / 2 / each
    if share <= MAX_PAUSE_PERCENT_OF_REQUEST:
        return None
    return Symptom(
        f"{format_percent(min(share, 100.0))} of the time of requests spent waiting in pauses of"
        f" {format_milliseconds(pause)} (limit {format_percent(MAX_PAUSE_PERCENT_OF_REQUEST)})",
        run.server("gc_percent"),
    )


def _share_that_waits(run: Evidence, pause_milliseconds: float) -> float:
    """Return the share of the requests due in a pause that are sent: all of a plan's.

    The users of a closed loop wait for their responses, so that a pause meets one of each at most.
    """
    rate = run.figure("solr_requests_per_second")
    if run.users is None or not rate:
        return 1.0
    return min(1.0, run.users / (rate * pause_milliseconds / 1000))


def _find_full_heap(run: Evidence) -> Symptom | None:
    """Apply if collections are many because little of the heap is free: either alone is usual."""
    live, spent = run.figure("heap_after_gc_max_percent"), run.figure("gc_percent")
    if live is None or spent is None:
        return None
    if live <= FULL_HEAP_PERCENT or spent <= LEAST_GC_OF_FULL_HEAP_PERCENT:
        return None
    return Symptom(
        f"{format_percent(live)} of the heap in use after a collection (limit"
        f" {format_percent(FULL_HEAP_PERCENT)}), with {format_percent(spent)} of the time in"
        f" garbage collection (limit {format_percent(LEAST_GC_OF_FULL_HEAP_PERCENT)})",
        run.server("heap_after_gc_max_percent"),
    )
