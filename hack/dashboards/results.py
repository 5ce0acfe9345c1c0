"""Results of benchmarks and how they compare."""

from hack.dashboards.boards import CLUSTER, NAMESPACE, Board, Row, Variable
from hack.dashboards.intervals import INTERVALS, bounded
from hack.dashboards.open_loop import COLD_START, OPEN_LOOP
from hack.dashboards.panels import VERDICTS, BarGauge, Heatmap, PanelColumn, PanelQuery, TablePanel
from hack.dashboards.queries import (
    BENCHMARK,
    NAMESPACES,
    RESULT,
    STEP,
    by,
    of_result,
    of_step,
    select,
)
from hack.dashboards.servers import SERVERS

_NAME = "{{benchmark}} · {{step}} {{variant}} · {{request}}"


def _time(quantile: str) -> str:
    return of_result("step_service_time_seconds", f'quantile="{quantile}"')


_RESULTS = Row(
    "Results",
    (
        TablePanel(
            "Steps",
            "Merged over all stored repeats. A number that was not measured is empty.",
            24,
            10,
            labels=RESULT,
            columns=(
                PanelColumn("Repeats", of_result("step_repeats")),
                PanelColumn("Requests", of_result("step_requests")),
                PanelColumn("Failures", of_result("step_failures")),
                PanelColumn("Rate", of_result("step_requests_per_second"), "reqps"),
                PanelColumn("Documents/s", of_result("step_documents_per_second")),
                PanelColumn(
                    "Rate deviation",
                    of_result("step_requests_per_second_deviation_ratio"),
                    "percentunit",
                ),
                PanelColumn("Average", of_result("step_service_time_average_seconds"), "s"),
                PanelColumn("Shortest", of_result("step_service_time_min_seconds"), "s"),
                PanelColumn("p50", _time("0.5"), "s"),
                PanelColumn("p95", _time("0.95"), "s"),
                PanelColumn("p99", _time("0.99"), "s"),
                PanelColumn("Longest", of_result("step_service_time_max_seconds"), "s"),
                PanelColumn(
                    "p95 deviation",
                    of_result("step_service_time_deviation_ratio", 'quantile="0.95"'),
                    "percentunit",
                ),
                PanelColumn("Steady from", of_result("step_steady_from_seconds"), "s"),
                PanelColumn("Outliers", of_result("step_outlier_windows")),
            ),
        ),
        BarGauge(
            "Service time by step",
            "Quantiles of the merged histogram; nothing is averaged.",
            12,
            9,
            queries=(
                PanelQuery(of_result("step_service_time_seconds"), f"{_NAME} · p{{{{quantile}}}}"),
            ),
            unit="s",
        ),
        BarGauge(
            "Rate by step",
            "Requests that ended divided by the seconds of the repeats, failures included.",
            6,
            9,
            queries=(PanelQuery(of_result("step_requests_per_second"), _NAME),),
            unit="reqps",
        ),
        BarGauge(
            "Failures by step",
            "Share of requests whose response was wrong, missing or late.",
            6,
            9,
            queries=(
                PanelQuery(
                    f"{of_result('step_failures')} / ({of_result('step_requests')} > 0)", _NAME
                ),
            ),
            unit="percentunit",
        ),
        Heatmap(
            "Distribution",
            "Requests of the chosen steps by their duration: response times with a planned rate,"
            " else service times.",
            12,
            queries=(
                PanelQuery(by(("le",), of_step("step_request_duration_seconds_bucket"), "sum"), ""),
            ),
            unit="s",
        ),
        TablePanel(
            "Verdict by step",
            "Whether each step is Valid, Inconclusive or Invalid.",
            6,
            labels=STEP,
            columns=(PanelColumn("Verdict", of_step("step_valid"), words=VERDICTS),),
            sort="Verdict",
        ),
        TablePanel(
            "Why steps are Invalid",
            "The numbers and bounds are in the benchmark's status.",
            6,
            labels=(*STEP, "reason"),
            columns=(PanelColumn("Found", of_step("step_invalid_reason")),),
        ),
    ),
)

_COMPARISON = Row(
    "Objectives, capacity and comparison",
    (
        TablePanel(
            "Objectives",
            "1 if an objective is Met, 0 if it is Missed; absent while it is Inconclusive.",
            12,
            labels=(*BENCHMARK, "objective", "step", "variant"),
            columns=(
                PanelColumn(
                    "Met",
                    of_step("objective_met"),
                    words=(("0", "Missed", "red"), ("1", "Met", "green")),
                ),
            ),
        ),
        TablePanel(
            "Capacity",
            "Highest arrival rate of requests or documents, or number of users, that meets the"
            " objectives, with its 95 % confidence interval.",
            12,
            labels=(*BENCHMARK, "variant"),
            columns=(
                *bounded(
                    select, "capacity_requests_per_second{}", "reqps", "Capacity", "Lower", "Upper"
                ),
                *bounded(
                    select,
                    "capacity_documents_per_second{}",
                    "short",
                    *("Documents/s", "Lower, documents/s", "Upper, documents/s"),
                ),
                *bounded(
                    select, "capacity_users{}", "short", "Users", "Users, lower", "Users, upper"
                ),
            ),
        ),
        TablePanel(
            "Goodput by step",
            "Good responses within the time limit of the objectives.",
            6,
            labels=RESULT,
            columns=(
                PanelColumn("Goodput", of_result("step_goodput_requests_per_second"), "reqps"),
            ),
        ),
        TablePanel(
            "Conclusions of the comparison",
            "Whether each figure is Better, Worse, Same or Inconclusive against the baseline.",
            9,
            labels=(*RESULT, "figure", "conclusion"),
            columns=(PanelColumn("Found", of_result("comparison_conclusion")),),
        ),
        TablePanel(
            "Differences from the baseline",
            "Difference of each figure from that of the baseline.",
            9,
            labels=(*RESULT, "figure"),
            columns=(
                PanelColumn("Difference", of_result("comparison_difference_ratio"), "percentunit"),
            ),
        ),
    ),
)

_TRENDS = Row(
    "Trends of long steps",
    (
        TablePanel(
            "Trends by step",
            "What each figure did over a step of five minutes or more.",
            10,
            labels=(*STEP, "figure", "conclusion"),
            columns=(PanelColumn("Found", of_step("step_trend")),),
        ),
        TablePanel(
            "Growth by step",
            "Growth of heap, memory and index beside caches, with its 95 % confidence interval.",
            14,
            labels=(*STEP, "figure"),
            columns=(
                *bounded(
                    of_step, "step_growth{}_bytes_per_second", "Bps", "Growth", "Lower", "Upper"
                ),
                PanelColumn("Full after", of_step("step_full_seconds"), "s"),
            ),
        ),
        TablePanel(
            "Trends beside the baseline",
            "Whether each figure grows more than in the baseline (Worse), or less (Better).",
            10,
            labels=(*STEP, "figure", "conclusion"),
            columns=(PanelColumn("Found", of_step("comparison_trend_conclusion")),),
        ),
        TablePanel(
            "Growth beside the baseline",
            "Growth of heap, memory and index less that in the baseline, with its 95 % confidence"
            " interval.",
            14,
            labels=(*STEP, "figure"),
            columns=bounded(
                of_step,
                "comparison_growth_difference{}_bytes_per_second",
                "Bps",
                *("Difference", "Lower", "Upper"),
            ),
        ),
    ),
)

_FOUND = (*STEP, "type")

_ANSWERS = Row(
    "Answers and new documents",
    (
        TablePanel(
            "Queries with other answers",
            "Queries that are answered differently than by the baseline or the first variant.",
            10,
            labels=(*BENCHMARK, "candidate", "baseline"),
            columns=(PanelColumn("Queries", select("answers_different")),),
        ),
        TablePanel(
            "Time until found",
            "Time from the response to an update until replicas of a type found the document.",
            14,
            labels=_FOUND,
            columns=(
                PanelColumn("p50", of_step("step_visibility_seconds", 'quantile="0.5"'), "s"),
                PanelColumn("p95", of_step("step_visibility_seconds", 'quantile="0.95"'), "s"),
                PanelColumn("Documents", of_step("step_visibility_documents")),
                PanelColumn("Not found", of_step("step_visibility_not_found")),
            ),
        ),
    ),
)

RESULTS = Board(
    "solrbench",
    "Solr benchmarks, results and comparison",
    "Figures, verdicts and bottlenecks of benchmarks, beside each other.",
    "now-1h",
    (
        CLUSTER,
        NAMESPACE,
        Variable("benchmark", NAMESPACES.select("benchmark_info")),
        Variable("step", select("step_requests")),
        Variable("request", of_step("step_requests")),
    ),
    (_RESULTS, *INTERVALS, _COMPARISON, _ANSWERS, _TRENDS, SERVERS, OPEN_LOOP, COLD_START),
)
