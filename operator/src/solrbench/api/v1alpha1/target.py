"""`spec.target`: what is measured."""

from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.solr_cloud import SolrCloud
from solrbench.api.v1alpha1.variant import MAX_VARIANTS, VARIANT_RULES, Variant


class Target(Model):
    """What is measured."""

    solr_cloud: SolrCloud | None = None
    """A SolrCloud made for this benchmark and deleted after it."""
    variants: Annotated[list[Variant], Field(max_length=MAX_VARIANTS)] = []
    """Doors to the target that are compared with the first of them: every repeat runs the whole
    ladder through each. The Solr nodes themselves when empty."""

    rules: ClassVar = (exactly_one("solrCloud"), *VARIANT_RULES)
