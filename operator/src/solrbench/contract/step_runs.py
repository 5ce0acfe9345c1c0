"""The ladder unrolled: every step of every repeat, in the order of measuring."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.load import Step
from solrbench.api.v1alpha1.load.rate_changes import last_rate
from solrbench.api.v1alpha1.load.repeats import RepeatOrder, RepeatStart

FIRST_REPEAT = 1


@dataclass(frozen=True)
class StepRunId:
    """One step of one repeat through one variant of the target.

    Attributes:
        repeat: from 1
        variant_index: place of the variant in the target, from 0; 0 without variants
        step_index: place of the step in the ladder, from 0
        step: name of the step
        variant: name of the variant, empty without variants

    """

    repeat: int
    variant_index: int
    step_index: int
    step: str
    variant: str = ""

    def __str__(self) -> str:
        endpoint = f"v{self.variant_index}-" if self.variant else ""
        return f"r{self.repeat}-{endpoint}s{self.step_index}-{self.step}"


def all_step_runs(spec: Spec, repeats: int | None = None) -> tuple[StepRunId, ...]:
    """Return every step of every repeat through every variant, in the order of measuring.

    Repeats are the outer loop, so drift affects all steps equally; variants take turns within
    each, the whole ladder at a time, in the order of `load.repeats.order`. Steps keep their order:
    ramps begin where the step before ended, and a low load after a high one finds warmer caches.

    Args:
        spec: of the benchmark
        repeats: how many of them; all that there may be when absent

    """
    names = variant_names(spec)
    return tuple(
        StepRunId(repeat, index, position, step.name, names[index])
        for repeat in range(FIRST_REPEAT, (repeats or spec.load.repeats.most) + 1)
        for index in variant_order(spec, repeat)
        for position, step in enumerate(spec.load.steps)
    )


def variant_order(spec: Spec, repeat: int) -> list[int]:
    """Return the places of the variants in the order in which one repeat measures them.

    A drift that goes on through all repeats falls on both variants alike only if neither is always
    the first: with A B A B it is taken for a difference (docs/method.md has the rates).
    """
    places = list(range(len(variant_names(spec))))
    match spec.load.repeats.order:
        case RepeatOrder.LISTED:
            return places
        case RepeatOrder.INTERLEAVED:
            return places if repeat % 2 else places[::-1]
        case RepeatOrder.RANDOM:
            return sorted(places, key=lambda place: _draw(spec.seed, repeat, place))


def _draw(seed: int, repeat: int, place: int) -> bytes:
    """Return bytes to sort by: distinct and evenly distributed, they make a random permutation."""
    return hashlib.blake2b(f"order/{seed}/{repeat}/{place}".encode(), digest_size=16).digest()


def variant_names(spec: Spec) -> tuple[str, ...]:
    """Return the names of the variants in their order; one empty name without variants."""
    return tuple(variant.name for variant in spec.target.variants) or ("",)


def remaining_step_runs(
    spec: Spec, stored: frozenset[str], repeats: int | None = None
) -> tuple[StepRunId, ...]:
    """Return the step runs that are not among the `stored` ids, in order, as `all_step_runs`."""
    return tuple(each for each in all_step_runs(spec, repeats) if str(each) not in stored)


def measured_on_target(
    spec: Spec, step_runs: Iterable[StepRunId], repeat: int | None
) -> tuple[StepRunId, ...]:
    """Return those of some step runs that are measured on the present target and data, in order.

    Args:
        spec: of the benchmark
        step_runs: to choose from
        repeat: that target or data were made for; absent during the first

    """
    if spec.load.repeats.start_on is RepeatStart.SAME_TARGET:
        return tuple(step_runs)
    return tuple(each for each in step_runs if each.repeat == (repeat or FIRST_REPEAT))


def step_of(spec: Spec, step_run: StepRunId) -> Step:
    """Return the step that a step run measures."""
    return spec.load.steps[step_run.step_index]


def rate_before(spec: Spec, step_run: StepRunId) -> float:
    """Return the planned rate of the step before in the ladder, per second; 0 without one."""
    if step_run.step_index == 0:
        return 0.0
    return last_rate(spec.load.steps[step_run.step_index - 1])
