"""The ladder unrolled: every step of every repeat, in the order of measuring."""

from dataclasses import dataclass

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.load import Step


@dataclass(frozen=True, order=True)
class PassId:
    """One step of one repeat through one variant of the target.

    Attributes:
        repeat: from 1
        place: place of the variant in the target, from 0; 0 without variants
        position: place of the step in the ladder, from 0
        step: name of the step
        variant: name of the variant, empty without variants

    """

    repeat: int
    place: int
    position: int
    step: str
    variant: str = ""

    def __str__(self) -> str:
        door = f"v{self.place}-" if self.variant else ""
        return f"r{self.repeat}-{door}s{self.position}-{self.step}"


def all_passes(spec: Spec) -> tuple[PassId, ...]:
    """Return every step of every repeat through every variant, in the order of measuring.

    Repeats are the outer loop, so drift hits all steps alike; variants take turns within each, the
    whole ladder at a time (A B A B), so drift hits all variants alike.
    """
    return tuple(
        PassId(repeat, place, position, step.name, variant)
        for repeat in range(1, spec.load.repeats + 1)
        for place, variant in enumerate(variant_names(spec))
        for position, step in enumerate(spec.load.steps)
    )


def variant_names(spec: Spec) -> tuple[str, ...]:
    """Return the names of the variants in their order; one empty name without variants."""
    return tuple(variant.name for variant in spec.target.variants) or ("",)


def remaining_passes(spec: Spec, stored: frozenset[str]) -> tuple[PassId, ...]:
    """Return the passes that are not among the `stored` ids, in order."""
    return tuple(each for each in all_passes(spec) if str(each) not in stored)


def step_of(spec: Spec, pass_id: PassId) -> Step:
    """Return the step that a pass measures."""
    return spec.load.steps[pass_id.position]


def rate_before(spec: Spec, pass_id: PassId) -> float:
    """Return the planned rate of the step before in the ladder, per second; 0 without one."""
    if pass_id.position == 0:
        return 0.0
    return spec.load.steps[pass_id.position - 1].requests_per_second or 0.0
