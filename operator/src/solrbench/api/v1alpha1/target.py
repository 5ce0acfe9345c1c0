"""`spec.target`: what is measured."""

from typing import ClassVar

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.existing import Existing
from solrbench.api.v1alpha1.solr_cloud import SolrCloud


class Target(Model):
    """What is measured."""

    solr_cloud: SolrCloud | None = None
    """A SolrCloud made for this benchmark and deleted after it."""
    existing: Existing | None = None
    """A Solr that is there already and stays."""

    rules: ClassVar = (exactly_one("solrCloud", "existing"),)

    @property
    def uses_collection(self) -> bool:
        """Whether a collection of the user's is measured, and so nothing is written."""
        return self.existing is not None and self.existing.uses_collection
