"""The entries of a mix: queries, updates and transactions, each with a name and a weight."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from solrbench.api.rules import Matches, Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Count, Handler, Int, Milliseconds, Seed, ShortName
from solrbench.api.v1alpha1.load.load import ThinkTime
from solrbench.api.v1alpha1.workload.queries import Queries, QueryConfigMap, QueryVolume

Parameters = Annotated[
    dict[
        Annotated[str, StringConstraints(max_length=128)],
        Annotated[str, StringConstraints(max_length=2048)],
    ],
    Field(max_length=32),
]
"""Names and values of request parameters."""

AnswerPath = Annotated[
    str,
    StringConstraints(min_length=1, max_length=256),
    Matches(
        r"[^.\[\]]+(\[[0-9]{1,6}\])*(\.[^.\[\]]+(\[[0-9]{1,6}\])*)*",
        "must be a path into the answer, such as response.docs[0].id",
    ),
]
"""Place of a value in a JSON answer."""

ValueName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=40),
]
"""Name of a value that is passed on in a transaction."""


class Expectation(Model):
    """What an answer must show; one that does not is a failure, `ExpectationFailed`."""

    min_found: Count | None = None
    """Least `numFound`."""
    max_found: Count | None = None
    """Greatest `numFound`."""
    contains: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = None
    """Text that the answer holds, exactly as Solr writes it."""

    rules: ClassVar = (
        Rule(
            cel="has(self.minFound) || has(self.maxFound) || has(self.contains)",
            message="must set at least one of minFound, maxFound, contains",
            is_satisfied=lambda e: any(
                x is not None for x in (e.min_found, e.max_found, e.contains)
            ),
        ),
        Rule(
            cel="!has(self.minFound) || !has(self.maxFound) || self.minFound <= self.maxFound",
            message="minFound must not be greater than maxFound",
            is_satisfied=lambda e: (
                e.min_found is None or e.max_found is None or e.min_found <= e.max_found
            ),
        ),
    )


class UpdatedIds(StrEnum):
    """Ids that generated updates carry."""

    EXISTING = "Existing"
    NEW = "New"


class GeneratedUpdates(Model):
    """Documents like those of the generated dataset."""

    ids: UpdatedIds = UpdatedIds.EXISTING
    """`Existing` replaces documents of the dataset, drawn evenly; `New` adds documents."""
    seed: Seed = 1
    """The same seed gives the same documents in the same order."""


class Updates(Model):
    """Documents sent to `/update` while others search."""

    generated: GeneratedUpdates | None = None
    """Made by the dataset's generator."""
    config_map: QueryConfigMap | None = None
    """One JSON document per line, sent in order, from the begin again after the last."""
    persistent_volume_claim: QueryVolume | None = None
    """The same from a volume."""
    documents_per_request: Annotated[Int, Field(ge=1, le=10_000)] = 1
    """Documents in one request."""
    commit_within_milliseconds: Annotated[Milliseconds, Field(ge=1)] | None = None
    """Time after which Solr makes the documents visible; absent leaves that to `collection`."""

    rules: ClassVar = (exactly_one("generated", "configMap", "persistentVolumeClaim"),)


class TransactionRequest(Model):
    """One request of a transaction; names in double braces stand for values passed on to it."""

    name: ShortName
    """Name in the results, after that of the transaction and a dot."""
    handler: Handler | None = None
    """Request handler; that of the workload when absent."""
    method: Literal["GET", "POST"] | None = None
    """That of the workload when absent; a request with `json` is always a POST."""
    parameters: Parameters = {}
    """Parameters, on top of those of the workload."""
    json_body: (
        Annotated[
            str,
            StringConstraints(min_length=2, max_length=16_384),
        ]
        | None
    ) = None
    """Body of the request as JSON text: a query of the JSON request API, or documents for
    `/update`."""
    expect: Expectation | None = None
    """What the answer must show."""
    think_time: ThinkTime | None = None
    """Wait before the request."""
    extract: Annotated[dict[ValueName, AnswerPath], Field(max_length=16)] = {}
    """Values to take from the answer: name and path, such as `id: response.docs[0].id`."""

    rules: ClassVar = (
        Rule(
            cel="!has(self.jsonBody) || !has(self.method) || self.method == 'POST'",
            message="method must be POST, or left out, with jsonBody",
            is_satisfied=lambda r: r.json_body is None or r.method in {None, "POST"},
        ),
    )


class Transaction(Model):
    """Requests in order; one that fails ends the transaction, which failed then."""

    inputs: Queries | None = None
    """One line for each transaction: a JSON object of values, or a text, whose name is `q`."""
    requests: Annotated[list[TransactionRequest], Field(min_length=1, max_length=10)]
    """The requests, in this order."""

    rules: ClassVar = (
        Rule(
            cel="self.requests.all(r, self.requests.exists_one(s, s.name == r.name))",
            message="requests must have different names",
            is_satisfied=lambda t: len({r.name for r in t.requests}) == len(t.requests),
        ),
        Rule(
            cel="self.requests.size() == 0 || !has(self.requests[0].thinkTime)",
            message=(
                "thinkTime must be left out of the first request, give it to the step:"
                " users think between transactions"
            ),
            is_satisfied=lambda t: t.requests[0].think_time is None,
        ),
    )


class MixEntry(Model):
    """One kind of requests."""

    name: ShortName
    """Name that the results carry."""
    weight: Annotated[Int, Field(ge=1, le=1_000_000)] = 1
    """Share among the weights of all entries."""
    queries: Queries | None = None
    """A list of queries."""
    updates: Updates | None = None
    """Documents."""
    transaction: Transaction | None = None
    """Requests in order."""
    handler: Handler | None = None
    """Request handler; that of the workload when absent, `/update` for updates."""
    method: Literal["GET", "POST"] | None = None
    """That of the workload when absent."""
    parameters: Parameters = {}
    """Parameters, on top of those of the workload."""
    expect: Expectation | None = None
    """What every answer must show, instead of the expectation of the workload."""

    rules: ClassVar = (
        exactly_one("queries", "updates", "transaction"),
        Rule(
            cel=(
                "!has(self.transaction) || (!has(self.handler) && !has(self.method)"
                " && !has(self.expect))"
            ),
            message=(
                "handler, method and expect must be set on the requests of the transaction,"
                " not beside it"
            ),
            is_satisfied=lambda e: (
                e.transaction is None or (e.handler, e.method, e.expect) == (None, None, None)
            ),
        ),
        Rule(
            cel="!has(self.updates) || (!has(self.method) && !has(self.expect))",
            message="method and expect must be left out with updates, which are POST requests",
            is_satisfied=lambda e: e.updates is None or (e.method, e.expect) == (None, None),
        ),
    )


def count_names(entry: MixEntry) -> int:
    """Return how many request names an entry has."""
    return 1 if entry.transaction is None else 1 + len(entry.transaction.requests)
