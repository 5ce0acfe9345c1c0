"""`spec.load.repeats`: how often all steps are run."""

from typing import Annotated

from pydantic import Field

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import Int


class Repeats(Model):
    """The runs of all steps."""

    count: Annotated[Int, Field(ge=1, le=100)] = 1
    """`count` is the number of times that all steps are run."""
