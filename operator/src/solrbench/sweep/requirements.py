"""How long the load of a benchmark takes, as far as its spec says so. Pure."""

from dataclasses import dataclass

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.load import Step
from solrbench.api.v1alpha1.rules.duration import search_seconds
from solrbench.plan.step_runs import variant_names
from solrbench.plan.warm_up import prepares_each_step, warm_up_of
from solrbench.results.stats.number_format import format_number

_Range = tuple[float, float]


@dataclass(frozen=True)
class LoadDuration:
    """Least and most time of steps, warm-ups and trials, without starts and pauses.

    Attributes:
        step_runs: steps of all repeats through all variants, as many as there may be
        least_seconds: with the fewest repeats and trials, and warm-ups that are steady at once
        most_seconds: with the most of both, and warm-ups that are never steady
        counted_runs: step runs that last as long as their requests take, which are in neither
        counted_warm_ups: warm-ups of which this is true

    """

    step_runs: int
    least_seconds: int
    most_seconds: int
    counted_runs: int
    counted_warm_ups: int

    def __add__(self, other: "LoadDuration") -> "LoadDuration":
        """Return that of both, one after the other."""
        return LoadDuration(
            self.step_runs + other.step_runs,
            self.least_seconds + other.least_seconds,
            self.most_seconds + other.most_seconds,
            self.counted_runs + other.counted_runs,
            self.counted_warm_ups + other.counted_warm_ups,
        )


NO_LOAD = LoadDuration(0, 0, 0, 0, 0)


def rounds_of(duration: LoadDuration, least: int, most: int) -> LoadDuration:
    """Return how long so many rounds of a load take."""
    return LoadDuration(
        duration.step_runs * most,
        duration.least_seconds * least,
        duration.most_seconds * most,
        duration.counted_runs * most,
        duration.counted_warm_ups * most,
    )


def load_duration(spec: Spec) -> LoadDuration:
    """Return how long the load takes."""
    variants, repeats = len(variant_names(spec)), spec.load.repeats
    known = [_seconds_of(each) for each in spec.load.steps]
    steps = sum(each or 0.0 for each in known)
    each_step = prepares_each_step(spec)
    warm_ups = len(known) if each_step else 1
    warm_up = _warm_up_seconds(spec)
    shortest, longest = warm_up or (0.0, 0.0)
    most_trials = spec.load.capacity.max_trials if spec.load.capacity and each_step else 0
    return LoadDuration(
        len(known) * repeats.most * variants,
        round((repeats.least * (steps + warm_ups * shortest) + search_seconds(spec, 1)) * variants),
        round(
            repeats.most * (steps + warm_ups * longest) * variants
            + (search_seconds(spec) + most_trials * longest) * variants
        ),
        known.count(None) * repeats.most * variants,
        0 if warm_up else warm_ups * repeats.most * variants,
    )


def _seconds_of(step: Step) -> float | None:
    """Return how long a step lasts; None if that depends on the target, or on a file."""
    ramp = step.ramp_seconds or 0
    if step.duration_seconds is not None:
        return step.duration_seconds + ramp
    if step.requests is not None and step.requests_per_second:
        return step.requests / step.requests_per_second + ramp
    return None


def _warm_up_seconds(spec: Spec) -> _Range | None:
    """Return how long a warm-up takes at least and at most; None if that depends on the target."""
    warm_up = warm_up_of(spec)
    if warm_up is None:
        return 0.0, 0.0
    if warm_up.until_steady is not None:
        until = warm_up.until_steady
        return until.windows * until.window_seconds, until.max_seconds
    seconds = warm_up.duration_seconds
    return None if seconds is None else (seconds, seconds)


def duration_text(duration: LoadDuration) -> str:
    """Return how long the load takes, as `12 to 15 min and 3 steps that end after …`."""
    parts = [_time_text(duration)] if duration.most_seconds else []
    for number, what in ((duration.counted_runs, "step"), (duration.counted_warm_ups, "warm-up")):
        plural, verb = ("s", "end") if number > 1 else ("", "ends")
        text = f"{number} {what}{plural} that {verb} after a number of requests"
        parts += [text] if number else []
    return " and ".join(parts)


def _time_text(duration: LoadDuration) -> str:
    shortest, longest = (_in_units(s) for s in (duration.least_seconds, duration.most_seconds))
    return longest if shortest == longest else f"{shortest} to {longest}"


def _in_units(seconds: int) -> str:
    unit, length = ("s", 1) if seconds < 120 else ("min", 60) if seconds < 7200 else ("h", 3600)
    return f"{format_number(seconds / length)} {unit}"
