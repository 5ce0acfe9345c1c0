"""From stored step runs to trials, from trials to the next step run, and what the search has found.

The load master and the operator both decide by `next_trial`, from the same documents: one that is
started again goes on with what is stored, and measures no trial twice.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count
from operator import attrgetter
from typing import NamedTuple

from solrbench.analysis.arrivals import sum_arrivals
from solrbench.analysis.objectives import failed_percent, measure
from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, RunSamples, StepSamples
from solrbench.analysis.sentences import CONFIDENCE, describe, limit_of, name_variant
from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.findings import (
    CAPACITY_UNITS,
    CapacityConclusion,
    CapacityResult,
    TrialResult,
)
from solrbench.api.v1alpha1.objectives import (
    MAX_TRIAL_SECONDS,
    MAX_TRIALS,
    PROBE_SECONDS,
    Capacity,
    Objective,
    SearchFor,
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
from solrbench.contract.step_runs import variant_names
from solrbench.stats.capacity_estimate import CapacityEstimate, estimate, estimate_users
from solrbench.stats.capacity_line import Trial
from solrbench.stats.capacity_search import UserRange, next_rate, next_users
from solrbench.stats.confirmation import Confirmation, can_overload, confirm, overload_rate
from solrbench.stats.number_format import (
    count_noun,
    format_number,
    milliseconds,
    round_decimals,
    round_number,
)


class _VariantSearch:
    """The search through one variant, as far as it is stored."""

    def __init__(self, search: CapacitySearch, stored: Iterable[StoredTrial], variant: str) -> None:
        own = sorted((each for each in stored if each.variant == variant), key=attrgetter("number"))
        most = search.capacity.max_trials
        self.search, self.variant = search, variant
        self.has_users = search.capacity.search_for is SearchFor.USERS
        self.probe = next((each for each in own if each.number == PROBE), None)
        self.stored_trials = [each for each in own if PROBE < each.number <= most]
        self.trials = list(map(as_trial, self.stored_trials))
        # They confirm what the trials found, up to the first that was lost.
        after = [each for each in own if each.number > most]
        self.confirming = [run for place, run in enumerate(after, most + 1) if run.number == place]

    @cached_property
    def found(self) -> CapacityEstimate:
        """What the trials found."""
        return estimate_users(self.trials) if self.has_users else estimate(self.trials)

    @property
    def confirmation(self) -> Confirmation:
        """What the confirming runs say of what the trials found; nothing if they found none."""
        if self.found.rate is None:
            return Confirmation()
        probed = 0.0 if self.probe is None else self.probe.requests_per_second
        has_overload = not self.has_users and can_overload(PROBE_SECONDS * probed)
        return confirm(
            [run.excess for run in self.confirming],
            self.found.held_excess,
            has_overload=has_overload,
            may_lower=self.found.is_steep,
            has_users=self.has_users,
        )

    def next_run(self) -> PlannedStepRun | None:
        """Return the step run after what is stored; None if the search is over."""
        search, probe, most = self.search, self.probe, self.search.capacity.max_trials
        if probe is None:
            return planned_probe(search, self.variant)
        within, overload = UserRange(search.workers, search.capacity.max_users), None
        level = (
            next_users(within, as_trial(probe), self.trials, most, search.seed)
            if self.has_users
            else next_rate(probe.requests_per_second, self.trials, most, search.seed)
        )
        # The first number that is not stored: a trial in between may have been lost.
        taken = {each.number for each in self.stored_trials}
        number = next(number for number in count(1) if number not in taken)
        if level is None:
            run, found = self.confirmation.next_run, self.found.rate
            if run is None or found is None:
                return None
            number, level = most + 1 + len(self.confirming), run.share * found
            if run.is_after_overload:
                overload = overload_rate(level, probe.requests_per_second)
        if self.has_users:
            return planned_users_trial(search, self.variant, number, within.nearest(level))
        return planned_trial(search, self.variant, number, level, overload)


def next_trial(search: CapacitySearch, trials: Sequence[StoredTrial]) -> PlannedStepRun | None:
    """Return the step run after the trials of all variants; None if the search is over for all."""
    runs = (_VariantSearch(search, trials, variant).next_run() for variant in search.variants)
    return next((run for run in runs if run is not None), None)


def as_trial(stored: StoredTrial) -> Trial:
    """Return a trial as the search takes it: by its users if it has any, else by its rate."""
    level = stored.requests_per_second if stored.users is None else stored.users
    return Trial(level, stored.excess, stored.is_long)


def read_trial(run: RunSamples, objectives: Iterable[Objective]) -> StoredTrial:
    """Return what a search needs of a measured trial."""
    document = run.document
    is_closed = document.planned_requests is None
    # The arrivals of a trial, which differ from the plan by chance, are what the target had to
    # serve; of users it is what it did serve.
    rate = good_rate(run) if is_closed else document.requests_per_second or 0.0
    if document.planned_requests and document.duration_seconds:
        rate = document.planned_requests / document.duration_seconds
    farthest = _farthest(run, objectives)
    return StoredTrial(
        variant=document.variant,
        number=document.trial or PROBE,
        requests_per_second=rate,
        users=document.users if is_closed else None,
        excess=farthest.excess,
        is_long=farthest.is_long,
    )


def _farthest(run: RunSamples, objectives: Iterable[Objective]) -> Trial:
    """Return how far a trial is beyond the objective that it exceeded most, from -1 to 1."""
    samples, found, missed = StepSamples([run]), list[Trial](), Trial(0.0, 1.0)
    if run.document.ended_early is not None:
        return missed  # as the target was gone
    for objective in objectives:
        if objective.limits_trials and (measured := measure(objective, samples)) is not None:
            share = limit_of(objective)[0] / measured.value if measured.value > 0 else math.inf
            found.append(Trial(0.0, max(1 - share, -1.0), measured.interval is not None))
    # Without a response there is nothing to measure: the trial misses by as much as is possible.
    return max(found, key=lambda each: each.excess, default=missed)


def good_rate(run: RunSamples) -> float:
    """Return the good arrivals of a step run per second: of a transaction one, as in a rate."""
    document, counts = run.document, sum_arrivals([run.document])
    if not counts.requests or not document.rate_seconds:
        return 0.0
    good = (counts.requests - counts.failures) / counts.requests
    return good * document.rated(counts) / document.rate_seconds


_DIGITS = 3
_NO_RECOVERY = "did not recover at any rate that was tried"


class LevelUnit(NamedTuple):
    """In what levels of trials are shown: trials of `indexing` are searched by updates."""

    name: str
    size: int = 1
    """By how much a level is multiplied: the documents of an update."""

    @classmethod
    def of(cls, capacity: Capacity) -> "LevelUnit":
        """Return the unit of a search."""
        if capacity.search_for is SearchFor.USERS:
            return cls("users")
        indexing = capacity.indexing
        return cls("requests/s") if indexing is None else cls("documents/s", indexing.batch_size)

    def number(self, level: float) -> float:
        """Return a level in this unit, as it is shown."""
        return round_number(self.size * level)

    def text(self, level: float) -> str:
        """Return a level with the unit."""
        number = self.number(level)
        name = "user" if self.name == "users" and number == 1 else self.name
        return f"{format_number(number)} {name}"


def capacity_search(samples: BenchmarkSamples) -> CapacitySearch | None:
    """Return the search as far as it is stored; None if the spec has none."""
    spec = samples.spec
    if spec.load.capacity is None:
        return None
    capacity = spec.load.capacity
    search = CapacitySearch(
        capacity=capacity,
        objectives=[each for each in spec.objectives if each.limits_trials_of(capacity)],
        max_failed_percent=spec.load.validity.max_failed_percent,
        variants=list(variant_names(spec)),
        workers=spec.load.workers,
        seed=spec.seed,
    )
    limits = search.limits
    stored = [read_trial(run, limits) for run in samples.runs if run.document.trial is not None]
    return search.model_copy(update={"stored": stored})


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
    own, most = _VariantSearch(search, search.stored, variant), search.capacity.max_trials
    found, confirmed, probe = own.found, own.confirmation, own.probe
    unit = LevelUnit.of(search.capacity)
    problem, remedy = _find_problem(search, found, runs, interferences)
    names = filter(None, (each.request for each in search.objectives))
    unsent = [name for name in names if not any(run.of(name).counts.due for run in runs)]
    if unsent:
        # Trials were held against the other objectives alone, or missed one that is of nothing.
        found = replace(found, rate=None, highest_met=None, lowest_missed=None)
        problem, remedy = f"no requests named {unsent[0]} were measured", " Check the name."
    # The last of them may have held what one before it did not.
    missed = [run for run in own.confirming if run.excess > found.held_excess]
    if not problem and confirmed.held_share is None and missed:
        at = unit.text(as_trial(missed[-1]).rate)
        problem = f"a longer run at {at} missed the objectives"
        remedy = _longer_trials(search)
    recovered = confirmed.recovered_share
    if recovered is not None and found.rate is not None:
        recovered = round_number(recovered * found.rate)
    held, by_trials = confirmed.held_share or 1.0, found.rate
    if by_trials is not None and found.lower is not None:
        found = replace(found, rate=held * by_trials, lower=held * found.lower)
    message = _message(found, problem, remedy, search, unit)
    if by_trials is not None and held < 1:
        message += f" Trials alone met them up to {unit.text(by_trials)}; longer runs did not."
    if not problem and recovered is not None:
        rate = f"recovers only at {unit.text(recovered)} or less"
        message += f" Once overloaded, it {rate if recovered else _NO_RECOVERY}."
    word = CapacityConclusion.INCONCLUSIVE if problem else CapacityConclusion.FOUND
    if own.next_run() is not None:
        word = CapacityConclusion.SEARCHING
        message = f"searching: {count_noun(len(own.trials), 'trial')} so far"
    # What is found is not shown before the search is over: the next trial may still move it.
    is_found = word is CapacityConclusion.FOUND
    level = found if is_found else replace(found, rate=None)
    return CapacityResult(
        variant=variant or None,
        conclusion=word,
        message=message,
        **_level_fields(level, unit),
        probe_requests_per_second=probe and round_number(probe.requests_per_second),
        recovered_requests_per_second=recovered if is_found and recovered else None,
        trials=_trials(runs, search, interferences, first=1, last=most),
        confirmations=_trials(runs, search, interferences, first=most + 1),
    )


def _find_problem(
    search: CapacitySearch,
    found: CapacityEstimate,
    runs: Iterable[RunSamples],
    interferences: Mapping[str, str],
) -> tuple[str, str]:
    """Return why trials have found nothing, or nothing that counts, and the remedy; or nothing."""
    if found.highest_met is None and found.lowest_missed is None:
        # Good ones may have come later, where many users make each other slow.
        problem = f"the users of the probe had no good response in {PROBE_SECONDS} s"
        return problem, " Check the requests and the target, or lower probeUsers."
    disturbed = [
        run.document.id
        for run in runs
        if run.document.id in interferences
        and run.document.trial != PROBE
        and (rate := as_trial(read_trial(run, [])).rate) > 0
        # Farther trials are not on the line, so that the result does not rest on them.
        and (found.rate is None or abs(math.log(rate / found.rate)) <= found.near)
    ]
    if disturbed:
        number = "1 trial was" if len(disturbed) == 1 else f"{len(disturbed)} trials were"
        problem = f"{number} disturbed, {disturbed[0]}: {interferences[disturbed[0]]}"
        also = f"{found.problem}, and " if found.problem else ""
        return f"{also}{problem}", " Remove the cause and search again."
    if found.is_cold:
        return found.problem, " Lengthen warmUp."
    if found.is_short and search.capacity.max_trials < MAX_TRIALS:
        return found.problem, " Raise maxTrials."
    remedy = " Check that the objectives fit the load."
    return found.problem, _longer_trials(search) if found.is_noisy else remedy


def _longer_trials(search: CapacitySearch) -> str:
    """Return the remedy for trials that do not show what the target holds for longer."""
    # Far longer ones, since the wait of a queue takes the longer to settle the fuller it is.
    wanted = min(4 * search.capacity.trial_seconds, MAX_TRIAL_SECONDS)
    return f" Set trialSeconds to {wanted}." if wanted > search.capacity.trial_seconds else ""


def _level_fields(found: CapacityEstimate, unit: LevelUnit) -> dict[str, object]:
    """Return what was found in its unit, updates as requests, too; the nearest met and missed."""
    field = CAPACITY_UNITS[unit.name]
    show: Callable[[float], float] = round if unit.name == "users" else unit.number
    fields = _level_fields(found, LevelUnit("requests/s")) if unit.name == "documents/s" else {}
    for name, level in (("highest_met", found.highest_met), ("lowest_missed", found.lowest_missed)):
        fields[f"{name}_{field}"] = None if level is None else show(level)
    if found.rate is not None and found.lower is not None and found.upper is not None:
        fields[field] = show(found.rate)
        fields[f"{field}_interval"] = Interval(lower=show(found.lower), upper=show(found.upper))
    return fields


def _message(
    found: CapacityEstimate, problem: str, remedy: str, search: CapacitySearch, unit: LevelUnit
) -> str:
    at, indexing = " and ".join(map(describe, search.objectives)), search.capacity.indexing
    if not problem and found.rate is not None:
        lower, upper = format_number(unit.number(found.lower or 0.0)), unit.text(found.upper or 0.0)
        bounds = f"{CONFIDENCE} {lower} to {upper}"
        of = "" if indexing is None else f" (batchSize {indexing.batch_size})"
        return f"This target sustains {unit.text(found.rate)}{of} with {at} ({bounds})."
    met, missed = found.highest_met, found.lowest_missed
    if met is not None and missed is None:
        # The fastest trial met it: the probe was too slow, or the search too short to get there.
        is_most = unit.name == "users" and met >= search.capacity.max_users
        field = "maxUsers" if is_most else "probeUsers or maxTrials"
        return (
            f"Capacity at {at} is beyond the tested range: the trial at {unit.text(met)} met the"
            f" objectives, none missed. Raise {field}."
        )
    known = []
    if met is not None:
        known.append(f"a trial at {unit.text(met)} met the objectives")
    if missed is not None:
        known.append(f"a trial at {unit.text(missed)} missed them")
    ends = f" {' and '.join(known).capitalize()}." if known else ""
    return f"Capacity at {at} is inconclusive: {problem}.{ends}{remedy}"


def _trials(
    runs: Sequence[RunSamples],
    search: CapacitySearch,
    interferences: Mapping[str, str],
    *,
    first: int,
    last: float = math.inf,
) -> list[TrialResult]:
    indexing = search.capacity.indexing
    size = None if indexing is None else indexing.batch_size
    known = {(each.variant, each.number): each for each in search.stored}
    return [
        TrialResult(
            requests_per_second=round(stored.requests_per_second, _DIGITS),
            documents_per_second=size and round(size * stored.requests_per_second, _DIGITS),
            users=stored.users,
            excess=round(stored.excess, _DIGITS),
            p95_milliseconds=milliseconds(run.of(ALL_REQUESTS).perceived.percentile(95)),
            failed_percent=round_decimals(failed_percent(StepSamples([run]))),
            disturbed=run.document.id in interferences,
        )
        for run in sorted(runs, key=lambda run: run.document.trial or PROBE)
        if first <= (number := run.document.trial or PROBE) <= last
        for stored in [known[run.document.variant, number]]
    ]


def answer_capacity(status: Status) -> Iterator[str]:
    """Yield `This target sustains 7.1 requests/s with p95 ≤ 200 ms …`, or why there is none."""
    for result in status.capacity:
        if result.conclusion is not CapacityConclusion.SEARCHING:
            yield name_variant(result.variant, result.message)


def answer_scalability(status: Status) -> Iterator[str]:
    """Yield how throughput grows with users, where a knee or a decline was seen."""
    for found in status.scalability:
        if found.knee_users is not None or found.declines:
            yield name_variant(found.variant, found.message)
