"""What is read of Solr's responses, as of Solr 9.10 and 10.0; all else in them is ignored.

A URL may lead to another server, and the image of a Solr hold anything: `SolrClient` checks each
response against one of these models before any of it is used.
"""

from typing import Any

from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, RootModel


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True)


def _at(*path: str, **default: Any) -> Any:
    """Return a field that stands at a path of the response."""
    return Field(validation_alias=AliasPath(*path), **default)


class ReplicaState(_Part):
    """A replica in `CLUSTERSTATUS`; `leader` is the text `true`, and absent from all others."""

    core: str
    node_name: str
    base_url: str
    state: str
    type: str = "NRT"
    leader: str = ""


class ShardState(_Part):
    """A shard in `CLUSTERSTATUS`; one that was split stays, as `inactive`."""

    replicas: dict[str, ReplicaState]
    state: str = "active"


class RouterState(_Part):
    """How a collection deals out its documents."""

    name: str | None = None
    field: str | None = None


class CollectionState(_Part):
    """A collection in `CLUSTERSTATUS`."""

    config_set: str = _at("configName")
    shards: dict[str, ShardState]
    router: RouterState = RouterState()


class LiveNodes(_Part):
    """`CLUSTERSTATUS` of the whole cloud, of which only the live nodes are read."""

    names: list[str] = _at("cluster", "live_nodes")


class ClusterState(_Part):
    """What a `ClusterStatus` holds of one collection or alias."""

    collections: dict[str, CollectionState] = {}
    aliases: dict[str, str] = {}


class ClusterStatus(_Part):
    """`CLUSTERSTATUS` of one collection or alias."""

    cluster: ClusterState


class SystemInfo(_Part):
    """`/admin/info/system` of one node."""

    solr_version: str = _at("lucene", "solr-spec-version")
    heap_max_bytes: int = _at("jvm", "memory", "raw", "max")
    started: str = _at("jvm", "jmx", "startTime")
    jvm_name: str = _at("jvm", "name", default="")
    jvm_version: str = _at("jvm", "version", default="")


class ResponseHeader(_Part):
    """What stands beside the nodes in a response of them all."""

    status: int


SystemsByNode = RootModel[dict[str, SystemInfo | ResponseHeader]]
"""`/admin/info/system` by node name."""


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


MetricsByNode = RootModel[dict[str, NodeMetrics]]
"""`/admin/metrics` by node name."""


class CoreState(_Part):
    """A core in the response to `STATUS`."""

    index: IndexSize = IndexSize()


class CoreStatus(_Part):
    """`STATUS` of the cores of one node."""

    cores: dict[str, CoreState] = _at("status")


class ZooKeeperStatus(_Part):
    """`/admin/zookeeper/status`."""

    ensemble_size: int | None = _at("zkStatus", "ensembleSize", default=None)


class RequestStatus(_Part):
    """`REQUESTSTATUS` of an asynchronous request."""

    state: str = _at("status", "state")
    message: Any = _at("status", "msg", default=None)


class ConfigSets(_Part):
    """`LIST` of config sets."""

    names: list[str] = _at("configSets")


class Config(_Part):
    """`/config` of a collection: nested settings by section."""

    sections: dict[str, Any] = _at("config")


class ConfigOverlay(_Part):
    """`/config/overlay`: what was set by the Config API."""

    overlay: dict[str, Any]

    @property
    def properties(self) -> dict[str, Any]:
        """Return what was set, nested; nothing if there is none of it."""
        found = self.overlay.get("props")
        return found if isinstance(found, dict) else {}


class Collections(_Part):
    """`LIST` of collections."""

    names: list[str] = _at("collections")


class UniqueKey(_Part):
    """`/schema/uniquekey`."""

    name: str = _at("uniqueKey")


class Found(_Part):
    """`/select` without rows."""

    documents: int = _at("response", "numFound")


class File(_Part):
    """A file or folder in `Files`."""

    directory: bool = False


class Files(_Part):
    """A folder of a config set by `/admin/file`."""

    files: dict[str, File]


class IndexField(_Part):
    """A field in `Fields`, with the documents that have a word in it."""

    flags: str = _at("schema", default="")
    documents: int | None = _at("docs", default=None)


class Fields(_Part):
    """`/admin/luke`: the fields of an index."""

    fields: dict[str, IndexField]


class Terms(_Part):
    """`/terms` with `json.nl=flat`: by field, each term before its number of documents."""

    terms: dict[str, list[Any]]
