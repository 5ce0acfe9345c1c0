"""A Locust worker: spawns idle users, in whose place the engine sends, and reports its results."""

import logging
import signal
import socket
import time
from argparse import Namespace
from functools import cache
from typing import Any

import gevent
from gevent.event import AsyncResult
from locust.env import Environment
from locust.runners import WorkerRunner
from locust.stats import RequestStats, StatsEntry, StatsError

from solrbench.api.v1alpha1.validity import Collect
from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.names import LOAD_WORKER
from solrbench.contract.pod_plans import EXIT_TERMINATED
from solrbench.load.engine.measurement import EngineReport, ProgressUpdate, UsersReady
from solrbench.load.engine.target import LoadTarget, load_target
from solrbench.load.errors import EXIT_RETRYABLE, LoadError, write_termination_message
from solrbench.load.locust_runtime import allow_many_connections, configure_locust
from solrbench.load.locust_scaling import start_users_in_parts, stop_users_in_parts
from solrbench.load.recording.request_stats import RequestTotals
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import Exit, StartMeasuring, parse_command
from solrbench.load.settings import LoadSettings
from solrbench.load.worker.engine_thread import EngineThread
from solrbench.load.worker.locustfile import LoadedLocustfile, load_locustfile
from solrbench.load.worker.locustfile_engine import LocustfileEngine
from solrbench.net.token import TokenCheck
from solrbench.reasons.load import LoadReason
from solrbench.stats.histograms import lowest_of
from solrbench.stats.number_format import round_significant
from solrbench.telemetry.summary import OwnPodMeter


def add_to_locust_stats(
    stats: RequestStats, step: str, name: str, second: RequestTotals, now: float
) -> None:
    """Add a second of one request name to the page's statistics; `now` is Unix time.

    The page's "type" column carries the step, so that steps can be compared while the run goes on.
    """
    if not second.is_transaction:
        _add(stats.total, second, now)
    _add(stats.entries[name, step], second, now)
    for kind, count in second.kinds.items():
        key = StatsError.create_key(step, name, kind)
        error = stats.errors.setdefault(key, StatsError(step, name, kind, first_seen=now))
        error.occurrences += count
        error.last_seen = now


def _add(entry: StatsEntry, second: RequestTotals, now: float) -> None:
    entry.num_requests += second.requests
    entry.num_failures += second.failures
    entry.total_content_length += second.bytes_received
    entry.num_reqs_per_sec[int(now)] += second.requests
    entry.num_fail_per_sec[int(now)] += second.failures
    entry.last_request_timestamp = now
    # Locust declares whole milliseconds but computes with what it gets.
    figures = vars(entry)
    figures["total_response_time"] += second.sum_microseconds / 1000
    figures["max_response_time"] = max(entry.max_response_time, second.max_microseconds / 1000)
    lowest = second.min_microseconds / 1000
    known = entry.min_response_time
    figures["min_response_time"] = lowest if known is None else min(known, lowest)
    for bucket, count in second.buckets.items():
        figures["response_times"][_milliseconds(bucket)] += count


@cache
def _milliseconds(bucket: int) -> float:
    """Return a bucket's highest value with two digits, as Locust does.

    What the master takes from its workers then hardly depends on the rate of requests.
    """
    return round_significant((lowest_of(bucket + 1) - 1) / 1000, 2)


_EXIT_GRACE_SECONDS = 10.0
_LINGER_MILLISECONDS = 500

_logger = logging.getLogger(__name__)


def run_worker(plan: LoadPlan, settings: LoadSettings) -> int:
    """Serve the master until it says otherwise; return the exit code."""
    configure_locust(TokenCheck(plan.token))
    allow_many_connections()
    ended: AsyncResult = AsyncResult()
    # Before the connection: who prepares millions of queries misses heartbeats.
    prepared = _prepare(plan, settings)
    try:
        worker = Worker(plan, settings, ended, prepared)
    except ConnectionError:
        where = f"{plan.master_host}:{settings.locust_port}"
        failure = LoadError(LoadReason.MASTER_LOST, f"no load master responded at {where}")
        write_termination_message(failure)
        return failure.exit_code
    # Until here the process may simply end; from here on the master wants to know.
    gevent.signal_handler(signal.SIGTERM, ended.set, EXIT_TERMINATED)
    if isinstance(prepared, LoadError):
        return worker.report_failure(prepared)
    return worker.serve()


def _prepare(plan: LoadPlan, settings: LoadSettings) -> LoadTarget | LoadedLocustfile | LoadError:
    try:
        locustfile = plan.workload.locustfile
        if locustfile is not None:
            return load_locustfile(plan, locustfile, settings.locustfile_folder)
        return load_target(plan, settings.queries_folder)
    except LoadError as failure:
        return failure


class Worker:
    """One worker connected to its master; all of it runs in greenlets of the main thread.

    Its engine sends the requests of step runs and counts them: the load engine, or Locust users.

    It raises `ConnectionError` if no master responded.
    """

    def __init__(
        self,
        plan: LoadPlan,
        settings: LoadSettings,
        ended: AsyncResult,
        prepared: LoadTarget | LoadedLocustfile | LoadError,
    ) -> None:
        self._ended = ended
        reads_pods = plan.telemetry.collect is Collect.SERVERS_AND_PODS
        self._pod = OwnPodMeter(LOAD_WORKER) if reads_pods else None
        self._engine: EngineThread | LocustfileEngine | None = None
        if isinstance(prepared, LoadedLocustfile):
            self._engine = LocustfileEngine(prepared, self._on_report)
        elif isinstance(prepared, LoadTarget):
            self._engine = EngineThread(prepared, self._on_report)
        self._environment = Environment() if self._engine is None else self._engine.environment()
        # With options of its own, the runner reads none from files or the environment.
        self._environment.parsed_options = Namespace(web_base_path="", headless=True)
        self._runner: WorkerRunner = self._environment.create_worker_runner(
            plan.master_host, settings.locust_port
        )
        start_users_in_parts(self._runner)
        stop_users_in_parts(self._runner)
        # Only a heartbeat sets it, and a master that dies before the first one is lost too.
        self._runner.last_heartbeat_timestamp = time.time()
        gevent.spawn(self._watch_runner)

    def serve(self) -> int:
        """Work through assignments until the master ends it; return the exit code."""
        if self._engine is None:
            raise RuntimeError("there is nothing to serve with")
        self._engine.start(self._runner)
        # Before it is ready: the master may answer with an assignment at once.
        self._runner.register_message(messages.COMMAND, self._on_command)
        classes = [list(user_class) for user_class in self._engine.user_classes]
        ready = {"worker": socket.gethostname(), "classes": classes}
        self._runner.send_message(messages.READY, ready)
        return self._leave(int(self._ended.get()))

    def report_failure(self, failure: LoadError) -> int:
        """Report to the master why this worker cannot work; return the exit code."""
        self._runner.register_message(messages.COMMAND, self._on_command)
        self._send_failure(failure)
        # Until the master has heard it and lets this process end; it may itself be gone.
        self._ended.wait(_EXIT_GRACE_SECONDS)
        return self._leave(failure.exit_code)

    def _on_command(self, *, msg: Any, **_: Any) -> None:
        command = parse_command(msg.data)
        if isinstance(command, Exit):
            self._ended.set(command.exit_code)
        elif self._engine is not None:
            if self._pod is not None and isinstance(command, StartMeasuring):
                self._pod.begin()
            self._engine.execute(command)

    def _on_report(self, report: EngineReport) -> None:
        """Pass on to the master what the engine reports, and show a second on Locust's page."""
        match report:
            case UsersReady():
                self._runner.send_message(messages.SPAWNED, report._asdict())
            case ProgressUpdate():
                now = time.time()
                for name, second in report.seconds:
                    add_to_locust_stats(self._environment.stats, report.step, name, second, now)
                figures = report._asdict()
                # Objects that no message carries; what the master needs of them is in `recent`.
                del figures["seconds"]
                self._runner.send_message(messages.PROGRESS, figures)
            case WorkerStepResult():
                _logger.info("step_run=%s requests=%d finished", report.key, report.measured)
                if self._pod is not None:
                    report = report.model_copy(update={"pod": self._pod.figures()})
                self._runner.send_message(messages.RESULT, {"outcome": report.model_dump_json()})
            case LoadError():
                if not self._ended.ready():
                    self._send_failure(report)

    def _send_failure(self, failure: LoadError) -> None:
        write_termination_message(failure)
        _logger.error("%s: %s", failure.reason, failure.message)
        words = {"reason": failure.reason, "message": failure.message}
        self._runner.send_message(messages.FAILED, words)

    def _watch_runner(self) -> None:
        """Wait until the runner gives up, which it does when the master stays silent."""
        self._runner.greenlet.join()
        if not self._ended.ready():
            lost = LoadError(LoadReason.MASTER_LOST, "the load master stopped responding")
            write_termination_message(lost)
            self._ended.set(EXIT_RETRYABLE)

    def _leave(self, exit_code: int) -> int:
        """Say goodbye, so that a master which did not request it knows at once."""
        self._environment.events.quitting.fire(environment=self._environment)
        # First: its greenlets would go on reading from the socket that is closed next.
        self._runner.greenlet.kill(block=True)
        context = self._runner.client.socket.context
        self._runner.client.close(linger=_LINGER_MILLISECONDS)
        context.term()
        return exit_code
