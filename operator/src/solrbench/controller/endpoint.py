"""The way into a target: addresses that may be used, and what to show there."""

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from solrbench.api.v1alpha1.target import Existing
from solrbench.controller.owned_objects import SOLR_CLOUDS
from solrbench.decide.existing_target import ExistingSolrCloud, check_existing_cloud
from solrbench.decide.hosts import (
    check_addresses,
    check_name,
    check_service,
    check_service_addresses,
    host_of,
    qualify,
    service_of,
)
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.views import Replica
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import KindNotServedError
from solrbench.kube.facts import secret_auth
from solrbench.net.deadline import AddressCheck
from solrbench.net.http import HttpAuth
from solrbench.reasons.end import ApiServerReason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import node_identity, resolve

API_SERVER = "kubernetes.default.svc"
HOSTS_SECONDS = 60.0
"""What the names of all hosts together may take: each may be answered slowly."""
LEADER_SECONDS = 3.0
LEADERS_SECONDS = 60.0
"""What all nodes together may take: a Solr of others may list thousands that do not respond."""


@dataclass(frozen=True)
class TargetEndpoint:
    """A target as it may be asked."""

    urls: list[str]
    """Base URLs of the Solr nodes, or of what stands in front of existing ones: the same for the
    operator and for the pods of the benchmark."""
    auth: HttpAuth
    nodes: bool
    """Whether the URLs are presumably those of the nodes themselves."""


def resolve_endpoint(
    cluster: Cluster,
    allowed: tuple[str, ...],
    namespace: str,
    existing: Existing,
    was_ready: bool = False,
) -> TargetEndpoint:
    """Return the way in; all nodes of a SolrCloud must be ready, unless they were before.

    Raises:
        TemporaryError: if a Secret, the SolrCloud or a host is missing; it may be made later.
        PermanentError: `HostNotAllowed`.
    """
    access = secret_auth(cluster, namespace, existing)
    name = existing.solr_cloud_name
    given = existing.urls or _node_urls(cluster, namespace, name or "", was_ready)
    urls = [qualify(url, namespace) for url in given]
    check_hosts(cluster, allowed, urls)
    return TargetEndpoint(urls, access, nodes=name is not None or len(urls) > 1)


def check_hosts(cluster: Cluster, allowed: tuple[str, ...], urls: Iterable[str]) -> None:
    """Check the hosts of URLs, first by name, then by what they resolve to now.

    Raises:
        TemporaryError: if one cannot be resolved, or all not in `HOSTS_SECONDS`.
        PermanentError: `HostNotAllowed`.
    """
    hosts = sorted({host_of(url) for url in urls})
    for host in hosts:
        check_name(host, allowed)
    check = address_check(cluster, allowed=allowed)
    end = time.monotonic() + HOSTS_SECONDS
    for host in hosts:
        if time.monotonic() > end:
            text = f"spec.target: {len(hosts)} hosts were not resolved in {HOSTS_SECONDS:g} s"
            raise TemporaryError(LifecycleReason.HOST_NOT_FOUND, text)
        check(host, resolve(host))


def address_check(
    cluster: Cluster, field: str = "spec.target", allowed: Sequence[str] = ("*",)
) -> AddressCheck:
    """Return the check of each connection: a name may resolve to another address than before.

    Only the addresses that were checked are connected to. With `allowed`, the patterns of the
    operator's settings, Services of the benchmark's namespace must lead to pods of it.
    """
    api_server = cache(lambda: api_server_addresses(cluster))

    def check(host: str, addresses: Sequence[str]) -> None:
        check_addresses(host, addresses, api_server(), field)
        named = service_of(host, allowed)
        if named is None:
            return
        # Who may write Services could lead the operator out of the namespace by one of them, and
        # with it the credentials that it sends.
        service = cluster.get("v1", "Service", *named)
        selector = check_service(host, service)
        # In parts: many benchmarks are checked at once, before one of them has its turn.
        pods = cluster.list_in_parts("v1", "Pod", named[0], selector)
        check_service_addresses(host, addresses, service or {}, pods)

    return check


def connect_checked(
    cluster: Cluster,
    urls: list[str],
    timeout_seconds: float,
    auth: HttpAuth,
    allowed: Sequence[str] = ("*",),
) -> SolrClient:
    """Return a client that connects to no address that is never allowed."""
    return SolrClient(urls, timeout_seconds, auth, address_check(cluster, allowed=allowed))


def leader_urls(
    cluster: Cluster,
    allowed: tuple[str, ...],
    namespace: str,
    endpoint: TargetEndpoint,
    found: list[Replica],
) -> dict[str, str]:
    """Return the nodes that may be addressed directly: Solr's address of each, to the one to use.

    Documents go to the leaders themselves if the endpoint is the nodes; what stands in front of
    them, given by a single URL, is part of what is measured and is not passed by. A node whose
    address is not allowed, or does not respond, is reached through the endpoint too.
    """
    if not endpoint.nodes:
        return {}
    urls = {}
    for replica in found:
        with suppress(ValueError):  # no URL: the image of Solr and ZooKeeper may hold any address
            urls[replica.base_url] = qualify(replica.base_url, namespace)
    check, reachable = address_check(cluster, allowed=allowed), {}
    end = time.monotonic() + LEADERS_SECONDS
    for own, url in urls.items():
        if time.monotonic() > end:
            break
        try:
            check_name(host_of(url), allowed)
            with SolrClient([url], LEADER_SECONDS, endpoint.auth, check) as solr:
                node_identity(solr, url)
            reachable[own] = url
        except SolrbenchError as error:
            if error.reason == ApiServerReason.API_UNREACHABLE:
                raise  # it says nothing of the node, and the way of all documents is chosen once
    return reachable


def api_server_addresses(cluster: Cluster) -> list[str]:
    """Return the addresses of the API server, as far as they can be resolved now."""
    addresses = []
    for host in [API_SERVER, *cluster.server_hosts()]:
        with suppress(TemporaryError):  # outside the cluster, the client's own address counts
            addresses += resolve(host)
    return addresses


def _node_urls(cluster: Cluster, namespace: str, name: str, was_ready: bool) -> list[str]:
    """Return the URLs of a SolrCloud's nodes, which are waited for until all are ready."""
    try:
        body = cluster.get(*SOLR_CLOUDS.reference, namespace, name)
        cloud = ExistingSolrCloud(name, namespace, served=True, body=body, was_ready=was_ready)
    except KindNotServedError:
        cloud = ExistingSolrCloud(name, namespace, served=False, body=None)
    apply_outcome(check_existing_cloud(cloud))
    return cloud.node_urls
