"""`spec.target`: a SolrCloud that is created, or an existing Solr, and its access variants."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from solrbench.api.rules import ListMap, Matches, Model, Rule, exactly_one
from solrbench.api.solr_versions import TAG_OF_10
from solrbench.api.v1alpha1.fields import (
    HOST_AND_PORT,
    PORT,
    CertificateKey,
    Heap,
    ImageRepository,
    ImageTag,
    Int,
    Labels,
    ObjectName,
    ObjectReference,
    ShortName,
)
from solrbench.api.v1alpha1.pods import Resources, Storage, Toleration, TopologySpread

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


class Tls(Model):
    """TLS settings for connections to Solr."""

    ca_secret: CertificateKey
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
    """`tls` are the certificates trusted for https; the CA bundle of the operator's image when
    absent."""
    collection_policy: CollectionPolicy = CollectionPolicy.CREATE
    """`collectionPolicy` controls which collection is measured. `Create` makes one with the
    benchmark's name and deletes it at the end; `UseExisting` measures `collectionName` as it is,
    and writes to it only if the workload has updates."""
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
        ),
        Rule(
            cel=(
                "!has(self.tls) || !has(self.urls)"
                " || self.urls.all(url, url.startsWith('https://'))"
            ),
            message="urls must all start with https:// when tls is set",
        ),
    )


MAX_VARIANTS = 8

EndpointUrl = Annotated[
    str,
    # Of 8 variants with 64 URLs each: the API server limits what a rule may cost at most.
    StringConstraints(min_length=8, max_length=512),
    Matches(
        rf"https?://{HOST_AND_PORT}(/[^?#\s]*)?",
        "must start with http:// or https:// and a host and end with the path of Solr, without user"
        " and with a port of 1 to 65535 if any, such as http://proxy.search.svc/solr",
    ),
]
"""Base URL of Solr behind which collections are served, without the collection."""


class VariantEndpoint(StrEnum):
    """Endpoints that the operator knows without a URL."""

    NODES = "Nodes"
    SERVICE = "Service"


class Variant(Model):
    """One endpoint of the target."""

    name: ShortName
    """`name` is the name of the variant in results and metrics."""
    endpoint: VariantEndpoint | None = None
    """`endpoint` sends requests directly to the Solr pods, with users distributed evenly over them
    (`Nodes`), or through one Service over all Solr pods (`Service`)."""
    urls: Annotated[list[EndpointUrl], Field(min_length=1, max_length=64)] | None = None
    """`urls` send requests through a proxy or a load balancer of yours: base URLs that end with
    the path of Solr. Users are distributed evenly over them. A host may be the name of a Service
    of `spec.companions`."""

    rules: ClassVar = (exactly_one("endpoint", "urls"),)


VARIANT_COUNT = "(self.target.variants.size() == 0 ? 1 : self.target.variants.size())"
"""CEL: endpoints that all steps of a spec go through."""

MAX_STEP_VARIANTS = 32

# Keeps status, metrics and the plan of the load as small as those of the longest ladder.
STEP_VARIANTS_RULE = Rule(
    cel=f"self.target.variants.size() * self.load.steps.size() <= {MAX_STEP_VARIANTS}",
    message=f"target.variants times load.steps must be at most {MAX_STEP_VARIANTS}",
)


class PullPolicy(StrEnum):
    """When the kubelet pulls an image."""

    ALWAYS = "Always"
    IF_NOT_PRESENT = "IfNotPresent"
    NEVER = "Never"


class Image(Model):
    """A container image by repository and tag."""

    repository: ImageRepository
    """`repository` is the image's repository, with the registry's host unless it is the default
    one."""
    tag: ImageTag
    """`tag` is the image's tag; it is always set, so that a benchmark can be repeated."""
    pull_policy: PullPolicy = PullPolicy.IF_NOT_PRESENT
    """`pullPolicy` controls when the kubelet pulls the image."""

    @property
    def reference(self) -> str:
        """The image as a pod names it."""
        return f"{self.repository}:{self.tag}"


class SolrImage(Image):
    """The Solr image."""

    repository: ImageRepository = "solr"
    """`repository` is the official image or one with the same environment interface."""
    tag: ImageTag = "9.10.1"
    """`tag` is the version of Solr, 9.x or 10.x."""


class ZooKeeperImage(Image):
    """The ZooKeeper image."""

    repository: ImageRepository = "zookeeper"
    """`repository` is the official image or one with the same environment interface."""
    tag: ImageTag = "3.9.4"
    """`tag` is the version of ZooKeeper."""


HEAP_FLAGS = "-Xm[sx]|-XX:(Initial|Max)HeapSize"
"""JVM flags that say the same as `heap` does, in the syntax that RE2 and Python share."""


def no_heap_flags(field: str) -> Rule:
    """Return the rule that JVM flags do not contradict `heap`; the last flag would win."""
    return Rule(
        cel=f"!has(self.{field}) || !self.{field}.matches('{HEAP_FLAGS}')",
        message=f"{field} must not contain -Xms, -Xmx or another heap size, set heap instead",
    )


HEAP_RULE = Rule(
    # What is no quantity has a message of its own; `quantity` of it would add an error of CEL.
    cel=(
        "!has(self.resources) || !has(self.resources.limits)"
        " || !has(self.resources.limits.memory)"
        " || !isQuantity(self.resources.limits.memory) || !isQuantity(self.heap)"
        " || quantity(self.resources.limits.memory).asApproximateFloat()"
        " >= 1.25 * quantity(self.heap).asApproximateFloat()"
    ),
    message="resources.limits.memory must be at least 1.25 times heap",
)
"""For what has `heap` and `resources`.

The quarter above the heap is for threads, metaspace and direct buffers."""


class ZooKeeperMode(StrEnum):
    """Component that runs ZooKeeper."""

    ENSEMBLE = "Ensemble"
    PROVIDED = "Provided"
    EXTERNAL = "External"


ConnectionString = Annotated[
    str,
    StringConstraints(min_length=3, max_length=2048),
    Matches(
        r"[A-Za-z0-9.-]+:[0-9]{1,5}(,[A-Za-z0-9.-]+:[0-9]{1,5})*",
        "must be host:port, more of them after commas and no path,"
        " such as zk-0.zk.search.svc:2181,zk-1.zk.search.svc:2181",
    ),
]

Chroot = Annotated[
    str,
    StringConstraints(min_length=2, max_length=128),
    Matches(
        r"(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+",
        "must be a path that starts with '/' and does not end with it, such as /benchmarks",
    ),
]


class ZooKeeper(Model):
    """The ZooKeeper ensemble of the benchmark."""

    mode: ZooKeeperMode = ZooKeeperMode.ENSEMBLE
    """`mode` controls what runs ZooKeeper: this operator (`Ensemble`), the Solr Operator through
    the ZooKeeper operator (`Provided`), or an existing ensemble (`External`), for which
    `replicas`, `heap`, `image` and `resources` have no meaning."""
    connection_string: ConnectionString | None = None
    """`connectionString` lists the members of the `External` ensemble, by names that resolve in
    every namespace."""
    chroot: Chroot | None = None
    """`chroot` is the path of Solr's state in ZooKeeper; in an `External` ensemble the parent of
    one path for each attempt."""
    replicas: Literal[1, 3, 5, 7] = 1
    """`replicas` is the number of members of the ensemble; odd, so that it can form a majority."""
    heap: Heap = "256Mi"
    """`heap` is the Java heap of each member."""
    image: ZooKeeperImage = ZooKeeperImage()
    """`image` is the image of the members. With `Provided` it is the ZooKeeper operator's own,
    unless a repository other than `zookeeper` is set."""
    resources: Resources = Resources()
    """`resources` are the CPU and memory of each member."""

    rules: ClassVar = (
        HEAP_RULE,
        Rule(
            cel="has(self.connectionString) == (self.mode == 'External')",
            message="must set connectionString when mode is External, and only then",
        ),
    )


class Provisioner(StrEnum):
    """Component that turns the topology into pods."""

    SOLR_OPERATOR = "SolrOperator"
    STATEFUL_SET = "StatefulSet"


class SolrCloud(Model):
    """The SolrCloud topology under test."""

    provisioner: Provisioner = Provisioner.SOLR_OPERATOR
    """`provisioner` controls what creates the pods. `SolrOperator` creates a SolrCloud resource of
    the Apache Solr Operator, which must be installed. `StatefulSet` needs nothing else in the
    cluster."""
    image: SolrImage = SolrImage()
    """`image` is the image of the Solr nodes."""
    image_pull_secrets: Annotated[list[ObjectReference], Field(max_length=8)] = []
    """`imagePullSecrets` name the Secrets with the credentials of the registries of Solr and
    ZooKeeper images."""
    nodes: Annotated[Int, Field(ge=1, le=100)] = 1
    """`nodes` is the number of Solr nodes, one pod each."""
    heap: Heap = "1Gi"
    """`heap` is the Java heap of each node, used for both -Xms and -Xmx."""
    gc_tune: Annotated[str, StringConstraints(max_length=2048)] | None = None
    """`gcTune` are the garbage-collector flags, in place of the image's (Solr's `GC_TUNE`)."""
    solr_opts: Annotated[str, StringConstraints(max_length=4096)] | None = None
    """`solrOpts` are further JVM flags such as `-Dname=value` (Solr's `SOLR_OPTS`)."""
    resources: Resources = Resources()
    """`resources` are the CPU and memory of each node."""
    storage: Storage = Storage()
    """`storage` is the storage of the index."""
    node_selector: Labels = {}
    """`nodeSelector` are the labels that a Kubernetes node must have to run Solr or ZooKeeper."""
    tolerations: Annotated[list[Toleration], Field(max_length=16)] = []
    """`tolerations` are the tolerations of the Solr and ZooKeeper pods."""
    topology_spread: TopologySpread = TopologySpread()
    """`topologySpread` controls how Solr pods, and ZooKeeper pods, are spread over the cluster."""
    zookeeper: ZooKeeper = ZooKeeper()
    """`zookeeper` is the ZooKeeper ensemble of this SolrCloud."""

    rules: ClassVar = (
        HEAP_RULE,
        no_heap_flags("gcTune"),
        no_heap_flags("solrOpts"),
        Rule(
            cel=(
                "self.provisioner != 'SolrOperator'"
                f" || !self.image.tag.matches('^(?:{TAG_OF_10})$')"
            ),
            message=(
                "image.tag must not be of Solr 10 with provisioner SolrOperator, whose solr.xml"
                " has hostContext and genericCoreNodeNames, with which Solr 10 does not start; set"
                " provisioner to StatefulSet"
            ),
        ),
        Rule(
            cel="self.zookeeper.mode != 'Provided' || self.provisioner == 'SolrOperator'",
            message=(
                "zookeeper.mode must not be Provided with provisioner StatefulSet, only the Solr"
                " Operator provides one; use Ensemble or External"
            ),
        ),
    )


class Target(Model):
    """The SolrCloud that is measured."""

    solr_cloud: SolrCloud | None = None
    """`solrCloud` is a SolrCloud created for this benchmark and deleted after it."""
    existing: Existing | None = None
    """`existing` is an existing Solr that the operator neither creates nor deletes."""

    variants: Annotated[list[Variant], Field(max_length=MAX_VARIANTS), ListMap("name")] = []
    """`variants` are endpoints of the target. Every repeat runs all steps through each endpoint,
    and the others are compared with the first. A single one is what all requests go through.
    Requests go directly to the Solr nodes when empty."""

    rules: ClassVar = (
        exactly_one("solrCloud", "existing"),
        Rule(
            cel=(
                "has(self.solrCloud)"
                " || self.variants.all(v, !has(v.endpoint) || v.endpoint != 'Service')"
            ),
            message=(
                "variants must not have the endpoint Service with target.existing, whose Services"
                " are unknown; set urls instead"
            ),
        ),
    )

    @property
    def uses_collection(self) -> bool:
        """Whether the collection is the user's: it is not created, indexed or deleted."""
        existing = self.existing
        return existing is not None and existing.collection_policy is CollectionPolicy.USE_EXISTING
