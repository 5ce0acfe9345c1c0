"""Addresses of the nodes that each provisioner makes."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target.solr_cloud import Provisioner, SolrCloud
from solrbench.controller.provisioners.registry import PROVISIONERS
from solrbench.plan.target.solr_addresses import ADDRESSES, solr_hosts, solr_urls
from support.resources.objects import stored
from support.resources.small_resource import SOLR


def target(provisioner: str) -> tuple[SolrBenchmark, SolrCloud]:
    benchmark = stored({f"{SOLR}.provisioner": provisioner})
    solr = benchmark.spec.target.solr_cloud
    assert solr is not None
    return benchmark, solr


def test_nodes_of_our_own() -> None:
    assert solr_urls(*target("StatefulSet")) == [
        "http://base-solr-0.base-solr.search.svc:8983/solr",
        "http://base-solr-1.base-solr.search.svc:8983/solr",
    ]


def test_nodes_of_the_solr_operator_by_the_names_that_they_give_themselves() -> None:
    # as seen of v0.10.0: SOLR_HOST is $(POD_NAME).<name>-solrcloud-headless.<namespace>
    assert solr_hosts(*target("SolrOperator")) == [
        "base-solrcloud-0.base-solrcloud-headless.search",
        "base-solrcloud-1.base-solrcloud-headless.search",
    ]


def test_every_provisioner_has_addresses_and_an_implementation() -> None:
    assert ADDRESSES.keys() == PROVISIONERS.keys() == set(Provisioner)
