"""Finished documents until the operator has stored them, over HTTP, and where lists go on.

What was sent is known from the results of step runs. Of a try that was lost only the most that it
can have sent is known, and with the order `Once` so much is skipped. Users who send a given time
can have sent any number: then nothing can be skipped, and what follows says so.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from flask import Flask, Response, jsonify, make_response, redirect, request
from gevent.event import Event
from werkzeug.wrappers import Response as AnyResponse

from solrbench.api.v1alpha1.load import OnWorkerLoss
from solrbench.api.v1alpha1.workload import Workload
from solrbench.contract.load_plan import LoadPlan, LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.workload_files import once_only_entries
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.arrivals import arrivals, arrivals_seed
from solrbench.load.schedule.messages import Assignment, step_assignment, warm_up_assignment
from solrbench.net.token import TOKEN_HEADER, TokenCheck

_logger = logging.getLogger(__name__)


class ResultStore:
    """Documents in memory, with a copy on disk for who has to rescue them by hand."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._documents: dict[str, str] = {}
        self._acknowledged: set[str] = set()
        self._empty = Event()
        self._empty.set()

    @property
    def unacknowledged(self) -> list[str]:
        """Ids of the documents that wait, in the order they were finished."""
        return list(self._documents)

    def add(self, document: StepRunResult) -> None:
        """Keep a document."""
        text = document.model_dump_json(by_alias=True)
        self._documents[document.id] = text
        self._empty.clear()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file(document.id).write_text(text)
        except OSError as error:
            _logger.warning("step_run=%s no copy on disk: %s", document.id, error)

    def get(self, step_run_id: str) -> str | None:
        """Return a document as JSON; None if it is not there or no longer."""
        return self._documents.get(step_run_id)

    def acknowledge(self, step_run_id: str) -> bool:
        """Forget a document that is stored elsewhere; False if there never was one.

        An acknowledgement may be repeated: its response can get lost.
        """
        if step_run_id in self._documents:
            del self._documents[step_run_id]
            self._acknowledged.add(step_run_id)
            try:
                self._file(step_run_id).unlink(missing_ok=True)
            except OSError as error:
                # It was never written, and said so then, or goes with the pod.
                _logger.debug("step_run=%s copy on disk stays: %s", step_run_id, error)
        if not self._documents:
            self._empty.set()
        return step_run_id in self._acknowledged

    def wait_until_empty(self, seconds: float | None = None) -> None:
        """Wait until everything is acknowledged, at most `seconds`."""
        self._empty.wait(seconds)

    def _file(self, step_run_id: str) -> Path:
        return self._folder / f"{step_run_id}.json"


@dataclass(frozen=True)
class ListOffsets:
    """A place in the lists of a workload."""

    once_only: tuple[bool, ...]
    """For each entry whether its list is gone through once."""
    offsets: tuple[int, ...] = ()
    """For each entry the number of its next request in the steps, or a little more; entries beyond
    are at 0."""
    may_repeat: bool = False
    """Requests of a finite list from here on may have been sent before."""

    def advanced_by(self, results: Sequence[WorkerStepResult], *, lost: bool = False) -> Self:
        """Return the place after a step run that began here.

        That is beyond the highest slot of any worker: what a slower worker left out is skipped, so
        nothing is sent twice. A worker that was lost may have been ahead of all others.
        """
        columns = zip_longest(*(result.used_numbers for result in results), fillvalue=0)
        moved = self._moved_by(map(max, columns))
        return replace(moved, may_repeat=self.may_repeat or (lost and any(self.once_only)))

    def skip_lost(self, most: int | None, tries: int = 1) -> Self:
        """Return the place after lost tries, each of at most that many requests.

        Only finite lists move: of all others the same requests are sent as if nothing was lost.
        None stands for a number that is unknown.
        """
        if not tries or not any(self.once_only):
            return self
        if most is None:
            return replace(self, may_repeat=True)
        return self._moved_by(tries * most * once for once in self.once_only)

    def _moved_by(self, steps: Iterable[int]) -> Self:
        offsets = zip_longest(self.offsets, steps, fillvalue=0)
        return replace(self, offsets=tuple(map(sum, offsets)))


def resumed(plan: LoadPlan) -> ListOffsets:
    """Return where the first ladder of a plan begins, behind all that was sent before."""
    before, finite = plan.resumption, once_only_entries(plan.workload)
    mark = ListOffsets(finite, tuple(before.offsets))
    if not any(finite):
        return mark
    first, mark = plan.step_runs[0], replace(mark, may_repeat=before.may_repeat)
    # Updates of a step that indexes are of no list.
    if not before.lost_steps or first.step.indexing is not None:
        return mark
    # Within a lost attempt, workers that were left may have begun a step several times.
    if plan.on_worker_loss is OnWorkerLoss.REDISTRIBUTE:
        mark = replace(mark, may_repeat=True)
    warm_up = warm_up_assignment(plan, first)
    if warm_up is not None and plan.workload.warm_up_queries is None:
        mark = mark.skip_lost(max_requests_sent(warm_up, plan.workload), before.lost_warm_ups)
    most = max_requests_sent(step_assignment(plan, first), plan.workload)
    return mark.skip_lost(most, before.lost_steps)


def max_requests_sent(assignment: Assignment, workload: Workload) -> int | None:
    """Return the most requests that a try of a step run can have sent, of each entry and of all.

    None where it is unknown: users who send for a given time, and the replay of a log.
    """
    if assignment.open_loop is None or assignment.open_loop.speed_factor is not None:
        return assignment.requests
    seed = arrivals_seed(workload.draw_seed, assignment.repeat, assignment.step)
    return sum(len(block) for block in arrivals(assignment.open_loop, seed))


_LOCKED = frozenset({"/swarm", "/user", "/stats/reset"})
_GUARDED = (*_LOCKED, "/stop")
_JSON = "application/json"
_REFUSAL = "The SolrBenchmark steers this run; only Stop works here, and it ends the run."
_NO_TOKEN = "this needs the token of the load; `solrbench open` opens the page with it"  # noqa: S105
_COOKIE = "solrbench-token"


def add_guard(app: Flask, check: TokenCheck, stop: Callable[[], None]) -> None:
    """Keep the buttons of Locust's page from bending the run, and strangers from the run.

    What changes it, and all that the operator asks for, needs the token. The page can be read
    without it, and gets it as a cookie, for its Stop button, where its address has it.
    """

    @app.before_request
    def guard() -> AnyResponse | None:
        if request.path == "/" and "token" in request.args:
            response, token = redirect("/"), request.args["token"]
            if check.admits(token, request.path):
                # Other sites cannot have it sent, and no script can read it.
                response.set_cookie(_COOKIE, token, httponly=True, samesite="Strict")
            return response
        needs_token = request.path in _GUARDED or request.path.startswith("/solrbench/")
        if needs_token and not _admits(check):
            return make_response(jsonify({"success": False, "message": _NO_TOKEN}), 401)
        if request.method == "POST" and request.path in _LOCKED:
            return jsonify({"success": False, "message": _REFUSAL})
        if request.method == "POST" and request.path == "/stop":
            stop()
            return jsonify({"success": True, "message": "The run stops and counts as failed"})
        return None


def _admits(check: TokenCheck) -> bool:
    given = request.headers.get(TOKEN_HEADER)
    # Browsers take all ports of a host for one site: pages of another port send the cookie, too.
    origin = request.headers.get("Origin")
    if given is None and (origin is None or urlsplit(origin).netloc == request.host):
        given = request.cookies.get(_COOKIE)
    return check.admits(given, request.path)


def add_routes(
    app: Flask,
    state: Callable[[], LoadState],
    store: ResultStore,
    unfinished: Callable[[], StepRunResult | None],
) -> None:
    """Add state and results to Locust's app."""

    @app.get("/solrbench/state")
    def get_state() -> Response:
        return Response(state().model_dump_json(by_alias=True), mimetype=_JSON)

    @app.get("/solrbench/unfinished")
    def get_partial_result() -> Response:
        document = unfinished()
        if document is None:
            return _missing("under way")
        return Response(document.model_dump_json(by_alias=True), mimetype=_JSON)

    @app.get("/solrbench/results/<step_run_id>")
    def get_result(step_run_id: str) -> Response:
        document = store.get(step_run_id)
        return _missing(step_run_id) if document is None else Response(document, mimetype=_JSON)

    @app.post("/solrbench/results/<step_run_id>/ack")
    def acknowledge(step_run_id: str) -> Response:
        return Response(status=204) if store.acknowledge(step_run_id) else _missing(step_run_id)


def _missing(step_run_id: str) -> Response:
    message = f"no document {step_run_id}: not finished yet, or acknowledged"
    return make_response(jsonify({"message": message}), 404)
