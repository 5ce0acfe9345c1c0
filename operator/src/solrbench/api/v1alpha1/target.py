"""`spec.target`: what is measured."""

from typing import ClassVar

from solrbench.api.rules import Model, exactly_one
from solrbench.api.v1alpha1.solr_cloud import SolrCloud


class Target(Model):
    """What is measured."""

    solr_cloud: SolrCloud | None = None
    """A SolrCloud made for this benchmark and deleted after it."""

    rules: ClassVar = (exactly_one("solrCloud"),)
