"""An open loop whose arrivals are those of a query log."""

from typing import Annotated, Any, ClassVar

from pydantic import Field, Strict

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import at_least

_Factor = Annotated[float, Strict(), Field(ge=0, le=1000, allow_inf_nan=False)]


class Replay(Model):
    """Requests of the query file, in its order, at its own times."""

    speed_factor: _Factor = 1.0
    """`speedFactor` is how much faster than they were recorded the requests arrive, at least 0.01:
    2 halves the time between any two of them."""

    rules: ClassVar = (at_least("speedFactor", 0.01),)


def _has_file(spec: Any) -> bool:
    queries = spec.workload.queries
    return queries is not None and queries.generated is None


REPLAY_RULES = (
    Rule(
        cel=(
            "!self.load.steps.exists(s, has(s.replay))"
            " || (has(self.workload.queries) && !has(self.workload.queries.generated))"
        ),
        message=(
            "load.steps[].replay must go with workload.queries from a file, which holds a time in"
            " each line; `solrbench log` makes one of a query log"
        ),
        is_satisfied=lambda spec: (
            all(step.replay is None for step in spec.load.steps) or _has_file(spec)
        ),
    ),
)
