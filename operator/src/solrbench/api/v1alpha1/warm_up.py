"""`spec.warmUp`: load that is kept apart from the results."""

from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.fields import Int


class WarmUp(Model):
    """Load before the first step of every ladder, once for each repeat and variant, kept apart."""

    requests: Annotated[Int, Field(ge=1, le=1_000_000_000)] | None = None
    """Requests to send."""
    seconds: Annotated[Int, Field(ge=1, le=86_400)] | None = None
    """Time to send for."""
    users: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """Users that send; when absent those of the first step, one for each worker if that has a
    planned rate."""

    rules: ClassVar = (exactly_one("requests", "seconds"),)
