"""Documents per second of steps that index: as a figure, a conclusion, an objective, a reason."""

from typing import Any

import pytest

from solrbench.analysis.metrics import DOCUMENTS, RATE, read_overheads
from solrbench.analysis.objectives import evaluate_objectives
from solrbench.analysis.sentences import describe
from solrbench.analysis.step_comparison import compare_variants
from solrbench.analysis.step_results import merge_steps
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.status import DatasetStatus, Status
from solrbench.contract.server_document import AddedDocuments
from solrbench.contract.step_document import StepRunResult
from solrbench.present.fact_tables import step_text
from solrbench.present.load_figures import load_curves
from solrbench.present.result_tables import intervals_table
from solrbench.present.table import table_to_markdown
from support.narrowing import not_none
from support.results.builders import (
    make_document,
    make_spec,
    make_timed_result,
    make_variants,
    swinging,
)
from support.results.samples import benchmark_samples
from support.results.validity_documents import healthy, messages_by_reason, verdict_of

SIZE = 50


def indexing_spec(*steps: str, **changes: object) -> Spec:
    """Return a spec whose steps index, but for one that is called queries."""
    made = plain(make_spec(*steps, **changes))
    made["load"]["repeats"]["startOn"] = "FreshData"
    for place, step in enumerate(made["load"]["steps"]):
        if step["name"] != "queries":
            made["load"]["steps"][place] |= {"indexing": {"batchSize": SIZE}, "users": 2 + place}
    return Spec.model_validate(made)


def updates(
    repeat: int = 1, per_second: int = 20, failures: int = 0, variant: str = "", step: str = "a"
) -> StepRunResult:
    """Return a step run of 30 s."""
    result = make_timed_result(swinging(30, per_second), "update", failures=failures)
    return make_document(step, repeat, result, seconds=30, variant=variant, batch_size=SIZE)


def test_no_good_update_is_a_rate_of_zero_that_misses() -> None:
    limit = [{"name": "fast", "throughput": {"minDocumentsPerSecond": 500}}]
    spec = indexing_spec("a", objectives=limit)
    samples = benchmark_samples(spec, [updates(failures=600)])
    (found,) = not_none(evaluate_objectives(samples, DatasetStatus())).results
    assert (found.value, found.conclusion) == (0, "Missed")


def test_repeats_are_not_compared_by_documents_where_one_added_none() -> None:
    samples = benchmark_samples(indexing_spec("a"), [updates(1), updates(2, failures=600)])
    assert DOCUMENTS not in samples.of("a", "").values("update", [])
    whole = benchmark_samples(indexing_spec("a"), [updates(1), updates(2)])
    assert len(whole.of("a", "").values("update", [])[DOCUMENTS]) == 2


def test_documents_per_second_are_those_of_good_responses_with_an_interval() -> None:
    samples = benchmark_samples(indexing_spec("a"), [updates(failures=60)])
    (result,) = merge_steps(samples)
    assert result.requests_per_second == 20
    # One in ten failed.
    assert result.documents_per_second == 900
    rate = not_none(result.requests_per_second_interval)
    documents = not_none(result.documents_per_second_interval)
    assert documents.lower == pytest.approx(45 * rate.lower, rel=1e-3)
    assert documents.upper == pytest.approx(45 * rate.upper, rel=1e-3)
    shown = table_to_markdown(intervals_table([result]))
    assert "| Documents/s |" in shown
    assert "| 900 (" in shown


def test_step_that_sends_queries_has_no_documents() -> None:
    document = updates().model_copy(update={"batch_size": None})
    samples = benchmark_samples(indexing_spec("a"), [document])
    (result,) = merge_steps(samples)
    assert result.documents_per_second is None
    assert "Documents" not in table_to_markdown(intervals_table([result]))


def test_variants_are_compared_by_documents_per_second() -> None:
    spec = indexing_spec("a", comparison={"primary": "DocumentsPerSecond"})
    spec = make_variants(spec, "nodes", "balancer")
    documents = [
        updates(repeat, per_second, variant=variant)
        for repeat in (1, 2, 3)
        for variant, per_second in (("nodes", 20), ("balancer", 16))
    ]
    (compared,) = compare_variants(benchmark_samples(spec, documents))
    assert compared.figure == "documentsPerSecond"
    found = {each.metric: each for each in read_overheads(compared)}
    assert found[DOCUMENTS].estimate == pytest.approx(-20, abs=0.1)
    assert found[DOCUMENTS].conclusion is Conclusion.WORSE
    assert found[RATE].estimate == found[DOCUMENTS].estimate


@pytest.mark.parametrize(("least", "conclusion"), [(800, "Met"), (1300, "Missed")])
def test_objective_limits_documents_of_steps_that_index_alone(least: int, conclusion: str) -> None:
    limit: dict[str, Any] = {"throughput": {"minDocumentsPerSecond": least}}
    spec = indexing_spec("queries", "a", objectives=[{"name": "docs"} | limit])
    queries = updates(step="queries").model_copy(update={"batch_size": None})
    samples = benchmark_samples(spec, [queries, updates()])
    (result,) = not_none(evaluate_objectives(samples, DatasetStatus())).results
    assert (result.step, result.value, result.unit) == ("a", 1000, "documents/s")
    assert result.conclusion == conclusion
    assert describe(spec.objectives[0]) == f"rate of documents ≥ {least} documents/s"
    assert f"the limit is at least {least} documents/s" in result.message
    # Updates of a workload are no such documents, and what was not measured is not met.
    spec = indexing_spec("queries", objectives=[{"name": "docs"} | limit])
    found = not_none(evaluate_objectives(benchmark_samples(spec, [queries]), DatasetStatus()))
    (result,) = found.results
    assert (result.step, result.conclusion, found.conclusion) == (None, *["Inconclusive"] * 2)
    assert result.message.startswith("None of its steps has indexing")


def test_queries_and_updates_share_no_curve() -> None:
    spec = indexing_spec("queries", "a", "b")
    runs = [updates(step=name) for name in ("queries", "a", "b")]
    alone = benchmark_samples(indexing_spec("a", "b"), runs[1:])
    mixed = benchmark_samples(spec, runs)
    status = Status(totals=merge_steps(mixed))
    assert load_curves(spec, status) == []
    assert load_curves(alone.spec, Status(totals=merge_steps(alone))) != []
    assert step_text(spec.load.steps[1]) == "3 users, updates of 50 documents, 10 requests"


def lost(**fields: Any) -> dict[str, str]:
    """Return the reasons of a step of 2000 good requests of ten documents, and of 20 before."""
    document = healthy(batch_size=10, **fields)
    (result,) = document.requests
    more = result.model_copy(update={"ramp_requests": 20})
    return messages_by_reason(verdict_of(document.model_copy(update={"requests": [more]})))


SENT = 10 * (healthy().requests[0].requests + 20)


def test_step_whose_documents_are_all_there_is_valid() -> None:
    assert lost(added=AddedDocuments(documents=SENT)) == {}


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (
            AddedDocuments(documents=SENT - 1),
            f"Replicas have {SENT - 1:,} of {SENT:,} documents that Solr accepted (limit 0)",
        ),
        (
            AddedDocuments(documents=SENT, differing=["n2 down"]),
            f"Replicas have {SENT:,} of {SENT:,} documents that Solr accepted; n2 down (limit 0)",
        ),
        (
            AddedDocuments(documents=SENT + 5),
            f"Replicas have {SENT + 5:,} documents, of which only {SENT:,} were sent (limit 0)",
        ),
        (
            AddedDocuments(problem="no connection"),
            "The added documents could not be counted: no connection (limit 0)",
        ),
        (None, "The added documents could not be counted: the step broke off (limit 0)"),
    ],
)
def test_step_with_other_documents_than_were_accepted_is_invalid(
    added: AddedDocuments | None, message: str
) -> None:
    assert lost(added=added) == {"DocumentsLost": message}


def test_documents_of_failed_updates_may_be_there_or_not() -> None:
    document = healthy(batch_size=10)
    (result,) = document.requests
    result = result.model_copy(update={"failures": 5})
    for documents in (10 * result.requests - 50, 10 * result.requests - 7, 10 * result.requests):
        added = AddedDocuments(documents=documents)
        changes = {"requests": [result], "added": added}
        found = messages_by_reason(verdict_of(document.model_copy(update=changes)))
        assert "DocumentsLost" not in found


def test_documents_of_a_worker_that_was_lost_are_allowed() -> None:
    added = AddedDocuments(documents=SENT + 500)
    assert "DocumentsLost" not in lost(added=added, lost_workers=["w-1"])
