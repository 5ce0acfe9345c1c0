"""`spec.target.existing`: an existing Solr, which the operator neither creates nor deletes."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Matches, Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import PORT, FileName, ObjectName, ObjectReference

SolrUrl = Annotated[
    str,
    StringConstraints(min_length=8, max_length=512),
    Matches(
        r"https?://([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])"
        rf"(:{PORT})?(/[-A-Za-z0-9._~]+)*",
        "must be the base URL of Solr without user, query and last slash, with a port of 1 to"
        " 65535 if any, such as http://search:8983/solr",
    ),
]
"""Base URL of a Solr node, or of a proxy in front of it."""

CollectionName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=255),
    Matches(
        r"[A-Za-z0-9_.][A-Za-z0-9_.-]*",
        "must be the name of a collection: letters, digits, '_', '.' and '-', such as books",
    ),
]
"""Name of a collection or of an alias, as Solr allows it."""


class CollectionPolicy(StrEnum):
    """Origin of the collection that is measured."""

    CREATE = "Create"
    USE_EXISTING = "UseExisting"


class BasicAuth(Model):
    """User and password, by reference."""

    secret: ObjectReference
    """`secret` names a Secret with the keys `username` and `password`, such as one of type
    kubernetes.io/basic-auth."""


class SecretKey(Model):
    """One key of a Secret in the benchmark's namespace."""

    name: ObjectName
    """`name` is the name of the Secret."""
    key: FileName = "ca.crt"
    """`key` is the key of the Secret."""


class Tls(Model):
    """TLS settings for connections to Solr."""

    ca_secret: SecretKey
    """`caSecret` is a Secret key with the CA certificates, in PEM, that are trusted; no others
    are."""


class Existing(Model):
    """An existing Solr that the operator neither creates nor deletes."""

    urls: Annotated[list[SolrUrl], Field(min_length=1, max_length=100)] | None = None
    """`urls` are the base URLs of the nodes, or of a proxy or load balancer in front of them.
    Users are distributed evenly over them. A host without a dot is a Service in the benchmark's
    namespace."""
    solr_cloud_name: ObjectName | None = None
    """`solrCloudName` is a SolrCloud of the Solr Operator in the benchmark's namespace; requests go
    to every node."""
    basic_auth: BasicAuth | None = None
    """`basicAuth` are the credentials sent with every request."""
    tls: Tls | None = None
    """`tls` controls which certificates are trusted for https; the CA bundle of the operator's
    image when absent."""
    collection_policy: CollectionPolicy = CollectionPolicy.CREATE
    """`collectionPolicy` controls which collection is measured. `Create` makes one with the
    benchmark's name and deletes it at the end; `UseExisting` measures the collection
    `collectionName` as it is, and writes to it only if the workload has updates."""
    collection_name: CollectionName | None = None
    """`collectionName` is the collection, or alias, that `UseExisting` measures."""

    rules: ClassVar = (
        exactly_one("urls", "solrCloudName"),
        Rule(
            cel="(self.collectionPolicy == 'UseExisting') == has(self.collectionName)",
            message=(
                "collectionName must be set with collectionPolicy UseExisting, and only then;"
                " with Create the collection has the benchmark's name"
            ),
            is_satisfied=lambda e: e.uses_collection == (e.collection_name is not None),
        ),
        Rule(
            cel=(
                "!has(self.tls) || !has(self.urls)"
                " || self.urls.all(url, url.startsWith('https://'))"
            ),
            message="urls must all start with https:// when tls is set",
            is_satisfied=lambda e: (
                e.tls is None or all(url.startswith("https://") for url in e.urls or [])
            ),
        ),
    )

    @property
    def uses_collection(self) -> bool:
        """Whether the collection is the user's: it is not created, indexed or deleted."""
        return self.collection_policy is CollectionPolicy.USE_EXISTING
