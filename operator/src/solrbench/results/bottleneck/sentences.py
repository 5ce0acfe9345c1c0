"""Bottlenecks in words."""

from collections.abc import Iterable

from solrbench.api.v1alpha1.status.bottleneck import Bottleneck, Resource
from solrbench.results.bottleneck.evidence import pod_of

_WORDS = {
    Resource.LOAD_GENERATOR: "the load generator",
    Resource.THROTTLING: "the CPU limit of a pod",
    Resource.MEMORY: "memory",
    Resource.GARBAGE_COLLECTION: "garbage collection",
    Resource.CPU: "the CPU of Solr",
    Resource.DISK: "the disk",
    Resource.ZOOKEEPER: "ZooKeeper",
    Resource.ONE_NODE: "one node apart from its peers",
    Resource.PROXY: "the proxy in front of Solr",
    Resource.NETWORK: "the network",
    Resource.THREADS: "locks or thread limits",
    Resource.MACHINE: "the machine as a whole",
}


def bottleneck_sentences(bottlenecks: Iterable[Bottleneck]) -> list[str]:
    """Return a sentence for each step: what held it back, the numbers, and what to vary next."""
    return [_sentence(each) for each in bottlenecks]


def _sentence(found: Bottleneck) -> str:
    step = f"{found.step} ({found.variant})" if found.variant else found.step
    if found.resource == Resource.UNCLEAR:
        return f"What holds {step} back is Unclear: {found.message}"
    if found.resource == Resource.NONE:
        return f"Nothing holds {step} back: {found.message}; raise the load with {found.field}"
    pod = pod_of(found.server or "")
    server = f" ({pod})" if pod and pod not in found.message else ""
    what = _WORDS[Resource(found.resource)]
    hint = f"; vary {found.field} next" if found.field else ""
    return f"{step} is held back by {what}{server}: {found.message}{hint}"
