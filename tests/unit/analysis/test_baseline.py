import gzip
from datetime import timedelta
from typing import Any

import orjson
import pytest

from solrbench.analysis.baseline import (
    MAX_FIGURES_BYTES,
    MAX_STORED_BYTES,
    ComparisonInput,
    UnreadableReportError,
    benchmark_input,
    compare_candidate,
    fit_comparison,
    report_input,
)
from solrbench.analysis.conclusions import answer_baseline
from solrbench.analysis.samples import RunSamples
from solrbench.analysis.sentences import DRIFT_NOTE
from solrbench.analysis.step_comparison import ComparisonSettings, differing, settings_of_candidate
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import Metadata, SolrBenchmark, Spec, Status
from solrbench.api.v1alpha1.comparisons import MAX_REPEATS, BaselineComparison, Conclusion
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.environment import MeasuredTarget
from solrbench.contract.step_document import StepRunResult
from solrbench.present.comparison_tables import comparison_notes
from solrbench.stats.tests import Looks
from support.results.builders import START, make_document, make_result, make_spec, report_body
from support.servers.hostile_documents import pack_histogram


def run(step: str, repeat: int, milliseconds: int, target: str) -> StepRunResult:
    """Return a step run of ten requests on its own target."""
    measured = MeasuredTarget(attempt=1, pods={"solr-0": target})
    return make_document(step, repeat, make_result([milliseconds * 1000] * 10), target=measured)


def indexed(name: str, *targets: MeasuredTarget) -> ComparisonInput:
    """Return a side of a step run on each target, for its index."""
    documents = [
        make_document("a", repeat, make_result([1000] * 10), target=target)
        for repeat, target in enumerate(targets, start=1)
    ]
    return ComparisonInput(name, {}, list(map(RunSamples, documents)))


def side(
    name: str, milliseconds: tuple[int, ...], *, spec: Spec | None = None, target: str = "own"
) -> ComparisonInput:
    """Return a benchmark with one step; each repeat has a target of its own unless one is given."""
    documents = [
        run("a", repeat, each, f"{name}-{repeat}" if target == "own" else target)
        for repeat, each in enumerate(milliseconds, start=1)
    ]
    benchmark = SolrBenchmark(
        metadata=Metadata(name=name),
        spec=spec or make_spec("a"),
        status=Status(dataset=DatasetStatus(seconds=10, index_bytes=1000)),
    )
    return benchmark_input(name, benchmark, list(map(RunSamples, documents)))


BEFORE, SLOWER = (100, 101, 99, 100, 100), (120, 121, 119, 120, 120)


@pytest.mark.parametrize(("repeats", "unknown"), [(2, False), (3, True), (4, True), (5, False)])
def test_few_repeats_say_that_a_change_of_the_machine_does_not_show(
    repeats: int, unknown: bool
) -> None:
    sides = side("old", BEFORE), side("new", SLOWER[:repeats])
    found = compare_candidate(*sides, ComparisonSettings())
    assert found.drift_unknown is unknown
    answers = [*answer_baseline(make_spec("a"), Status(comparison=fit_comparison(found)))]
    assert (DRIFT_NOTE in answers) is unknown
    assert (DRIFT_NOTE in comparison_notes(found)) is unknown


def compared(
    before: ComparisonInput, after: ComparisonInput, settings: ComparisonSettings | None = None
) -> BaselineComparison:
    """Return what the status holds of a comparison."""
    return fit_comparison(compare_candidate(before, after, settings or ComparisonSettings()))


def words(
    before: ComparisonInput, after: ComparisonInput, settings: ComparisonSettings | None = None
) -> dict[str, Conclusion | None]:
    return {each.figure: each.conclusion for each in compared(before, after, settings).figures}


def test_all_figures_of_a_step_are_compared() -> None:
    found = words(side("old", BEFORE), side("new", SLOWER))
    assert found["p95Milliseconds"] is Conclusion.WORSE
    assert found["averageMilliseconds"] is Conclusion.WORSE
    assert found["p99.9Milliseconds"] is Conclusion.WORSE
    assert found["failedPercent"] is Conclusion.SAME
    assert set(found) >= {"requestsPerSecond", "indexingSeconds", "indexBytes", "p50Milliseconds"}


def test_what_decides_comes_first_and_the_index_makes_no_word() -> None:
    first, *others = compared(side("old", BEFORE), side("new", BEFORE)).figures
    assert (first.figure, first.conclusion) == ("p95Milliseconds", Conclusion.SAME)
    assert first.primary
    assert not any(each.primary for each in others)
    indexing = next(each for each in others if each.figure == "indexBytes")
    assert (indexing.conclusion, indexing.difference_percent, indexing.step) == (None, 0.0, None)


def test_each_index_that_was_filled_is_a_repeat() -> None:
    def filled(name: str, *seconds: float) -> ComparisonInput:
        return indexed(
            name,
            *(
                MeasuredTarget(
                    attempt=repeat,
                    pods={"solr-0": f"{name}-{repeat}"},
                    indexed=START + timedelta(hours=repeat),
                    indexing_seconds=each,
                    index_bytes=1000,
                )
                for repeat, each in enumerate(seconds, start=1)
            ),
        )

    found = compared(filled("old", 100, 101, 99), filled("new", 130, 131, 129))
    words = {each.figure: (each.conclusion, each.on_target) for each in found.figures}
    assert words["indexingSeconds"] == (Conclusion.WORSE, False)
    assert words["indexBytes"] == (Conclusion.SAME, False)


def test_a_time_of_indexing_that_is_not_solrs_is_not_compared() -> None:
    target = MeasuredTarget(
        attempt=1, indexed=START, indexing_seconds=9, indexing_is_valid=False, index_bytes=1000
    )
    invalid = DatasetStatus(seconds=9.0, index_bytes=1000, verdict="Invalid")
    for runs in (indexed("one", target).runs, []):
        one = ComparisonInput("one", {}, runs, dataset=invalid)
        figures = words(one, one)
        assert "indexBytes" in figures
        assert "indexingSeconds" not in figures


def test_repeats_on_one_index_are_one_value_of_it() -> None:
    target = MeasuredTarget(attempt=1, indexed=START, indexing_seconds=9, index_bytes=1000)
    one = indexed("one", target, target, target)
    assert words(one, one)["indexingSeconds"] is None


def test_an_adaptive_baseline_does_not_weaken_a_comparison_that_it_did_not_know() -> None:
    old = side("old", BEFORE)
    old = ComparisonInput(old.name, adaptive({"benchmark": {"name": "older"}}), old.runs)
    new = side("new", SLOWER[:4])
    settings = settings_of_candidate(new.spec, "old")
    assert words(old, new, settings)["p95Milliseconds"] is Conclusion.WORSE


def test_another_figure_may_decide() -> None:
    settings = ComparisonSettings(primary=PrimaryMetric.REQUESTS_PER_SECOND)
    found = compared(side("old", BEFORE), side("new", SLOWER), settings)
    assert [each.figure for each in found.figures if each.primary] == ["requestsPerSecond"]


def test_one_repeat_makes_no_word_on_anything() -> None:
    assert set(words(side("old", (100,)), side("new", SLOWER)).values()) == {None}


def test_repeats_of_one_target_say_so() -> None:
    found = compared(side("old", BEFORE, target="x"), side("new", SLOWER, target="y"))
    assert found.figures[0].on_target
    assert not compared(side("old", BEFORE), side("new", SLOWER)).figures[0].on_target


def test_invalid_steps_say_so() -> None:
    good, bad = side("old", BEFORE), side("new", SLOWER)
    invalid = ComparisonInput(bad.name, bad.spec, bad.runs, frozenset({("a", "")}))
    for before, after in ((good, invalid), (invalid, good)):
        assert compared(before, after).figures[0].invalid
    assert not compared(good, bad).figures[0].invalid


def test_what_is_compared_and_what_should_be_equal_are_listed() -> None:
    other = make_spec(
        "a", collection={"shards": 2}, dataset={"generator": {"documents": 2000, "seed": 4}}
    )
    found = compared(side("old", BEFORE), side("new", BEFORE, spec=other))
    assert found.settings == ["collection.shards: 1, then 2"]
    assert found.differences == ["dataset.generator.documents: 1000, then 2000"]


def test_steps_of_one_side_only_are_named() -> None:
    more = side("new", BEFORE, spec=make_spec("a", "b"))
    extra = ComparisonInput(more.name, more.spec, [*more.runs, RunSamples(run("b", 1, 50, "t"))])
    found = compared(side("old", BEFORE), extra)
    assert found.differences[0] == "only new has step b"


def test_trials_of_a_search_are_no_steps_of_one_side_only() -> None:
    new = side("new", BEFORE)
    trial = run("capacity-trial-1", 1, 50, "t").model_copy(update={"trial": 1})
    searched = ComparisonInput(new.name, new.spec, [*new.runs, RunSamples(trial)])
    assert compared(side("old", BEFORE), searched).differences == []


def test_status_holds_a_limited_number_of_figures() -> None:
    def wide(name: str) -> ComparisonInput:
        documents = [
            make_document("a", repeat, *(make_result([1000] * 9, f"q{n}") for n in range(40)))
            for repeat in (1, 2)
        ]
        return ComparisonInput(name, {}, list(map(RunSamples, documents)))

    found = compared(wide("old"), wide("new"))
    assert len(found.figures) == 96
    assert found.left_out > 100
    assert found.figures[0].primary


def report(**changes: Any) -> dict[str, Any]:
    """Return the full report of a benchmark of one step, as its command prints it."""
    status = Status(verdicts=[StepVerdict(step="a", verdict="Invalid")])
    more = {"benchmark": "default/old", "status": plain(status)} | changes
    return report_body(make_spec("a"), [run.document for run in side("old", BEFORE).runs]) | more


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_stored_report_is_a_side(pack: Any) -> None:
    found = report_input("old", pack(orjson.dumps(report())))
    assert len(found.runs) == 5
    assert found.invalid == frozenset({("a", "")})
    assert words(found, side("new", SLOWER))["p95Milliseconds"] is Conclusion.WORSE


def test_spec_of_another_version_is_compared_as_it_is() -> None:
    spec = report()["spec"] | {"fieldOfLater": 1}
    found = report_input("old", orjson.dumps(report(spec=spec)))
    assert found.spec["fieldOfLater"] == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"no JSON", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "no spec and no steps"),
        (gzip.compress(b"{}" * 2000, mtime=0)[:-20], "cut off|broken"),
        (b"\x1f\x8bgarbage", "broken"),
        (orjson.dumps({"spec": {}, "steps": [{"requests": []}]}), "another version"),
        (orjson.dumps({"spec": {}, "steps": 3}), "not a report"),
        (orjson.dumps({"spec": "query", "steps": []}), "not a report"),
        (gzip.compress(b" " * (MAX_STORED_BYTES + 1)), "unpacks to more than 12582912 bytes"),
        (b" " * (MAX_STORED_BYTES + 1), "larger than 12 MiB"),
        (b" " * (MAX_FIGURES_BYTES + 1), "without series over time it is larger than 4 MiB"),
        (b'{"steps":[' + b"{}," * 200_000 + b"{}]}", "bytes of memory"),
        (orjson.dumps({"steps": [], "spec": ["x" * 600_000]}), "its spec has more than 512 KiB"),
    ],
)
def test_what_is_no_report_or_too_large_is_refused_with_the_reason(
    text: bytes, problem: str
) -> None:
    with pytest.raises(UnreadableReportError, match=problem):
        report_input("old", text)


def test_a_stored_report_with_more_repeats_than_a_benchmark_has_is_refused() -> None:
    stored = report()
    (first, *_) = stored["steps"]
    many = [first | {"id": f"r{n}-s0-a", "repeat": n} for n in range(1, MAX_REPEATS + 2)]
    text = orjson.dumps(stored | {"steps": many})
    with pytest.raises(UnreadableReportError, match=f"{MAX_REPEATS + 1} repeats, limit"):
        report_input("old", text)
    report_input("old", orjson.dumps(stored | {"steps": many[1:]}))


def test_a_stored_report_with_times_of_which_one_lacks_its_zone_is_refused() -> None:
    stored = report()
    stored["steps"][0]["startTime"] = "2026-01-02T03:04:05"
    with pytest.raises(UnreadableReportError, match="not a report"):
        report_input("old", orjson.dumps(stored))


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("serviceTimeHistogram", pack_histogram([b"\x80"]), "not an HdrHistogram"),
        ("failures", 1 << 53, "validation error"),  # no status takes it
    ],
)
def test_numbers_of_a_stored_report_that_no_load_has_measured_are_refused(
    field: str, value: str | int, problem: str
) -> None:
    stored = report()
    for step in stored["steps"]:
        step["requests"][0][field] = value
    before = report_input("old", orjson.dumps(stored))
    with pytest.raises(UnreadableReportError, match=f"numbers are none of a load: .*{problem}"):
        compare_candidate(before, side("new", SLOWER), ComparisonSettings())


def test_series_of_a_stored_report_do_not_count() -> None:
    stored = report()
    point = {"second": 1, "requests": 2, "failures": 0}
    for step in stored["steps"]:
        step |= {"caches": [point] * 2000, "thousands": [point] * 2000}
        step["requests"][0]["windows"] = [point] * 14_000
        step["requests"][0]["request"] = 'a "windows": [1]'
    text = orjson.dumps(stored, option=orjson.OPT_INDENT_2)
    assert len(text) > 2 * MAX_FIGURES_BYTES
    found = report_input("old", gzip.compress(text))
    assert {len(run.document.requests[0].windows) for run in found.runs} == {0}
    assert found.runs[0].document.requests[0].request == 'a "windows": [1]'


def test_what_is_asked_is_that_of_the_spec_unless_given() -> None:
    spec = {"comparison": {"smallestEffectPercent": 2, "primary": "Average"}}
    found = settings_of_candidate(spec, "old")
    assert (found.rule.smallest_effect_percent, found.primary) == (2, PrimaryMetric.AVERAGE)
    given = settings_of_candidate(spec, "old", 10, PrimaryMetric.P50)
    assert (given.rule.smallest_effect_percent, given.primary) == (10, PrimaryMetric.P50)
    assert given.rule.looks is None


def adaptive(baseline: dict[str, Any] | None) -> dict[str, Any]:
    """Return the spec of a benchmark whose repeats go on until they are decided."""
    beside = {} if baseline is None else {"comparison": {"baseline": baseline}}
    return {"load": {"repeats": {"until": "Decided", "min": 3}}} | beside


@pytest.mark.parametrize(
    ("baseline", "looks"),
    [
        ({"benchmark": {"name": "old"}}, Looks(3, 20)),
        ({"benchmark": {"name": "another"}}, None),
        ({"report": {"configMap": {"name": "kept"}}}, Looks(3, 20)),
        (None, None),  # variants decided it
    ],
)
def test_looks_count_only_where_this_comparison_decided_when_to_stop(
    baseline: dict[str, Any] | None, looks: Looks | None
) -> None:
    candidate = adaptive(baseline)
    assert settings_of_candidate(candidate, "old").rule.looks == looks
    fixed = candidate | {"load": {"repeats": 5}}
    assert settings_of_candidate(fixed, "old").rule.looks is None


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (
            {"a": {"same": 1, "one": 1, "gone": "x"}, "b": 1},
            {"a": {"same": 1, "one": 2, "new": [1]}, "b": 2},
            ["a.one: 1, then 2", "a.gone: x, then not set", "a.new: not set, then [1]"],
        ),
        # Lists of one length are compared entry by entry.
        (
            {"load": {"steps": [{"users": 1}, {"users": 2}]}},
            {"load": {"steps": [{"users": 1}, {"users": 3}]}},
            ["load.steps[1].users: 2, then 3"],
        ),
        ({}, {}, []),
    ],
)
def test_fields_that_differ_are_named_with_both_values(
    before: dict[str, Any], after: dict[str, Any], lines: list[str]
) -> None:
    assert differing(before, after, ["a", "load.steps"], 9) == lines


def test_long_values_and_many_lines_are_cut() -> None:
    before = {"a": {f"f{n}": "x" * 100 for n in range(9)}}
    found = differing(before, {"a": {}}, ["a"], 3)
    assert len(found) == 3
    assert found[-1] == "7 more"
    assert len(found[0]) < 90
