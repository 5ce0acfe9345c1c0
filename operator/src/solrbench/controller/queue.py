"""The benchmarks that run or wait, as a snapshot that the watch keeps up to date."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from solrbench.api.identity import BENCHMARKS
from solrbench.decide.pauses import has_passed
from solrbench.decide.queue import (
    QueueEntry,
    QueuePosition,
    find_position,
    order_waiting,
    view_entry,
)
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError
from solrbench.kube.reader import Manifest

VERIFY_AFTER = timedelta(minutes=5)
"""How long the snapshot is used before it is compared with the benchmarks that exist: one that is
deleted while a watch is interrupted gives no event."""

CHECK_AFTER = timedelta(minutes=10)
"""How long what a waiting benchmark refers to is taken as checked."""


class BenchmarkQueue:
    """The snapshot of all benchmarks, as little of each as the queue needs; safe for threads.

    `max_concurrent` benchmarks may run at a time, and `max_per_namespace` of one namespace, 0 for
    any number.
    """

    def __init__(self, max_concurrent: int = 1, max_per_namespace: int = 0) -> None:
        self._max_concurrent = max_concurrent
        self._max_per_namespace = max_per_namespace
        self._served: dict[str, datetime] = {}
        self.slot_lock = threading.Lock()
        """Held while a place is taken; there is one operator."""
        self._lock = threading.RLock()
        self._verify_lock = threading.Lock()
        self._versions: dict[str, int] = {}
        self._entries: dict[str, QueueEntry] = {}
        self._checked: dict[str, datetime] = {}
        self._held: set[str] = set()
        self._leaving: set[str] = set()
        self._given_up: set[str] = set()
        self._verified: datetime | None = None
        self._moved = False

    def observe(self, body: Manifest, now: datetime) -> None:
        """Take over a benchmark as it was watched, read or written; known versions are ignored.

        One that waits when it is seen first was checked by the operator before this one.
        """
        # It grows with each change, and may be compared (KEP-5504).
        text = str(body["metadata"].get("resourceVersion", ""))
        entry, version = view_entry(body), int(text) if text.isdigit() else 0
        with self._lock:
            if 0 < version <= self._versions.get(entry.uid, 0):
                return
            self._versions[entry.uid] = version
            self._held.discard(entry.uid)
            if entry.waiting and entry.is_observed:
                self._checked.setdefault(entry.uid, now)
            if entry.started is not None:
                last = self._served.get(entry.namespace, entry.started)
                self._served[entry.namespace] = max(last, entry.started)
            before = self._entries.pop(entry.uid, None)
            if (entry.running or entry.waiting) and entry.uid not in self._given_up:
                self._entries[entry.uid] = entry
            was = before is not None and before.running, before is not None and before.waiting
            # Others move up only if this one took a place, gave it up, or began to wait.
            self._moved = self._moved or was != (entry.running, entry.waiting)

    def forget(self, uid: str) -> None:
        """Drop a benchmark that is gone."""
        with self._lock:
            self._versions.pop(uid, None)
            self._checked.pop(uid, None)
            self._held.discard(uid)
            self._leaving.discard(uid)
            self._given_up.discard(uid)
            self._moved = self._entries.pop(uid, None) is not None or self._moved

    def give_up(self, uid: str) -> None:
        """Take the place of one whose deletion may wait for ever, whatever is seen of it later."""
        with self._lock:
            self._given_up.add(uid)
            self._moved = self._entries.pop(uid, None) is not None or self._moved

    def note_leaving(self, uid: str) -> None:
        """Keep the place of a benchmark that is gone until it is forgotten: its pods still end."""
        with self._lock:
            self._leaving.add(uid)

    def hold_place(self, body: Manifest) -> None:
        """Count a benchmark as one that runs, until a later version of it, or its next turn."""
        entry = view_entry(body)
        with self._lock:
            self._held.add(entry.uid)
            self._entries[entry.uid] = replace(entry, running=True, waiting=False)

    def holds_place(self, uid: str) -> bool:
        """Return whether a benchmark is among those that run."""
        with self._lock:
            entry = self._entries.get(uid)
            return entry is not None and entry.running

    def take_moved(self) -> list[str]:
        """Return the uids of those that wait, next first; none if the queue did not move since."""
        with self._lock:
            moved, self._moved = self._moved, False
            waiting = [entry for entry in self._entries.values() if entry.waiting] if moved else []
            return [entry.uid for entry in order_waiting(waiting, self._served)]

    def note_check(self, uid: str, now: datetime) -> None:
        """Note that all that a benchmark refers to is there."""
        with self._lock:
            self._checked[uid] = now

    def turn(self, body: Manifest) -> QueuePosition:
        """Return what a benchmark waits for, as far as the snapshot knows.

        A place that it held is given up: it was read again since, so it is known to have none.
        """
        entry = view_entry(body)
        with self._lock:
            if entry.uid in self._held:
                self._held.discard(entry.uid)
                self._entries[entry.uid] = entry
            return self._find_position(entry)

    def _find_position(self, entry: QueueEntry) -> QueuePosition:
        everyone, limit = self._entries.values(), self._max_per_namespace
        return find_position(entry, everyone, self._max_concurrent, self._served, limit)

    def is_settled(self, uid: str, now: datetime) -> bool:
        """Return whether a benchmark goes on waiting and its stored status says all about it."""
        with self._lock:
            entry = self._entries.get(uid)
            if entry is None or not self._keeps_waiting(entry, now):
                return False
            position = self._find_position(entry).position
            # The first is woken by the end of another, which the watch may have missed.
            is_due = self._verified is None or has_passed(VERIFY_AFTER, self._verified, now)
            return entry.position == position and (position > 1 or not is_due)

    def keeps_waiting(self, body: Manifest, now: datetime) -> bool:
        """Return whether it is another's turn, and what a benchmark refers to was checked."""
        with self._lock:
            return self._keeps_waiting(view_entry(body), now)

    def _keeps_waiting(self, entry: QueueEntry, now: datetime) -> bool:
        checked = self._checked.get(entry.uid)
        if not (entry.waiting and entry.is_observed) or checked is None:
            return False
        return bool(self._find_position(entry).before) and not has_passed(CHECK_AFTER, checked, now)

    def verify(self, cluster: Cluster, namespaces: Sequence[str], now: datetime) -> None:
        """Compare the snapshot with the benchmarks that exist, now and then.

        A namespace that refuses the operator has none: it must not stop the queue for all others.
        """
        with self._verify_lock:
            if self._verified is not None and not has_passed(VERIFY_AFTER, self._verified, now):
                return
            with self._lock:
                # Before the list: what the watch shows meanwhile is not taken for gone.
                known = {*self._versions, *self._entries}
            listed = [*list_benchmarks(cluster, namespaces)]
            with self._lock:
                gone = known - {metadata["uid"] for metadata in listed} - self._leaving
            for uid in gone:
                self.forget(uid)
            for metadata in listed:
                if metadata["uid"] not in self._versions:  # the watch comes to it later
                    body = cluster.get(*BENCHMARKS, metadata["namespace"], metadata["name"])
                    if body is not None:
                        self.observe(body, now)
            self._verified = now


def list_benchmarks(cluster: Cluster, namespaces: Sequence[str]) -> Iterator[Manifest]:
    """Yield the metadata of all benchmarks of some namespaces, or of every one if none is named.

    One of several namespaces that refuses the operator has none: it is gone, or its role is.
    """
    for namespace in namespaces or (None,):
        try:
            for each in cluster.list_metadata(*BENCHMARKS, namespace):
                yield each["metadata"]
        except ForbiddenError:
            if len(namespaces) <= 1:
                raise
