"""What was measured: results, open loop, cold start, comparisons."""

from solrbench.api.v1alpha1.fields import Bool, Count, Difference, Measure, Text
from solrbench.api.v1alpha1.status.conditions import StatusModel

MAX_RESULTS = 32 * 50
"""Steps of a ladder (times variants) times request names of a query file, the most of each."""


class StepResult(StatusModel):
    """One step, variant and request name, merged over all repeats that are stored."""

    step: Text
    """Name of the step."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    request: Text
    """Name of the request."""
    is_transaction: Bool | None = None
    """Whether whole transactions are counted; their requests have results of their own."""
    repeats: Count
    """Repeats behind these numbers."""
    requests: Count
    """Requests measured, failures included."""
    failures: Count
    """Requests whose answer was wrong, missing or late."""
    ramp_requests: Count | None = None
    """Requests sent while users were still being started, or the rate still rose; not in any other
    number."""
    requests_per_second: Measure
    """Requests divided by the seconds of the repeats."""
    average_milliseconds: Measure | None = None
    """Mean service time."""
    min_milliseconds: Measure | None = None
    """Shortest service time."""
    max_milliseconds: Measure | None = None
    """Longest service time."""
    p50_milliseconds: Measure | None = None
    """Median service time, from the merged histogram as all percentiles here."""
    p75_milliseconds: Measure | None = None
    """75th percentile of the service time."""
    p95_milliseconds: Measure | None = None
    """95th percentile of the service time."""
    p99_milliseconds: Measure | None = None
    """99th percentile of the service time."""
    requests_per_second_mean: Measure | None = None
    """Mean of the repeats' rates."""
    requests_per_second_deviation_percent: Measure | None = None
    """Relative standard deviation of the repeats' rates; absent with one repeat."""
    p95_milliseconds_mean: Measure | None = None
    """Mean of the repeats' 95th percentiles."""
    p95_deviation_percent: Measure | None = None
    """Relative standard deviation of the repeats' 95th percentiles; absent with one repeat."""
    response_average_milliseconds: Measure | None = None
    """Mean response time, from the intended start on; as all response times only with a planned
    rate, with the time waited by requests that were dropped."""
    response_max_milliseconds: Measure | None = None
    """Longest response time."""
    response_p50_milliseconds: Measure | None = None
    """Median response time."""
    response_p75_milliseconds: Measure | None = None
    """75th percentile of the response time."""
    response_p95_milliseconds: Measure | None = None
    """95th percentile of the response time."""
    response_p99_milliseconds: Measure | None = None
    """99th percentile of the response time."""
    response_p95_deviation_percent: Measure | None = None
    """Relative standard deviation of the repeats' 95th percentiles of the response time; absent
    with one repeat."""
    late_requests: Count | None = None
    """Requests sent more than 10 ms after their intended start; only with a planned rate."""
    dropped_requests: Count | None = None
    """Requests planned but never sent, for want of a free connection; in no other number but the
    response times."""
    steady_from_second: Count | None = None
    """Second from which the service times of all requests of the step were steady, in the repeat
    in which that took longest; absent if a repeat was too short or never became steady."""
    outlier_windows: Count | None = None
    """Outlier seconds of all repeats, for all requests of the step together."""


class OpenLoopStats(StatusModel):
    """How the arrivals of one step with a planned rate were sent, over all repeats stored.

    An arrival is one request or one whole transaction; those of the ramp are not counted.
    """

    step: Text
    """Name of the step."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    planned_arrivals: Count | None = None
    """Arrivals of the plan."""
    sent_arrivals: Count
    """Those that were sent, late ones included."""
    late_arrivals: Count
    """Those sent more than 10 ms after their intended start."""
    dropped_arrivals: Count
    """Those never sent, for want of a free connection."""
    lag_p99_milliseconds: Measure | None = None
    """99th percentile of the time from intended start to sending where a connection was free, of
    the worst worker and repeat; absent if a worker did not report its own."""
    lag_max_milliseconds: Measure | None = None
    """Longest such time."""


class ColdStart(StatusModel):
    """The first thousand requests that the target got, beside the steady part of the same pass."""

    step: Text
    """Name of the step that was measured first."""
    variant: Text | None = None
    """Name of the variant it went through; absent without variants."""
    in_warm_up: Bool
    """Whether the first thousand requests were those of the warm-up before that step."""
    first_thousand_seconds: Measure
    """From the first request sent to the end of the thousandth."""
    first_thousand_average_milliseconds: Measure
    """Mean service time of the first thousand."""
    first_thousand_max_milliseconds: Measure
    """Longest service time of the first thousand."""
    steady_average_milliseconds: Measure | None = None
    """Mean service time of the step from the second on after which it was steady; absent if it was
    too short or never became steady."""


class Overhead(StatusModel):
    """How much more one variant shows than the baseline, in per cent of the baseline."""

    percent: Difference
    """Geometric mean over the repeats; negative where the variant shows less."""
    low_percent: Difference | None = None
    """Lower end of the 95 % confidence interval of the mean; absent with one repeat."""
    high_percent: Difference | None = None
    """Upper end of it."""


class Comparison(StatusModel):
    """One variant against the first one, repeat by repeat."""

    step: Text
    """Name of the step."""
    variant: Text
    """Name of the variant."""
    baseline: Text
    """Name of the variant that it is compared with: the first of `spec.target.variants`."""
    request: Text
    """Name of the request."""
    repeats: Count
    """Repeats in which both were measured."""
    failures: Count
    """Failed requests of both in those repeats; errors are compared with answers if there are
    any."""
    average: Overhead | None = None
    """Mean service time; with a planned rate, mean response time."""
    p95: Overhead | None = None
    """95th percentile of the service time; with a planned rate, of the response time."""
    requests_per_second: Overhead | None = None
    """Rate; positive is better here."""


class ReportStatus(StatusModel):
    """ConfigMaps of the full report."""

    config_map_selector: Text = ""
    """`configMapSelector` is the label selector of the ConfigMaps that hold the report;
    `solrbench report NAME -o json` joins them."""
    environment: Text = ""
    """`environment` is the name of the ConfigMap with the environment of the benchmark, once the
    load runs."""
    stored_steps: Count = 0
    """`storedSteps` is the number of steps stored, over all repeats and variants."""
    total_steps: Count = 0
    """`totalSteps` is the number of steps of all repeats and variants."""


class Summary(StatusModel):
    """The result of the printer columns: last measured step, first variant, all requests."""

    step: Text = ""
    """`step` is the name of the step that the other fields describe."""
    requests_per_second: Measure | None = None
    """`requestsPerSecond` is the rate of the step."""
    p95_milliseconds: Measure | None = None
    """`p95Milliseconds` is the 95th percentile of the service time, in an open loop of the response
    time."""
    failed_percent: Measure | None = None
    """`failedPercent` is the share of failed requests."""
    verdict: Text = ""
    """`verdict` is Valid, or Invalid if one step is; `status.verdicts` gives the reasons."""
