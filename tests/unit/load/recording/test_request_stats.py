"""Times of the last second: what is sent is small, and merges as histograms do."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solrbench.contract.step_document import MAX_SLOW_REQUESTS
from solrbench.load.recording.open_loop import (
    LATE_NS,
    OWN_LAG_NS,
    LatencyRecorder,
    OpenLoopRecorder,
)
from solrbench.load.recording.recorder import SECOND_NS, StepRunRecorder
from solrbench.load.recording.request_stats import (
    SlowestRequests,
    SlowSample,
    histogram_of,
    pack_times,
    qtime_milliseconds,
    sum_times,
)
from solrbench.load.recording.worker_result import WorkerRequestStats
from solrbench.load.schedule.arrivals import SendingTime
from solrbench.load.workload.requests import (
    PreparedRequest,
    RequestExtras,
    describe_request,
    json_content,
)
from solrbench.load.workload.response_checks import RequestFailure
from solrbench.stats.histograms import HIGHEST_MICROSECONDS, Histogram, buckets_of, decode
from solrbench.stats.time_blocks import TimeBlocks
from support.load.worker_results import histogram, outcome

TIMES = st.lists(st.integers(1, HIGHEST_MICROSECONDS), min_size=1, max_size=50)


def test_nothing_is_packed_into_nothing() -> None:
    assert pack_times({}) == b""
    assert not sum_times([b""]).any()


def test_packed_times_are_bounded_whatever_the_number_of_requests() -> None:
    times = Counter(buckets_of(range(1, HIGHEST_MICROSECONDS, 997_331)))
    assert len(pack_times(dict.fromkeys(times, 2**16))) == len(pack_times(times)) < 10_000


@settings(max_examples=30)
@given(st.lists(TIMES, min_size=1, max_size=4), st.sampled_from([50.0, 95.0, 99.0]))
def test_percentile_of_workers_is_that_of_all_their_times(
    workers: list[list[int]], percent: float
) -> None:
    exact = Histogram.from_buckets(Counter(b for times in workers for b in buckets_of(times)))
    expected = exact.percentile(percent) or 0
    counts = sum_times(pack_times(Counter(buckets_of(times))) for times in workers)
    assert expected <= (histogram_of(counts).percentile(percent) or 0) <= expected * 1.016 + 16


def sample(
    microseconds: int, failed: RequestFailure | None = None, started_ns: int = 0
) -> SlowSample:
    request = PreparedRequest(f"q={microseconds}".encode(), 0, is_readable=True)
    return SlowSample(microseconds, request, started_ns, "solr-0:8983", 3, failed)


def test_only_the_slowest_are_kept() -> None:
    times = random.Random(2).sample(range(100_000), 5000)
    kept, noted = SlowestRequests(), 0
    for microseconds in times:
        if microseconds > kept.threshold_microseconds:
            kept.add(sample(microseconds))
            noted += 1
    found = [each.service_time_microseconds for each in kept.entries(0)]
    assert found == sorted(times, reverse=True)[:MAX_SLOW_REQUESTS]
    assert noted < 200


def test_of_equals_the_first_stay() -> None:
    kept = SlowestRequests()
    for number in range(MAX_SLOW_REQUESTS + 5):
        if kept.threshold_microseconds < 7:
            kept.add(sample(7, started_ns=number * 10**9))
    assert [each.second for each in kept.entries(0)] == list(range(MAX_SLOW_REQUESTS))


def test_entry_says_what_was_asked_and_how_it_ended() -> None:
    kept = SlowestRequests()
    kept.add(sample(9, RequestFailure("Timeout", "no complete response"), started_ns=3_500_000_000))
    (entry,) = kept.entries(1_000_000_000)
    assert (entry.query, entry.node, entry.second) == ("q=9", "solr-0:8983", 2.5)
    assert (entry.qtime_milliseconds, entry.failure) == (3, "Timeout")


def test_form_is_shown_as_it_was_sent() -> None:
    assert describe_request(PreparedRequest(b"5\r\n\r\nq=a+b", 0, is_readable=True)) == "q=a+b"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b'{"query":"a"}', '{"query":"a"}'),
        (b'{\n "query": "' + b"a" * 400 + b'"}\n', '{ "query": "' + "a" * 280),
        # Of a long body only the begin is read.
        (b"[1," + b" " * 1_000_000 + b"2]", "[1,"),
    ],
)
def test_body_is_shown_behind_the_parameters_on_one_short_line(body: bytes, shown: str) -> None:
    extra = RequestExtras(json_content(body))
    request = PreparedRequest(b"wt=json", 0, True, 2, extra)
    assert describe_request(request) == f"wt=json {shown}"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'{"responseHeader":{"status":0,"QTime":123,"params":{}}}', 123),
        (b'{"responseHeader":{"status":0,"QTime": 7}}', 7),
        (b'{"responseHeader":{"status":0}}', None),
        (b"", None),
    ],
)
def test_qtime_is_read_from_the_header(body: bytes, found: int | None) -> None:
    assert qtime_milliseconds(body) == found


def test_times_are_exact_whatever_their_number() -> None:
    rng, times = random.Random(3), LatencyRecorder()
    values = [int(rng.lognormvariate(9, 2)) for _ in range(1000)]
    for value in values:
        times.record(value)
    assert times.histogram().encode() == histogram(values)
    assert (times.sum_microseconds, times.max_microseconds) == (sum(values), max(values))
    assert times.percentile(99) == decode(histogram(values)).percentile(99)
    assert times.percentile(100) == max(values)


def test_no_times_are_absent_not_zero() -> None:
    times = LatencyRecorder()
    assert (times.max_microseconds, times.percentile(99)) == (None, None)


def results(counts: OpenLoopRecorder, *sent: int) -> list[WorkerRequestStats]:
    """Return what was counted by request name; those at some places were sent."""
    of_name = StepRunRecorder(counts.names, 0).result
    return counts.add_to_result(outcome(*map(of_name, sent)), of_name).requests


def test_dropped_requests_are_response_times_but_late_ones_were_sent() -> None:
    counts = OpenLoopRecorder(("sent", "dropped", "never"))
    counts.record(0, 0, LATE_NS, 20_000_000)
    counts.record(0, 0, LATE_NS + 1, 30_000_000)
    counts.record_dropped(0, 0, 2_000_000_000)
    counts.record_dropped(1, 0, 3_000_000_000)
    counts.record_dropped(1, -1, 0)  # before the ramp ended
    sent, dropped = results(counts, 0)
    assert (sent.request, sent.late_requests, sent.dropped_requests) == ("sent", 1, 1)
    assert sent.response_sum_microseconds == 20_000 + 30_000 + 2_000_000
    assert sent.response_max_microseconds == 2_000_000
    assert decode(sent.response_time_histogram or "").count == 3
    assert (dropped.request, dropped.requests, dropped.dropped_requests) == ("dropped", 0, 1)
    assert (dropped.ramp_dropped_requests, dropped.late_requests) == (1, 0)
    # Whatever their limit is, they are no good responses in time.
    for each in (sent, dropped):
        assert decode(each.failed_time_histogram or "").count == 1


def test_response_times_are_kept_by_the_second_of_their_end() -> None:
    counts, origin = OpenLoopRecorder(("a", "b")), 7 * SECOND_NS
    counts.origin_ns = origin
    counts.record(0, origin, origin, origin + 999_000_000)
    counts.record(0, origin, origin, origin + SECOND_NS)
    counts.record(1, origin, origin, origin + 4 * SECOND_NS)
    counts.record_dropped(0, origin, origin + 5_000_000)
    counts.record_dropped(0, origin + 6 * SECOND_NS, origin + 7 * SECOND_NS)
    first, second = (TimeBlocks.decode(each.response_time_blocks) for each in results(counts, 0, 1))
    assert first.sums == [999_000, 1_000_000, 0, 0, 5_000, 0, 0, 1_000_000]
    assert second.sums == [0, 0, 0, 0, 4_000_000]


def test_own_delays_of_the_worker_are_left_out_of_a_second_histogram() -> None:
    counts = OpenLoopRecorder(("query", "calm", "log"))
    ms = 1_000_000
    for intended_ms, taken_ms, ended_ms in ((0, 0, 2), (10, 160, 163), (20, 160, 260)):
        counts.note_arrival(intended_ms * ms, taken_ms * ms)
        counts.record(0, intended_ms * ms, taken_ms * ms, ended_ms * ms)
    counts.note_arrival(30 * ms, 160 * ms)
    counts.record_dropped(0, 30 * ms, 930 * ms)
    counts.note_arrival(40 * ms, 40 * ms + OWN_LAG_NS - 1)
    counts.record(1, 40 * ms, 40 * ms, 50 * ms)
    for taken_ms in (60, 70):  # two of a log at once
        counts.note_arrival(50 * ms, taken_ms * ms)
    for taken_ms in (60, 70):
        counts.record(2, 50 * ms, taken_ms * ms, (taken_ms + 5) * ms)
    query, calm, log = results(counts, 0, 1, 2)
    assert log.response_time_without_lag_histogram == histogram([5000, 5000])
    without_lag = histogram([2000, 3000, 100_000, 770_000])
    assert query.response_time_without_lag_histogram == without_lag
    assert decode(query.response_time_histogram or "").percentile(50) == 153_087
    assert calm.response_time_without_lag_histogram is None


def test_planned_time_runs_from_the_first_arrival_on() -> None:
    made, measured = OpenLoopRecorder(("a",)), StepRunRecorder(("a",), 0)
    assert made.add_to_result(outcome(), measured.result).planned_seconds is None
    made.sending = SendingTime(SECOND_NS // 4, 2 * SECOND_NS)
    assert made.add_to_result(outcome(), measured.result).planned_seconds == 1.75
