"""`spec.dataset`: the documents and how they are indexed."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.download import Http
from solrbench.api.v1alpha1.fields import (
    FieldName,
    FileName,
    FilePath,
    Int,
    ObjectName,
    Seed,
    ZipfExponent,
    at_least,
)
from solrbench.api.v1alpha1.pod.pods import ResourceAmounts, Resources
from solrbench.api.v1alpha1.seeds import default_seed

INDEX_RESOURCES = Resources(requests=ResourceAmounts(cpu="250m", memory="256Mi"))


class Format(StrEnum):
    """Format of a file of documents."""

    AUTO = "Auto"
    JSON = "JSON"
    JSONL = "JSONL"
    CSV = "CSV"
    XML = "XML"


class Generator(Model):
    """A generated dataset: text, facets, dates and numbers with realistic skew, from a seed."""

    documents: Annotated[Int, Field(ge=1, le=10_000_000_000)]
    """`documents` is the number of documents to generate."""
    seed: Seed = Field(default_factory=default_seed)
    """`seed` makes the documents repeatable: the same seed gives the same documents. Defaults to
    `spec.seed`."""
    vocabulary_terms: Annotated[Int, Field(ge=100, le=5_000_000)] = 50_000
    """`vocabularyTerms` is the number of distinct words of the text; they follow Zipf's law."""
    zipf_exponent: ZipfExponent = 1.0
    """`zipfExponent` is the exponent of Zipf's law, at least 0.5; the larger, the more frequent
    are the most frequent words."""
    words_per_document: Annotated[Int, Field(ge=1, le=10_000)] = 60
    """`wordsPerDocument` is the median length of the text in words; lengths are log-normal."""
    route_prefixes: Annotated[Int, Field(ge=0, le=65_536)] = 0
    """`routePrefixes` is the number of id prefixes (`p0!`, `p1!` and so on), drawn uniformly at
    random: documents with the same prefix are in the same shard. Ids have no prefix when 0."""

    rules: ClassVar = (at_least("zipfExponent", 0.5),)


class PersistentVolumeClaim(Model):
    """Files on an existing volume, which is mounted read-only."""

    claim_name: ObjectName
    """`claimName` is the name of the claim in the benchmark's namespace."""
    paths: Annotated[list[FilePath], Field(min_length=1, max_length=256)]
    """`paths` are the files to read, in this order; `*` and `?` match within one folder."""


class ConfigMapFiles(Model):
    """Small files kept in a ConfigMap."""

    name: ObjectName
    """`name` is the name of the ConfigMap in the benchmark's namespace."""
    keys: Annotated[list[FileName], Field(min_length=1, max_length=256)]
    """`keys` are the keys to read, in this order."""


class Indexing(Model):
    """Settings of the Job that sends the documents to Solr."""

    pods: Annotated[Int, Field(ge=1, le=64)] = 1
    """`pods` is the number of pods of the index Job, each of which sends a part."""
    concurrency: Annotated[Int, Field(ge=1, le=64)] = 2
    """`concurrency` is the number of update requests that one pod has in flight."""
    batch_size: Annotated[Int, Field(ge=1, le=100_000)] = 1000
    """`batchSize` is the number of documents in one update request."""
    batch_retries: Annotated[Int, Field(ge=0, le=20)] = 5
    """`batchRetries` limits how often one batch is sent again after a response that may be
    temporary (429, 5xx, connection lost)."""
    max_segments: Annotated[Int, Field(ge=1, le=1000)] | None = None
    """`maxSegments` merges each shard down to this many segments after indexing, for repeatable
    query times. Segments stay as they are when absent."""
    resources: Resources = INDEX_RESOURCES
    """`resources` are the CPU and memory of each pod of the index Job."""


class Dataset(Model):
    """The documents to index."""

    generator: Generator | None = None
    """`generator` makes the documents from a seed."""
    http: Http | None = None
    """`http` fetches the documents from URLs."""
    persistent_volume_claim: PersistentVolumeClaim | None = None
    """`persistentVolumeClaim` reads the documents from an existing volume."""
    config_map: ConfigMapFiles | None = None
    """`configMap` reads the documents from a ConfigMap."""
    format: Format = Format.AUTO
    """`format` is the format of the files; `Auto` chooses by the file name: .json, .jsonl,
    .ndjson, .csv, .xml."""
    id_field: FieldName = "id"
    """`idField` is the unique key of the schema. Documents without it get their file and position
    as id."""
    first_documents: Annotated[Int, Field(ge=1, le=10_000_000_000)] | None = None
    """`firstDocuments` indexes only this many documents, the first of the dataset in the order of
    its files and of the documents in them, whatever the number of pods: the first 1000 are among
    the first 2000. All documents are indexed when absent."""
    expected_documents: Annotated[Int, Field(ge=1, le=10_000_000_000)] | None = None
    """`expectedDocuments` is the number of documents that must be in the index afterwards; the
    number sent when absent. Set it for data that repeats ids on purpose."""
    indexing: Indexing = Indexing()
    """`indexing` controls how the documents are sent."""

    rules: ClassVar[tuple[Rule, ...]] = (
        exactly_one("generator", "http", "persistentVolumeClaim", "configMap"),
        Rule(
            cel=(
                "!has(self.firstDocuments) || !has(self.generator)"
                " || self.firstDocuments <= self.generator.documents"
            ),
            message="firstDocuments must be at most generator.documents",
            is_satisfied=lambda dataset: (
                dataset.first_documents is None
                or dataset.generator is None
                or dataset.first_documents <= dataset.generator.documents
            ),
        ),
        Rule(
            cel=(
                "!has(self.firstDocuments) || !has(self.expectedDocuments)"
                " || self.expectedDocuments <= self.firstDocuments"
            ),
            message="expectedDocuments must be at most firstDocuments",
            is_satisfied=lambda dataset: (
                dataset.first_documents is None
                or dataset.expected_documents is None
                or dataset.expected_documents <= dataset.first_documents
            ),
        ),
    )

    @property
    def indexed_generator(self) -> Generator | None:
        """The generated documents that are indexed: no more than `firstDocuments`."""
        if self.generator is None or self.first_documents is None:
            return self.generator
        return self.generator.model_copy(update={"documents": self.first_documents})
