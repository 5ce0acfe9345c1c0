"""`spec.target.variants`: several endpoints of the same Solr, measured in turn."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Matches, Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import PORT, ShortName

MAX_VARIANTS = 8

EndpointUrl = Annotated[
    str,
    # Of 8 variants with 64 URLs each: the API server limits what a rule may cost at most.
    StringConstraints(min_length=8, max_length=512),
    Matches(
        rf"https?://([^/?#\s:@\[\]]+|\[[0-9A-Fa-f:.]+\])(:{PORT})?(/[^?#\s]*)?",
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


VARIANT_RULES = (
    Rule(
        cel="self.variants.size() != 1",
        message="variants must be none or at least 2, the first one is the baseline of the others",
        is_satisfied=lambda target: len(target.variants) != 1,
    ),
)
"""Rules of the model that holds the variants."""

SERVICE_RULE = Rule(
    cel=(
        "has(self.solrCloud) || self.variants.all(v, !has(v.endpoint) || v.endpoint != 'Service')"
    ),
    message=(
        "variants must not have the endpoint Service with target.existing, whose Services are"
        " unknown; set urls instead"
    ),
    is_satisfied=lambda target: (
        target.solr_cloud is not None
        or all(variant.endpoint is not VariantEndpoint.SERVICE for variant in target.variants)
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
