"""The engine in a native thread, and the way to and from it.

Locust lives in greenlets of the main thread, the engine in an event loop of its own: a greenlet
that computes would otherwise delay every response's time stamp.
"""

import asyncio
import gc
import sys
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import gevent
import uvloop
from gevent.event import Event
from locust.env import Environment
from locust.runners import WorkerRunner

from solrbench.load.engine.engine import Engine
from solrbench.load.engine.measurement import EngineReport
from solrbench.load.engine.target import LoadTarget
from solrbench.load.errors import LoadError
from solrbench.load.locust_runtime import USER_CLASS, placeholder_user_class
from solrbench.load.schedule.users import UserClass
from solrbench.reasons.load import LoadReason

_SWITCH_SECONDS = 0.0001
"""How long a greenlet that computes may hold the engine up; Python's own 5 ms would be measured."""


class EngineThread:
    """Runs the engine in a thread of its own.

    Greenlets of the main thread call its methods; `report` is called in one of them, in the order
    in which the engine reported. `execute` hands a command over and does not wait for it.
    """

    user_classes = (UserClass(USER_CLASS),)

    def __init__(self, target: LoadTarget, report: Callable[[EngineReport], None]) -> None:
        self._report = report
        self._inbox: deque[EngineReport] = deque()
        self._arrived = Event()
        # The one thing in gevent that another thread may touch; an `Event` set by the engine's
        # thread would not wake the greenlet that waits for it.
        self._wakeup = gevent.get_hub().loop.async_()
        self._wakeup.start(self._arrived.set)
        self._loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
        self._loop.set_exception_handler(self._report_fault)
        engine = Engine(target, self._post, self._loop)
        self.execute = partial(self._loop.call_soon_threadsafe, engine.execute)
        self._add_user = partial(self._loop.call_soon_threadsafe, engine.add_user)
        self._reader = gevent.spawn(self._read)

    def environment(self) -> Environment:
        """Return Locust's environment with users that stand for those of the engine."""
        return Environment(user_classes=[placeholder_user_class(self._add_user)])

    def start(self, runner: WorkerRunner) -> None:
        """Start the engine in a thread of the hub's pool."""
        del runner
        # Millions of prepared requests would be looked through again and again, in the middle of
        # a measurement.
        gc.collect()
        gc.freeze()
        sys.setswitchinterval(_SWITCH_SECONDS)
        # Gevent has patched `threading`: only the hub's pool still gives native threads.
        gevent.get_hub().threadpool.spawn(self._run)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _report_fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        del loop
        message = f"{context.get('message')}: {context.get('exception')!r}"
        self._post(LoadError(LoadReason.LOAD_CORE_FAILED, message))

    def _post(self, report: EngineReport) -> None:
        """Leave a report for the main thread; called in the engine's thread."""
        self._inbox.append(report)
        self._wakeup.send()

    def _read(self) -> None:
        while True:
            self._arrived.wait()
            self._arrived.clear()
            while self._inbox:
                self._report(self._inbox.popleft())
