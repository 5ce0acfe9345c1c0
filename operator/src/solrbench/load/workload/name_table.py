"""Request names that are known beforehand, and what the responses to each of them do not show.

What can be seen in a response follows from the parameters of its request. So it is settled once,
while requests are prepared, and costs nothing while the load runs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

OMIT_HEADER = "omitHeader"
"""Solr's parameter for responses without `responseHeader`."""

_WRAPPER = "json.wrf"
"""Solr's parameter for a JavaScript call around the JSON."""

_OFF = ("false", "off", "no")
"""What Solr reads as false (`StrUtils.parseBool`); whatever else it does not refuse is true."""


class ResponseVisibility(NamedTuple):
    """What can be seen in a response."""

    content: bool
    """It is JSON, the only format that is looked into."""
    header: bool
    """It has a `responseHeader`, where partial results are marked."""


FULLY_VISIBLE = ResponseVisibility(content=True, header=True)


def visibility_of(
    parameters: Iterable[tuple[str, str]], json_body: str | bytes | None = None
) -> ResponseVisibility:
    """Return what the response to a request shows, from all that is sent along.

    A JSON body may hold parameters too; one that so much as names `omitHeader` is taken to set it.
    """
    pairs = set(parameters)
    omits = any(key == OMIT_HEADER and value not in _OFF for key, value in pairs)
    if json_body is not None and not omits:
        body = json_body if isinstance(json_body, bytes) else json_body.encode()
        omits = OMIT_HEADER.encode() in body
    wrapped = any(key == _WRAPPER for key, _ in pairs)
    return ResponseVisibility(content=("wt", "json") in pairs and not wrapped, header=not omits)


@dataclass(frozen=True)
class UncheckedNames:
    """Indexes of the request names whose responses cannot be checked; one request is enough.

    Attributes:
        partial: whether a response is partial is not seen
        empty: whether a response is empty is not seen

    """

    partial: frozenset[int] = frozenset()
    empty: frozenset[int] = frozenset()


ALL_CHECKED = UncheckedNames()


class RequestNameTable:
    """The names of a workload by place, as they come.

    Attributes:
        reserved: names of transactions and of their requests, which no query may have: its
            requests would be counted as transactions, and be in no sum

    """

    def __init__(self, reserved: frozenset[str] = frozenset()) -> None:
        self.reserved = reserved
        self._indexes: dict[str, int] = {}
        self._partial: set[int] = set()
        self._empty: set[int] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """All names in the order of their places."""
        return tuple(self._indexes)

    @property
    def unchecked(self) -> UncheckedNames:
        """What their responses do not show."""
        return UncheckedNames(frozenset(self._partial), frozenset(self._empty))

    def index_of(self, name: str, view: ResponseVisibility = FULLY_VISIBLE) -> int:
        """Return the place of a name that a request with this view of its response counts under."""
        index = self._indexes.setdefault(name, len(self._indexes))
        if view != FULLY_VISIBLE:
            self._limit(index, view)
        return index

    def _limit(self, index: int, view: ResponseVisibility) -> None:
        if not (view.content and view.header):
            self._partial.add(index)
        if not view.content:
            self._empty.add(index)
