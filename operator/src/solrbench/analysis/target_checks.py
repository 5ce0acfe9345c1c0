"""Whether others took CPU time: the host of the node, or what runs beside the benchmark."""

from collections.abc import Callable

from solrbench.api.v1alpha1.load.load import Load
from solrbench.plan.names import COMPANION, LOAD_WORKER, SOLR
from solrbench.results.model.step_result import StepRunResult, WorkerResult
from solrbench.results.model.telemetry import MOST_SERVERS, ServerFigures, Telemetry
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


def check_others_use_cpu(document: StepRunResult, load: Load) -> Outcome:
    """Compare the CPU time of processes that are not of the benchmark with the limit.

    What is not known to be the benchmark's counts as theirs: of a machine whose pods were not read
    the CPU time of all Solr nodes and load workers is taken away, wherever they ran, so that it is
    at least so much. ZooKeeper, the load master and the cluster's own processes remain in it.
    """
    machines = document.telemetry.machines if document.telemetry is not None else []
    used = [each for each in machines if "cpu_busy_percent" in each.figures]
    if not used:
        return NotEvaluated("the CPU time of no machine was read")
    limit = load.validity.max_others_cpu_percent
    found = [(machine, _others_percent(document, machine)) for machine in used]
    beyond = [(machine, percent) for machine, percent in found if percent > limit]
    # What stands before Solr may be the benchmark's own.
    known = [
        each
        for each in beyond
        if _reads_companions(document) and _own_cores(document, each[0]) is not None
    ]
    if beyond and not known:
        return NotEvaluated("not all that the benchmark itself used of the CPUs is known")
    return worst(
        Finding(
            percent,
            f"processes that are not of the benchmark used {format_percent(percent)} of the CPUs of"
            f" the node of {_pods_on(document, machine)} (limit {format_percent(limit)})",
        )
        for machine, percent in known
    )


def _reads_companions(document: StepRunResult) -> bool:
    """Say whether what stands before Solr, if anything does, was read."""
    telemetry = document.telemetry or Telemetry()
    return not document.variant or any(each.component == COMPANION for each in telemetry.pods)


def _others_percent(document: StepRunResult, machine: ServerFigures) -> float:
    """Return how much of a machine others used, the benchmark too if its own use is unknown."""
    own = _own_cores(document, machine) or 0.0
    return machine.figures["cpu_busy_percent"] - 100 * own / machine.figures.get("cpus", 1.0)


def _own_cores(document: StepRunResult, machine: ServerFigures) -> float | None:
    """Return the mean number of cores that the benchmark used of a machine, or more."""
    telemetry = document.telemetry or Telemetry()
    # Workers are counted by what they say of themselves, with telemetry and without.
    read = [each for each in telemetry.pods if each.component != LOAD_WORKER]
    pods = [each for each in read if each.machine == machine.server]
    has_solr = any(each.component == SOLR for each in read)
    servers = pods if has_solr and pods else [*telemetry.solr, *pods]
    cores = [_cores(each) for each in servers]
    known = [each for each in cores if each is not None]
    if not known or len(known) < len(cores) or len(servers) >= MOST_SERVERS:
        return None
    workers = sum(
        each.cpu_seconds / whole
        for each in document.workers
        if (whole := measured_seconds(each, document)) > 0
    )
    return sum(known) + workers


def _cores(server: ServerFigures) -> float | None:
    spent = server.figures.get("cpu_seconds")
    return None if spent is None or server.seconds <= 0 else spent / server.seconds


def _pods_on(document: StepRunResult, machine: ServerFigures) -> str:
    pods = document.telemetry.pods if document.telemetry is not None else []
    names = [each.server for each in pods if each.machine == machine.server]
    return f"pod {names[0]}" if names else "the load master"


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
