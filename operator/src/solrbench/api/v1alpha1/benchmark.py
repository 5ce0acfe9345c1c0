"""The `SolrBenchmark` resource, and its `spec`: target, dataset, workload and steps."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from solrbench.api.rules import ADMITTED, LenientModel, ListMap, Model, Rule
from solrbench.api.v1alpha1.arrivals import REPLAY_RULE, WarmUp
from solrbench.api.v1alpha1.collection import MAX_COMPANIONS, Caches, Collection, Companion
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.fields import DEFAULT_SEED, Bool, Int, Seconds, Seed, pass_seed_on
from solrbench.api.v1alpha1.load import Load
from solrbench.api.v1alpha1.objectives import MAX_OBJECTIVES, ComparisonSpec, Objective
from solrbench.api.v1alpha1.pod_options import PodOptions
from solrbench.api.v1alpha1.result_rules import OBJECTIVE_RULES, REPEAT_RULES, SIZE_RULES
from solrbench.api.v1alpha1.results import Results
from solrbench.api.v1alpha1.spec_rules import (
    BACKUP_RULE,
    DURATION_RULE,
    GENERATED_RULES,
    INDEXING_RULES,
    POD_OPTION_RULES,
    ROUTING_RULES,
)
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.target import STEP_VARIANTS_RULE, Target
from solrbench.api.v1alpha1.validity import Diagnostics
from solrbench.api.v1alpha1.workload import LOCUSTFILE_RULES, Workload

USES = (
    "(has(self.target.existing) && has(self.target.existing.collectionPolicy)"
    " && self.target.existing.collectionPolicy == 'UseExisting')"
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
    # What has a default is filled in by the API server, and so compared above.
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


class Deadlines(Model):
    """Time limits of the phases; a benchmark that exceeds one fails."""

    provisioning_seconds: Seconds = 900
    """`provisioningSeconds` limits the time until every Solr node is live and the collection
    exists."""
    starting_seconds: Seconds = 600
    """`startingSeconds` limits the time until the pods that index, or generate load, run; those
    that cannot start would keep other benchmarks waiting."""
    indexing_seconds: Seconds = 86_400
    """`indexingSeconds` limits the time until every document is in the index."""
    measuring_seconds: Seconds = 604_800
    """`measuringSeconds` limits the time until the last step of the last repeat is stored; where
    repeats start on fresh data or targets, it limits each repeat, as the other two do."""


class Spec(Model):
    """Desired state of the benchmark."""

    target: Target
    """`target` is the SolrCloud that is measured."""
    collection: Collection = Collection()
    """`collection` sets the shards, replicas, config set and caches of the collection."""
    dataset: Dataset | None = None
    """`dataset` are the documents to index; required, except where `target.existing` measures a
    collection as it is."""
    workload: Workload
    """`workload` are the requests that are sent."""
    warm_up: WarmUp | None = None
    """`warmUp` is load sent before the first step and kept out of its results. When absent, it
    goes on until service times are steady, at most 120 s, and there is none if queries are sent
    `Once`, which it would use up; `requests: 0` is none at all."""
    load: Load
    """`load` are the load steps and the workers that generate them."""
    objectives: Annotated[list[Objective], Field(max_length=MAX_OBJECTIVES), ListMap("name")] = []
    """`objectives` are limits that the results are to keep; `status.objectives` says of each
    whether it is Met, Missed or Inconclusive."""
    companions: Annotated[list[Companion], Field(max_length=MAX_COMPANIONS)] = []
    """`companions` are objects that are made when the target is ready and live as long as it, such
    as a proxy: `target.variants` may name their Services as hosts."""
    comparison: ComparisonSpec = ComparisonSpec()
    """`comparison` controls what the results are compared with, and which differences matter."""
    diagnostics: Diagnostics | None = None
    """`diagnostics` takes thread dumps, GC logs and flight recordings of Solr in one repeat; none
    when absent."""
    results: Results = Results()
    """`results` controls what becomes of the results beside the ConfigMaps that keep them."""
    pod_options: Annotated[list[PodOptions], Field(max_length=8)] = []
    """`podOptions` are options of the benchmark's pods, such as labels and placement. Entries apply
    in their order: `labels`, `annotations` and `env` add to those of earlier entries for the same
    pods, any other option replaces that of an earlier entry, and those of `target.solrCloud`."""
    seed: Seed = DEFAULT_SEED
    """`seed` is the seed of everything that is drawn at random and has no seed of its own: the
    same seed gives the same documents, queries, mix, arrivals and order of variants."""
    backoff_limit: Annotated[Int, Field(ge=0, le=10)] = 2
    """`backoffLimit` limits how often the load, or everything if Solr lost data, starts again
    after pods were lost."""
    deadlines: Deadlines = Deadlines()
    """`deadlines` limit the time of each phase."""
    cleanup: Cleanup = Cleanup.ON_SUCCESS
    """`cleanup` controls when Solr and ZooKeeper are deleted after the end: with OnSuccess those of
    a failed benchmark are kept, to be looked at. Pods of the load are always deleted; results, and
    the logs and events of failures, stay. A change has no effect once they are deleted."""
    ttl_seconds_after_finished: Annotated[Int, Field(ge=0, le=315_360_000)] | None = None
    """`ttlSecondsAfterFinished` is the time after the end after which the whole benchmark,
    results included, is deleted. It is kept when absent."""
    suspend: Bool = False
    """`suspend` stops the benchmark and removes its pods while `true`; stored results are kept
    and the rest runs when it becomes `false`. It has no effect after the end."""

    _pass_seed_on = model_validator(mode="before")(pass_seed_on)

    mutable: ClassVar = frozenset({"cleanup", "results", "ttlSecondsAfterFinished", "suspend"})
    """Fields that may change after creation; a changed topology is a new benchmark."""

    @property
    def steps_index(self) -> bool:
        """Whether steps, or trials of a search, add documents."""
        loads = (*self.load.steps, self.load.capacity)
        return any(each is not None and each.indexing is not None for each in loads)

    @property
    def sampled_dataset(self) -> Dataset | None:
        """The dataset, if steps or trials add documents like those of its files."""
        is_of_files = self.dataset is not None and self.dataset.generator is None
        return self.dataset if self.steps_index and is_of_files else None

    @property
    def backup_claim(self) -> str | None:
        """The claim with the backup that Solr's pods mount, if there is one."""
        backup = None if self.dataset is None else self.dataset.backup
        return None if backup is None else backup.claim_name

    @property
    def may_change_index(self) -> bool:
        """Whether documents may be added or deleted while steps are measured."""
        return (
            self.steps_index or self.workload.may_change_index or self.load.visibility is not None
        )

    rules: ClassVar = (
        Rule(
            cel=(
                "!has(self.target.solrCloud) || self.collection.replicas.nrt"
                " + self.collection.replicas.tlog + self.collection.replicas.pull"
                " <= self.target.solrCloud.nodes"
            ),
            message=(
                "collection.replicas must not add up to more than target.solrCloud.nodes,"
                " replicas of one shard on the same node add no redundancy"
            ),
        ),
        Rule(
            cel=f"{USES} != has(self.dataset)",
            message=(
                "dataset must be set, except with target.existing.collectionPolicy UseExisting,"
                " which measures a collection as it is"
            ),
        ),
        Rule(
            cel=f"!{USES} || ({' && '.join(UNTOUCHED)})",
            message=(
                "collection must be omitted with target.existing.collectionPolicy UseExisting,"
                " the collection stays as it is"
            ),
        ),
        BACKUP_RULE,
        *GENERATED_RULES,
        STEP_VARIANTS_RULE,
        *SIZE_RULES,
        DURATION_RULE,
        *REPEAT_RULES,
        *ROUTING_RULES,
        *INDEXING_RULES,
        *LOCUSTFILE_RULES,
        *OBJECTIVE_RULES,
        REPLAY_RULE,
        *POD_OPTION_RULES,
    )


# Leaves room for `-load-worker-199-xxxxx` in a 63-character host name.
MAX_NAME = 40

# Leaves room for `-solrcloud-zookeeper` and the hash of its revision in a label of 63.
MAX_NAME_PROVIDED = 32


class OwnerReference(LenientModel):
    """The parts of a reference to an owner that the operator uses."""

    kind: str
    name: str
    uid: str
    controller: bool = False


class Metadata(LenientModel):
    """The parts of Kubernetes' metadata that the operator uses."""

    name: str
    namespace: str = "default"
    uid: str = ""
    generation: int = 1
    resource_version: str = ""
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: list[OwnerReference] = []

    @property
    def controller(self) -> OwnerReference | None:
        """The resource that controls this one, if one does."""
        return next((owner for owner in self.owner_references if owner.controller), None)


def name_rules(most: int) -> tuple[Rule, ...]:
    """Return the rules on the name of a resource, which has at most so many characters."""
    return (
        Rule(
            cel=f"self.metadata.name.size() <= {most}",
            message=f"metadata.name must have at most {most} characters",
        ),
        Rule(
            # Names of Services, which are named after it, are such (RFC 1035).
            cel="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
            message="metadata.name must be a-z, 0-9 and '-' within, and start with a letter",
        ),
    )


class StoredResource(LenientModel):
    """What the kinds of resource have in common."""

    api_version: Literal["solrbench.io/v1alpha1"] = "solrbench.io/v1alpha1"
    """`apiVersion` is the version of this schema."""
    kind: str
    """`kind` is the kind of the resource."""
    metadata: Metadata
    """`metadata` is Kubernetes' object metadata: name, namespace, labels."""

    @property
    def key(self) -> str:
        """`namespace/name`, as logs and metrics call it."""
        return f"{self.metadata.namespace}/{self.metadata.name}"

    @classmethod
    def parse(cls, body: dict[str, Any]) -> Self:
        """Return the model of a resource as the API server stores it.

        One that has started keeps to the rules of the version that let it through: those that came
        with an upgrade of the operator do not end it.

        It raises `pydantic.ValidationError` if the resource breaks the schema or a rule.
        """
        has_started = (body.get("status") or {}).get("startTime") is not None
        return cls.model_validate(body, context={ADMITTED: has_started})


class SolrBenchmark(StoredResource):
    """A benchmark of one SolrCloud topology: target, dataset, workload and load."""

    kind: Literal["SolrBenchmark"] = "SolrBenchmark"
    """`kind` is the kind of the resource."""
    spec: Spec
    """`spec` is the desired state of the benchmark."""
    status: Status = Field(default_factory=Status)
    """`status` is the observed state, written only by the operator."""

    rules: ClassVar = (
        *name_rules(MAX_NAME),
        Rule(
            cel=(
                f"self.metadata.name.size() <= {MAX_NAME_PROVIDED}"
                " || !has(self.spec.target.solrCloud)"
                " || self.spec.target.solrCloud.zookeeper.mode != 'Provided'"
            ),
            message=(
                f"metadata.name must have at most {MAX_NAME_PROVIDED} characters when"
                " target.solrCloud.zookeeper.mode is Provided"
            ),
        ),
        Rule(
            cel=(
                # It would wait for its own end.
                "!has(self.spec.comparison.baseline)"
                " || !has(self.spec.comparison.baseline.benchmark)"
                " || self.spec.comparison.baseline.benchmark.name != self.metadata.name"
            ),
            message="spec.comparison.baseline.benchmark must be another benchmark than this one",
        ),
    )
