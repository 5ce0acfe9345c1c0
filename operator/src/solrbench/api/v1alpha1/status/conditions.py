"""The base of everything in the status; conditions and attempts."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints
from pydantic.config import JsonDict

from solrbench.api.rules import LenientModel
from solrbench.api.v1alpha1.fields import Count

LIST_MAP_BY_TYPE: JsonDict = {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
}
"""Server-side apply merges the list by the type of its items."""


class StatusModel(LenientModel):
    """Part of a status."""


class Condition(StatusModel):
    """One aspect of the benchmark, as a Kubernetes condition."""

    type: Annotated[str, StringConstraints(max_length=316)]
    """`type` is Accepted, TargetReady, DataIndexed, Measured, CleanedUp; ObjectivesMet with
    `spec.objectives`, once all is measured; Exported with `spec.results.export`; Succeeded,
    which is Unknown until the end; or Complete, which is True at the end, either way, with the
    reason of Succeeded."""
    status: Literal["True", "False", "Unknown"]
    """`status` is True if the condition is met."""
    reason: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    """`reason` is a CamelCase word for programs."""
    message: Annotated[str, StringConstraints(max_length=32_768)] = ""
    """`message` is a sentence for human readers: what happened, measured value, limit, remedy."""
    last_transition_time: datetime
    """`lastTransitionTime` is the time at which `status` last changed."""
    observed_generation: Count = 0
    """`observedGeneration` is the generation of the resource that was observed."""


class Attempts(StatusModel):
    """Numbers of attempts; unless repeats start anew, more than 1 means that pods were lost."""

    target: Annotated[int, Field(ge=1, le=1000)] = 1
    """`target` is the number of times that the target was created and the data indexed."""
    load: Annotated[int, Field(ge=1, le=1000)] = 1
    """`load` is the number of times that the load was started."""
    first_load_on_target: Annotated[int, Field(ge=1, le=1000)] | None = None
    """`firstLoadOnTarget` is the first attempt of the load on the present target, if earlier ones
    ran on another target or on other data."""
    repeat: Annotated[int, Field(ge=1, le=1000)] | None = None
    """`repeat` is the repeat that the present target, or its data, was made for; absent during
    the first one, and where all repeats share the target."""
    fresh_targets: Annotated[int, Field(ge=1, le=1000)] | None = None
    """`freshTargets` is the number of targets that were made because a repeat starts on a fresh
    one; they are counted in `target`, too."""
    fresh_data: Annotated[int, Field(ge=1, le=1000)] | None = None
    """`freshData` is the number of times that the data was indexed again because a repeat starts
    on fresh data."""

    @property
    def index(self) -> int:
        """Number of times that the data was indexed."""
        return self.target + (self.fresh_data or 0)

    @property
    def starts_of_target(self) -> int:
        """Number of times that a target was made, but for those that a repeat starts on."""
        return self.target - (self.fresh_targets or 0)

    @property
    def starts_of_load(self) -> int:
        """Number of times that the load was started, but for those of repeats that start anew."""
        return self.load - (self.fresh_targets or 0) - (self.fresh_data or 0)
