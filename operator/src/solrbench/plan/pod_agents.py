"""Where the agents of a benchmark's pods are found."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.load.telemetry import Collect
from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.plan import names
from solrbench.plan.load_plan import PodAgent
from solrbench.plan.target.solr_addresses import solr_hosts
from solrbench.plan.target.zookeeper_path import member_hosts


def pod_agents(benchmark: SolrBenchmark) -> list[PodAgent]:
    """Return the agents in pods of Solr, of ZooKeeper if its pods are the benchmark's own.

    The pods of an ensemble that the Solr Operator makes have none. Those of all companions have one
    address.
    """
    if not reads_pods(benchmark):
        return []
    solr, found = benchmark.spec.target.solr_cloud, []
    if solr is not None:
        found += [_agent(host, names.SOLR) for host in solr_hosts(benchmark, solr)]
        if solr.zookeeper.mode is ZooKeeperMode.ENSEMBLE:
            found += [_agent(host, names.ZOOKEEPER) for host in member_hosts(benchmark, solr)]
    if benchmark.spec.companions:
        service = names.child(benchmark, names.COMPANION)
        found.append(_agent(f"{service}.{benchmark.metadata.namespace}.svc", names.COMPANION))
    return found


def reads_pods(benchmark: SolrBenchmark) -> bool:
    """Say whether the control groups of pods are read."""
    return benchmark.spec.load.telemetry.collect is Collect.SERVERS_AND_PODS


def _agent(host: str, component: str) -> PodAgent:
    return PodAgent(address=f"{host}:{names.AGENT_PORT}", component=component)
