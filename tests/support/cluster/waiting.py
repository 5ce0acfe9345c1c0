"""Waiting for what the controllers of a real cluster do."""

import time
from collections.abc import Callable

POLL_SECONDS = 0.2


def wait_until(holds: Callable[[], bool], what: str, seconds: float) -> None:
    """Wait until something holds.

    Raises:
        AssertionError: if it does not in time.
    """
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited {seconds:g} s for {what}"
        time.sleep(POLL_SECONDS)
