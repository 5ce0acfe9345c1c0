"""How throughput grows with users: knee and scalability law of the ladders of a benchmark."""

from collections.abc import Iterable, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.load import Step
from solrbench.api.v1alpha1.status.capacity import Scalability
from solrbench.api.v1alpha1.status.steps.intervals import Interval
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.plan.step_runs import variant_names
from solrbench.results.capacity.knee import Knee, find_knee
from solrbench.results.capacity.scalability_law import Level, declines, fit_law, stated_peak
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import format_number, round_number
from solrbench.results.summary.grouping import RunsByStep, group_step_runs, rated_requests

LEAST_LEVELS = 3
"""Levels from which on a ladder is looked at."""


def scalability(
    spec: Spec, documents: Iterable[StepRunResult], totals: Sequence[StepResult]
) -> list[Scalability]:
    """Return how each variant scales; none for fewer than three different numbers of users.

    Steps with think time are left out: their users are not always busy.

    Args:
        spec: of the benchmark
        documents: the stored step runs
        totals: all requests of each step and variant

    """
    steps = [each for each in spec.load.steps if each.users is not None and not each.think_time]
    runs = group_step_runs(spec, documents)
    found = [_of_variant(steps, variant, runs, totals) for variant in variant_names(spec)]
    return [each for each in found if each is not None]


def _of_variant(
    steps: Sequence[Step], variant: str, runs: RunsByStep, totals: Sequence[StepResult]
) -> Scalability | None:
    by_step = {each.step: each for each in totals if (each.variant or "") == variant}
    levels = [_level(step.users or 0, by_step[step.name]) for step in steps if step.name in by_step]
    if len({each.users for each in levels}) < LEAST_LEVELS:
        return None
    knee = find_knee(_repeats(steps, variant, runs))
    law = fit_law(levels)
    peak = stated_peak(levels, law)
    return Scalability(
        variant=variant or None,
        levels=len(levels),
        knee_users=None if knee is None else round_number(knee.at),
        knee_users_interval=_interval(knee),
        contention=None if law is None else round_number(law.contention),
        coherency=None if law is None else round_number(law.coherency),
        peak_users=None if peak is None else round_number(peak),
        message=describe_scaling(levels, knee, peak),
    )


def _level(users: int, result: StepResult) -> Level:
    interval = result.requests_per_second_interval
    if interval is None:
        return Level(users, result.requests_per_second)
    return Level(users, result.requests_per_second, interval.lower, interval.upper)


def _repeats(steps: Sequence[Step], variant: str, runs: RunsByStep) -> list[dict[int, float]]:
    """Return the rates by users of each repeat that ran all that any ran."""
    by_repeat: dict[int, dict[int, float]] = {}
    for step in steps:
        for document in runs[step.name, variant]:
            if document.rate_seconds > 0:
                rate = rated_requests([document]) / document.rate_seconds
                by_repeat.setdefault(document.repeat, {})[step.users or 0] = rate
    most = max(map(len, by_repeat.values()), default=0)
    return [each for each in by_repeat.values() if len(each) == most]


def _interval(knee: Knee | None) -> Interval | None:
    if knee is None or knee.interval is None:
        return None
    return Interval(lower=round_number(knee.interval[0]), upper=round_number(knee.interval[1]))


def describe_scaling(levels: Sequence[Level], knee: Knee | None, peak: float | None) -> str:
    """Return the highest throughput, the knee, and the peak or what is known of a decline."""
    best = max(levels, key=lambda each: each.rate)
    last = max(levels, key=lambda each: each.users)
    rate = format_number(round_number(best.rate))
    parts = [f"highest throughput {rate} requests/s, at {best.users} users"]
    if knee is not None:
        at = format_number(round_number(knee.at))
        parts.append(f"knee at {at} users{_bounds(knee)}")
    if peak is not None:
        at = format_number(round_number(peak))
        parts.append(f"peak at about {at} users by the Universal Scalability Law")
    elif declines(levels):
        parts.append(f"a decline up to {last.users} users, with too few levels to state a peak")
    elif last.rate < best.rate:
        less = format_number(round_number(last.rate))
        parts.append(f"{less} requests/s at {last.users} users, too near to call it a decline")
    else:
        parts.append(f"no decline up to {last.users} users")
    return "; ".join(parts)


def _bounds(knee: Knee) -> str:
    if knee.interval is None:
        return ""
    lower, upper = (format_number(round_number(each)) for each in knee.interval)
    return f" (95 %: {lower} to {upper})"
