"""`spec.collection` and `spec.companions`: the collection, and what stands in front of Solr."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model, Rule, at_most_one
from solrbench.api.v1alpha1.fields import Bool, FieldName, FileName, Int, ObjectReference

# Every size of Solr's Config API is parsed with Java's `parseInt`.
Size = Annotated[Int, Field(ge=0, le=2**31 - 1)]


class Replicas(Model):
    """Replicas of each shard by type."""

    nrt: Annotated[Int, Field(ge=0, le=100)] = 0
    """`nrt` is the number of near-real-time replicas, which index locally and can lead."""
    tlog: Annotated[Int, Field(ge=0, le=100)] = 0
    """`tlog` is the number of transaction-log replicas, which copy segments from the leader and
    can lead."""
    pull: Annotated[Int, Field(ge=0, le=100)] = 0
    """`pull` is the number of pull replicas, which copy segments from the leader and cannot
    lead."""

    rules: ClassVar = (
        Rule(
            cel="self.nrt + self.tlog >= 1",
            message="nrt + tlog must be at least 1, a shard needs a leader",
        ),
    )

    @property
    def total(self) -> int:
        """Replicas of one shard, whatever their type."""
        return self.nrt + self.tlog + self.pull


class RouterName(StrEnum):
    """How a document is assigned to a shard."""

    COMPOSITE_ID = "compositeId"
    IMPLICIT = "implicit"


class Router(Model):
    """Document routing."""

    name: RouterName = RouterName.COMPOSITE_ID
    """`name` is Solr's router: `compositeId` hashes the id; `implicit` keeps a document in the
    shard that it was sent to."""
    field: FieldName | None = None
    """`field` is the field whose value is routed instead of the id (Solr's `router.field`)."""


class ConfigSetSource(Model):
    """Source of schema and solrconfig.xml."""

    config_map: ObjectReference | None = None
    """`configMap` names a ConfigMap with the files of a config set as keys, or with one key
    `configset.zip`."""


class SizedCache(Model):
    """A cache that Solr sizes by entries."""

    enabled: Bool | None = None
    """`enabled` controls whether the cache exists at all."""
    size: Size | None = None
    """`size` is the number of entries that the cache holds."""
    initial_size: Size | None = None
    """`initialSize` is the number of entries that memory is allocated for at start."""
    autowarm_count: Size | None = None
    """`autowarmCount` is the number of entries copied from the old searcher's cache."""
    class_name: Annotated[str, StringConstraints(min_length=1, max_length=255)] | None = None
    """`className` is the Java class of the cache; Solr 9 ships `solr.CaffeineCache` only."""
    regenerator: Annotated[str, StringConstraints(min_length=1, max_length=255)] | None = None
    """`regenerator` is the Java class that refills entries while warming."""


class MemoryCache(SizedCache):
    """A cache that Solr sizes by entries or by memory."""

    max_ram_megabytes: Annotated[Int, Field(ge=1, le=1_048_576)] | None = None
    """`maxRamMegabytes` limits the memory of the cache (Solr's `maxRamMB`)."""

    rules: ClassVar = (at_most_one("size", "maxRamMegabytes"),)


class Caches(Model):
    """The caches of a searcher; what is absent stays as the config set has it."""

    filter: MemoryCache | None = None
    """`filter` configures Solr's `filterCache`: document sets of filter queries."""
    query_result: MemoryCache | None = None
    """`queryResult` configures Solr's `queryResultCache`: ordered ids of a query's first
    documents."""
    document: SizedCache | None = None
    """`document` configures Solr's `documentCache`: stored fields."""
    field_value: SizedCache | None = None
    """`fieldValue` configures Solr's `fieldValueCache`, and has an effect only where
    solrconfig.xml declares it."""


class AutoCommit(Model):
    """Conditions of automatic commits."""

    max_documents: Annotated[Int, Field(ge=-1, le=2**31 - 1)] | None = None
    """`maxDocuments` is the number of documents after which Solr commits (Solr's `maxDocs`);
    never when -1."""
    max_milliseconds: Annotated[Int, Field(ge=-1, le=2**31 - 1)] | None = None
    """`maxMilliseconds` is the time after which Solr commits (Solr's `maxTime`); never when -1."""


class Collection(Model):
    """The collection that holds the dataset."""

    shards: Annotated[Int, Field(ge=1, le=256)] = 1
    """`shards` is the number of shards of the collection."""
    replicas: Replicas = Replicas(nrt=1)
    """`replicas` are the numbers of replicas of each shard, by type."""
    router: Router = Router()
    """`router` controls to which shard a document goes."""
    config_set: ConfigSetSource = ConfigSetSource()
    """`configSet` is the source of schema and solrconfig.xml; when empty, the built-in one for
    the generator's documents, with dynamic fields for others."""
    caches: Caches = Caches()
    """`caches` are set through Solr's Config API and read back."""
    query_result_window_size: Size | None = None
    """`queryResultWindowSize` is the multiple to which the number of cached result ids is rounded
    up (Solr's `query.queryResultWindowSize`)."""
    query_result_max_docs_cached: Size | None = None
    """`queryResultMaxDocsCached` limits the length of a cached list of ids (Solr's
    `query.queryResultMaxDocsCached`)."""
    enable_lazy_field_loading: Bool | None = None
    """`enableLazyFieldLoading` controls whether stored fields that were not requested stay unread
    (Solr's `query.enableLazyFieldLoading`)."""
    use_filter_for_sorted_query: Bool | None = None
    """`useFilterForSortedQuery` controls whether a query that does not sort by score may be
    served from the filter cache (Solr's `query.useFilterForSortedQuery`)."""
    bool_to_filter_optimizer: Bool | None = None
    """`boolToFilterOptimizer` sets Solr's `query.boolTofilterOptimizer`."""
    max_boolean_clauses: Size | None = None
    """`maxBooleanClauses` limits the clauses of a boolean query (Solr's
    `query.maxBooleanClauses`)."""
    auto_commit: AutoCommit | None = None
    """`autoCommit` configures hard commits, with openSearcher=false."""
    auto_soft_commit: AutoCommit | None = None
    """`autoSoftCommit` configures soft commits, which open a new searcher and so empty the
    caches."""


MAX_COMPANIONS = 8

BUILT_IN_VALUES = (
    "BENCHMARK",
    "NAMESPACE",
    "COLLECTION",
    "SOLR_URL",
    "SOLR_URLS",
    "SOLR_HOSTS",
    "SOLR_SERVICE",
)
"""Names that the operator gives values to; so it does to those that begin with `SERVICE_`."""

SERVICE_PREFIX = "SERVICE_"
"""Beginning of the names whose values are the hosts of Services among the companions."""

_RESERVED = f"({'|'.join(BUILT_IN_VALUES)}|{SERVICE_PREFIX}.*)"

NAME_PATTERN = "[A-Z][A-Z0-9_]*"
"""Expression for a name in `$(NAME)`."""

ValueName = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class ManifestsFile(ObjectReference):
    """Manifests in a ConfigMap of the benchmark's namespace."""

    key: FileName | None = None
    """`key` is the key with the manifests; all keys, in the order of their names, when absent."""


class Companion(Model):
    """Objects that are made for the benchmark beside Solr, such as a proxy or a load balancer."""

    config_map: ManifestsFile
    """`configMap` holds their manifests in YAML: Deployments, Services and ConfigMaps."""
    values: Annotated[
        dict[ValueName, Annotated[str, StringConstraints(max_length=1024)]], Field(max_length=32)
    ] = {}
    """`values` replace `$(NAME)` in the manifests, beside the names that the operator knows:
    BENCHMARK, NAMESPACE, COLLECTION, SOLR_URL, SOLR_URLS, SOLR_HOSTS, SOLR_SERVICE, and SERVICE_
    with the name of a Service of the companions."""

    rules: ClassVar = (
        Rule(
            cel=f"self.values.all(name, name.matches(r'^{NAME_PATTERN}$'))",
            message="values must have names of capitals, digits and '_', such as WORKERS",
        ),
        Rule(
            cel=f"!self.values.exists(name, name.matches(r'^{_RESERVED}$'))",
            message=f"values must not name what the operator sets: {', '.join(BUILT_IN_VALUES)} and"
            f" {SERVICE_PREFIX}*",
        ),
    )
