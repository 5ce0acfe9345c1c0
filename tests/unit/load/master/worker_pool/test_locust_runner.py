"""What the pool takes for granted of Locust, in a process of its own: importing it patches one."""

import subprocess
import sys

import pytest

from solrbench.load.master.worker_pool.locust_runner import STATE_MISSING


@pytest.mark.slow
def test_missing_workers_are_in_the_state_that_locust_gives_them() -> None:
    program = "from locust.runners import STATE_MISSING; print(STATE_MISSING)"
    printed = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert printed.strip() == STATE_MISSING
