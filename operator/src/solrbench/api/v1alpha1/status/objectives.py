"""Whether the objectives are met, and which steps were not run."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Count, Measure, Text
from solrbench.api.v1alpha1.objectives import MAX_OBJECTIVE_RESULTS
from solrbench.api.v1alpha1.status.conditions import StatusModel

MAX_NOT_RUN = 32


class ObjectiveWord(StrEnum):
    """What a number and its interval say of a limit."""

    MET = "Met"
    """The whole 95 % interval keeps the limit."""
    MISSED = "Missed"
    """The whole interval is beyond the limit."""
    UNCLEAR = "Unclear"
    """The limit is within the interval, or there is none."""


class ObjectiveResult(StatusModel):
    """One objective in one step and variant, or for the dataset."""

    name: Text
    """`name` is the name of the objective."""
    step: Text | None = None
    """`step` is the name of the step; absent for objectives of the dataset."""
    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    word: ObjectiveWord
    """`word` is Met, Missed, or Unclear where the limit is within the 95 % interval."""
    limit: Measure
    """`limit` is the limit of the objective, in `unit`."""
    value: Measure | None = None
    """`value` is the number that was measured, in `unit`; absent if nothing was."""
    lower: Measure | None = None
    """`lower` is the lower bound of its 95 % confidence interval; absent without one."""
    upper: Measure | None = None
    """`upper` is the upper bound."""
    unit: Text
    """`unit` is the unit of the numbers: ms, %, requests/s, s or bytes."""
    message: Text
    """`message` is the same as a sentence."""


class NotRun(StatusModel):
    """A step that was not run."""

    step: Text
    """`step` is the name of the step."""
    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    step_runs: Count
    """`stepRuns` is the number of repeats in which it was not run."""
    reason: Text
    """`reason` gives the objective or rule, the number and its limit."""


class ObjectivesStatus(StatusModel):
    """All objectives."""

    word: ObjectiveWord
    """`word` is Missed if one is, Met if all are, else Unclear."""
    results: Annotated[list[ObjectiveResult], Field(max_length=MAX_OBJECTIVE_RESULTS)] = []
    """`results` has one entry for each objective, and each step and variant that it is for."""
