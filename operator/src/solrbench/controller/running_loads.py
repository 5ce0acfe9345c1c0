"""Loads under way: between two reconciles, only the load master is asked whether one is due."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from solrbench.api.v1alpha1.status import LiveLoad
from solrbench.contract.load_plan import LoadState
from solrbench.controller.schedule import BenchmarkKey
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
    """The benchmarks that run, and their loads; safe for threads.

    The watch of benchmarks, the watches of pods and the reconciles write to it, each from a thread
    of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generations: dict[str, int] = {}
        self._running: dict[tuple[str, str], str] = {}
        self._loads: dict[str, RunningLoad] = {}
        self._changed: set[str] = set()

    def observe(self, uid: str, generation: int) -> None:
        """Note the generation of a benchmark that the watch shows."""
        with self._lock:
            self._generations[uid] = generation

    def note_change(self, namespace: str, name: str) -> str | None:
        """Note that something changed that belongs to a benchmark; return its uid if it runs."""
        with self._lock:
            uid = self._running.get((namespace, name))
            if uid is not None:
                self._changed.add(uid)
            return uid

    def begin(self, key: BenchmarkKey) -> None:
        """Begin a reconcile: what changes from now on needs another one.

        So a benchmark counts as running while it is reconciled, until `end` says otherwise.
        """
        with self._lock:
            if key.uid in self._generations:
                self._running[key.namespace, key.name] = key.uid
            self._loads.pop(key.uid, None)
            self._changed.discard(key.uid)

    def set(self, key: BenchmarkKey, load: RunningLoad) -> None:
        """Note the load that a reconcile has left, unless the benchmark was deleted meanwhile."""
        with self._lock:
            if key.uid in self._generations:
                self._loads[key.uid] = load

    def end(self, key: BenchmarkKey) -> None:
        """Note that a benchmark does not run, or no more."""
        with self._lock:
            if self._running.get((key.namespace, key.name)) == key.uid:
                del self._running[key.namespace, key.name]
            self._loads.pop(key.uid, None)
            self._changed.discard(key.uid)

    def forget(self, key: BenchmarkKey) -> None:
        """Drop a benchmark that is gone."""
        self.end(key)
        with self._lock:
            self._generations.pop(key.uid, None)

    def runs(self, uid: str) -> bool:
        """Return whether changes of what belongs to a benchmark are noted."""
        with self._lock:
            return uid in self._running.values()

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
