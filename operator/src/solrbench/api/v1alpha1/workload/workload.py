"""`spec.workload`: the requests."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from solrbench.api.rules import ListMap, Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Handler, Int, Seed, ShortName
from solrbench.api.v1alpha1.seeds import default_seed
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
    """`queries` are the queries to send, if all are of one kind."""
    mix: Annotated[list[MixEntry], Field(min_length=1, max_length=20), ListMap("name")] | None = (
        None
    )
    """`mix` are several kinds of requests (queries, updates, transactions), drawn by weight."""
    warm_up_queries: Queries | None = None
    """`warmUpQueries` are sent by warm-ups in place of the others, from the first one on in each,
    so that steps find caches that were filled by others than their own."""
    seed: Seed = Field(default_factory=default_seed)
    """`seed` makes the draws among the entries of the mix repeatable. Defaults to `spec.seed`."""
    locustfile: Locustfile | None = None
    """`locustfile` runs custom Locust user classes instead of queries."""
    request_name: ShortName = "query"
    """`requestName` is the request name in the results, for lines of `queries` without a name."""
    handler: Handler = "/select"
    """`handler` is the request handler of the collection."""
    method: Literal["GET", "POST"] = "GET"
    """`method` is the HTTP method; `POST` sends the parameters as a form."""
    parameters: Parameters = {}
    """`parameters` are sent with every query; those of a query itself take precedence."""
    expect: Expectation | None = None
    """`expect` are conditions that each response to a query must meet; those of a mix entry or of
    a line take precedence."""
    timeout_seconds: Annotated[Int, Field(ge=1, le=600)] = 30
    """`timeoutSeconds` limits the time of a response; one that takes longer is a failure. Users of
    a `locustfile` have their own timeouts, and are stopped this long after the end of a step."""

    rules: ClassVar = (
        exactly_one("queries", "mix", "locustfile"),
        LOCUSTFILE_RULE,
        Rule(
            cel="!has(self.warmUpQueries) || !has(self.locustfile)",
            message="warmUpQueries must not go with locustfile, whose users also warm up",
            is_satisfied=lambda w: w.warm_up_queries is None or w.locustfile is None,
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
    def of_warm_up(self) -> "Workload | None":
        """What warm-ups send instead; None if they send the same."""
        if self.warm_up_queries is None:
            return None
        return self.model_copy(
            update={"queries": self.warm_up_queries, "mix": None, "warm_up_queries": None}
        )

    @property
    def may_change_index(self) -> bool:
        """Whether requests may add or delete documents; users of a locustfile may do anything."""
        handlers = [self.handler, *(each for entry in self.entries for each in _handlers(entry))]
        return self.locustfile is not None or any(each.startswith("/update") for each in handlers)

    @property
    def draw_seed(self) -> int:
        """Seed of what is drawn for users and arrivals."""
        return self.seed if self.queries is None else self.queries.seed


def _handlers(entry: MixEntry) -> list[str]:
    """Return the handlers that an entry names; updates go to `/update` unless it names one."""
    requests = entry.transaction.requests if entry.transaction is not None else []
    found = [entry.handler, *(each.handler for each in requests)]
    return ["/update"] if entry.updates is not None else [each for each in found if each]
