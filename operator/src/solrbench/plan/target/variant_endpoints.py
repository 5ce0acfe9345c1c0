"""The endpoints of the target as addresses."""

from collections.abc import Sequence

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target.variant import Variant, VariantEndpoint
from solrbench.plan.load_plan import VariantEndpoints
from solrbench.plan.target.solr_addresses import solr_service_url


def variant_endpoints(benchmark: SolrBenchmark, node_urls: Sequence[str]) -> list[VariantEndpoints]:
    """Return where each variant leads; `node_urls` are the base URLs of the Solr nodes."""
    return [
        VariantEndpoints(variant=variant.name, urls=_urls(benchmark, variant, node_urls))
        for variant in benchmark.spec.target.variants
    ]


def needs_service(benchmark: SolrBenchmark) -> bool:
    """Return whether a variant goes through the Service over all Solr nodes."""
    return any(
        variant.endpoint is VariantEndpoint.SERVICE for variant in benchmark.spec.target.variants
    )


def _urls(benchmark: SolrBenchmark, variant: Variant, node_urls: Sequence[str]) -> list[str]:
    if variant.urls is not None:
        return variant.urls
    if variant.endpoint is VariantEndpoint.SERVICE:
        return [solr_service_url(benchmark)]
    return list(node_urls)
