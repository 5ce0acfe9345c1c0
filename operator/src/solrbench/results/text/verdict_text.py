"""Verdicts in words."""

from collections.abc import Sequence

from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.results.validity.overall_verdict import invalid_steps, overall_verdict

_MAX_LINES = 3

NOT_CHECKED = "not checked"
"""What lines on skipped checks begin with."""


def step_label(verdict: StepVerdict) -> str:
    """Return the label of step and variant."""
    return f"{verdict.step} ({verdict.variant})" if verdict.variant else verdict.step


def verdict_of(result: StepResult, verdicts: Sequence[StepVerdict]) -> StepVerdict | None:
    """Return the verdict on the step and variant of a result; None if it has none."""
    return next((v for v in verdicts if (v.step, v.variant) == (result.step, result.variant)), None)


def verdict_lines(verdicts: Sequence[StepVerdict]) -> list[str]:
    """Return a line for each reason of an Invalid step, then one for each skipped check."""
    reasons = [
        f"{step_label(each)} is Invalid: {reason.reason}: {reason.message}"
        for each in invalid_steps(verdicts)
        for reason in each.reasons
    ]
    gaps: dict[tuple[str, str], list[str]] = {}
    for each in verdicts:
        for gap in each.unchecked:
            gaps.setdefault((gap.reason, gap.message), []).append(step_label(each))
    return reasons + [
        f"{NOT_CHECKED}: {reason} of {', '.join(places)}: {message}"
        for (reason, message), places in gaps.items()
    ]


def completion_note(verdicts: Sequence[StepVerdict]) -> str:
    """Return what the end of a benchmark says of its verdicts; empty if every step is Valid."""
    invalid = invalid_steps(verdicts)
    if not invalid:
        return ""
    lines = [
        f"{step_label(each)}: {each.reasons[0].reason}: {each.reasons[0].message}"
        for each in invalid[:_MAX_LINES]
    ]
    more = f" (and {len(invalid) - _MAX_LINES} more)" if len(invalid) > _MAX_LINES else ""
    return f"{len(invalid)} of {len(verdicts)} steps {_are(len(invalid))} Invalid: " + (
        "; ".join(lines) + more
    )


def one_line_verdict(verdicts: Sequence[StepVerdict]) -> str:
    """Return the verdict on a whole benchmark, with its Invalid steps; empty if there is none."""
    invalid = invalid_steps(verdicts)
    if not invalid:
        return overall_verdict(verdicts)
    names = ", ".join(step_label(each) for each in invalid[:_MAX_LINES])
    more = f" and {len(invalid) - _MAX_LINES} more" if len(invalid) > _MAX_LINES else ""
    return f"{len(invalid)} of {len(verdicts)} steps {_are(len(invalid))} Invalid: {names}{more}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
