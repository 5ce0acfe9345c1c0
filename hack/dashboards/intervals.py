"""Tables of confidence intervals: of each request name, and of all requests of a step."""

from collections.abc import Callable

from hack.dashboards.boards import Row
from hack.dashboards.panels import PanelColumn, TablePanel, Unit
from hack.dashboards.queries import RESULT, STEP, of_result, of_step

_SHORT = "Absent where a step was too short for its own swings."


def bounded(
    query: Callable[[str], str], metric: str, unit: Unit, *titles: str
) -> tuple[PanelColumn, ...]:
    """Return the columns of a figure and its interval; with two titles, of the interval alone.

    In the name of the metric, `{}` stands where its bounds have `_lower` and `_upper`.
    """
    ends = ("", "_lower", "_upper")[-len(titles) :]
    return tuple(
        PanelColumn(title, query(metric.format(end)), unit)
        for title, end in zip(titles, ends, strict=True)
    )


def _named(
    query: Callable[[str], str], metric: str, unit: Unit, name: str
) -> tuple[PanelColumn, ...]:
    return bounded(query, metric, unit, name, f"{name}, lower", f"{name}, upper")


INTERVALS = (
    Row(
        "95 % confidence intervals",
        (
            TablePanel(
                "Percentiles with intervals",
                "Percentiles of load.percentiles, of the response time with a planned rate, else"
                f" of the service time. {_SHORT}",
                12,
                10,
                labels=(*RESULT, "quantile"),
                columns=bounded(
                    of_result, "step_percentile{}_seconds", "s", "Time", "Lower", "Upper"
                ),
            ),
            TablePanel(
                "Rates and means with intervals",
                "What ended within the time of starting, divided by it; what ended later is the"
                f" drain. {_SHORT}",
                12,
                10,
                labels=RESULT,
                columns=(
                    *_named(of_result, "step_requests_per_second{}", "reqps", "Rate"),
                    *_named(of_result, "step_service_time_average{}_seconds", "s", "Service time"),
                    *_named(
                        of_result, "step_response_time_average{}_seconds", "s", "Response time"
                    ),
                    PanelColumn("Drained", of_result("step_drain_requests")),
                    PanelColumn("Drain", of_result("step_drain_seconds"), "s"),
                ),
            ),
            TablePanel(
                "Percentiles of all requests of a step",
                f"All request names together. {_SHORT}",
                12,
                10,
                labels=(*STEP, "quantile"),
                columns=bounded(
                    of_step, "step_all_percentile{}_seconds", "s", "Time", "Lower", "Upper"
                ),
            ),
            TablePanel(
                "Counts, rates and means of all requests of a step",
                f"All request names together; whole transactions are none. {_SHORT}",
                12,
                10,
                labels=STEP,
                columns=(
                    PanelColumn("Requests", of_step("step_all_requests")),
                    PanelColumn("Failures", of_step("step_all_failures")),
                    *_named(of_step, "step_all_requests_per_second{}", "reqps", "Rate"),
                    *bounded(
                        of_step,
                        "step_all_service_time_average{}_seconds",
                        "s",
                        *("Service time, lower", "Service time, upper"),
                    ),
                    *bounded(
                        of_step,
                        "step_all_response_time_average{}_seconds",
                        "s",
                        *("Response time, lower", "Response time, upper"),
                    ),
                ),
            ),
        ),
    ),
)
