"""`spec` of a `SolrBenchmark`: one target, one dataset, one workload, a ladder of steps."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field
from pydantic.alias_generators import to_camel

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.collection import Caches, Collection
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.fields import Bool, Int, Seconds
from solrbench.api.v1alpha1.load.load import Load
from solrbench.api.v1alpha1.load.warm_up import WarmUp
from solrbench.api.v1alpha1.rules.generated import GENERATED_RULES
from solrbench.api.v1alpha1.rules.routing import ROUTING_RULES
from solrbench.api.v1alpha1.target.target import Target
from solrbench.api.v1alpha1.target.variant import STEP_VARIANTS_RULE
from solrbench.api.v1alpha1.workload.locustfile import LOCUSTFILE_RULES
from solrbench.api.v1alpha1.workload.workload import Workload

USES = (
    "(has(self.target.existing) && has(self.target.existing.manageCollection)"
    " && self.target.existing.manageCollection == 'Use')"
)
"""CEL: whether the collection is the user's."""

UNTOUCHED = (
    "self.collection.shards == 1",
    "self.collection.replicas.nrt == 1",
    "self.collection.replicas.tlog == 0",
    "self.collection.replicas.pull == 0",
    "self.collection.router.name == 'compositeId'",
    "!has(self.collection.router.field)",
    "!has(self.collection.configSet.configMap)",
    *(f"!has(self.collection.caches.{to_camel(name)})" for name in Caches.model_fields),
    *(
        f"!has(self.collection.{to_camel(name)})"
        for name, field in Collection.model_fields.items()
        if field.default is None
    ),
)
"""CEL: that nothing in `collection` differs from its default."""


class Cleanup(StrEnum):
    """When the target is deleted after the last step."""

    ALWAYS = "Always"
    ON_SUCCESS = "OnSuccess"
    NEVER = "Never"


class DeadlineSeconds(Model):
    """How long each phase may take before the benchmark fails."""

    provisioning: Seconds = 900
    """Until every Solr node is live and the collection is there."""
    indexing: Seconds = 86_400
    """Until every document is in the index."""
    measuring: Seconds = 604_800
    """Until the last step of the last repeat is stored."""


class Spec(Model):
    """What to measure, and how."""

    target: Target
    """What is measured."""
    collection: Collection = Collection()
    """Shards, replicas, caches."""
    dataset: Dataset | None = None
    """The documents; required, but refused where `target.existing` uses a collection."""
    workload: Workload
    """The requests."""
    warm_up: WarmUp | None = None
    """Load before the ladder, kept apart."""
    load: Load
    """The ladder of load steps."""
    retries: Annotated[Int, Field(ge=0, le=10)] = 2
    """Times that measuring, or everything if Solr lost data, starts again after pods were lost."""
    deadline_seconds: DeadlineSeconds = DeadlineSeconds()
    """Limits per phase."""
    cleanup: Cleanup = Cleanup.ALWAYS
    """When target and pods are deleted; results stay."""
    ttl_seconds_after_finished: Annotated[Int, Field(ge=0, le=315_360_000)] | None = None
    """The whole benchmark, results included, is deleted this long after its end."""
    suspend: Bool = False
    """`true` stops the benchmark and removes its pods; stored results are kept, the rest is run
    when it turns `false`."""

    mutable: ClassVar = frozenset({"cleanup", "ttlSecondsAfterFinished", "suspend"})
    """Fields that may change after creation; a changed topology is a new benchmark."""

    rules: ClassVar = (
        Rule(
            cel=(
                "!has(self.target.solrCloud) || self.collection.replicas.nrt"
                " + self.collection.replicas.tlog + self.collection.replicas.pull"
                " <= self.target.solrCloud.nodes"
            ),
            message=(
                "collection.replicas must not add up to more than target.solrCloud.nodes,"
                " two replicas of a shard on one node protect nothing"
            ),
            is_satisfied=lambda spec: (
                spec.target.solr_cloud is None
                or spec.collection.replicas.total <= spec.target.solr_cloud.nodes
            ),
        ),
        Rule(
            cel=f"{USES} != has(self.dataset)",
            message=(
                "dataset must be set, except with target.existing.manageCollection Use,"
                " which measures a collection as it is"
            ),
            is_satisfied=lambda spec: spec.target.uses_collection != (spec.dataset is not None),
        ),
        Rule(
            cel=f"!{USES} || ({' && '.join(UNTOUCHED)})",
            message=(
                "collection must be left out with target.existing.manageCollection Use,"
                " the collection stays as it is"
            ),
            is_satisfied=lambda spec: (
                not spec.target.uses_collection or spec.collection == Collection()
            ),
        ),
        *GENERATED_RULES,
        STEP_VARIANTS_RULE,
        *ROUTING_RULES,
        *LOCUSTFILE_RULES,
    )
