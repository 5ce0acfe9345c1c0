"""The order in which points are measured."""

import hashlib
from collections.abc import Sequence

from solrbench.api.v1alpha1.sweep.spec import PointOrder
from solrbench.sweep.points import Point


def order_points(points: Sequence[Point], order: PointOrder, seed: int) -> tuple[Point, ...]:
    """Return the points in their order.

    A random order ranks each point by a hash of the seed and its name, so points that are added
    later do not change the order of the others.
    """
    if order is PointOrder.LISTED:
        return tuple(points)
    return tuple(sorted(points, key=lambda point: _rank(seed, point.name)))


def _rank(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}/{name}".encode()).digest()
