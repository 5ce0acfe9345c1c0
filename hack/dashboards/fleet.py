"""All benchmarks and sweeps of all namespaces, and the operator's health."""

from hack.dashboards.boards import CLUSTER, NAMESPACE, Board, Row
from hack.dashboards.panels import (
    BarGauge,
    NameStat,
    PanelColumn,
    PanelQuery,
    Stat,
    TablePanel,
    TimeSeries,
)
from hack.dashboards.queries import BENCHMARK, NAMESPACES, OPERATORS, RATE_WINDOW, by

_select, _operator = NAMESPACES.select, OPERATORS.select


def _rate(name: str, *matchers: str) -> str:
    return f"rate({_operator(name, *matchers)}[{RATE_WINDOW}])"


def _reconciles(quantile: str) -> str:
    buckets = by(("le",), _rate("reconcile_seconds_bucket"), "sum")
    return f"histogram_quantile({quantile}, {buckets})"


_WAITING = f"time() - {_select('benchmark_created_timestamp_seconds')}"
_IN_PHASE = f"time() - {_select('benchmark_phase_start_timestamp_seconds')}"


def _steps_with(verdict: float) -> str:
    """Return the query of how many steps have a verdict, 0 if none has."""
    return f"sum({_select('step_valid')} == bool {verdict})"


FLEET = Board(
    "solrbench-fleet",
    "Solr benchmarks, fleet",
    "All benchmarks of all namespaces: running, waiting, failed; their verdicts, and the operator.",
    "now-24h",
    (CLUSTER, NAMESPACE),
    (
        Row(
            "Benchmarks",
            (
                Stat(
                    "Benchmarks by phase",
                    "Of the chosen namespaces.",
                    8,
                    queries=(
                        PanelQuery(by(("phase",), _select("benchmark_info"), "count"), "{{phase}}"),
                    ),
                ),
                TimeSeries(
                    "Phases over time",
                    "How many benchmarks were in each phase, over all namespaces that the operator"
                    " watches.",
                    16,
                    queries=(
                        PanelQuery(by(("phase",), _operator("benchmarks"), "sum"), "{{phase}}"),
                    ),
                ),
                TablePanel(
                    "Under way and over",
                    "Every benchmark with its phase and the time since it began.",
                    12,
                    10,
                    labels=(*BENCHMARK, "phase"),
                    columns=(
                        PanelColumn(
                            "In this phase for",
                            f"({_IN_PHASE}) * on (cluster, namespace, benchmark) group_right ()"
                            f" {_select('benchmark_info')}",
                            "s",
                        ),
                    ),
                    sort="phase",
                ),
                TablePanel(
                    "Failed",
                    "Benchmarks whose condition Succeeded is False; `kubectl describe` says why.",
                    12,
                    10,
                    labels=(*BENCHMARK, "type"),
                    columns=(
                        PanelColumn(
                            "Failed",
                            _select("benchmark_condition", 'type="Succeeded"', 'status="False"'),
                        ),
                    ),
                ),
            ),
        ),
        Row(
            "Queue",
            (
                TablePanel(
                    "Waiting now",
                    "Benchmarks that wait for others to end, and their places in the queue.",
                    12,
                    labels=BENCHMARK,
                    columns=(
                        PanelColumn(
                            "Since its creation",
                            f"({_WAITING}) and on (cluster, namespace, benchmark)"
                            f" {_select('benchmark_queue_position')}",
                            "s",
                        ),
                        PanelColumn("Place", _select("benchmark_queue_position")),
                    ),
                ),
                BarGauge(
                    "Time in queue",
                    "From the creation of each benchmark until it left the queue, with the time in"
                    " which it was suspended.",
                    12,
                    queries=(
                        PanelQuery(
                            f"{_select('benchmark_start_timestamp_seconds')}"
                            f" - {_select('benchmark_created_timestamp_seconds')}",
                            "{{namespace}} · {{benchmark}}",
                        ),
                    ),
                    unit="s",
                ),
            ),
        ),
        Row(
            "Results of the last hour",
            (
                Stat(
                    "Verdicts",
                    "Steps of the chosen namespaces whose results are still shown.",
                    6,
                    queries=(
                        PanelQuery(_steps_with(1), "Valid"),
                        PanelQuery(_steps_with(0.5), "Inconclusive"),
                        PanelQuery(_steps_with(0), "Invalid"),
                    ),
                ),
                BarGauge(
                    "Invalid steps by reason",
                    "Each step counts once for each of its reasons.",
                    6,
                    queries=(
                        PanelQuery(
                            by(("reason",), _select("step_invalid_reason"), "sum"), "{{reason}}"
                        ),
                    ),
                ),
                BarGauge(
                    "Bottlenecks",
                    "Steps by what held them back; None if nothing was saturated.",
                    6,
                    queries=(
                        PanelQuery(
                            by(("resource",), _select("step_bottleneck"), "sum"), "{{resource}}"
                        ),
                    ),
                ),
                Stat(
                    "Sweeps by phase",
                    "Of the chosen namespaces.",
                    6,
                    queries=(
                        PanelQuery(by(("phase",), _select("sweep_info"), "count"), "{{phase}}"),
                    ),
                ),
            ),
        ),
        Row(
            "Operator",
            (
                TimeSeries(
                    "Reconciles",
                    "Reconciles by result: retry means that something was not there yet.",
                    6,
                    queries=(
                        PanelQuery(by(("result",), _rate("reconcile_total"), "sum"), "{{result}}"),
                    ),
                    unit="ops",
                ),
                TimeSeries(
                    "Duration of a reconcile",
                    "Median and 99th percentile over the last minutes, read from buckets.",
                    6,
                    queries=(
                        PanelQuery(_reconciles("0.5"), "p50"),
                        PanelQuery(_reconciles("0.99"), "p99"),
                    ),
                    unit="s",
                ),
                TimeSeries(
                    "Memory of the operator",
                    "Resident memory of the operator's process.",
                    6,
                    queries=(
                        PanelQuery(
                            "process_resident_memory_bytes * on (cluster, instance, job)"
                            f" group_left (version) {_operator('build_info')}",
                            "{{version}}",
                        ),
                    ),
                    unit="bytes",
                ),
                NameStat(
                    "Version",
                    "The operators that are scraped.",
                    3,
                    queries=(PanelQuery(by(("version",), _operator("build_info")), "{{version}}"),),
                ),
                TablePanel(
                    "Pods lost",
                    "Starts of target and load; more than 1 means that pods were lost.",
                    3,
                    labels=("namespace", "benchmark", "part"),
                    columns=(PanelColumn("Starts", f"{_select('benchmark_attempts')} > 1"),),
                ),
            ),
        ),
    ),
)
