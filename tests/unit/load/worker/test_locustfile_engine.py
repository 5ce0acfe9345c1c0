"""The states of a locustfile's step run, in a process of their own: importing Locust patches it."""

import pytest

from support.load.own_process import run_python


@pytest.mark.slow
def test_every_scenario_goes_through_its_states() -> None:
    problems = run_python("-m", "support.load.step_run_scenarios")
    assert len(problems) == 12
    assert {name: text for name, text in problems.items() if text} == {}
