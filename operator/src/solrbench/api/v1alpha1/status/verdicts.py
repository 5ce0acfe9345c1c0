"""Whether the numbers of steps are valid."""

from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Text
from solrbench.api.v1alpha1.status.conditions import Observed

MAX_VERDICTS = 32
"""Steps of a ladder times variants, as the spec bounds them."""


class Doubt(Observed):
    """One reason why the numbers of a step must not be believed."""

    reason: Text
    """CamelCase word: WorkerSaturated, ScheduleLag, WorkersLost, PodThrottled, PodRestarted,
    TooFewSamples, PartialAnswers, EmptyAnswers, RequestsFailed, ConnectionsRanOut,
    RequestsDropped, RequestsLate, QueriesMayRepeat."""
    message: Text
    """What was measured and its bound, of the repeat in which it was worst."""


class StepVerdict(Observed):
    """Whether the numbers of one step and variant may be believed, over all repeats stored."""

    step: Text
    """Name of the step."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    verdict: Text
    """Valid or Invalid."""
    reasons: Annotated[list[Doubt], Field(max_length=32)] = []
    """Why it is Invalid; one entry for each reason."""
    unchecked: Annotated[list[Doubt], Field(max_length=32)] = []
    """Reasons that could not be looked for, and why."""
