"""Steps with a planned rate, and the cold start."""

from hack.dashboards.boards import Row
from hack.dashboards.panels import BarChart, BarGauge, PanelColumn, PanelQuery, TablePanel
from hack.dashboards.queries import RESULT, STEP, of_result, of_step

_NAME = "{{benchmark}} · {{step}} {{variant}}"


def _service(quantile: str) -> str:
    """Return service times of steps that have response times."""
    matcher = f'quantile="{quantile}"'
    service = of_result("step_service_time_seconds", matcher)
    return f"{service} and {of_result('step_response_time_seconds', matcher)}"


def _response(quantile: str) -> str:
    return of_result("step_response_time_seconds", f'quantile="{quantile}"')


def _share(name: str) -> str:
    return f"{of_step(name)} / ({of_step('step_planned_arrivals')} > 0)"


OPEN_LOOP = Row(
    "Planned rates",
    (
        BarChart(
            "Service time and response time",
            "Steps with a planned rate. The response time begins when a request was due, the"
            " service time when it was sent: what lies between them is the wait to be sent, nearly"
            " always for a free connection. The response times hold those that were dropped, too.",
            12,
            10,
            labels=RESULT,
            columns=(
                PanelColumn("Service p95", _service("0.95")),
                PanelColumn("Response p95", _response("0.95")),
                PanelColumn("Service p99", _service("0.99")),
                PanelColumn("Response p99", _response("0.99")),
            ),
            unit="s",
        ),
        TablePanel(
            "Response times",
            "Steps with a planned rate, from the intended start of each request on; requests that"
            " were dropped count with the time they waited. Late and dropped are requests of that"
            " name.",
            12,
            10,
            labels=RESULT,
            columns=(
                PanelColumn("Average", of_result("step_response_time_average_seconds"), "s"),
                PanelColumn("p50", _response("0.5"), "s"),
                PanelColumn("p75", _response("0.75"), "s"),
                PanelColumn("p95", _response("0.95"), "s"),
                PanelColumn("p99", _response("0.99"), "s"),
                PanelColumn("Longest", of_result("step_response_time_max_seconds"), "s"),
                PanelColumn(
                    "p95 deviation",
                    of_result("step_response_time_deviation_ratio", 'quantile="0.95"'),
                    "percentunit",
                ),
                PanelColumn("Late", of_result("step_late_requests")),
                PanelColumn("Dropped", of_result("step_dropped_requests")),
            ),
        ),
        BarChart(
            "Planned and sent",
            "Arrivals of steps with a planned rate, over all repeats. Late ones were sent, but more"
            " than 10 ms after their intended start; dropped ones never.",
            12,
            9,
            labels=STEP,
            columns=(
                PanelColumn("Planned", of_step("step_planned_arrivals")),
                PanelColumn("Sent", of_step("step_sent_arrivals")),
                PanelColumn("Late", of_step("step_late_arrivals")),
                PanelColumn("Dropped", of_step("step_dropped_arrivals")),
            ),
        ),
        BarGauge(
            "Late and dropped share of the plan",
            "Late: sent more than 10 ms after the intended start. Dropped: never sent, which is"
            " overload.",
            6,
            9,
            queries=(
                PanelQuery(_share("step_late_arrivals"), f"{_NAME} · late"),
                PanelQuery(_share("step_dropped_arrivals"), f"{_NAME} · dropped"),
            ),
            unit="percentunit",
        ),
        BarGauge(
            "Delay of the load itself",
            "From the intended start to sending where a connection was free, of the worst load"
            " worker and repeat. If it is not far below the service times, add workers.",
            6,
            9,
            queries=(
                PanelQuery(of_step("step_send_lag_seconds"), f"{_NAME} · p{{{{quantile}}}}"),
                PanelQuery(of_step("step_send_lag_max_seconds"), f"{_NAME} · longest"),
            ),
            unit="s",
        ),
    ),
)

_FIRST = of_step("cold_start_first_thousand_service_time_average_seconds")
_STEADY = of_step("cold_start_steady_service_time_average_seconds")

COLD_START = Row(
    "Cold start",
    (
        BarChart(
            "First thousand requests and steady ones",
            "Mean service times in the first measured step run: of its first thousand requests,"
            " those of the warm-up if there is one, and of the part of the step that was steady."
            " Without a second bar it never was.",
            12,
            labels=STEP,
            columns=(PanelColumn("First thousand", _FIRST), PanelColumn("Steady", _STEADY)),
            unit="s",
        ),
        TablePanel(
            "Cold start",
            "Times slower: the mean of the first thousand divided by the steady one. The whole"
            " curve is in the report.",
            12,
            labels=STEP,
            columns=(
                PanelColumn(
                    "Time of the first thousand", of_step("cold_start_first_thousand_seconds"), "s"
                ),
                PanelColumn("Their mean", _FIRST, "s"),
                PanelColumn(
                    "Their longest",
                    of_step("cold_start_first_thousand_service_time_max_seconds"),
                    "s",
                ),
                PanelColumn("Steady mean", _STEADY, "s"),
                PanelColumn("Times slower", f"{_FIRST} / ({_STEADY} > 0)"),
            ),
        ),
    ),
)
