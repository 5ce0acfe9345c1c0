from datetime import UTC, datetime

from solrbench.analysis.server_metrics import merge_visibility
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.step_document import StepRunResult, VisibilityResult
from solrbench.present.table import table_to_markdown
from solrbench.present.visibility_table import visibility_table
from support.resources.small_resource import resource

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
        milliseconds=list(milliseconds),
        errors=[error] * len(milliseconds) if error else [],
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
