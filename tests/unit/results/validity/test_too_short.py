"""A step that is too short for its own swings says so, and is not Invalid for it."""

import math

from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.validity.step_verdicts import evaluate_steps
from unit.results.builders import make_document, make_result, make_spec, make_timed_result, swinging


def verdict_of(*documents: StepRunResult) -> StepVerdict:
    (verdict,) = evaluate_steps(make_spec("a"), documents)
    return verdict


def gaps(*documents: StepRunResult) -> list[str]:
    unchecked = verdict_of(*documents).unchecked
    return [each.message for each in unchecked if each.reason == "StepTooShort"]


def test_step_with_intervals_has_no_gap() -> None:
    assert gaps(make_document("a", 1, make_timed_result(swinging(40)), seconds=40)) == []


def test_too_few_blocks_are_a_gap() -> None:
    document = make_document("a", 1, make_timed_result(swinging(9, 30)), seconds=9)
    (message,) = gaps(document)
    assert "9 blocks of time (at least 10 are needed)" in message
    assert message.endswith("raise durationSeconds or requests")
    assert "StepTooShort" not in [each.reason for each in verdict_of(document).reasons]


def test_slow_swings_are_a_gap() -> None:
    waves = [[int(1000 * (2 + math.sin(second / 9)))] * 20 for second in range(50)]
    (message,) = gaps(make_document("a", 1, make_timed_result(waves), seconds=50))
    assert "neighbouring blocks of time are too much alike" in message


def test_documents_of_older_versions_are_no_gap() -> None:
    assert gaps(make_document("a", 1, make_result([1000] * 300))) == []
