"""Affinity of pods, with the fields of a pod's and a limit on every list."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import Int, Labels

LabelKey = Annotated[str, StringConstraints(min_length=1, max_length=317)]
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
        is_satisfied=lambda each: (each.values is not None) == (each.operator in operators),
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
