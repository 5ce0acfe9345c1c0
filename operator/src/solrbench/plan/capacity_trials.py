"""The names of trials, and the step run of each."""

import math

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.capacity import PROBE_SECONDS, Capacity, SearchFor
from solrbench.api.v1alpha1.load.load import Step
from solrbench.plan.load_plan import CapacitySearch, PlannedStepRun
from solrbench.plan.step_runs import variant_names

PROBE = 0
"""Number of the probe; trials are numbered from 1."""

_LEAST_RATE = 0.001
_DIGITS = 3


def trial_ids(spec: Spec) -> frozenset[str]:
    """Return every id that a trial may have; none without a search."""
    if spec.load.capacity is None:
        return frozenset()
    return frozenset(
        _id(index, variant, number)
        for index, variant in enumerate(variant_names(spec))
        for number in range(spec.load.capacity.max_trials + 1)
    )


def most_trials(spec: Spec) -> int:
    """Return how many trials, probes included, a search may have through all variants."""
    return len(trial_ids(spec))


def planned_probe(search: CapacitySearch, variant: str) -> PlannedStepRun:
    """Return the closed loop that finds a rate which is too high, or how times depend on users."""
    capacity = search.capacity
    users = max(capacity.probe_users, search.workers)
    if capacity.search_for is SearchFor.USERS:
        users = min(users, capacity.max_users)
    step = Step(
        name="capacity-probe",
        users=users,
        duration_seconds=PROBE_SECONDS,
        think_time=capacity.think_time,
    )
    return _planned(search, variant, PROBE, step, 0.0)


def planned_trial(search: CapacitySearch, variant: str, number: int, rate: float) -> PlannedStepRun:
    """Return a trial at a rate; before it is measured, it sends at the same rate to settle."""
    step = _step(search.capacity, number, max(round(rate, _DIGITS), _LEAST_RATE))
    return _planned(search, variant, number, step, step.requests_per_second or 0.0)


def planned_users_trial(
    search: CapacitySearch, variant: str, number: int, users: int
) -> PlannedStepRun:
    """Return a trial with users, who start in the time that it takes to settle."""
    capacity = search.capacity
    step = Step(
        name=_trial_name(number),
        users=users,
        spawn_rate=math.ceil(users / capacity.settle_seconds),
        think_time=capacity.think_time,
        duration_seconds=capacity.trial_seconds,
    )
    return _planned(search, variant, number, step, 0.0)


def _trial_name(number: int) -> str:
    return f"capacity-trial-{number}"


def _step(capacity: Capacity, number: int, rate: float) -> Step:
    return Step(
        name=_trial_name(number),
        requests_per_second=rate,
        arrival_distribution=capacity.arrival_distribution,
        max_in_flight=capacity.max_in_flight,
        ramp_seconds=capacity.settle_seconds,
        duration_seconds=capacity.trial_seconds,
    )


def _planned(
    search: CapacitySearch, variant: str, number: int, step: Step, ramp_from: float
) -> PlannedStepRun:
    return PlannedStepRun(
        id=_id(search.variants.index(variant), variant, number),
        repeat=1,
        variant=variant,
        step=step,
        trial=number,
        ramp_from_requests_per_second=ramp_from,
    )


def _id(variant_index: int, variant: str, number: int) -> str:
    endpoint = f"v{variant_index}-" if variant else ""
    return f"capacity-{endpoint}t{number:02}"
