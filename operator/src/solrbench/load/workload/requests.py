"""Queries as the bytes of HTTP/1.1 requests, prepared before the load starts.

A request is put together from parts that were encoded once: what depends on the node once for
each node and shape, what depends on the query once for each query.
"""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from solrbench.api.v1alpha1.request_mix import Expectation, MixEntry, Updates
from solrbench.api.v1alpha1.workload import Workload
from solrbench.contract.endpoints import DEFAULT_PORTS
from solrbench.load.errors import LoadError
from solrbench.load.workload.name_table import (
    OMIT_HEADER,
    WRAPPER,
    RequestNameTable,
    ResponseVisibility,
    visibility_of,
)
from solrbench.load.workload.query_file import LazySequence, WorkloadQuery
from solrbench.load.workload.response_checks import (
    CompiledExpectation,
    RequestFailure,
    compile_expectation,
)
from solrbench.load.workload.templates import encode_parameters, with_defaults
from solrbench.net.http import NO_AUTH, HttpAuth
from solrbench.reasons.load import LoadReason


class BodyKind(IntEnum):
    """How a request carries its query."""

    GET = 0
    """Parameters in the address."""
    FORM = 1
    """Parameters as a form."""
    JSON = 2
    """Parameters in the address, and a JSON body."""


class ActiveTransaction(Protocol):
    """The transaction that a request belongs to."""

    summary_request: "PreparedRequest"
    """What the transaction itself is counted as."""
    elapsed_ns: int
    """Service times of its requests that have ended."""

    def extract(self, body: bytes) -> RequestFailure | None:
        """Take the values of a response; return why that is impossible."""

    def advance(
        self, started_ns: int, ended_ns: int, received: int, failed: RequestFailure | None
    ) -> "NextRequest | CompletedTransaction":
        """Take the end of the request under way, which is counted already; return what follows."""


class RequestExtras(NamedTuple):
    """What only some requests have."""

    content: bytes = b""
    """Length and body of a request of the kind `JSON`; stands after the node's headers."""
    expectation: CompiledExpectation | None = None
    transaction: ActiveTransaction | None = None


class PreparedRequest(NamedTuple):
    """What the engine needs to send and check one request."""

    body: bytes
    """The part that depends on the query."""
    name: int
    """Place of its name in `PreparedWorkload.names`."""
    is_readable: bool
    """The response is JSON or javabin, so its content can be checked."""
    template_index: int = 0
    """Handler and kind: place in `Node.request_templates`."""
    extra: RequestExtras | None = None


def variable_part(kind: BodyKind, text: str) -> bytes:
    """Return encoded parameters as the varying part of a request."""
    return (f"{len(text)}\r\n\r\n{text}" if kind is BodyKind.FORM else text).encode("ascii")


def json_content(body: bytes) -> bytes:
    """Return the end of a request of the kind `JSON`."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def describe_request(request: PreparedRequest) -> str:
    """Return the request as it was sent, on one short line: parameters, then the JSON body."""
    text = request.body.decode().rpartition("\r\n\r\n")[2]
    if request.extra is not None and request.extra.content:
        content = request.extra.content
        begin = content.find(b"\r\n\r\n") + 4
        # No more of it: batches of megabytes, one after another, would keep the engine silent.
        shown = content[begin : begin + _SHOWN_BYTES].decode("utf-8", "replace")
        text = f"{text} {shown}"
    return " ".join(text.split())[:_LONGEST_TEXT]


class NextRequest(NamedTuple):
    """What follows a request of a transaction."""

    request: PreparedRequest
    think_seconds: float
    """To wait before it is sent."""


class CompletedTransaction(NamedTuple):
    """A whole transaction, as it is counted: the order of the fields is that of `record`."""

    request: PreparedRequest
    started_ns: int
    """Its end without the time that its requests took: what it thinks is left out."""
    ended_ns: int
    received: int
    """Bytes of all its responses."""
    failed: RequestFailure | None
    """What its last request failed of."""


PREPARED_AHEAD = 100_000
"""Requests of a list that are kept ready, some 20 MB; those of longer lists are made when they are
sent, which costs a few microseconds each."""

UPDATE_HANDLER = "/update"
"""Where updates go unless their entry names another handler."""

_LONGEST_TEXT = 300
"""Characters of a request that are shown."""

_SHOWN_BYTES = 8 * _LONGEST_TEXT
"""Of a body, in which they are looked for."""

_HEADERS = "Accept: application/json\r\nUser-Agent: solrbench\r\n"
_FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
_JSON = "Content-Type: application/json\r\n"

_SEARCH_HANDLERS = frozenset({"/select", "/query"})
"""Where a JSON body is a query; elsewhere it may be documents."""


@dataclass(frozen=True)
class Node:
    """One node and the parts of a request that depend on it."""

    host: str
    port: int
    # Not printed: it may hold credentials.
    request_templates: tuple[tuple[bytes, bytes], ...] = field(repr=False)
    """What stands before and after the query, for each handler and kind."""
    tls: ssl.SSLContext | None = None
    """Trust for https, None for http."""
    update_templates: frozenset[int] = frozenset()
    """Shapes of requests that change documents."""

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{self.host}:{self.port}"

    def message(self, request: PreparedRequest) -> bytes:
        """Return the bytes of a request to this node."""
        body, _, _, shape, extra = request
        head, tail = self.request_templates[shape]
        message = head + body + tail
        return message if extra is None else message + extra.content


class RequestBuilder:
    """Makes the requests of one entry of a workload."""

    def __init__(self, workload: Workload, entry: MixEntry, names: RequestNameTable) -> None:
        """Encode what is the same for all queries; new names are added to `names`."""
        self._names = names
        self._name = entry.name
        handler = entry.handler or workload.handler
        self._template_index = first_template_index(workload, handler)
        self._kind = BodyKind.GET if (entry.method or workload.method) == "GET" else BodyKind.FORM
        self._defaults = {"wt": "json", **workload.parameters, **entry.parameters}
        self._encoded = encode_parameters(self._defaults.items())
        self._visibility = visibility_of(self._defaults.items())
        self._decisive = self._defaults.keys() | {OMIT_HEADER, WRAPPER}
        self._extra = _expecting(entry.expect or workload.expect)

    def build(self, query: WorkloadQuery) -> PreparedRequest:
        """Return the request of a query, with the workload's parameters under its own.

        It raises `LoadError` with `MalformedQueries` if its name is that of a transaction.
        """
        if query.name in self._names.reserved:
            raise LoadError(
                LoadReason.MALFORMED_QUERIES,
                f'a line of {self._name} has the "name" {query.name}, under which a transaction is'
                " counted; give the line another name",
            )
        text, view = self._text(query)
        name = self._names.index_of(query.name or self._name, view)
        kind, extra = self._kind, self._extra
        if query.method is not None:
            kind = BodyKind.GET if query.method == "GET" else BodyKind.FORM
        if query.expect is not None:
            extra = _expecting(query.expect)
        if query.json is not None:
            kind = BodyKind.JSON
            extra = (extra or RequestExtras())._replace(content=json_content(query.json))
        template_index = self._template_index + kind
        return PreparedRequest(variable_part(kind, text), name, view.content, template_index, extra)

    def check(self, query: WorkloadQuery) -> None:
        """Settle the name of a query and what its response shows, at a fifth of the price.

        It raises `LoadError` as `build`.
        """
        decisive, special = self._decisive, query.name or query.json or query.method or query.expect
        # An ordinary one can be encoded, and shows what the workload's parameters say.
        if special is None and all(
            name not in decisive and name.isascii() and value.isascii()
            for name, value in query.parameters
        ):
            self._names.index_of(self._name, self._visibility)
        else:
            self.build(query)

    def _text(self, query: WorkloadQuery) -> tuple[str, ResponseVisibility]:
        if query.json is None and self._decisive.isdisjoint([key for key, _ in query.parameters]):
            own = encode_parameters(query.parameters)
            return (f"{own}&{self._encoded}" if own else self._encoded), self._visibility
        whole = with_defaults(query.parameters, self._defaults)
        return encode_parameters(whole), visibility_of(whole, query.json)


def _expecting(expectation: Expectation | None) -> RequestExtras | None:
    compiled = compile_expectation(expectation)
    return None if compiled is None else RequestExtras(expectation=compiled)


@dataclass(frozen=True, eq=False, repr=False)
class RequestsOnDemand(LazySequence[PreparedRequest]):
    """The requests of a long list, each made when it is taken."""

    builder: RequestBuilder
    queries: Sequence[WorkloadQuery]
    """All of them are checked."""

    def __len__(self) -> int:
        return len(self.queries)

    def item(self, index: int) -> PreparedRequest:
        """Return the request of an index."""
        return self.builder.build(self.queries[index])


def build_requests(
    builder: RequestBuilder, queries: Sequence[WorkloadQuery], *, check_all: bool
) -> Sequence[PreparedRequest]:
    """Return the requests of `queries`, prepared ahead up to a number of them.

    With `check_all` the others are checked, too, which settles their names.

    It raises `LoadError` if a query is malformed, or there is none.
    """
    ready: list[PreparedRequest] = []
    for query in queries if check_all else islice(queries, PREPARED_AHEAD):
        if len(ready) < PREPARED_AHEAD:
            ready.append(builder.build(query))
        else:
            builder.check(query)
    return ready if len(queries) <= PREPARED_AHEAD else RequestsOnDemand(builder, queries)


def prepare_update(
    workload: Workload, entry: MixEntry, updates: Updates, names: RequestNameTable
) -> PreparedRequest:
    """Return what all updates of an entry have in common; a new name is added to `names`."""
    parameters = {"wt": "json", **entry.parameters}
    if updates.commit_within_milliseconds is not None:
        parameters["commitWithin"] = str(updates.commit_within_milliseconds)
    view = visibility_of(parameters.items())
    return PreparedRequest(
        body=encode_parameters(parameters.items()).encode("ascii"),
        name=names.index_of(entry.name, view),
        is_readable=view.content,
        template_index=first_template_index(workload, entry.handler or UPDATE_HANDLER)
        + BodyKind.JSON,
    )


def first_template_index(workload: Workload, handler: str) -> int:
    """Return the place of a handler's first shape in `Node.request_templates`."""
    return _handlers(workload).index(handler) * len(BodyKind)


def prepare_node(workload: Workload, collection: str, url: str, access: HttpAuth = NO_AUTH) -> Node:
    """Return a node from its base URL, such as `http://host:8983/solr`.

    It raises `LoadError` with `BadPlan` if that is not of http or https, and `PermanentError` with
    `CertificateNotTrusted` if the certificates to trust cannot be read.
    """
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        text = f"solrUrls: {url} must begin with http:// and name a host"
        raise LoadError(LoadReason.BAD_PLAN, text)
    base = f"{parts.path.rstrip('/')}/{collection}"
    own = "".join(f"{name}: {value}\r\n" for name, value in access.headers.items())
    # Without the user and password that a URL may hold (RFC 9112, 3.2).
    host = parts.netloc.rpartition("@")[2]
    headers = f"Host: {host}\r\n{own}{_HEADERS}"
    templates: list[tuple[bytes, bytes]] = []
    for path in (f"{base}{handler}" for handler in _handlers(workload)):
        # Head and tail of every kind, in the order of `BodyKind`.
        templates += [
            (f"GET {path}?".encode(), f" HTTP/1.1\r\n{headers}\r\n".encode()),
            (f"POST {path} HTTP/1.1\r\n{headers}{_FORM}Content-Length: ".encode(), b""),
            (f"POST {path}?".encode(), f" HTTP/1.1\r\n{headers}{_JSON}".encode()),
        ]
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    tls = access.verify if parts.scheme == "https" else None
    writing = {entry.handler for entry in workload.entries if entry.updates is not None}
    # What changes documents, or may do so: all that goes to `/update` or to the handler of an entry
    # with `updates`, whatever its name, and JSON bodies to any handler not known to search.
    update_templates = frozenset(
        index * len(BodyKind) + kind
        for index, handler in enumerate(_handlers(workload))
        for kind in BodyKind
        if handler.startswith(UPDATE_HANDLER)
        or handler in writing
        or (kind is BodyKind.JSON and handler not in _SEARCH_HANDLERS)
    )
    return Node(parts.hostname, port, tuple(templates), tls, update_templates)


def _handlers(workload: Workload) -> list[str]:
    """Return every handler that gets requests, each once."""
    handlers = [workload.handler]
    for entry in workload.entries:
        if entry.updates is not None:
            handlers.append(entry.handler or UPDATE_HANDLER)
        elif entry.transaction is not None:
            handlers += [each.handler for each in entry.transaction.requests if each.handler]
        elif entry.handler:
            handlers.append(entry.handler)
    return list(dict.fromkeys(handlers))
