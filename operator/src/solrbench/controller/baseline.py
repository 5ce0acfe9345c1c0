"""The results beside those of the baseline: checked before the start, compared as they come."""

from collections import Counter

from solrbench.api.v1alpha1.comparison import Baseline
from solrbench.api.v1alpha1.status.comparison import BaselineComparison
from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.cluster.baselines import observe_baseline, read_baseline
from solrbench.controller.context import ReconcileContext
from solrbench.controller.outcomes import apply_outcome
from solrbench.decide.checks.baseline import check_baseline
from solrbench.decide.conditions import COMPARED
from solrbench.errors import SolrbenchError
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.results.comparison.baseline import baseline_comparison, primary_words
from solrbench.results.comparison.comparison_settings import settings_of_spec
from solrbench.results.comparison.side import benchmark_side
from solrbench.results.comparison.side_comparison import compare_sides


def check_baseline_results(context: ReconcileContext) -> None:
    """Check that the baseline has its results.

    Raises:
        TemporaryError: while it is missing or not over.
        PermanentError: if it failed, or is no report.

    """
    baseline = context.benchmark.spec.comparison.baseline
    if baseline is None:
        return
    if baseline.benchmark is not None:
        found = observe_baseline(context.cluster, context.namespace, baseline.benchmark.name)
        apply_outcome(check_baseline(found))
    else:
        read_baseline(context.cluster, context.reports, context.namespace, baseline)


def compare_with_baseline(context: ReconcileContext) -> None:
    """Put the comparison of what is stored into the status; why there is none is a condition."""
    comparison = context.benchmark.spec.comparison
    if comparison.baseline is None:
        return
    try:
        found = _compare(context, comparison.baseline)
    except SolrbenchError as error:
        context.conditions.set(COMPARED, "False", error.reason, error.message)
        return
    context.update(comparison=found)
    context.conditions.set(COMPARED, "True", LifecycleReason.COMPARED, _summary(found))


def is_baseline_decided(context: ReconcileContext) -> bool:
    """Say whether each step that both have is Better, Worse or Same by the status."""
    if context.status.comparison is None or not context.conditions.is_true(COMPARED):
        return False
    primary = primary_words(context.status.comparison.figures)
    decided = (Word.SAME, Word.BETTER, Word.WORSE)
    return bool(primary) and all(each.word in decided for each in primary)


def _compare(context: ReconcileContext, baseline: Baseline) -> BaselineComparison:
    benchmark = context.benchmark.model_copy(update={"status": context.status})
    documents = list(context.reports.documents(benchmark).values())
    after = benchmark_side(benchmark.metadata.name, benchmark, documents)
    before = read_baseline(context.cluster, context.reports, context.namespace, baseline)
    return baseline_comparison(compare_sides(before, after, settings_of_spec(benchmark.spec)))


def _summary(found: BaselineComparison) -> str:
    """Return `compared with juniper: 2 Same, 1 Worse`."""
    words = Counter(str(each.word or "without a word") for each in primary_words(found.figures))
    counts = ", ".join(f"{count} {word}" for word, count in sorted(words.items()))
    return f"compared with {found.baseline}: {counts or 'no step in common'}"
