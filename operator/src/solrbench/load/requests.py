"""Queries as the bytes of HTTP/1.1 requests, prepared once.

A request is `node.head + request.body + node.tail`: what depends on the node is kept once for
each node, what depends on the query once for each query.
"""

import ssl
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote_plus, urlsplit

from solrbench.access import OPEN, Access
from solrbench.api.v1alpha1.workload import Workload
from solrbench.load.failures import LoadFailure
from solrbench.load.queries import Query

_HEADERS = "Accept: application/json\r\nUser-Agent: solrbench\r\n"
_PORTS = {"http": 80, "https": 443}
_FORM = "Content-Type: application/x-www-form-urlencoded\r\n"


class PreparedRequest(NamedTuple):
    """What the core needs to send and judge one request."""

    body: bytes
    """The part that depends on the query."""
    name: int
    """Place of its name in `RequestList.names`."""
    json: bool
    """The answer is JSON, so its content can be checked."""


@dataclass(frozen=True)
class RequestList:
    """All requests of a workload, in the order of the list."""

    names: tuple[str, ...]
    requests: Sequence[PreparedRequest]


@dataclass(frozen=True)
class Node:
    """One node and the parts of a request that depend on it.

    Attributes:
        host: its name
        port: its port
        head: what stands before the query; it may hold credentials, so nobody prints it
        tail: what stands after the query, likewise
        tls: trust for https, `None` for http

    """

    host: str
    port: int
    head: bytes = field(repr=False)
    tail: bytes = field(repr=False)
    tls: ssl.SSLContext | None = None


def prepare_requests(workload: Workload, queries: Iterable[Query]) -> RequestList:
    """Return the requests for `queries`, with the workload's parameters under their own."""
    names: dict[str, int] = {}
    requests = [
        _prepare(workload, query, names.setdefault(query.name or workload.request_name, len(names)))
        for query in queries
    ]
    return RequestList(tuple(names), requests)


def prepare_node(workload: Workload, collection: str, url: str, access: Access = OPEN) -> Node:
    """Return a node from its base URL, such as `http://host:8983/solr`.

    Raises:
        LoadFailure: `BadPlan` if the URL is not of http or https.
        Never: `CertificateNotTrusted` if the certificates to trust cannot be read.

    """
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise LoadFailure("BadPlan", f"solrUrls: {url} must begin with http:// and name a host")
    path = f"{parts.path.rstrip('/')}/{collection}{workload.handler}"
    own = "".join(f"{name}: {value}\r\n" for name, value in access.headers.items())
    headers = f"Host: {parts.netloc}\r\n{own}{_HEADERS}"
    if workload.method == "GET":
        head, tail = f"GET {path}?", f" HTTP/1.1\r\n{headers}\r\n"
    else:
        head, tail = f"POST {path} HTTP/1.1\r\n{headers}{_FORM}Content-Length: ", ""
    port = parts.port or _PORTS[parts.scheme]
    tls = access.ssl_context if parts.scheme == "https" else None
    return Node(parts.hostname, port, head.encode(), tail.encode(), tls)


def _prepare(workload: Workload, query: Query, name: int) -> PreparedRequest:
    own = {key for key, _ in query.parameters}
    defaults = {"wt": "json", **workload.parameters}
    pairs = [*query.parameters, *((k, v) for k, v in defaults.items() if k not in own)]
    text = "&".join(f"{quote_plus(key)}={quote_plus(value)}" for key, value in pairs)
    is_json = ("wt", "json") in pairs
    if workload.method == "POST":
        text = f"{len(text)}\r\n\r\n{text}"
    return PreparedRequest(text.encode("ascii"), name, is_json)
