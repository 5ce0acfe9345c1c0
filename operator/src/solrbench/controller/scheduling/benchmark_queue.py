"""The benchmarks in the queue, listed for all reconciles at once."""

import threading
from datetime import datetime, timedelta

from solrbench.cluster.client import BENCHMARKS, Cluster
from solrbench.decide.queue import QueueEntry, view_entry

MAX_AGE = timedelta(seconds=2)
"""How old a list may be by which a benchmark goes on waiting: as old as its own reconcile."""


class BenchmarkQueue:
    """A list of all benchmarks that reconciles share.

    Attributes:
        slot_lock: held while a place is taken; there is one operator

    """

    def __init__(self) -> None:
        self.slot_lock = threading.Lock()
        self._list_lock = threading.Lock()
        self._entries: list[QueueEntry] = []
        self._listed: datetime | None = None

    def entries(
        self, cluster: Cluster, namespaces: tuple[str, ...], now: datetime
    ) -> list[QueueEntry]:
        """Return all benchmarks as they were at most `MAX_AGE` ago."""
        with self._list_lock:
            if self._listed is None or now - self._listed >= MAX_AGE:
                self._entries, self._listed = list_entries(cluster, namespaces), now
            return self._entries


def list_entries(cluster: Cluster, namespaces: tuple[str, ...]) -> list[QueueEntry]:
    """Return all benchmarks of some namespaces, or of every one, as they are now."""
    return [
        view_entry(body)
        for namespace in namespaces or (None,)
        for body in cluster.list(*BENCHMARKS, namespace, {})
    ]
