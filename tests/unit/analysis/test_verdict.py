"""From the evidence of documents to the verdict on a step, and what was not checked beside it."""

import math
from typing import Any

import pytest

from solrbench.analysis.checks import NotEvaluated
from solrbench.analysis.verdict import evaluate_document, evaluate_step, samples_needed
from solrbench.api.v1alpha1.findings import (
    CHECKS_OF_NUMBERS,
    MAX_REASONS,
    StepVerdict,
    overall_verdict,
)
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import FailureKind, StepRunResult
from solrbench.present.fact_tables import completion_note, verdict_lines
from support.results.builders import (
    make_document,
    make_result,
    make_spec,
    make_timed_result,
    make_variants,
    swinging,
    verdicts_of,
)
from support.results.validity_documents import (
    ENOUGH,
    answers,
    healthy,
    messages_by_reason,
    open_loop,
    verdict_of,
    without_placement,
    worker,
)


def test_step_without_findings_is_valid() -> None:
    for document in (healthy(), open_loop(200)):
        verdict = verdict_of(document)
        assert (verdict.verdict, verdict.reasons, verdict.unchecked) == ("Valid", [], [])


def test_an_outage_is_seen_by_its_seconds() -> None:
    good = [SecondSums(second, 1000, 9, 0, 0) for second in range(198)]
    dead = [SecondSums(second, 2, 1, 0, 0) for second in range(198, 201)]
    verdict = verdict_of(answers(requests=198_006, failures=3, windows=SecondSeries(good + dead)))
    text = "In 3 of 201 s, half or more of the requests failed (1.49 %, limit 1 % of the seconds)"
    assert messages_by_reason(verdict) == {"RequestsFailed": text}
    windows = SecondSeries(good + dead[:2])
    assert verdict_of(answers(requests=198_004, failures=2, windows=windows)).verdict == "Valid"


def test_requests_of_a_transaction_are_not_counted_twice() -> None:
    kinds = [FailureKind(kind="ConnectionsRanOut", count=2)]
    part = answers(failures=2, failure_kinds=kinds)
    whole = part.requests[0].model_copy(update={"is_transaction": True, "request": "loan"})
    document = part.model_copy(update={"requests": [*part.requests, whole]})
    text = "2 of 200 requests found no free port, file or memory (limit 0)"
    assert messages_by_reason(verdict_of(document)) == {"ConnectionsRanOut": text}


def test_one_percent_of_requests_may_fail_and_half_be_empty() -> None:
    assert verdict_of(answers(empty_results=100, failures=2)).verdict == "Valid"
    for above in (answers(empty_results=101), answers(failures=3)):
        assert verdict_of(above).verdict == "Invalid"
    assert verdict_of(answers(failures=100), max_failed_percent=50).verdict == "Valid"


def test_dropped_requests_up_to_their_limit_and_late_ones_without_a_limit_are_valid() -> None:
    assert verdict_of(open_loop(1000, dropped_requests=10, late_requests=900)).verdict == "Valid"


def test_a_transaction_that_is_never_sent_is_one_arrival() -> None:
    document = open_loop(1000, dropped_requests=10, late_requests=10)
    inside = document.requests[0].model_copy(update={"request": "visit.first"})
    whole = inside.model_copy(update={"request": "visit", "is_transaction": True})
    both = document.model_copy(update={"requests": [whole, inside]})
    assert verdict_of(both, max_late_percent=1).verdict == "Valid"


@pytest.mark.parametrize(("percentile", "needed"), [(50, 20), (90, 100), (95, 200), (99, 1000)])
def test_too_few_samples_for_the_percentile_are_invalid(percentile: int, needed: int) -> None:
    assert samples_needed(percentile) == needed


def test_samples_are_those_of_all_repeats_of_the_scarcest_request() -> None:
    often, seldom = make_result(ENOUGH), make_result([1000] * 99, name="seldom")
    repeats = [healthy(repeat, requests=[often, seldom]) for repeat in (1, 2)]
    text = "198 requests of seldom in all repeats (limit 200: 10 must lie beyond p95)"
    assert messages_by_reason(verdict_of(*repeats)) == {"TooFewSamples": text}
    assert verdict_of(*repeats, percentile=90).reasons == []
    rare, other = (make_result([1000], name=name) for name in ("rare", "other"))
    single = messages_by_reason(verdict_of(healthy(requests=[rare, other])))
    assert single["TooFewSamples"].startswith("1 request of rare (and 1 other request name) in all")
    nothing = messages_by_reason(verdict_of(healthy(requests=[])))
    assert "0 requests in all repeats (limit 200" in nothing["TooFewSamples"]


def test_worst_repeat_is_described_and_the_others_are_named() -> None:
    repeats = [
        healthy(repeat, workers=[worker(cpu_seconds=seconds)])
        for repeat, seconds in enumerate((9.2, 1.0, 9.8), 1)
    ]
    text = "Repeat 3: load worker w-0 used 98 % of a core for 10 s (limit 90 %). Also in repeat 1"
    assert messages_by_reason(verdict_of(*repeats)) == {"WorkerSaturated": text}


def test_steps_and_variants_have_separate_verdicts() -> None:
    spec = without_placement(make_variants(make_spec("a", "b"), "raw", "proxy"))
    documents = [
        healthy(step=step, variant=variant, id=step + variant, lost_workers=lost)
        for step, variant, lost in (("a", "raw", []), ("a", "proxy", ["w-1"]), ("b", "raw", []))
    ]
    verdicts = verdicts_of(spec, documents)
    found = [(each.step, each.variant, each.verdict) for each in verdicts]
    assert found == [("a", "raw", "Valid"), ("a", "proxy", "Invalid"), ("b", "raw", "Valid")]
    assert overall_verdict(verdicts) == "Invalid"
    assert overall_verdict(verdicts[:1]) == "Valid"
    assert overall_verdict([]) == ""
    assert completion_note(verdicts) == (
        "1 of 3 results is Invalid: a (proxy). WorkersLost: 1 of 1 workers were lost: w-1 (limit"
        " 0). Look at the events of the load pods, and measure again."
    )
    assert completion_note(verdicts[:1]) == ""
    (line,) = verdict_lines(verdicts)
    assert line == (
        "a (proxy): Invalid (WorkersLost). 1 of 1 workers were lost: w-1 (limit 0). Look at the"
        " events of the load pods, and measure again."
    )


def test_documents_of_the_first_version_are_read_and_checked() -> None:
    stored = {
        "schemaVersion": 1,
        "id": "r1-s0-a",
        "repeat": 1,
        "step": "a",
        "users": 2,
        "attempt": 1,
        "startTime": "2026-01-02T03:04:05Z",
        "endTime": "2026-01-02T03:04:15Z",
        "seconds": 10.0,
        "requests": [
            make_result(ENOUGH).model_dump(
                by_alias=True, include={"request", "requests", "failures", "service_time_histogram"}
            )
        ],
        "workers": [{"worker": "w-0", "requests": 200, "cpuSeconds": 9.5, "users": 2}],
    }
    verdict = verdict_of(StepRunResult.model_validate(stored))
    assert set(messages_by_reason(verdict)) == {"WorkerSaturated"}
    unchecked = {each.reason for each in verdict.unchecked}
    counts = {"PartialResults", "EmptyResults", "DeletedDocuments"}
    hosts = {"PodThrottled", "PodRestarted", "CpuStolen", "CpuPressure", "OthersUseCpu"}
    assert unchecked == hosts | counts


def verdict_of_short(*documents: StepRunResult) -> StepVerdict:
    (verdict,) = verdicts_of(make_spec("a"), documents)
    return verdict


def gaps(*documents: StepRunResult) -> list[str]:
    unchecked = verdict_of_short(*documents).unchecked
    return [each.message for each in unchecked if each.reason == "StepTooShort"]


def test_step_with_intervals_has_no_gap() -> None:
    assert gaps(make_document("a", 1, make_timed_result(swinging(40)), seconds=40)) == []


def test_too_few_blocks_are_a_gap() -> None:
    document = make_document("a", 1, make_timed_result(swinging(9, 30)), seconds=9)
    (message,) = gaps(document)
    assert "9 blocks of time (at least 10 are needed)" in message
    assert message.endswith("Raise durationSeconds or requests.")
    assert "StepTooShort" not in [each.reason for each in verdict_of_short(document).reasons]


def test_slow_swings_are_a_gap() -> None:
    waves = [[int(1000 * (2 + math.sin(second / 9)))] * 20 for second in range(50)]
    (message,) = gaps(make_document("a", 1, make_timed_result(waves), seconds=50))
    assert "consecutive blocks of time are correlated" in message


def test_documents_of_older_versions_are_no_gap() -> None:
    assert gaps(make_document("a", 1, make_result([1000] * 300))) == []


def test_what_makes_a_step_inconclusive_is_never_left_out() -> None:
    document = make_document("a", 1, make_timed_result(swinging(9, 30)), seconds=9)
    load = make_spec("a").load
    others = {f"Other{n}": NotEvaluated("it was not read") for n in range(MAX_REASONS)}
    verdict = evaluate_step([evaluate_document(document, load)], load, further=others)
    first = [each.reason for each in verdict.unchecked[: len(verdict.causes)]]
    assert first == [each.reason for each in verdict.causes]
    assert "StepTooShort" in first
    assert len(verdict.unchecked) == MAX_REASONS


COUNTED = [
    ("partial_results", "PartialResults", "partial results"),
    ("empty_results", "EmptyResults", "empty results"),
]


def checked_gaps(verdict: StepVerdict) -> list[tuple[str, str]]:
    assert verdict.reasons == []
    return [(each.reason, each.message) for each in verdict.unchecked]


def with_names(document: StepRunResult, *names: str, **fields: Any) -> StepRunResult:
    more = [document.requests[0].model_copy(update={"request": name} | fields) for name in names]
    return document.model_copy(update={"requests": [*document.requests, *more]})


@pytest.mark.parametrize(("counted", "reason", "what"), COUNTED)
def test_results_that_were_not_counted_are_not_checked(
    counted: str, reason: str, what: str
) -> None:
    nothing: dict[str, Any] = {counted: None}
    for document, whose in (
        (answers(**nothing), ""),
        (with_names(healthy(), "xml", **nothing), " of xml"),
        (with_names(healthy(), "a", "b", "c", "d", **nothing), " of a, b, c and 1 more"),
    ):
        gap = (reason, f"{what.capitalize()}{whose} were not counted.")
        assert checked_gaps(verdict_of(document)) == [gap]
    # Of what was never sent there is no answer to look at.
    assert verdict_of(with_names(healthy(), "xml", requests=0, **nothing)).unchecked == []


@pytest.mark.parametrize(("counted", "reason", "what"), COUNTED)
def test_repeat_without_evidence_is_named(counted: str, reason: str, what: str) -> None:
    second = with_names(healthy(2), "xml", **{counted: None})
    verdict = verdict_of(with_names(healthy(), "xml"), second)
    first = next(each for each in checked_gaps(verdict) if each[0] not in CHECKS_OF_NUMBERS)
    assert first == (reason, f"Repeat 2: {what} of xml were not counted.")


def test_counted_names_are_checked_beside_uncounted_ones() -> None:
    document = with_names(answers(empty_results=150), "xml", empty_results=None)
    verdict = verdict_of(document)
    assert set(messages_by_reason(verdict)) == {"EmptyResults"}
    assert verdict.unchecked == []


def test_partial_results_that_a_locustfile_reports_are_checked() -> None:
    kinds = [FailureKind(kind="PartialResults", count=1)]
    verdict = verdict_of(answers(partial_results=None, failures=1, failure_kinds=kinds))
    assert set(messages_by_reason(verdict)) == {"PartialResults"}
    assert verdict.unchecked == []


def test_gaps_of_many_steps_are_reported_once() -> None:
    spec = without_placement(make_spec("a", "b"))
    documents = [healthy(pods=None, step=step, id=step) for step in ("a", "b")]
    (line,) = verdict_lines(verdicts_of(spec, documents))
    assert line == "Not decided for a, b (PodRestarted): Pod state was not recorded."
