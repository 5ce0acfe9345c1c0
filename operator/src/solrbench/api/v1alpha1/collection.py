"""`spec.collection`: shards, replicas, router, config set and caches."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model, Rule, at_most_one
from solrbench.api.v1alpha1.fields import Bool, FieldName, Int, ObjectName

Size = Annotated[Int, Field(ge=0, le=2**31 - 1)]
"""Every size of Solr's Config API is parsed with Java's `parseInt`."""


class Replicas(Model):
    """Replicas of each shard by type."""

    nrt: Annotated[Int, Field(ge=0, le=100)] = 0
    """Near-real-time replicas: index locally, can lead."""
    tlog: Annotated[Int, Field(ge=0, le=100)] = 0
    """Transaction-log replicas: copy segments from the leader, can lead."""
    pull: Annotated[Int, Field(ge=0, le=100)] = 0
    """Pull replicas: copy segments from the leader, cannot lead."""

    rules: ClassVar = (
        Rule(
            cel="self.nrt + self.tlog >= 1",
            message="nrt + tlog must be at least 1, a shard needs a leader",
            is_satisfied=lambda r: r.nrt + r.tlog >= 1,
        ),
    )

    @property
    def total(self) -> int:
        """Replicas of one shard, whatever their type."""
        return self.nrt + self.tlog + self.pull


class RouterName(StrEnum):
    """How a document finds its shard."""

    COMPOSITE_ID = "compositeId"
    IMPLICIT = "implicit"


class Router(Model):
    """Document routing."""

    name: RouterName = RouterName.COMPOSITE_ID
    """`compositeId` hashes the id; `implicit` keeps a document where it was sent."""
    field: FieldName | None = None
    """Field whose value is routed instead of the id."""


class ConfigSetSource(Model):
    """Where schema and solrconfig.xml come from."""

    config_map: ObjectName | None = None
    """ConfigMap with the files of a config set as keys, or one key `configset.zip`."""


class SizedCache(Model):
    """A cache that Solr sizes by entries."""

    enabled: Bool | None = None
    """Whether the cache exists at all."""
    size: Size | None = None
    """Entries the cache holds."""
    initial_size: Size | None = None
    """Entries that room is made for at start."""
    autowarm_count: Size | None = None
    """Entries copied from the old searcher's cache."""
    class_name: Annotated[str, StringConstraints(min_length=1, max_length=255)] | None = None
    """Java class of the cache; Solr 9 ships `solr.CaffeineCache` only."""
    regenerator: Annotated[str, StringConstraints(min_length=1, max_length=255)] | None = None
    """Java class that refills entries while warming."""


class MemoryCache(SizedCache):
    """A cache that Solr sizes by entries or by memory."""

    max_ram_megabytes: Annotated[Int, Field(ge=1, le=1_048_576)] | None = None
    """Memory the cache may take."""

    rules: ClassVar = (at_most_one("size", "maxRamMegabytes"),)


class Caches(Model):
    """The caches of a searcher; what is absent stays as the config set has it."""

    filter: MemoryCache | None = None
    """`filterCache`: document sets of filter queries."""
    query_result: MemoryCache | None = None
    """`queryResultCache`: ordered ids of a query's first documents."""
    document: SizedCache | None = None
    """`documentCache`: stored fields."""
    field_value: SizedCache | None = None
    """`fieldValueCache`: only has an effect where solrconfig.xml declares it."""


class AutoCommit(Model):
    """When Solr commits by itself."""

    max_documents: Annotated[Int, Field(ge=-1, le=2**31 - 1)] | None = None
    """Documents after which a commit happens; -1 for never."""
    max_milliseconds: Annotated[Int, Field(ge=-1, le=2**31 - 1)] | None = None
    """Time after which a commit happens; -1 for never."""


class Collection(Model):
    """The collection that holds the dataset."""

    shards: Annotated[Int, Field(ge=1, le=256)] = 1
    """Shards the documents are split over."""
    replicas: Replicas = Replicas(nrt=1)
    """Replicas of each shard."""
    router: Router = Router()
    """Document routing."""
    config_set: ConfigSetSource = ConfigSetSource()
    """Schema and solrconfig.xml; when empty, the built-in one for the generator's documents
    with dynamic fields for others."""
    caches: Caches = Caches()
    """Cache settings, set through Solr's Config API and read back."""
    query_result_window_size: Size | None = None
    """Result ids are cached in multiples of this."""
    query_result_max_docs_cached: Size | None = None
    """Longest list of ids that is cached."""
    enable_lazy_field_loading: Bool | None = None
    """Whether stored fields that were not asked for are left unread."""
    use_filter_for_sorted_query: Bool | None = None
    """Whether a query that does not sort by score may be answered from the filter cache."""
    bool_to_filter_optimizer: Bool | None = None
    """Solr's `query.boolTofilterOptimizer`."""
    max_boolean_clauses: Size | None = None
    """Clauses a boolean query may have."""
    auto_commit: AutoCommit | None = None
    """Hard commits, with openSearcher=false."""
    auto_soft_commit: AutoCommit | None = None
    """Soft commits, which open a new searcher and so empty the caches."""
