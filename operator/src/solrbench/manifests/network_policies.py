"""Who may connect to the pods of a benchmark, where the cluster enforces NetworkPolicies.

Load and index pods take connections of the benchmark's own pods and of the operator only, and so do
the agents beside Solr and ZooKeeper. The policies have no attempt and go with the benchmark, as
pods of the next attempt must find them there.
"""

from dataclasses import dataclass, field

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract import names
from solrbench.manifests.common import Manifest, metadata
from solrbench.manifests.zookeeper import QUORUM_PORTS


@dataclass(frozen=True)
class PolicyPeers:
    """What policies name, beside the benchmark's own pods."""

    namespace: str = ""
    """That of the operator."""
    labels: dict[str, str] = field(default_factory=dict)
    """Those of the operator's pods; without any, no policy is made."""
    opens_nodes: bool = True
    """Whether all clients may connect to Solr and ZooKeeper, as without a policy."""


def build_network_policies(benchmark: SolrBenchmark, peers: PolicyPeers) -> list[Manifest]:
    """Return the policy of load and index pods, and that of the nodes, unless these are outside."""
    if not peers.labels:
        return []
    own = {names.LABEL_BENCHMARK: benchmark.metadata.name}
    place = {"matchLabels": {"kubernetes.io/metadata.name": peers.namespace}}
    known: Manifest = {
        "from": [
            {"podSelector": {"matchLabels": own}},
            {"namespaceSelector": place, "podSelector": {"matchLabels": peers.labels}},
        ]
    }
    load = (names.INDEX, names.LOAD_MASTER, names.LOAD_WORKER)
    policies = [_policy(benchmark, names.LOAD_MASTER, own, load, [known])]
    if benchmark.spec.target.solr_cloud is not None:
        # Points of a sweep that share a target each let themselves in: policies add up.
        nodes = {names.LABEL_BENCHMARK: names.target(benchmark)}
        ports = [names.SOLR_PORT, *QUORUM_PORTS.values()]
        all_clients = {"ports": [{"protocol": "TCP", "port": port} for port in ports]}
        rules = [known, all_clients] if peers.opens_nodes else [known]
        policies.append(_policy(benchmark, names.SOLR, nodes, names.NODES, rules))
    return policies


def _policy(
    benchmark: SolrBenchmark,
    component: str,
    labels: dict[str, str],
    components: tuple[str, ...],
    ingress: list[Manifest],
) -> Manifest:
    picked = {"key": names.LABEL_COMPONENT, "operator": "In", "values": list(components)}
    # Both go with the benchmark, also if its target is that of a sweep.
    meta = metadata(benchmark, names.LOAD_MASTER, 1, f"{benchmark.metadata.name}-{component}")
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": meta,
        "spec": {
            "podSelector": {"matchLabels": labels, "matchExpressions": [picked]},
            "policyTypes": ["Ingress"],
            "ingress": ingress,
        },
    }
