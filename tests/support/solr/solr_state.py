"""What Solr says of itself, read pod by pod."""

from typing import Any

from support.cluster import kube

Core = dict[str, Any]


def solr_pods(name: str) -> list[str]:
    return sorted(body["metadata"]["name"] for body in kube.pods(name, "solr"))


def cluster_status(name: str) -> dict[str, Any]:
    """Return the cluster status as the first node sees it."""
    response = kube.solr(solr_pods(name)[0], "/admin/collections", action="CLUSTERSTATUS")
    found: dict[str, Any] = response["cluster"]
    return found


def shards(name: str) -> dict[str, Any]:
    found: dict[str, Any] = cluster_status(name)["collections"][name]["shards"]
    return found


def core_statuses(name: str) -> dict[str, Core]:
    found: dict[str, Core] = {}
    for pod in solr_pods(name):
        found |= kube.solr(pod, "/admin/cores", action="STATUS")["status"]
    return found


def documents_by_core(name: str) -> dict[str, int]:
    """Return the number of documents that each core would find."""
    return {core: body["index"]["numDocs"] for core, body in core_statuses(name).items()}


def heap_bytes(name: str) -> set[int]:
    systems = [kube.solr(pod, "/admin/info/system") for pod in solr_pods(name)]
    return {system["jvm"]["memory"]["raw"]["max"] for system in systems}


def search_requests(name: str) -> int:
    """Return how many searches came from outside by Solr's count, which has their parts apart."""
    prefix = "QUERY./select.requests"
    responses = [
        kube.solr(pod, "/admin/metrics", group="core", prefix=prefix) for pod in solr_pods(name)
    ]
    return sum(core.get(prefix, 0) for each in responses for core in each["metrics"].values())


def shard_requests(name: str) -> dict[str, int]:
    """Return how many searches each shard served, by Solr's own count.

    These are parts of searches, and whole ones that a core could serve alone.
    """
    found: dict[str, int] = {}
    for pod in solr_pods(name):
        response = kube.solr(pod, "/admin/metrics", group="core", prefix="QUERY./select")
        for registry, core in response["metrics"].items():
            shard = registry.split(".")[3]
            found[shard] = found.get(shard, 0) + core.get("QUERY./select[shard].requests", 0)
    return found
