import random
from bisect import bisect_left
from itertools import accumulate, pairwise

import pytest

from solrbench.contract.windows import MAX_THOUSANDS, RequestWindow
from solrbench.load.master.request_windows import merge_request_windows
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.worker_result import MAX_MICRO_BATCHES, MicroBatch, WorkerStepResult
from solrbench.load.workload.requests import PreparedRequest
from solrbench.load.workload.response_checks import RequestFailure
from support.load.worker_results import outcome, part

NAMES = ("hot", "cold")
REQUESTS = [PreparedRequest(b"", place, is_readable=True) for place in range(len(NAMES))]
ORIGIN = 7_000_000_000
BAD = RequestFailure("HTTP503", "busy")

Answer = tuple[int, int, bool]
"""End in µs since measuring began, service time in µs, whether it failed."""


def answers(rng: random.Random, number: int) -> list[Answer]:
    """Return the responses of one worker, cold at first."""
    gaps = (rng.expovariate(1 / (50 + 500 / (1 + index / 200))) for index in range(number))
    ends = accumulate(gaps)
    return [(1 + int(end), 1 + int(rng.lognormvariate(6, 1)), rng.random() < 0.02) for end in ends]


def work(done: list[Answer], workers: int = 1) -> WorkerStepResult:
    """Return what a worker sends that had these answers."""
    recorder = StepRunRecorder(NAMES, ORIGIN, workers=workers)
    recorder.measure_from(ORIGIN)
    for index, (end, service, failed) in enumerate(done):
        ended_ns = ORIGIN + 1000 * end
        started_ns = max(ended_ns - 1000 * service, ORIGIN)
        recorder.record(REQUESTS[index % 2], started_ns, ended_ns, 10, BAD if failed else None)
    recorder.take_finished_seconds(ORIGIN, last=True)
    return outcome(
        *recorder.results(),
        first=(recorder.first_ns - ORIGIN) / 1e9 if done else None,
        last=(recorder.last_ns - ORIGIN) / 1e9,
        micro_batches=recorder.micro_batches(),
    )


def by_hand(done: list[Answer]) -> list[RequestWindow]:
    """Return the windows of all answers, each of which is known."""
    ordered, found, before = sorted(done), [], 0
    for start in range(0, len(ordered), 1000):
        part = ordered[start : start + 1000]
        end = part[-1][0]
        times = [min(service, moment) for moment, service, _ in part]
        found.append(
            RequestWindow(
                requests=len(part),
                failures=sum(failed for *_, failed in part),
                end_seconds=end / 1e6,
                seconds=round((end - before) / 1e6, 6),
                mean_microseconds=round(sum(times) / len(times)),
                max_microseconds=max(times),
            )
        )
        before = end
    return found


@pytest.mark.parametrize("number", [1, 99, 100, 999, 1000, 1001, 4321, 12_000])
def test_one_worker_is_exact(number: int) -> None:
    done = answers(random.Random(number), number)
    found, wanted = merge_request_windows([work(done)]), by_hand(done)
    first = min(end - min(service, end) for end, service, _ in done)
    seconds = round(wanted[0].end_seconds - first / 1e6, 6)
    wanted[0] = wanted[0].model_copy(update={"seconds": seconds})
    assert found == wanted


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 3, 4, 7, 20, 40])
def test_many_workers_are_off_by_less_than_the_micro_batches(workers: int) -> None:
    rng = random.Random(workers)
    shares = [answers(rng, rng.randrange(1000, 2000)) for _ in range(workers)]
    whole = sorted(end for share in shares for end, *_ in share)
    found = merge_request_windows([work(share, workers) for share in shares])
    assert [each.requests for each in found[:-1]] == [1000] * (len(whole) // 1000)
    assert sum(each.requests for each in found) == len(whole)
    assert sum(each.failures for each in found) == sum(bad for s in shares for *_, bad in s)
    # All responses in the micro-batches that may be cut by the end of a thousand.
    limit = workers * max(100 // workers, 5)
    off = [abs(bisect_left(whole, 1e6 * t.end_seconds) - 1000 * k) for k, t in enumerate(found, 1)]
    assert max(off[:-1]) <= limit
    assert sum(off[:-1]) / len(off[:-1]) <= limit / 10
    assert found[-1].end_seconds == whole[-1] / 1e6


def test_windows_join_and_sums_are_kept() -> None:
    rng = random.Random(8)
    shares = [answers(rng, 5000) for _ in range(3)]
    found = merge_request_windows([work(share, 3) for share in shares])
    for before, after in pairwise(found):
        assert after.end_seconds - before.end_seconds == pytest.approx(after.seconds, abs=2e-6)
    times = [min(service, end) for share in shares for end, service, _ in share]
    kept = sum(each.mean_microseconds * each.requests for each in found)
    assert kept == pytest.approx(sum(times), abs=len(found) * 500)
    assert max(each.max_microseconds for each in found) == max(times)


def test_workers_without_work_do_not_matter() -> None:
    done = answers(random.Random(9), 2500)
    assert merge_request_windows([work([], 2), work(done, 2)]) == merge_request_windows(
        [work(done, 2)]
    )
    assert merge_request_windows([work([])]) == []
    assert merge_request_windows([]) == []


def test_ramp_is_in_no_window() -> None:
    recorder = StepRunRecorder(NAMES, ORIGIN)
    recorder.record(REQUESTS[0], ORIGIN, ORIGIN + 500, 10, None)
    recorder.measure_from(ORIGIN + 1000)
    recorder.record(REQUESTS[0], ORIGIN + 900, ORIGIN + 2000, 10, None)
    recorder.record(REQUESTS[0], ORIGIN + 1000, ORIGIN + 91_000, 10, None)
    assert [(g.requests, g.end_microseconds) for g in recorder.micro_batches()] == [(1, 90)]


def even(micro_batches: int, rest: int) -> WorkerStepResult:
    """Return a worker with so many micro-batches of 100 requests, and some without room for one."""
    kept = [MicroBatch(10_000 * index, 100, 0, 5000, 60) for index in range(1, micro_batches + 1)]
    return outcome(part([1], requests=100 * micro_batches + rest), micro_batches=kept)


def test_a_worker_that_ran_out_of_room_ends_the_list_for_all() -> None:
    found = merge_request_windows([even(30, 500), even(100, 0)])
    assert [each.requests for each in found] == [1000] * 6
    assert found[-1].end_seconds == pytest.approx(0.3)
    assert len(merge_request_windows([even(30, 0), even(100, 0)])) == 13


@pytest.mark.slow
def test_list_is_bounded() -> None:
    found = merge_request_windows([even(MAX_MICRO_BATCHES, 1_000_000)])
    assert len(found) == MAX_THOUSANDS
    assert {(each.requests, each.seconds) for each in found} == {(1000, 0.1)}


@pytest.mark.parametrize("workers", [1, 3, 200])
def test_worker_keeps_its_share_of_micro_batches(workers: int) -> None:
    recorder = StepRunRecorder(NAMES, ORIGIN, workers=workers)
    recorder.measure_from(ORIGIN)
    size, most = max(100 // workers, 5), MAX_MICRO_BATCHES // workers
    sent = size * (min(most, 400) + 3)
    for index in range(sent):
        recorder.record(REQUESTS[0], ORIGIN + index, ORIGIN + index + 1000, 10, None)
    assert len(recorder.micro_batches()) == min(most, sent // size)
