"""Where in which ZooKeeper a SolrCloud keeps its state."""

from dataclasses import dataclass
from datetime import datetime

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target.solr_cloud import SolrCloud
from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.plan import names
from solrbench.plan.target.solr_addresses import ADDRESSES


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
