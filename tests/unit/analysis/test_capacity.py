"""From stored trials to the next step run, and from documents to trials."""

from typing import Any

import pytest

from solrbench.analysis.capacity import capacity_results, headline, next_trial, read_trial
from solrbench.analysis.samples import BenchmarkSamples, RunSamples
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.objectives import Capacity, Objective
from solrbench.contract.load_plan import CapacitySearch, StoredTrial
from solrbench.contract.step_document import StepRunResult
from support.narrowing import not_none
from support.results.builders import make_document, make_result, make_spec
from support.results.trials import NEAR, measured, probe, trial

FAST = Objective.model_validate({"name": "fast", "responseTime": {"maxMilliseconds": 200}})
GOOD = Objective.model_validate({"name": "good", "failures": {"maxPercent": 10}})


def search(*variants: str, **capacity: Any) -> CapacitySearch:
    return CapacitySearch(
        capacity=Capacity.model_validate(capacity),
        objectives=[FAST],
        variants=list(variants) or [""],
        workers=2,
        seed=1,
    )


def stored(number: int, rate: float, excess: float = -1.0, variant: str = "") -> StoredTrial:
    return StoredTrial(variant=variant, number=number, requests_per_second=rate, excess=excess)


def test_a_search_begins_with_a_probe_of_users() -> None:
    planned = not_none(next_trial(search(), []))
    assert (planned.id, planned.trial, planned.step.users) == ("capacity-t00", 0, 50)


def test_every_worker_has_a_user_of_the_probe() -> None:
    planned = not_none(next_trial(search(probeUsers=1), []))
    assert planned.step.users == 2


def test_a_trial_settles_at_its_own_rate() -> None:
    planned = not_none(next_trial(search(settleSeconds=7, trialSeconds=20), [stored(0, 200.0)]))
    step = planned.step
    assert (planned.id, planned.trial) == ("capacity-t01", 1)
    assert step.requests_per_second == pytest.approx(40.0)
    assert planned.ramp_from_requests_per_second == step.requests_per_second
    assert (step.ramp_seconds, step.duration_seconds) == (7, 20)


def users_trial(number: int, users: int, milliseconds: int) -> StepRunResult:
    """Return the document of a trial of users whose requests all took so long."""
    document = make_document("t", 1, make_result([1000 * milliseconds] * 100), seconds=10)
    return document.model_copy(
        update={"id": f"t{number}", "trial": number, "duration_seconds": 10, "users": users}
    )


def test_a_search_for_users_begins_where_the_probe_says() -> None:
    wanted = search(searchFor="Users", settleSeconds=3, thinkTime={"constantMilliseconds": 5})
    probed = StoredTrial(number=0, requests_per_second=100, users=50, excess=0.5)
    planned = not_none(next_trial(wanted, [probed]))
    step = planned.step
    assert (planned.id, step.users, step.requests_per_second) == ("capacity-t01", 25, None)
    assert (step.spawn_rate, step.duration_seconds) == (9, 40)
    assert step.think_time is not None
    assert step.think_time.constant_milliseconds == 5


def test_the_probe_of_a_search_for_users_has_no_more_than_they_may_be() -> None:
    planned = not_none(next_trial(search(searchFor="Users", maxUsers=20), []))
    assert planned.step.users == 20


def test_a_trial_of_users_is_known_by_them_and_by_the_rate_that_they_got() -> None:
    found = read_trial(RunSamples(users_trial(1, 7, 100)), [FAST])
    assert (found.users, found.requests_per_second) == (7, 10.0)


def test_a_trial_that_was_lost_is_run_again_under_its_number() -> None:
    planned = not_none(next_trial(search(), [stored(0, 200.0), stored(1, 40.0), stored(3, 150.0)]))
    assert planned.id == "capacity-t02"


def test_variants_are_searched_one_after_the_other() -> None:
    done = [stored(0, 200.0, variant="raw")]
    done += [stored(n, 40.0 + n, variant="raw") for n in range(1, 9)]
    planned = not_none(next_trial(search("raw", "proxy", maxTrials=8), done))
    assert (planned.id, planned.variant) == ("capacity-v1-t00", "proxy")
    assert next_trial(search("raw", maxTrials=8), done) is None


def test_rate_of_a_trial_is_that_of_its_arrivals() -> None:
    document = trial(1, 100, 50).model_copy(update={"planned_requests": 987})
    assert read_trial(RunSamples(document), [FAST]).requests_per_second == pytest.approx(98.7)


def test_rate_of_the_probe_is_that_of_good_responses() -> None:
    assert read_trial(RunSamples(probe(2000, 500)), [FAST]).requests_per_second == pytest.approx(
        150.0
    )


@pytest.mark.parametrize(
    ("milliseconds", "fields", "excess"),
    [
        (100, {}, -1.0),
        (160, {}, -0.25),
        (400, {}, 0.5),
        (100, {"failures": 20}, 0.5),  # the worst of all objectives
        (100, {"dropped_requests": 100}, 0.8),
    ],
)
def test_excess_is_that_of_the_objective_exceeded_most(
    milliseconds: int, fields: dict[str, int], excess: float
) -> None:
    found = read_trial(RunSamples(trial(1, 100, milliseconds, **fields)), [FAST, GOOD])
    assert found.excess == pytest.approx(excess, abs=0.002)


def test_a_trial_without_any_request_misses_everything() -> None:
    assert (
        read_trial(RunSamples(trial(1, 100, 1).model_copy(update={"requests": []})), [FAST]).excess
        == 1.0
    )


USERS = {16: 164, 21: 215, 19: 195, 20: 205, 18: 185, 22: 226, 17: 174, 23: 236}
"""Time in ms by users, for which the limit of 200 ms is met up to 19."""


def test_what_was_found_of_users_is_a_whole_number() -> None:
    trials = [users_trial(n, users, time) for n, (users, time) in enumerate(USERS.items(), 1)]
    first = probe().model_copy(update={"users": 50})
    (found,) = results([first, *trials], searchFor="Users")
    assert (found.conclusion, found.users, found.requests_per_second) == ("Found", 19, None)
    assert found.users_interval is not None
    assert found.users_interval.lower <= 19 <= found.users_interval.upper
    assert found.message.startswith(
        "The target sustains 19 users with p95 ≤ 200 ms (95 % confidence interval "
    )
    assert (found.highest_met_users, found.lowest_missed_users) == (19, 20)
    assert [each.users for each in found.trials] == list(USERS)
    assert headline([found]) == Summary()


def results(
    documents: list[StepRunResult], disturbed: dict[str, str] | None = None, **capacity: Any
) -> Any:
    objectives = [FAST.model_dump(by_alias=True, exclude_none=True)]
    load = {"capacity": {"maxTrials": 8} | capacity, "steps": []}
    spec = make_spec(load=load, objectives=objectives)
    return capacity_results(BenchmarkSamples.of_documents(spec, documents), disturbed or {})


def test_what_was_found_is_a_sentence_with_its_interval() -> None:
    (found,) = results(measured(NEAR))
    assert found.conclusion == "Found"
    assert found.requests_per_second == pytest.approx(160, abs=1)
    assert found.message.startswith(
        "The target sustains 160 requests/s with p95 ≤ 200 ms (95 % confidence "
    )
    assert found.knee_requests_in_flight == pytest.approx(200 * 0.02)
    assert len(found.trials) == 8


def test_a_search_under_way_says_so() -> None:
    (found,) = results(measured(NEAR)[:4])
    assert (found.conclusion, found.requests_per_second) == ("Searching", None)
    assert found.message == "searching: 3 trials so far"


def test_a_disturbed_trial_near_the_rate_makes_it_inconclusive() -> None:
    (found,) = results(measured(NEAR), {"t4": "WorkerSaturated: 99 % of a core"})
    assert (found.conclusion, found.requests_per_second) == ("Inconclusive", None)
    assert "1 trials were disturbed, t4: WorkerSaturated" in found.message
    assert [each.disturbed for each in found.trials].count(True) == 1


def test_a_disturbed_trial_far_from_the_rate_does_not() -> None:
    (found,) = results(measured(NEAR), {"t1": "WorkerSaturated: 99 % of a core"})
    assert found.conclusion == "Found"
