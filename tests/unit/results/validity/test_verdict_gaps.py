"""What was not checked is stated beside the verdict."""

from typing import Any

import pytest

from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.results.model.step_result import FailureKind, StepRunResult
from solrbench.results.text.verdict_text import verdict_lines
from solrbench.results.validity.step_verdicts import evaluate_steps
from unit.results.builders import make_spec
from unit.results.validity.documents import (
    answers,
    healthy,
    messages_by_reason,
    verdict_of,
    without_placement,
)

COUNTED = [
    ("partial_results", "PartialResults", "partial results"),
    ("empty_results", "EmptyResults", "empty results"),
]


def gaps(verdict: StepVerdict) -> list[tuple[str, str]]:
    assert (verdict.verdict, verdict.reasons) == ("Valid", [])
    return [(each.reason, each.message) for each in verdict.unchecked]


def with_names(document: StepRunResult, *names: str, **fields: Any) -> StepRunResult:
    more = [document.requests[0].model_copy(update={"request": name} | fields) for name in names]
    return document.model_copy(update={"requests": [*document.requests, *more]})


@pytest.mark.parametrize(("counted", "reason", "what"), COUNTED)
def test_results_that_were_not_counted_are_not_checked(
    counted: str, reason: str, what: str
) -> None:
    nothing = {counted: None}
    assert gaps(verdict_of(answers(**nothing))) == [(reason, f"{what} were not counted")]
    one = with_names(healthy(), "xml", **nothing)
    assert gaps(verdict_of(one)) == [(reason, f"{what} of xml were not counted")]
    many = with_names(healthy(), "a", "b", "c", "d", **nothing)
    assert gaps(verdict_of(many)) == [(reason, f"{what} of a, b, c and 1 more were not counted")]
    # Of what was never sent there is no answer to look at.
    assert verdict_of(with_names(healthy(), "xml", requests=0, **nothing)).unchecked == []


@pytest.mark.parametrize(("counted", "reason", "what"), COUNTED)
def test_repeat_without_evidence_is_named(counted: str, reason: str, what: str) -> None:
    second = with_names(healthy(2), "xml", **{counted: None})
    verdict = verdict_of(with_names(healthy(), "xml"), second)
    assert gaps(verdict)[0] == (reason, f"repeat 2: {what} of xml were not counted")


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
    documents = [
        healthy(pods=None).model_copy(update={"step": step, "id": step}) for step in ("a", "b")
    ]
    assert verdict_lines(evaluate_steps(spec, documents)) == [
        "not checked: PodRestarted of a, b: pod state was not recorded"
    ]
