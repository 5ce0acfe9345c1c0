"""Objectives that name steps."""

import pytest

from solrbench.decide.checks.objectives import check_objective_steps
from support.resources.objects import stored
from support.resources.small_resource import step

OBJECTIVE = {"name": "fast", "responseTime": {"maxMilliseconds": 1}}
STEPS = [step(name="low"), {"users": 5, "requests": 1}]


@pytest.mark.parametrize("names", [[], ["low"], ["users-5", "low"]])
def test_steps_that_there_are_may_be_named(names: list[str]) -> None:
    objectives = [OBJECTIVE | {"steps": names}]
    spec = stored({"spec.load.steps": STEPS, "spec.objectives": objectives}).spec
    assert check_objective_steps(spec) is None


def test_another_step_is_refused_with_those_that_there_are() -> None:
    objectives = [OBJECTIVE, OBJECTIVE | {"name": "two", "steps": ["low", "users-6"]}]
    spec = stored({"spec.load.steps": STEPS, "spec.objectives": objectives}).spec
    found = check_objective_steps(spec)
    assert found is not None
    assert found.reason == "ObjectiveStepNotFound"
    assert found.message == (
        "spec.objectives[1].steps names users-6, which is not in load.steps (low, users-5);"
        " name one of these, or leave steps out"
    )
