"""`spec.target`: what is measured."""

from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.target.existing import Existing
from solrbench.api.v1alpha1.target.solr_cloud import SolrCloud
from solrbench.api.v1alpha1.target.variant import MAX_VARIANTS, SERVICE_RULE, VARIANT_RULES, Variant


class Target(Model):
    """What is measured."""

    solr_cloud: SolrCloud | None = None
    """A SolrCloud made for this benchmark and deleted after it."""
    existing: Existing | None = None
    """A Solr that is there already and stays."""

    variants: Annotated[list[Variant], Field(max_length=MAX_VARIANTS)] = []
    """Doors to the target that are compared with the first of them: every repeat runs the whole
    ladder through each. The Solr nodes themselves when empty."""

    rules: ClassVar = (exactly_one("solrCloud", "existing"), *VARIANT_RULES, SERVICE_RULE)

    @property
    def uses_collection(self) -> bool:
        """Whether a collection of the user's is measured, and so nothing is written."""
        return self.existing is not None and self.existing.uses_collection
