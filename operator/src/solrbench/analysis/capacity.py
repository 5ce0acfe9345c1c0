"""What a search has found, as the status shows it."""

import math
from collections.abc import Iterable, Mapping, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.objectives import (
    MeanResponseTimeLimit,
    Objective,
    ThroughputLimit,
)
from solrbench.api.v1alpha1.status.capacity import CapacityResult, CapacityWord, TrialResult
from solrbench.api.v1alpha1.status.steps.intervals import Interval
from solrbench.api.v1alpha1.status.summaries import Summary
from solrbench.plan.capacity_trials import PROBE
from solrbench.plan.load_plan import CapacitySearch, StoredTrial
from solrbench.plan.step_runs import variant_names
from solrbench.results.capacity.knee import knee_in_flight
from solrbench.results.capacity.search import NEAR, CapacityEstimate, estimate
from solrbench.results.capacity.trials import (
    as_trial,
    good_rate,
    in_order,
    limits_of_trials,
    next_trial,
    offered_rate,
    read_trial,
    searches_users,
)
from solrbench.results.capacity.user_search import estimate_users
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.objectives.measures import failed_percent, measure
from solrbench.results.objectives.wording import describe
from solrbench.results.stats.number_format import format_number, milliseconds, round_number
from solrbench.results.summary.grouping import perceived_percentile

MOST_UNLOADED = 0.35
"""Share of the probe's rate up to which a trial shows the times of a target without queues."""

_DIGITS = 3
_RATE = Objective(name="rate", throughput=ThroughputLimit(min_requests_per_second=1))
_MEAN = Objective(name="mean", mean_response_time=MeanResponseTimeLimit(max_milliseconds=1))


def capacity_search(spec: Spec, documents: Iterable[StepRunResult]) -> CapacitySearch | None:
    """Return the search as far as it is stored; None if the spec has none."""
    if spec.load.capacity is None:
        return None
    limits = limits_of_trials(spec.objectives)
    return CapacitySearch(
        capacity=spec.load.capacity,
        objectives=limits,
        variants=list(variant_names(spec)),
        workers=spec.load.workers,
        seed=spec.seed,
        stored=[read_trial(each, limits) for each in documents if each.trial is not None],
    )


def capacity_results(
    spec: Spec, documents: Sequence[StepRunResult], disturbances: Mapping[str, str]
) -> list[CapacityResult]:
    """Return what the search through each variant has found; none before its probe is stored.

    Args:
        spec: of the benchmark
        documents: the stored step runs
        disturbances: why a step run does not show what the target can do, by its id

    """
    search = capacity_search(spec, documents)
    if search is None:
        return []
    return [
        _result(search, variant, own, disturbances)
        for variant in search.variants
        if (own := [e for e in documents if e.trial is not None and e.variant == variant])
    ]


def headline(results: Sequence[CapacityResult]) -> Summary:
    """Return what the printer columns show of a benchmark without steps: the first rate found."""
    found = results[0] if results else None
    if found is None or found.requests_per_second is None:
        return Summary()
    return Summary(
        step="capacity",
        requests_per_second=found.requests_per_second,
        requests_per_second_interval=found.requests_per_second_interval,
    )


def _result(
    search: CapacitySearch,
    variant: str,
    documents: Sequence[StepRunResult],
    disturbances: Mapping[str, str],
) -> CapacityResult:
    own = [each for each in search.stored if each.variant == variant]
    alone = search.model_copy(update={"variants": [variant]})
    users = searches_users(search)
    trials = list(map(as_trial, in_order(own)))
    found = estimate_users(trials) if users else estimate(trials)
    problem = found.problem or _disturbance(found, documents, disturbances)
    searching = next_trial(alone, own) is not None
    word = CapacityWord.UNCLEAR if problem else CapacityWord.FOUND
    known = word is CapacityWord.FOUND
    message = _message(found, problem, search.objectives, "users" if users else "requests/s")
    return CapacityResult(
        variant=variant or None,
        word=CapacityWord.SEARCHING if searching else word,
        message=f"searching: {len(trials)} trials so far" if searching else message,
        **_level_fields(found, users=users, known=known and not searching),
        **({} if users else _knee(documents)),
        probe_requests_per_second=_rounded(_probed(own)),
        trials=[_trial(each, search.objectives, disturbances) for each in _ordered(documents)],
    )


def _level_fields(found: CapacityEstimate, *, users: bool, known: bool) -> dict[str, object]:
    """Return the rate or the users that were found, and the nearest that met and missed."""
    unit, shown = ("users", _whole) if users else ("requests_per_second", _rounded)
    fields: dict[str, object] = {
        f"highest_met_{unit}": shown(found.highest_met),
        f"lowest_missed_{unit}": shown(found.lowest_missed),
    }
    if known and found.lower is not None and found.upper is not None:
        fields[unit] = shown(found.rate)
        fields[f"{unit}_interval"] = (
            Interval(lower=found.lower, upper=found.upper)
            if users
            else _interval(found.lower, found.upper)
        )
    return fields


def _knee(documents: Sequence[StepRunResult]) -> dict[str, object]:
    """Return where the asymptotes meet; nothing without a trial at a low rate."""
    probe = next((each for each in documents if each.trial == PROBE), None)
    trials = _ordered(documents)
    if probe is None or not trials:
        return {}
    unloaded = min(trials, key=offered_rate)
    found = knee_in_flight(measure(_RATE, [probe]), measure(_MEAN, [unloaded]))
    if found is None or offered_rate(unloaded) > MOST_UNLOADED * good_rate(probe):
        return {}
    interval = None if found.interval is None else _interval(*found.interval)
    return {
        "knee_requests_in_flight": round_number(found.at),
        "knee_requests_in_flight_interval": interval,
    }


def _message(
    found: CapacityEstimate, problem: str, objectives: Sequence[Objective], unit: str
) -> str:
    at = " and ".join(map(describe, objectives))
    if not problem and found.rate is not None:
        number, lower, upper = (
            format_number(round_number(each or 0.0))
            for each in (found.rate, found.lower, found.upper)
        )
        return f"holds {number} {unit} (95 %: {lower} to {upper}) at {at}"
    known = []
    if found.lowest_missed is None:
        known.append("set a higher probeUsers or maxTrials")
    if found.highest_met is not None:
        known.append(f"a trial at {format_number(found.highest_met)} {unit} met it")
    if found.lowest_missed is not None:
        known.append(f"one at {format_number(found.lowest_missed)} missed it")
    return f"capacity at {at} is unclear: {'; '.join([problem, *known])}"


def _disturbance(
    found: CapacityEstimate, documents: Sequence[StepRunResult], disturbances: Mapping[str, str]
) -> str:
    """Return why a trial that the result rests on does not show what the target can do."""
    if found.rate is None:
        return ""
    near = [
        each
        for each in documents
        if each.id in disturbances and _is_near(as_trial(read_trial(each, [])).rate, found.rate)
    ]
    if not near:
        return ""
    return f"{len(near)} trials were disturbed, {near[0].id}: {disturbances[near[0].id]}"


def _is_near(rate: float, centre: float) -> bool:
    return rate > 0 and abs(math.log(rate / centre)) <= NEAR


def _trial(
    document: StepRunResult, objectives: Sequence[Objective], disturbances: Mapping[str, str]
) -> TrialResult:
    results = [each for each in document.requests if not each.is_transaction]
    stored = read_trial(document, objectives)
    return TrialResult(
        requests_per_second=round(stored.requests_per_second, _DIGITS),
        users=stored.users,
        excess=round(stored.excess, _DIGITS),
        p95_milliseconds=milliseconds(perceived_percentile(results, 95)),
        failed_percent=round(failed_percent([document]), _DIGITS),
        disturbed=document.id in disturbances,
    )


def _ordered(documents: Iterable[StepRunResult]) -> list[StepRunResult]:
    trials = [each for each in documents if each.trial]
    return sorted(trials, key=lambda each: each.trial or PROBE)


def _probed(trials: Iterable[StoredTrial]) -> float | None:
    return next((each.requests_per_second for each in trials if each.number == PROBE), None)


def _interval(lower: float, upper: float) -> Interval:
    return Interval(lower=round_number(lower), upper=round_number(upper))


def _whole(users: float | None) -> int | None:
    return None if users is None else round(users)


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round_number(rate)
