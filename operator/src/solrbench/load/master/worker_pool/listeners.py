"""Messages from the workers."""

from collections.abc import Callable
from typing import Any

from solrbench.load.errors import LoadError
from solrbench.load.master.worker_pool.locust_runner import MasterRunner
from solrbench.load.master.worker_pool.membership import Membership
from solrbench.load.master.worker_pool.reports import StepReports
from solrbench.load.recording.recent_times import RecentRequests
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import LiveTotals
from solrbench.load.schedule.user_classes import UserClass
from solrbench.reasons.load import LoadReason
from solrbench.reasons.registry import find_reason


class WorkerListeners:
    """Takes what workers send to membership and reports.

    `on_change` is called after each message that changed something, `on_failure` when a worker
    cannot work; `now` gives monotonic seconds.
    """

    def __init__(
        self,
        membership: Membership,
        reports: StepReports,
        *,
        on_change: Callable[[], None],
        on_failure: Callable[[LoadError], None],
        now: Callable[[], float],
    ) -> None:
        self._membership = membership
        self._reports = reports
        self._on_change = on_change
        self._on_failure = on_failure
        self._now = now

    def register(self, runner: MasterRunner) -> None:
        """Listen from now on."""
        for message, listener in {
            messages.READY: self._on_ready,
            messages.FAILED: self._on_failed,
            messages.SPAWNED: self._on_spawned,
            messages.PROGRESS: self._on_progress,
            messages.RESULT: self._on_result,
        }.items():
            runner.register_message(message, listener)

    def _on_ready(self, *, msg: Any, **_: Any) -> None:
        user_classes = tuple(UserClass(*each) for each in msg.data["classes"])
        try:
            self._membership.add(msg.node_id, msg.data["worker"], user_classes)
        except LoadError as failure:
            self._on_failure(failure)
        self._on_change()

    def _on_failed(self, *, msg: Any, **_: Any) -> None:
        self._on_failure(
            LoadError(
                find_reason(msg.data["reason"]) or LoadReason.LOAD_FAILED, msg.data["message"]
            )
        )

    def _on_spawned(self, *, msg: Any, **_: Any) -> None:
        if msg.data["key"] == self._reports.key:
            self._reports.spawned.add(msg.node_id)
            self._on_change()

    def _on_progress(self, *, msg: Any, **_: Any) -> None:
        if msg.data["key"] == self._reports.key:
            totals = LiveTotals(*(msg.data[name] for name in LiveTotals._fields))
            recent = RecentRequests(*msg.data["recent"])
            self._reports.add_progress(msg.node_id, totals, recent, self._now())
            self._on_change()

    def _on_result(self, *, msg: Any, **_: Any) -> None:
        result = WorkerStepResult.model_validate_json(msg.data["outcome"])
        # Users of a removed worker run elsewhere; its own result would count them twice.
        if result.key == self._reports.key and not self._membership.is_removed(msg.node_id):
            self._reports.results[msg.node_id] = result
            self._on_change()
