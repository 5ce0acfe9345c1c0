"""Who waited: the longest times without a response, by user and node, and each user's share."""

from solrbench.api.rules import LenientModel

MOST_RESPONSE_GAPS = 10
"""Entries in a list of response gaps, and on each worker of users and nodes."""

MOST_SHARES = 3
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
