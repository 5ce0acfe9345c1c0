from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from solrbench.api.v1alpha1.sweep import MAX_BEST, SweepPoint, SweepStatus
from solrbench.sweep.decision import SweepDecision, decide_expiry, decide_sweep
from solrbench.sweep.state import ChildView
from solrbench.sweep.target_reuse import find_idle
from support.resources.small_resource import Changes
from support.resources.small_sweep import (
    CACHES,
    DONE,
    HEAP,
    NOW,
    SUMMARY,
    again,
    observe,
    parse_sweep,
    plan,
    run_to_end,
    users_axis,
)

RUNNING = replace(DONE, is_finished=False, has_succeeded=False, progress_percent=50)


def test_as_many_points_begin_as_sweep_and_installer_allow() -> None:
    changes = {"spec.axes": [users_axis(5)], "spec.parallelism": 3}
    assert len(decide_sweep(observe(changes, concurrency=9)).applied) == 3
    assert len(decide_sweep(observe(changes, concurrency=2)).applied) == 2
    assert decide_sweep(observe(changes | {"spec.suspend": True})).applied == ()


def test_a_benchmark_under_way_is_not_applied_again_unless_it_is_to_change() -> None:
    seen = observe({})
    decision = decide_sweep(seen)
    (point,) = decision.applied
    same = again(seen, decision, {point.name: RUNNING})
    assert decide_sweep(same).applied == ()
    assert decide_sweep(replace(same, children={})).applied == (point,)
    other = again(seen, decision, {point.name: replace(RUNNING, cleanup="Never")})
    assert decide_sweep(other).applied == (point,)


def test_a_finished_point_keeps_its_figures_when_its_benchmark_is_gone() -> None:
    seen = observe({"spec.axes": [users_axis(2)]})
    first = decide_sweep(seen)
    name = first.applied[0].name
    ended = again(seen, first, {name: DONE})
    second = decide_sweep(ended)
    assert [each.name for each in second.applied] != [name]
    third = decide_sweep(again(ended, second, {}))
    point = third.status.points[0]
    assert (point.requests_per_second, point.p95_milliseconds) == (123.5, 7.778)
    assert third.status.best == []  # of one point nothing is to be chosen


def test_time_left_counts_what_points_took_beside_their_steps() -> None:
    seen = observe({"spec.axes": [users_axis(3)]})
    first = decide_sweep(seen)
    assert first.status.estimate.remaining_seconds == 3 * (10 + 10)  # and as long a warm-up
    name = first.applied[0].name
    second = decide_sweep(again(seen, first, {name: DONE}))
    assert second.status.finished_seconds == 50
    assert second.status.estimate.remaining_seconds == 2 * (20 + 50)


def test_time_left_counts_points_that_begin_their_next_round_at_once() -> None:
    rounds = {"spec.repeats": {"min": 3, "max": 3}, "spec.startOn": "FreshTarget"}
    seen = observe({"spec.axes": [users_axis(2)], "spec.parallelism": 2} | rounds, concurrency=2)
    first = decide_sweep(seen)
    second = decide_sweep(again(seen, first, {each.name: DONE for each in first.applied}))
    assert [(each.state, each.rounds) for each in second.status.points] == [("Running", 1)] * 2
    assert second.status.finished_seconds == 2 * 50
    assert second.status.estimate.remaining_seconds == 4 * (20 + 50)


def test_progress_counts_the_points_under_way() -> None:
    seen = observe({"spec.axes": [users_axis(2)]})
    first = decide_sweep(seen)
    second = decide_sweep(again(seen, first, {first.applied[0].name: RUNNING}))
    assert second.status.progress_percent == 25


def test_a_sweep_that_waits_for_a_target_to_go_has_nothing_under_way() -> None:
    heaps = HEAP | {"values": ["512Mi", "1Gi"]}
    seen = observe({"spec.axes": [heaps, CACHES], "spec.design": "Full"})
    decisions = [decide_sweep(seen)]
    for _ in range(2):
        children = {each.name: DONE for each in decisions[-1].applied}
        decisions.append(decide_sweep(again(seen, decisions[-1], children)))
    first, _, last = (
        next(each.message for each in made.status.conditions if each.type == "Succeeded")
        for made in decisions
    )
    assert first.endswith(" under way, 3 points to come")
    status = decisions[-1].status
    assert (last, len(find_idle(status.points, status.targets))) == ("2 points to come", 1)


def test_the_best_point_is_valid_and_costs_least_of_equal_ones() -> None:
    seen = observe({"spec.parallelism": 4, "spec.objective.metric": "RequestsPerSecond"})
    first = decide_sweep(replace(seen, concurrency=4))
    names = [each.name for each in first.applied]
    invalid = replace(DONE, summary=SUMMARY | {"requestsPerSecond": 999.0, "verdict": "Invalid"})
    children = dict.fromkeys(names, DONE) | {names[1]: invalid}
    done = decide_sweep(again(seen, first, children))
    assert done.status.counts.invalid == 1
    (best,) = done.status.best
    assert best.name == names[0]
    assert best.memory_bytes == (512 + 256) * 2**20 * 5 // 4


def test_prices_that_are_set_later_are_those_of_the_best_point() -> None:
    status = run_to_end(observe({}), lambda _: DONE)
    assert [each.price_per_hour for each in status.best] == [None]
    prices = {"currency": "EUR", "perMemoryGibibyteHour": 0.005}
    seen = again(observe({"spec.prices": prices}), SweepDecision(status), {})
    metadata = seen.sweep.metadata.model_copy(update={"generation": 2})
    sweep = seen.sweep.model_copy(update={"metadata": metadata})
    (best,) = decide_sweep(replace(seen, sweep=sweep)).status.best
    assert best.price_per_hour


HEAPS = [f"{size}Mi" for size in range(512, 832, 16)]
USERS = {"name": "users", "field": "load.steps[0].users", "values": [*range(1, 26)]}


def end_of_500_points(
    axis: dict[str, Any], end: Callable[[], ChildView], max_bytes: int
) -> SweepStatus:
    """Return the status of 25 loads with 20 values of an axis, which must be small."""
    changes = {"spec.axes": [axis, USERS], "spec.design": "Full", "spec.maxPoints": 500}
    seen = observe(changes)
    children = {each.point.name: end() for each in seen.plan.points}
    running = [SweepPoint(name=each, values=[0, 0], state="Running") for each in children]
    begun = SweepDecision(SweepStatus(points=running))
    status = decide_sweep(again(seen, begun, children)).status
    assert status.counts.succeeded == 500
    assert len(status.model_dump_json(by_alias=True, exclude_none=True)) < max_bytes
    return status


@pytest.mark.slow
def test_the_status_of_500_points_is_small() -> None:
    documents = {"field": "dataset.generator.documents", "values": [*range(1, 21)]}
    summary = {"requestsPerSecond": 12345.6, "p95Milliseconds": 1234.56, "failedPercent": 12.345}
    child = replace(DONE, summary=summary | {"verdict": "Invalid"}, reuses="Index")
    end_of_500_points({"name": "documents"} | documents, lambda: child, 100_000)


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_the_status_of_500_points_in_25_conditions_is_small() -> None:
    draw = Random(1)

    def end() -> ChildView:
        repeats = [
            {"target": 1, "requestsPerSecond": 123.4, "p95Milliseconds": draw.gauss(123, 3)}
            for _ in range(5)
        ]
        found = SUMMARY | {"verdict": "Valid", "repeats": repeats}
        return replace(DONE, summary=found, reuses="Index")

    heaps = {"name": "heap", "field": "target.solrCloud.heap", "values": HEAPS}
    assert len(end_of_500_points(heaps, end, 120_000).best) == MAX_BEST


def test_a_sweep_lives_for_its_time() -> None:
    sweep = parse_sweep({"spec.ttlSecondsAfterFinished": 60})
    assert decide_expiry(sweep, NOW) is None
    ended = sweep.model_copy(update={"status": SweepStatus(completion_time=NOW)})
    assert decide_expiry(ended, NOW) == timedelta(seconds=60)
    assert decide_expiry(ended, NOW + timedelta(seconds=90)) == timedelta()


def test_points_that_are_admitted_keep_to_the_rules_of_their_time() -> None:
    heaps = {"name": "heap", "field": "target.solrCloud.heap", "values": ["512Mi", "1Gi"]}
    # The template breaks a rule, the objective a check, as those of a later version may do.
    later: Changes = {"spec.axes": [heaps], "spec.objective": {"metric": "ReadsPerRequest"}}
    template: Changes = {"spec.target.solrCloud.resources": {"limits": {"memory": "600Mi"}}}
    names = [each.point.name for each in plan({"spec.axes": [heaps]}).points]
    status = {"points": [{"name": name, "state": "Planned", "values": []} for name in names]}
    assert "resources.limits.memory" in plan(later | {"status": status}, template).problems[0]
    admitted = {"status": status | {"fixedHash": "h"}}
    assert plan(later | admitted, template).problems == ()
    more: Changes = {"spec.axes": [heaps | {"values": ["512Mi", "1Gi", "2Gi"]}]}
    (problem,) = plan(later | admitted | more, template).problems
    assert problem.startswith("point heap 2Gi: spec.target.solrCloud: resources.limits.memory")


def test_points_keep_their_names_when_a_value_needs_shorter_ones() -> None:
    mode = "target.solrCloud.zookeeper.mode"
    zookeeper = {"name": "zookeeper", "field": mode, "values": ["Ensemble"]}
    axes = [users_axis(2), zookeeper]
    changes: Changes = {"spec.axes": axes, "metadata.name": "trial-of-keepers"}
    names = [each.point.name for each in plan(changes).points]
    status = {"points": [{"name": name, "state": "Valid", "values": []} for name in names]}
    more = zookeeper | {"values": ["Ensemble", "Provided"]}
    later = changes | {"spec.axes": [users_axis(2), more]}
    assert not {*names} <= {each.point.name for each in plan(later).points}
    found = plan(later | {"status": status})
    assert found.problems == ()
    assert {*names} < {each.point.name for each in found.points}


def test_points_that_end_while_a_sweep_is_held_are_answered_afterwards() -> None:
    seen = observe({"spec.axes": [users_axis(2)]})
    first = decide_sweep(seen)
    second_seen = again(seen, first, {first.applied[0].name: DONE})
    second = decide_sweep(second_seen)
    held_seen = again(second_seen, second, {second.applied[0].name: DONE})
    held = decide_sweep(replace(held_seen, plan=replace(seen.plan, fixed_hash="another")))
    assert [each.state for each in held.status.points] == ["Valid", "Valid"]
    assert held.status.answers == []
    done = decide_sweep(again(held_seen, held, {}))
    assert done.status.points[1].conclusion == "Same"
    assert done.status.answers[0].startswith("users 2: the p95 is the same as with 1")
