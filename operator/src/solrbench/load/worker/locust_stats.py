"""What the engine counted in a second, as statistics of Locust's web page.

The page's "type" column carries the step, so that steps can be compared while the run goes on.
"""

from functools import cache

from locust.stats import RequestStats, StatsEntry, StatsError

from solrbench.load.recording.request_stats import SecondStats
from solrbench.results.stats.histograms import lowest_of


def add_to_locust_stats(
    stats: RequestStats, step: str, name: str, second: SecondStats, now: float
) -> None:
    """Add a second of one request name; `now` is Unix time."""
    if not second.is_transaction:
        _add(stats.total, second, now)
    _add(stats.entries[name, step], second, now)
    for kind, count in second.kinds.items():
        key = StatsError.create_key(step, name, kind)
        error = stats.errors.setdefault(key, StatsError(step, name, kind, first_seen=now))
        error.occurrences += count
        error.last_seen = now


def _add(entry: StatsEntry, second: SecondStats, now: float) -> None:
    entry.num_requests += second.requests
    entry.num_failures += second.failures
    entry.total_content_length += second.bytes_received
    entry.num_reqs_per_sec[int(now)] += second.requests
    entry.num_fail_per_sec[int(now)] += second.failures
    entry.last_request_timestamp = now
    # Locust declares whole milliseconds but computes with what it gets.
    figures = vars(entry)
    figures["total_response_time"] += second.sum_microseconds / 1000
    figures["max_response_time"] = max(entry.max_response_time, second.max_microseconds / 1000)
    lowest = second.min_microseconds / 1000
    known = entry.min_response_time
    figures["min_response_time"] = lowest if known is None else min(known, lowest)
    times = figures["response_times"]
    for bucket, count in second.buckets.items():
        times[_milliseconds(bucket)] += count


@cache
def _milliseconds(bucket: int) -> float:
    """Return a bucket's highest value with two digits, as Locust does.

    What the master takes from its workers then hardly depends on the rate of requests.
    """
    return float(f"{(lowest_of(bucket + 1) - 1) / 1000:.2g}")
