"""An operator that is killed at chosen writes to the API server."""

from typing import Any

from support.fakes.handled_sweeps import HandledSweeps
from support.fakes.killed_operator import KilledError

WRITES = ("apply", "replace_status", "delete")


class Killer:
    """Ends the operator before or after a write to the API server.

    Args:
        sweeps: whose operator is killed
        moments: numbers of the writes, counted over all

    """

    def __init__(self, sweeps: HandledSweeps, moments: set[int]) -> None:
        self.writes = 0
        self.kills = 0
        self._moments = moments
        for name in WRITES:
            setattr(sweeps.cluster, name, self._wrap(getattr(sweeps.cluster, name)))

    def _wrap(self, write: Any) -> Any:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            self.writes += 1
            is_last = self.writes in self._moments
            self.kills += is_last
            if is_last and self.writes % 2:
                raise KilledError
            written = write(*arguments, **options)
            if is_last:
                raise KilledError
            return written

        return wrapped
