"""From stored step runs to trials, and from trials to the next step run.

The load master and the operator both decide by `next_trial`, from the same documents: whoever is
started again goes on with what is stored, and measures no trial twice.
"""

from collections.abc import Iterable, Sequence

from solrbench.api.v1alpha1.objectives import Objective
from solrbench.plan.capacity_trials import PROBE, planned_probe, planned_trial
from solrbench.plan.load_plan import CapacitySearch, PlannedStepRun, StoredTrial
from solrbench.results.capacity.search import Trial, next_rate
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
        measured = in_order(own)
        rate = next_rate(
            probe.requests_per_second,
            [Trial(each.requests_per_second, each.excess) for each in measured],
            search.capacity.max_trials,
            search.seed,
        )
        if rate is not None:
            return planned_trial(search, variant, _free_number(measured), rate)
    return None


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
    is what the target had to serve.
    """
    number = document.trial or PROBE
    return StoredTrial(
        variant=document.variant,
        number=number,
        requests_per_second=good_rate(document) if number == PROBE else offered_rate(document),
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
