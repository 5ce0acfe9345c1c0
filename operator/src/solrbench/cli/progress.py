"""What to say about a benchmark under way. Pure: a status in, lines out."""

from datetime import datetime

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.conditions import find_condition
from solrbench.api.v1alpha1.status import LiveLoad
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.api.v1alpha1.target import ZooKeeperMode
from solrbench.decide.conditions import (
    DATA_INDEXED,
    EXPORTED,
    SUCCEEDED,
    TARGET_READY,
    holds,
    is_finished,
)
from solrbench.decide.repeats import format_repeats
from solrbench.present.fact_tables import one_line_verdict
from solrbench.present.limit_tables import limit_lines
from solrbench.stats.number_format import (
    count_noun,
    format_bytes,
    format_milliseconds,
    format_number,
)


def elapsed_seconds(resource: SolrBenchmark | SolrBenchmarkSweep, now: datetime) -> int:
    """Return how long ago the resource was created."""
    created = resource.metadata.creation_timestamp
    # The clocks of the cluster and of this machine may differ.
    return max(0, int((now - created).total_seconds())) if created is not None else 0


def summary(resource: SolrBenchmark | SolrBenchmarkSweep) -> tuple[str, str]:
    """Return reason and message of the summary condition; empty before the first reconcile."""
    condition = find_condition(resource.status.conditions, SUCCEEDED)
    if condition is None:
        return "", "Waiting for the operator. If this lasts, run `solrbench preflight`."
    return condition.reason, condition.message


def awaits_export(benchmark: SolrBenchmark) -> bool:
    """Return whether a benchmark that is over has results whose export is not decided."""
    stored = benchmark.status.report
    # Without a step or evidence the operator makes no export.
    if benchmark.spec.results.export is None or not (stored.stored_steps or stored.evidence):
        return False
    export = find_condition(benchmark.status.conditions, EXPORTED)
    return export is None or export.status == "Unknown"


def details(benchmark: SolrBenchmark) -> list[tuple[str, str]]:
    """Return the figures known so far, each with its title."""
    evidence = benchmark.status.report.evidence
    lines = [
        ("target", _target(benchmark)),
        ("data", _data(benchmark)),
        ("load", _load(benchmark)),
        ("verdict", one_line_verdict(benchmark.status.verdicts)),
        *((title.lower(), "\n".join(lines)) for title, lines in limit_lines(benchmark.status)),
        (
            "logs and events",
            f"ConfigMap {evidence} (solrbench report -o evidence)" if evidence else "",
        ),
        ("export", _export(benchmark)),
    ]
    return [(title, text) for title, text in lines if text]


def one_line(benchmark: SolrBenchmark) -> str:
    """Return phase, percent and what goes on, for a log."""
    status, text = benchmark.status, ""
    if is_finished(status) and awaits_export(benchmark):
        text = f"export: {_export(benchmark) or 'not begun'}"
    elif not is_finished(status) and holds(status, TARGET_READY):
        # Figures of the stage under way say more than its message, if it has any.
        text = _load(benchmark) if holds(status, DATA_INDEXED) else _data(benchmark)
    text = text or ": ".join(filter(None, summary(benchmark)))
    return f"{status.phase:<12} {status.progress_percent:>3} %  {text}"


def _export(benchmark: SolrBenchmark) -> str:
    export = find_condition(benchmark.status.conditions, EXPORTED)
    if export is None:
        return ""
    return export.message if export.status == "True" else f"{export.reason}: {export.message}"


def _target(benchmark: SolrBenchmark) -> str:
    target, solr_cloud = benchmark.status.target, benchmark.spec.target.solr_cloud
    if solr_cloud is None or (target.zookeepers is None and target.live_nodes is None):
        return ""
    version, heap, zookeeper = target.solr_version, target.heap_bytes, solr_cloud.zookeeper
    external = zookeeper.mode is ZooKeeperMode.EXTERNAL  # of which nothing is counted
    parts = [
        "" if external else f"{target.zookeepers or 0} of {zookeeper.replicas} ZooKeepers",
        f"{target.live_nodes or 0} of {solr_cloud.nodes} Solr nodes",
        "" if version is None else f"Solr {version}",
        "" if heap is None else f"heap {format_bytes(heap)}",
    ]
    return ", ".join(filter(None, parts))


def _data(benchmark: SolrBenchmark) -> str:
    data = benchmark.status.dataset
    if data.documents is None:
        return ""
    # The total is not always known beforehand.
    documents = count_noun(data.documents, "document")
    if data.documents_total not in (None, data.documents):
        documents = f"{data.documents:,} of {data.documents_total:,} documents"
    rate, size = data.documents_per_second, data.index_bytes
    parts = [
        documents,
        "" if rate is None else f"{format_number(rate)} documents/s",
        "" if size is None else f"index {format_bytes(size)}",
    ]
    return ", ".join(filter(None, parts))


def _load(benchmark: SolrBenchmark) -> str:
    load = benchmark.status.live_load
    parts = _step_runs(benchmark)
    if load is not None:
        repeats = format_repeats(benchmark.spec.load, load.step)
        repeat = f"repeat {load.repeat} of {repeats}" if repeats else ""
        where = ", ".join(filter(None, (load.variant, repeat)))
        parts.append(" ".join(filter(None, (load.stage, load.step, where and f"({where})"))))
        if load.users:
            parts.append(f"{load.users} users")
        if load.requests_per_second:
            planned = load.planned_requests_per_second
            of = f" of {format_number(planned)}" if planned is not None else ""
            parts.append(f"{format_number(load.requests_per_second)}{of} requests/s")
        if load.requests:
            parts.append(f"{load.requests:,} requests")
        parts += _last_seconds(load)
    return ", ".join(parts)


def _last_seconds(load: LiveLoad) -> list[str]:
    times = ((p, getattr(load, f"p{p}_milliseconds")) for p in (50, 95, 99))
    parts = [f"p{p} {format_milliseconds(time)}" for p, time in times if time is not None]
    if load.recent_failures:
        share = load.recent_failed_percent
        of = f" ({format_number(share)} %)" if share is not None else ""
        parts.append(f"{load.recent_failures:,} failed{of} in 10 s")
    return parts


def _step_runs(benchmark: SolrBenchmark) -> list[str]:
    report, steps = benchmark.status.report, len(benchmark.spec.load.steps)
    if not report.total_steps:
        return []
    if report.total_steps == steps:
        return [f"{report.stored_steps} of {report.total_steps} steps"]
    if benchmark.spec.load.capacity is not None:  # a search may end before its last trial
        most = "at most " if report.stored_steps < report.total_steps else ""
        what = "steps and trials" if steps else "trials"
        return [f"{report.stored_steps} of {most}{report.total_steps} {what}"]
    # With repeats or variants, there are more runs than steps.
    of = f"{steps} steps" if steps > 1 else "1 step"
    return [f"{report.stored_steps} of {report.total_steps} runs of {of}"]
