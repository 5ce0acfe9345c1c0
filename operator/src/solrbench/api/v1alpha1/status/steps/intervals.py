"""How well numbers are known: 95 % intervals, and percentiles with theirs."""

from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Measure
from solrbench.api.v1alpha1.status.conditions import StatusModel


class Interval(StatusModel):
    """A 95 % confidence interval, in the unit of its number."""

    lower: Measure
    """Lower bound."""
    upper: Measure
    """Upper bound."""


class PercentileResult(StatusModel):
    """One of `load.percentiles`."""

    percent: Annotated[float, Field(ge=0, le=100)]
    """Share of the requests that took no longer, in per cent."""
    milliseconds: Measure
    """The percentile: of the response time with a planned rate, else of the service time."""
    lower_milliseconds: Measure | None = None
    """Lower bound of its 95 % confidence interval; absent, as the upper one, if the step was too
    short for it."""
    upper_milliseconds: Measure | None = None
    """Upper bound."""
