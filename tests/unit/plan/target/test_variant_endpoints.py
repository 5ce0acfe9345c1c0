"""Where each variant leads."""

from solrbench.plan.target.variant_endpoints import needs_service, variant_endpoints
from support.resources.objects import stored

NODES = ["http://a:8983/solr", "http://b:8983/solr"]


def test_every_variant_has_the_urls_of_its_endpoint() -> None:
    variants = [
        {"name": "raw", "endpoint": "Nodes"},
        {"name": "service", "endpoint": "Service"},
        {"name": "proxy", "urls": ["http://proxy.web.svc/solr"]},
    ]
    found = variant_endpoints(stored({"spec.target.variants": variants}), NODES)
    assert {each.variant: each.urls for each in found} == {
        "raw": NODES,
        "service": ["http://base-solr-common.search.svc:8983/solr"],
        "proxy": ["http://proxy.web.svc/solr"],
    }


def test_without_variants_there_is_nothing_to_choose() -> None:
    assert variant_endpoints(stored(), NODES) == []
    assert not needs_service(stored())
