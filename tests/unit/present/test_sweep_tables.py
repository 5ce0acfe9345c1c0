"""The report of a sweep that measures in rounds."""

import json
from typing import Any

import jsonschema
import pytest

from hack.generate.json_schema import report_schema
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.findings import Bottleneck, InvalidReason, StepVerdict
from solrbench.api.v1alpha1.sweep import BestPoint, SweepPoint, SweepStatus
from solrbench.present.junit import sweep_to_junit
from solrbench.present.markdown import sweep_to_markdown
from solrbench.present.page import build_sweep_page
from solrbench.present.sweeps.difference_figures import round_figure
from solrbench.present.sweeps.point_tables import page_answers
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.results import build_sweep_report
from solrbench.present.sweeps.tables import (
    best_facts,
    bottlenecks_table,
    failures_table,
    objectives_table,
    rounds_table,
)
from solrbench.sweep.plan import make_plan
from solrbench.sweep.validation import build_child
from support.narrowing import not_none
from support.resources.small_sweep import HEAP, parse_sweep
from support.results.statuses import full_status
from support.results.sweep_reports import full_report, full_sweep

P95 = (40.0, 44.0)
LAST = full_status().results[-1]
SUSPICION = Bottleneck(
    step=LAST.step,
    variant=LAST.variant,
    resource="Inconclusive",
    suspected="Cpu",
    message="Solr used 99 % of its CPUs",
)
"""What a benchmark with one repeat says."""


@pytest.fixture(scope="module")
def report() -> SweepReport:
    """Return the report of a sweep whose first point has two rounds."""
    sweep = full_sweep()
    changed = {"repeats": {"until": "Decided"}, "template": sweep.spec.template.model_dump()}
    spec = sweep.spec.model_validate(sweep.spec.model_dump() | changed)
    first, *others = sweep.status.points
    points = [first.model_copy(update={"rounds": len(P95)}), *others]
    measured = sweep.status.model_copy(update={"points": points})
    sweep = sweep.model_copy(update={"spec": spec, "status": measured})
    found: dict[str, SolrBenchmark] = {}
    for number, p95 in enumerate(P95, 1):
        child = build_child(sweep, make_plan(sweep).points[0].point, round_=number)
        benchmark, full = SolrBenchmark.parse(child), full_status()
        changes = {
            "summary": Summary(p95_milliseconds=p95, verdict="Valid"),
            "objectives": full.objectives,
            "verdicts": full.verdicts if number == len(P95) else [],
            "totals": [LAST],
            "bottlenecks": [SUSPICION],
        }
        status = benchmark.status.model_copy(update=changes)
        found[benchmark.metadata.name] = benchmark.model_copy(update={"status": status})
    return build_sweep_report(sweep, found)


def test_each_round_has_its_benchmark_and_its_figures(report: SweepReport) -> None:
    rounds = report.points[0].rounds
    name = report.points[0].name
    assert [each.benchmark for each in rounds] == [f"trial-{name}", f"trial-{name}-2"]
    rows = [row[:3] for row in rounds_table(report).texts]
    assert rows == [(name, "1", "40 ms"), (name, "2", "44 ms")]


def test_what_a_later_round_says_is_in_tables_and_test_cases(report: SweepReport) -> None:
    name = f"{report.points[0].name}, round 2"
    failures = failures_table(report).texts
    assert name in [row[0] for row in failures]
    failed = {row[1] for row in failures if row[2] == "RequestsFailed"}
    assert failed == {f"{LAST.step} ({LAST.variant})"}
    assert name in [row[0] for row in objectives_table(report).texts]
    assert "## Rounds" in sweep_to_markdown(report)
    reason = report.points[0].rounds[1].verdicts[0].reasons[0].reason
    assert reason in sweep_to_junit(report)


def test_rounds_confirm_what_held_a_point_back(report: SweepReport) -> None:
    (row,) = bottlenecks_table(report).texts
    confirmed = "Solr used 99 % of its CPUs in round 1; 2 of 2 rounds agree"
    field = "target.solrCloud.nodes"
    assert row == (report.points[0].name, LAST.step, LAST.variant, "Cpu", confirmed, field)
    assert "Held back by Solr's CPU: the baseline." in page_answers(report)
    best = BestPoint(name=report.points[0].name, values="heap 2Gi")
    status = report.status.model_copy(update={"best": [best]})
    assert (
        f"heap 2Gi, {LAST.step} ({LAST.variant}): the bottleneck is Solr's CPU. {confirmed}."
        f" Change next: {field}, on CPUs that nothing else uses."
    ) in page_answers(report.model_copy(update={"status": status}))


def test_answers_say_which_numbers_could_not_be_checked(report: SweepReport) -> None:
    short, rising = (
        InvalidReason(reason=reason, message=f"{reason} in {number} s.")
        for number, reason in enumerate(("StepTooShort", "NotSteady"))
    )
    verdicts = [
        StepVerdict(step="a", verdict="Inconclusive", unchecked=[short, rising]),
        StepVerdict(step="b", verdict="Inconclusive", unchecked=[rising]),
        StepVerdict(step="c", verdict="Valid", unchecked=[short]),
    ]
    point = report.points[0]
    first, second = (
        each.model_copy(update={"verdicts": own})
        for each, own in zip(point.rounds, (verdicts, verdicts[1:]), strict=True)
    )
    unmeasured = point.model_copy(update={"rounds": [], "verdicts": []})
    points = [point.model_copy(update={"rounds": [first, second]}), unmeasured]
    unsure = report.model_copy(update={"points": points})
    assert page_answers(unsure)[-1] == (
        "The numbers of 2 of 2 benchmarks could not be checked in full: NotSteady in 2,"
        " StepTooShort in 1. For example: NotSteady in 1 s."
    )
    assert not any("could not be checked" in each for each in page_answers(report))


def test_figure_has_a_dot_for_each_round_and_one_for_all(report: SweepReport) -> None:
    assert "rounds" in [each.name for each in build_sweep_page(report)["figures"]]
    series: Any = not_none(round_figure(report)).option["series"]
    dots, means = series
    assert [each["value"] for each in dots["data"]] == [[40.0, 0], [44.0, 0]]
    assert [each["value"] for each in means["data"]] == [[40.0, 0]]


def test_report_with_rounds_is_read_again_and_fits_its_schema(report: SweepReport) -> None:
    text = report.to_json()
    jsonschema.validate(json.loads(text), report_schema(SweepReport))
    assert SweepReport.parse(text) == report


def best_of(*heaps: str) -> SweepReport:
    """Return a report in whose conditions, of one user each more, these heaps are the best ones."""
    users = {"name": "users", "field": "load.steps[0].users", "values": [*range(1, 5)]}
    sweep = parse_sweep({"spec.axes": [HEAP, users], "spec.design": "Full"})
    points = {
        tuple(value.label for value in each.point.values): each.point
        for each in make_plan(sweep).points
    }
    best = [points[heap, str(number)] for number, heap in enumerate(heaps, 1)]
    status = SweepStatus(
        points=[SweepPoint(name=each.name, values=each.indexes, state="Valid") for each in best],
        best=[
            BestPoint(
                name=each.name,
                condition=f"users {number}",
                values=each.text,
                cores=0.3,
                memory_bytes=2**30,
            )
            for number, each in enumerate(best, 1)
        ],
    )
    return build_sweep_report(sweep.model_copy(update={"status": status}), {})


def test_best_points_that_are_the_same_are_one_line() -> None:
    report = best_of("1Gi", "2Gi", "1Gi")
    names = [each.name for each in report.status.best]
    assert best_facts(report) == {
        "Best point with users 1 or users 3": f"heap 1Gi ({names[0]}, {names[2]})",
        "Cost": "0.3 cores requested, 1 GiB requested for Solr and ZooKeeper",
        "Best point with users 2": f"heap 2Gi ({names[1]})",
    }
    assert [*best_facts(best_of("2Gi", "2Gi"))] == ["Best point", "Cost"]


def test_a_single_best_point_has_all_its_values() -> None:
    (text, _) = best_facts(best_of("1Gi")).values()
    assert text.startswith("heap 1Gi, users 1 (")


def test_sweep_without_rounds_has_none() -> None:
    assert round_figure(full_report()) is None
    assert not rounds_table(full_report()).rows
