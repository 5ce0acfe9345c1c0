"""`spec.workload`: the requests, or custom Locust users that send them."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from solrbench.api.rules import ListMap, Matches, Model, Rule, exactly_one, not_with
from solrbench.api.v1alpha1.fields import (
    SEED_OF_SPEC,
    FileName,
    Handler,
    Int,
    ObjectReference,
    Seed,
    ShortName,
)
from solrbench.api.v1alpha1.request_mix import Expectation, MixEntry, Parameters, Queries

RESERVED_PREFIX = "SOLRBENCH_"
"""Prefix of the variables that the operator sets."""

_VARIABLE = "[A-Za-z_][A-Za-z0-9_]*"

ClassName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100),
    Matches(_VARIABLE, "must be the name of a class, such as CheckOutUser"),
]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Tags = Annotated[list[Tag], Field(min_length=1, max_length=32)]


class LocustfileConfigMap(ObjectReference):
    """A locustfile in a ConfigMap of the namespace; its other keys are files it can import."""

    key: FileName = "locustfile.py"
    """`key` is the key that holds the file."""


class Locustfile(Model):
    """Custom user classes, written for Locust."""

    config_map: LocustfileConfigMap
    """`configMap` holds the locustfile."""
    classes: Annotated[list[ClassName], Field(min_length=1, max_length=20)] | None = None
    """`classes` are the user classes to run; every one of the file that is not abstract when
    absent. Users are distributed over them by `weight` and `fixed_count`, as Locust does."""
    tags: Tags | None = None
    """`tags` limits the run to tasks with one of these tags."""
    exclude_tags: Tags | None = None
    """`excludeTags` excludes tasks with one of these tags."""
    environment: Parameters = {}
    """`environment` are environment variables for the file. They are readable with the benchmark,
    so they are no place for passwords."""

    rules: ClassVar = (
        Rule(
            cel=(
                f"self.environment.all(name, name.matches(r'^{_VARIABLE}$')"
                f" && !name.startsWith('{RESERVED_PREFIX}'))"
            ),
            message=(
                "environment must have names of letters, digits and '_' that do not start with"
                f" {RESERVED_PREFIX}, such as BRANCH"
            ),
        ),
    )


LOCUSTFILE_RULES = (
    Rule(
        cel="!has(self.workload.locustfile) || self.load.steps.all(s, has(s.users))",
        message=(
            "load.steps must set users, not requestsPerSecond, with workload.locustfile,"
            " a locustfile runs a closed loop and cannot hold an arrival rate"
        ),
    ),
    Rule(
        cel="!has(self.workload.locustfile) || self.load.steps.all(s,"
        " !has(s.thinkTime) && !has(s.pacingMilliseconds))",
        message=(
            "load.steps must not set thinkTime or pacingMilliseconds with workload.locustfile,"
            " its users have a wait_time"
        ),
    ),
    Rule(
        cel=(
            "!has(self.workload.locustfile) || !has(self.target.existing)"
            " || (!has(self.target.existing.basicAuth) && !has(self.target.existing.tls))"
        ),
        message=(
            "workload.locustfile must not go with target.existing.basicAuth or tls, its code"
            " could read what the Secrets hold"
        ),
    ),
)


MAX_REQUEST_NAMES = 50
"""Distinct request names of a workload: each has results and metrics of its own."""


def count_request_names(mix: str) -> str:
    """Return CEL of the names in a mix: a transaction has one beside those of its requests."""
    return f"{mix}.map(e, has(e.transaction) ? e.transaction.requests.size() + 1 : 1).sum()"


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
    seed: Seed = SEED_OF_SPEC
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
        Rule(
            cel=(
                "!has(self.locustfile) || (self.requestName == 'query' && self.handler == '/select'"
                " && self.method == 'GET' && self.parameters.size() == 0 && !has(self.expect)"
                " && (!has(self.seed) || self.seed == 1))"
            ),
            message=(
                "requestName, handler, method, parameters, expect and seed must be omitted with"
                " locustfile, the file itself controls what is sent and checked"
            ),
        ),
        not_with("warmUpQueries", "locustfile", "whose users also warm up"),
        Rule(
            cel=(f"!has(self.mix) || {count_request_names('self.mix')} <= {MAX_REQUEST_NAMES}"),
            message=(
                f"mix must not have more than {MAX_REQUEST_NAMES} names, counting every entry and"
                " every request of a transaction"
            ),
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
        if self.locustfile is not None:
            return True
        handlers = [self.handler]
        for entry in self.entries:
            if entry.updates is not None:
                return True
            requests = entry.transaction.requests if entry.transaction is not None else []
            handlers += [each or "" for each in (entry.handler, *(r.handler for r in requests))]
        return any(handler.startswith("/update") for handler in handlers)

    @property
    def draw_seed(self) -> int:
        """Seed of what is drawn for users and arrivals."""
        return self.seed if self.queries is None else self.queries.seed
