"""What all suites share: when a test counts as hung, and how many cases are generated."""

import gc
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# The first test of a file or session pays for its fixtures: whole benchmarks in `e2e`.
SUITE_SECONDS = {"chart": 60, "contract": 180, "integration": 180, "e2e": 900}
TESTS = Path(__file__).parent

# For `make unit`; without it, a test has as many examples as it says, or 100.
settings.register_profile("quick", max_examples=10, deadline=None)
# No test of times: the default deadline of 200 ms for an example is missed on a busy machine.
settings.register_profile("whole", deadline=None)
settings.load_profile("whole")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests of the slow suites without a time-out of their own that of the suite."""
    for item in items:
        seconds = SUITE_SECONDS.get(item.path.relative_to(TESTS).parts[0])
        if seconds is not None and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(seconds))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is imported and collected out of garbage collections: it stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
