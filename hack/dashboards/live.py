"""One benchmark while it runs."""

from hack.dashboards.boards import CLUSTER, NAMESPACE, Board, Row, Variable
from hack.dashboards.panels import (
    PanelColumn,
    PanelQuery,
    Stat,
    StateTimeline,
    TablePanel,
    TimeSeries,
)
from hack.dashboards.queries import NAMESPACES, by, of_step, select

_STEP = "{{step}} {{variant}}"

LIVE = Board(
    "solrbench-live",
    "Solr benchmark, live",
    "One benchmark while it is indexed, measured and stored.",
    "now-1h",
    (
        CLUSTER,
        NAMESPACE,
        Variable("benchmark", NAMESPACES.select("benchmark_info"), multi=False),
        Variable("step", select("live_step_requests")),
    ),
    (
        Row(
            "Progress",
            (
                StateTimeline(
                    "Phases",
                    "One bar for each phase of the benchmark.",
                    18,
                    queries=(
                        PanelQuery(
                            by(("namespace", "benchmark", "phase"), select("benchmark_info")),
                            "{{phase}}",
                        ),
                    ),
                ),
                Stat(
                    "Steps stored",
                    "Steps that are measured and stored, of all repeats.",
                    6,
                    queries=(
                        PanelQuery(select("benchmark_steps_stored"), "stored"),
                        PanelQuery(select("benchmark_steps_expected"), "expected"),
                    ),
                ),
            ),
        ),
        Row(
            "Load under way",
            (
                TimeSeries(
                    "Users",
                    "Virtual users running.",
                    8,
                    queries=(PanelQuery(of_step("live_users"), _STEP),),
                ),
                TimeSeries(
                    "Request rate",
                    "Over the last five seconds; of a planned rate also what is planned.",
                    8,
                    queries=(
                        PanelQuery(of_step("live_requests_per_second"), _STEP),
                        PanelQuery(
                            of_step("live_planned_requests_per_second"), f"{_STEP} · planned"
                        ),
                    ),
                    unit="reqps",
                ),
                TimeSeries(
                    "Requests of the step",
                    "Requests of the step under way so far, and those of the last ten seconds that"
                    " failed.",
                    8,
                    queries=(
                        PanelQuery(of_step("live_step_requests"), _STEP),
                        PanelQuery(of_step("live_recent_failures"), f"{_STEP} · failed in 10 s"),
                    ),
                ),
                TimeSeries(
                    "Latency of the last ten seconds",
                    "Percentiles over all workers, of merged histograms: of the service time, with"
                    " a planned rate of the response time.",
                    12,
                    queries=(
                        PanelQuery(of_step("live_latency_seconds"), f"{_STEP} · p{{{{quantile}}}}"),
                    ),
                    unit="s",
                ),
                TimeSeries(
                    "Failures of the last ten seconds",
                    "Share of the requests of the last ten seconds that failed.",
                    12,
                    queries=(PanelQuery(of_step("live_failed_ratio"), _STEP),),
                    unit="percentunit",
                ),
            ),
        ),
        Row(
            "Indexing",
            (
                TimeSeries(
                    "Documents",
                    "Accepted by Solr so far, and those to be indexed where that is known"
                    " beforehand.",
                    6,
                    queries=(
                        PanelQuery(select("benchmark_documents"), "indexed"),
                        PanelQuery(select("benchmark_documents_expected"), "expected"),
                    ),
                ),
                TimeSeries(
                    "Documents per second",
                    "Documents so far divided by the seconds since the first batch.",
                    6,
                    queries=(
                        PanelQuery(
                            select("benchmark_indexing_documents_per_second"), "{{benchmark}}"
                        ),
                    ),
                ),
                TimeSeries(
                    "Bytes per second",
                    "Bytes of update requests divided by the seconds of indexing.",
                    6,
                    queries=(
                        PanelQuery(select("benchmark_indexing_bytes_per_second"), "{{benchmark}}"),
                    ),
                    unit="Bps",
                ),
                TimeSeries(
                    "Index pods",
                    "CPU time of all index pods, per second, and the share of the time in which"
                    " their CPU limit stopped the worst of them; when indexing is done.",
                    6,
                    queries=(
                        PanelQuery(select("benchmark_indexing_pod_cpu_cores"), "cores"),
                        PanelQuery(select("benchmark_indexing_pod_throttled_ratio"), "throttled"),
                    ),
                ),
                TimeSeries(
                    "Index size",
                    "Over all replicas, counted when indexing is done.",
                    6,
                    queries=(PanelQuery(select("benchmark_index_bytes"), "{{benchmark}}"),),
                    unit="bytes",
                ),
            ),
        ),
        Row(
            "Conditions",
            (
                TablePanel(
                    "Conditions",
                    "The status of each condition; `kubectl describe` says why.",
                    16,
                    labels=("namespace", "benchmark", "type", "status"),
                    columns=(PanelColumn("Present", select("benchmark_condition")),),
                ),
                TablePanel(
                    "Starts of target and load",
                    "More than 1 means that pods were lost.",
                    8,
                    labels=("namespace", "benchmark", "part"),
                    columns=(PanelColumn("Starts", select("benchmark_attempts")),),
                ),
            ),
        ),
    ),
)
