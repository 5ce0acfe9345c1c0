"""How often a load fits into what a round of a point held, and what rounds say together."""

from dataclasses import replace

import pytest

from solrbench.api.v1alpha1.sweep_objective import Demand
from solrbench.sweep.sizing import MAX_HEADROOM, MIN_HEADROOM, Holding, group_points, read_headroom
from support.narrowing import not_none
from support.resources.small_sizing import (
    RATE,
    found,
    invalid,
    measured,
    taken,
    with_capacity,
    with_objectives,
)
from support.resources.small_sweep import DONE, observe, parse_sweep
from support.results.measured_points import valid_point


@pytest.mark.parametrize(
    ("values", "others", "holding"),
    [
        ([55.3, 49, 35.4], [55, 140], Holding.HOLDS),  # the first one is all that varies
        ([55.3, 49], [55, 140], Holding.OPEN),
        ([55.3, 49, 35.4, 140], [55, 140], Holding.HOLDS),
        ([500, 30, 30], [55, 140], Holding.OPEN),
        ([1000, 30, 30], [55, 140], Holding.OPEN),
        ([1000], [55, 190], Holding.OPEN),  # as those of the other point vary so much
        ([1000], [55, 140], Holding.MISSES),
        ([700], [91.8, 54.5], Holding.OPEN),
        ([1000, 1100], [55, 190], Holding.MISSES),
    ],
)
def test_rounds_beyond_a_bound_count_beside_one_that_is_not(
    values: list[float], others: list[float], holding: Holding
) -> None:
    headrooms = ([min(max(200 / ms, 0.25), 4.0) for ms in each] for each in (values, others))
    pairs = [
        (planned, valid_point(planned.point, rounds=len(each), headrooms=each))
        for planned, each in zip(observe(RATE).plan.points, headrooms, strict=False)
    ]
    spec = parse_sweep(RATE).spec
    ((_, (sized, _)),) = group_points(spec, not_none(spec.rounds), pairs)
    assert sized.holding is holding
    assert (sized.interval is None) == (min(values) >= 1000)


def test_headroom_is_that_of_the_objective_nearest_to_its_limit() -> None:
    results = [
        {"value": 100, "limit": 200, "unit": "ms"},
        {"value": 0, "limit": 1, "unit": "%"},
        {"value": 330, "limit": 300, "unit": "requests/s"},
    ]
    assert read_headroom(None, with_objectives(results)) == 1.1
    assert read_headroom(None, with_objectives(results[1:2])) == MAX_HEADROOM
    assert read_headroom(None, with_objectives([{"limit": 1, "unit": "%"}])) is None
    for value, headroom in ((100, None), (400, 0.5)):
        child = with_objectives([{"value": value, "limit": 200, "unit": "ms"}])
        stopped = replace(child, status={**child.status, "notRun": [{"step": "faster"}]})
        assert read_headroom(None, stopped) == headroom
    unfound = {"limit": 2000, "unit": "ms", "conclusion": "Missed"}  # longer than is waited for
    assert read_headroom(None, with_objectives([results[0], unfound])) == MIN_HEADROOM
    assert read_headroom(None, DONE) is None
    assert read_headroom(Demand(300), with_capacity({"conclusion": "Inconclusive"})) is None
    far, near = ({"lowestMissedRequestsPerSecond": each} for each in (150, 290))
    assert read_headroom(Demand(300), with_capacity(far)) == 0.5
    assert read_headroom(Demand(300), with_capacity(near)) is None
    for excess, disturbed, headroom in ((0.6, True, None), (-0.5, True, 0.5), (0.6, False, 0.5)):
        trials = {"trials": [{"excess": excess, "disturbed": disturbed}]}
        assert read_headroom(Demand(300), with_capacity(far | trials)) == headroom
    # A cold target: trials met far above what the first ones missed.
    cold = {"lowestMissedRequestsPerSecond": 93, "highestMetRequestsPerSecond": 119}
    assert read_headroom(Demand(118), with_capacity(cold)) is None
    by_documents = Demand(5000, "documents/s")
    assert read_headroom(by_documents, taken(6000)) == 1.2
    assert read_headroom(by_documents, found(6000)) is None
    lost = {"lowestMissedRequestsPerSecond": 25, "lowestMissedDocumentsPerSecond": 2500}
    assert read_headroom(by_documents, with_capacity(lost)) == 0.5


def test_an_invalid_round_counts_only_if_the_target_is_overloaded() -> None:
    slow, fast = measured(900), measured(100)
    assert read_headroom(None, invalid(slow, "RequestsDropped")) == MIN_HEADROOM
    # Those that time out are late, too; those that are refused at once say nothing of the rate.
    assert read_headroom(None, invalid(slow, "RequestsFailed")) == MIN_HEADROOM
    refused = with_objectives([{"value": 50, "limit": 1, "unit": "%"}])
    assert read_headroom(None, invalid(refused, "RequestsFailed")) is None
    assert read_headroom(None, invalid(slow, "RequestsLate")) is None
    assert read_headroom(None, invalid(fast, "RequestsDropped")) is None
    assert read_headroom(None, invalid(slow, "RequestsDropped", "WorkerSaturated")) is None
