"""`spec.dataset`: the documents, where they come from, and how they are indexed."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Matches, Model, Rule, exactly_one, not_with
from solrbench.api.v1alpha1.fields import (
    HOST_AND_PORT,
    SEED_OF_SPEC,
    Bool,
    CertificateKey,
    FieldName,
    FileName,
    FilePath,
    Int,
    ObjectName,
    ObjectReference,
    Seed,
    Url,
    ZipfExponent,
    at_least,
)
from solrbench.api.v1alpha1.pods import ResourceAmounts, Resources

Sha256 = Annotated[
    str,
    StringConstraints(min_length=64, max_length=64),
    Matches(r"[0-9a-f]{64}", "must be a SHA-256 in 64 lower-case hexadecimal digits"),
]

ProxyUrl = Annotated[
    str,
    StringConstraints(min_length=8, max_length=512),
    Matches(
        rf"http://{HOST_AND_PORT}/?",
        "must be the URL of an HTTP proxy without user and path, such as"
        " http://proxy.example.org:3128",
    ),
]


class TokenKey(ObjectReference):
    """One key of a Secret with a token."""

    key: FileName = "token"
    """`key` is the key of the Secret."""


class DownloadAuth(Model):
    """Credentials of a download, by reference."""

    basic_secret: ObjectReference | None = None
    """`basicSecret` names a Secret with the keys `username` and `password`."""
    bearer_secret: TokenKey | None = None
    """`bearerSecret` is a Secret key with a token."""

    rules: ClassVar = (exactly_one("basicSecret", "bearerSecret"),)


class DownloadTls(Model):
    """CA certificates, in PEM; no others are trusted."""

    ca_config_map: CertificateKey | None = None
    """`caConfigMap` is a ConfigMap key with the certificates."""
    ca_secret: CertificateKey | None = None
    """`caSecret` is a Secret key with the certificates."""

    rules: ClassVar = (exactly_one("caConfigMap", "caSecret"),)


class Http(Model):
    """Files fetched over HTTP; a `.gz` file is unpacked while it is read."""

    urls: Annotated[list[Url], Field(min_length=1, max_length=256)]
    """`urls` are the files to read. Each index pod downloads its own; pods that outnumber the files
    share one."""
    sha256: Annotated[list[Sha256], Field(min_length=1, max_length=256)] | None = None
    """`sha256` are the digests of the files as downloaded, in the order of `urls`. A file that
    differs ends the benchmark."""
    auth: DownloadAuth | None = None
    """`auth` are the credentials for the hosts of `urls`; no other host gets them."""
    tls: DownloadTls | None = None
    """`tls` are the certificates trusted for https; the CA bundle of the operator's image when
    absent."""
    proxy_url: ProxyUrl | None = None
    """`proxyUrl` is an HTTP proxy through which all files are downloaded."""
    max_gibibytes: Annotated[Int, Field(ge=1, le=1_048_576)] = 1024
    """`maxGibibytes` limits each file, as downloaded and again when decompressed, in GiB."""

    @property
    def secret_fields(self) -> tuple[str, ...]:
        """Paths of the fields that refer to Secrets."""
        has_ca = self.tls is not None and self.tls.ca_secret is not None
        fields = {"auth": self.auth is not None, "tls.caSecret": has_ca}
        return tuple(f"spec.dataset.http.{name}" for name, is_set in fields.items() if is_set)

    rules: ClassVar = (
        Rule(
            cel="!has(self.sha256) || self.sha256.size() == self.urls.size()",
            message="sha256 must have one digest for each of urls, in their order",
        ),
    )


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
    seed: Seed = SEED_OF_SPEC
    """`seed` is the seed of the documents. Defaults to `spec.seed`."""
    vocabulary_terms: Annotated[Int, Field(ge=100, le=5_000_000)] = 50_000
    """`vocabularyTerms` is the number of distinct words of the text; they follow Zipf's law."""
    zipf_exponent: ZipfExponent = 1.0
    """`zipfExponent` is the exponent of Zipf's law, at least 0.5."""
    words_per_document: Annotated[Int, Field(ge=1, le=10_000)] = 60
    """`wordsPerDocument` is the median length of the text in words; lengths are log-normal."""
    route_prefixes: Annotated[Int, Field(ge=0, le=65_536)] = 0
    """`routePrefixes` is the number of id prefixes (`p0!`, `p1!` and so on), drawn uniformly at
    random: documents with the same prefix are in the same shard."""

    rules: ClassVar = (at_least("zipfExponent", 0.5),)


class PersistentVolumeClaim(Model):
    """Files on an existing volume, which is mounted read-only."""

    claim_name: ObjectName
    """`claimName` is the name of the claim in the benchmark's namespace."""
    paths: Annotated[list[FilePath], Field(min_length=1, max_length=256)]
    """`paths` are the files to read, in this order; `*` and `?` match within one folder."""


class ConfigMapFiles(ObjectReference):
    """Small files kept in a ConfigMap of the benchmark's namespace."""

    keys: Annotated[list[FileName], Field(min_length=1, max_length=256)]
    """`keys` are the keys to read, in this order."""


class Indexing(Model):
    """Settings of the Job that sends the documents to Solr."""

    pods: Annotated[Int, Field(ge=1, le=64)] = 1
    """`pods` is the number of pods of the index Job, each of which sends a part."""
    concurrency: Annotated[Int, Field(ge=1, le=64)] = 2
    """`concurrency` is the number of update requests in flight of a pod."""
    batch_size: Annotated[Int, Field(ge=1, le=100_000)] = 1000
    """`batchSize` is the number of documents in one update request."""
    batch_retries: Annotated[Int, Field(ge=0, le=20)] = 5
    """`batchRetries` limits how often one batch is sent again after a response that may be
    temporary (404, 408, 409, 425, 429, 5xx, connection lost)."""
    prepared: Bool = False
    """`prepared` makes all batches before the first one is sent, so that the time of indexing has
    no reading in it. A pod keeps them in memory, at most 1 GiB: raise `resources` accordingly."""
    max_segments: Annotated[Int, Field(ge=1, le=1000)] | None = None
    """`maxSegments` merges each shard down to this many segments after indexing, for repeatable
    query times."""
    resources: Resources = Resources(requests=ResourceAmounts(cpu="250m", memory="256Mi"))
    """`resources` are the CPU and memory of each index pod."""


class ControlCharacters(StrEnum):
    """What becomes of control characters."""

    KEEP = "Keep"
    REMOVE = "Remove"
    SPACE = "Space"


class InvalidBytes(StrEnum):
    """What becomes of bytes that are no UTF-8."""

    REFUSE = "Refuse"
    REPLACE = "Replace"
    REMOVE = "Remove"


class Markup(StrEnum):
    """What becomes of markup."""

    KEEP = "Keep"
    REMOVE = "Remove"


class Cleaning(Model):
    """What is cleaned in files before they are indexed; nothing by default."""

    control_characters: ControlCharacters = ControlCharacters.KEEP
    """`controlCharacters` removes control characters and noncharacters of Unicode other than tab
    and line ends, or replaces each by a space."""
    invalid_bytes: InvalidBytes = InvalidBytes.REFUSE
    """`invalidBytes` replaces bytes that are no UTF-8 by U+FFFD, or removes them; `Refuse` ends
    the benchmark with file and line."""
    markup: Markup = Markup.KEEP
    """`markup` removes tags and comments of HTML and XML in values, with a space between words,
    and replaces character references such as `&amp;` by their character."""


class Backup(Model):
    """A backup that Solr's BACKUP made of a collection with as many shards."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    """`name` is the name of the backup (Solr's `name`)."""
    claim_name: ObjectName | None = None
    """`claimName` is the claim with the backup, which every Solr pod mounts read-only."""
    location: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = None
    """`location` is the folder of the backup: on the claim, its root when absent, or on the nodes
    of `target.existing`."""
    repository: Annotated[str, StringConstraints(min_length=1, max_length=255)] | None = None
    """`repository` is the repository in solr.xml of `target.existing`; its default when absent."""
    backup_id: Annotated[Int, Field(ge=0, le=2**31 - 1)] | None = None
    """`backupId` is the backup point; the latest when absent."""

    rules: ClassVar = (
        Rule(
            cel="has(self.claimName) ? !has(self.repository) : has(self.location)",
            message="must set claimName without repository, or location",
        ),
    )


_SENDS_AS_DEFAULT = " && ".join(
    f"self.indexing.{field.alias} == {str(field.default).lower()}"
    for field in Indexing.model_fields.values()
    if isinstance(field.default, int)
)
"""CEL: that no setting of the index Job is set, but for its resources."""


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
    backup: Backup | None = None
    """`backup` restores a backup in place of indexing."""
    format: Format = Format.AUTO
    """`format` is the format of the files; `Auto` chooses by the file name: .json, .jsonl,
    .ndjson, .csv, .xml."""
    id_field: FieldName = "id"
    """`idField` is the unique key of the schema. Documents without it get their file and position
    as id."""
    first_documents: Annotated[Int, Field(ge=1, le=10_000_000_000)] | None = None
    """`firstDocuments` indexes only this many documents, the first in the order of the files and of
    the documents in them, whatever the number of pods."""
    expected_documents: Annotated[Int, Field(ge=1, le=10_000_000_000)] | None = None
    """`expectedDocuments` is the number of documents that must be in the index afterwards; when
    absent, the number sent, or any of a backup. Set it for data that repeats ids on purpose."""
    cleaning: Cleaning | None = None
    """`cleaning` removes control characters, broken encodings and markup from files."""
    indexing: Indexing = Indexing()
    """`indexing` controls how the documents are sent."""

    rules: ClassVar[tuple[Rule, ...]] = (
        exactly_one("generator", "http", "persistentVolumeClaim", "configMap", "backup"),
        Rule(
            cel=(
                "!has(self.backup) || !has(self.cleaning) && !has(self.firstDocuments)"
                " && self.format == 'Auto' && !has(self.indexing.maxSegments)"
                f" && {_SENDS_AS_DEFAULT}"
            ),
            message=(
                "backup must go without format, firstDocuments, cleaning and indexing, Solr copies"
                " the index as it is; remove them"
            ),
        ),
        not_with("cleaning", "generator", "whose documents are clean; remove it"),
        Rule(
            cel=(
                "!has(self.firstDocuments) || !has(self.generator)"
                " || self.firstDocuments <= self.generator.documents"
            ),
            message="firstDocuments must be at most generator.documents",
        ),
        Rule(
            cel=(
                "!has(self.firstDocuments) || !has(self.expectedDocuments)"
                " || self.expectedDocuments <= self.firstDocuments"
            ),
            message="expectedDocuments must be at most firstDocuments",
        ),
    )

    @property
    def indexed_generator(self) -> Generator | None:
        """The generated documents that are indexed: no more than `firstDocuments`."""
        if self.generator is None or self.first_documents is None:
            return self.generator
        return self.generator.model_copy(update={"documents": self.first_documents})
