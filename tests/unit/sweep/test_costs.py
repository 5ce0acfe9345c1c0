"""What a point costs an hour, and what a million requests cost there."""

from typing import Any

import pytest

from solrbench.api.v1alpha1.prices import Prices
from solrbench.sweep.costs import pair_points, point_costs
from solrbench.sweep.plan import make_plan
from solrbench.sweep.requirements import PodGroup, find_price
from support.narrowing import not_none
from support.resources.small_sizing import FAST, NODES, PRICES, SEARCH, run
from support.resources.small_sweep import parse_sweep
from support.results.measured_points import valid_point


def test_price_counts_solr_and_zookeeper_with_their_volumes() -> None:
    gib = 2**30
    pods = [
        PodGroup("zookeeper", 3, 0.5, gib, 0, "target"),
        PodGroup("solr", 2, 2.0, 4 * gib, 10 * gib, "target"),
        PodGroup("load-worker", 9, 4.0, 8 * gib, 0, "load"),
    ]
    disks = Prices(currency="EUR", per_disk_gibibyte_hour=0.001)
    prices = disks.model_copy(update={"per_core_hour": 0.1, "per_memory_gibibyte_hour": 0.01})
    price = 5.5 * 0.1 + 11 * 0.01 + 20 * 0.001
    assert find_price(prices, pods) == pytest.approx(price)
    assert find_price(prices, pods[2:]) is None
    assert find_price(None, pods) is None
    assert find_price(disks, pods) == pytest.approx(20 * 0.001)
    assert find_price(disks, pods[:1]) is None
    assert find_price(disks, [PodGroup("solr", 2, 2.0, 4 * gib, 0, "target")]) is None


def test_cost_of_requests_follows_the_interval_of_the_rate() -> None:
    status = run(SEARCH, {0: 150, 1: 260, 2: 340, 3: 500})
    sweep = parse_sweep(SEARCH)
    pairs = pair_points(make_plan(sweep).points, status.points)
    costs = point_costs(sweep.spec, pairs)
    cost = costs[not_none(status.sizing[0].point)]
    assert cost.requests == pytest.approx(cost.price * 1e6 / 3600 / 340, rel=0.02)
    lower, upper = not_none(cost.bounds)
    assert lower < not_none(cost.requests) < upper
    assert costs[status.points[3].name].requests is None


def test_what_holds_far_more_than_is_asked_has_no_cost_of_its_requests() -> None:
    status = run(SEARCH, {0: 9000, 1: 9000, 2: 9000, 3: 9000})
    sweep = parse_sweep(SEARCH)
    costs = point_costs(sweep.spec, pair_points(make_plan(sweep).points, status.points))
    cost = costs[not_none(status.sizing[0].point)]
    assert cost.price > 0
    assert (cost.requests, cost.bounds) == (None, None)


def test_a_rate_that_was_left_out_has_no_bounds_of_its_cost() -> None:
    resources = {"spec.template.spec.target.solrCloud.resources": {"requests": {"cpu": "1"}}}
    sweep = parse_sweep({"spec.axes": [NODES], "spec.prices": PRICES} | resources)
    planned = make_plan(sweep).points
    point = valid_point(planned[0].point, p95_milliseconds=40, requests_per_second=None)
    pairs = pair_points(planned, [point])
    (cost,) = point_costs(sweep.spec, pairs, {point.name: (3.3, 3.5)}).values()
    assert cost.price > 0
    assert (cost.requests, cost.bounds) == (None, None)


@pytest.mark.parametrize(
    ("capacity", "rate"), [({}, 340), ({"searchFor": "Users"}, None), ({"indexing": {}}, None)]
)
def test_cost_of_requests_is_that_at_the_capacity(
    capacity: dict[str, Any], rate: float | None
) -> None:
    sweep = parse_sweep(
        {
            "spec.axes": [NODES],
            "spec.prices": PRICES,
            "spec.template.spec.objectives": [FAST],
            "spec.template.spec.load": {"capacity": capacity},
            "spec.template.spec.target.solrCloud.resources": {"requests": {"cpu": "1"}},
        }
    )
    planned = make_plan(sweep).points
    # Of a search for users there is no rate, of one for documents that of updates.
    known = {"requests_per_second": 3.4} if "indexing" in capacity else {}
    point = valid_point(planned[0].point, value=340, repeat_values=[330, 340, 350], **known)
    rates = {point.name: (3.3, 3.5)} if known else {}
    (cost,) = point_costs(sweep.spec, pair_points(planned, [point]), rates).values()
    if rate is None:
        assert (cost.requests, cost.bounds) == (None, None)
    else:
        assert cost.requests == pytest.approx(cost.price * 1e6 / 3600 / rate, rel=0.01)
        lower, upper = not_none(cost.bounds)
        assert lower < not_none(cost.requests) < upper
