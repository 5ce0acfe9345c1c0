"""From stored step runs to trials, from trials to the next step run, and what the search has found.

The load master and the operator both decide by `next_trial`, from the same documents: one that is
started again goes on with what is stored, and measures no trial twice.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

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
from solrbench.analysis.sentences import describe, limit_of
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

_WORST = 1.0
_BEST = -1.0


def limits_of_trials(objectives: Iterable[Objective]) -> list[Objective]:
    """Return the objectives that trials have to meet."""
    return [objective for objective in objectives if objective.limits_trials]


def next_trial(search: CapacitySearch, trials: Sequence[StoredTrial]) -> PlannedStepRun | None:
    """Return the step run to measure next; None if the search is over for all variants.

    `trials` are all that are measured, of all variants.
    """
    for variant in search.variants:
        own = [stored_trial for stored_trial in trials if stored_trial.variant == variant]
        probe = next((stored_trial for stored_trial in own if stored_trial.number == PROBE), None)
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
    taken = {stored_trial.number for stored_trial in measured}
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


def in_order(trials: Iterable[StoredTrial]) -> list[StoredTrial]:
    """Return the trials without the probe, in the order in which they were planned."""
    return sorted(
        (trial for trial in trials if trial.number != PROBE), key=lambda trial: trial.number
    )


def read_trial(run: RunSamples, objectives: Iterable[Objective]) -> StoredTrial:
    """Return what a search needs of a measured trial.

    The rate is that of the arrivals of the trial, which differs from the planned one by chance: it
    is what the target had to serve. That of users is what it did serve.
    """
    document = run.document
    number = document.trial or PROBE
    is_closed = document.planned_requests is None
    return StoredTrial(
        variant=document.variant,
        number=number,
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
    return max(
        (
            _overshoot(measured.value, limit_of(objective)[0])
            for objective in limits_of_trials(objectives)
            if (measured := measure(objective, samples)) is not None
        ),
        default=_WORST,
    )


def _overshoot(value: float, limit: float) -> float:
    if value <= 0:
        return _BEST
    return max(1 - limit / value, _BEST)


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
    limits = limits_of_trials(spec.objectives)
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
    """Return what the search through each variant has found; none before its probe is stored."""
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
    users = searches_users(search)
    trials = list(map(as_trial, in_order(own)))
    capacity_estimate = estimate_users(trials) if users else estimate(trials)
    problem = capacity_estimate.problem or _interference(capacity_estimate, runs, interferences)
    searching = next_trial(alone, own) is not None
    word = CapacityConclusion.UNCLEAR if problem else CapacityConclusion.FOUND
    known = word is CapacityConclusion.FOUND
    message = _message(
        capacity_estimate, problem, search.objectives, "users" if users else "requests/s"
    )
    return CapacityResult(
        variant=variant or None,
        word=CapacityConclusion.SEARCHING if searching else word,
        message=f"searching: {len(trials)} trials so far" if searching else message,
        **_level_fields(capacity_estimate, users=users, known=known and not searching),
        **({} if users else _knee(runs)),
        probe_requests_per_second=_rounded(_probed(own)),
        trials=[_trial(each, search.objectives, interferences) for each in _ordered(runs)],
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
    interval = None if knee.interval is None else _interval(*knee.interval)
    return {
        "knee_requests_in_flight": round_number(knee.at),
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


def _interference(
    found: CapacityEstimate, runs: Sequence[RunSamples], interferences: Mapping[str, str]
) -> str:
    """Return why a trial that the result rests on does not show what the target can do."""
    if found.rate is None:
        return ""
    near = [
        run.document.id
        for run in runs
        if run.document.id in interferences
        and _is_near(as_trial(read_trial(run, [])).rate, found.rate)
    ]
    if not near:
        return ""
    return f"{len(near)} trials were disturbed, {near[0]}: {interferences[near[0]]}"


def _is_near(rate: float, centre: float) -> bool:
    return rate > 0 and abs(math.log(rate / centre)) <= NEAR


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
    trials = [run for run in runs if run.document.trial]
    return sorted(trials, key=lambda run: run.document.trial or PROBE)


def _probed(trials: Iterable[StoredTrial]) -> float | None:
    return next((trial.requests_per_second for trial in trials if trial.number == PROBE), None)


def _interval(lower: float, upper: float) -> Interval:
    return Interval(lower=round_number(lower), upper=round_number(upper))


def _whole(users: float | None) -> int | None:
    return None if users is None else round(users)


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round_number(rate)


def answer_capacity(spec: Spec, status: Status) -> Iterator[str]:
    """Yield `holds 7.1 requests/s (95 %: 6.6 to 7.5) at p95 ≤ 200 ms`, or why that is unclear."""
    del spec
    for result in status.capacity:
        if result.word is not CapacityConclusion.SEARCHING:
            yield f"{result.variant}: {result.message}" if result.variant else result.message


def answer_scalability(spec: Spec, status: Status) -> Iterator[str]:
    """Yield how throughput grows with users, where a knee was seen."""
    del spec
    for scalability in status.scalability:
        if scalability.knee_users is not None:
            yield (
                f"{scalability.variant}: {scalability.message}"
                if scalability.variant
                else scalability.message
            )
