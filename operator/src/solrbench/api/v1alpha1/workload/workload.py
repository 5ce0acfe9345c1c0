"""`spec.workload`: the requests."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Handler, Int, Seed, ShortName
from solrbench.api.v1alpha1.workload.locustfile import LOCUSTFILE_RULE, Locustfile
from solrbench.api.v1alpha1.workload.mix import Expectation, MixEntry, Parameters, count_names
from solrbench.api.v1alpha1.workload.queries import (
    GeneratedQueries,
    Order,
    Queries,
    QueryConfigMap,
    QueryVolume,
)

__all__ = [
    "GeneratedQueries",
    "Order",
    "Queries",
    "QueryConfigMap",
    "QueryVolume",
    "Workload",
]

MOST_NAMES = 50
"""Distinct request names of a workload: each has results and metrics of its own."""


class Workload(Model):
    """The requests of the load."""

    queries: Queries | None = None
    """What is asked, if it is all of one kind."""
    mix: Annotated[list[MixEntry], Field(min_length=1, max_length=20)] | None = None
    """What is asked if there are several kinds: queries, updates, transactions, each drawn as
    often as its weight says."""
    mix_seed: Seed = 1
    """The same seed draws the entries of the mix in the same order."""
    locustfile: Locustfile | None = None
    """Users of your own instead, who ask what they like in any protocol."""
    request_name: ShortName = "query"
    """Name that the results carry, for lines of `queries` that do not name themselves."""
    handler: Handler = "/select"
    """Request handler of the collection."""
    method: Literal["GET", "POST"] = "GET"
    """`POST` sends the parameters as a form."""
    parameters: Parameters = {}
    """Parameters sent with every query; a query's own win."""
    expect: Expectation | None = None
    """What every answer to a query must show; the expectation of a mix entry or of a line takes
    its place."""
    timeout_seconds: Annotated[Int, Field(ge=1, le=600)] = 30
    """An answer that takes longer is a failure. Users of a `locustfile` have their own timeouts;
    those that are still busy so long after the end of a step are cut off."""

    rules: ClassVar = (
        exactly_one("queries", "mix", "locustfile"),
        LOCUSTFILE_RULE,
        Rule(
            cel="!has(self.mix) || self.mix.all(e, self.mix.exists_one(f, f.name == e.name))",
            message="mix must have entries of different names",
            is_satisfied=lambda w: len({e.name for e in w.mix or ()}) == len(w.mix or ()),
        ),
        Rule(
            cel=(
                "!has(self.mix) || self.mix.map(e, has(e.transaction)"
                f" ? e.transaction.requests.size() + 1 : 1).sum() <= {MOST_NAMES}"
            ),
            message=(
                f"mix must not have more than {MOST_NAMES} names, counting every entry and every"
                " request of a transaction"
            ),
            is_satisfied=lambda w: sum(count_names(e) for e in w.mix or ()) <= MOST_NAMES,
        ),
    )

    @property
    def entries(self) -> tuple[MixEntry, ...]:
        """The mix; a single list is a mix of one entry, and a locustfile has none."""
        if self.mix is not None:
            return tuple(self.mix)
        if self.queries is None:
            return ()
        return (MixEntry(name=self.request_name, queries=self.queries),)

    @property
    def seed(self) -> int:
        """Of whatever is drawn for users and arrivals."""
        return self.mix_seed if self.queries is None else self.queries.seed
