"""The one place that says when something is reconciled: at its time, or as soon as it changes.

Three things end the pause of a benchmark: its time, a wake (a new spec, another place in the queue)
and a change of its pods or Jobs. What a reconcile returns says how long the next pause is. Whose
turn it is among those that wait is decided in `controller.queue`; how long a state needs no look,
in `decide.pauses`.

A watched event leads to the `apply` of a StatefulSet in twelve functions, which a test compares:
`on_event`, `add`, `wake`, `_begin`, `run`, `on_due`, `reconcile`, `_run_stages`,
`reconcile_target`, `ensure_ready`, `ensure_pods`, `apply`.
"""

import asyncio
import contextvars
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import kopf

log = logging.getLogger("solrbench")

RETRY = timedelta(seconds=5)
"""Pause after a reconcile that failed unexpectedly; its traceback is in the log."""
HANG_SECONDS = 900.0
"""A reconcile that takes longer hangs, as each of its requests has a time limit."""
BUSY_POLL_SECONDS = 0.05
"""Between two looks whether a reconcile has ended."""
CHANGE_SECONDS = 0.5
"""Between a change of a pod or Job and the reconcile: changes often come together."""


def utc_now() -> datetime:
    """Return the time as Kubernetes writes it, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True)
class BenchmarkKey:
    """Which benchmark, or sweep."""

    uid: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """Return what logs and metrics call it."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True)
class Rest:
    """What a reconcile leaves: a pause, and what may spare the reconcile that comes after it."""

    pause: timedelta
    is_running: bool = True
    """Whether changes of the benchmark's pods and Jobs end the pause. It is true after a failure,
    too, as that reconcile may have come to any point."""
    is_settled: Callable[[], bool] | None = None
    """Asked when the pause is over and nothing has changed meanwhile; if it is true, the same pause
    begins again. It is called in the thread of a reconcile."""


@dataclass
class _Item:
    key: BenchmarkKey
    generation: int
    timer: asyncio.TimerHandle | None = None
    is_busy: bool = False
    begun: float | None = None
    """When the reconcile under way got its thread, by the monotonic clock."""
    is_stopped: bool = False
    woken: float | None = None
    """When it is to be reconciled again, noted while a reconcile is under way."""
    rest: Rest | None = None
    is_running: bool = False
    is_changed: bool = False

    def cancel(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class ReconcileSchedule:
    """Runs the reconciles of each benchmark one after another, those of several side by side.

    A benchmark that waits costs one timer of the event loop. All methods but `note_change`,
    `is_busy` and `check_health` belong into the thread of the event loop; reconciles run in
    threads, in the context in which the first benchmark was added, where kopf finds its queue of
    events. The function that reconciles returns `None` if the benchmark is gone.
    """

    def __init__(self, reconcile: Callable[[BenchmarkKey], Rest | None], workers: int) -> None:
        self._reconcile = reconcile
        self._executor = ThreadPoolExecutor(workers, "reconcile")
        # Only the event loop adds and removes items, but watches of pods look for one meanwhile.
        self._lock = threading.Lock()
        self._items: dict[str, _Item] = {}
        self._context: contextvars.Context | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def knows(self, uid: str) -> bool:
        """Return whether a benchmark is on the schedule."""
        return uid in self._items

    def is_busy(self, uid: str) -> bool:
        """Return whether a reconcile of a benchmark is under way."""
        item = self._items.get(uid)
        return item is not None and item.is_busy

    def check_health(self, **_: object) -> float:
        """Return the seconds of the oldest reconcile under way, as a probe of kopf.

        The event loop, which responds to the kubelet, goes on while every thread hangs.

        It raises `kopf.PermanentError` if it hangs; the kubelet restarts the operator then.
        """
        now = time.monotonic()
        with self._lock:
            ages = {each.key: now - each.begun for each in self._items.values() if each.begun}
        oldest = max(ages, key=lambda key: ages[key], default=None)
        seconds = 0.0 if oldest is None else ages[oldest]
        if oldest is not None and seconds > HANG_SECONDS:
            raise kopf.PermanentError(f"{oldest}: a reconcile hangs for {seconds:.0f} s")
        return round(seconds, 1)

    def add(self, key: BenchmarkKey, generation: int, pause: timedelta) -> None:
        """Put a benchmark on the schedule, to be reconciled first after a pause.

        A new generation of the spec of a known one is reconciled at once.
        """
        if self._context is None:
            # One for all: a context of each would keep kopf's copy of the benchmark, results
            # included, for as long as it is on the schedule.
            self._context, self._loop = contextvars.copy_context(), asyncio.get_running_loop()
        item = self._items.get(key.uid)
        if item is None:
            with self._lock:
                self._items[key.uid] = _Item(key, generation)
            self.wake(key.uid, pause.total_seconds())
        elif item.generation != generation or item.is_stopped:
            item.generation, item.is_stopped, item.is_changed = generation, False, True
            self.wake(key.uid)

    def note_change(self, namespace: str, name: str) -> None:
        """Reconcile one that runs soon, as something that belongs to it changed; from any thread.

        The watches show what has the label of any benchmark, also of those that do not run.
        """
        with self._lock:
            items = [*self._items.values()]
        for item in items:
            if (item.key.namespace, item.key.name) == (namespace, name) and item.is_running:
                item.is_changed = True
                with suppress(RuntimeError):  # the event loop is closed: the operator ends
                    if self._loop is not None:
                        uid = item.key.uid
                        self._loop.call_soon_threadsafe(self.wake, uid, CHANGE_SECONDS)

    def wake(self, uid: str, pause_seconds: float = 0.0) -> None:
        """Reconcile a benchmark after a pause at the latest; unknown ones are fine."""
        item = self._items.get(uid)
        if item is None or item.is_stopped:
            return
        loop = asyncio.get_running_loop()
        due = loop.time() + pause_seconds
        if item.is_busy:
            # Two reconciles of one benchmark side by side would overwrite each other's status.
            item.woken = due if item.woken is None else min(item.woken, due)
        elif item.timer is None or due < item.timer.when():
            item.cancel()
            item.timer = loop.call_at(due, self._begin, item, context=self._context)

    def stop(self, uid: str) -> None:
        """Begin no further reconcile of a benchmark."""
        item = self._items.get(uid)
        if item is None:
            return
        item.is_stopped = True
        item.cancel()
        if not item.is_busy:  # else its end drops it: `is_busy` must hold until then
            self._drop(uid)

    async def stop_and_wait(self, uid: str) -> None:
        """Begin no further reconcile of a benchmark, and wait until the one under way has ended."""
        self.stop(uid)
        while self.is_busy(uid):  # noqa: ASYNC110 - its thread knows nothing of the loop
            await asyncio.sleep(BUSY_POLL_SECONDS)

    def close(self) -> None:
        """Begin no further reconcile at all."""
        for uid in list(self._items):
            self.stop(uid)
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _drop(self, uid: str) -> None:
        with self._lock:
            self._items.pop(uid, None)

    def _begin(self, item: _Item) -> None:
        item.timer, item.woken, item.is_busy = None, None, True
        # That of the timer; a thread needs a copy, as a context is entered once at a time.
        context = contextvars.copy_context()
        future = asyncio.get_running_loop().run_in_executor(
            self._executor, context.run, self.run, item
        )
        future.add_done_callback(lambda done: self._end(item, done))

    def run(self, item: _Item) -> Rest | None:
        """Reconcile a benchmark that is due, unless it is settled; called in a thread."""
        before, item.rest = item.rest, None  # a question that fails is not asked again
        is_settled = None if before is None or item.is_changed else before.is_settled
        if is_settled is not None and is_settled():
            item.rest = before
            return before
        # Before the reconcile reads anything: what changes from now on, it may not have seen.
        item.is_changed, item.is_running = False, True
        item.begun = time.monotonic()
        try:
            item.rest = self._reconcile(item.key)
        finally:
            item.begun = None
        item.is_running = item.rest is not None and item.rest.is_running
        return item.rest

    def _end(self, item: _Item, done: asyncio.Future[Rest | None]) -> None:
        item.is_busy = False
        pause = None
        if not done.cancelled() and (error := done.exception()) is not None:
            log.error("%s: unexpected exception", item.key, exc_info=error)
            pause = RETRY
        elif not done.cancelled() and (rest := done.result()) is not None:
            pause = rest.pause
        if item.is_stopped or pause is None:
            self._drop(item.key.uid)
            return
        self.wake(item.key.uid, pause.total_seconds())
        if item.woken is not None:
            self.wake(item.key.uid, item.woken - asyncio.get_running_loop().time())
