"""Tables of confidence intervals: of each request name, and of all requests of a step."""

from hack.dashboards.boards import Row
from hack.dashboards.panels import PanelColumn, TablePanel
from hack.dashboards.queries import of_result, of_step

_STEP = ("cluster", "namespace", "benchmark", "step", "variant")
_RESULT = (*_STEP, "request")
_SHORT = "Absent where a step was too short for its own swings."

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
                labels=(*_RESULT, "quantile"),
                columns=(
                    PanelColumn("Time", of_result("step_percentile_seconds"), "s"),
                    PanelColumn("Lower", of_result("step_percentile_lower_seconds"), "s"),
                    PanelColumn("Upper", of_result("step_percentile_upper_seconds"), "s"),
                ),
            ),
            TablePanel(
                "Rates and means with intervals",
                "What ended within the time of starting, divided by it; what ended later is the"
                f" drain. {_SHORT}",
                12,
                10,
                labels=_RESULT,
                columns=(
                    PanelColumn("Rate", of_result("step_requests_per_second"), "reqps"),
                    PanelColumn(
                        "Rate, lower", of_result("step_requests_per_second_lower"), "reqps"
                    ),
                    PanelColumn(
                        "Rate, upper", of_result("step_requests_per_second_upper"), "reqps"
                    ),
                    PanelColumn(
                        "Service time", of_result("step_service_time_average_seconds"), "s"
                    ),
                    PanelColumn(
                        "Service time, lower",
                        of_result("step_service_time_average_lower_seconds"),
                        "s",
                    ),
                    PanelColumn(
                        "Service time, upper",
                        of_result("step_service_time_average_upper_seconds"),
                        "s",
                    ),
                    PanelColumn(
                        "Response time", of_result("step_response_time_average_seconds"), "s"
                    ),
                    PanelColumn(
                        "Response time, lower",
                        of_result("step_response_time_average_lower_seconds"),
                        "s",
                    ),
                    PanelColumn(
                        "Response time, upper",
                        of_result("step_response_time_average_upper_seconds"),
                        "s",
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
                labels=(*_STEP, "quantile"),
                columns=(
                    PanelColumn("Time", of_step("step_all_percentile_seconds"), "s"),
                    PanelColumn("Lower", of_step("step_all_percentile_lower_seconds"), "s"),
                    PanelColumn("Upper", of_step("step_all_percentile_upper_seconds"), "s"),
                ),
            ),
            TablePanel(
                "Rates and means of all requests of a step",
                f"All request names together. {_SHORT}",
                12,
                10,
                labels=_STEP,
                columns=(
                    PanelColumn("Rate", of_step("step_all_requests_per_second"), "reqps"),
                    PanelColumn(
                        "Rate, lower", of_step("step_all_requests_per_second_lower"), "reqps"
                    ),
                    PanelColumn(
                        "Rate, upper", of_step("step_all_requests_per_second_upper"), "reqps"
                    ),
                    PanelColumn(
                        "Service time, lower",
                        of_step("step_all_service_time_average_lower_seconds"),
                        "s",
                    ),
                    PanelColumn(
                        "Service time, upper",
                        of_step("step_all_service_time_average_upper_seconds"),
                        "s",
                    ),
                    PanelColumn(
                        "Response time, lower",
                        of_step("step_all_response_time_average_lower_seconds"),
                        "s",
                    ),
                    PanelColumn(
                        "Response time, upper",
                        of_step("step_all_response_time_average_upper_seconds"),
                        "s",
                    ),
                ),
            ),
        ),
    ),
)
