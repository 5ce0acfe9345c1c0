"""`spec.dataset`: the documents and how they are indexed."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.fields import FieldName, FileName, FilePath, Int, ObjectName, Seed, Url
from solrbench.api.v1alpha1.pods import ResourceAmounts, Resources

INDEX_RESOURCES = Resources(requests=ResourceAmounts(cpu="250m", memory="256Mi"))


class Format(StrEnum):
    """Format of a file of documents."""

    AUTO = "Auto"
    JSON = "JSON"
    JSONL = "JSONL"
    CSV = "CSV"
    XML = "XML"


class Generator(Model):
    """Documents made from a seed: text, facets, dates and numbers with realistic skew."""

    documents: Annotated[Int, Field(ge=1, le=10_000_000_000)]
    """Documents to make."""
    seed: Seed = 1
    """The same seed makes the same documents."""
    vocabulary_terms: Annotated[Int, Field(ge=100, le=5_000_000)] = 50_000
    """Distinct words of the text; they follow Zipf's law."""
    zipf_exponent_permille: Annotated[Int, Field(ge=500, le=3000)] = 1000
    """Exponent of Zipf's law in thousandths."""
    words_per_document: Annotated[Int, Field(ge=1, le=10_000)] = 60
    """Median length of the text; lengths are log-normal."""
    route_prefixes: Annotated[Int, Field(ge=0, le=65_536)] = 0
    """Ids begin with one of so many prefixes, `p0!`, `p1!` and so on, drawn evenly: documents with
    the same prefix are in the same shard. No prefix when 0."""


class Http(Model):
    """Files fetched over HTTP; a `.gz` file is unpacked while it is read."""

    urls: Annotated[
        list[Url],
        Field(min_length=1, max_length=256),
    ]
    """Files to read, in this order."""


class PersistentVolumeClaim(Model):
    """Files on a volume that exists already; it is mounted read-only."""

    claim_name: ObjectName
    """Name of the claim in the benchmark's namespace."""
    paths: Annotated[list[FilePath], Field(min_length=1, max_length=256)]
    """Files to read, in this order; `*` and `?` match within one folder."""


class ConfigMapFiles(Model):
    """Small files kept in a ConfigMap."""

    name: ObjectName
    """Name of the ConfigMap in the benchmark's namespace."""
    keys: Annotated[list[FileName], Field(min_length=1, max_length=256)]
    """Keys to read, in this order."""


class Indexing(Model):
    """How the documents are sent to Solr."""

    pods: Annotated[Int, Field(ge=1, le=64)] = 1
    """Pods of the index Job."""
    streams: Annotated[Int, Field(ge=1, le=64)] = 2
    """Batches that one pod has under way at once."""
    batch_documents: Annotated[Int, Field(ge=1, le=100_000)] = 1000
    """Documents in one update request."""
    retries: Annotated[Int, Field(ge=0, le=20)] = 5
    """Times a batch is sent again after an answer that may pass (429, 5xx, connection lost)."""
    max_segments: Annotated[Int, Field(ge=1, le=1000)] | None = None
    """Merge each shard down to this many segments after indexing, for repeatable query times."""
    resources: Resources = INDEX_RESOURCES
    """CPU and memory of each pod."""


class Dataset(Model):
    """The documents."""

    generator: Generator | None = None
    """Made from a seed."""
    http: Http | None = None
    """Fetched from URLs."""
    persistent_volume_claim: PersistentVolumeClaim | None = None
    """Read from a volume."""
    config_map: ConfigMapFiles | None = None
    """Read from a ConfigMap."""
    format: Format = Format.AUTO
    """Format of the files; `Auto` goes by the ending: .json, .jsonl, .ndjson, .csv, .xml."""
    id_field: FieldName = "id"
    """Unique key of the schema. Documents without it get their file and position as id."""
    expected_documents: Annotated[Int, Field(ge=1, le=10_000_000_000)] | None = None
    """Documents that must be in the index; the number sent when absent. Set it for data that
    repeats ids on purpose."""
    indexing: Indexing = Indexing()
    """How they are sent."""

    rules: ClassVar = (exactly_one("generator", "http", "persistentVolumeClaim", "configMap"),)
