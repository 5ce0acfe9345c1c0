from itertools import islice
from typing import Any

import pytest

from solrbench.api.v1alpha1.arrivals import WarmUp
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.workload import Workload
from solrbench.contract.load_plan import LoadPlan, PlannedStepRun
from solrbench.load.schedule.messages import (
    Assignment,
    Start,
    longest_drain_seconds,
    step_assignment,
    warm_up_assignment,
)
from support.load.builders import assignment, duty, plan_of, workload
from support.narrowing import not_none

CASES = [(1, 1, 1), (1, 1, 10), (3, 2, 10), (7, 3, 100), (10, 4, 3), (100, 7, 1001), (2, 4, 5)]


def parts(users: int, workers: int, requests: int) -> list[Assignment]:
    return [
        assignment(users=users, requests=requests, worker=worker, workers=workers)
        for worker in range(workers)
    ]


@pytest.mark.parametrize(("users", "workers", "requests"), CASES)
def test_shares_add_up(users: int, workers: int, requests: int) -> None:
    each = parts(users, workers, requests)
    assert sum(part.worker_users for part in each) == users
    assert sum(part.worker_requests or 0 for part in each) == requests
    assert max(p.worker_users for p in each) - min(p.worker_users for p in each) <= 1


@pytest.mark.parametrize(("users", "workers", "requests"), CASES)
def test_request_numbers_of_all_workers_are_complete_and_distinct(
    users: int, workers: int, requests: int
) -> None:
    slots = [
        slot
        for part in parts(users, workers, requests)
        for slot in islice(part.request_numbers(), part.worker_requests)
    ]
    assert sorted(slots) == list(range(requests))


def plan(*steps: Step, warm_up: WarmUp | None = None) -> LoadPlan:
    step_runs = [PlannedStepRun(id=f"r1-s0-{s.name}", repeat=1, step=s) for s in steps]
    return plan_of(workload(), warmUp=warm_up, workers=3, stepRuns=step_runs)


@pytest.mark.parametrize(
    ("fields", "start"),
    [
        ({"requests": 5}, Start.BARRIER),
        ({"duration_seconds": 5}, Start.BARRIER),
        ({"requests": 5, "spawn_rate": 2}, Start.IMMEDIATE),
        ({"duration_seconds": 5, "spawn_rate": 2}, Start.RAMP),
    ],
)
def test_start_depends_on_rate_and_length(fields: dict[str, int], start: Start) -> None:
    whole = plan(Step(name="one", users=6, **fields))
    made = step_assignment(whole, whole.step_runs[0])
    assert made.start is start
    assert (made.key, made.step, made.users, made.workers) == ("r1-s0-one", "one", 6, 3)
    assert (made.requests, made.seconds) == (fields.get("requests"), fields.get("duration_seconds"))


def test_warm_up_has_the_variant_of_its_step_run() -> None:
    whole = plan(Step(name="one", users=6, requests=1), warm_up=WarmUp(duration_seconds=3))
    proxied = whole.step_runs[0].model_copy(update={"variant": "proxy"})
    step, warm_up = step_assignment(whole, proxied), not_none(warm_up_assignment(whole, proxied))
    assert (step.variant, warm_up.variant) == ("proxy", "proxy")
    assert (step.label, warm_up.label) == ("one (proxy)", "warm-up (proxy)")
    assert step_assignment(whole, whole.step_runs[0]).label == "one"


def test_warm_up_has_the_users_of_its_step_by_default() -> None:
    step = Step(name="one", users=6, requests=1)
    bare = plan(step, warm_up=WarmUp(duration_seconds=3))
    explicit = plan(step, warm_up=WarmUp(requests=9, users=2))
    none = plan(step)
    assert warm_up_assignment(none, none.step_runs[0]) is None
    first = not_none(warm_up_assignment(bare, bare.step_runs[0]))
    second = not_none(warm_up_assignment(explicit, explicit.step_runs[0]))
    assert (first.users, first.seconds, first.requests) == (6, 3, None)
    assert (second.users, second.seconds, second.requests) == (2, None, 9)
    assert first.key == "r1-s0-one/warm-up"
    assert first.start is Start.BARRIER


def test_planned_rate_has_one_user_for_each_worker() -> None:
    step = Step(name="one", requests_per_second=4, ramp_seconds=3, requests=10)
    whole = plan(step, warm_up=WarmUp(duration_seconds=3))
    planned = whole.step_runs[0].model_copy(update={"ramp_from_requests_per_second": 2.0})
    made, warm_up = step_assignment(whole, planned), not_none(warm_up_assignment(whole, planned))
    assert (made.users, made.worker_users, made.start) == (3, 1, Start.BARRIER)
    assert (not_none(made.open_loop).ramp_from, made.ramp_seconds) == (2.0, 3)
    assert (warm_up.users, warm_up.open_loop, warm_up.ramp_seconds) == (3, None, 0)


FILE = {"configMap": {"name": "q"}}
QUERIES = {"name": "plain", "queries": FILE}


def loan(*think_times: dict[str, Any]) -> dict[str, Any]:
    rest = [{"name": f"r{n}", "thinkTime": think} for n, think in enumerate(think_times)]
    return {"name": "loan", "transaction": {"requests": [{"name": "first"}, *rest]}}


@pytest.mark.parametrize(
    ("entries", "seconds"),
    [
        # One second to wait for a connection and one for the response, for each request.
        ([QUERIES], 2),
        ([QUERIES, loan({"constantMilliseconds": 20_000}, {"constantMilliseconds": 20_000})], 46),
        ([loan({"uniform": {"minMilliseconds": 1, "maxMilliseconds": 3000}})], 7),
        ([loan({"exponentialMeanMilliseconds": 1000})], pytest.approx(4 + 36.74, abs=0.01)),
    ],
)
def test_arrivals_are_carried_to_their_end(entries: list[dict[str, Any]], seconds: float) -> None:
    spec = Workload.model_validate({"mix": entries, "timeoutSeconds": 1})
    assert longest_drain_seconds(duty(requests_per_second=1, seconds=9), spec) == seconds


def test_users_end_with_the_request_under_way() -> None:
    spec = Workload.model_validate({"mix": [loan({"constantMilliseconds": 20_000})]})
    assert longest_drain_seconds(assignment(seconds=9), spec) == 60
