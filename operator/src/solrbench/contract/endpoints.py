"""Where the nodes of a provisioned SolrCloud are, one implementation for each provisioner."""

from collections.abc import Mapping
from typing import Protocol

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target.solr_cloud import Provisioner, SolrCloud
from solrbench.plan.names import (
    SOLR,
    SOLR_COMMON,
    SOLR_PORT,
    child,
    solr_operator_stateful_set,
    target,
)


class SolrAddresses(Protocol):
    """Addresses that a provisioner gives to the nodes that it makes."""

    def hosts(self, benchmark: SolrBenchmark, nodes: int) -> list[str]:
        """Return the host name that every node gives itself, in the order of the ordinals."""

    def service_url(self, benchmark: SolrBenchmark) -> str:
        """Return the base URL of the Service over all nodes."""

    def state_path(self, benchmark: SolrBenchmark) -> str:
        """Return the path of Solr's state in an ensemble of the benchmark; empty for the root."""


class StatefulSetAddresses:
    """Nodes of a StatefulSet of the benchmark."""

    def hosts(self, benchmark: SolrBenchmark, nodes: int) -> list[str]:
        """Return the names of the pods below their headless Service."""
        name, namespace = child(benchmark, SOLR), benchmark.metadata.namespace
        return [f"{name}-{i}.{name}.{namespace}.svc" for i in range(nodes)]

    def service_url(self, benchmark: SolrBenchmark) -> str:
        """Return the base URL of the Service that is made for variants."""
        service, namespace = child(benchmark, SOLR_COMMON), benchmark.metadata.namespace
        return f"http://{service}.{namespace}.svc:{SOLR_PORT}/solr"

    def state_path(self, benchmark: SolrBenchmark) -> str:
        """Return the root: the ensemble serves this SolrCloud alone."""
        del benchmark
        return ""


class SolrOperatorAddresses:
    """Nodes of a SolrCloud resource, named by the Solr Operator (v0.9.1 and v0.10.0)."""

    def hosts(self, benchmark: SolrBenchmark, nodes: int) -> list[str]:
        """Return the names of the pods below their headless Service."""
        name, namespace = solr_operator_stateful_set(benchmark), benchmark.metadata.namespace
        return [f"{name}-{i}.{name}-headless.{namespace}" for i in range(nodes)]

    def service_url(self, benchmark: SolrBenchmark) -> str:
        """Return the base URL of its common Service, on port 80."""
        name, namespace = solr_operator_stateful_set(benchmark), benchmark.metadata.namespace
        return f"http://{name}-common.{namespace}.svc/solr"

    def state_path(self, benchmark: SolrBenchmark) -> str:
        """Return a path of its own."""
        return f"/{benchmark.metadata.namespace}-{target(benchmark)}"


ADDRESSES: Mapping[Provisioner, SolrAddresses] = {
    Provisioner.STATEFUL_SET: StatefulSetAddresses(),
    Provisioner.SOLR_OPERATOR: SolrOperatorAddresses(),
}


def solr_hosts(benchmark: SolrBenchmark, solr: SolrCloud) -> list[str]:
    """Return the host name that every Solr node gives itself, in the order of the ordinals."""
    return ADDRESSES[solr.provisioner].hosts(benchmark, solr.nodes)


def solr_urls(benchmark: SolrBenchmark, solr: SolrCloud) -> list[str]:
    """Return the base URL of every Solr node."""
    return [f"http://{host}:{SOLR_PORT}/solr" for host in solr_hosts(benchmark, solr)]


def solr_service_url(benchmark: SolrBenchmark) -> str:
    """Return the base URL of the Service over all Solr nodes, the one that balances by itself.

    Raises:
        ValueError: if the target is not provisioned.

    """
    solr = benchmark.spec.target.solr_cloud
    if solr is None:
        raise ValueError("spec.target.solrCloud must be set")
    return ADDRESSES[solr.provisioner].service_url(benchmark)
