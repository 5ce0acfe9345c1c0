"""From stored trials to the next step run, and from documents to trials."""

import pytest

from solrbench.analysis.capacity_trials import next_trial
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.contract.load_plan import CapacitySearch, StoredTrial
from solrbench.contract.windows import EndedEarly
from support.narrowing import not_none
from support.results.builders import make_document, make_result
from support.results.trials import FAST, probe, read, search, trial, users_trial

GOOD = Objective.model_validate({"name": "good", "failures": {"maxPercent": 10}})
PROBED = StoredTrial(number=0, requests_per_second=100, users=50, excess=0.5)


def stored(number: int, rate: float, variant: str = "") -> StoredTrial:
    return StoredTrial(variant=variant, number=number, requests_per_second=rate, excess=-1.0)


@pytest.mark.parametrize(
    ("wanted", "users"),
    [
        (search(), 50),
        (search(probeUsers=1), 2),  # every worker has one
        (search(searchFor="Users", maxUsers=20), 20),
    ],
)
def test_a_search_begins_with_a_probe_of_users(wanted: CapacitySearch, users: int) -> None:
    planned = not_none(next_trial(wanted, []))
    assert (planned.id, planned.trial, planned.step.users) == ("capacity-t00", 0, users)


def test_a_trial_settles_at_its_own_rate() -> None:
    planned = not_none(next_trial(search(settleSeconds=7, trialSeconds=20), [stored(0, 200.0)]))
    step = planned.step
    assert (planned.id, planned.trial) == ("capacity-t01", 1)
    assert step.requests_per_second == pytest.approx(40.0)
    assert planned.ramp_from_requests_per_second == step.requests_per_second
    assert (step.ramp_seconds, step.duration_seconds) == (7, 20)


def test_a_search_for_users_begins_where_the_probe_says() -> None:
    wanted = search(searchFor="Users", settleSeconds=3, thinkTime={"constantMilliseconds": 5})
    planned = not_none(next_trial(wanted, [PROBED]))
    step = planned.step
    assert (planned.id, step.users, step.requests_per_second) == ("capacity-t01", 25, None)
    assert (step.spawn_rate, step.duration_seconds) == (9, 40)
    assert not_none(step.think_time).constant_milliseconds == 5


def test_a_trial_of_users_is_known_by_them_and_by_the_rate_that_they_got() -> None:
    found = read(users_trial(1, 7, 100))
    assert (found.users, found.requests_per_second) == (7, 40.0)


def test_a_trial_that_was_lost_is_run_again_under_its_number() -> None:
    planned = not_none(next_trial(search(), [stored(0, 200.0), stored(1, 40.0), stored(3, 150.0)]))
    assert planned.id == "capacity-t02"


def test_variants_are_searched_one_after_the_other() -> None:
    done = [stored(0, 200.0, variant="raw")]
    done += [stored(n, 40.0 + n, variant="raw") for n in range(1, 9)]
    planned = not_none(next_trial(search("raw", "proxy", maxTrials=8), done))
    assert (planned.id, planned.variant) == ("capacity-v1-t00", "proxy")
    probed = [*done, stored(0, 200.0, variant="proxy")]
    planned = not_none(next_trial(search("raw", "proxy", maxTrials=8), probed))
    assert planned.id == "capacity-v1-t01", "the trials of the first are not those of the second"
    assert next_trial(search("raw", maxTrials=8), done) is None


def test_rate_of_a_trial_is_that_of_its_arrivals() -> None:
    document = trial(1, 100, 50).model_copy(update={"planned_requests": 987})
    assert read(document).requests_per_second == pytest.approx(98.7)


def test_rate_of_the_probe_is_that_of_good_responses() -> None:
    assert read(probe(2000, 500)).requests_per_second == pytest.approx(150.0)


def test_a_transaction_of_the_probe_counts_once_as_in_the_rates_of_trials() -> None:
    whole = make_result([5000] * 200, "buy", is_transaction=True)
    parts = [make_result([1000] * 200, f"buy.{part}") for part in "abcde"]
    document = make_document("probe", 1, whole, *parts, seconds=2)
    assert read(document).requests_per_second == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("milliseconds", "fields", "excess"),
    [
        (100, {}, -1.0),
        (160, {}, -0.25),
        (400, {}, 0.5),
        (100, {"failures": 80}, 0.5),  # the worst of all objectives
        (100, {"dropped_requests": 400}, 0.8),
    ],
)
def test_excess_is_that_of_the_objective_exceeded_most(
    milliseconds: int, fields: dict[str, int], excess: float
) -> None:
    found = read(trial(1, 100, milliseconds, **fields), FAST, GOOD)
    assert found.excess == pytest.approx(excess, abs=0.002)


def test_a_trial_without_any_request_misses_everything() -> None:
    assert read(trial(1, 100, 1).model_copy(update={"requests": []})).excess == 1.0


def test_a_trial_with_more_failures_than_a_valid_step_misses() -> None:
    limits = search().limits
    assert read(trial(1, 100, 1, failures=4), *limits).excess == 0.0
    assert read(trial(1, 100, 1, failures=8), *limits).excess == 0.5


def test_an_objective_on_all_failures_is_the_limit_of_trials() -> None:
    own = search().model_copy(update={"objectives": [FAST, GOOD]})
    assert own.limits == [FAST, GOOD]
    of_one = GOOD.model_copy(update={"request": "other"})
    assert len(own.model_copy(update={"objectives": [FAST, of_one]}).limits) == 3


def test_a_trial_that_was_ended_as_its_target_was_gone_misses_everything() -> None:
    ended = EndedEarly(second=7, last_good_second=2, failures=200)
    document = trial(1, 100, 1, failures=200).model_copy(update={"ended_early": ended})
    assert read(document).excess == 1.0


def test_every_trial_of_indexing_sends_updates() -> None:
    runs = [stored(0, 200.0)], [stored(0, 200.0), *(stored(n, 40.0) for n in range(1, 9))]
    plans = [
        next_trial(search(indexing={"batchSize": 50}, maxTrials=9), each) for each in ([], *runs)
    ]
    plans.append(next_trial(search(indexing={"batchSize": 50}, searchFor="Users"), [PROBED]))
    assert [not_none(planned).batch_size for planned in plans] == [50] * 4
    # A rate of documents is searched as that of their updates.
    assert not_none(plans[1]).step.requests_per_second == 40.0
