"""The entries of a mix, each with a name and a weight, and the lists of queries they draw from."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from solrbench.api.rules import ListMap, Matches, Model, Rule, exactly_one
from solrbench.api.v1alpha1.arrivals import ThinkTime
from solrbench.api.v1alpha1.fields import (
    SEED_OF_SPEC,
    Count,
    FileName,
    FilePath,
    Handler,
    Int,
    Milliseconds,
    ObjectName,
    ObjectReference,
    Percent,
    Seed,
    ShortName,
    ZipfExponent,
    at_least,
)


class Order(StrEnum):
    """Order in which the queries of a list are sent."""

    SEQUENTIAL = "Sequential"
    RANDOM = "Random"
    ZIPF = "Zipf"
    ONCE = "Once"


class QueryConfigMap(ObjectReference):
    """A query file in a ConfigMap of the benchmark's namespace."""

    key: FileName = "queries.txt"
    """`key` is the key that holds the file."""


class QueryVolume(Model):
    """A query file on an existing volume, which is mounted read-only."""

    claim_name: ObjectName
    """`claimName` is the name of the claim in the benchmark's namespace."""
    path: FilePath
    """`path` is the path of the file inside the volume."""


class GeneratedQueries(Model):
    """Queries drawn from the vocabulary of a generated dataset."""

    count: Annotated[Int, Field(ge=1, le=10_000_000)] = 10_000
    """`count` is the number of queries drawn; a smaller number raises the cache hit ratio."""
    max_terms: Annotated[Int, Field(ge=1, le=10)] = 3
    """`maxTerms` limits the words of one query; their number is uniform from 1 on."""
    facet_percent: Percent = 20
    """`facetPercent` is the share of queries that facet on the category field."""
    filter_percent: Percent = 30
    """`filterPercent` is the share of queries that filter by a category."""
    routed_percent: Percent = 0
    """`routedPercent` is the share of queries for the documents of one id prefix only (Solr's
    `_route_`), and so for one shard only."""


class Queries(Model):
    """A list of queries and the order in which they are sent."""

    config_map: QueryConfigMap | None = None
    """`configMap` holds one query, or one JSON object of parameters, in each line."""
    persistent_volume_claim: QueryVolume | None = None
    """`persistentVolumeClaim` holds the same on a volume."""
    generated: GeneratedQueries | None = None
    """`generated` draws the queries from the generated dataset's vocabulary."""
    order: Order = Order.RANDOM
    """`order` controls which query is next: `Sequential` repeats the list, `Random` draws
    uniformly, `Zipf` prefers the head, `Once` sends each query once in each repeat, warm-up
    included; a step ends where the list does."""
    seed: Seed = SEED_OF_SPEC
    """`seed` makes the order repeatable. Defaults to `spec.seed`."""
    zipf_exponent: ZipfExponent = 1.0
    """`zipfExponent` is the exponent of the order `Zipf`, at least 0.1."""

    rules: ClassVar = (
        exactly_one("configMap", "persistentVolumeClaim", "generated"),
        at_least("zipfExponent", 0.1),
    )


Parameters = Annotated[
    dict[
        Annotated[str, StringConstraints(max_length=128)],
        Annotated[str, StringConstraints(max_length=2048)],
    ],
    Field(max_length=32),
]
"""Names and values of request parameters, or of environment variables."""

ResponsePath = Annotated[
    str,
    StringConstraints(min_length=1, max_length=256),
    Matches(
        r"[^.\[\]]+(\[[0-9]{1,6}\])*(\.[^.\[\]]+(\[[0-9]{1,6}\])*)*",
        "must be a path into the response, such as response.docs[0].id",
    ),
]
"""Path of a value in a JSON response."""

ValueName = Annotated[str, StringConstraints(min_length=1, max_length=40)]
"""Name of a value that is passed on in a transaction."""


class Expectation(Model):
    """Conditions on a response; one that does not meet them is a failure, `ExpectationFailed`."""

    min_num_found: Count | None = None
    """`minNumFound` is the smallest `numFound` that is accepted."""
    max_num_found: Count | None = None
    """`maxNumFound` is the largest `numFound` that is accepted."""
    contains: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = None
    """`contains` is a text that the response contains, exactly as Solr writes it."""

    rules: ClassVar = (
        Rule(
            cel="has(self.minNumFound) || has(self.maxNumFound) || has(self.contains)",
            message="must set at least one of minNumFound, maxNumFound, contains",
        ),
        Rule(
            cel=(
                "!has(self.minNumFound) || !has(self.maxNumFound)"
                " || self.minNumFound <= self.maxNumFound"
            ),
            message="minNumFound must not be greater than maxNumFound",
        ),
    )


class UpdateIdPolicy(StrEnum):
    """Ids of generated updates."""

    EXISTING = "Existing"
    NEW = "New"


class GeneratedUpdates(Model):
    """Documents like those of the generated dataset."""

    ids: UpdateIdPolicy = UpdateIdPolicy.EXISTING
    """`ids` controls whether updates replace documents of the dataset, drawn uniformly at random
    (`Existing`), or add documents (`New`)."""
    seed: Seed = SEED_OF_SPEC
    """`seed` makes the documents repeatable. Defaults to `spec.seed`."""


class Updates(Model):
    """Documents sent to `/update` during the load."""

    generated: GeneratedUpdates | None = None
    """`generated` makes the documents with the dataset's generator."""
    config_map: QueryConfigMap | None = None
    """`configMap` holds one JSON document in each line, sent in order, again and
    again."""
    persistent_volume_claim: QueryVolume | None = None
    """`persistentVolumeClaim` holds the same on a volume."""
    documents_per_request: Annotated[Int, Field(ge=1, le=10_000)] = 1
    """`documentsPerRequest` is the number of documents in one request."""
    commit_within_milliseconds: Annotated[Milliseconds, Field(ge=1)] | None = None
    """`commitWithinMilliseconds` is the time within which Solr makes the documents visible; absent
    leaves that to `collection`."""

    rules: ClassVar = (exactly_one("generated", "configMap", "persistentVolumeClaim"),)


UPDATE = "update"
"""Request name of steps and trials that index."""


class StepIndexing(Model):
    """Documents like those of the dataset, added with ids of their own.

    They are deleted after the step, so that every step begins with the documents of the dataset.
    """

    batch_size: Annotated[Int, Field(ge=1, le=10_000)] = 500
    """`batchSize` is the number of documents in each update."""
    commit_within_milliseconds: Annotated[Milliseconds, Field(ge=1)] | None = None
    """`commitWithinMilliseconds` is the time within which Solr makes the documents visible; absent
    leaves that to the commits of `collection`."""


class TransactionRequest(Model):
    """One request of a transaction; names in double braces stand for extracted values."""

    name: ShortName
    """`name` is the name in the results, after that of the transaction and a dot."""
    handler: Handler | None = None
    """`handler` is the request handler; that of the workload when absent."""
    method: Literal["GET", "POST"] | None = None
    """`method` is the HTTP method; that of the workload when absent. A request with `jsonBody` is
    always a POST."""
    parameters: Parameters = {}
    """`parameters` are added to those of the workload."""
    json_body: Annotated[str, StringConstraints(min_length=2, max_length=16_384)] | None = None
    """`jsonBody` is the body of the request as JSON text: a query of the JSON request API, or
    documents for `/update`."""
    expect: Expectation | None = None
    """`expect` are conditions that the response must meet."""
    think_time: ThinkTime | None = None
    """`thinkTime` is the wait before the request."""
    extract: Annotated[dict[ValueName, ResponsePath], Field(max_length=16)] = {}
    """`extract` are values of the response for later requests, by name and path, such as
    `id: response.docs[0].id`."""

    rules: ClassVar = (
        Rule(
            cel="!has(self.jsonBody) || !has(self.method) || self.method == 'POST'",
            message="method must be POST, or omitted, with jsonBody",
        ),
    )


class Transaction(Model):
    """Requests in order; if a request fails, the transaction stops and counts as failed."""

    inputs: Queries | None = None
    """`inputs` gives one line to each transaction: a JSON object of values, or a text, whose name
    is `q`."""
    requests: Annotated[
        list[TransactionRequest], Field(min_length=1, max_length=10), ListMap("name")
    ]
    """`requests` are sent in this order."""

    rules: ClassVar = (
        Rule(
            cel="self.requests.size() == 0 || !has(self.requests[0].thinkTime)",
            message=(
                "thinkTime must be omitted from the first request; set it on the step, for the wait"
                " between transactions"
            ),
        ),
    )


class MixEntry(Model):
    """One kind of requests in a mix."""

    name: ShortName
    """`name` is the request name in the results."""
    weight: Annotated[Int, Field(ge=1, le=1_000_000)] = 1
    """`weight` is the share of the entry among the weights of all entries."""
    queries: Queries | None = None
    """`queries` are sent from a list."""
    updates: Updates | None = None
    """`updates` send documents."""
    transaction: Transaction | None = None
    """`transaction` sends several requests in order."""
    handler: Handler | None = None
    """`handler` is the request handler; that of the workload when absent, `/update` for updates."""
    method: Literal["GET", "POST"] | None = None
    """`method` is the HTTP method; that of the workload when absent."""
    parameters: Parameters = {}
    """`parameters` are added to those of the workload."""
    expect: Expectation | None = None
    """`expect` replaces the conditions of the workload on each response."""

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
        ),
        Rule(
            cel="!has(self.updates) || (!has(self.method) && !has(self.expect))",
            message="method and expect must be omitted with updates, which are POST requests",
        ),
    )
