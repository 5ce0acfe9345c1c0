"""Addresses of both families, to send to and to listen on."""

import socket

LISTEN_ALL = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}  # noqa: S104 - pods are asked from outside


def url_host(host: str) -> str:
    """Return a host as a URL has it: an IPv6 address in brackets (RFC 3986, section 3.2.2)."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def wildcard_address() -> str:
    """Return the address that takes connections of both families: `::`, or `0.0.0.0` without IPv6.

    It is for servers that leave `IPV6_V6ONLY` off, which asyncio's do not (see `single_family`).
    """
    if socket.has_dualstack_ipv6():
        try:
            socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True).close()
        except OSError:  # such as with IPv6 switched off by sysctl
            return LISTEN_ALL[socket.AF_INET]
        return LISTEN_ALL[socket.AF_INET6]
    return LISTEN_ALL[socket.AF_INET]


def single_family(address: str) -> list[str]:
    """Return the addresses to listen on for servers with `IPV6_V6ONLY`, as those of asyncio."""
    return list(LISTEN_ALL.values()) if address == LISTEN_ALL[socket.AF_INET6] else [address]
