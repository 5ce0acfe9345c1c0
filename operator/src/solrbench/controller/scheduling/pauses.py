"""Which benchmarks need no reconcile for some time."""

from datetime import datetime, timedelta


class Pauses:
    """The pauses of benchmarks, by uid; a changed spec ends one early."""

    def __init__(self) -> None:
        self._until: dict[str, tuple[int, datetime]] = {}

    def is_due(self, uid: str, generation: int, now: datetime) -> bool:
        """Return whether a benchmark is to be reconciled now."""
        known, until = self._until.get(uid, (generation, now))
        return known != generation or now >= until

    def note(self, uid: str, generation: int, now: datetime, pause: timedelta) -> None:
        """Note the pause after a reconcile of this generation of the spec."""
        self._until[uid] = generation, now + pause

    def forget(self, uid: str) -> None:
        """Drop what is kept of a benchmark that is gone."""
        self._until.pop(uid, None)
