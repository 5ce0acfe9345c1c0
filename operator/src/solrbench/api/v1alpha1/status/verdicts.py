"""Verdicts: whether the results of the steps are valid."""

from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Text
from solrbench.api.v1alpha1.status.conditions import StatusModel

VALID, INVALID = "Valid", "Invalid"

MAX_VERDICTS = 32
"""Steps times variants, as the spec bounds them."""


MAX_REASONS = 16
"""Reasons of one step: with all that there are, the status of a long ladder would be too large."""


class InvalidReason(StatusModel):
    """One reason why the results of a step are invalid."""

    reason: Text
    """`reason` is a CamelCase word: WorkerSaturated, ScheduleLag, WorkersLost, PodThrottled,
    PodRestarted, TooFewSamples, PartialResults, EmptyResults, RequestsFailed, EndedEarly,
    ConnectionsRanOut, RequestsDropped, RequestsLate, QueriesMayRepeat, WorkersDiffer,
    DelayedByGenerator, FirstRepeatDiffers, RepeatsDrift, RepeatsDisagree, EmptyResultsIncreased,
    LoadSharesNodes, SolrSharesNodes, DeletedDocuments, VariantDiffers, CpuStolen, OthersUseCpu,
    CpuPressure, NotSteady, TargetChanged, RepeatTimesDiffer."""
    message: Text
    """`message` gives what happened, the measured value, its limit and the remedy, of the worst
    repeat."""


class StepVerdict(StatusModel):
    """Verdict on one step and variant, over all stored repeats."""

    step: Text
    """`step` is the name of the step."""
    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    verdict: Text
    """`verdict` is Valid or Invalid."""
    reasons: Annotated[list[InvalidReason], Field(max_length=MAX_REASONS)] = []
    """`reasons` are the reasons why it is Invalid; beyond 16 they are left out."""
    unchecked: Annotated[list[InvalidReason], Field(max_length=MAX_REASONS)] = []
    """`unchecked` are the reasons that could not be checked, and why; beyond 16 they are left
    out."""
