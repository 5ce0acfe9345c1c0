"""`spec.target`: the SolrCloud that is measured."""

from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import ListMap, Model, exactly_one
from solrbench.api.v1alpha1.target.existing import Existing
from solrbench.api.v1alpha1.target.solr_cloud import SolrCloud
from solrbench.api.v1alpha1.target.variant import MAX_VARIANTS, SERVICE_RULE, VARIANT_RULES, Variant


class Target(Model):
    """The SolrCloud that is measured."""

    solr_cloud: SolrCloud | None = None
    """`solrCloud` is a SolrCloud created for this benchmark and deleted after it."""
    existing: Existing | None = None
    """`existing` is an existing Solr that the operator neither creates nor deletes."""

    variants: Annotated[list[Variant], Field(max_length=MAX_VARIANTS), ListMap("name")] = []
    """`variants` are endpoints of the target to compare. Every repeat runs all steps through each
    endpoint; the first is the baseline. Requests go directly to the Solr nodes when empty."""

    rules: ClassVar = (exactly_one("solrCloud", "existing"), *VARIANT_RULES, SERVICE_RULE)

    @property
    def uses_collection(self) -> bool:
        """Whether an existing collection is measured as it is."""
        return self.existing is not None and self.existing.uses_collection
