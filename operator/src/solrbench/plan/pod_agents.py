"""Where the agents of a benchmark's pods are found."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.load.telemetry import Collect
from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.plan import names
from solrbench.plan.load_plan import PodAgent
from solrbench.plan.target.solr_addresses import solr_hosts
from solrbench.plan.target.zookeeper_path import member_hosts


def pod_agents(benchmark: SolrBenchmark) -> list[PodAgent]:
    """Return the agents in pods of Solr, and of ZooKeeper if its pods are the benchmark's own.

    The pods of an ensemble that the Solr Operator makes have none.
    """
    solr = benchmark.spec.target.solr_cloud
    if solr is None or benchmark.spec.load.telemetry.collect is not Collect.SERVERS_AND_PODS:
        return []
    found = [_agent(host, names.SOLR) for host in solr_hosts(benchmark, solr)]
    if solr.zookeeper.mode is ZooKeeperMode.ENSEMBLE:
        found += [_agent(host, names.ZOOKEEPER) for host in member_hosts(benchmark, solr)]
    return found


def _agent(host: str, component: str) -> PodAgent:
    return PodAgent(address=f"{host}:{names.AGENT_PORT}", component=component)
