"""Answers of a benchmark: which are still to be asked for, and what the stored ones show."""

from collections.abc import Sequence

from solrbench.analysis.answers import (
    answers_text,
    asks_queries,
    compare_answers,
    compare_variant_answers,
    first_answers,
    stored_answers,
)
from solrbench.api.v1alpha1.comparisons import (
    MAX_ANSWER_COMPARISONS,
    AnswerComparison,
    AnswerConclusion,
)
from solrbench.contract.answers import MAX_ANSWER_BYTES
from solrbench.contract.load_plan import AnswersPlan
from solrbench.contract.step_runs import variant_names
from solrbench.controller.context import ReconcileContext
from solrbench.decide.conditions import ANSWERS_COMPARED
from solrbench.errors import SolrbenchError
from solrbench.kube.results import read_baseline
from solrbench.reasons.end import ApiServerReason
from solrbench.reasons.lifecycle import LifecycleReason


def plan_answers(context: ReconcileContext) -> AnswersPlan | None:
    """Return the pass of answers of an attempt of the load; None if it needs none.

    Once a step run through a variant is stored, its answers are, too, or never will be: the load
    may have changed the index.
    """
    spec, documents = context.benchmark.spec, context.reports.documents(context.benchmark)
    answers, variants = spec.comparison.answers, variant_names(spec)
    known = {each.variant for each in documents.values()}
    missing = [variant for variant in variants if variant not in known]
    if answers is None or not asks_queries(spec) or not missing:
        return None
    return AnswersPlan(
        queries=answers.queries,
        first=answers.first,
        variants=missing,
        max_bytes=MAX_ANSWER_BYTES // len(variants),
        # A collection of an existing Solr may be another's, and to reload it not allowed.
        empties_caches=spec.target.solr_cloud is not None,
    )


def update_answers(context: ReconcileContext) -> None:
    """Put the comparisons of answers into the status, and their condition.

    What is concluded stays: answers are stored once, and take a second to compare.
    """
    spec = context.benchmark.spec
    documents = [*context.reports.documents(context.benchmark).values()]
    if not asks_queries(spec) or not documents:
        return
    stored = stored_answers(documents)
    known = {
        (each.candidate, each.baseline): each
        for each in context.status.answer_comparisons
        if each.conclusion is not None
    }
    # A variant may be called as the benchmark, or as its baseline.
    between = {pair: each for pair, each in known.items() if stored.keys() >= {*pair}}
    found = [*between.values()]
    found += [each.summary for each in compare_variant_answers(stored, between)]
    baseline, measured = spec.comparison.baseline, {each.variant for each in documents}
    if baseline is not None and variant_names(spec)[0] in measured:
        name = context.benchmark.metadata.name
        earlier = next((each for pair, each in known.items() if pair not in between), None)
        if earlier is None:
            try:
                before = read_baseline(
                    context.cluster, context.reports, context.namespace, baseline
                )
            except SolrbenchError as error:
                if error.reason == ApiServerReason.API_UNREACHABLE:
                    raise  # nothing else would ask again
                # The condition Compared says why.
            else:
                others, own = first_answers(run.document for run in before.runs), documents
                earlier = compare_answers(others, first_answers(own), before.name, name).summary
        found += [] if earlier is None else [earlier]
    kept = found[:MAX_ANSWER_COMPARISONS]
    context.update(answer_comparisons=kept)
    _set_condition(context, kept)


def _set_condition(context: ReconcileContext, compared: Sequence[AnswerComparison]) -> None:
    message = "; ".join(answers_text(each) for each in compared)
    conclusions = {each.conclusion for each in compared}
    if AnswerConclusion.DIFFER in conclusions:
        context.conditions.set(ANSWERS_COMPARED, "False", LifecycleReason.ANSWERS_DIFFER, message)
    elif None in conclusions:
        context.conditions.set(
            ANSWERS_COMPARED, "Unknown", LifecycleReason.ANSWERS_NOT_COMPARED, message
        )
    elif compared:
        context.conditions.set(ANSWERS_COMPARED, "True", LifecycleReason.SAME_ANSWERS, message)
