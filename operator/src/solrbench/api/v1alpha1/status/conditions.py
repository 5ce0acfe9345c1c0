"""The base of everything in the status; conditions and attempts."""

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints
from pydantic.config import JsonDict

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import Count

LIST_MAP_BY_TYPE: JsonDict = {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
}
"""Server-side apply merges the list by the type of its items."""


class StatusModel(Model):
    """Part of a status; fields that another version of the operator wrote are passed over."""

    model_config: ClassVar = Model.model_config | {"extra": "ignore"}


class Condition(StatusModel):
    """One aspect of the benchmark, as Kubernetes conditions go."""

    type: Annotated[str, StringConstraints(max_length=316)]
    """Accepted, TargetReady, DataIndexed, Measured, CleanedUp; Succeeded, which is Unknown until
    the end; Complete, which is True at the end, either way, with the reason of Succeeded."""
    status: Literal["True", "False", "Unknown"]
    """Whether it holds."""
    reason: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    """CamelCase word for programs."""
    message: Annotated[str, StringConstraints(max_length=32_768)] = ""
    """Sentence for people."""
    last_transition_time: datetime
    """When `status` last changed."""
    observed_generation: Count = 0
    """Generation of the resource that was judged."""


class Attempts(StatusModel):
    """How often things were started; more than 1 means pods were lost."""

    target: Annotated[int, Field(ge=1, le=1000)] = 1
    """Times the target was made and the data indexed."""
    load: Annotated[int, Field(ge=1, le=1000)] = 1
    """Times the load was started."""
    load_of_target: Annotated[int, Field(ge=1, le=1000)] | None = None
    """The first of them at the present target, if one before asked Solr nodes that are gone."""
