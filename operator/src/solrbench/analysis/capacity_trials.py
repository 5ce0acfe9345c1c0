"""From stored step runs to the trials of a search, and from trials to the next step run.

The load master and the operator both decide by `next_trial`, from the same documents: one that is
started again goes on with what is stored, and measures no trial twice.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import count
from operator import attrgetter, itemgetter

from solrbench.analysis.arrivals import sum_arrivals
from solrbench.analysis.objectives import measure
from solrbench.analysis.samples import BenchmarkSamples, RunSamples, StepSamples
from solrbench.analysis.sentences import limit_of
from solrbench.api.v1alpha1.objectives import PROBE_SECONDS, Objective, SearchFor
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


class VariantSearch:
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
    runs = (VariantSearch(search, trials, variant).next_run() for variant in search.variants)
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
    excess, is_long = _farthest(run, objectives)
    return StoredTrial(
        variant=document.variant,
        number=document.trial or PROBE,
        requests_per_second=rate,
        users=document.users if is_closed else None,
        excess=excess,
        is_long=is_long,
    )


def _farthest(run: RunSamples, objectives: Iterable[Objective]) -> tuple[float, bool]:
    """Return the excess of the objective that a trial exceeded most, and whether it is long."""
    samples, found, missed = StepSamples([run]), list[tuple[float, bool]](), (1.0, True)
    if run.document.ended_early is not None:
        return missed  # as the target was gone
    for objective in objectives:
        if objective.limits_trials and (measured := measure(objective, samples)) is not None:
            share = limit_of(objective)[0] / measured.value if measured.value > 0 else math.inf
            found.append((max(1 - share, -1.0), measured.interval is not None))
    # Without a response there is nothing to measure: the trial misses by as much as is possible.
    return max(found, key=itemgetter(0), default=missed)


def good_rate(run: RunSamples) -> float:
    """Return the good arrivals of a step run per second: of a transaction one, as in a rate."""
    document, counts = run.document, sum_arrivals([run.document])
    if not counts.requests or not document.rate_seconds:
        return 0.0
    good = (counts.requests - counts.failures) / counts.requests
    return good * document.rated(counts) / document.rate_seconds


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
