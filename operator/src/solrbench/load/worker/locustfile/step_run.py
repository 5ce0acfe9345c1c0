"""A step run of the user's own Locust users on one worker.

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
from solrbench.load.engine.step_run import ProgressUpdate, build_progress
from solrbench.load.recording.name_limit import NameLimiter
from solrbench.load.recording.recorder import NEVER_NS, SECOND_NS, StepRunRecorder
from solrbench.load.recording.slow_requests import SlowSample
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.assignment import Assignment, Start
from solrbench.load.validation.response_checks import RequestFailure, request_failure
from solrbench.load.worker.locustfile.request_event import RequestDetails, describe_event
from solrbench.load.workload.prepared_request import PreparedRequest

_NS_PER_MS = 1_000_000
_NOT_COUNTED = {"partial_answers": None, "empty_answers": None}
"""Locust reports no content of responses."""

_now = time.perf_counter_ns


class LocustfileStepRunListener(Protocol):
    """Callbacks of a step run; each is called once."""

    def users_ready(self, key: str) -> None:
        """Learn that all users of this worker are there, their `on_start` done."""

    def step_run_ended(self) -> None:
        """Learn that everything is counted."""

    def all_users_exited(self) -> None:
        """Learn that all users ended of their own accord, before the step run was over."""


class LocustfileStepRun:
    """Counts what the users of a step run report, and ends it.

    `hosts` are the URLs that users are spread over, `names` the request names that are known.
    """

    def __init__(
        self,
        assignment: Assignment,
        hosts: Sequence[str],
        names: NameLimiter,
        stop_timeout_seconds: float,
        listener: LocustfileStepRunListener,
    ) -> None:
        self.key = assignment.key
        self._assignment = assignment
        self._hosts = hosts
        self._names = names
        self._stop_timeout_seconds = stop_timeout_seconds
        self._listener = listener
        self._left = sys.maxsize if assignment.requests is None else assignment.worker_requests or 0
        self._stops_ns = NEVER_NS
        self._timer: gevent.Greenlet | None = None
        self._users: set[User] = set()
        self._made = 0
        self._arrived: set[User] = set()
        self._quit = 0
        self._opened = Event()
        self._is_over = False
        self._recorder = StepRunRecorder((), _now(), workers=assignment.workers)
        self._indexes: dict[str, PreparedRequest] = {}
        # Users run in this thread, so it is the one that must not be short of CPU time.
        self._meter = UsageMeter()
        if assignment.start is Start.IMMEDIATE:
            self._measure()
        if not assignment.worker_users:
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
        if self._is_over or self._stops_ns <= _now():
            raise StopUser
        self._mark_ready(user)
        if self._assignment.start is Start.BARRIER:
            self._opened.wait()

    def left(self, user: User) -> None:
        """Count a user that ended, also one that was stopped."""
        self._users.discard(user)
        if self._is_over:
            return
        if self._stops_ns <= _now():
            if not self._users:
                self._end()
            return
        self._quit += 1
        if not self._users and self._made >= self._assignment.worker_users:
            self._is_over = True
            self._listener.all_users_exited()
            return
        self._mark_ready(user)

    def start_measuring(self) -> None:
        """Begin to measure; users at the barrier start."""
        if self._assignment.start is Start.IMMEDIATE:
            return
        self._measure()
        if self._left <= 0 or not self._assignment.worker_users:
            # A warm-up may have fewer users, and a step fewer requests, than workers.
            self._finish()
        self._opened.set()

    def stop_sending(self) -> None:
        """Count no request that begins from now on; users stop after the task they are in."""
        now_ns = _now()
        if self._is_over or self._stops_ns <= now_ns:
            return
        self._stops_ns = now_ns
        if self._timer is not None:
            self._timer.kill(block=False)
        self._stop()

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
        started_ns = ended_ns - int((response_time or 0) * _NS_PER_MS)
        if self._is_over or started_ns >= self._stops_ns:
            return
        measured = started_ns >= self._recorder.origin_ns
        failed = _failure(exception, response)
        request = self._request(name)
        is_slow = self._recorder.record(
            request, started_ns, ended_ns, int(response_length or 0), failed
        )
        if measured:
            if is_slow:
                details = describe_event(name, response, **more)
                self._recorder.add_slow_request(
                    _slow_sample(details, request, started_ns, ended_ns, failed)
                )
            self._left -= 1
            if self._left <= 0:
                self._finish()

    def progress(self, *, last: bool = False) -> ProgressUpdate:
        """Return what happened since the last call; `last` ends the current second early."""
        return build_progress(self._assignment, self._recorder, len(self._users), last=last)

    def result(self) -> WorkerStepResult:
        """Return the result; the step run must be over and its last second rolled."""
        recorder = self._recorder
        return WorkerStepResult(
            key=self.key,
            users=self._made - self._quit,
            **asdict(self._meter.usage()),
            first_seconds=recorder.first_seconds,
            last_seconds=recorder.last_seconds,
            requests=[each.model_copy(update=_NOT_COUNTED) for each in recorder.results()],
            micro_batches=recorder.micro_batches(),
        )

    def abort(self) -> None:
        """Let everything go at once."""
        self._is_over = True
        if self._timer is not None:
            self._timer.kill(block=False)

    def _mark_ready(self, user: User) -> None:
        if user in self._arrived:
            return
        self._arrived.add(user)
        if len(self._arrived) == self._assignment.worker_users:
            self._listener.users_ready(self.key)

    def _request(self, name: str) -> PreparedRequest:
        kept = self._names.limit(name)
        request = self._indexes.get(kept)
        if request is None:
            request = PreparedRequest(b"", self._recorder.add(kept), is_json=False)
            self._indexes[kept] = request
        return request

    def _measure(self) -> None:
        now_ns = _now()
        self._meter.begin()
        self._recorder.measure_from(now_ns)
        seconds = self._assignment.seconds
        if seconds is not None:
            self._stops_ns = now_ns + seconds * SECOND_NS
            self._timer = gevent.spawn_later(seconds, self._stop)

    def _stop(self) -> None:
        """Stop users after the task they are in; who does not come to an end is cut off."""
        gevent.sleep(max(self._stops_ns - _now(), 0) / SECOND_NS)
        if not self._users:
            self._end()
            return
        for user in self._users:
            gevent.spawn(user.stop)
        self._timer = gevent.spawn_later(self._stop_timeout_seconds, self._finish)

    def _finish(self) -> None:
        """End the step run now: requests under way are cut off."""
        if self._is_over:
            return
        self._end()
        for user in self._users:
            gevent.spawn(user.stop, force=True)

    def _end(self) -> None:
        self._is_over = True
        self._meter.end()
        if self._timer is not None and self._timer is not gevent.getcurrent():
            self._timer.kill(block=False)
        # Not at once: who reported the last request is still in the middle of its own affairs.
        gevent.spawn(self._listener.step_run_ended)


def _slow_sample(
    details: RequestDetails,
    request: PreparedRequest,
    started_ns: int,
    ended_ns: int,
    failed: RequestFailure | None,
) -> SlowSample:
    return SlowSample(
        microseconds=(ended_ns - started_ns) // 1000,
        request=request._replace(body=details.query.encode("utf-8", "replace")),
        started_ns=started_ns,
        node=details.node,
        qtime_milliseconds=details.qtime_milliseconds,
        failed=failed,
    )


def _failure(exception: Any, response: Any) -> RequestFailure | None:
    """Return what a request failed of: a bad HTTP status if there is one, else the exception."""
    if exception is None or exception is False:
        return None
    status = getattr(response, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return request_failure(f"HTTP{status}", str(exception))
    kind = type(exception).__name__ if isinstance(exception, BaseException) else "Failed"
    return request_failure("CheckFailed" if kind == "CatchResponseError" else kind, str(exception))
