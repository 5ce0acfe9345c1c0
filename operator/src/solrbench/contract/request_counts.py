"""The numbers of one request name: those that add up, their intervals, and who waited longest.

One value goes from the recorder of a worker to the status. A new number is a field here, with the
rule by which two of its kind become one; everything in between adds whole values.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Annotated, Any

from pydantic import Field, Strict

from solrbench.api.rules import LenientModel, Model


@dataclass(frozen=True)
class AddedBy:
    """How two values of a field, either of which may be absent, become one; metadata of a type."""

    rule: Callable[[Any, Any], Any]


def _add_known(left: int | None, right: int | None) -> int | None:
    # Absent unless both were counted: half a count would pass for the whole.
    return None if left is None or right is None else left + right


def _outermost(
    choose: Callable[..., int | None], left: int | None, right: int | None
) -> int | None:
    return choose((each for each in (left, right) if each is not None), default=None)


_Counted = Annotated[int, Strict(), Field(ge=0, le=2**53)]
"""Events; JSON keeps whole numbers exact up to this bound."""

_Reported = Annotated[int, Strict(), Field(ge=-(2**63), le=2**63 - 1)]
"""Bytes and microseconds. Users of a locustfile report their own, even negative ones."""

Total = Annotated[_Counted, AddedBy(add)]
TotalIfKnown = Annotated[_Counted | None, AddedBy(_add_known)]
Sum = Annotated[_Reported, AddedBy(add)]
Lowest = Annotated[_Reported | None, AddedBy(partial(_outermost, min))]
Highest = Annotated[_Reported | None, AddedBy(partial(_outermost, max))]


class RequestCounts(Model):
    """What was counted of the requests of one name."""

    requests: Total
    """All requests, failures included."""
    failures: Total
    partial_results: TotalIfKnown = None
    """Responses marked `partialResults`; they are failures. None where they cannot be seen: for
    users of a locustfile, and if a response to this name is not JSON or has no header."""
    empty_results: TotalIfKnown = None
    """Good responses with `numFound` 0; None where it cannot be seen: as before, but a header is
    not needed."""
    ramp_requests: Total = 0
    """Sent before the last user had started; in no other number."""
    ramp_failures: Total = 0
    retried_requests: Total = 0
    """Sent a second time because the server had closed the idle connection; each counts once."""
    bytes_received: Sum = 0
    sum_microseconds: Sum = 0
    """Exact sum of the service times behind the histogram."""
    min_microseconds: Lowest = None
    max_microseconds: Highest = None
    response_sum_microseconds: Sum = 0
    """Exact sum of the response times behind the histogram."""
    response_max_microseconds: Highest = None
    dropped_requests: Total = 0
    """Planned but never sent: they waited longer than `timeoutSeconds` for one of `maxInFlight`
    connections. Not in `requests`."""
    ramp_dropped_requests: Total = 0
    drain_requests: TotalIfKnown = None
    """Ended in seconds that began when no request was begun any more; within `requests`. None
    where that time is not known."""
    late_requests: Total = 0
    """Sent more than 10 ms after their intended start."""

    @property
    def sent(self) -> int:
        """All requests, also those before the last user had started."""
        return self.requests + self.ramp_requests

    @property
    def accepted(self) -> int:
        """Good responses among all that were sent."""
        return self.sent - self.failures - self.ramp_failures

    @property
    def due(self) -> int:
        """Requests that were sent, or dropped."""
        return self.requests + self.dropped_requests

    @property
    def unanswered(self) -> int:
        """Requests that failed or were dropped."""
        return self.failures + self.dropped_requests

    def numbers(self) -> dict[str, Any]:
        """Return every number by its name, without what a subclass adds."""
        return {name: getattr(self, name) for name in _RULES}

    def __add__(self, other: "RequestCounts") -> "RequestCounts":
        sums = {key: rule(getattr(self, key), getattr(other, key)) for key, rule in _RULES.items()}
        return RequestCounts(**sums)


_RULES = {
    name: next(each.rule for each in field.metadata if isinstance(each, AddedBy))
    for name, field in RequestCounts.model_fields.items()
}

NO_REQUESTS = RequestCounts(
    requests=0, failures=0, partial_results=0, empty_results=0, drain_requests=0
)
"""Adding it changes nothing."""


def sum_counts(counts: Iterable[RequestCounts]) -> RequestCounts:
    """Return the sum of all `counts`."""
    return reduce(add, counts, NO_REQUESTS)


class Figure(LenientModel):
    """A number in µs with the bounds of its interval."""

    microseconds: float
    lower_microseconds: float | None = None
    """None if the step run was too short for an interval, as the upper bound."""
    upper_microseconds: float | None = None


class PercentileFigure(Figure):
    """One of `load.percentiles`."""

    percent: float


class TimeFigures(LenientModel):
    """Times of one request name."""

    mean: Figure
    percentiles: list[PercentileFigure]


MAX_LISTED_RESPONSE_GAPS = 10
"""Entries in a list of response gaps, and on each worker of users and nodes."""

MAX_USER_SHARES = 3
"""Users that are named for their few requests."""


class ResponseGap(LenientModel):
    """A time in which a user, or all users of a node on one worker, waited without a response."""

    node: str
    """Host and port."""
    user: int | None = None
    """Number of the user, from 0; None for a node: no response came, though requests waited."""
    second: float
    """When it began: seconds since measuring did."""
    microseconds: int
    """How long it lasted."""
    query: str
    """The request whose end ended it, cut at 300 characters."""


class UserShare(LenientModel):
    """A user and how many of the requests were its own."""

    user: int
    """Its number, from 0."""
    node: str
    """Host and port."""
    requests: int
    """Its measured requests."""


class UserShares(LenientModel):
    """The measured requests of each user of a closed loop."""

    users: int
    idle_users: int
    """Users without any."""
    histogram: str
    """HdrHistogram of the requests of the others."""
    median_requests: int
    """Of all users, those without any included."""
    most_requests: int
    fewest: list[UserShare] = []
    """Those with the fewest, in this order."""
