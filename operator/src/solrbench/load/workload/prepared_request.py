"""A request whose bytes are ready, and what it knows of its transaction."""

from enum import IntEnum
from typing import NamedTuple, Protocol

from solrbench.load.validation.expectations import CompiledExpectation
from solrbench.load.validation.response_checks import RequestFailure


class BodyKind(IntEnum):
    """How a request carries its query."""

    GET = 0
    """Parameters in the address."""
    FORM = 1
    """Parameters as a form."""
    JSON = 2
    """Parameters in the address, and a JSON body."""


class Transaction(Protocol):
    """The transaction that a request belongs to."""

    @property
    def summary_request(self) -> "PreparedRequest":
        """What the transaction itself is counted as."""

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
    """What the response must show."""
    transaction: Transaction | None = None
    """The transaction that the request belongs to."""


class PreparedRequest(NamedTuple):
    """What the engine needs to send and check one request."""

    body: bytes
    """The part that depends on the query."""
    name: int
    """Place of its name in `RequestList.names`."""
    is_json: bool
    """The response is JSON, so its content can be checked."""
    template_index: int = 0
    """Handler and kind: place in `Node.shapes`."""
    extra: RequestExtras | None = None
    """What only some requests have."""


def variable_part(kind: BodyKind, text: str) -> bytes:
    """Return encoded parameters as the varying part of a request."""
    return (f"{len(text)}\r\n\r\n{text}" if kind is BodyKind.FORM else text).encode("ascii")


def json_content(body: bytes) -> bytes:
    """Return the end of a request of the kind `JSON`."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def describe_request(request: PreparedRequest) -> str:
    """Return the request as it was sent: parameters, then the JSON body."""
    text = request.body.decode().rpartition("\r\n\r\n")[2]
    if request.extra is not None and request.extra.content:
        content = request.extra.content.partition(b"\r\n\r\n")[2].decode("utf-8", "replace")
        return f"{text} {content}"
    return text


class NextRequest(NamedTuple):
    """What follows a request of a transaction."""

    request: PreparedRequest
    think_seconds: float
    """To wait before it is sent."""


class CompletedTransaction(NamedTuple):
    """A whole transaction, as it is counted: the order of the fields is that of `record`."""

    request: PreparedRequest
    """What it is counted as."""
    started_ns: int
    """Its end without the time that its requests took: what it thinks is left out."""
    ended_ns: int
    received: int
    """Bytes of all its responses."""
    failed: RequestFailure | None
    """What its last request failed of."""
