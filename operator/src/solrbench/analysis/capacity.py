"""From stored step runs to trials, from trials to the next step run, and what the search has found.

The load master and the operator both decide by `next_trial`, from the same documents: one that is
started again goes on with what is stored, and measures no trial twice.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from solrbench.analysis.capacity_search import (
    NEAR,
    CapacityEstimate,
    Trial,
    UserRange,
    estimate,
    estimate_users,
    next_rate,
    next_users,
)
from solrbench.analysis.objectives import failed_percent, measure
from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, RunSamples, StepSamples
from solrbench.analysis.scalability import knee_in_flight
from solrbench.analysis.sentences import CONFIDENCE, describe, limit_of
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.findings import CapacityConclusion, CapacityResult, TrialResult
from solrbench.api.v1alpha1.objectives import (
    MeanResponseTimeLimit,
    Objective,
    SearchFor,
    ThroughputLimit,
)
from solrbench.api.v1alpha1.step_result import Interval
from solrbench.contract.load_plan import (
    PROBE,
    CapacitySearch,
    PlannedStepRun,
    StoredTrial,
    planned_probe,
    planned_trial,
    planned_users_trial,
)
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats.number_format import format_number, milliseconds, round_number


def next_trial(search: CapacitySearch, trials: Sequence[StoredTrial]) -> PlannedStepRun | None:
    """Return the step run after the trials of all variants; None if the search is over for all."""
    for variant in search.variants:
        own = [stored_trial for stored_trial in trials if stored_trial.variant == variant]
        probe = next((stored_trial for stored_trial in own if stored_trial.number == PROBE), None)
        if probe is None:
            return planned_probe(search, variant)
        measured = in_order(own)
        so_far, most = list(map(as_trial, measured)), search.capacity.max_trials
        taken = {stored_trial.number for stored_trial in measured}
        # The first number that is not stored: a trial in between may have been lost.
        number = next(number for number in range(1, len(taken) + 2) if number not in taken)
        if search.capacity.search_for is SearchFor.USERS:
            within = UserRange(search.workers, search.capacity.max_users)
            users = next_users(within, as_trial(probe), so_far, most, search.seed)
            if users is not None:
                return planned_users_trial(search, variant, number, users)
        else:
            rate = next_rate(probe.requests_per_second, so_far, most, search.seed)
            if rate is not None:
                return planned_trial(search, variant, number, rate)
    return None


def as_trial(stored: StoredTrial) -> Trial:
    """Return a trial as the search takes it: by its users if it has any, else by its rate."""
    level = stored.requests_per_second if stored.users is None else stored.users
    return Trial(level, stored.excess)


def in_order(trials: Iterable[StoredTrial]) -> list[StoredTrial]:
    """Return the trials without the probe, in the order in which they were planned."""
    return sorted((each for each in trials if each.number != PROBE), key=lambda each: each.number)


def read_trial(run: RunSamples, objectives: Iterable[Objective]) -> StoredTrial:
    """Return what a search needs of a measured trial."""
    document = run.document
    is_closed = document.planned_requests is None
    return StoredTrial(
        variant=document.variant,
        number=document.trial or PROBE,
        # The arrivals of a trial, which differ from the plan by chance, are what the target had to
        # serve; of users it is what it did serve.
        requests_per_second=good_rate(run) if is_closed else offered_rate(document),
        users=document.users if is_closed else None,
        excess=excess(run, objectives),
    )


def offered_rate(document: StepRunResult) -> float:
    """Return the arrivals of an open loop per second."""
    if document.planned_requests and document.duration_seconds:
        return document.planned_requests / document.duration_seconds
    return document.requests_per_second or 0.0


def excess(run: RunSamples, objectives: Iterable[Objective]) -> float:
    """Return how far a trial is beyond the objective that it exceeded most, from -1 to 1."""
    samples = StepSamples([run])
    overshoots = [
        max(1 - limit_of(objective)[0] / measured.value, -1.0) if measured.value > 0 else -1.0
        for objective in objectives
        if objective.limits_trials and (measured := measure(objective, samples)) is not None
    ]
    # Without any response there is nothing to measure: the trial misses by as much as is possible.
    return max(overshoots, default=1.0)


def good_rate(run: RunSamples) -> float:
    """Return the good responses of a step run per second."""
    document, counts = run.document, run.of(ALL_REQUESTS).counts
    if not counts.requests or not document.rate_seconds:
        return 0.0
    good = (counts.requests - counts.failures) / counts.requests
    return good * document.rated(counts) / document.rate_seconds


MAX_UNLOADED_SHARE = 0.35
"""Share of the probe's rate up to which a trial shows the times of a target without queues."""

_DIGITS = 3
_RATE = Objective(name="rate", throughput=ThroughputLimit(min_requests_per_second=1))
_MEAN = Objective(name="mean", mean_response_time=MeanResponseTimeLimit(max_milliseconds=1))


def capacity_search(samples: BenchmarkSamples) -> CapacitySearch | None:
    """Return the search as far as it is stored; None if the spec has none."""
    spec = samples.spec
    if spec.load.capacity is None:
        return None
    limits = [objective for objective in spec.objectives if objective.limits_trials]
    return CapacitySearch(
        capacity=spec.load.capacity,
        objectives=limits,
        variants=list(variant_names(spec)),
        workers=spec.load.workers,
        seed=spec.seed,
        stored=[read_trial(run, limits) for run in samples.runs if run.document.trial is not None],
    )


def capacity_results(
    samples: BenchmarkSamples, interferences: Mapping[str, str]
) -> list[CapacityResult]:
    """Return what the search through each variant has found; none before its probe is stored.

    `interferences` says by id why a step run does not show what the target can do.
    """
    search = capacity_search(samples)
    if search is None:
        return []
    trials = [run for run in samples.runs if run.document.trial is not None]
    return [
        _result(search, variant, own, interferences)
        for variant in search.variants
        if (own := [run for run in trials if run.document.variant == variant])
    ]


def headline(results: Sequence[CapacityResult]) -> Summary:
    """Return what the printer columns show of a benchmark without steps: the first rate found."""
    first_result = results[0] if results else None
    if first_result is None or first_result.requests_per_second is None:
        return Summary()
    return Summary(
        step="capacity",
        requests_per_second=first_result.requests_per_second,
        requests_per_second_interval=first_result.requests_per_second_interval,
    )


def _result(
    search: CapacitySearch,
    variant: str,
    runs: Sequence[RunSamples],
    interferences: Mapping[str, str],
) -> CapacityResult:
    own = [each for each in search.stored if each.variant == variant]
    alone = search.model_copy(update={"variants": [variant]})
    users = search.capacity.search_for is SearchFor.USERS
    trials = list(map(as_trial, in_order(own)))
    found = estimate_users(trials) if users else estimate(trials)
    disturbed = [
        run.document.id
        for run in runs
        if run.document.id in interferences
        and found.rate is not None
        and (rate := as_trial(read_trial(run, [])).rate) > 0
        # Farther trials are not on the line, so that the result does not rest on them.
        and abs(math.log(rate / found.rate)) <= NEAR
    ]
    problem = found.problem
    if disturbed and not problem:
        first = disturbed[0]
        problem = f"{len(disturbed)} trials were disturbed, {first}: {interferences[first]}"
    message = _message(found, problem, search.objectives, "users" if users else "requests/s")
    word = CapacityConclusion.INCONCLUSIVE if problem else CapacityConclusion.FOUND
    if next_trial(alone, own) is not None:
        word, message = CapacityConclusion.SEARCHING, f"searching: {len(trials)} trials so far"
    # What is found is not shown before the search is over: the next trial may still move it.
    level = found if word is CapacityConclusion.FOUND else replace(found, rate=None)
    rates = (each.requests_per_second for each in own if each.number == PROBE)
    probed = next(map(round_number, rates), None)
    return CapacityResult(
        variant=variant or None,
        conclusion=word,
        message=message,
        **_level_fields(level, users=users),
        **({} if users else _knee(runs)),
        probe_requests_per_second=probed,
        trials=[_trial(each, search.objectives, interferences) for each in _ordered(runs)],
    )


def _level_fields(found: CapacityEstimate, *, users: bool) -> dict[str, object]:
    """Return the rate or the users that were found, and the nearest that met and missed."""
    unit = "users" if users else "requests_per_second"
    show: Callable[[float], float] = round if users else round_number
    fields: dict[str, object] = {}
    for name, level in (("highest_met", found.highest_met), ("lowest_missed", found.lowest_missed)):
        fields[f"{name}_{unit}"] = None if level is None else show(level)
    if found.rate is not None and found.lower is not None and found.upper is not None:
        fields[unit] = show(found.rate)
        fields[f"{unit}_interval"] = Interval(lower=show(found.lower), upper=show(found.upper))
    return fields


def _knee(runs: Sequence[RunSamples]) -> dict[str, object]:
    """Return where the asymptotes meet; nothing without a trial at a low rate."""
    probe = next((run for run in runs if run.document.trial == PROBE), None)
    trials = _ordered(runs)
    if probe is None or not trials:
        return {}
    unloaded = min(trials, key=lambda run: offered_rate(run.document))
    knee = knee_in_flight(
        measure(_RATE, StepSamples([probe])), measure(_MEAN, StepSamples([unloaded]))
    )
    if knee is None or offered_rate(unloaded.document) > MAX_UNLOADED_SHARE * good_rate(probe):
        return {}
    return {
        "knee_requests_in_flight": round_number(knee.at),
        "knee_requests_in_flight_interval": knee.rounded_interval,
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
        interval = f"{CONFIDENCE} {lower} to {upper} {unit}"
        return f"The target sustains {number} {unit} with {at} ({interval})."
    known = []
    if found.lowest_missed is None:
        # The fastest trial met it: the probe was too slow, or the search too short to get there.
        known.append("set a higher probeUsers or maxTrials")
    if found.highest_met is not None:
        known.append(f"a trial at {format_number(found.highest_met)} {unit} met it")
    if found.lowest_missed is not None:
        known.append(f"one at {format_number(found.lowest_missed)} missed it")
    return f"Capacity at {at} is inconclusive: {'; '.join([problem, *known])}."


def _trial(
    run: RunSamples, objectives: Sequence[Objective], interferences: Mapping[str, str]
) -> TrialResult:
    stored = read_trial(run, objectives)
    return TrialResult(
        requests_per_second=round(stored.requests_per_second, _DIGITS),
        users=stored.users,
        excess=round(stored.excess, _DIGITS),
        p95_milliseconds=milliseconds(run.of(ALL_REQUESTS).perceived.percentile(95)),
        failed_percent=round(failed_percent(StepSamples([run])), _DIGITS),
        disturbed=run.document.id in interferences,
    )


def _ordered(runs: Iterable[RunSamples]) -> list[RunSamples]:
    trials = [run for run in runs if run.document.trial]  # the probe is no trial
    return sorted(trials, key=lambda run: run.document.trial or PROBE)


def answer_capacity(spec: Spec, status: Status) -> Iterator[str]:
    """Yield `The target sustains 7.1 requests/s with p95 ≤ 200 ms (…)`, or why it is unknown."""
    del spec
    for result in status.capacity:
        if result.conclusion is not CapacityConclusion.SEARCHING:
            yield f"{result.variant}: {result.message}" if result.variant else result.message


def answer_scalability(spec: Spec, status: Status) -> Iterator[str]:
    """Yield how throughput grows with users, where a knee was seen."""
    del spec
    for found in status.scalability:
        if found.knee_users is not None:
            yield f"{found.variant}: {found.message}" if found.variant else found.message
