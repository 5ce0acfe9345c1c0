"""Classes of users, and which user is of which class."""

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import NamedTuple


class UserClass(NamedTuple):
    """What Locust knows of a class of users."""

    name: str
    weight: float = 1
    """Share of the users, in proportion to those of the other classes."""
    fixed_count: int = 0
    """So many users, the first ones, whatever the weight; 0 for a share by weight."""


def class_sequence(classes: Sequence[UserClass]) -> Iterator[str]:
    """Yield the class of user 0, 1, 2 …; ends if every class has a fixed number of users.

    Shares by weight are those of Webster's method (Sainte-Laguë): user after user, the class with
    the highest `weight / (2 * users + 1)`. After any number of users the shares are as near to
    the weights as whole users can be.
    """
    ordered = sorted(classes)
    for each in ordered:
        yield from repeat(each.name, each.fixed_count)
    weights = {each.name: each.weight for each in ordered if not each.fixed_count and each.weight}
    users = dict.fromkeys(weights, 0)
    while weights:
        name = max(weights, key=lambda each: weights[each] / (2 * users[each] + 1))
        users[name] += 1
        yield name


def max_users(classes: Sequence[UserClass]) -> int | None:
    """Return how many users there can be at most; None without bound."""
    if any(not each.fixed_count and each.weight for each in classes):
        return None
    return sum(each.fixed_count for each in classes)
