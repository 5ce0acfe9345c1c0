"""Results are stored, read back, and known from then on."""

import gc
import random
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from solrbench.analysis.verdict import evaluate_document, evaluate_steps
from solrbench.contract.environment import Environment
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import StepRunResult, UsageSlice
from solrbench.contract.storage import DamagedReportError, to_chunks
from solrbench.errors import TemporaryError
from solrbench.kube.result_documents import (
    delete_leftovers,
    find_documents,
    list_chunks,
    read_environment,
    sorted_documents,
)
from solrbench.kube.results import BenchmarkResultStore
from solrbench.manifests.results import build_report
from solrbench.stats.histograms import BUCKETS, Histogram
from support.failing import failing
from support.fakes.fake_cluster import FakeCluster, Request, no_fault
from support.fakes.operator_driver import KilledError, kills_at
from support.resources.objects import stored
from support.results.builders import START, make_document, make_result, make_spec, verdicts_of
from support.results.validity_documents import worker

BENCHMARK = stored()
OTHER = BENCHMARK.model_copy(
    update={"metadata": BENCHMARK.metadata.model_copy(update={"uid": "2", "name": "other"})}
)
FIRST, SECOND = (
    make_document("two", repeat, make_result([1000 * repeat])).model_copy(
        update={"start_time": START + timedelta(seconds=10 * repeat)}
    )
    for repeat in (1, 2)
)


def selectors(cluster: FakeCluster) -> list[dict[str, str]]:
    """Return the labels that were asked for, one after another."""
    found = (each.arguments.get("selector") for each in cluster.requests)
    return [each for each in found if each is not None]


def forget(request: Request, serve: Callable[[], Any]) -> Any:
    """Store nothing, and do as if."""
    return request.arguments["manifest"] if request.method == "apply" else serve()


def store(reports: BenchmarkResultStore, *documents: Any) -> None:
    for document in documents:
        reports.store(BENCHMARK, document, 1)


def with_result(document: StepRunResult, **fields: Any) -> StepRunResult:
    """Return a document whose only result has these fields."""
    (result,) = document.requests
    return document.model_copy(update={"requests": [result.model_copy(update=fields)]})


def test_only_what_was_written_is_read_back_also_by_another_operator() -> None:
    cluster = FakeCluster()
    reports = BenchmarkResultStore(cluster)
    store(reports, SECOND, FIRST)
    wanted = [(FIRST.id, FIRST), (SECOND.id, SECOND)]
    assert list(reports.documents(BENCHMARK).items()) == wanted
    whole, *read_back = [each.get("solrbench.io/step-run") for each in selectors(cluster)]
    # Each is read back, and what it takes the place of is looked for.
    assert (whole, read_back) == (None, [SECOND.id, SECOND.id, FIRST.id, FIRST.id])
    assert list(BenchmarkResultStore(cluster).documents(BENCHMARK).items()) == wanted


def test_what_is_not_there_is_not_known() -> None:
    cluster = FakeCluster()
    reports = BenchmarkResultStore(cluster)
    store(reports, FIRST)
    cluster.fault = forget
    with pytest.raises(TemporaryError, match="ResultNotStored"):
        store(reports, SECOND)
    assert list(reports.documents(BENCHMARK)) == [FIRST.id]


def chunks(document: Any, max_bytes: int = 100) -> list[dict[str, Any]]:
    """Return the ConfigMaps of a document that is stored in many of them."""
    found = build_report(BENCHMARK, document.id, to_chunks(document, max_bytes), 1)
    assert len(found) > 2
    return found


def read(*bodies: dict[str, Any]) -> list[Any]:
    cluster = FakeCluster(*bodies)
    return list(BenchmarkResultStore(cluster).documents(BENCHMARK).values())


def annotated(**changes: str) -> list[dict[str, Any]]:
    bodies = chunks(FIRST)
    for body in bodies:
        body["metadata"]["annotations"] |= {f"solrbench.io/{key}": changes[key] for key in changes}
    return bodies


LONGER = FIRST.model_copy(update={"seconds": FIRST.seconds + 1})


@pytest.mark.parametrize(
    ("bodies", "found"),
    [
        pytest.param([*reversed(chunks(FIRST))], [FIRST], id="many chunks in any order"),
        pytest.param([*chunks(FIRST)[:-1], *chunks(SECOND)], [SECOND], id="a half written one"),
        pytest.param([*chunks(FIRST, 10), *chunks(SECOND)], [SECOND], id="more than one may have"),
        pytest.param([*chunks(LONGER), *chunks(FIRST, 150)], [FIRST], id="an attempt before"),
        pytest.param(annotated(chunks="2"), [], id="another number of chunks"),
    ],
)
def test_chunks_count_where_all_of_the_last_document_are_there(
    bodies: list[dict[str, Any]], found: list[StepRunResult]
) -> None:
    assert read(*bodies) == found


def test_bodies_of_documents_that_are_not_whole_are_not_asked_for() -> None:
    many = [each for number in range(40) for each in annotated(sha256=f"{number:064}")[:-1]]
    for number, body in enumerate(many):
        body["metadata"]["name"] = f"{number}-{body['metadata']['name']}"
    cluster = FakeCluster(*many, *chunks(SECOND))
    assert list(BenchmarkResultStore(cluster).documents(BENCHMARK).values()) == [SECOND]
    asked = [each.arguments["name"] for each in cluster.requests if each.method == "get"]
    assert asked == [each["metadata"]["name"] for each in chunks(SECOND)]


@pytest.mark.parametrize("end", ["x", "", "-", "\N{SUPERSCRIPT TWO}", "9" * 5000])
def test_a_chunk_without_a_number_is_of_no_document(end: str) -> None:
    (other, *_), known = chunks(FIRST), chunks(SECOND)
    other["metadata"]["name"] = f"base-report-{end}"
    cluster = FakeCluster(other, *known)
    assert list(BenchmarkResultStore(cluster).documents(BENCHMARK).values()) == [SECOND]
    names = [each["metadata"]["name"] for each in known]
    assert [each.chunks for each in find_documents(cluster, BENCHMARK)] == [names]
    delete_leftovers(cluster, list_chunks(cluster, BENCHMARK))
    assert cluster.names("ConfigMap") == set(names)


def test_a_config_map_of_another_owner_is_not_read() -> None:
    bodies = chunks(FIRST)
    for body in bodies:
        body["metadata"]["ownerReferences"][0]["uid"] = "uid-of-another"
    assert read(*bodies, *chunks(SECOND)) == [SECOND]
    for body in bodies:
        del body["metadata"]["ownerReferences"]
    assert read(*bodies) == []


def test_results_that_were_not_looked_at_for_longest_are_dropped() -> None:
    cluster = FakeCluster()
    reports = BenchmarkResultStore(cluster, max_bytes=1)
    store(reports, FIRST)
    reads = len(selectors(cluster))
    assert list(reports.documents(BENCHMARK)) == [FIRST.id]
    assert len(selectors(cluster)) == reads  # the latest benchmark's stay, however large
    reports.store(OTHER, SECOND, 1)
    reads = len(selectors(cluster))
    assert list(reports.documents(BENCHMARK)) == [FIRST.id]
    assert len(selectors(cluster)) == reads + 1
    roomy = BenchmarkResultStore(cluster)
    reads = len(selectors(cluster))
    for _ in range(2):
        assert list(roomy.documents(BENCHMARK)) == [FIRST.id]
        assert list(roomy.documents(OTHER)) == [SECOND.id]
    assert len(selectors(cluster)) == reads + 2


def test_histograms_and_blocks_count_in_what_is_kept() -> None:
    counts = {bucket: random.Random(bucket).randrange(1 << 34) for bucket in range(BUCKETS)}
    times = Histogram.from_buckets(counts).encode()
    assert len(times) > 100_000
    cluster = FakeCluster()
    reports = BenchmarkResultStore(cluster, max_bytes=150_000)
    for benchmark in (BENCHMARK, OTHER):
        reports.store(benchmark, with_result(FIRST, service_time_histogram=times), 1)
    reads = len(selectors(cluster))
    assert list(reports.documents(BENCHMARK)) == [FIRST.id]
    assert len(selectors(cluster)) == reads + 1


@pytest.mark.parametrize("after", [False, True])
def test_a_kill_while_a_document_is_extended_loses_none(
    after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = partial(to_chunks, max_bytes=100)
    monkeypatch.setattr("solrbench.kube.results.to_chunks", cut)
    extended = FIRST.model_copy(update={"pods": []})
    wanted = {each["metadata"]["name"] for each in chunks(extended)}
    seen = []
    for number in range(1, 2 * len(wanted) + 4):
        cluster = FakeCluster()
        store(BenchmarkResultStore(cluster), FIRST, SECOND)
        cluster.fault = kills = kills_at({number})
        kills.number = int(after)  # every second kill comes after the write
        with suppress(KilledError):
            store(BenchmarkResultStore(cluster), extended)
        cluster.fault = no_fault
        reports = BenchmarkResultStore(cluster)
        seen.append(reports.documents(BENCHMARK)[FIRST.id])
        assert seen[-1] in (FIRST, extended)
        assert seen[-1] in sorted_documents(cluster, BENCHMARK)
        counting = find_documents(cluster, BENCHMARK)
        assert len(counting) == 2
        delete_leftovers(cluster, list_chunks(cluster, BENCHMARK))
        assert cluster.names("ConfigMap") == {name for each in counting for name in each.chunks}
        store(reports, extended)
        assert reports.documents(BENCHMARK) == {FIRST.id: extended, SECOND.id: SECOND}
        left = cluster.names("ConfigMap")
        assert left == wanted | {each["metadata"]["name"] for each in chunks(SECOND)}
    assert FIRST in seen
    assert extended in seen


NO_TIMES = with_result(FIRST, service_time_histogram="eA==")
EMPTY_SLICE = UsageSlice(begin_seconds=0, seconds=0, cpu_seconds=1, core_cpu_seconds=1)
NO_SECONDS = FIRST.model_copy(update={"workers": [worker(most_cpu=EMPTY_SLICE)]})


def changed(key: str, value: Any) -> list[dict[str, Any]]:
    """Return the chunks of a document, the second of which another client has changed."""
    first, second, *others = chunks(FIRST)
    return [first, second | {key: value}, *others]


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        (annotated(sha256="0" * 64), "SHA-256"),
        (chunks(NO_TIMES), "not as it was written"),
        (chunks(NO_SECONDS), "not as it was written"),
        (changed("binaryData", {}), "not as it was written"),
        (changed("binaryData", {"document.json.gz": "a"}), "not as it was written"),
        (changed("binaryData", {"document.json.gz": "eA=="}), "stream is broken"),
    ],
)
def test_a_damaged_document_is_named_by_its_config_map(
    bodies: list[dict[str, Any]], words: str
) -> None:
    with failing(TemporaryError, "ReportDamaged", rf"ConfigMap base-report-.*-0: .*{words}"):
        read(*bodies)


def test_a_damaged_document_goes_as_soon_as_it_is_refused() -> None:
    stored = annotated(sha256="0" * 64)
    gc.collect()
    gc.disable()  # cycles stay; in one, the unpacked document would wait for the collector
    try:
        with suppress(TemporaryError):
            read(*stored)
        kept = [each for each in gc.get_objects() if isinstance(each, DamagedReportError)]
    finally:
        gc.enable()
    assert kept == []


@pytest.mark.parametrize("document", [NO_TIMES, NO_SECONDS])
def test_numbers_that_no_load_measures_are_not_stored(document: StepRunResult) -> None:
    cluster = FakeCluster()
    words = "r1-s0-two holds numbers that no load measures"
    with failing(TemporaryError, "VersionMismatch", words):
        store(BenchmarkResultStore(cluster), document)
    assert cluster.names("ConfigMap") == set()


def test_results_of_a_deleted_benchmark_of_the_same_name_are_left_out() -> None:
    cluster = FakeCluster()
    store(BenchmarkResultStore(cluster), FIRST)
    BenchmarkResultStore(cluster).store_environment(BENCHMARK, Environment(spec_hash="x"))
    metadata = BENCHMARK.metadata.model_copy(update={"uid": "new"})
    new = BENCHMARK.model_copy(update={"metadata": metadata})
    assert BenchmarkResultStore(cluster).documents(new) == {}
    assert read_environment(cluster, new) is None
    assert read_environment(cluster, BENCHMARK) == Environment(spec_hash="x")


def conclude(reports: BenchmarkResultStore, seen: list[int]) -> None:
    """Conclude something from the samples, and note from how many step runs."""
    samples = reports.samples(BENCHMARK.model_copy(update={"spec": make_spec("two")}))
    samples.once("x", lambda: seen.append(len(samples.runs)))


def test_what_is_concluded_is_kept_until_results_change() -> None:
    seen: list[int] = []
    reports = BenchmarkResultStore(FakeCluster())
    for _ in range(3):
        conclude(reports, seen)
    for document in (FIRST, SECOND, SECOND):
        store(reports, document)
        conclude(reports, seen)
        conclude(reports, seen)
    assert seen == [0, 1, 2, 2]


def test_what_is_concluded_goes_with_the_results_that_are_dropped() -> None:
    seen: list[int] = []
    cluster = FakeCluster()
    reports = BenchmarkResultStore(cluster, max_bytes=1)
    store(reports, FIRST)
    conclude(reports, seen)
    reports.store(OTHER, SECOND, 1)
    store(BenchmarkResultStore(cluster), SECOND)
    conclude(reports, seen)
    assert seen == [1, 2]


def test_times_of_a_step_are_kept_when_another_step_gets_results() -> None:
    reports = BenchmarkResultStore(FakeCluster())
    benchmark = BENCHMARK.model_copy(update={"spec": make_spec("a", "b")})
    reports.store(benchmark, make_document("a", 1, make_result([5])), 1)
    before = reports.samples(benchmark)
    assert reports.samples(benchmark) is before
    reports.store(benchmark, make_document("b", 1, make_result([5])), 1)
    after = reports.samples(benchmark)
    assert after.of("a", "") is before.of("a", "")
    assert [len(after.of(step, "").runs) for step in ("a", "b")] == [1, 1]


def with_series(document: StepRunResult, seconds: int) -> StepRunResult:
    windows = SecondSeries(SecondSums(each, 1, 0, 0, 0) for each in range(seconds))
    return with_result(document, windows=windows)


def test_series_are_stored_and_not_kept() -> None:
    whole = with_series(FIRST, 100)
    cluster = FakeCluster()
    for reports in (BenchmarkResultStore(cluster), BenchmarkResultStore(cluster)):
        if reports.whole_document(BENCHMARK, whole.id) is None:
            store(reports, whole)
        (kept,) = reports.documents(BENCHMARK).values()
        assert kept == FIRST
        assert reports.whole_document(BENCHMARK, whole.id) == whole
    assert sorted_documents(cluster, BENCHMARK) == [whole]


@pytest.mark.slow
def test_memory_does_not_follow_the_length_of_a_step() -> None:
    seconds = 2000
    cluster = FakeCluster()
    store(BenchmarkResultStore(cluster), with_series(FIRST, seconds), with_series(SECOND, seconds))
    reports = BenchmarkResultStore(cluster)
    tracemalloc.start()
    try:
        assert len(reports.documents(BENCHMARK)) == 2
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 600_000  # with what is imported on the way; the windows alone take 2 MB


def test_each_document_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def evaluate(document: StepRunResult, load: Any) -> Any:
        seen.append(document.id)
        return evaluate_document(document, load)

    monkeypatch.setattr("solrbench.kube.results.evaluate_document", evaluate)
    reports = BenchmarkResultStore(FakeCluster())
    benchmark = BENCHMARK.model_copy(update={"spec": make_spec("two")})
    for document in (FIRST, SECOND):
        reports.store(benchmark, document, 1)
        found = evaluate_steps(reports.samples(benchmark), reports.runs(benchmark).values())
    assert seen == [FIRST.id, SECOND.id]
    assert found == verdicts_of(benchmark.spec, [FIRST, SECOND])
