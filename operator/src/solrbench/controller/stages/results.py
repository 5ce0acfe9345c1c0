"""The stored results in the status: numbers, verdicts, objectives, comparisons and answers.

The results of the baseline are checked before the start, and compared as they come.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from threading import Lock

from solrbench.analysis.arrivals import merge_distributions, open_loop_stats
from solrbench.analysis.baseline import (
    UnreadableReportError,
    benchmark_input,
    compare_candidate,
    fit_comparison,
    primary_comparisons,
)
from solrbench.analysis.bottleneck import find_bottlenecks
from solrbench.analysis.capacity import capacity_results, headline
from solrbench.analysis.capacity_trials import capacity_search, next_trial
from solrbench.analysis.checks import EvaluatedRun
from solrbench.analysis.cold_start import first_step_run, is_warm
from solrbench.analysis.conclusions import collect_answers
from solrbench.analysis.fail_fast import (
    left_out,
    missed_by_indexing,
    stop_reasons,
    summarise_omitted,
)
from solrbench.analysis.objectives import evaluate_objectives
from solrbench.analysis.response_gaps import step_response_gaps
from solrbench.analysis.scalability import scalability
from solrbench.analysis.sentences import completion_text
from solrbench.analysis.server_metrics import merge_telemetry, merge_visibility
from solrbench.analysis.step_comparison import (
    compare_variants,
    mark_invalid,
    settings_of_spec,
    variants_decided,
)
from solrbench.analysis.step_results import merge_steps, merge_totals, summarise
from solrbench.analysis.step_trends import find_trends
from solrbench.analysis.verdict import evaluate_steps, find_interferences
from solrbench.api.v1alpha1.comparisons import BaselineComparison, Conclusion
from solrbench.api.v1alpha1.findings import ObjectiveConclusion, overall_verdict
from solrbench.api.v1alpha1.objectives import Baseline
from solrbench.api.v1alpha1.result_rules import count_load_steps
from solrbench.api.v1alpha1.step_details import ColdStart
from solrbench.contract import names
from solrbench.contract.load_plan import CapacitySearch, trial_ids
from solrbench.contract.step_runs import FIRST_REPEAT, all_step_runs
from solrbench.controller.context import ReconcileContext
from solrbench.controller.stages.answers import update_answers
from solrbench.decide.conditions import COMPARED, OBJECTIVES_MET, Truth
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.references import check_baseline
from solrbench.decide.repeats import count_repeats
from solrbench.errors import PermanentError, SolrbenchError
from solrbench.kube.result_documents import list_chunks, read_environment
from solrbench.kube.results import STORE_ANEW, find_baseline, no_results, read_baseline
from solrbench.reasons.end import ApiServerReason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.load import LoadReason
from solrbench.stats.times import DECODED

_OUTCOMES: Mapping[ObjectiveConclusion, tuple[Truth, LoadReason]] = {
    ObjectiveConclusion.MET: ("True", LoadReason.OBJECTIVES_MET),
    ObjectiveConclusion.MISSED: ("False", LoadReason.OBJECTIVES_MISSED),
    ObjectiveConclusion.INCONCLUSIVE: ("Unknown", LoadReason.OBJECTIVES_INCONCLUSIVE),
}


def search_to_run(context: ReconcileContext) -> CapacitySearch | None:
    """Return the search for the capacity as far as it is stored; None if there is none to run."""
    spec = context.benchmark.spec
    if missed_by_indexing(spec, context.status.dataset) is not None:
        return None
    return capacity_search(context.reports.samples(context.benchmark))


def update_objectives(context: ReconcileContext) -> None:
    """Put what the stored results say of objectives and capacity into the status."""
    spec, samples = context.benchmark.spec, context.reports.samples(context.benchmark)
    runs = context.reports.runs(context.benchmark).values()
    step_runs = all_step_runs(spec, context.status.report.repeats)
    capacity = capacity_results(samples, find_interferences(runs))
    if not spec.load.steps:
        context.update(summary=headline(capacity))
    not_run = summarise_omitted(step_runs, omitted_step_runs(context))
    context.update(
        objectives=evaluate_objectives(
            samples, context.status.dataset, {each.step for each in not_run}
        ),
        not_run=not_run,
        capacity=capacity,
        scalability=scalability(samples, context.status.totals),
    )


def conclude_objectives(context: ReconcileContext) -> None:
    """Set the condition, when nothing more is measured."""
    objectives = context.status.objectives
    if objectives is None:
        return
    status, reason = _OUTCOMES[objectives.conclusion]
    context.conditions.set(OBJECTIVES_MET, status, reason, completion_text(objectives))


def omitted_step_runs(context: ReconcileContext) -> dict[str, str]:
    """Return the ids of step runs that are not run, with the reason."""
    spec, reports = context.benchmark.spec, context.reports
    samples = reports.samples(context.benchmark)
    return left_out(
        spec,
        all_step_runs(spec),
        reports.documents(context.benchmark),
        samples.once("stop reasons", lambda: stop_reasons(samples)),
        context.status.dataset,
    )


_ONE_REPORT = Lock()
"""Many benchmarks are checked at once, before one of them has its turn; reports are large."""


def check_baseline_results(context: ReconcileContext) -> None:
    """Check that the baseline has its results."""
    baseline = context.benchmark.spec.comparison.baseline
    if baseline is not None and baseline.benchmark is not None:
        found = find_baseline(context.cluster, context.namespace, baseline.benchmark.name)
        apply_outcome(check_baseline(found))
        if not list_chunks(context.cluster, found):
            raise no_results(found)
    elif baseline is not None:
        with _ONE_REPORT:
            read_baseline(context.cluster, context.reports, context.namespace, baseline)


def compare_with_baseline(context: ReconcileContext) -> None:
    """Put the comparison of what is stored into the status; why there is none is a condition.

    Raises:
        TemporaryError: if the API server does not respond, which says nothing of the baseline.
    """
    comparison = context.benchmark.spec.comparison
    if comparison.baseline is None:
        return
    try:
        result = _compare(context, comparison.baseline)
    except SolrbenchError as error:
        context.conditions.set(COMPARED, "False", error.reason, error.message)
        if error.reason == ApiServerReason.API_UNREACHABLE:
            raise
        return
    context.update(comparison=result)
    primary = primary_comparisons(result.figures)
    words = Counter(str(each.conclusion or "without a conclusion") for each in primary)
    counts = ", ".join(f"{count} {word}" for word, count in sorted(words.items()))
    message = f"compared with {result.baseline}: {counts or 'no step in common'}"
    context.conditions.set(COMPARED, "True", LifecycleReason.COMPARED, message)


def _compare(context: ReconcileContext, baseline: Baseline) -> BaselineComparison:
    benchmark = context.benchmark.model_copy(update={"status": context.status})
    runs = context.reports.samples(benchmark).runs
    after = benchmark_input(benchmark.metadata.name, benchmark, runs)
    before = read_baseline(context.cluster, context.reports, context.namespace, baseline)
    try:
        return fit_comparison(compare_candidate(before, after, settings_of_spec(benchmark.spec)))
    except UnreadableReportError as error:
        raise PermanentError(
            LifecycleReason.BASELINE_UNREADABLE,
            f"spec.comparison.baseline: {before.name} cannot be compared: {error}; {STORE_ANEW}",
        ) from error


def update_result_status(context: ReconcileContext) -> None:
    """Put the stored results into the status.

    Histograms are merged only when one was added, and verdicts evaluated only after a change, as
    evidence may come after its step run: the node may be the one that is measured.

    It raises `TemporaryError` if the API server does not respond.
    """
    before = context.status
    try:
        _update_result_status(context)
    except Exception:
        context.status = before  # a part of it would hide from the next reconcile what is missing
        raise
    finally:
        DECODED.forget_all()  # what the next update needs is kept as numbers


def _update_result_status(context: ReconcileContext) -> None:
    spec, before = context.benchmark.spec, context.status.report
    documents = context.reports.documents(context.benchmark)
    changed = len(documents) != before.stored_steps or not before.repeats
    selector = names.label_selector(names.selector(context.benchmark, names.REPORT))
    context.update_part(
        "report",
        left_out=[] if changed else before.left_out,
        stored_steps=len(documents),
        config_map_selector=selector,
    )
    runs = list(context.reports.runs(context.benchmark).values())
    samples = context.reports.samples(context.benchmark)
    if changed:
        context.update(
            results=merge_steps(samples),
            totals=merge_totals(samples),
            distributions=merge_distributions(samples),
            comparisons=compare_variants(samples),
            summary=summarise(samples),
            open_loop=open_loop_stats(samples),
            response_gaps=step_response_gaps(samples),
            cold_start=_cold_start(context, runs),
            telemetry=merge_telemetry(spec, [(run.document, run.servers) for run in runs]),
            visibility=merge_visibility(spec, documents.values()),
            bottlenecks=find_bottlenecks(spec, runs),
            trends=find_trends(spec, [(run.document, run.trends) for run in runs]),
        )
        update_objectives(context)
    # Evaluated once for each change: to go through all repeats of a long ladder takes CPU.
    verdicts = samples.once(
        "verdicts",
        lambda: evaluate_steps(
            samples, runs, read_environment(context.cluster, context.benchmark) if runs else None
        ),
    )
    is_evaluated_anew = changed or verdicts != context.status.verdicts
    context.update_part("summary", verdict=overall_verdict(verdicts))
    context.update(
        verdicts=verdicts, comparisons=mark_invalid(context.status.comparisons, verdicts)
    )
    if is_evaluated_anew:
        compare_with_baseline(context)
    if changed:
        _count_repeats(context)
        update_answers(context)
    context.update(answers=collect_answers(spec, context.status, samples))


def _cold_start(context: ReconcileContext, runs: Sequence[EvaluatedRun]) -> ColdStart | None:
    """Return the cold start; None if something else had been sent to the target before."""
    status, documents = context.status, [run.document for run in runs]
    if status.attempts.repeat not in (None, FIRST_REPEAT):
        return status.cold_start  # whether that target was warm is not known any more
    first = None if is_warm(status, documents) else first_step_run(documents)
    return next((run.cold_start for run in runs if run.document is first), None)


def _count_repeats(context: ReconcileContext) -> None:
    """Note how many repeats there are to be, by the words that the status has now."""
    spec = context.benchmark.spec
    left, every = omitted_step_runs(context), all_step_runs(spec)
    documents = context.reports.documents(context.benchmark)
    begun = {step_run.repeat for step_run in every if str(step_run) in documents}
    # What is left out is so in all repeats that there may be.
    done = {*documents, *left}
    ids = [each for each in every if each.repeat in begun and str(each) in done]
    steps = count_load_steps(spec)
    repeats = count_repeats(spec.load.repeats, ids, steps, lambda: _is_decided(context))
    ladders = [step_run for step_run in all_step_runs(spec, repeats) if str(step_run) not in left]
    search, trials = search_to_run(context), 0
    if search is not None:
        # How many a search takes is known at its end: until then it may take all.
        going_on = next_trial(search, search.stored) is not None
        trials = len(trial_ids(spec)) if going_on else len(search.stored)
    context.update_part("report", repeats=repeats, total_steps=len(ladders) + trials)


def _is_decided(context: ReconcileContext) -> bool:
    spec, samples = context.benchmark.spec, context.reports.samples(context.benchmark)
    if spec.target.variants and not variants_decided(samples):
        return False
    if spec.comparison.baseline is None:
        return True
    if context.status.comparison is None or not context.conditions.is_true(COMPARED):
        return False
    primary = primary_comparisons(context.status.comparison.figures)
    decided = (Conclusion.SAME, Conclusion.BETTER, Conclusion.WORSE)
    return bool(primary) and all(comparison.conclusion in decided for comparison in primary)
