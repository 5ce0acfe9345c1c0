"""HTTP for the operator, and a fence around the buttons of Locust's page."""

from collections.abc import Callable

from flask import Flask, Response, jsonify, request

from solrbench.load.master.result_store import ResultStore
from solrbench.plan.load_plan import LoadState
from solrbench.results.model.step_result import StepRunResult

_LOCKED = frozenset({"/swarm", "/user", "/stats/reset"})
_REFUSAL = "The SolrBenchmark steers this run; only Stop works here, and it ends the run."


def add_routes(
    app: Flask,
    state: Callable[[], LoadState],
    store: ResultStore,
    stop: Callable[[], None],
    unfinished: Callable[[], StepRunResult | None],
) -> None:
    """Add state and results to Locust's app, and keep its buttons from bending the run."""

    @app.before_request
    def guard() -> Response | None:
        if request.method != "POST":
            return None
        if request.path in _LOCKED:
            return jsonify({"success": False, "message": _REFUSAL})
        if request.path == "/stop":
            stop()
            return jsonify({"success": True, "message": "The run stops and counts as failed"})
        return None

    @app.get("/solrbench/state")
    def get_state() -> Response:
        return _json(state().model_dump_json(by_alias=True))

    @app.get("/solrbench/unfinished")
    def get_unfinished() -> Response:
        document = unfinished()
        if document is None:
            return _missing("under way")
        return _json(document.model_dump_json(by_alias=True))

    @app.get("/solrbench/results/<step_run_id>")
    def get_result(step_run_id: str) -> Response:
        document = store.get(step_run_id)
        return _missing(step_run_id) if document is None else _json(document)

    @app.post("/solrbench/results/<step_run_id>/ack")
    def acknowledge(step_run_id: str) -> Response:
        return Response(status=204) if store.acknowledge(step_run_id) else _missing(step_run_id)


def _json(text: str, status: int = 200) -> Response:
    return Response(text, status=status, mimetype="application/json")


def _missing(step_run_id: str) -> Response:
    response = jsonify({"message": f"no document {step_run_id}: not finished yet, or acknowledged"})
    response.status_code = 404
    return response
