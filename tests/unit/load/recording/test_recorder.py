import random
from collections import Counter

import pytest

from solrbench.contract.step_document import PARTIAL_RESULTS
from solrbench.load.recording.recorder import OTHER, SECOND_NS, NameLimiter, StepRunRecorder
from solrbench.load.recording.worker_result import WorkerRequestStats
from solrbench.load.workload.name_table import UncheckedNames
from solrbench.load.workload.requests import PreparedRequest
from solrbench.load.workload.response_checks import EMPTY_RESULT, RequestFailure
from solrbench.stats.histograms import decode
from support.load.worker_results import histogram

MAX_NAMES = 12


def test_first_names_are_kept_for_good() -> None:
    names = NameLimiter(MAX_NAMES)
    kept = [names.limit(f"name {number}") for number in range(MAX_NAMES + 10)]
    assert kept[: MAX_NAMES - 1] == [f"name {number}" for number in range(MAX_NAMES - 1)]
    assert set(kept[MAX_NAMES - 1 :]) == {OTHER}
    assert len(set(kept)) == MAX_NAMES
    assert names.limit("name 3") == "name 3"


def test_long_names_are_cut_and_empty_ones_replaced() -> None:
    names = NameLimiter(MAX_NAMES)
    assert names.limit("a" * 300) == names.limit("a" * 300) == "a" * 100
    assert names.limit("") == OTHER


HOT, COLD = PreparedRequest(b"", 0, is_readable=True), PreparedRequest(b"", 1, is_readable=True)
ORIGIN = 5 * SECOND_NS


def ledger() -> StepRunRecorder:
    made = StepRunRecorder(("hot", "cold"), ORIGIN)
    made.measure_from(ORIGIN)
    return made


def record(
    to: StepRunRecorder,
    request: PreparedRequest,
    ended: float,
    microseconds: int,
    failed: RequestFailure | None = None,
) -> None:
    ended_ns = ORIGIN + round(ended * SECOND_NS)
    to.record(request, ended_ns - 1000 * microseconds, ended_ns, 100, failed)


def finished(made: StepRunRecorder) -> WorkerRequestStats:
    """Return the result of the only name that was sent, its last second taken."""
    made.take_finished_seconds(ORIGIN, last=True)
    (result,) = made.results()
    return result


def test_outcome_is_exact() -> None:
    rng = random.Random(1)
    made, times = ledger(), [int(rng.lognormvariate(8, 2)) + 1 for _ in range(3000)]
    for index, microseconds in enumerate(times):
        record(made, HOT, 10 + index / 1000, microseconds)
    result = finished(made)
    assert (result.request, result.requests, result.failures) == ("hot", 3000, 0)
    assert (result.bytes_received, result.sum_microseconds) == (300_000, sum(times))
    assert (result.min_microseconds, result.max_microseconds) == (min(times), max(times))
    assert result.service_time_histogram == histogram(times)
    assert [(w.second, w.requests) for w in result.windows] == [(10, 1000), (11, 1000), (12, 1000)]
    assert result.windows[0].sum_microseconds == sum(times[:1000])
    assert result.windows[2].max_microseconds == max(times[2000:])


@pytest.mark.parametrize("known_at", [0.2, 1.1, 2.35])
def test_drain_begins_with_a_second_of_its_own(known_at: float) -> None:
    made = ledger()
    record(made, HOT, known_at, 500)
    made.drain_from(ORIGIN + round(2.4 * SECOND_NS))
    for ended in (2.375, 2.399, 2.4, 2.9, 3.5, 4.0):
        record(made, HOT, ended, 500)
    result = finished(made)
    counts = Counter({int(known_at): 1}) + Counter({2: 2, 3: 3, 4: 1})
    assert [(w.second, w.requests) for w in result.windows] == sorted(counts.items())


def test_drain_of_a_silent_second_is_not_taken_for_it() -> None:
    made = ledger()
    record(made, HOT, 0.2, 500)
    made.drain_from(ORIGIN + round(2.4 * SECOND_NS))
    record(made, HOT, 2.9, 500)
    result = finished(made)
    assert [w.second for w in result.windows] == [0, 3]


def test_seconds_taken_add_up_to_the_outcome() -> None:
    made, taken = ledger(), Counter[str]()
    for index in range(1000):
        record(made, HOT if index % 3 else COLD, 0.001 + index / 200, 10)
        if index % 100 == 0:
            now_ns = ORIGIN + index * SECOND_NS // 200 + 1_000_000
            for name, second in made.take_finished_seconds(now_ns):
                taken[name] += second.requests
    for name, second in made.take_finished_seconds(ORIGIN + 5 * SECOND_NS, last=True):
        taken[name] += second.requests
    assert taken == {result.request: result.requests for result in made.results()}
    assert made.totals()[:2] == (1000, 0)


def test_failures_are_counted_by_kind_with_their_first_sample() -> None:
    made = ledger()
    for index in range(6):
        message = f"sample {index}"
        record(made, HOT, 1 + index / 2, 5, RequestFailure("HTTP500", message))
        timeout = RequestFailure("Timeout", message) if index < 2 else None
        record(made, HOT, 1 + index / 2, 5, timeout)
    result = finished(made)
    found = [(each.kind, each.count, each.sample) for each in result.failure_kinds]
    assert found == [("HTTP500", 6, "sample 0"), ("Timeout", 2, "sample 0")]
    assert (result.requests, result.failures) == (12, 8)
    assert [w.failures for w in result.windows] == [4, 2, 2]


def test_requests_sent_before_measuring_are_the_ramp() -> None:
    made = StepRunRecorder(("hot", "cold"), 0)
    began = SECOND_NS // 2
    made.record(HOT, began, began + 1000, 1, None)
    made.record(HOT, ORIGIN - 1, ORIGIN + 5000, 1, RequestFailure("Timeout", ""))
    made.count_retry(HOT, began)
    made.measure_from(ORIGIN)
    made.count_retry(HOT, ORIGIN - 1)
    made.count_retry(HOT, ORIGIN)
    made.record(HOT, ORIGIN - 1, ORIGIN + 5000, 1, RequestFailure("Timeout", ""))
    made.record(HOT, ORIGIN, ORIGIN + 7000, 1, None)
    result = finished(made)
    assert (result.requests, result.failures, result.retried_requests) == (1, 0, 1)
    assert (result.ramp_requests, result.ramp_failures) == (3, 2)
    assert decode(result.service_time_histogram).count == 1
    assert (made.first_ns, made.last_ns) == (ORIGIN, ORIGIN + 7000)


@pytest.mark.parametrize("count", [1, 255, 256, 257, 1000])
@pytest.mark.parametrize(("microseconds", "counted"), [(7, 7), (0, 1)])
def test_totals_are_right_at_any_batch_size(count: int, microseconds: int, counted: int) -> None:
    made = ledger()
    for _ in range(count):
        record(made, COLD, 0.5, microseconds)
    made.take_finished_seconds(ORIGIN, last=True)
    assert made.totals() == (count, 0, counted * count)


def test_sum_of_measured_times_is_that_of_the_seconds_rolled() -> None:
    made = StepRunRecorder(("hot", "cold"), ORIGIN)
    made.record(HOT, ORIGIN, ORIGIN + 700_000, 10, None)
    made.measure_from(ORIGIN + 800_000)
    assert made.totals() == (0, 0, 0)
    for index, request in enumerate((HOT, COLD, HOT)):
        began = ORIGIN + SECOND_NS + index
        made.record(request, began, began + 1000 * (index + 5), 10, None)
    made.take_finished_seconds(ORIGIN, last=True)
    assert made.totals() == (3, 0, 5 + 6 + 7)


def test_counts_that_responses_hide_are_absent_and_not_zero() -> None:
    unseen = UncheckedNames(partial=frozenset([0, 1]), empty=frozenset([1]))
    made = StepRunRecorder(("hot", "cold", "seen"), ORIGIN, unchecked=unseen)
    made.measure_from(ORIGIN)
    for request in (HOT, COLD, HOT._replace(name=2)):
        record(made, request, 0.5, 7, EMPTY_RESULT)
        record(made, request, 0.6, 7, RequestFailure(PARTIAL_RESULTS, ""))
    made.take_finished_seconds(ORIGIN, last=True)
    found = [(each.partial_results, each.empty_results) for each in made.results()]
    assert found == [(None, 1), (None, None), (1, 1)]
    assert [each.failures for each in made.results()] == [1, 1, 1]
    unsent = StepRunRecorder(("hot", "cold", "seen"), ORIGIN, unchecked=unseen)
    never = [unsent.result(index) for index in range(3)]
    found = [(each.partial_results, each.empty_results) for each in never]
    assert found == [(None, 0), (None, None), (0, 0)]
