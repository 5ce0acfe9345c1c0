"""Where everything of a target is: Solr's nodes, ZooKeeper's path, the agents of pods."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

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

DEFAULT_PORTS = {"http": 80, "https": 443}
"""Of URLs that name none, by their scheme."""


def solr_hosts(benchmark: SolrBenchmark, solr: SolrCloud) -> list[str]:
    """Return the host name that every Solr node gives itself, in the order of the ordinals."""
    namespace = benchmark.metadata.namespace
    match solr.provisioner:
        case Provisioner.STATEFUL_SET:
            name = names.child(benchmark, names.SOLR)
            domain = f"{name}.{namespace}.svc"
        case Provisioner.SOLR_OPERATOR:
            # The Solr Operator (v0.9.1 and v0.10.0) names nodes so, without the `.svc`.
            name = names.solr_operator_stateful_set(benchmark)
            domain = f"{name}-headless.{namespace}"
    return [f"{name}-{i}.{domain}" for i in range(solr.nodes)]


def solr_urls(benchmark: SolrBenchmark, solr: SolrCloud) -> list[str]:
    """Return the base URL of every Solr node."""
    return [f"http://{host}:{names.SOLR_PORT}/solr" for host in solr_hosts(benchmark, solr)]


def solr_service_url(benchmark: SolrBenchmark) -> str:
    """Return the base URL of the Service over all Solr nodes, the one that balances by itself.

    It raises `ValueError` if the target is not provisioned.
    """
    solr, namespace = benchmark.spec.target.solr_cloud, benchmark.metadata.namespace
    if solr is None:
        raise ValueError("spec.target.solrCloud must be set")
    match solr.provisioner:
        case Provisioner.STATEFUL_SET:
            service = names.child(benchmark, names.SOLR_COMMON)
            return f"http://{service}.{namespace}.svc:{names.SOLR_PORT}/solr"
        case Provisioner.SOLR_OPERATOR:
            # The common Service of a SolrCloud listens on port 80.
            service = f"{names.solr_operator_stateful_set(benchmark)}-common"
            return f"http://{service}.{namespace}.svc/solr"


def variant_endpoints(benchmark: SolrBenchmark, node_urls: Sequence[str]) -> list[VariantEndpoints]:
    """Return where each variant leads; `node_urls` are the base URLs of the Solr nodes."""

    def urls(variant: Variant) -> list[str]:
        if variant.urls is not None:
            return variant.urls
        is_service = variant.endpoint is VariantEndpoint.SERVICE
        return [solr_service_url(benchmark)] if is_service else list(node_urls)

    variants = benchmark.spec.target.variants
    return [VariantEndpoints(variant=each.name, urls=urls(each)) for each in variants]


def needs_service(benchmark: SolrBenchmark) -> bool:
    """Return whether a variant goes through the Service over all Solr nodes."""
    return any(each.endpoint is VariantEndpoint.SERVICE for each in benchmark.spec.target.variants)


@dataclass(frozen=True)
class ZooKeeperPath:
    """An ensemble and a path in it."""

    servers: str
    """Addresses of the members, `host:port` and commas between them."""
    chroot: str = ""
    """The path, such as `/search-small`, or empty for the whole tree."""

    @property
    def connection(self) -> str:
        """Both, as Solr's `ZK_HOST` takes them."""
        return f"{self.servers}{self.chroot}"


def zookeeper_path(
    benchmark: SolrBenchmark, solr: SolrCloud, started: datetime | None, attempt: int
) -> ZooKeeperPath:
    """Return where the SolrCloud of one attempt of the target keeps its state.

    `started` is when the benchmark took its turn, `status.startTime`.
    """
    zookeeper, metadata = solr.zookeeper, benchmark.metadata
    chroot = zookeeper.chroot or ""
    if zookeeper.mode is ZooKeeperMode.EXTERNAL:
        # An outside ensemble outlives the nodes: in the path of an earlier try Solr would find a
        # collection whose replicas are gone. So no SolrCloud had this path before, and none has it
        # beside this one: no namespace has a dot in its name.
        second = 0 if started is None else int(started.timestamp())
        chroot = f"{chroot}/{metadata.namespace}.{metadata.name}-{second:x}-{attempt}"
    elif not chroot and solr.provisioner is Provisioner.SOLR_OPERATOR:
        # Any other ensemble of the benchmark serves one SolrCloud alone, in its root.
        chroot = f"/{metadata.namespace}-{names.target(benchmark)}"
    if zookeeper.connection_string is not None:
        return ZooKeeperPath(zookeeper.connection_string, chroot)
    return ZooKeeperPath(",".join(_member_addresses(benchmark, solr)), chroot)


def _member_addresses(benchmark: SolrBenchmark, solr: SolrCloud) -> list[str]:
    return [f"{host}:{names.ZOOKEEPER_PORT}" for host in member_hosts(benchmark, solr)]


def member_hosts(benchmark: SolrBenchmark, solr: SolrCloud) -> list[str]:
    """Return the host names of the members of an ensemble that was made for the benchmark."""
    replicas, namespace = solr.zookeeper.replicas, benchmark.metadata.namespace
    if solr.zookeeper.mode is ZooKeeperMode.PROVIDED:
        name = names.provided_zookeeper(benchmark)
        return [f"{name}-{i}.{name}-headless.{namespace}.svc" for i in range(replicas)]
    service = names.child(benchmark, names.ZOOKEEPER)
    # Ordinals start at 1, as ZooKeeper's ids do.
    return [f"{service}-{i}.{service}.{namespace}.svc" for i in range(1, replicas + 1)]


def zookeeper_servers(benchmark: SolrBenchmark) -> list[str]:
    """Return `host:port` of every member of an ensemble of the benchmark; none of an outside one.

    What others use too is not asked of its state.
    """
    solr = benchmark.spec.target.solr_cloud
    if solr is None or solr.zookeeper.mode is ZooKeeperMode.EXTERNAL:
        return []
    return _member_addresses(benchmark, solr)


def pod_agents(benchmark: SolrBenchmark) -> list[PodAgent]:
    """Return the agents in pods of Solr, of ZooKeeper if its pods are the benchmark's own.

    The pods of an ensemble that the Solr Operator makes have none. Those of all companions have one
    address.
    """
    if not reads_pods(benchmark):
        return []
    solr = benchmark.spec.target.solr_cloud
    hosts: list[tuple[str, str]] = []
    if solr is not None:
        hosts += [(host, names.SOLR) for host in solr_hosts(benchmark, solr)]
        if solr.zookeeper.mode is ZooKeeperMode.ENSEMBLE:
            hosts += [(host, names.ZOOKEEPER) for host in member_hosts(benchmark, solr)]
    if benchmark.spec.companions:
        service = names.child(benchmark, names.COMPANION)
        hosts.append((f"{service}.{benchmark.metadata.namespace}.svc", names.COMPANION))
    return [PodAgent(address=f"{host}:{names.AGENT_PORT}", component=part) for host, part in hosts]


def reads_pods(benchmark: SolrBenchmark) -> bool:
    """Say whether the control groups of pods are read."""
    return benchmark.spec.load.telemetry.collect is Collect.SERVERS_AND_PODS
