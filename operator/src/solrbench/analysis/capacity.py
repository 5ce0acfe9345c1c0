"""What the search for a capacity has found, in numbers and in words."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from solrbench.analysis.capacity_trials import VariantSearch, as_trial, capacity_search
from solrbench.analysis.objectives import failed_percent
from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, RunSamples, StepSamples
from solrbench.analysis.sentences import CONFIDENCE, describe, name_variant
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
    SearchFor,
)
from solrbench.api.v1alpha1.step_result import Interval
from solrbench.contract.load_plan import PROBE, CapacitySearch, StoredTrial
from solrbench.stats.capacity_estimate import CapacityEstimate
from solrbench.stats.number_format import (
    count_noun,
    format_number,
    milliseconds,
    round_decimals,
    round_number,
)

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


MeasuredTrial = tuple[RunSamples, StoredTrial]
"""A trial with its times, and as the search takes it."""


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
    measured = list(zip(trials, search.stored, strict=True))
    return [
        _result(VariantSearch(search, search.stored, variant), own, interferences)
        for variant in search.variants
        if (own := [each for each in measured if each[1].variant == variant])
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
    own: VariantSearch, measured: Sequence[MeasuredTrial], interferences: Mapping[str, str]
) -> CapacityResult:
    search, found, confirmed, probe = own.search, own.found, own.confirmation, own.probe
    unit, most = LevelUnit.of(search.capacity), search.capacity.max_trials
    names = filter(None, (each.request for each in search.objectives))
    unsent = [name for name in names if not any(run.of(name).counts.due for run, _ in measured)]
    if unsent:
        # Trials were held against the other objectives alone, or missed one that is of nothing.
        found = replace(found, rate=None, highest_met=None, lowest_missed=None)
        problem, remedy = f"no requests named {unsent[0]} were measured", " Check the name."
    else:
        problem, remedy = _find_problem(own, measured, interferences, unit)
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
        variant=own.variant or None,
        conclusion=word,
        message=message,
        **_level_fields(level, unit),
        probe_requests_per_second=probe and round_number(probe.requests_per_second),
        recovered_requests_per_second=recovered if is_found and recovered else None,
        trials=_trials(measured, search, interferences, first=1, last=most),
        confirmations=_trials(measured, search, interferences, first=most + 1),
    )


def _find_problem(
    own: VariantSearch,
    measured: Sequence[MeasuredTrial],
    interferences: Mapping[str, str],
    unit: LevelUnit,
) -> tuple[str, str]:
    """Return why trials have found nothing, or nothing that counts, and the remedy; or nothing."""
    search, found = own.search, own.found
    if found.highest_met is None and found.lowest_missed is None:
        # Good ones may have come later, where many users make each other slow.
        problem = f"the users of the probe had no good response in {PROBE_SECONDS} s"
        return problem, " Check the requests and the target, or lower probeUsers."
    disturbed = [
        run.document.id
        for run, stored in measured
        if run.document.id in interferences
        and stored.number != PROBE
        and (rate := as_trial(stored).rate) > 0
        # Farther trials are not on the line, so that the result does not rest on them.
        and (found.rate is None or abs(math.log(rate / found.rate)) <= found.near)
    ]
    if disturbed:
        number = "1 trial was" if len(disturbed) == 1 else f"{len(disturbed)} trials were"
        problem = f"{number} disturbed, {disturbed[0]}: {interferences[disturbed[0]]}"
        also = f"{found.problem}, and " if found.problem else ""
        return f"{also}{problem}", " Remove the cause and search again."
    # The last of them may have held what one before it did not.
    missed = [run for run in own.confirming if run.excess > found.held_excess]
    if not found.problem and own.confirmation.held_share is None and missed:
        at = unit.text(as_trial(missed[-1]).rate)
        return f"a longer run at {at} missed the objectives", _longer_trials(search)
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
    measured: Sequence[MeasuredTrial],
    search: CapacitySearch,
    interferences: Mapping[str, str],
    *,
    first: int,
    last: float = math.inf,
) -> list[TrialResult]:
    indexing = search.capacity.indexing
    size = None if indexing is None else indexing.batch_size
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
        for run, stored in sorted(measured, key=lambda each: each[1].number)
        if first <= stored.number <= last
    ]


def answer_capacity(status: Status) -> Iterator[str]:
    """Yield `This target sustains 7.1 requests/s with p95 ≤ 200 ms …`, or why there is none."""
    for result in status.capacity:
        if result.conclusion is not CapacityConclusion.SEARCHING:
            yield name_variant(result.variant, result.message)
