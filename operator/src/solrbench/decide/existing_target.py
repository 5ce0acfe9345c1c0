"""Whether an existing target may be measured, can be, and still is what it was.

Permission to create a benchmark must not give access to everything the operator can reach: without
a list of hosts, `urls` could address the metadata service of a cloud or the API server.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from solrbench.api.v1alpha1.collection import Collection
from solrbench.decide.collection import check_active
from solrbench.decide.outcome import Outcome, fail, restart_target, wait
from solrbench.decide.views import NodeIdentity, Replica
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason

FIELD = "target.existing.solrCloudName"

PATIENCE = timedelta(seconds=60)
"""How long an existing target may not respond; a saturated one responds late."""


@dataclass(frozen=True)
class ExistingSolrCloud:
    """A SolrCloud resource of another owner."""

    name: str
    namespace: str
    served: bool
    body: dict[str, Any] | None
    """The resource, or `None` if there is none of this name."""
    was_ready: bool = False
    """Whether all of its nodes were ready before."""

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """Its nodes, from the status that the Solr Operator writes."""
        status = (self.body or {}).get("status") or {}
        return list(status.get("solrNodes") or [])

    @property
    def node_urls(self) -> list[str]:
        """Base URL of every node whose pod has a place."""
        # The name of one that was added since, and cannot be scheduled, does not resolve.
        placed = (node for node in self.nodes if node.get("ready") or node.get("nodeName"))
        return [f"{node['internalAddress']}/solr" for node in placed]


def check_existing_cloud(cloud: ExistingSolrCloud) -> Outcome | None:
    """Wait until the cluster serves SolrClouds, this one exists and all of its nodes are ready."""
    if not cloud.served:
        return wait(
            TargetReason.SOLR_OPERATOR_MISSING,
            f"{FIELD}: the cluster does not serve SolrClouds; install the Solr Operator, or set"
            " urls",
        )
    if cloud.body is None:
        return wait(
            TargetReason.SOLR_CLOUD_NOT_FOUND,
            f"{FIELD}: there is no SolrCloud {cloud.name} in namespace {cloud.namespace};"
            " create it",
        )
    ready = sum(bool(node.get("ready")) for node in cloud.nodes)
    # One that was just applied has no status yet, and no node in it. A node under load may be too
    # busy for its probes; whether it is still the one that it was, is checked otherwise.
    if cloud.node_urls and (cloud.was_ready or ready == len(cloud.nodes)):
        return None
    return wait(
        TargetReason.SOLR_CLOUD_NOT_READY,
        f"{FIELD}: {ready} of {len(cloud.nodes)} nodes of {cloud.name} are ready",
    )


def check_user_collection(name: str, replicas: Sequence[Replica]) -> Outcome | None:
    """Wait until a collection of the user's exists and every replica is active."""
    if replicas:
        return check_active(replicas)
    return wait(
        TargetReason.COLLECTION_NOT_FOUND,
        f"target.existing.collectionName: there is no collection {name}; create it",
    )


def check_own_collection(name: str, config_set: str | None, prefix: str) -> Outcome | None:
    """Fail if the collection that uses a config set was not created by the benchmark.

    The config sets of all its attempts begin with `prefix`.
    """
    if config_set is None or config_set.startswith(prefix):
        return None
    return fail(
        TargetReason.COLLECTION_EXISTS,
        f"target.existing has a collection {name} that this benchmark did not create; it"
        " is left alone, give the benchmark another name",
    )


def check_enough_nodes(wanted: Collection, live: int) -> Outcome | None:
    """Fail if an existing target has fewer nodes than a shard has replicas."""
    if wanted.replicas.total <= live:
        return None
    return fail(
        TargetReason.TOO_FEW_NODES,
        f"collection.replicas adds up to {wanted.replicas.total}, but target.existing has {live}"
        " live nodes; lower the replicas or add nodes, as replicas of one shard on the same node"
        " add no redundancy",
    )


@dataclass(frozen=True)
class ExistingNodes:
    """The nodes of an existing target that was ready."""

    started: Mapping[str, str]
    """Start of each node's JVM at that time, by name."""
    found: Mapping[str, NodeIdentity] | SolrbenchError
    """What the nodes report now, or why they could not be read."""
    unanswered: timedelta
    """Time since the first request without a response."""
    required: bool = False
    """Whether the response is needed now, as before a result is stored."""


def check_existing_nodes(nodes: ExistingNodes) -> Outcome | None:
    """Restart the target after a long silence, or after a node left or was restarted."""
    if isinstance(nodes.found, SolrbenchError):
        if nodes.unanswered > PATIENCE:
            message = (
                f"no response for {nodes.unanswered.total_seconds():.0f} s, limit"
                f" {PATIENCE.total_seconds():.0f} s: {nodes.found.message}"
            )
            return restart_target(TargetReason.TARGET_UNREACHABLE, message)
        # A saturated Solr responds late: that is no loss, but no proof either.
        return wait(nodes.found.reason, nodes.found.message) if nodes.required else None
    # Nodes that joined since do not matter.
    for name, started in nodes.started.items():
        if name not in nodes.found:
            message = f"node {name} is no longer live"
            return restart_target(TargetReason.TARGET_NODE_LOST, message)
        if nodes.found[name].started != started:
            return restart_target(TargetReason.TARGET_NODE_LOST, f"node {name} was restarted")
    return None


DEFAULT_PATTERNS = ("*.{namespace}.svc", "*.{namespace}.svc.cluster.local")
"""Services of the benchmark's own namespace."""

_FIELD = "spec.target"

_METADATA = frozenset(map(ip_address, ("fd00:ec2::254", "168.63.129.16", "100.100.100.200")))
"""Of AWS by IPv6, Azure and Alibaba Cloud; all others are link-local."""

_CARRIERS = tuple(map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")))
"""NAT64 (RFC 6052, section 2.1, and RFC 8215), and IPv4-compatible addresses (RFC 4291, section
2.5.5.1): the last four bytes are an address of IPv4."""

_NODE = re.compile(r"(?P<set>[^.]+)-\d+\.(?P=set)(-headless)?|[^.]+-solrcloud-\d+")
"""A pod below the headless Service of its StatefulSet, or a Service of one node's own."""


def qualify(url: str, namespace: str, companions: Mapping[str, str] | None = None) -> str:
    """Return a URL whose host means the same wherever it is resolved.

    A name that is among the Services of `companions` becomes the host there. Another name without
    dots is a Service in the benchmark's namespace; so is what the Solr Operator (v0.9.1 and
    v0.10.0) writes as the address of a node, without `.svc`.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        return url
    if companions and host in companions:
        full = companions[host]
    elif "." not in host:
        full = f"{host}.{namespace}.svc"
    elif host.endswith(f".{namespace}") and _NODE.fullmatch(host.removesuffix(f".{namespace}")):
        full = f"{host}.svc"
    else:
        full = host
    netloc = full if parts.port is None else f"{full}:{parts.port}"
    return urlunsplit((parts.scheme, netloc, parts.path.rstrip("/"), "", ""))


def host_of(url: str) -> str:
    """Return the host of a URL, in lower case and without the brackets of IPv6."""
    return urlsplit(url).hostname or ""


def patterns_in(patterns: Sequence[str], namespace: str) -> tuple[str, ...]:
    """Return patterns as they hold for benchmarks of a namespace: `{namespace}` replaced by it."""
    return tuple(pattern.replace("{namespace}", namespace) for pattern in patterns)


def check_name(
    host: str,
    allowed: Sequence[str],
    field: str = _FIELD,
    setting: str = "existingTargets.allowedHosts",
) -> None:
    """Check a host against the patterns of the operator's settings.

    `field` is the one that names the host, `setting` the value of the chart with the patterns.
    """
    if not any(fnmatchcase(host, pattern.lower()) for pattern in allowed):
        raise PermanentError(
            LifecycleReason.HOST_NOT_ALLOWED,
            f"{field}: {host} matches none of the operator's allowed hosts"
            f" ({', '.join(allowed) or 'none'}); add it to {setting} of the operator's chart",
        )


_SERVICE = re.compile(r"(?:.+\.)?([^.]+)\.([^.]+)\.svc(?:\.cluster\.local)?")
"""A Service, or what is below a headless one."""


def service_of(host: str, allowed: Sequence[str]) -> tuple[str, str] | None:
    """Return namespace and name of the Service that a host must lead to the pods of.

    There is none where a pattern of the installer's names the host in another way than the default
    patterns do: that one may lead out of the namespace.
    """
    found = _SERVICE.fullmatch(host)
    if found is None:
        return None
    name, namespace = found.groups()
    own = patterns_in(DEFAULT_PATTERNS, namespace)
    others = (pattern.lower() for pattern in allowed if pattern not in own)
    return None if any(fnmatchcase(host, each) for each in others) else (namespace, name)


def check_service(host: str, service: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the labels by which a Service selects its pods.

    Raises:
        PermanentError: `HostNotAllowed` if it selects none: it may lead to any address.
        TemporaryError: `HostNotFound` if there is none.
    """
    if service is None:
        message = f"{_FIELD}: {host} is no Service; create it"
        raise TemporaryError(LifecycleReason.HOST_NOT_FOUND, message)
    spec = service.get("spec") or {}
    selected: dict[str, str] = spec.get("selector") or {}
    if spec.get("type") != "ExternalName" and selected:
        return selected
    raise PermanentError(
        LifecycleReason.HOST_NOT_ALLOWED,
        f"{_FIELD}: Service {service['metadata']['name']} selects no pods, so {host} may be any"
        " address; give it a selector, or add this host to existingTargets.allowedHosts of the"
        " operator's chart",
    )


def check_service_addresses(
    host: str,
    addresses: Iterable[str],
    service: Mapping[str, Any],
    pods: Iterable[Mapping[str, Any]],
) -> None:
    """Wait until all that a host resolves to are addresses of its Service or of its pods."""
    spec = service["spec"]
    known = {*(spec.get("clusterIPs") or ()), spec.get("clusterIP")}
    for pod in pods:
        status = pod.get("status") or {}
        known |= {each.get("ip") for each in status.get("podIPs") or ()} | {status.get("podIP")}
    own = {_normalise(each) for each in known if each and each != "None"}
    foreign = [each for each in addresses if _normalise(each) not in own]
    if foreign:
        raise TemporaryError(
            LifecycleReason.HOST_NOT_FOUND,
            f"{_FIELD}: {host} is {', '.join(foreign)}, which is no address of its Service or of"
            " a pod that this selects",
        )


def check_addresses(
    host: str, addresses: Iterable[str], api_server: Iterable[str], field: str = _FIELD
) -> None:
    """Check what a host resolves to; the patterns cannot allow these.

    Raises:
        PermanentError: `HostNotAllowed` for the operator itself, its node, or the API server.
    """
    refused = {_normalise(each) for each in api_server}
    for text in addresses:
        address = _normalise(text)
        what = "the API server" if address in refused else _forbidden_kind(address)
        if what:
            raise PermanentError(
                LifecycleReason.HOST_NOT_ALLOWED,
                f"{field}: {host} is {address}, {what}, which is never allowed; use another host",
            )


def _normalise(text: str) -> IPv4Address | IPv6Address:
    """Return an address, or the one of IPv4 that it carries: mapped, compatible, NAT64 or 6to4."""
    address = ip_address(text.partition("%")[0])  # without the zone of a link-local address
    if not isinstance(address, IPv6Address):
        return address
    if any(address in network for network in _CARRIERS) and int(address) > 1:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _forbidden_kind(address: IPv4Address | IPv6Address) -> str:
    if address.is_loopback:
        return "a loopback address"
    if address.is_link_local:
        return "a link-local address"
    if address in _METADATA:
        return "a metadata service of a cloud"
    if address.is_unspecified or address.is_multicast:
        return "no address of a host"
    return ""
