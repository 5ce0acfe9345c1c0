import random

from solrbench.load.recording.recorder import SECOND_NS, StepRunRecorder
from solrbench.load.recording.response_times import (
    LATE_NS,
    OWN_LAG_NS,
    LatencyRecorder,
    OpenLoopRecorder,
)
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.arrivals import SendingTime
from solrbench.results.stats.histograms import Histogram, decode
from solrbench.results.stats.time_blocks import TimeBlocks


def test_times_are_exact_whatever_their_number() -> None:
    rng, times, whole = random.Random(3), LatencyRecorder(), Histogram()
    values = [int(rng.lognormvariate(9, 2)) for _ in range(1000)]
    for value in values:
        times.record(value)
        whole.record(value)
    assert times.histogram().encode() == whole.encode()
    assert (times.sum_microseconds, times.max_microseconds) == (sum(values), max(values))
    assert times.percentile(99) == whole.percentile(99)
    assert times.percentile(100) == max(values)


def test_no_times_are_absent_not_zero() -> None:
    times = LatencyRecorder()
    assert times.max_microseconds is None
    assert times.percentile(99) is None


def test_dropped_requests_are_response_times_but_late_ones_were_sent() -> None:
    counts = OpenLoopRecorder(("sent", "dropped", "never"))
    counts.record(0, 0, LATE_NS, 20_000_000)
    counts.record(0, 0, LATE_NS + 1, 30_000_000)
    counts.record_dropped(0, 0, 2_000_000_000)
    counts.record_dropped(1, 0, 3_000_000_000)
    counts.record_dropped_in_ramp(1)
    empty = StepRunRecorder(("sent", "dropped", "never"), 0).empty_result
    sent, dropped = counts.add_to_results([empty(0)], empty)
    assert (sent.request, sent.late_requests, sent.dropped_requests) == ("sent", 1, 1)
    assert sent.response_sum_microseconds == 20_000 + 30_000 + 2_000_000
    assert sent.response_max_microseconds == 2_000_000
    assert decode(sent.response_time_histogram or "").count == 3
    assert (dropped.request, dropped.requests, dropped.dropped_requests) == ("dropped", 0, 1)
    assert (dropped.ramp_dropped_requests, dropped.late_requests) == (1, 0)


def test_response_times_are_kept_by_the_second_of_their_end() -> None:
    counts, origin = OpenLoopRecorder(("a", "b")), 7 * SECOND_NS
    counts.origin_ns = origin
    counts.record(0, origin, origin, origin + 999_000_000)
    counts.record(0, origin, origin, origin + SECOND_NS)
    counts.record(1, origin, origin, origin + 4 * SECOND_NS)
    counts.record_dropped(0, origin, origin + 5_000_000)
    empty = StepRunRecorder(("a", "b"), 0).empty_result
    results = counts.add_to_results([empty(0), empty(1)], empty)
    first, second = (TimeBlocks.decode(each.response_time_blocks) for each in results)
    assert first.sums == [999_000, 1_000_000, 0, 0, 5_000]
    assert second.sums == [0, 0, 0, 0, 4_000_000]


def test_own_delays_of_the_worker_are_left_out_of_a_second_histogram() -> None:
    counts = OpenLoopRecorder(("query", "calm"))
    ms = 1_000_000
    for intended_ms, taken_ms, ended_ms in ((0, 0, 2), (10, 160, 163), (20, 160, 260)):
        counts.note_arrival(intended_ms * ms, taken_ms * ms)
        counts.record(0, intended_ms * ms, taken_ms * ms, ended_ms * ms)
    counts.note_arrival(30 * ms, 160 * ms)
    counts.record_dropped(0, 30 * ms, 930 * ms)
    counts.note_arrival(40 * ms, 40 * ms + OWN_LAG_NS - 1)
    counts.record(1, 40 * ms, 40 * ms, 50 * ms)
    empty = StepRunRecorder(("query", "calm"), 0).empty_result
    query, calm = counts.add_to_results([empty(0), empty(1)], empty)
    found, expected = decode(query.response_time_without_lag_histogram or ""), Histogram()
    for milliseconds in (2, 3, 100, 770):
        expected.record(milliseconds * 1000)
    assert found.encode() == expected.encode()
    assert decode(query.response_time_histogram or "").percentile(50) == 153_087
    assert calm.response_time_without_lag_histogram is None


def test_planned_time_runs_from_the_first_arrival_on() -> None:
    made, measured = OpenLoopRecorder(("a",)), StepRunRecorder(("a",), 0)
    result = WorkerStepResult(key="k", users=1, cpu_seconds=0, requests=[])
    assert made.add_to_result(result, measured.empty_result).planned_seconds is None
    made.sending = SendingTime(SECOND_NS // 4, 2 * SECOND_NS)
    assert made.add_to_result(result, measured.empty_result).planned_seconds == 1.75
