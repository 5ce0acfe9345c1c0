"""A request whose bytes are ready, and what it knows of its transaction."""

from enum import IntEnum
from typing import NamedTuple, Protocol

from solrbench.load.validation.expectations import Expected
from solrbench.load.validation.response_checks import Failure


class Kind(IntEnum):
    """How a request carries what it asks."""

    GET = 0
    """Parameters in the address."""
    FORM = 1
    """Parameters as a form."""
    JSON = 2
    """Parameters in the address, and a JSON body."""


class Transaction(Protocol):
    """The transaction that a request belongs to."""

    @property
    def whole(self) -> "PreparedRequest":
        """What the transaction itself is counted as."""

    def extract(self, body: bytes) -> Failure | None:
        """Take the values of an answer; return why that is impossible."""

    def follow(
        self,
        counter: "Counter",
        began_ns: int,
        ended_ns: int,
        received: int,
        failed: Failure | None,
    ) -> "Sequel | None":
        """Take the end of the request under way, which is counted already; return what follows."""


class Extra(NamedTuple):
    """What only some requests have."""

    content: bytes = b""
    """Length and body of a request of the kind `JSON`; stands after the node's headers."""
    expected: Expected | None = None
    """What the answer must show."""
    flow: Transaction | None = None
    """The transaction that the request belongs to."""


class PreparedRequest(NamedTuple):
    """What the core needs to send and judge one request."""

    body: bytes
    """The part that depends on the query."""
    name: int
    """Place of its name in `RequestList.names`."""
    json: bool
    """The answer is JSON, so its content can be checked."""
    shape: int = 0
    """Handler and kind: place in `Node.shapes`."""
    extra: Extra | None = None
    """What only some requests have."""


def in_shape(kind: Kind, text: str) -> bytes:
    """Return encoded parameters as the varying part of a request."""
    return (f"{len(text)}\r\n\r\n{text}" if kind is Kind.FORM else text).encode("ascii")


def json_content(body: bytes) -> bytes:
    """Return the end of a request of the kind `JSON`."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def text_of(request: PreparedRequest) -> str:
    """Return what was asked, as it was sent: parameters, then the JSON body."""
    text = request.body.decode().rpartition("\r\n\r\n")[2]
    if request.extra is not None and request.extra.content:
        content = request.extra.content.partition(b"\r\n\r\n")[2].decode("utf-8", "replace")
        return f"{text} {content}"
    return text


class Counter(Protocol):
    """The pass that a transaction is in."""

    def record(
        self,
        request: PreparedRequest,
        began_ns: int,
        ended_ns: int,
        received: int,
        failed: Failure | None,
    ) -> bool:
        """Count a request."""

    def is_closed(self, now_ns: int) -> bool:
        """Say whether the time to start requests is over."""


class Sequel(NamedTuple):
    """What follows a request of a transaction."""

    request: PreparedRequest
    think_seconds: float
    """To wait before it is sent."""
