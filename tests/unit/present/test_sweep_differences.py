"""Steps, request names and indexing of points beside the baseline, from the figures of rounds."""

import json
from collections.abc import Callable
from random import Random
from statistics import fmean
from typing import Any

import pytest

from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.analysis.step_results import deviation_percent
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import Conclusion, FigureComparison, Summary
from solrbench.api.v1alpha1.status import DatasetStatus, TargetStatus
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepPoint, SweepStatus
from solrbench.present.markdown import sweep_to_markdown
from solrbench.present.page import build_sweep_page
from solrbench.present.sweeps.point_tables import (
    differences_table,
    page_answers,
    steps_table,
    variants_table,
)
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.results import build_sweep_report
from solrbench.present.sweeps.tables import MAX_ROWS
from solrbench.sweep.conclusions import answer_sweep
from solrbench.sweep.plan import make_plan
from solrbench.sweep.points import benchmark_name
from solrbench.sweep.validation import build_child
from support.resources.small_sweep import HEAP, parse_sweep
from support.results.measured_points import valid_point

ROUNDS = 5
STEPS = {"one": 1, "twenty": 20}
LOAD_STEPS = [
    {"name": name, "users": users, "durationSeconds": 60} for name, users in STEPS.items()
]
HEAPS = HEAP | {"values": ["512Mi", "1Gi"]}
NAMES = {"check-out": 40.0, "check-in": 12.0, ALL_REQUESTS: 30.0}
Effect = Callable[[str, str], float]
"""By how much a request name takes longer in a step with the larger heap."""


def check_outs_suffer(step: str, request: str) -> float:
    return 1.8 if (step, request) == ("twenty", "check-out") else 1.0


Measured = tuple[SolrBenchmarkSweep, dict[str, SolrBenchmark]]


def measure(effect: Effect, *, seed: int = 1, **more: Any) -> Measured:
    """Return a sweep of two heaps in five rounds, which differ by 20 %, and its figures by 2 %.

    `more` is in each of its results.
    """
    template = {"spec.load.repeats.count": ROUNDS, "spec.load.steps": LOAD_STEPS}
    sweep = parse_sweep({"spec.axes": [HEAPS], "spec.order": "Random"}, template)
    draw = Random(seed)
    slow = [draw.uniform(1, 1.2) for _ in range(ROUNDS)]
    benchmarks: dict[str, SolrBenchmark] = {}
    points = []
    for each in make_plan(sweep).points:
        larger = not each.point.is_baseline
        child = SolrBenchmark.parse(build_child(sweep, each.point))
        p95s = []
        for number, level in enumerate(slow, 1):
            results = [
                result_of(step, request, [p95], **more)
                for step in STEPS
                for request, usual in NAMES.items()
                for factor in [effect(step, request) if larger else 1.0]
                for p95 in [usual * factor * level * draw.gauss(1, 0.02)]
            ]
            p95s.append(results[-1].p95_milliseconds)
            dataset = DatasetStatus(seconds=30 * level * draw.gauss(1, 0.01))
            name = benchmark_name("trial", each.point.name, number)
            benchmarks[name] = with_results(child, results, p95s[-1], dataset=dataset)
        numbers = [*range(1, ROUNDS + 1)]
        rounds = {"rounds": ROUNDS, "repeat_values": p95s, "repeat_rounds": numbers}
        points.append(valid_point(each.point, p95_milliseconds=p95s[0], **rounds))
    found, answers, best = answer_sweep(sweep.spec, make_plan(sweep), points)
    words = {name: difference.conclusion for name, difference in found.items()}
    points = [each.model_copy(update={"conclusion": words.get(each.name)}) for each in points]
    found_status = SweepStatus(phase="Succeeded", points=points, answers=answers, best=best)
    return sweep.model_copy(update={"status": found_status}), benchmarks


def measure_targets(effect: Effect, *, seed: int = 1, start_on: str = "FreshTarget") -> Measured:
    """Return a sweep of two heaps without rounds, whose repeats differ by 3 %, and its figures."""
    given = {"count": ROUNDS, "startOn": start_on}
    template = {"spec.load.repeats": given, "spec.load.steps": LOAD_STEPS}
    sweep = parse_sweep({"spec.axes": [HEAPS]}, template)
    draw, points = Random(seed), list[SweepPoint]()
    benchmarks: dict[str, SolrBenchmark] = {}
    for each in make_plan(sweep).points:
        results, p95s = list[StepResult](), list[float]()
        targets = [draw.gauss(1, 0.03) for _ in range(ROUNDS)]
        for step in STEPS:
            for request, usual in NAMES.items():
                factor = 1.0 if each.point.is_baseline else effect(step, request)
                p95s = [usual * factor * level * draw.gauss(1, 0.01) for level in targets]
                results.append(result_of(step, request, p95s))
        child = SolrBenchmark.parse(build_child(sweep, each.point))
        benchmarks[child.metadata.name] = with_results(child, results, fmean(p95s))
        repeats = {"repeats": ROUNDS, "repeat_values": p95s}
        points.append(valid_point(each.point, p95_milliseconds=fmean(p95s), **repeats))
    return sweep.model_copy(update={"status": SweepStatus(points=points)}), benchmarks


def with_results(
    benchmark: SolrBenchmark, results: list[StepResult], p95: float | None, **more: DatasetStatus
) -> SolrBenchmark:
    """Return a benchmark with results in its status, and the p95 of its last step."""
    update = {
        "summary": Summary(step="twenty", verdict="Valid", p95_milliseconds=p95),
        "results": [each for each in results if each.request != ALL_REQUESTS],
        "totals": [each for each in results if each.request == ALL_REQUESTS],
    }
    status = benchmark.status.model_copy(update=update | more)
    return benchmark.model_copy(update={"status": status})


def result_of(step: str, request: str, p95s: list[float], **more: Any) -> StepResult:
    """Return the result of repeats with these times."""
    rates = [1000 / p95 for p95 in p95s]
    return StepResult(
        step=step,
        request=request,
        requests=100,
        failures=0,
        repeats=len(p95s),
        requests_per_second=fmean(rates),
        requests_per_second_mean=fmean(rates),
        requests_per_second_deviation_percent=deviation_percent(rates),
        p95_milliseconds=fmean(p95s),
        p95_milliseconds_mean=fmean(p95s),
        p95_deviation_percent=deviation_percent(p95s),
        **more,
    )


def test_repeats_on_fresh_targets_make_conclusions_by_step_without_rounds() -> None:
    report = build_sweep_report(*measure_targets(check_outs_suffer))
    figures = figures_of(report)
    low, _, high = interval_of_check_out(figures)
    assert 60 < low < 80 < high < 100
    assert not figures[("twenty", "check-out", "p95Milliseconds")].on_target
    (primary,) = [each for each in figures.values() if each.primary]
    assert (primary.step, primary.request) == ("twenty", ALL_REQUESTS)
    assert "conclusions by step" not in steps_table(report).note


def test_a_status_says_as_much_of_repeats_as_their_values_do() -> None:
    report = build_sweep_report(*measure_targets(check_outs_suffer))
    (point,) = [each for each in report.points if not each.is_baseline]
    (primary,) = [each for each in figures_of(report).values() if each.primary]
    alone = [each for each in figures_of(report).values() if each.request == "check-in"]
    # All figures have one deviation, and the same number of targets.
    width = (primary.high_percent or 0) - (primary.low_percent or 0)
    assert width == pytest.approx(
        (point.difference_upper_percent or 0) - (point.difference_lower_percent or 0), abs=0.02
    )
    assert all((each.high_percent or 0) - (each.low_percent or 0) < 2 * width for each in alone)


def test_rate_of_updates_that_index_is_compared_once_as_that_of_their_documents() -> None:
    report = build_sweep_report(*measure(check_outs_suffer, documents_per_second=25.0))
    metrics = {metric for *_, metric in figures_of(report)}
    assert metrics == {"p95Milliseconds", "documentsPerSecond", "indexingSeconds"}


@pytest.mark.parametrize(("way", "seeds", "most"), [(measure, 5, 0), (measure_targets, 20, 1)])
def test_hardly_any_of_equal_figures_differ(
    way: Callable[..., Measured], seeds: int, most: int
) -> None:
    different = [
        figure
        for seed in range(seeds)
        for figure in figures_of(build_sweep_report(*way(lambda *_: 1.0, seed=seed))).values()
        if figure.conclusion in (Conclusion.BETTER, Conclusion.WORSE)
    ]
    assert len(different) <= most


def test_page_says_why_steps_are_not_compared_and_what_to_set() -> None:
    report = build_sweep_report(*measure_targets(check_outs_suffer, start_on="SameTarget"))
    assert not any(point.figures for point in report.points)
    note = (
        "Without rounds, only repeats on fresh targets make conclusions by step and request name:"
        " set spec.repeats to {until: Decided}, or load.repeats of the template to"
        " {count: 5, startOn: FreshTarget}."
    )
    assert steps_table(report).note == note
    assert note in sweep_to_markdown(report)
    assert not steps_table(build_sweep_report(*measure(check_outs_suffer))).note


@pytest.fixture(scope="module")
def report() -> SweepReport:
    return build_sweep_report(*measure(check_outs_suffer))


Figures = dict[tuple[str | None, str | None, str], FigureComparison]


def figures_of(report: SweepReport) -> Figures:
    (figures,) = [point.figures for point in report.points if not point.is_baseline]
    return {(each.step, each.request, each.figure): each for each in figures}


def interval_of_check_out(figures: Figures) -> tuple[float, float, float]:
    """Return lower bound, difference and upper bound of the only call and level that suffer."""
    worse = {key for key, each in figures.items() if each.conclusion is Conclusion.WORSE}
    check_out = ("twenty", "check-out")
    assert worse == {(*check_out, "p95Milliseconds"), (*check_out, "requestsPerSecond")}
    suffers = figures[(*check_out, "p95Milliseconds")]
    assert suffers.low_percent is not None
    assert suffers.high_percent is not None
    return suffers.low_percent, suffers.difference_percent, suffers.high_percent


def test_the_call_and_the_level_that_suffer_are_known(report: SweepReport) -> None:
    figures = figures_of(report)
    assert len(figures) == 2 * 3 * 2 + 1
    low, percent, high = interval_of_check_out(figures)
    # Rounds differ by 20 %, which cancels out.
    assert 70 < low < percent < high < 90
    assert (None, None, "indexingSeconds") in figures


def test_the_figure_of_the_objective_keeps_its_conclusion(report: SweepReport) -> None:
    (primary,) = [each for each in figures_of(report).values() if each.primary]
    assert (primary.step, primary.request) == ("twenty", ALL_REQUESTS)
    (point,) = [each for each in report.points if not each.is_baseline]
    assert primary.conclusion == point.result.conclusion
    assert primary.difference_percent == pytest.approx(point.difference_percent, abs=0.01)
    assert primary.low_percent == pytest.approx(point.difference_lower_percent, abs=0.01)


def test_a_planned_rate_is_not_compared() -> None:
    figures = figures_of(build_sweep_report(*measure(check_outs_suffer, dropped_requests=0)))
    assert {figure for _, _, figure in figures} == {"p95Milliseconds", "indexingSeconds"}


def test_the_rate_of_a_transaction_stands_for_its_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("check-out.items", "check-in.items"):  # only one of which is a transaction
        monkeypatch.setitem(NAMES, name, 10.0)
    for way in (measure, measure_targets):
        sweep, benchmarks = way(check_outs_suffer)
        for name, benchmark in benchmarks.items():
            results = [
                each.model_copy(update={"is_transaction": each.request == "check-out"})
                for each in benchmark.status.results
            ]
            status = benchmark.status.model_copy(update={"results": results})
            benchmarks[name] = benchmark.model_copy(update={"status": status})
        figures = figures_of(build_sweep_report(sweep, benchmarks))
        assert ("one", "check-out", "requestsPerSecond") in figures
        assert ("one", "check-out.items", "p95Milliseconds") in figures
        assert ("one", "check-out.items", "requestsPerSecond") not in figures
        assert ("one", "check-in.items", "requestsPerSecond") in figures


def through(result: StepResult, variant: str, factor: float = 1.0) -> StepResult:
    """Return a result as another variant would have it, whose times differ by a factor."""
    changes = {
        "variant": variant,
        "p95_milliseconds": (result.p95_milliseconds or 0) * factor,
        "requests_per_second": (result.requests_per_second or 0) / factor,
    }
    return result.model_copy(update=changes)


def test_variants_are_compared_within_the_targets_that_they_share() -> None:
    sweep, benchmarks = measure(check_outs_suffer)
    draw = Random(1)
    for name, benchmark in benchmarks.items():
        found = benchmark.status
        target = draw.uniform(0.6, 1.6)  # of a fresh target in each round
        changes = {
            part: [
                through(result, variant, target * factor * draw.gauss(1, 0.01))
                for variant in ("proxy", "straight")
                for result in results
                for factor in [0.8 if (result.step, variant) == ("twenty", "straight") else 1.0]
            ]
            for part, results in (("results", found.results), ("totals", found.totals))
        }
        status = found.model_copy(update=changes)
        benchmarks[name] = benchmark.model_copy(update={"status": status})
    report = build_sweep_report(sweep, benchmarks)
    assert figures_of(report)  # points beside the baseline, which targets blur
    for point in report.points:
        figures = {(each.step, each.request, each.figure): each for each in point.variants}
        assert len(figures) == 2 * 3 * 2
        assert {each.variant for each in figures.values()} == {"straight"}
        for (step, _, figure), each in figures.items():
            better = -20.0 if figure == "p95Milliseconds" else 25.0
            expected, word = (better, "Better") if step == "twenty" else (0.0, "Same")
            assert each.difference_percent == pytest.approx(expected, abs=2)
            assert each.conclusion == word
    table = variants_table(report)
    assert table.head[5:8] == ("First variant", "This variant", "Difference")
    assert table.head[-1] == "Conclusion"
    assert "cancels out" in table.note
    assert "## Variants" in sweep_to_markdown(report)
    assert SweepReport.parse(report.to_json()) == report


def test_an_index_that_two_points_share_is_measured_once() -> None:
    sweep, benchmarks = measure(check_outs_suffer)
    first, second = (point.name for point in sweep.status.points)
    for number in range(1, ROUNDS + 1):
        # Which of them fills it differs from round to round.
        filled, taken_over = (first, second) if number % 2 else (second, first)
        dataset = benchmarks[benchmark_name("trial", filled, number)].status.dataset
        name = benchmark_name("trial", taken_over, number)
        shared = {"dataset": dataset, "target": TargetStatus(reuses="Index")}
        status = benchmarks[name].status.model_copy(update=shared)
        benchmarks[name] = benchmarks[name].model_copy(update={"status": status})
    figures = figures_of(build_sweep_report(sweep, benchmarks))
    assert {figure for _, _, figure in figures} == {"p95Milliseconds", "requestsPerSecond"}


def test_points_are_not_compared_when_the_benchmark_of_a_round_is_gone() -> None:
    sweep, benchmarks = measure(check_outs_suffer)
    name = sweep.status.points[0].name
    gone = benchmarks.pop(benchmark_name("trial", name, 2))
    assert all(not each.figures for each in build_sweep_report(sweep, benchmarks).points)
    # One that is under way does not take its place.
    benchmarks[benchmark_name("trial", name, ROUNDS + 1)] = gone
    assert all(not each.figures for each in build_sweep_report(sweep, benchmarks).points)


def test_page_markdown_and_json_have_them(report: SweepReport) -> None:
    table = differences_table(report)
    rows = [dict(zip(table.head, row, strict=True)) for row in table.texts]
    wanted = {"Step": "twenty", "Request": "check-out", "Figure": "p95"}
    (row,) = [each for each in rows if wanted.items() <= each.items()]
    assert row["Point"] == "heap 1Gi"
    assert row["Conclusion"] == "worse"
    assert [each["Request"] for each in rows if each["Figure"] == "p95 *"] == [ALL_REQUESTS]
    assert "one family" in table.note
    answers = page_answers(report)
    (sentence,) = [each for each in answers if "the p95 of check-out in twenty" in each]
    assert sentence.startswith("heap 1Gi: the p95 of check-out in twenty is ")
    assert sentence.endswith("): worse.")
    assert build_sweep_page(report)["answers"] == answers
    assert "## Steps beside the baseline" in sweep_to_markdown(report)
    stored = json.loads(report.to_json())
    assert [len(each.get("figures", [])) for each in stored["points"]] == [0, 13]
    assert SweepReport.parse(report.to_json()) == report


def test_of_many_figures_those_that_differ_most_are_shown(report: SweepReport) -> None:
    (point,) = [each for each in report.points if not each.is_baseline]
    same = [each for each in point.figures if each.conclusion is not Conclusion.WORSE]
    many = point.model_copy(update={"figures": [*same * 30, *point.figures]})
    table = differences_table(report.model_copy(update={"points": [many]}))
    assert len(table.rows) == MAX_ROWS
    assert table.note.startswith(f"The {MAX_ROWS} of 343 rows that differ most")
    assert [row[table.head.index("Conclusion")] for row in table.texts].count("worse") == 2
