"""Resources and placement of pods, with Kubernetes' fields and a limit on every list."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model, Rule, at_most_one
from solrbench.api.v1alpha1.fields import Cpu, Int, Labels, Memory, ObjectName


def _within(amount: str) -> Rule:
    """Return the rule that the request of an amount is within its limit."""
    # What is no quantity has a message of its own; `quantity` of it would add an error of CEL.
    request, limit = f"self.requests.{amount}", f"self.limits.{amount}"
    return Rule(
        cel=(
            f"!has({request}) || !has({limit})"
            f" || !isQuantity({request}) || !isQuantity({limit})"
            f" || quantity({request}).compareTo(quantity({limit})) <= 0"
        ),
        message=f"requests.{amount} must not be greater than limits.{amount}",
    )


class ResourceAmounts(Model):
    """Amounts of CPU and memory."""

    cpu: Cpu | None = None
    """`cpu` is a number of cores, such as `2` or `500m`."""
    memory: Memory | None = None
    """`memory` is a number of bytes, such as `4Gi`."""


class Resources(Model):
    """Requests and limits of one container."""

    requests: ResourceAmounts = ResourceAmounts()
    """`requests` are the amounts that the scheduler reserves."""
    limits: ResourceAmounts = ResourceAmounts()
    """`limits` are enforced by the kernel; a CPU limit throttles and so distorts measurements."""

    rules: ClassVar = (_within("cpu"), _within("memory"))


class EphemeralStorage(Model):
    """An `emptyDir` on the node's disk, deleted with the pod."""

    size_limit: Memory | None = None
    """`sizeLimit` is the number of bytes beyond which the kubelet evicts the pod."""


class PersistentStorage(Model):
    """A PersistentVolumeClaim for each node, deleted with the benchmark."""

    size: Memory
    """`size` is the capacity that each claim requests."""
    storage_class_name: ObjectName | None = None
    """`storageClassName` is the StorageClass of the claims; the cluster's default when absent."""


class Storage(Model):
    """Storage of the index."""

    ephemeral: EphemeralStorage | None = None
    """`ephemeral` keeps the index in an `emptyDir`; the default."""
    persistent: PersistentStorage | None = None
    """`persistent` keeps the index on a PersistentVolumeClaim for each node."""

    rules: ClassVar = (at_most_one("ephemeral", "persistent"),)


LabelKey = Annotated[str, StringConstraints(min_length=1, max_length=317)]


class Toleration(Model):
    """A toleration, with the fields of a pod's."""

    key: Annotated[str, StringConstraints(max_length=317)] | None = None
    """`key` is the key of the taint; any when absent (then `operator` must be `Exists`)."""
    operator: Literal["Exists", "Equal"] = "Equal"
    """`operator` controls how `value` is compared."""
    value: Annotated[str, StringConstraints(max_length=63)] | None = None
    """`value` is the value of the taint."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """`effect` is the effect of the taint; any when absent."""

    rules: ClassVar = (
        Rule(
            cel="has(self.key) || self.operator == 'Exists'",
            message="must set key when operator is Equal",
        ),
        Rule(
            cel="!has(self.value) || self.operator == 'Equal'",
            message="must not set value when operator is Exists, which matches any value",
        ),
    )


class TopologySpread(Model):
    """Spread of the pods of one kind over the cluster, as a topology spread constraint."""

    topology_key: LabelKey = "kubernetes.io/hostname"
    """`topologyKey` is the node label whose values are the domains to spread over."""
    when_unsatisfiable: Literal["ScheduleAnyway", "DoNotSchedule"] = "ScheduleAnyway"
    """`whenUnsatisfiable` controls whether a pod that would make the spread uneven is scheduled all
    the same, or stays pending."""


Values = Annotated[
    list[Annotated[str, StringConstraints(max_length=63)]], Field(min_length=1, max_length=16)
]
Weight = Annotated[Int, Field(ge=1, le=100)]
MAX_TERMS = 8


def _values_go_with(operators: str) -> Rule:
    """Return the rule that `values` are set with these operators (of CEL), and only then."""
    return Rule(
        cel=f"has(self.values) == (self.operator in {operators})",
        message="must set values when operator is not Exists or DoesNotExist, and only then",
    )


class NodeSelectorRequirement(Model):
    """A condition on one label of a node."""

    key: LabelKey
    """`key` is the key of the label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    """`operator` controls how the label's value is compared."""
    values: Values | None = None
    """`values` are what the label's value is compared with; one number with `Gt` and `Lt`."""

    rules: ClassVar = (_values_go_with("['In', 'NotIn', 'Gt', 'Lt']"),)


class NodeSelectorTerm(Model):
    """Conditions on a node, all of which must hold."""

    match_expressions: Annotated[
        list[NodeSelectorRequirement], Field(min_length=1, max_length=MAX_TERMS)
    ]
    """`matchExpressions` are conditions on the node's labels."""


class NodeSelector(Model):
    """Terms of which one must hold."""

    node_selector_terms: Annotated[
        list[NodeSelectorTerm], Field(min_length=1, max_length=MAX_TERMS)
    ]
    """`nodeSelectorTerms` are the terms."""


class PreferredSchedulingTerm(Model):
    """A preference for nodes."""

    weight: Weight
    """`weight` is the weight of the preference."""
    preference: NodeSelectorTerm
    """`preference` are the conditions on the node."""


class NodeAffinity(Model):
    """Nodes that a pod must, or should, run on."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    """`requiredDuringSchedulingIgnoredDuringExecution` are conditions without which a pod stays
    pending."""
    preferred_during_scheduling_ignored_during_execution: (
        Annotated[list[PreferredSchedulingTerm], Field(max_length=MAX_TERMS)] | None
    ) = None
    """`preferredDuringSchedulingIgnoredDuringExecution` are conditions that a node should meet."""


class LabelSelectorRequirement(Model):
    """A condition on one label of a pod."""

    key: LabelKey
    """`key` is the key of the label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """`operator` controls how the label's value is compared."""
    values: Values | None = None
    """`values` are what the label's value is compared with."""

    rules: ClassVar = (_values_go_with("['In', 'NotIn']"),)


class LabelSelector(Model):
    """Conditions on pods, all of which must hold."""

    match_labels: Labels | None = None
    """`matchLabels` are labels that a pod must have."""
    match_expressions: (
        Annotated[list[LabelSelectorRequirement], Field(max_length=MAX_TERMS)] | None
    ) = None
    """`matchExpressions` are conditions on the pod's labels."""


class PodAffinityTerm(Model):
    """Pods of the benchmark's namespace and the domain around them."""

    label_selector: LabelSelector
    """`labelSelector` selects the pods."""
    topology_key: LabelKey
    """`topologyKey` is the node label whose values are the domains."""


class WeightedPodAffinityTerm(Model):
    """A preference for, or against, domains with certain pods."""

    weight: Weight
    """`weight` is the weight of the preference."""
    pod_affinity_term: PodAffinityTerm
    """`podAffinityTerm` are the pods and the domain."""


class PodAffinity(Model):
    """Pods beside which, or away from which, a pod must or should run."""

    required_during_scheduling_ignored_during_execution: (
        Annotated[list[PodAffinityTerm], Field(max_length=MAX_TERMS)] | None
    ) = None
    """`requiredDuringSchedulingIgnoredDuringExecution` are terms without which a pod stays
    pending."""
    preferred_during_scheduling_ignored_during_execution: (
        Annotated[list[WeightedPodAffinityTerm], Field(max_length=MAX_TERMS)] | None
    ) = None
    """`preferredDuringSchedulingIgnoredDuringExecution` are terms that a node should meet."""


class Affinity(Model):
    """Where pods run, relative to nodes and to other pods."""

    node_affinity: NodeAffinity | None = None
    """`nodeAffinity` are conditions on nodes."""
    pod_affinity: PodAffinity | None = None
    """`podAffinity` are pods to be near to."""
    pod_anti_affinity: PodAffinity | None = None
    """`podAntiAffinity` are pods to keep away from. Load and index pods prefer nodes without Solr
    of the benchmark in any case."""
