"""Documents that hold all evidence, and verdicts on them."""

from typing import Any

from solrbench.analysis.verdict import evaluate_document, evaluate_step
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.api.v1alpha1.load import Load
from solrbench.contract.environment import MeasuredTarget
from solrbench.contract.server_document import ServerFigures, Telemetry
from solrbench.contract.step_document import StepRunResult, WorkerResult
from support.results.builders import make_document, make_result

ENOUGH = [1000] * 200


def load(workers: int = 1, **validity: int) -> Load:
    return Load.model_validate(
        {
            "workers": workers,
            "steps": [{"name": "a", "users": workers, "requests": 10}],
            "validity": validity,
            "stop": {"collapse_seconds": 10},
        }
    )


def worker(name: str = "w-0", **fields: Any) -> WorkerResult:
    healthy: dict[str, Any] = {
        "requests": 200,
        "users": 2,
        "cpu_seconds": 1.0,
        "core_cpu_seconds": 0.8,
        "measured_seconds": 10.0,
        "throttled_seconds": 0.0,
        "stolen_seconds": 0.0,
        "pressure_seconds": 0.0,
    }
    return WorkerResult.model_validate({"worker": name} | healthy | fields)


def quiet_machine(busy_percent: float = 50.0, solr_seconds: float | None = 8.0) -> Telemetry:
    """Return a machine of four CPUs in a step of ten seconds, and the Solr node on it."""
    spent = {} if solr_seconds is None else {"cpu_seconds": solr_seconds}
    machine = {"cpu_busy_percent": busy_percent, "cpus": 4.0}
    return Telemetry(
        solr=[ServerFigures(server="solr-0:8983", seconds=10.0, readings=2, figures=spent)],
        machines=[ServerFigures(server="m-0", seconds=10.0, readings=2, figures=machine)],
    )


def healthy(repeat: int = 1, **fields: Any) -> StepRunResult:
    """Return a document that holds all evidence and no reason against it."""
    result = make_result(ENOUGH, partial_results=0, empty_results=0)
    document = make_document("a", repeat, result, seconds=10.0)
    target = MeasuredTarget(attempt=1, documents=1000, deleted_documents=0)
    evidence: dict[str, Any] = {
        "workers": [worker()],
        "pods": [],
        "target": target,
        "telemetry": quiet_machine(),
    }
    return document.model_copy(update=evidence | fields)


def answers(repeat: int = 1, **fields: Any) -> StepRunResult:
    """Return such a document whose one request name has other `fields`."""
    document = healthy(repeat)
    return document.model_copy(
        update={"requests": [document.requests[0].model_copy(update=fields)]}
    )


def open_loop(planned: int, **fields: Any) -> StepRunResult:
    plan = {"requests_per_second": 20.0, "planned_requests": planned}
    return answers(**fields).model_copy(
        update=plan | {"workers": [worker(lag_p99_microseconds=900, lag_max_microseconds=1500)]}
    )


def messages_by_reason(verdict: StepVerdict) -> dict[str, str]:
    """Return the messages by reason, without the remedy at the end."""
    return {each.reason: each.message.rpartition(". ")[0] for each in verdict.reasons}


def verdict_of(*documents: StepRunResult, **changes: int) -> StepVerdict:
    rules = load(**changes)
    return evaluate_step([evaluate_document(each, rules) for each in documents], rules)


def without_placement(spec: Spec) -> Spec:
    """Return `spec` with no limit to where pods run, of which these documents know nothing."""
    validity = spec.load.validity.model_copy(update={"allow_shared_nodes": True})
    return spec.model_copy(update={"load": spec.load.model_copy(update={"validity": validity})})
