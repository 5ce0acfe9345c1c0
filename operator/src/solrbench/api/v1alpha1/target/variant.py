"""`spec.target.variants`: several doors to the same Solr, measured in turn."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Matches, Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import ShortName

MAX_VARIANTS = 8

EndpointUrl = Annotated[
    str,
    StringConstraints(min_length=8, max_length=2048),
    Matches(
        r"https?://[^/?#\s]+(/[^?#\s]*)?",
        "must start with http:// or https:// and a host and end with the path of Solr, such as"
        " http://proxy.search.svc/solr",
    ),
]
"""Address behind which requests for a collection are answered, without the collection."""


class VariantEndpoint(StrEnum):
    """Ways to the nodes that the operator knows itself."""

    NODES = "Nodes"
    SERVICE = "Service"


class Variant(Model):
    """One door to the target."""

    name: ShortName
    """Name of the variant in results and metrics."""
    door: VariantEndpoint | None = None
    """`Nodes`: straight to the Solr pods, users spread over them evenly; `Service`: through one
    Service of the cluster over all Solr pods."""
    urls: Annotated[list[EndpointUrl], Field(min_length=1, max_length=64)] | None = None
    """Through something of your own, such as a proxy or a load balancer: base URLs that end with
    the path of Solr; users are spread over them evenly."""

    rules: ClassVar = (exactly_one("door", "urls"),)


VARIANT_RULES = (
    Rule(
        cel="self.variants.size() != 1",
        message="variants must be none or at least 2, the first one is what others are compared to",
        is_satisfied=lambda target: len(target.variants) != 1,
    ),
    Rule(
        cel="self.variants.all(v, self.variants.exists_one(w, w.name == v.name))",
        message="variants must have different names",
        is_satisfied=lambda target: (
            len({variant.name for variant in target.variants}) == len(target.variants)
        ),
    ),
)
"""Rules of the model that holds the variants."""

SERVICE_RULE = Rule(
    cel=("has(self.solrCloud) || self.variants.all(v, !has(v.door) || v.door != 'Service')"),
    message=(
        "variants may not have the door Service with target.existing, only a SolrCloud made for"
        " the benchmark has one that is known; give its address in urls"
    ),
    is_satisfied=lambda target: (
        target.solr_cloud is not None
        or all(variant.door is not VariantEndpoint.SERVICE for variant in target.variants)
    ),
)
"""For the model that holds both."""

MAX_STEP_VARIANTS = 32

STEP_VARIANTS_RULE = Rule(
    cel=f"self.target.variants.size() * self.load.steps.size() <= {MAX_STEP_VARIANTS}",
    message=f"target.variants times load.steps must be at most {MAX_STEP_VARIANTS}",
    is_satisfied=lambda spec: len(spec.target.variants) * len(spec.load.steps) <= MAX_STEP_VARIANTS,
)
"""Keeps status, metrics and the plan of the load as small as those of the longest ladder."""
