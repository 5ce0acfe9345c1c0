"""The stored results in the status: figures, verdicts, comparisons and answers."""

from solrbench.api.v1alpha1.rules.storage_limits import ladder_length
from solrbench.controller.baseline import compare_with_baseline, is_baseline_decided
from solrbench.controller.context import ReconcileContext
from solrbench.controller.stages.objectives import (
    count_trials,
    left_out_step_runs,
    update_objectives,
)
from solrbench.decide.repeats import count_repeats
from solrbench.plan import names
from solrbench.plan.step_runs import all_step_runs
from solrbench.results.answers.collect import collect_answers
from solrbench.results.comparison.variants import compare_variants, mark_invalid, variants_decided
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.summary.arrivals import open_loop_stats
from solrbench.results.summary.distributions import merge_distributions
from solrbench.results.summary.response_gaps import step_response_gaps
from solrbench.results.summary.step_results import merge_steps, merge_totals, summarise
from solrbench.results.validity.overall_verdict import overall_verdict


def update_result_status(context: ReconcileContext, documents: dict[str, StepRunResult]) -> None:
    """Put the stored results into the status.

    Histograms are merged only when one was added, and verdicts evaluated only after a change, as
    evidence may come after its step run: the node may be the one that is measured.
    """
    spec, before = context.benchmark.spec, context.status.report
    changed = len(documents) != before.stored_steps or not before.repeats
    report = before.model_copy(
        update={
            "left_out": [] if changed else before.left_out,
            "stored_steps": len(documents),
            "config_map_selector": names.selector_text(context.benchmark, names.REPORT),
        }
    )
    context.update(report=report)
    ordered = list(documents.values())
    if changed:
        context.update(
            results=merge_steps(spec, ordered),
            totals=merge_totals(spec, ordered),
            distributions=merge_distributions(spec, ordered),
            comparisons=compare_variants(spec, ordered),
            summary=summarise(spec, ordered),
            open_loop=open_loop_stats(spec, ordered),
            response_gaps=step_response_gaps(spec, ordered),
            cold_start=context.reports.cold_start(context.benchmark),
            telemetry=context.reports.telemetry(context.benchmark),
            bottlenecks=context.reports.bottlenecks(context.benchmark),
            trends=context.reports.trends(context.benchmark),
        )
        update_objectives(context)
    verdicts = context.reports.verdicts(context.benchmark)
    is_evaluated_anew = changed or verdicts != context.status.verdicts
    summary = context.status.summary.model_copy(update={"verdict": overall_verdict(verdicts)})
    context.update(
        verdicts=verdicts,
        summary=summary,
        comparisons=mark_invalid(context.status.comparisons, verdicts),
    )
    if is_evaluated_anew:
        compare_with_baseline(context)
    if changed:
        _count_repeats(context, documents)
    context.update(answers=collect_answers(spec, context.status))


def _count_repeats(context: ReconcileContext, documents: dict[str, StepRunResult]) -> None:
    """Note how many repeats there are to be, by the words that the status has now."""
    spec = context.benchmark.spec
    left = left_out_step_runs(context)
    done = frozenset(documents) | frozenset(left)
    ids = [each for each in all_step_runs(spec) if str(each) in done]
    repeats = count_repeats(
        spec.load.repeats,
        ids,
        ladder_length(spec),
        lambda: _is_decided(context, list(documents.values())),
    )
    ladders = [each for each in all_step_runs(spec, repeats) if str(each) not in left]
    total = len(ladders) + count_trials(context)
    counted = {"repeats": repeats, "total_steps": total}
    context.update(report=context.status.report.model_copy(update=counted))


def _is_decided(context: ReconcileContext, documents: list[StepRunResult]) -> bool:
    spec = context.benchmark.spec
    if spec.target.variants and not variants_decided(spec, documents):
        return False
    return spec.comparison.baseline is None or is_baseline_decided(context)
