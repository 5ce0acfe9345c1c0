"""The users of a run: of which class, on which worker, how long they think, from which seed.

User `u` begins on worker `u % workers`. When a worker is lost, its users go to those that are left,
one after the other; no other user moves, so no user that runs is ever stopped.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import NamedTuple, Self

from solrbench.api.v1alpha1.arrivals import ThinkTime
from solrbench.contract.generated_documents import split_mix


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
    if any(not user_class.fixed_count and user_class.weight for user_class in classes):
        return None
    return sum(user_class.fixed_count for user_class in classes)


@dataclass(frozen=True)
class WorkerLoss:
    """One worker lost."""

    worker: int
    remaining: tuple[int, ...]
    """Places of the workers that took its users, ascending."""


@dataclass(frozen=True)
class UserPlacement:
    """The users of one step run on their workers; indexes count from 0."""

    workers: int
    """How many began."""
    losses: tuple[WorkerLoss, ...] = ()

    @property
    def remaining_workers(self) -> tuple[int, ...]:
        """Places of the workers that are there, ascending."""
        return self.losses[-1].remaining if self.losses else tuple(range(self.workers))

    def worker_of(self, user: int) -> int:
        """Return the worker of a user."""
        turn, index = divmod(user, self.workers)
        for loss in self.losses:
            if index == loss.worker:
                index = loss.remaining[turn % len(loss.remaining)]
        return index

    def after_loss(self, index: int) -> Self:
        """Return the placement after the loss of a worker that is not the last one."""
        left = tuple(worker for worker in self.remaining_workers if worker != index)
        return replace(self, losses=(*self.losses, WorkerLoss(index, left)))

    def reassigned_users(self, users: int) -> dict[int, list[int]]:
        """Return who took which of `users` users at the last loss, by place."""
        before = replace(self, losses=self.losses[:-1])
        users_by_worker: dict[int, list[int]] = {index: [] for index in self.remaining_workers}
        for user in range(users):
            if before.worker_of(user) == self.losses[-1].worker:
                users_by_worker[self.worker_of(user)].append(user)
        return users_by_worker


def seed_of(*parts: int | str) -> int:
    """Return 64 bits that depend on every part and on nothing else, on any machine."""
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def uniform(seed: int, index: int) -> float:
    """Return draw number `index` of a stream, evenly from [0, 1)."""
    return (split_mix(seed, index) >> 11) / 2**53


_MAX_MEANS = 53 * math.log(2)
"""Longest draw of an exponential distribution, in its means: `uniform` has 53 bits."""


def longest_think_seconds(spec: ThinkTime | None) -> float:
    """Return the longest wait that can be drawn, in seconds; 0 without any."""
    if spec is None:
        return 0.0
    if spec.exponential_mean_milliseconds is not None:
        return _MAX_MEANS * spec.exponential_mean_milliseconds / 1000
    return _bounds_seconds(spec)[1]


def think_seconds(spec: ThinkTime, seed: int, turn: int) -> float:
    """Return the wait number `turn` (from 0) of the user whose stream is `seed`, in seconds."""
    if spec.constant_milliseconds is not None and not spec.jitter_percent:
        # Nothing is drawn: this is called after each request.
        return spec.constant_milliseconds / 1000
    draw = uniform(seed, turn)
    if spec.exponential_mean_milliseconds is not None:
        # Inversion of the exponential distribution; 1 - draw is never 0.
        return -math.log(1 - draw) * spec.exponential_mean_milliseconds / 1000
    low, high = _bounds_seconds(spec)
    return low + draw * (high - low)


def first_wait_seconds(spec: ThinkTime, seed: int) -> float:
    """Return the wait before the first request of the user whose stream is `seed`, in seconds.

    It is what is left of a think time that is under way: users who start together and think as long
    would else send together for the whole step. Longer waits are more often under way, so a random
    part of an ordinary one would let too many users begin early (Cox, Renewal Theory, 1962, chapter
    5: the equilibrium renewal process). What is left of an exponential time is distributed alike.
    """
    own = seed_of("first", seed)
    if spec.exponential_mean_milliseconds is not None:
        return think_seconds(spec, own, 1)
    low, high = _bounds_seconds(spec)
    under_way = math.sqrt(low * low + uniform(own, 1) * (high * high - low * low))
    return uniform(own, 0) * under_way


def _bounds_seconds(spec: ThinkTime) -> tuple[float, float]:
    if spec.uniform is not None:
        return spec.uniform.min_milliseconds / 1000, spec.uniform.max_milliseconds / 1000
    mean, share = (spec.constant_milliseconds or 0) / 1000, (spec.jitter_percent or 0) / 100
    return mean * (1 - share), mean * (1 + share)


def pacing_wait_seconds(pacing_milliseconds: int, passed_seconds: float) -> float:
    """Return the wait of a paced user whose last request began so many seconds ago, in seconds."""
    return max(pacing_milliseconds / 1000 - passed_seconds, 0.0)


def first_pacing_wait_seconds(pacing_milliseconds: int, seed: int) -> float:
    """Return the wait before the first request of a paced user, evenly drawn, in seconds."""
    return uniform(seed_of("first", seed), 0) * pacing_milliseconds / 1000
