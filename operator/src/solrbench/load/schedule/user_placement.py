"""Which worker runs which user, also after workers were lost.

User `u` begins on worker `u % workers`. When a worker is lost, its users go to those that are left,
one after the other; no other user moves, so no user that runs is ever stopped.
"""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True)
class WorkerLoss:
    """One worker lost.

    Attributes:
        worker: the worker
        remaining: places of the workers that took its users, ascending

    """

    worker: int
    remaining: tuple[int, ...]


@dataclass(frozen=True)
class UserPlacement:
    """The users of one step run on their workers; indexes count from 0.

    Attributes:
        workers: how many began
        losses: in the order in which they happened

    """

    workers: int
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
        left = tuple(each for each in self.remaining_workers if each != index)
        return replace(self, losses=(*self.losses, WorkerLoss(index, left)))

    def reassigned_users(self, users: int) -> dict[int, list[int]]:
        """Return who took which of `users` users at the last loss, by place."""
        before = replace(self, losses=self.losses[:-1])
        found: dict[int, list[int]] = {index: [] for index in self.remaining_workers}
        for user in range(users):
            if before.worker_of(user) == self.losses[-1].worker:
                found[self.worker_of(user)].append(user)
        return found
