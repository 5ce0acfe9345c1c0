"""What a report shows of prices, of the cost of requests, and of a sizing."""

import json
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.findings import CapacityConclusion, CapacityResult
from solrbench.api.v1alpha1.step_result import Interval
from solrbench.metrics.sweeps import SweepStore
from solrbench.present.csv import points_to_csv
from solrbench.present.html import render_sweep_html
from solrbench.present.junit import sweep_to_junit
from solrbench.present.markdown import sweep_to_markdown
from solrbench.present.page import build_sweep_page
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.present.sweeps.results import build_sweep_report
from solrbench.present.sweeps.sizing import costs_table, frontier_figure
from solrbench.present.sweeps.tables import best_facts, points_table, sweep_facts
from solrbench.sweep.plan import make_plan
from solrbench.sweep.validation import build_child
from support.narrowing import not_none
from support.resources.small_resource import Changes
from support.resources.small_sizing import (
    DOCUMENTS,
    FAST,
    PRICES,
    RATE,
    SEARCH,
    measured,
    run,
    taken,
)
from support.resources.small_sweep import parse_sweep
from support.results.measured_points import valid_point
from support.results.sweep_reports import full_report

RATES = {0: 150.0, 1: 260.0, 2: 340.0, 3: 500.0}
"""Of which the third point holds the load, so that the fourth is not measured."""


def sized(changes: Changes, *given: Any) -> SweepReport:
    """Return the report of a sizing whose points are given to `run`."""
    sweep = parse_sweep(changes).model_copy(update={"status": run(changes, *given)})
    return build_sweep_report(sweep, {})


@pytest.fixture(scope="module")
def report() -> SweepReport:
    return sized(SEARCH, RATES)


def test_points_stand_in_the_order_of_their_prices_with_what_they_hold(report: SweepReport) -> None:
    table = costs_table(report)
    assert "Price per hour (EUR)" in table.head
    rows = [dict(zip(table.head, row, strict=True)) for row in table.texts]
    assert [row["nodes"] for row in rows] == ["1", "2", "3", "4"]
    words = ["does not hold", "does not hold", "holds", "not measured"]
    assert [row["Load"] for row in rows] == words
    assert rows[2]["Holds (requests/s)"].startswith("34")
    assert " to " in rows[2]["Per million requests (EUR)"]
    assert not rows[3]["Per million requests (EUR)"]
    assert ", from cheap to dear, 1 at a time" in sweep_facts(report)["Design"]


def test_figures_of_a_search_alone_are_of_no_step(report: SweepReport) -> None:
    rest = "; SD is the standard deviation"
    found = points_table(report).note
    assert found.startswith(f"Figures are those of the search for the capacity{rest}")
    assert points_table(full_report()).note.startswith(f"Figures are those of the last step{rest}")


def test_a_sizing_by_documents_shows_what_each_point_takes() -> None:
    report = sized(DOCUMENTS, {0: 2500, 1: 4300, 2: 5700, 3: 8300}, taken)
    table = costs_table(report)
    rows = [dict(zip(table.head, row, strict=True)) for row in table.texts]
    assert rows[2]["Holds (documents/s)"].startswith("57")
    assert "Per million requests (EUR)" not in table.head
    figure = not_none(frontier_figure(report))
    assert figure.description.startswith("Documents/s that are held of each point")
    series: Any = figure.option["series"]
    (asked,) = [each["data"] for each in series if each["name"] == "asked"]
    assert {rate for _, rate in asked} == {5000}


def test_headrooms_far_from_the_load_are_bounds() -> None:
    table = costs_table(sized(RATE, {0: 9000, 1: 1, 2: 1, 3: 1}, measured))
    place = list(table.head).index("Headroom")
    assert [row[place] for row in table.texts][:2] == ["≤ 0.25", "≥ 4"]


def test_page_markdown_json_and_csv_have_it(report: SweepReport) -> None:
    assert "frontier" in [each.name for each in build_sweep_page(report)["figures"]]
    page = render_sweep_html(report)
    assert 'id="costs"' in page
    assert report.status.sizing[0].message in report.status.answers
    assert "## Costs" in sweep_to_markdown(report)
    assert best_facts(report)["Price"].endswith(" EUR/h")
    third = json.loads(report.model_dump_json(by_alias=True))["points"][2]
    assert third["holding"] == "holds"
    bounds = ("cost_per_million_requests_lower", "cost_per_million_requests_upper")
    lower, upper = (third[f"costPerMillionRequests{each}"] for each in ("Lower", "Upper"))
    assert lower < third["costPerMillionRequests"] < upper
    header, *lines = points_to_csv(report).splitlines()
    assert header.endswith(",".join(("price_per_hour", "cost_per_million_requests", *bounds)))
    assert len(lines) == 4
    assert "the point is NotMeasured" in sweep_to_junit(report)


def test_frontier_draws_each_measured_point_and_what_is_asked(report: SweepReport) -> None:
    series: Any = not_none(frontier_figure(report)).option["series"]
    drawn = {each["name"]: each["data"] for each in series if each["type"] == "line"}
    numbers = {name: len(data) for name, data in drawn.items()}
    assert numbers == {"holds": 1, "does not hold": 2, "asked": 2}
    assert {y for _, y in drawn["asked"]} == {300}


def test_a_sweep_without_prices_has_no_costs() -> None:
    report = full_report()
    assert not costs_table(report)
    assert frontier_figure(report) is None
    assert build_sweep_page(report)["costs"] == costs_table(report)


def first_point(
    sweep: Any, figures: dict[str, float], **status: object
) -> tuple[PointReport, tuple[float, float]]:
    """Return the first of points with these figures, whose benchmark has this status.

    With it comes the interval of what its requests cost, as shares of that.
    """
    points = [valid_point(each.point, **figures) for each in make_plan(sweep).points]
    sweep = sweep.model_copy(update={"status": sweep.status.model_copy(update={"points": points})})
    child = SolrBenchmark.parse(build_child(sweep, make_plan(sweep).points[0].point))
    child = child.model_copy(update={"status": child.status.model_copy(update=status)})
    point = build_sweep_report(sweep, {child.metadata.name: child}).points[0]
    cost = not_none(point.cost_per_million_requests)
    lower, upper = point.cost_per_million_requests_lower, point.cost_per_million_requests_upper
    return point, (not_none(lower) / cost, not_none(upper) / cost)


def test_any_sweep_with_prices_has_costs_with_the_interval_of_the_rate() -> None:
    sweep = parse_sweep({"spec.prices": PRICES | {"perCoreHour": 0.0}})
    interval = Interval(lower=8, upper=12.5)
    summary = Summary(requests_per_second=10, requests_per_second_interval=interval)
    figures = {"requests_per_second": 10.0, "p95_milliseconds": 20.0}
    point, bounds = first_point(sweep, figures, summary=summary)
    price = not_none(point.price_per_hour)
    assert point.cost_per_million_requests == pytest.approx(price * 1e6 / 36000, rel=0.001)
    assert bounds == pytest.approx((1 / 1.25, 1 / 0.8), rel=0.001)
    assert point.holding is None


def test_the_cost_at_a_capacity_has_the_interval_of_the_search() -> None:
    prices = PRICES | {"perCoreHour": 0.0}
    given: Changes = {"spec.prices": prices, "spec.objective": {"metric": "Capacity"}}
    sweep = parse_sweep(given, {"spec.load.capacity": {}, "spec.objectives": [FAST]})
    step, search = Interval(lower=99, upper=101), Interval(lower=240, upper=375)
    summary = Summary(requests_per_second=100, requests_per_second_interval=step)
    word = CapacityConclusion.FOUND
    capacity = CapacityResult(conclusion=word, message="", requests_per_second_interval=search)
    _, bounds = first_point(sweep, {"value": 300.0}, summary=summary, capacity=[capacity])
    assert bounds == pytest.approx((1 / 1.25, 1 / 0.8), rel=0.001)


def with_prices(report: SweepReport, *prices: float) -> SweepReport:
    spec = parse_sweep({"spec.prices": PRICES}).spec.model_copy(update={"axes": report.spec.axes})
    points = [
        each.model_copy(update={"price_per_hour": price})
        for each, price in zip(report.points, prices, strict=False)
    ]
    return report.model_copy(update={"spec": spec, "points": points})


def test_the_objective_stands_against_the_price_in_any_sweep_with_prices() -> None:
    # P95: 40, failed, 32, 22.4, 25.6 and 17.9 ms.
    report = with_prices(full_report(), 0.1, 0.1, 0.2, 0.3, 0.4, 0.4)
    figure = not_none(frontier_figure(report))
    series: Any = figure.option["series"]
    (dots,) = [each["data"] for each in series if each["type"] == "line" and "step" not in each]
    assert len(dots) == 5
    (steps,) = [each["data"] for each in series if "step" in each]
    # The last one, of 17.9 ms, is Invalid.
    assert [price for price, _ in steps] == [0.1, 0.2, 0.3]
    assert [value for _, value in steps] == pytest.approx([40, 32, 22.4], abs=0.01)
    # The failed point has no interval.
    (bars,) = [each["data"] for each in series if each["type"] == "custom"]
    assert len(bars) == 5
    assert figure.title == "P95 by price"
    assert "P95 of the last step" in costs_table(report).head


def test_points_of_one_price_are_not_drawn() -> None:
    assert frontier_figure(with_prices(full_report(), *[0.1] * 6)) is None


def test_metrics_have_price_and_cost_with_its_bounds() -> None:
    # Results of what ended long ago are not shown.
    status = run(SEARCH, RATES).model_copy(update={"completion_time": None})
    sweep = parse_sweep(SEARCH).model_copy(update={"status": status})
    store = SweepStore()
    store.update(sweep, make_plan(sweep))
    families = {family.name: family.samples for family in store.collect()}
    prices = families["solrbench_sweep_point_price_per_hour"]
    assert len(prices) == 4
    assert {each.labels["currency"] for each in prices} == {"EUR"}
    costs = families["solrbench_sweep_point_cost_per_million_requests"]
    bounds = [each.labels["bound"] for each in costs]
    assert sorted(bounds) == sorted(["estimate", "lower", "upper"] * 3)
    states = {e.labels["state"]: e.value for e in families["solrbench_sweep_points"]}
    assert states["NotMeasured"] == 1
    assert states["Planned"] == 0
