"""The cheapest topology that holds a load: which points are measured, and what is said."""

import math
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from solrbench.api.v1alpha1.sweep import (
    SizingConclusion,
    SolrBenchmarkSweep,
    SweepPoint,
    SweepStatus,
)
from solrbench.api.v1alpha1.sweep_objective import Demand
from solrbench.sweep.costs import pair_points, point_costs
from solrbench.sweep.decision import SweepDecision, decide_sweep
from solrbench.sweep.plan import make_plan
from solrbench.sweep.sizing import read_headroom
from solrbench.sweep.sizing_answers import count_rounds
from solrbench.sweep.state import ChildView
from support.narrowing import not_none
from support.repository import ROOT
from support.resources.small_resource import Changes
from support.resources.small_sizing import (
    DOCUMENTS,
    NODES,
    PRICES,
    RATE,
    REPEATS,
    SEARCH,
    STEP,
    found,
    invalid,
    measured,
    run,
    taken,
    with_capacity,
    with_objectives,
)
from support.resources.small_sweep import DONE, again, observe, parse_sweep, run_to_end, running
from support.results.measured_points import valid_point

SIZES = {"name": "size", "field": "dataset.generator.documents", "values": [1000, 2000]}


def rounds(status: SweepStatus) -> list[int]:
    """Return how many rounds each point took, from cheap to dear."""
    return [point.rounds or 0 for point in status.points]


def words_of(page: str) -> str:
    return " ".join((ROOT / page).read_text("utf-8").split())


def test_the_pages_say_what_the_example_says_of_what_was_measured() -> None:
    body = yaml.safe_load((ROOT / "examples/sizing.yaml").read_text("utf-8"))
    sweep = SolrBenchmarkSweep.parse(body)
    seen = replace(observe(RATE), sweep=sweep, plan=make_plan(sweep))
    p95 = {(0, 0): 31400.0, (0, 1): 2090.0, (0, 2): 11.8}
    status = run_to_end(seen, lambda point: measured(p95[point.values[0], point.values[1]]))
    for page in ("README.md", "docs/sizing.md"):
        assert status.sizing[0].message in words_of(page), page


def test_the_cheapest_that_holds_is_named_and_dearer_ones_are_not_begun() -> None:
    status = run(SEARCH, {0: 150, 1: 260, 2: 340, 3: 500})
    (result,) = status.sizing
    assert result.conclusion is SizingConclusion.FOUND
    assert result.message == status.answers[0]
    assert result.message in words_of("docs/sizing.md")
    *_, third, fourth = status.points
    assert result.point == third.name
    left = fourth.state, fourth.reason, fourth.rounds
    assert left == ("NotMeasured", "DearerThanCheapest", None)
    (best,) = status.best
    assert (best.name, best.price_per_hour) == (result.point, result.price_per_hour)
    assert (status.phase, status.counts.text) == ("Succeeded", "4/4")
    assert status.estimate.remaining_seconds == 0


def test_figures_of_an_invalid_round_are_left_out_once_another_is_valid() -> None:
    def end(point: SweepPoint) -> ChildView:
        milliseconds = 100.0 if point.rounds else 5000.0
        child = measured(milliseconds)
        child = child if point.rounds else invalid(child, "WorkerSaturated")
        repeats = [{"target": 1, "requestsPerSecond": 300.0, "p95Milliseconds": milliseconds}]
        summary = {"p95Milliseconds": milliseconds, "requestsPerSecond": 300.0, "repeats": repeats}
        return replace(child, summary=summary | {"verdict": "Valid" if point.rounds else "Invalid"})

    cheapest = run_to_end(observe(RATE), end).points[0]
    assert (cheapest.state, cheapest.rounds, cheapest.repeat_rounds) == ("Valid", 3, [2, 3])
    assert cheapest.p95_milliseconds == 100
    assert len(cheapest.headrooms or []) == 2


def test_one_benchmark_of_a_sizing_is_one() -> None:
    seen = observe(SEARCH)
    first, *others = (valid_point(each.point, rounds=None) for each in seen.plan.points)
    points = [first.model_copy(update={"rounds": 1}), *others]
    assert count_rounds(seen.sweep.spec, points) == (
        "1 benchmark of at most 24 was run, of 1 of 4 points."
    )


def test_what_is_far_below_its_load_is_measured_once() -> None:
    status = run(SEARCH, {0: 100, 1: 180, 2: 400, 3: 500})
    assert rounds(status)[0] == 1
    assert rounds(status)[2] >= 2  # nothing holds by one round
    assert rounds(status)[3] == 0


def test_a_dearer_point_may_hold_less() -> None:
    """Nothing is monotone: 2 nodes hold less than one, and 4 less than 3."""
    status = run(SEARCH, {0: 280, 1: 150, 2: 400, 3: 120})
    assert status.sizing[0].point == status.points[2].name


def test_points_that_may_hold_it_are_named_as_uncertain() -> None:
    status = run(SEARCH, {0: 150, 1: 300, 2: 400, 3: 500})
    (result,) = status.sizing
    assert result.conclusion is SizingConclusion.INCONCLUSIVE
    assert result.point == status.points[2].name
    assert "Cheaper and uncertain: nodes 2, 300 requests/s" in result.message
    assert rounds(status)[1] == REPEATS["max"]


def test_beyond_what_was_measured_nothing_is_said_but_what_to_measure() -> None:
    status = run(SEARCH, {0: 100, 1: 150, 2: 190, 3: 240})
    (result,) = status.sizing
    assert (result.conclusion, result.point) == (SizingConclusion.NOT_HELD, None)
    assert "The nearest is nodes 4," in result.message
    assert "measure nodes beyond 4" in result.message
    assert status.best == []


def test_a_point_that_fails_is_not_taken_to_miss() -> None:
    status = run(SEARCH, {0: 0, 1: 260, 2: 340, 3: 500})
    (result,) = status.sizing
    assert result.conclusion is SizingConclusion.INCONCLUSIVE
    assert "Not known, as nothing valid was measured: nodes 1, OOMKilled." in result.message


def test_nothing_is_concluded_from_one_round() -> None:
    seen = observe(SEARCH)
    decision = decide_sweep(seen)
    cheapest = decision.status.points[0]
    assert running(decision.status) == [cheapest]  # it goes first
    (result,) = decide_sweep(again(seen, decision, {cheapest.name: found(900)})).status.sizing
    assert (result.conclusion, result.point) == (SizingConclusion.MEASURING, None)
    assert "One round alone shows nothing." in result.message
    assert "It may be held by nodes 1, 900 requests/s in one round." in result.message
    (far,) = decide_sweep(again(seen, decision, {cheapest.name: found(90)})).status.sizing
    assert "Far below it in one round: nodes 1, 90 requests/s in one round." in far.message
    assert "may be held" not in far.message
    assert far.message.endswith("in one round. At most 6 rounds are run of each.")
    load = {"steps": [STEP], "repeats": {"count": 2}}
    seen = observe(RATE | {"spec.template.spec.load": load})
    decision = decide_sweep(seen)
    done = {each.name: measured(150) for each in running(decision.status)}
    (result,) = decide_sweep(again(seen, decision, done)).status.sizing
    assert result.message.endswith(" At most 3 rounds are run of each.")


def test_a_given_rate_is_held_where_all_objectives_are_met() -> None:
    status = run(RATE, {0: 900, 1: 260, 2: 120, 3: 60}, measured)
    (result,) = status.sizing
    assert result.point == status.points[2].name
    assert "nodes 2, 131 % of its limit (95 % confidence interval" in result.message


def test_where_a_least_is_asked_it_is_said_how_much_of_it_there_is() -> None:
    goodput = {"minRequestsPerSecond": 300, "withinMilliseconds": 200}
    asked: Changes = {"spec.template.spec.objectives": [{"name": "good", "goodput": goodput}]}

    def end(rate: float) -> ChildView:
        fields = {"name": "good", "step": "given", "limit": 300, "unit": "requests/s"}
        return with_objectives([fields | {"value": rate, "conclusion": "Met"}])

    status = run(RATE | asked, {0: 100, 1: 240, 2: 330, 3: 400}, end)
    (result,) = status.sizing
    assert result.point == status.points[2].name
    assert "nodes 2, 0.80" in result.message
    assert " times what the objectives ask (95 % confidence interval 0." in result.message


def test_points_that_are_all_far_from_their_limit_need_no_variance() -> None:
    status = run(RATE, {0: 9000, 1: 9000, 2: 1, 3: 1}, measured)
    assert rounds(status) == [1, 1, 2, 0]
    (result,) = status.sizing
    assert result.point == status.points[2].name
    assert ", 25 % of its limit or less in 2 rounds. It is not" in result.message
    # Of those as far from it, the dearest is taken for the nearest.
    assert "the nearest of 2 cheaper ones: nodes 2, 400 % of its limit or more" in result.message


def test_searches_that_are_inconclusive_far_above_the_load_hold_it() -> None:
    """Of runs that differ by 5 %, half of all searches are inconclusive; what is plain is plain."""
    far = {
        "conclusion": "Inconclusive",
        "highestMetRequestsPerSecond": 690,
        "lowestMissedRequestsPerSecond": 620,
    }
    status = run_to_end(observe(SEARCH), lambda _: with_capacity(far))
    (result,) = status.sizing
    assert (result.conclusion, result.point) == (SizingConclusion.FOUND, status.points[0].name)
    beyond = {"highestMetRequestsPerSecond": 690}  # no trial was fast enough to miss
    assert read_headroom(Demand(300), with_capacity(beyond)) == 2.3
    # Trials are short: a target that is slower after minutes meets more in them than it holds.
    near = far | {"lowestMissedRequestsPerSecond": 420}
    assert read_headroom(Demand(300), with_capacity(near)) is None
    slower = far | {"confirmations": [{"excess": -0.5}, {"excess": 0.6}]}
    assert read_headroom(Demand(300), with_capacity(slower)) is None


def test_a_point_is_not_given_up_after_two_searches_without_a_result() -> None:
    near = {"lowestMissedRequestsPerSecond": 310, "highestMetRequestsPerSecond": 340}

    def end(point: SweepPoint) -> ChildView:
        is_lucky = point.values[0] > 0 and (point.rounds or 0) >= 3
        return found(330 + (point.rounds or 0)) if is_lucky else with_capacity(near)

    status = run_to_end(observe(SEARCH), end)
    (result,) = status.sizing
    assert rounds(status) == [5, 5, 0, 0]
    assert result.point == status.points[1].name
    unknown = "Not known, as nothing valid was measured: nodes 1. See status.capacity of its"
    assert unknown in result.message


def test_each_condition_has_an_answer_and_a_best_point() -> None:
    changes = SEARCH | {"spec.axes": [NODES, SIZES], "spec.design": "Full"}
    status = run(changes, {0: 150, 1: 260, 2: 340, 3: 500})
    assert [each.condition for each in status.sizing] == ["size 1000", "size 2000"]
    assert all(each.message.startswith(f"{each.condition}: The") for each in status.sizing)
    assert [each.condition for each in status.best] == ["size 1000", "size 2000"]
    assert [each.name for each in status.best] == [each.point for each in status.sizing]


def test_with_several_places_the_cheapest_points_begin_together() -> None:
    seen = observe(SEARCH | {"spec.parallelism": 3}, concurrency=2)
    decision = decide_sweep(seen)
    assert [each.state for each in decision.status.points] == ["Running"] * 2 + ["Planned"] * 2
    assert len(decision.applied) == 2
    # Whatever is looked at again while nothing has ended stays as it is.
    busy = replace(found(0), is_finished=False, progress_percent=0)
    two = {each.name: busy for each in running(decision.status)}
    assert decide_sweep(again(seen, decision, two)).status == decision.status
    name = decision.status.points[1].name
    after = decide_sweep(again(seen, decision, two | {name: found(600)})).status
    assert [each.state for each in after.points] == ["Running"] * 2 + ["Planned"] * 2
    assert after.points[1].rounds == 1


def test_a_suspended_sizing_is_not_over() -> None:
    seen = observe(SEARCH)
    decision = decide_sweep(seen)
    name = decision.status.points[0].name
    seen = again(seen, decision, {name: found(290)})
    spec = seen.sweep.spec.model_copy(update={"suspend": True})
    seen = replace(seen, sweep=seen.sweep.model_copy(update={"spec": spec}))
    status = decide_sweep(seen).status
    assert status.phase == "Suspended"
    assert status.points[0].state == "Planned"


def test_a_sizing_that_stops_after_a_failure_keeps_what_was_measured() -> None:
    seen = observe(SEARCH | {"spec.parallelism": 2, "spec.failFast": True}, concurrency=2)
    decision = decide_sweep(seen)
    measured, failed = (each.name for each in decision.status.points[:2])
    lost = replace(DONE, has_succeeded=False, reason="DeadlineExceeded")
    status = decide_sweep(again(seen, decision, {measured: found(290), failed: lost})).status
    assert status.phase == "Failed"
    assert [each.state for each in status.points] == ["Valid", "Failed", "Planned", "Planned"]
    (result,) = status.sizing
    assert result.conclusion is SizingConclusion.INCONCLUSIVE
    assert result.message.startswith("None of 4 topologies certainly holds 300 requests/s")


def test_points_that_are_added_are_measured_if_they_may_be_the_cheapest() -> None:
    status = run(SEARCH, {0: 150, 1: 260, 2: 340, 3: 500})
    nodes = NODES | {"values": [1, 2, 3, 4, 5]}
    seen = observe(SEARCH | {"spec.axes": [nodes]})
    decided = decide_sweep(again(seen, SweepDecision(status), {})).status
    assert [each.state for each in decided.points][3:] == ["NotMeasured"] * 2
    assert decided.phase == "Succeeded"


def test_other_prices_need_no_other_rounds_of_what_is_known() -> None:
    status = run(SEARCH, {0: 150, 1: 260, 2: 340, 3: 500})
    seen = observe(SEARCH | {"spec.prices": PRICES | {"perCoreHour": 0.4}})
    decided = decide_sweep(again(seen, SweepDecision(status), {})).status
    (before,), (after,) = status.sizing, decided.sizing
    assert decided.phase == "Succeeded"
    assert after.point == before.point
    assert not_none(after.price_per_hour) > 5 * not_none(before.price_per_hour)


@given(
    st.lists(st.floats(80, 900), min_size=4, max_size=4),
    st.lists(st.floats(0.97, 1.03), min_size=6, max_size=6),
)
def test_whatever_is_found_the_named_point_holds_and_rounds_are_bounded(
    truths: list[float], noise: list[float]
) -> None:
    def end(point: SweepPoint) -> ChildView:
        return found(truths[point.values[0]] * noise[(point.rounds or 0) % 6])

    status = run_to_end(observe(SEARCH), end)
    assert max(rounds(status)) <= REPEATS["max"]
    (result,) = status.sizing
    if result.point is not None:
        named = next(each for each in status.points if each.name == result.point)
        assert len(named.headrooms or []) >= 2
        assert math.prod(named.headrooms or []) > 1
        place = status.points.index(named)
        assert all(each.rounds for each in status.points[:place])  # each cheaper one was measured


def test_the_cheapest_that_takes_a_rate_of_documents_is_named() -> None:
    status = run(DOCUMENTS, {0: 2500, 1: 4300, 2: 5700, 3: 8300}, taken)
    (result,) = status.sizing
    assert result.conclusion is SizingConclusion.FOUND
    assert result.message.startswith(
        "The cheapest of 4 topologies that takes 5000 documents/s with p95 of update ≤ 500 ms:"
        " nodes 3, 0.131 EUR/h, 57"
    )
    assert "It is not taken by the nearest of 2 cheaper ones: nodes 2, 43" in result.message
    assert result.message in words_of("docs/sizing.md")
    assert status.points[3].state == "NotMeasured"
    pairs = pair_points(make_plan(sweep := parse_sweep(DOCUMENTS)).points, status.points)
    costs = point_costs(sweep.spec, pairs)
    # A million updates are no million requests.
    assert {(each.requests, each.bounds) for each in costs.values()} == {(None, None)}
    assert costs[status.points[2].name].sized is not None


@pytest.mark.parametrize(
    ("rate", "begin"), [(200, "No topology holds 300 "), (400, "The topology that holds 300 ")]
)
def test_of_a_single_topology_none_is_the_cheapest(rate: float, begin: str) -> None:
    (result,) = run(SEARCH | {"spec.axes": [NODES | {"values": [2]}]}, {0: rate}).sizing
    assert result.message.startswith(begin)


def test_what_no_point_takes_is_said_of_documents() -> None:
    (result,) = run(DOCUMENTS, {0: 1500, 1: 2500, 2: 3100, 3: 4000}, taken).sizing
    assert result.message.startswith("None of 4 topologies takes 5000 documents/s with")
    (result,) = run(DOCUMENTS, {0: 1500, 1: 2500, 2: 3100, 3: 5000}, taken).sizing
    assert result.message.startswith("None of 4 topologies certainly takes 5000 documents/s")
    assert "It may be taken by nodes 4, " in result.message


def test_the_status_of_a_sizing_of_100_points_is_small() -> None:
    sizes = SIZES | {"values": [*range(1000, 1025)]}
    rounds = REPEATS | {"max": 20}
    changes = SEARCH | {"spec.axes": [NODES, sizes], "spec.design": "Full", "spec.repeats": rounds}
    seen = observe(changes)
    points = [
        valid_point(
            each.point,
            requests_per_second=300.1,
            p95_milliseconds=123.4,
            failed_percent=0.001,
            headrooms=[round(value * 1.2345, 4) for value in (0.81, 0.8, 0.82, 0.8)] * 5,
            repeat_values=[123.4] * 20,
            repeat_rounds=[*range(1, 21)],
            rounds=20,
            repeats=20,
        )
        for each in seen.plan.points
    ]
    status = decide_sweep(again(seen, SweepDecision(SweepStatus(points=points)), {})).status
    assert (status.phase, len(status.sizing)) == ("Succeeded", 25)
    assert {each.rounds for each in status.points} == {20}
    assert len(status.model_dump_json(by_alias=True, exclude_none=True)) < 120_000
