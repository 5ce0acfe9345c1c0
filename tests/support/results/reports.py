"""A full report with everything that a page shows, and with the same of hostile text."""

from datetime import timedelta
from functools import cache
from typing import Any

from solrbench.analysis.arrivals import merge_distributions
from solrbench.analysis.step_results import merge_steps, merge_totals, summarise
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.conditions import Condition
from solrbench.contract.environment import AttemptRecord, Environment, NodeRecord
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import FailureKind, RequestResult, SlowRequest, StepRunResult
from solrbench.contract.step_runs import StepRunId, all_step_runs
from solrbench.contract.windows import CacheSample, RequestWindow
from solrbench.present.report import Report
from support.results.builders import START, make_spec, make_timed_result, verdicts_of
from support.results.samples import benchmark_samples

SECONDS = 12
HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7*7 }}]]>"


@cache
def make_report(
    steps: int = 2, repeats: int = 2, seconds: int = SECONDS, text: str = "", variants: int = 0
) -> Report:
    """Return a report of steps of 2, 4, … users; the same object for the same arguments.

    Each repeat has `seconds`, and histograms of the first ones; `text` is what a tenant or a target
    has put wherever it may put text.
    """
    spec = _spec(steps, repeats, variants)
    documents = [
        _document(step_run, place, seconds, text)
        for place, step_run in enumerate(all_step_runs(spec))
    ]
    environment, samples = _environment(text), benchmark_samples(spec, documents)
    status = Status(
        phase="Succeeded",
        start_time=START,
        completion_time=START + timedelta(minutes=9),
        results=merge_steps(samples),
        totals=merge_totals(samples),
        distributions=merge_distributions(samples),
        summary=summarise(samples),
        verdicts=verdicts_of(spec, documents, environment),
        conditions=[_condition(text)],
        answers=[f"p95 is Same {text}"],
    )
    return Report(
        benchmark="team/one",
        spec=spec,
        status=status,
        environment=environment,
        evidence={"a.txt": text} if text else {},
        steps=documents,
    )


def with_status(report: Report, **changes: object) -> Report:
    status = report.status.model_copy(update=changes)
    return report.model_copy(update={"status": status})


def _spec(steps: int, repeats: int, variants: int) -> Spec:
    listed = [
        {"name": f"step-{n}", "users": 2 * n, "durationSeconds": SECONDS}
        for n in range(1, steps + 1)
    ]
    target: dict[str, Any] = {"solrCloud": {"provisioner": "StatefulSet", "nodes": 2}}
    if variants:
        target["variants"] = [{"name": f"v{n}", "endpoint": "Nodes"} for n in range(variants)]
    return make_spec(target=target, load={"repeats": {"count": repeats}, "steps": listed})


def _document(step_run: StepRunId, place: int, seconds: int, text: str) -> StepRunResult:
    start = START + timedelta(seconds=60 * place)
    names = (f"search{text}", f"facets{text}")
    return StepRunResult(
        id=str(step_run),
        repeat=step_run.repeat,
        variant=step_run.variant,
        step=step_run.step,
        users=2 * (step_run.step_index + 1),
        attempt=1,
        start_time=start,
        end_time=start + timedelta(seconds=seconds),
        seconds=seconds,
        duration_seconds=seconds,
        requests=[_result(name, n, place, seconds, text) for n, name in enumerate(names)],
        workers=[],
        outlier_windows=0,
        steady_from_second=2,
        thousands=[_thousand(n) for n in range(1, 7)],
        caches=[
            CacheSample(second=n, cache="filterCache", lookups=100 * n + 1, hits=60 * n)
            for n in range(seconds)
        ],
    )


def _thousand(number: int) -> RequestWindow:
    times = {"mean_microseconds": 9000 // number, "max_microseconds": 20_000}
    return RequestWindow(requests=1000, failures=0, end_seconds=number, seconds=1.0, **times)


def _result(name: str, index: int, place: int, seconds: int, text: str) -> RequestResult:
    times = [
        [1000 * (index + 1) + 40 * each + 90 * ((second + place) % 5) for each in range(20)]
        for second in range(SECONDS)
    ]
    in_turn = [times[second % SECONDS] for second in range(seconds)]
    windows = [SecondSums(n, len(each), 0, sum(each), max(each)) for n, each in enumerate(in_turn)]
    slow = SlowRequest(
        query=f"q=slow&{text}",
        service_time_microseconds=987_654,
        qtime_milliseconds=12,
        node=f"solr-0{text}",
        second=3.5,
        failure=f"HTTP503{text}",
    )
    kinds = [FailureKind(kind=f"HTTP503{text}", count=2, sample=f"no live servers {text}")]
    fields: dict[str, Any] = {"failures": 2, "failure_kinds": kinds, "slow_requests": [slow]}
    return make_timed_result(times, name, windows=SecondSeries(windows), **fields)


def _environment(text: str) -> Environment:
    node = NodeRecord(
        name=f"worker-a{text}",
        cpu_cores=8.0,
        memory_bytes=32 << 30,
        kernel=f"6.1.0{text}",
        architecture="amd64",
        instance_type="m6i.2xlarge",
        zone="eu-central-1a",
    )
    images = {"solr": f"solr:9.7@sha256:{'ab' * 32}{text}"}
    attempt = AttemptRecord(
        target=1, load=1, images=images, pods={"one-solr-0": "worker-a"}, nodes={"solr": ["w"]}
    )
    return Environment(
        spec_hash="cd" * 32,
        seeds={"dataset.generator.seed": 4},
        images=images,
        solr_version="9.7.0",
        jvm_version=f"17.0.13{text}",
        nodes=[node],
        attempts=[attempt],
        differences=[f"nodes differ {text}"],
    )


def _condition(text: str) -> Condition:
    return Condition(
        type="Succeeded",
        status="True",
        reason="AllStepsStored",
        message=f"all steps are stored {text}",
        last_transition_time=START,
    )
