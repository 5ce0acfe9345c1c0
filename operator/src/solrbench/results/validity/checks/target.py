"""Whether steps and repeats were measured on one target, and whether its index was clean."""

from collections.abc import Iterable, Mapping

from solrbench.api.v1alpha1.load.load import Load
from solrbench.api.v1alpha1.load.repeats import RepeatStart
from solrbench.results.model.measured_target import find_changes
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import format_percent, format_share
from solrbench.results.validity.checks.finding import Finding, NotEvaluated, Outcome


def check_deleted_documents(document: StepRunResult, load: Load) -> Outcome:
    """Compare the share of deleted documents in the index with the limit.

    They are found by no search, but they are in the files that a search reads, in the statistics
    of terms, and in the size of the index.
    """
    target = document.target
    if target is not None and not target.filled:
        return None
    if target is None or target.documents is None or target.deleted_documents is None:
        return NotEvaluated("deleted documents were not recorded")
    limit, deleted = load.validity.max_deleted_percent, target.deleted_documents
    whole = target.documents + deleted
    if deleted * 100 <= limit * whole:
        return None
    return Finding(
        deleted / whole,
        f"{deleted} of {whole} documents in the index are deleted"
        f" ({format_share(deleted, whole)}, limit {format_percent(limit)})",
    )


def first_of_repeats(step_runs: Iterable[StepRunResult]) -> dict[int, StepRunResult]:
    """Return the step run of each repeat that was measured first, in the order of measuring."""
    found: dict[int, StepRunResult] = {}
    for each in sorted(step_runs, key=lambda each: each.start_time):
        found.setdefault(each.repeat, each)
    return found


def compare_with_first(
    firsts: Mapping[int, StepRunResult], document: StepRunResult, start_on: RepeatStart
) -> Outcome:
    """Look for what changed since the first step run, apart from what was made anew on purpose.

    Where repeats start on a target or data of their own, a step run is compared in full with the
    first one of its repeat; with the first of all it must have the images and documents in common.

    Args:
        firsts: as `first_of_repeats`
        document: of the step run
        start_on: what each repeat starts on

    """
    first = next(iter(firsts.values()))
    if start_on is RepeatStart.SAME_TARGET or document.repeat == first.repeat:
        return _compare(first, document, RepeatStart.SAME_TARGET)
    within = _compare(firsts[document.repeat], document, RepeatStart.SAME_TARGET)
    return within or _compare(first, document, start_on)


def _compare(first: StepRunResult, document: StepRunResult, start_on: RepeatStart) -> Outcome:
    if first is document:
        return None
    if first.target is None or document.target is None:
        return NotEvaluated("what it was measured on was not recorded")
    changes = find_changes(first.target, document.target, start_on)
    if not changes:
        return None
    return Finding(
        len(changes), f"measured on another target than {first.id}: {'; '.join(changes)} (limit 0)"
    )
