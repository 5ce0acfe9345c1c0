"""Whether others took the CPU of load workers: the host of the node, or what runs beside them."""

from collections.abc import Callable

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.step_result import StepRunResult, WorkerResult
from solrbench.results.stats.number_format import format_number, format_percent
from solrbench.results.validity.checks.finding import (
    Finding,
    NotEvaluated,
    Outcome,
    measured_seconds,
    worst,
)


def check_cpu_stolen(document: StepRunResult, load: Load) -> Outcome:
    """Compare the CPU time that the host of each worker's node gave to others with the limit.

    A node that is a virtual machine stands still meanwhile, clocks apart: responses that wait for
    it look slow, in the worker and in Solr alike.
    """
    limit = load.validity.max_stolen_percent
    text = "the host took {} s of each CPU of the node of worker {}"
    return _compare(document, limit, text, lambda worker: worker.stolen_seconds, "steal time")


def check_cpu_pressure(document: StepRunResult, load: Load) -> Outcome:
    """Compare the time in which processes of each worker waited for a CPU with the limit."""
    limit = load.validity.max_cpu_pressure_percent
    text = "processes waited for a CPU for {} s in the pod of worker {}"
    return _compare(document, limit, text, lambda worker: worker.pressure_seconds, "cpu.pressure")


def _compare(
    document: StepRunResult,
    limit: float,
    text: str,
    seconds_of: Callable[[WorkerResult], float | None],
    source: str,
) -> Outcome:
    unknown = [each.worker for each in document.workers if seconds_of(each) is None]
    found = worst(
        Finding(
            lost / whole,
            f"{text.format(format_number(lost), worker.worker)} in {format_number(whole)} s"
            f" ({format_percent(100 * lost / whole)}, limit {format_percent(limit)})",
        )
        for worker in document.workers
        if (lost := seconds_of(worker) or 0.0) * 100
        > limit * (whole := measured_seconds(worker, document))
        and whole > 0
    )
    if found is None and unknown:
        return NotEvaluated(f"no {source} of worker {', '.join(unknown[:3])} could be read")
    return found
