"""Documents that hold all evidence, or evidence against them, and verdicts on them."""

import random
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from solrbench.analysis.verdict import evaluate_document, evaluate_step
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.api.v1alpha1.load import Load
from solrbench.contract.environment import AttemptRecord, Environment, MeasuredTarget, VariantTarget
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.server_document import ServerFigures, Telemetry
from solrbench.contract.step_document import (
    RequestResult,
    StepRunResult,
    WorkerPercentile,
    WorkerResult,
)
from support.results.builders import (
    START,
    make_document,
    make_result,
    make_spec,
    make_timed_result,
    verdicts_of,
)

ENOUGH = [1000] * 200
SEPARATE_NODES = {"solr": ["n1", "n2"], "load-master": ["n3"], "load-worker": ["n3"]}
TARGET = MeasuredTarget(
    attempt=1,
    pods={"s-0": "uid-1", "s-1": "uid-2"},
    nodes={"s-0": "n1", "s-1": "n2"},
    images={"solr": "solr:9@sha256:00"},
    documents=1000,
    deleted_documents=0,
    indexed=START,
)
MOVED: dict[str, Any] = {
    "attempt": 2,
    "pods": {"s-0": "uid-3", "s-1": "uid-2"},
    "nodes": {"s-0": "n3", "s-1": "n2"},
}


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


def delayed(with_lag: list[int], without: list[int] | None) -> dict[str, Any]:
    """Return response times with and without the load generator's own delays."""
    stored = None if without is None else make_result(without).service_time_histogram
    return {
        "response_time_histogram": make_result(with_lag).service_time_histogram,
        "response_time_without_lag_histogram": stored,
        "response_max_microseconds": max(with_lag),
    }


def seen(name: str, milliseconds: float, beyond: int, requests: int = 1000) -> WorkerResult:
    found = WorkerPercentile(percent=95, microseconds=round(1000 * milliseconds), beyond=beyond)
    return worker(name, requests=requests, percentiles=[found])


def placed(
    *attempts: dict[str, list[str]], spec: Spec | None = None
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the messages of reasons and of gaps from a record of where pods ran."""
    records = [AttemptRecord(target=n, load=n, nodes=nodes) for n, nodes in enumerate(attempts, 1)]
    environment = Environment(spec_hash="", attempts=records) if records else None
    (verdict,) = verdicts_of(spec or make_spec("a"), [healthy()], environment)
    assert verdict.verdict == ("Invalid" if verdict.reasons else "Valid")
    reasons, gaps = (
        {each.reason: each.message for each in found}
        for found in (verdict.reasons, verdict.unchecked)
    )
    return reasons, gaps


def short_repeat(number: int, level: int, seconds: int = 15, **fields: Any) -> StepRunResult:
    """Return a repeat of log-normal service times around `level` µs."""
    result = make_timed_result(level_times(number, level, seconds))
    return healthy(number, requests=[counted(result, **fields)])


def level_times(number: int, level: int, seconds: int) -> list[list[int]]:
    draw = random.Random(number)
    return [[round(level * draw.lognormvariate(0, 0.6)) for _ in range(40)] for _ in range(seconds)]


def counted(result: RequestResult, **fields: Any) -> RequestResult:
    return result.model_copy(update={"partial_results": 0, "empty_results": 0, **fields})


def repeat(number: int, level: int, seconds: int = 61, **fields: int) -> StepRunResult:
    """Return a repeat whose seconds vary by 5 % around `level` µs."""
    return answers(number, windows=seconds_around([level] * seconds, number), **fields)


def seconds_around(levels: Iterable[float], seed: int, noise: float = 0.05) -> SecondSeries:
    """Return seconds that vary around levels in µs."""
    source = random.Random(seed)
    return SecondSeries(
        SecondSums(second, 100, 0, 100 * round(level * source.lognormvariate(0, noise)), 0)
        for second, level in enumerate(levels)
    )


def changing(levels: list[float], noise: float = 0.05, **fields: object) -> StepRunResult:
    """Return a step run whose seconds vary around levels in µs."""
    windows = seconds_around(levels, len(levels), noise)
    return answers(windows=windows).model_copy(update=fields)


def rising(percent: float, seconds: int = 61) -> list[float]:
    return [10_000 * (1 + percent / 100 * second / seconds) for second in range(seconds)]


def with_target(**changes: Any) -> StepRunResult:
    return healthy(target=TARGET.model_copy(update=changes))


def on_target(step: str, repeat: int, minute: int, **changes: Any) -> StepRunResult:
    """Return a step run of a minute of its own."""
    run = with_target(**changes)
    start = run.start_time + timedelta(minutes=minute)
    identity = {"step": step, "repeat": repeat, "id": f"r{repeat}-{step}", "start_time": start}
    return run.model_copy(update=identity)


def reasons(*documents: StepRunResult) -> dict[str, dict[str, str]]:
    """Return message by reason by step."""
    verdicts = verdicts_of(make_spec("a", "b"), documents)
    return {each.step: messages_by_reason(each) for each in verdicts}


def through(documents: int | None = 1000, *versions: str) -> StepRunResult:
    """Return a step run through a variant that points to so many documents."""
    variant = VariantTarget(documents=documents, solr_versions=list(versions))
    target = TARGET.model_copy(update={"variant": variant, "solr_versions": ["9.10.1"]})
    return healthy(target=target, variant="proxy")
