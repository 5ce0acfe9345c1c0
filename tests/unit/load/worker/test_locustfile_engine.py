"""The states of a locustfile's step run, in a process of their own: importing Locust patches it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
PROGRAM = ROOT / "tests/support/load/step_run_scenarios.py"
PATHS = (ROOT / "operator" / "src", ROOT / "tests")


@pytest.mark.slow
def test_every_scenario_goes_through_its_states() -> None:
    ran = subprocess.run(
        [sys.executable, str(PROGRAM)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONPATH": os.pathsep.join(map(str, PATHS))},
    )
    problems = json.loads(ran.stdout)
    assert len(problems) == 11
    assert {name: text for name, text in problems.items() if text} == {}
