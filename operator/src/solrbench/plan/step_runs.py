"""The ladder unrolled: every step of every repeat, in the order of measuring."""

from dataclasses import dataclass

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.load import Step
from solrbench.api.v1alpha1.load.rate_changes import last_rate


@dataclass(frozen=True, order=True)
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


def all_step_runs(spec: Spec) -> tuple[StepRunId, ...]:
    """Return every step of every repeat through every variant, in the order of measuring.

    Repeats are the outer loop, so drift affects all steps equally; variants take turns within
    each, the whole ladder at a time (A B A B), so drift affects all variants equally.
    """
    return tuple(
        StepRunId(repeat, index, position, step.name, variant)
        for repeat in range(1, spec.load.repeats.count + 1)
        for index, variant in enumerate(variant_names(spec))
        for position, step in enumerate(spec.load.steps)
    )


def variant_names(spec: Spec) -> tuple[str, ...]:
    """Return the names of the variants in their order; one empty name without variants."""
    return tuple(variant.name for variant in spec.target.variants) or ("",)


def remaining_step_runs(spec: Spec, stored: frozenset[str]) -> tuple[StepRunId, ...]:
    """Return the step runs that are not among the `stored` ids, in order."""
    return tuple(each for each in all_step_runs(spec) if str(each) not in stored)


def step_of(spec: Spec, step_run: StepRunId) -> Step:
    """Return the step that a step run measures."""
    return spec.load.steps[step_run.step_index]


def rate_before(spec: Spec, step_run: StepRunId) -> float:
    """Return the planned rate of the step before in the ladder, per second; 0 without one."""
    if step_run.step_index == 0:
        return 0.0
    return last_rate(spec.load.steps[step_run.step_index - 1])
