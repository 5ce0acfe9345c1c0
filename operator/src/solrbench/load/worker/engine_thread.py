"""The engine in a native thread, and the way to and from it.

Locust lives in greenlets of the main thread, the engine in an event loop of its own: a greenlet
that computes would otherwise delay every response's time stamp.
"""

import asyncio
import gc
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import gevent
import uvloop
from gevent.event import Event
from locust.env import Environment
from locust.runners import WorkerRunner

from solrbench.load.engine.engine import Engine, EngineListener
from solrbench.load.engine.measurement import ProgressUpdate
from solrbench.load.engine.target import LoadTarget
from solrbench.load.locust_runtime import USER_CLASS, placeholder_user_class
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.messages import Assignment
from solrbench.load.schedule.users import UserClass

_SWITCH_SECONDS = 0.0001
"""How long a greenlet that computes may hold the engine up; Python's own 5 ms would be measured."""


class EngineThreadListener(EngineListener, Protocol):
    """Callbacks of a step run and of failures of the engine itself."""

    def on_engine_failed(self, message: str) -> None:
        """Learn that the engine is broken."""


class EngineThread:
    """Starts the engine and calls `listener` in a greenlet of the main thread."""

    user_classes = (UserClass(USER_CLASS),)

    def __init__(self, target: LoadTarget, listener: EngineThreadListener) -> None:
        self._listener = listener
        self._inbox: deque[tuple[Callable[[Any], None], Any]] = deque()
        self._arrived = Event()
        hub = gevent.get_hub()
        # The one thing in gevent that another thread may touch.
        self._wakeup = hub.loop.async_()
        self._wakeup.start(self._arrived.set)
        self._loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
        self._loop.set_exception_handler(self._report_fault)
        self._engine = Engine(target, self, self._loop)
        self._reader = gevent.spawn(self._read)

    def environment(self) -> Environment:
        """Return Locust's environment with users that stand for those of the engine."""
        return Environment(user_classes=[placeholder_user_class(self.add_user)])

    def start(self, runner: WorkerRunner) -> None:
        """Start the engine in a thread of the hub's pool."""
        del runner
        # Millions of prepared requests would be looked through again and again, in the middle of
        # a measurement.
        gc.collect()
        gc.freeze()
        sys.setswitchinterval(_SWITCH_SECONDS)
        gevent.get_hub().threadpool.spawn(self._run)

    def begin(self, assignment: Assignment) -> None:
        """Begin a step run."""
        self._loop.call_soon_threadsafe(self._engine.begin, assignment)

    def add_user(self) -> None:
        """Add a user to the step run under way."""
        self._loop.call_soon_threadsafe(self._engine.add_user)

    def adopt_users(self, key: str, users: Sequence[int]) -> None:
        """Pass on which users of a lost worker are added next."""
        self._loop.call_soon_threadsafe(self._engine.adopt_users, key, users)

    def start_measuring(self, key: str) -> None:
        """Begin to measure a step run."""
        self._loop.call_soon_threadsafe(self._engine.start_measuring, key)

    def stop_sending(self, key: str) -> None:
        """Let a step run begin no more requests."""
        self._loop.call_soon_threadsafe(self._engine.stop_sending, key)

    def abort(self, key: str) -> None:
        """Drop a step run without a result."""
        self._loop.call_soon_threadsafe(self._engine.abort, key)

    def on_ready(self, key: str) -> None:
        """Hand over that all users of a step run are there; in the engine's thread."""
        self._post(self._listener.on_ready, key)

    def on_progress(self, progress: ProgressUpdate) -> None:
        """Hand over the news of a second; in the engine's thread."""
        self._post(self._listener.on_progress, progress)

    def on_finished(self, result: WorkerStepResult) -> None:
        """Hand over the result of a step run; in the engine's thread."""
        self._post(self._listener.on_finished, result)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _report_fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        del loop
        self._post(
            self._listener.on_engine_failed,
            f"{context.get('message')}: {context.get('exception')!r}",
        )

    def _post(self, listener: Callable[[Any], None], content: object) -> None:
        self._inbox.append((listener, content))
        self._wakeup.send()

    def _read(self) -> None:
        while True:
            self._arrived.wait()
            self._arrived.clear()
            while self._inbox:
                listener, content = self._inbox.popleft()
                listener(content)
