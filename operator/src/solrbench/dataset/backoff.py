"""How long to wait before trying again."""

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Backoff:
    """Exponential waits with jitter, so that pods do not come back in step.

    Attributes:
        first_seconds: middle of the first wait; each further one is twice as long
        longest_seconds: middle of the longest wait

    """

    first_seconds: float = 0.5
    longest_seconds: float = 15.0

    def seconds(self, attempt: int, rng: random.Random) -> float:
        """Return the wait before the `attempt`-th retry (from 1), within 50 % of its middle."""
        middle: float = min(self.first_seconds * 2.0 ** (attempt - 1), self.longest_seconds)
        return middle * (0.5 + rng.random())
