"""Sweeps: how far they are, and the figures of their points."""

from hack.dashboards.boards import CLUSTER, Board, Row, Variable
from hack.dashboards.panels import (
    VERDICTS,
    BarGauge,
    PanelColumn,
    PanelQuery,
    Stat,
    TablePanel,
    TimeSeries,
)
from hack.dashboards.queries import NAMESPACES, OPERATORS, by
from hack.dashboards.queries import SWEEPS as SCOPE

_SWEEP = ("cluster", "namespace", "sweep")
_POINT = (*_SWEEP, "point", "values")
_NAME = "{{sweep}} · {{values}}"

_select = SCOPE.select
_P95 = _select("sweep_point_duration_seconds", 'quantile="0.95"')


def _by_value(expression: str) -> str:
    values = _select("sweep_point_value_info")
    join = "on (cluster, namespace, sweep, point) group_left ()"
    return f"{values} * {join} {expression}"


def _p95_by_value() -> str:
    """Return the percentile without its label, by which values have no counterpart."""
    return _by_value(by((*_SWEEP, "point"), _P95))


SWEEPS = Board(
    "solrbench-sweeps",
    "Solr benchmark sweeps",
    "How far sweeps are, and the figures of their points.",
    "now-6h",
    (
        CLUSTER,
        Variable("namespace", OPERATORS.select("sweep_info")),
        Variable("sweep", NAMESPACES.select("sweep_info")),
    ),
    (
        Row(
            "Sweeps",
            (
                Stat(
                    "Sweeps by phase",
                    "Of the chosen sweeps.",
                    6,
                    queries=(
                        PanelQuery(by(("phase",), _select("sweep_info"), "count"), "{{phase}}"),
                    ),
                ),
                TimeSeries(
                    "Points by state",
                    "How far each sweep is. Valid and Invalid points have succeeded.",
                    12,
                    queries=(
                        PanelQuery(
                            by((*_SWEEP, "state"), _select("sweep_points"), "sum"),
                            "{{sweep}} · {{state}}",
                        ),
                    ),
                ),
                Stat(
                    "Time left",
                    "Estimate: steps of the points that are left, and for each as much beside as"
                    " the finished points took.",
                    6,
                    queries=(
                        PanelQuery(by(_SWEEP, _select("sweep_remaining_seconds")), "{{sweep}}"),
                    ),
                    unit="s",
                ),
            ),
        ),
        Row(
            "Points",
            (
                TablePanel(
                    "Points",
                    "Figures of the last step of each point; that of a point to come is not there.",
                    24,
                    10,
                    labels=_POINT,
                    columns=(
                        PanelColumn("p95", _P95, "s"),
                        PanelColumn("Rate", _select("sweep_point_requests_per_second"), "reqps"),
                        PanelColumn("Failed", _select("sweep_point_failed_ratio"), "percentunit"),
                        PanelColumn(
                            "CPU per query", _select("sweep_point_cpu_seconds_per_request"), "s"
                        ),
                        PanelColumn(
                            "Read per request",
                            _select("sweep_point_read_bytes_per_request"),
                            "bytes",
                        ),
                        PanelColumn("Reads per query", _select("sweep_point_reads_per_request")),
                        PanelColumn("Index", _select("sweep_point_index_bytes"), "bytes"),
                        PanelColumn("Price per hour", _select("sweep_point_price_per_hour")),
                        PanelColumn(
                            "Cost per million requests",
                            _select("sweep_point_cost_per_million_requests", 'bound="estimate"'),
                        ),
                        PanelColumn("Verdict", _select("sweep_point_valid"), words=VERDICTS),
                    ),
                    sort="sweep",
                ),
                BarGauge(
                    "p95 by point",
                    "95th percentile of the last step; with a planned rate of the response time.",
                    12,
                    10,
                    queries=(PanelQuery(_P95, _NAME),),
                    unit="s",
                ),
                BarGauge(
                    "Rate by point",
                    "Requests per second of the last step.",
                    12,
                    10,
                    queries=(PanelQuery(_select("sweep_point_requests_per_second"), _NAME),),
                    unit="reqps",
                ),
            ),
        ),
        Row(
            "Values",
            (
                TablePanel(
                    "Figures by value of each axis",
                    "A row for each value that a point has; `status.answers` of the sweep says"
                    " which differences hold.",
                    24,
                    12,
                    labels=(*_SWEEP, "axis", "value", "point"),
                    columns=(
                        PanelColumn("p95", _p95_by_value(), "s"),
                        PanelColumn(
                            "Rate", _by_value(_select("sweep_point_requests_per_second")), "reqps"
                        ),
                        PanelColumn(
                            "Verdict", _by_value(_select("sweep_point_valid")), words=VERDICTS
                        ),
                    ),
                    sort="axis",
                ),
                TablePanel(
                    "Points with other answers",
                    "Queries that a point answers differently than the baseline; empty where"
                    " answers were not compared.",
                    24,
                    8,
                    labels=(*_SWEEP, "candidate", "baseline"),
                    columns=(PanelColumn("Queries", _select("sweep_answers_different")),),
                    sort="sweep",
                ),
            ),
        ),
    ),
)
