"""A pass of the user's own Locust users on one worker.

All of it runs in greenlets of the main thread, where Locust's users run. Times are those that
Locust's `request` event reports; a request ends when its event is fired.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Protocol

import gevent
from gevent.event import Event
from locust import User
from locust.exception import StopUser

from solrbench.load.engine.resource_usage import UsageMeter
from solrbench.load.engine.step_run import Progress, progress_of
from solrbench.load.recording.name_limit import RequestNames
from solrbench.load.recording.recorder import NEVER_NS, SECOND_NS, PassLedger
from solrbench.load.recording.slow_requests import SlowSample
from solrbench.load.recording.worker_result import WorkerOutcome
from solrbench.load.schedule.assignment import Assignment, Start
from solrbench.load.validation.response_checks import Failure, failure
from solrbench.load.worker.locustfile.request_event import Told, tell
from solrbench.load.workload.prepared_request import PreparedRequest

_NS_PER_MS = 1_000_000
_NOT_COUNTED = {"partial_answers": None, "empty_answers": None}
"""Locust tells of no answer what is in it."""

_now = time.perf_counter_ns


class OwnPassListener(Protocol):
    """Who is told of a pass; each once."""

    def users_ready(self, key: str) -> None:
        """Learn that all users of this worker are there, their `on_start` done."""

    def pass_ended(self) -> None:
        """Learn that everything is counted."""

    def deserted(self) -> None:
        """Learn that all users ended of their own accord, before the pass was over."""


class OwnPass:
    """Counts what the users of a pass report, and ends it.

    `hosts` are the URLs that users are spread over, `names` the request names that are known.
    """

    def __init__(
        self,
        assignment: Assignment,
        hosts: Sequence[str],
        names: RequestNames,
        cut_seconds: float,
        listener: OwnPassListener,
    ) -> None:
        self.key = assignment.key
        self._assignment = assignment
        self._hosts = hosts
        self._names = names
        self._cut_seconds = cut_seconds
        self._listener = listener
        self._left = sys.maxsize if assignment.requests is None else assignment.own_requests or 0
        self._closes_ns = NEVER_NS
        self._timer: gevent.Greenlet | None = None
        self._users: set[User] = set()
        self._made = 0
        self._arrived: set[User] = set()
        self._quit = 0
        self._opened = Event()
        self._over = False
        self._ledger = PassLedger((), _now(), workers=assignment.workers)
        self._places: dict[str, PreparedRequest] = {}
        # Users run in this thread, so it is the one that must not be short of CPU time.
        self._meter = UsageMeter()
        if assignment.start is Start.AT_ONCE:
            self._measure()
        if not assignment.own_users:
            listener.users_ready(self.key)

    def next_host(self) -> str:
        """Return where the next user goes: users are spread over the nodes evenly."""
        number = self._assignment.worker + self._made * self._assignment.workers
        self._made += 1
        return self._hosts[number % len(self._hosts)]

    def joined(self, user: User) -> None:
        """Learn that a user was started."""
        self._users.add(user)

    def arrive(self, user: User) -> None:
        """Learn that a user has done its `on_start`; keep it waiting at a barrier.

        Raises:
            StopUser: there is nothing to do any more

        """
        if self._over or self._closes_ns <= _now():
            raise StopUser
        self._count_in(user)
        if self._assignment.start is Start.BARRIER:
            self._opened.wait()

    def left(self, user: User) -> None:
        """Learn that a user ended, be it that it was told to."""
        self._users.discard(user)
        if self._over:
            return
        if self._closes_ns <= _now():
            if not self._users:
                self._end()
            return
        self._quit += 1
        if not self._users and self._made >= self._assignment.own_users:
            self._over = True
            self._listener.deserted()
            return
        self._count_in(user)

    def go(self) -> None:
        """Begin to measure; users at the barrier start."""
        if self._assignment.start is Start.AT_ONCE:
            return
        self._measure()
        if self._left <= 0 or not self._assignment.own_users:
            # A warm-up may have fewer users, and a step fewer requests, than workers.
            self._finish()
        self._opened.set()

    def close(self) -> None:
        """Count no request that begins from now on; users stop after the task they are in."""
        now_ns = _now()
        if self._over or self._closes_ns <= now_ns:
            return
        self._closes_ns = now_ns
        if self._timer is not None:
            self._timer.kill(block=False)
        self._close()

    def record(
        self,
        name: str,
        response_time: float,
        response_length: int | None,
        exception: Any = None,
        response: Any = None,
        **more: Any,
    ) -> None:
        """Count a request; a listener of Locust's `request` event."""
        ended_ns = _now()
        began_ns = ended_ns - int((response_time or 0) * _NS_PER_MS)
        if self._over or began_ns >= self._closes_ns:
            return
        measured = began_ns >= self._ledger.origin_ns
        failed = _failure(exception, response)
        request = self._request(name)
        is_slow = self._ledger.record(
            request, began_ns, ended_ns, int(response_length or 0), failed
        )
        if measured:
            if is_slow:
                told = tell(name, response, **more)
                self._ledger.note_slow(_slow_sample(told, request, began_ns, ended_ns, failed))
            self._left -= 1
            if self._left <= 0:
                self._finish()

    def progress(self, *, last: bool = False) -> Progress:
        """Return what happened since the last call; `last` ends the current second early."""
        return progress_of(self._assignment, self._ledger, len(self._users), last=last)

    def outcome(self) -> WorkerOutcome:
        """Return the result; the pass must be over and its last second rolled."""
        ledger = self._ledger
        return WorkerOutcome(
            key=self.key,
            users=self._made - self._quit,
            **asdict(self._meter.usage()),
            first_seconds=ledger.first_seconds,
            last_seconds=ledger.last_seconds,
            requests=[each.model_copy(update=_NOT_COUNTED) for each in ledger.outcomes()],
            granules=ledger.granules(),
        )

    def drop(self) -> None:
        """Let everything go at once."""
        self._over = True
        if self._timer is not None:
            self._timer.kill(block=False)

    def _count_in(self, user: User) -> None:
        if user in self._arrived:
            return
        self._arrived.add(user)
        if len(self._arrived) == self._assignment.own_users:
            self._listener.users_ready(self.key)

    def _request(self, name: str) -> PreparedRequest:
        kept = self._names.kept(name)
        request = self._places.get(kept)
        if request is None:
            request = PreparedRequest(b"", self._ledger.add(kept), json=False)
            self._places[kept] = request
        return request

    def _measure(self) -> None:
        now_ns = _now()
        self._meter.begin()
        self._ledger.measure_from(now_ns)
        seconds = self._assignment.seconds
        if seconds is not None:
            self._closes_ns = now_ns + seconds * SECOND_NS
            self._timer = gevent.spawn_later(seconds, self._close)

    def _close(self) -> None:
        """Stop users after the task they are in; who does not come to an end is cut off."""
        gevent.sleep(max(self._closes_ns - _now(), 0) / SECOND_NS)
        if not self._users:
            self._end()
            return
        for user in self._users:
            gevent.spawn(user.stop)
        self._timer = gevent.spawn_later(self._cut_seconds, self._finish)

    def _finish(self) -> None:
        """End the pass now: requests under way are cut off."""
        if self._over:
            return
        self._end()
        for user in self._users:
            gevent.spawn(user.stop, force=True)

    def _end(self) -> None:
        self._over = True
        self._meter.end()
        if self._timer is not None and self._timer is not gevent.getcurrent():
            self._timer.kill(block=False)
        # Not at once: whoever reported the last request is still in the middle of its own affairs.
        gevent.spawn(self._listener.pass_ended)


def _slow_sample(
    told: Told, request: PreparedRequest, began_ns: int, ended_ns: int, failed: Failure | None
) -> SlowSample:
    return SlowSample(
        microseconds=(ended_ns - began_ns) // 1000,
        request=request._replace(body=told.query.encode("utf-8", "replace")),
        began_ns=began_ns,
        node=told.node,
        qtime_milliseconds=told.qtime_milliseconds,
        failed=failed,
    )


def _failure(exception: Any, response: Any) -> Failure | None:
    """Return what a request failed of: a bad HTTP status if there is one, else the exception."""
    if exception is None or exception is False:
        return None
    status = getattr(response, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return failure(f"HTTP{status}", str(exception))
    kind = type(exception).__name__ if isinstance(exception, BaseException) else "Failed"
    return failure("CheckFailed" if kind == "CatchResponseError" else kind, str(exception))
