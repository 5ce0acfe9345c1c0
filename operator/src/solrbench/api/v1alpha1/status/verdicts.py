"""Whether the numbers of steps are valid."""

from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Text
from solrbench.api.v1alpha1.status.conditions import StatusModel

MAX_VERDICTS = 32
"""Steps of a ladder times variants, as the spec bounds them."""


class InvalidReason(StatusModel):
    """One reason why the numbers of a step must not be believed."""

    reason: Text
    """CamelCase word: WorkerSaturated, ScheduleLag, WorkersLost, PodThrottled, PodRestarted,
    TooFewSamples, PartialResults, EmptyResults, RequestsFailed, ConnectionsRanOut,
    RequestsDropped, RequestsLate, QueriesMayRepeat."""
    message: Text
    """What happened, the measured value, the limit and the remedy, of the worst repeat."""


class StepVerdict(StatusModel):
    """Whether the numbers of one step and variant may be believed, over all repeats stored."""

    step: Text
    """Name of the step."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    verdict: Text
    """Valid or Invalid."""
    reasons: Annotated[list[InvalidReason], Field(max_length=32)] = []
    """Why it is Invalid; one entry for each reason."""
    unchecked: Annotated[list[InvalidReason], Field(max_length=32)] = []
    """Reasons that could not be looked for, and why."""
