"""Lists of queries: their source and the order in which they are sent."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.fields import (
    FileName,
    FilePath,
    Int,
    ObjectName,
    Percent,
    Seed,
    ZipfExponent,
    at_least,
)
from solrbench.api.v1alpha1.seeds import default_seed


class Order(StrEnum):
    """Order in which the queries of a list are sent."""

    SEQUENTIAL = "Sequential"
    RANDOM = "Random"
    ZIPF = "Zipf"
    ONCE = "Once"


class QueryConfigMap(Model):
    """A query file in a ConfigMap."""

    name: ObjectName
    """`name` is the name of the ConfigMap in the benchmark's namespace."""
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
    """`order` controls which query is next: `Sequential` starts over at the end of the list,
    `Random` draws uniformly, `Zipf` prefers the head, `Once` sends each query once in each repeat,
    warm-up and steps together; a step ends where the list does."""
    seed: Seed = Field(default_factory=default_seed)
    """`seed` makes the order repeatable. Defaults to `spec.seed`."""
    zipf_exponent: ZipfExponent = 1.0
    """`zipfExponent` is the exponent of the order `Zipf`, at least 0.1."""

    rules: ClassVar = (
        exactly_one("configMap", "persistentVolumeClaim", "generated"),
        at_least("zipfExponent", 0.1),
    )
