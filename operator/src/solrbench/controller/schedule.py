"""When each benchmark is reconciled: at its time, or as soon as something happens."""

import asyncio
import contextvars
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta

log = logging.getLogger("solrbench")

RETRY = timedelta(seconds=5)
"""Pause after a reconcile that failed unexpectedly; its traceback is in the log."""


@dataclass(frozen=True)
class BenchmarkKey:
    """Which benchmark."""

    uid: str
    namespace: str
    name: str


Reconcile = Callable[[BenchmarkKey], timedelta | None]
"""Reconciles a benchmark and returns the pause until the next time, `None` if it is gone."""


@dataclass
class _Item:
    key: BenchmarkKey
    generation: int
    timer: asyncio.TimerHandle | None = None
    is_busy: bool = False
    is_stopped: bool = False
    woken: float | None = None
    """When it is to be reconciled again, noted while a reconcile is under way."""


class ReconcileSchedule:
    """Runs the reconciles of each benchmark one after another, those of several side by side.

    A benchmark that waits costs one timer of the event loop. All methods but `is_busy` belong into
    the thread of the event loop; reconciles run in threads, in the context in which the first
    benchmark was added, where kopf finds its queue of events. A context of each would keep kopf's
    copy of it, results included, for as long as it is on the schedule.

    Args:
        reconcile: reconciles one benchmark
        workers: how many reconciles may run at a time
    """

    def __init__(self, reconcile: Reconcile, workers: int) -> None:
        self._reconcile = reconcile
        self._executor = ThreadPoolExecutor(workers, "reconcile")
        self._items: dict[str, _Item] = {}
        self._context: contextvars.Context | None = None

    def knows(self, uid: str) -> bool:
        """Return whether a benchmark is on the schedule."""
        return uid in self._items

    def is_busy(self, uid: str) -> bool:
        """Return whether a reconcile of a benchmark is under way."""
        item = self._items.get(uid)
        return item is not None and item.is_busy

    def add(self, key: BenchmarkKey, generation: int, pause: timedelta) -> None:
        """Put a benchmark on the schedule; a new generation of a known one is reconciled at once.

        Args:
            key: the benchmark
            generation: of its spec
            pause: until its first reconcile
        """
        if self._context is None:
            self._context = contextvars.copy_context()
        item = self._items.get(key.uid)
        if item is None:
            self._items[key.uid] = _Item(key, generation)
            self.wake(key.uid, pause.total_seconds())
        elif item.generation != generation or item.is_stopped:
            item.generation, item.is_stopped = generation, False
            self.wake(key.uid)

    def wake(self, uid: str, pause_seconds: float = 0.0) -> None:
        """Reconcile a benchmark after a pause at the latest; unknown ones are fine."""
        item = self._items.get(uid)
        if item is None or item.is_stopped:
            return
        loop = asyncio.get_running_loop()
        due = loop.time() + pause_seconds
        if item.is_busy:
            item.woken = due if item.woken is None else min(item.woken, due)
        elif item.timer is None or due < item.timer.when():
            _cancel(item)
            item.timer = loop.call_at(due, self._begin, item, context=self._context)

    def stop(self, uid: str) -> None:
        """Begin no further reconcile of a benchmark."""
        item = self._items.get(uid)
        if item is None:
            return
        item.is_stopped = True
        _cancel(item)
        if not item.is_busy:
            del self._items[uid]

    def close(self) -> None:
        """Begin no further reconcile at all."""
        for uid in list(self._items):
            self.stop(uid)
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _begin(self, item: _Item) -> None:
        item.timer, item.woken, item.is_busy = None, None, True
        # That of the timer; a thread needs a copy, as a context is entered once at a time.
        context = contextvars.copy_context()
        future = asyncio.get_running_loop().run_in_executor(
            self._executor, context.run, self._reconcile, item.key
        )
        future.add_done_callback(lambda done: self._end(item, done))

    def _end(self, item: _Item, done: asyncio.Future[timedelta | None]) -> None:
        item.is_busy = False
        pause = _result(item.key, done)
        if item.is_stopped or pause is None:
            self._items.pop(item.key.uid, None)
            return
        self.wake(item.key.uid, pause.total_seconds())
        if item.woken is not None:
            self.wake(item.key.uid, item.woken - asyncio.get_running_loop().time())


def _result(key: BenchmarkKey, done: asyncio.Future[timedelta | None]) -> timedelta | None:
    if done.cancelled():
        return None
    error = done.exception()
    if error is None:
        return done.result()
    log.error("%s/%s: unexpected exception", key.namespace, key.name, exc_info=error)
    return RETRY


def _cancel(item: _Item) -> None:
    if item.timer is not None:
        item.timer.cancel()
        item.timer = None
