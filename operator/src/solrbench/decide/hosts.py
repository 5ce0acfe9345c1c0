"""Which hosts a benchmark may lead the operator, or one of its pods, to.

Permission to create a benchmark must not give access to everything the operator can reach: without
a list of hosts, `urls` could address the metadata service of a cloud or the API server.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason

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
