"""Whether objectives name steps that there are."""

from solrbench.api.v1alpha1.spec import Spec
from solrbench.decide.checks.outcome import Outcome, fail
from solrbench.reasons.lifecycle import LifecycleReason


def check_objective_steps(spec: Spec) -> Outcome | None:
    """Fail at the first objective for a step that `load.steps` does not have.

    In the schema this would compare each name with each, and default names are made of numbers.
    """
    known = [step.name for step in spec.load.steps]
    for index, objective in enumerate(spec.objectives):
        unknown = [name for name in objective.steps if name not in known]
        if unknown:
            return fail(
                LifecycleReason.OBJECTIVE_STEP_NOT_FOUND,
                f"spec.objectives[{index}].steps names {unknown[0]}, which is not in load.steps"
                f" ({', '.join(known) or 'there are none'}); name one of these, or leave steps out",
            )
    return None
