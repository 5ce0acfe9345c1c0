"""How long the requests of a step took: counts of few buckets, for a metric."""

from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Count, Measure, Text
from solrbench.api.v1alpha1.status.conditions import StatusModel

BOUNDS_SECONDS = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1),
    *(0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
)
"""Upper bounds of the buckets: those of Prometheus' clients, and some for searches that hang."""


class Distribution(StatusModel):
    """How long all requests of one step and variant took."""

    step: Text
    """`step` is the name of the step."""
    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    within: Annotated[list[Count], Field(max_length=len(BOUNDS_SECONDS))]
    """`within` counts the requests within 1, 2.5, 5, 10, 25, 50, 100, 250 and 500 ms, 1, 2.5, 5,
    10 and 30 s; with an arrival rate by their response time, else by their service time."""
    requests: Count
    """`requests` is the number of all, longer ones included."""
    total_seconds: Measure
    """`totalSeconds` is the sum of their times."""
