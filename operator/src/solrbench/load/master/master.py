"""The Locust master: steers the run, serves the web page, hands over the results."""

import logging
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast

import gevent
from gevent.event import AsyncResult
from gevent.pool import Group
from locust.env import Environment
from locust.stats import stats_history

from solrbench.api.v1alpha1.load import OnWorkerLoss
from solrbench.api.v1alpha1.validity import Collect
from solrbench.contract.answers import StoredAnswers
from solrbench.contract.load_plan import LoadPlan, LoadState
from solrbench.contract.names import SOLR
from solrbench.contract.pod_plans import EXIT_TERMINATED
from solrbench.load.errors import EXIT_RETRYABLE, LoadError, write_termination_message
from solrbench.load.locust_runtime import StepLoadShape, configure_locust, placeholder_user_class
from solrbench.load.locust_scaling import DeterministicUsersDispatcher, limit_stats_forever
from solrbench.load.master.added_documents import StepDocuments
from solrbench.load.master.answers import AnswerPass
from solrbench.load.master.caches import CacheReset, CacheSampler
from solrbench.load.master.diagnostics import (
    DiagnosticsRecorder,
    DiagnosticsSource,
    FlightRecordings,
    GcLogs,
    ThreadDumper,
)
from solrbench.load.master.result_store import ResultStore, add_guard, add_routes
from solrbench.load.master.run import RunCoordinator
from solrbench.load.master.steady_state import wait_for_target
from solrbench.load.master.step_run import RunStatus, StepRunExecutor
from solrbench.load.master.telemetry import (
    MachineSource,
    OwnPodSource,
    TelemetrySampler,
    ZooKeeperSource,
)
from solrbench.load.master.visibility import VisibilityProbe
from solrbench.load.master.worker_pool import WorkerPool
from solrbench.load.settings import LoadSettings, load_auth
from solrbench.net.deadline import wildcard_address
from solrbench.net.token import TokenCheck
from solrbench.reasons.load import LoadReason
from solrbench.telemetry.sources import AgentSource, SolrSource, TelemetrySource

_logger = logging.getLogger(__name__)


def run_master(plan: LoadPlan, settings: LoadSettings) -> int:
    """Run the plan until every result is acknowledged; return the exit code."""
    check = TokenCheck(plan.token)
    configure_locust(check, settings.worker_silent_seconds)
    return Master(plan, settings, check).run()


class Master:
    """A master with its page and the run behind it; workers and requests pass `check`."""

    def __init__(self, plan: LoadPlan, settings: LoadSettings, check: TokenCheck) -> None:
        self._plan = plan
        self._settings = settings
        self._check = check
        self._ended: AsyncResult = AsyncResult()
        gevent.signal_handler(signal.SIGTERM, self._ended.set, EXIT_TERMINATED)
        self._load_shape = load_shape = StepLoadShape()
        self._environment = Environment(
            user_classes=[placeholder_user_class(lambda: None)],
            shape_class=load_shape,
            # What the page calls the host; users of a custom locustfile see it too.
            host=plan.benchmark
            if plan.workload.locustfile is None
            else f"{plan.solr_urls[0].rstrip('/')}/{plan.collection}",
            locustfile=plan.benchmark,
            dispatcher_class=cast("Any", self._make_dispatcher),
        )
        self._runner = self._environment.create_master_runner(master_bind_port=settings.locust_port)
        self._worker_pool = WorkerPool(
            self._runner,
            load_shape,
            plan.workers,
            redistribute=plan.on_worker_loss is OnWorkerLoss.REDISTRIBUTE,
        )
        self._store = ResultStore(settings.results_folder)
        self._telemetry = _telemetry(plan)
        access, now = partial(load_auth, plan), time.monotonic
        executor = StepRunExecutor(
            plan,
            self._worker_pool,
            RunStatus(plan.benchmark, self._worker_pool, lambda: self._store.unacknowledged, now),
            CacheSampler(plan, access),
            utc_now=partial(datetime.now, UTC),
            now=now,
            telemetry=self._telemetry,
            diagnostics=_diagnostics(plan),
            visibility=None
            if plan.visibility is None
            else VisibilityProbe(plan.visibility, plan, access, now),
            documents=StepDocuments(plan, access, gevent.sleep),
        )
        self._coordinator = RunCoordinator(
            executor,
            self._store,
            self._prepare,
            empty_caches=CacheReset(plan, access, gevent.sleep).empty,
            ask_queries=_answers(plan, settings),
            # A thread of its own: the results of a day from many workers take seconds to add.
            in_background=gevent.get_hub().threadpool.apply,
        )

    def _make_dispatcher(self, **_: Any) -> DeterministicUsersDispatcher:
        # Called by the runner, before the pool is made: so the pool is looked up later.
        return DeterministicUsersDispatcher(
            lambda: self._worker_pool.user_classes,
            lambda: self._worker_pool.roster,
            self._load_shape.changed,
        )

    def run(self) -> int:
        """Run to the end; return the exit code."""
        self._open_web_page()
        gevent.spawn(stats_history, self._runner)
        gevent.spawn(limit_stats_forever, self._environment.stats)
        gevent.spawn(self._run_plan).link_exception(self._crashed)
        exit_code = int(self._ended.get())
        # Else workers would miss the master only after a while, and end as if they had failed.
        self._worker_pool.shut_down(0 if exit_code == 0 else EXIT_RETRYABLE)
        self._runner.quit()
        return exit_code

    def _run_plan(self) -> None:
        try:
            self._coordinator.run()
        except LoadError as failure:
            self._report_failure(failure)
            return
        self._store.wait_until_empty()
        self._ended.set(0)

    def _report_failure(self, failure: LoadError) -> None:
        """Stop the load and offer what is finished for a while."""
        _logger.error("%s: %s", failure.reason, failure.message)
        self._coordinator.status.fail(failure)
        write_termination_message(failure)
        self._worker_pool.shut_down(EXIT_RETRYABLE)
        self._store.wait_until_empty(self._settings.unacknowledged_seconds)
        self._ended.set(failure.exit_code)

    def _prepare(self) -> None:
        seconds, access = self._settings.target_seconds, load_auth(self._plan)
        variants = {f" of variant {each.variant}": each.urls for each in self._plan.variants}
        for endpoint, urls in (variants or {"": self._plan.solr_urls}).items():
            wait_for_target(urls, seconds, gevent.sleep, access=access, endpoint=endpoint)
        self._runner.start_shape()

    def _open_web_page(self) -> None:
        page = self._environment.create_web_ui(
            host=wildcard_address(), port=self._settings.web_port, delayed_start=True
        )
        if page.app is not None:
            add_guard(page.app, self._check, self._coordinator.stop)
            add_routes(page.app, self._state, self._store, self._coordinator.unfinished)
        page.start()
        if page.greenlet is not None:
            page.greenlet.link_exception(self._crashed)

    def _state(self) -> LoadState:
        agents_refused = self._telemetry is not None and self._telemetry.has_refused()
        seen = {"refused": self._check.refused, "agents_refused": agents_refused}
        return self._coordinator.status.load_state().model_copy(update=seen)

    def _crashed(self, greenlet: Any) -> None:
        failure = LoadError(LoadReason.LOAD_MASTER_FAILED, repr(greenlet.exception))
        # A run that lost its page ends by this, not by the workers that it loses next.
        self._worker_pool.fail(failure)
        self._report_failure(failure)


def _answers(plan: LoadPlan, settings: LoadSettings) -> Callable[[str], StoredAnswers] | None:
    """Return what sends each query once; None if no answers are compared."""
    if plan.answers is None:
        return None
    wanted, access = plan.answers, partial(load_auth, plan)
    answer_pass = AnswerPass(wanted, plan, settings.queries_folder, access, gevent.sleep)

    def ask(variant: str) -> StoredAnswers:
        answers = answer_pass.ask(variant)
        if wanted.empties_caches:
            try:
                CacheReset(plan, access, gevent.sleep).empty()
            except LoadError as error:
                # The load begins with warmer caches than it would have; nothing else depends on it.
                _logger.warning("caches after the pass of answers: %s", error.message)
        return answers

    return ask


def _telemetry(plan: LoadPlan) -> TelemetrySampler | None:
    """Return what reads the servers of the target; None if the plan has telemetry turned off."""
    if plan.telemetry.collect is Collect.NONE:
        return None
    sources: list[TelemetrySource] = [
        SolrSource(plan.solr_urls, plan.collection_of_cores, partial(load_auth, plan))
    ]
    if plan.zookeeper_servers:
        sources.append(ZooKeeperSource(plan.zookeeper_servers))
    if plan.telemetry.collect is Collect.SERVERS_AND_PODS:
        sources.append(OwnPodSource())
    if plan.agents:
        sources.append(AgentSource(plan.agents, plan.agent_token, Group().map))
    else:
        sources.append(MachineSource())
    return TelemetrySampler(sources, plan.telemetry.interval_seconds)


def _diagnostics(plan: LoadPlan) -> DiagnosticsRecorder | None:
    if plan.diagnostics is None:
        return None
    wanted, access = plan.diagnostics, partial(load_auth, plan)
    agents = [agent.address for agent in plan.agents if agent.component == SOLR]
    sources: list[DiagnosticsSource] = [ThreadDumper(wanted.thread_dumps, plan.solr_urls, access)]
    if wanted.gc_log:
        sources.append(GcLogs(agents, plan.agent_token))
    if wanted.flight_recording is not None:
        seconds = wanted.flight_recording.duration_seconds
        sources.append(FlightRecordings(agents, plan.agent_token, seconds))
    return DiagnosticsRecorder(wanted.repeat, sources)
