"""The ladder unrolled: every step of every repeat, in the order of measuring."""

from dataclasses import dataclass

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load import Step


@dataclass(frozen=True, order=True)
class PassId:
    """One step of one repeat.

    Attributes:
        repeat: from 1
        position: place of the step in the ladder, from 0
        step: name of the step

    """

    repeat: int
    position: int
    step: str

    def __str__(self) -> str:
        return f"r{self.repeat}-s{self.position}-{self.step}"


def all_passes(spec: Spec) -> tuple[PassId, ...]:
    """Return every step of every repeat; repeats are the outer loop, so drift hits all alike."""
    return tuple(
        PassId(repeat, position, step.name)
        for repeat in range(1, spec.load.repeats + 1)
        for position, step in enumerate(spec.load.steps)
    )


def remaining_passes(spec: Spec, stored: frozenset[str]) -> tuple[PassId, ...]:
    """Return the passes that are not among the `stored` ids, in order."""
    return tuple(each for each in all_passes(spec) if str(each) not in stored)


def step_of(spec: Spec, pass_id: PassId) -> Step:
    """Return the step that a pass measures."""
    return spec.load.steps[pass_id.position]
