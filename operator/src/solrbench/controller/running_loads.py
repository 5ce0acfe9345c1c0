"""Loads under way: between two reconciles, only the load master is asked whether one is due."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from solrbench.api.v1alpha1.status import LiveLoad
from solrbench.contract.load_plan import LoadState
from solrbench.decide.pauses import is_load_due
from solrbench.errors import SolrbenchError


@dataclass(frozen=True)
class RunningLoad:
    """A load as the last reconcile left it.

    Attributes:
        generation: of the spec at that time
        live_load: what the status shows of it
        ask: returns the state of the load master
    """

    generation: int
    live_load: LiveLoad | None
    ask: Callable[[], LoadState]


class RunningLoads:
    """The loads of all benchmarks; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generations: dict[str, int] = {}
        self._loads: dict[str, RunningLoad] = {}
        self._changed: set[str] = set()

    def observe(self, uid: str, generation: int) -> None:
        """Note the generation of a benchmark that the watch shows."""
        with self._lock:
            self._generations[uid] = generation

    def knows(self, uid: str) -> bool:
        """Return whether the watch shows a benchmark."""
        with self._lock:
            return uid in self._generations

    def note_change(self, uid: str) -> None:
        """Note that something which belongs to a benchmark changed."""
        with self._lock:
            self._changed.add(uid)

    def begin(self, uid: str) -> None:
        """Begin a reconcile: what changes from now on needs another one."""
        with self._lock:
            self._loads.pop(uid, None)
            self._changed.discard(uid)

    def set(self, uid: str, load: RunningLoad) -> None:
        """Note the load that a reconcile has left."""
        with self._lock:
            self._loads[uid] = load

    def forget(self, uid: str) -> None:
        """Drop a benchmark that is gone."""
        with self._lock:
            for known in (self._generations, self._loads):
                known.pop(uid, None)
            self._changed.discard(uid)

    def is_settled(self, uid: str, now: datetime) -> bool:
        """Return whether the stored status says all about a load; its master is asked."""
        with self._lock:
            load = self._loads.get(uid)
            if load is None or uid in self._changed:
                return False
            if load.generation != self._generations.get(uid, load.generation):
                return False
        try:
            return not is_load_due(load.live_load, load.ask(), now)
        except SolrbenchError:
            return False
