"""`spec.target.existing`: a Solr that is there already and stays."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Matches, Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import FileName, ObjectName

SolrUrl = Annotated[
    str,
    StringConstraints(min_length=8, max_length=512),
    Matches(
        r"https?://([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
        r"(/[-A-Za-z0-9._~]+)*",
        "must be the base URL of Solr without user, query and last slash,"
        " such as http://search:8983/solr",
    ),
]
"""Base URL of a Solr node, or of what stands in front of it."""

CollectionName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=255),
    Matches(
        r"[A-Za-z0-9_.][A-Za-z0-9_.-]*",
        "must be the name of a collection: letters, digits, '_', '.' and '-', such as books",
    ),
]
"""Name of a collection or of an alias, as Solr allows it."""


class ManageCollection(StrEnum):
    """Whose collection is measured."""

    CREATE = "Create"
    USE = "Use"


class BasicAuth(Model):
    """User and password, by reference."""

    secret_name: ObjectName
    """Secret in the benchmark's namespace with the keys `username` and `password`, as those of
    type kubernetes.io/basic-auth have."""


class SecretKey(Model):
    """One key of a Secret in the benchmark's namespace."""

    name: ObjectName
    """Name of the Secret."""
    key: FileName = "ca.crt"
    """Key of the Secret."""


class Tls(Model):
    """How Solr proves who it is."""

    ca_secret: SecretKey
    """Certificates, in PEM, of the authorities that are trusted; no others are."""


class Existing(Model):
    """A Solr that this operator neither makes nor deletes."""

    urls: Annotated[list[SolrUrl], Field(min_length=1, max_length=100)] | None = None
    """Base URLs of the nodes, or of a proxy or load balancer in front of them. Users are spread
    over them evenly. A host without a dot is a Service in the benchmark's namespace."""
    solr_cloud_name: ObjectName | None = None
    """SolrCloud of the Solr Operator in the benchmark's namespace; every node is asked."""
    basic_auth: BasicAuth | None = None
    """Credentials, sent with every request."""
    tls: Tls | None = None
    """Trust for https; without it, the authorities that the operator's image knows."""
    manage_collection: ManageCollection = ManageCollection.CREATE
    """`Create` makes a collection of the benchmark's own name and deletes it at the end; `Use`
    only reads one that is there."""
    collection_name: CollectionName | None = None
    """Collection to be read with `Use`."""

    rules: ClassVar = (
        exactly_one("urls", "solrCloudName"),
        Rule(
            cel="(self.manageCollection == 'Use') == has(self.collectionName)",
            message=(
                "collectionName must be set with manageCollection Use, and only then;"
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
        """Whether the collection is the user's, and so is never written to."""
        return self.manage_collection is ManageCollection.USE
