"""The reasons of verdicts in the documentation."""

from solrbench.api.v1alpha1.status.verdicts import InvalidReason
from solrbench.results.text.verdict_reference import render_verdict_reasons
from solrbench.results.validity.checks.registry import (
    CHECKS,
    CHECKS_OF_REPEATS,
    PLACEMENT_CHECKS,
    REASONS,
)


def test_section_has_a_row_for_every_reason() -> None:
    rows = [line for line in render_verdict_reasons().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [
        *CHECKS,
        *CHECKS_OF_REPEATS,
        *PLACEMENT_CHECKS,
        "TooFewSamples",
    ]


def test_row_has_meaning_and_remedy_as_sentences() -> None:
    meaning = CHECKS["PodThrottled"].meaning
    row = f"| `PodThrottled` | {meaning} | Raise load.resources.limits.cpu. |"
    assert row in render_verdict_reasons().splitlines()


def test_definition_of_the_resource_names_every_reason() -> None:
    text = InvalidReason.model_json_schema()["properties"]["reason"]
    assert all(word in str(text) for word in REASONS)
