"""Times until documents are found: by replica type, as an objective and as a figure."""

from datetime import UTC, datetime
from typing import Any

import pytest

from solrbench.analysis.capacity import read_trial
from solrbench.analysis.metrics import TIME_UNTIL_FOUND
from solrbench.analysis.objectives import evaluate_objectives
from solrbench.analysis.samples import ALL_REQUESTS, RunSamples
from solrbench.analysis.sentences import describe, name_figure
from solrbench.analysis.server_metrics import merge_visibility, slowest_percentile
from solrbench.analysis.step_comparison import compare_variants
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.step_document import StepRunResult, VisibilityResult
from solrbench.present.table import table_to_markdown
from solrbench.present.window_tables import visibility_table
from support.resources.small_resource import resource
from support.results.builders import make_document, make_result, make_spec, make_variants
from support.results.samples import benchmark_samples
from support.results.trials import trial

START = datetime(2026, 1, 1, tzinfo=UTC)


def run(repeat: int, *found: VisibilityResult) -> StepRunResult:
    return StepRunResult(
        id=f"r{repeat}-s0-calm",
        repeat=repeat,
        step="calm",
        attempt=1,
        start_time=START,
        end_time=START,
        seconds=1,
        requests=[],
        workers=[],
        visibility=list(found),
    )


def of(
    kind: str, *milliseconds: float, not_found: int = 0, problem: str = "", error: float = 0.0
) -> VisibilityResult:
    return VisibilityResult(
        replica_type=kind,
        documents=len(milliseconds),
        not_found=not_found,
        timeout_milliseconds=60_000,
        milliseconds=list(milliseconds),
        errors=[error] * len(milliseconds),
        problem=problem,
    )


def test_repeats_are_one_sample_for_each_type() -> None:
    spec = SolrBenchmark.model_validate(resource({"spec.load.steps.0.name": "calm"})).spec
    documents = (
        run(1, of("NRT", *range(10, 110, 10)), of("PULL", 900.0, not_found=1)),
        run(2, of("NRT", *range(5, 105, 10)), of("PULL", problem="gone")),
    )
    nrt, pull = merge_visibility(spec, documents)
    assert (nrt.step, nrt.replica_type, nrt.documents, nrt.not_found) == ("calm", "NRT", 20, 0)
    median, high, _ = nrt.percentiles
    assert (median.percent, median.milliseconds) == (50, 50)
    assert (median.lower_milliseconds, median.upper_milliseconds) == (30, 75)
    assert (high.milliseconds, high.upper_milliseconds) == (95, None)
    assert (pull.not_found, pull.max_milliseconds, pull.problem) == (1, 900, "gone")
    text = table_to_markdown(visibility_table([nrt, pull]))
    assert "| calm | NRT | 20 | 0 | 50 ms (30 ms to 75 ms) | 95 ms |" in text
    assert not visibility_table([])


def test_intervals_hold_by_how_much_the_times_may_be_wrong() -> None:
    spec = SolrBenchmark.model_validate(resource({"spec.load.steps.0.name": "calm"})).spec
    documents = (
        run(1, of("NRT", *range(10, 110, 10))),
        run(2, of("NRT", *range(5, 105, 10), error=40)),
    )
    (exact,) = merge_visibility(spec, documents[:1])
    (found,) = merge_visibility(spec, documents)
    assert (exact.error_milliseconds, found.error_milliseconds) == (None, 40)
    median = found.percentiles[0]
    assert (median.milliseconds, median.lower_milliseconds) == (50, 10)
    assert median.upper_milliseconds == 95
    assert "| 40 ms |" in table_to_markdown(visibility_table([found]))


def test_slowest_type_has_what_it_did_not_find_among_its_longest_times() -> None:
    nrt, pull = of("NRT", *range(10, 1010, 10)), of("PULL", *range(20, 1020, 10), not_found=10)
    assert slowest_percentile([], 95) is None
    found = slowest_percentile([nrt, pull], 50)
    assert found is not None
    assert found.milliseconds == 560
    late = slowest_percentile([nrt, pull], 95)
    assert late is not None
    assert late.milliseconds == 60_000
    given_up = pull.model_copy(update={"timeout_milliseconds": 5000.0})
    assert getattr(slowest_percentile([given_up], 95), "milliseconds", None) == 5000


LOAD = {
    "visibility": {},
    "repeats": {"count": 3},
    "steps": [{"name": "a", "users": 2, "requests": 10}],
}
LIMIT: dict[str, Any] = {"name": "seen", "timeUntilFound": {"percentile": 50, "maxMilliseconds": 0}}


def seen_within(milliseconds: int) -> Objective:
    limit = LIMIT["timeUntilFound"] | {"maxMilliseconds": milliseconds}
    return Objective.model_validate(LIMIT | {"timeUntilFound": limit})


@pytest.mark.parametrize(
    ("limit", "conclusion"), [(2000, "Met"), (500, "Inconclusive"), (200, "Missed")]
)
def test_objective_limits_the_time_of_the_slowest_type(limit: int, conclusion: str) -> None:
    objective = seen_within(limit).model_dump(by_alias=True, exclude_none=True)
    spec = make_spec(objectives=[objective], load=LOAD)
    times = of("PULL", *range(10, 1010, 10))
    document = make_document("a", 1, make_result([1000] * 20))
    document = document.model_copy(update={"visibility": [times, of("NRT", 1.0)]})
    found = evaluate_objectives(benchmark_samples(spec, [document]), DatasetStatus())
    assert found is not None
    (result,) = found.results
    assert (result.value, result.unit, result.conclusion) == (500, "ms", conclusion)
    assert result.message.startswith("The p50 of the time until found is 500 ms (95 % confidence")
    assert describe(spec.objectives[0]) == f"p50 of the time until found ≤ {limit} ms"
    without = benchmark_samples(spec, [document.model_copy(update={"visibility": []})])
    nothing = evaluate_objectives(without, DatasetStatus())
    assert nothing is not None
    assert nothing.results[0].conclusion == "Inconclusive"
    assert "See status.visibility" in nothing.results[0].message


def test_trials_must_meet_the_time_until_found() -> None:
    document = trial(1, 100, 50).model_copy(update={"visibility": [of("NRT", *[400.0] * 100)]})
    found = read_trial(RunSamples(document), [seen_within(200)])
    assert found.excess == pytest.approx(0.5)
    assert found.is_long


def test_variants_are_compared_by_the_time_until_found() -> None:
    spec = make_spec(load=LOAD, comparison={"primary": "TimeUntilFoundP95"})
    documents = [
        make_document("a", repeat, make_result([1000] * 20), variant=variant).model_copy(
            update={"visibility": [of("NRT", *[time + repeat] * 10)]}
        )
        for repeat in (1, 2, 3)
        for variant, time in (("direct", 100), ("proxy", 200))
    ]
    samples = benchmark_samples(make_variants(spec, "direct", "proxy"), documents)
    (compared,) = compare_variants(samples)
    assert (compared.figure, compared.request) == ("timeUntilFoundP95Milliseconds", "query")
    assert compared.percentile is not None
    assert compared.percentile.percent == pytest.approx(98, abs=1)
    assert compared.percentile.conclusion == "Worse"
    values = samples.of("a", "direct").values(ALL_REQUESTS, [95])
    assert [each.value for each in values[TIME_UNTIL_FOUND]] == [101, 102, 103]
    said = "the p95 of the time until documents are found"
    assert name_figure(TIME_UNTIL_FOUND.label, "query") == said
