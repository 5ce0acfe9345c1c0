"""The rules of bottlenecks in their order, and what to vary for each resource."""

from solrbench.api.v1alpha1.status.bottleneck import Resource
from solrbench.results.bottleneck.rules.memory import find_garbage_collection, find_memory
from solrbench.results.bottleneck.rules.nodes import (
    find_cpu,
    find_disk,
    find_one_node,
    find_threads,
    find_throttling,
)
from solrbench.results.bottleneck.rules.outside import find_network, find_proxy
from solrbench.results.bottleneck.rules.surroundings import (
    find_load_generator,
    find_machine,
    find_others,
    find_zookeeper,
)

RULES = (
    (Resource.LOAD_GENERATOR, find_load_generator),
    (Resource.THROTTLING, find_throttling),
    (Resource.MACHINE, find_others),
    (Resource.MEMORY, find_memory),
    (Resource.GARBAGE_COLLECTION, find_garbage_collection),
    (Resource.CPU, find_cpu),
    (Resource.DISK, find_disk),
    (Resource.ZOOKEEPER, find_zookeeper),
    (Resource.ONE_NODE, find_one_node),
    # Before what lies outside of Solr: requests wait there for one of Jetty's threads.
    (Resource.THREADS, find_threads),
    (Resource.PROXY, find_proxy),
    (Resource.NETWORK, find_network),
    (Resource.MACHINE, find_machine),
)
"""The rules in their order; the first that applies names the resource."""

FIELDS = {
    Resource.LOAD_GENERATOR: "load.workers",
    Resource.THROTTLING: "target.solrCloud.resources.limits.cpu",
    Resource.MEMORY: "target.solrCloud.resources.limits.memory",
    Resource.GARBAGE_COLLECTION: "target.solrCloud.heap",
    Resource.CPU: "target.solrCloud.nodes",
    Resource.DISK: "target.solrCloud.resources.limits.memory",
    Resource.ZOOKEEPER: "target.solrCloud.zookeeper.replicas",
    Resource.ONE_NODE: "collection.shards",
    Resource.PROXY: "target.variants",
    Resource.NETWORK: "collection.shards",
    Resource.THREADS: "target.solrCloud.nodes",
    Resource.MACHINE: "target.solrCloud.nodes",
    Resource.NONE: "load.steps",
}
"""What to vary next, by resource. A disk is helped by memory: the page cache saves reads."""
