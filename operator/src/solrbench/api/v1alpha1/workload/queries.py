"""Lists of queries: where they come from and the order they are taken in."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.fields import (
    FileName,
    FilePath,
    Int,
    ObjectName,
    Seed,
)


class Order(StrEnum):
    """In which order queries are taken from the list."""

    SEQUENTIAL = "Sequential"
    RANDOM = "Random"
    ZIPF = "Zipf"
    EACH_ONCE = "EachOnce"


class QueryConfigMap(Model):
    """A query file in a ConfigMap."""

    name: ObjectName
    """Name of the ConfigMap in the benchmark's namespace."""
    key: FileName = "queries.txt"
    """Key that holds the file."""


class QueryVolume(Model):
    """A query file on a volume that exists already; it is mounted read-only."""

    claim_name: ObjectName
    """Name of the claim in the benchmark's namespace."""
    path: FilePath
    """The file."""


class GeneratedQueries(Model):
    """Queries drawn from the vocabulary of a generated dataset."""

    count: Annotated[Int, Field(ge=1, le=10_000_000)] = 10_000
    """Distinct draws; a smaller number raises the cache hit ratio."""
    max_terms: Annotated[Int, Field(ge=1, le=10)] = 3
    """Most words in one query; the number is uniform from 1 on."""
    facet_permille: Annotated[Int, Field(ge=0, le=1000)] = 200
    """Queries in a thousand that facet on the category field."""
    filter_permille: Annotated[Int, Field(ge=0, le=1000)] = 300
    """Queries in a thousand that filter by a category."""
    routed_permille: Annotated[Int, Field(ge=0, le=1000)] = 0
    """Queries in a thousand that ask for the documents of one prefix only (`_route_`), and so one
    shard only."""


class Queries(Model):
    """The list of queries and the order they are taken in."""

    config_map: QueryConfigMap | None = None
    """One query per line, or one JSON object of parameters per line."""
    persistent_volume_claim: QueryVolume | None = None
    """The same from a volume."""
    generated: GeneratedQueries | None = None
    """Drawn from the generated dataset's vocabulary."""
    order: Order = Order.RANDOM
    """`Sequential` goes round the list, `Random` draws evenly, `Zipf` prefers the head, `EachOnce`
    goes through the list once in each repeat, warm-up and steps together; a step ends where the
    list does."""
    seed: Seed = 1
    """The same seed gives the same queries in the same order."""
    zipf_exponent_permille: Annotated[Int, Field(ge=100, le=3000)] = 1000
    """Exponent of the Zipf order in thousandths."""

    rules: ClassVar = (exactly_one("configMap", "persistentVolumeClaim", "generated"),)
