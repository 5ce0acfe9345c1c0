"""Which sweeps compare answers, what their points are called, and the sentence of an upgrade."""

from typing import Any

import pytest

from solrbench.analysis.metrics import P95, Difference
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import AnswerComparison, Conclusion
from solrbench.sweep.answers import compares_answers, point_label, upgrade_sentences
from solrbench.sweep.plan import make_plan
from solrbench.sweep.validation import build_child
from support.resources.small_sweep import parse_sweep, users_axis
from support.results.measured_points import valid_point

VERSIONS = {"name": "version", "field": "target.solrCloud.image.tag", "values": ["9.8.1", "9.10.1"]}
HEAPS = {"name": "heap", "field": "target.solrCloud.heap", "values": ["512Mi", "1Gi"]}
CONFIGS = {
    "name": "config",
    "field": "collection.configSet.configMap.name",
    "values": ["plain", "other"],
}


@pytest.mark.parametrize(
    ("axes", "answers", "queries"),
    [
        ([VERSIONS], None, 1000),
        ([CONFIGS, HEAPS], None, 1000),
        ([HEAPS], None, None),
        ([HEAPS], {}, 1000),
        ([VERSIONS], {"queries": 0}, 0),
        ([VERSIONS], {"queries": 50}, 50),
    ],
)
def test_answers_are_compared_by_default_over_versions_and_config_sets(
    axes: list[dict[str, Any]], answers: dict[str, Any] | None, queries: int | None
) -> None:
    comparison = {} if answers is None else {"answers": answers}
    found = parse_sweep({"spec.axes": axes}, {"spec.comparison": comparison})
    plan = make_plan(found)
    assert not plan.problems
    child = SolrBenchmark.parse(build_child(found, plan.points[0].point))
    wanted = child.spec.comparison.answers
    assert (None if wanted is None else wanted.queries) == queries
    assert compares_answers(found.spec) is bool(queries)


def sentence(
    different: int, cpu: float | None, conclusion: Conclusion | None, usual: str = "Valid"
) -> str:
    """Return what is said of the second of two versions; `usual` is the state of the first."""
    plan = make_plan(parse_sweep({"spec.axes": [VERSIONS]}))
    points = {each.point.name: each.point for each in plan.points}
    measured = [
        valid_point(
            point,
            cpu_milliseconds_per_request=2.0 if point.is_baseline else cpu,
            state=usual if point.is_baseline else "Valid",
        )
        for point in points.values()
    ]
    other = next(name for name, point in points.items() if not point.is_baseline)
    difference = Difference(P95, None, None, 12.0, (9.0, 15.0), conclusion)
    compared = AnswerComparison(
        candidate="9.10.1",
        baseline="9.8.1",
        conclusion="Differ" if different else "SameAnswers",
        queries=1000,
        different=different,
    )
    (text,) = upgrade_sentences([compared], points, measured, {other: difference})
    return text


def test_the_sentence_of_an_upgrade() -> None:
    assert sentence(31, 2.24, Conclusion.SAME) == (
        "9.10.1 answers 31 of 1,000 queries differently and needs 12 % more CPU per query than"
        " 9.8.1; the p95 shows no relevant difference."
    )
    same = "9.10.1 answers all 1,000 queries like 9.8.1"
    assert sentence(0, 1.8, Conclusion.WORSE) == (
        f"{same} and needs 10 % less CPU per query; the p95 is 12 % higher."
    )
    assert sentence(0, None, Conclusion.INCONCLUSIVE) == f"{same}; the p95 is inconclusive."
    assert sentence(0, None, None) == (
        f"{same}; the p95 has no conclusion with fewer than 3 repeats."
    )
    assert sentence(0, 1.8, Conclusion.WORSE, usual="Invalid") == f"{same}."


def test_a_sentence_is_about_the_baseline_that_it_names() -> None:
    users = users_axis(2) | {"role": "Condition"}
    plan = make_plan(parse_sweep({"spec.axes": [VERSIONS, users], "spec.design": "Full"}))
    points = {each.point.name: each.point for each in plan.points}
    cpu = {(0, 0): 9.0, (1, 0): 9.0, (0, 1): 1.0, (1, 1): 1.5}  # by version and users
    measured = [
        valid_point(each, cpu_milliseconds_per_request=cpu[each.indexes[0], each.indexes[1]])
        for each in points.values()
    ]
    compared = AnswerComparison(
        candidate="version 9.10.1, users 2",
        baseline="users 2",
        conclusion="SameAnswers",
        queries=1000,
        different=0,
    )
    (text,) = upgrade_sentences([compared], points, measured, {})
    assert text == (
        "version 9.10.1, users 2 answers all 1,000 queries like users 2 and needs 50 % more CPU per"
        " query."
    )


def test_points_of_several_axes_are_named_by_what_differs() -> None:
    plan = make_plan(parse_sweep({"spec.axes": [VERSIONS, HEAPS], "spec.design": "Full"}))
    baseline = plan.baseline
    assert baseline is not None
    labels = {point_label(each.point.values, baseline.point.values) for each in plan.points}
    assert {"version 9.10.1", "heap 1Gi", "version 9.10.1, heap 1Gi"} < labels
