"""From stored step runs to trials, and from trials to the next step run.

The load master and the operator both decide by `next_trial`, from the same documents: one that
is started again goes on with what is stored, and measures no trial twice.
"""

from collections.abc import Iterable, Sequence

from solrbench.api.v1alpha1.load.capacity import SearchFor
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.plan.capacity_trials import (
    PROBE,
    planned_probe,
    planned_trial,
    planned_users_trial,
)
from solrbench.plan.load_plan import CapacitySearch, PlannedStepRun, StoredTrial
from solrbench.results.capacity.search import Trial, next_rate
from solrbench.results.capacity.user_search import UserRange, next_users
from solrbench.results.model.request_counts import sum_counts
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.objectives.measures import measure
from solrbench.results.objectives.wording import limit_of

_WORST = 1.0
_BEST = -1.0


def limits_of_trials(objectives: Iterable[Objective]) -> list[Objective]:
    """Return the objectives that trials have to meet."""
    return [each for each in objectives if each.limits_trials]


def next_trial(search: CapacitySearch, trials: Sequence[StoredTrial]) -> PlannedStepRun | None:
    """Return the step run to measure next; None if the search is over for all variants.

    `trials` are all that are measured, of all variants.
    """
    for variant in search.variants:
        own = [each for each in trials if each.variant == variant]
        probe = next((each for each in own if each.number == PROBE), None)
        if probe is None:
            return planned_probe(search, variant)
        plan = _next_users_trial if searches_users(search) else _next_rate_trial
        trial = plan(search, variant, probe, in_order(own))
        if trial is not None:
            return trial
    return None


def searches_users(search: CapacitySearch) -> bool:
    """Say whether a search is for users, and not for a rate."""
    return search.capacity.search_for is SearchFor.USERS


def as_trial(stored: StoredTrial) -> Trial:
    """Return a trial as the search takes it: by its users if it has any, else by its rate."""
    level = stored.requests_per_second if stored.users is None else stored.users
    return Trial(level, stored.excess)


def _next_rate_trial(
    search: CapacitySearch, variant: str, probe: StoredTrial, measured: Sequence[StoredTrial]
) -> PlannedStepRun | None:
    trials, most = list(map(as_trial, measured)), search.capacity.max_trials
    rate = next_rate(probe.requests_per_second, trials, most, search.seed)
    if rate is None:
        return None
    return planned_trial(search, variant, _free_number(measured), rate)


def _next_users_trial(
    search: CapacitySearch, variant: str, probe: StoredTrial, measured: Sequence[StoredTrial]
) -> PlannedStepRun | None:
    within = UserRange(search.workers, search.capacity.max_users)
    trials, most = list(map(as_trial, measured)), search.capacity.max_trials
    users = next_users(within, as_trial(probe), trials, most, search.seed)
    if users is None:
        return None
    return planned_users_trial(search, variant, _free_number(measured), users)


def _free_number(measured: Sequence[StoredTrial]) -> int:
    """Return the first number that is not stored: one in between may have been lost."""
    taken = {each.number for each in measured}
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


def in_order(trials: Iterable[StoredTrial]) -> list[StoredTrial]:
    """Return the trials without the probe, in the order in which they were planned."""
    return sorted((each for each in trials if each.number != PROBE), key=lambda each: each.number)


def read_trial(document: StepRunResult, objectives: Iterable[Objective]) -> StoredTrial:
    """Return what a search needs of a measured trial.

    The rate is that of the arrivals of the trial, which differs from the planned one by chance: it
    is what the target had to serve. That of users is what it did serve.
    """
    number = document.trial or PROBE
    is_closed = document.planned_requests is None
    return StoredTrial(
        variant=document.variant,
        number=number,
        requests_per_second=good_rate(document) if is_closed else offered_rate(document),
        users=document.users if is_closed else None,
        excess=excess(document, objectives),
    )


def offered_rate(document: StepRunResult) -> float:
    """Return the arrivals of an open loop per second."""
    if document.planned_requests and document.duration_seconds:
        return document.planned_requests / document.duration_seconds
    return document.requests_per_second or 0.0


def excess(document: StepRunResult, objectives: Iterable[Objective]) -> float:
    """Return how far a trial is beyond the objective that it exceeded most, from -1 to 1."""
    return max(
        (
            _excess(measured.value, limit_of(objective)[0])
            for objective in limits_of_trials(objectives)
            if (measured := measure(objective, [document])) is not None
        ),
        default=_WORST,
    )


def _excess(value: float, limit: float) -> float:
    if value <= 0:
        return _BEST
    return max(1 - limit / value, _BEST)


def good_rate(document: StepRunResult) -> float:
    """Return the good responses of a step run per second."""
    counts = sum_counts(each for each in document.requests if not each.is_transaction)
    if not counts.requests or not document.rate_seconds:
        return 0.0
    good = (counts.requests - counts.failures) / counts.requests
    return good * document.rated(counts) / document.rate_seconds
