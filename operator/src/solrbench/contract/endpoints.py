"""Where everything of a target is: Solr's nodes, ZooKeeper's path, the agents of pods.

One implementation for each provisioner gives the same answers to everything behind it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target import (
    Provisioner,
    SolrCloud,
    Variant,
    VariantEndpoint,
    ZooKeeperMode,
)
from solrbench.api.v1alpha1.validity import Collect
from solrbench.contract import names
from solrbench.contract.load_plan import PodAgent, VariantEndpoints
from solrbench.contract.names import (
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


@dataclass(frozen=True)
class ZooKeeperPath:
    """An ensemble and a path in it.

    Attributes:
        servers: addresses of the members, `host:port` and commas between them
        chroot: the path, such as `/search-small`, or empty for the whole tree
    """

    servers: str
    chroot: str = ""

    @property
    def connection(self) -> str:
        """Both, as Solr's `ZK_HOST` takes them."""
        return f"{self.servers}{self.chroot}"


def zookeeper_path(
    benchmark: SolrBenchmark, solr: SolrCloud, started: datetime | None, attempt: int
) -> ZooKeeperPath:
    """Return where the SolrCloud of one attempt keeps its state.

    Args:
        benchmark: the benchmark
        solr: its topology
        started: when the benchmark took its turn, `status.startTime`
        attempt: of the target
    """
    zookeeper = solr.zookeeper
    return ZooKeeperPath(
        _servers(benchmark, solr),
        _external_chroot(benchmark, solr, started, attempt)
        if zookeeper.mode is ZooKeeperMode.EXTERNAL
        else zookeeper.chroot or ADDRESSES[solr.provisioner].state_path(benchmark),
    )


def _servers(benchmark: SolrBenchmark, solr: SolrCloud) -> str:
    zookeeper = solr.zookeeper
    if zookeeper.connection_string is not None:
        return zookeeper.connection_string
    return ",".join(f"{host}:{names.ZOOKEEPER_PORT}" for host in member_hosts(benchmark, solr))


def member_hosts(benchmark: SolrBenchmark, solr: SolrCloud) -> list[str]:
    """Return the host names of the members of an ensemble that was made for the benchmark."""
    replicas = solr.zookeeper.replicas
    if solr.zookeeper.mode is ZooKeeperMode.PROVIDED:
        return names.provided_zookeeper_hosts(benchmark, replicas)
    return names.zookeeper_hosts(benchmark, replicas)


def zookeeper_servers(benchmark: SolrBenchmark) -> list[str]:
    """Return `host:port` of every member of an ensemble of the benchmark; none of an outside one.

    What others use too is not asked of its state.
    """
    solr = benchmark.spec.target.solr_cloud
    if solr is None or solr.zookeeper.mode is ZooKeeperMode.EXTERNAL:
        return []
    return [f"{host}:{names.ZOOKEEPER_PORT}" for host in member_hosts(benchmark, solr)]


def _external_chroot(
    benchmark: SolrBenchmark, solr: SolrCloud, started: datetime | None, attempt: int
) -> str:
    """Return a path that no SolrCloud had before.

    An outside ensemble outlives the nodes: in the path of an earlier try Solr would find a
    collection whose replicas are gone.
    """
    second = 0 if started is None else int(started.timestamp())
    return f"{solr.zookeeper.chroot or ''}/{_full_name(benchmark)}-{second:x}-{attempt}"


def _full_name(benchmark: SolrBenchmark) -> str:
    return f"{benchmark.metadata.namespace}-{benchmark.metadata.name}"


def pod_agents(benchmark: SolrBenchmark) -> list[PodAgent]:
    """Return the agents in pods of Solr, of ZooKeeper if its pods are the benchmark's own.

    The pods of an ensemble that the Solr Operator makes have none. Those of all companions have one
    address.
    """
    if not reads_pods(benchmark):
        return []
    solr, agents = benchmark.spec.target.solr_cloud, []
    if solr is not None:
        agents += [_agent(host, names.SOLR) for host in solr_hosts(benchmark, solr)]
        if solr.zookeeper.mode is ZooKeeperMode.ENSEMBLE:
            agents += [_agent(host, names.ZOOKEEPER) for host in member_hosts(benchmark, solr)]
    if benchmark.spec.companions:
        service = names.child(benchmark, names.COMPANION)
        agents.append(_agent(f"{service}.{benchmark.metadata.namespace}.svc", names.COMPANION))
    return agents


def reads_pods(benchmark: SolrBenchmark) -> bool:
    """Say whether the control groups of pods are read."""
    return benchmark.spec.load.telemetry.collect is Collect.SERVERS_AND_PODS


def _agent(host: str, component: str) -> PodAgent:
    return PodAgent(address=f"{host}:{names.AGENT_PORT}", component=component)
