"""Messages from the master to its workers."""

from collections.abc import Iterable, Sequence
from typing import Any

from solrbench.load.master.worker_pool.locust_runner import MasterRunner
from solrbench.load.schedule import messages
from solrbench.load.schedule.assignment import Assignment


class WorkerOrders:
    """Sends orders to workers by their ids in Locust."""

    def __init__(self, runner: MasterRunner) -> None:
        self._runner = runner

    def assign(self, worker: str, assignment: Assignment) -> None:
        """Give a worker its part of a step run."""
        data = {"assignment": assignment.model_dump_json()}
        self._send(worker, messages.ASSIGNMENT, data)

    def start_measuring(self, workers: Iterable[str], key: str) -> None:
        """Let workers begin to measure a step run."""
        for worker in workers:
            self._send(worker, messages.START_MEASURING, {"key": key})

    def stop_sending(self, workers: Iterable[str], key: str) -> None:
        """Let workers begin no more requests of a step run."""
        for worker in workers:
            self._send(worker, messages.STOP_SENDING, {"key": key})

    def abort(self, workers: Iterable[str], key: str) -> None:
        """Let workers drop a step run without a result."""
        for worker in workers:
            self._send(worker, messages.ABORT, {"key": key})

    def adopt_users(self, worker: str, key: str, users: Sequence[int]) -> None:
        """Announce to a worker which users of a lost one come next."""
        self._send(worker, messages.ADOPT_USERS, {"key": key, "users": users})

    def exit(self, worker: str, exit_code: int) -> None:
        """Let a worker's process end."""
        self._send(worker, messages.EXIT, {"exit_code": exit_code})

    def _send(self, worker: str, message: str, data: dict[str, Any]) -> None:
        self._runner.send_message(message, data, client_id=worker)
