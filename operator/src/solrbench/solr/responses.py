"""What is read of Solr's responses, as of Solr 9.10 and 10.0; all else in them is ignored.

A URL may lead to another server, and the image of a Solr hold anything: `SolrClient` checks each
response against one of these models before any of it is used.
"""

from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, RootModel


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True)


class ReplicaState(_Part):
    """A replica in `CLUSTERSTATUS`."""

    core: str
    node_name: str
    base_url: str
    state: str
    type: str = "NRT"
    leader: str = ""
    """`true`, a text; the key is absent from all others."""


class ShardState(_Part):
    """A shard in `CLUSTERSTATUS`."""

    replicas: dict[str, ReplicaState]
    state: str = "active"
    """`inactive` is the parent of a shard that was split."""


class RouterState(_Part):
    """How a collection deals out its documents."""

    name: str | None = None
    field: str | None = None


class CollectionState(_Part):
    """A collection in `CLUSTERSTATUS`."""

    config_set: str = Field(alias="configName")
    shards: dict[str, ShardState]
    router: RouterState = RouterState()


class LiveNodes(_Part):
    """`CLUSTERSTATUS` of the whole cloud, of which only the live nodes are read."""

    class _Cluster(_Part):
        live_nodes: list[str]

    cluster: _Cluster


class ClusterState(_Part):
    """What a `ClusterStatus` holds of one collection or alias."""

    collections: dict[str, CollectionState] = {}
    aliases: dict[str, str] = {}


class ClusterStatus(_Part):
    """`CLUSTERSTATUS` of one collection or alias."""

    cluster: ClusterState


class SystemInfo(_Part):
    """`/admin/info/system` of one node."""

    class _Lucene(_Part):
        solr_version: str = Field(alias="solr-spec-version")

    class _Jvm(_Part):
        class _Memory(_Part):
            class _Raw(_Part):
                max: int

            raw: _Raw

        class _Jmx(_Part):
            start_time: str = Field(alias="startTime")

        memory: _Memory
        jmx: _Jmx
        name: str = ""
        version: str = ""

    lucene: _Lucene
    jvm: _Jvm


class IndexSize(_Part):
    """The index of a core, as its metrics or its status have it; a core that loads has none."""

    core: str | None = Field(None, alias="CORE.coreName")
    documents: int | None = Field(
        None, validation_alias=AliasChoices("SEARCHER.searcher.numDocs", "numDocs")
    )
    bytes: int | None = Field(
        None, validation_alias=AliasChoices("INDEX.sizeInBytes", "sizeInBytes")
    )
    deleted_documents: int | None = Field(
        None, validation_alias=AliasChoices("SEARCHER.searcher.deletedDocs", "deletedDocs")
    )


INDEX_METRICS = (
    "CORE.coreName,SEARCHER.searcher.numDocs,INDEX.sizeInBytes,SEARCHER.searcher.deletedDocs"
)
"""Prefixes of the metrics of Solr 9 that an `IndexSize` holds."""


class NodeMetrics(_Part):
    """`/admin/metrics` of one node by registry; `responseHeader` beside the nodes has none."""

    metrics: dict[str, IndexSize] = {}


class CoreStatus(_Part):
    """`STATUS` of the cores of one node."""

    class _Core(_Part):
        index: IndexSize = IndexSize()

    status: dict[str, _Core]


class ZooKeeperStatus(_Part):
    """`/admin/zookeeper/status`."""

    class _Status(_Part):
        ensemble_size: int | None = Field(None, alias="ensembleSize")

    status: _Status = Field(alias="zkStatus")


class RequestStatus(_Part):
    """`REQUESTSTATUS` of an asynchronous request."""

    class _Status(_Part):
        state: str
        msg: Any = None

    status: _Status


class ConfigSets(_Part):
    """`LIST` of config sets."""

    names: list[str] = Field(alias="configSets")


class Config(_Part):
    """`/config` of a collection: nested settings by section."""

    config: dict[str, Any]


class ConfigOverlay(_Part):
    """`/config/overlay`: what was set by the Config API."""

    class _Overlay(_Part):
        props: dict[str, Any] = {}

    overlay: _Overlay


class Collections(_Part):
    """`LIST` of collections."""

    collections: list[str]


class UniqueKey(_Part):
    """`/schema/uniquekey`."""

    name: str = Field(alias="uniqueKey")


class Found(_Part):
    """`/select` without rows."""

    class _Response(_Part):
        documents: int = Field(alias="numFound")

    response: _Response


class Files(_Part):
    """A folder of a config set by `/admin/file`."""

    class _File(_Part):
        directory: bool = False

    files: dict[str, _File]


class Fields(_Part):
    """`/admin/luke`: the fields of an index."""

    class _Field(_Part):
        flags: str = Field("", alias="schema")
        documents: int | None = Field(None, alias="docs")

    fields: dict[str, _Field]


class Terms(_Part):
    """`/terms` with `json.nl=flat`: by field, each term before its number of documents."""

    terms: dict[str, list[Any]]


class ResponseHeader(_Part):
    """What stands beside the nodes in a response of them all."""

    status: int


SystemsByNode = RootModel[dict[str, SystemInfo | ResponseHeader]]
"""`/admin/info/system` by node name."""

MetricsByNode = RootModel[dict[str, NodeMetrics]]
"""`/admin/metrics` by node name."""
