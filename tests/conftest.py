"""What all suites share: when a test counts as hung, and how many cases are generated."""

import gc
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# The first test of a file or session pays for its fixtures: whole benchmarks in `e2e`.
SUITE_SECONDS = {"chart": 60, "contract": 180, "integration": 180, "e2e": 900}
TESTS = Path(__file__).parent
LONG_FILES = (
    "e2e/targets/test_solr_operator_losses.py",
    "e2e/targets/test_existing.py",
    "e2e/test_losses.py",
    "e2e/test_indexing_steps.py",
    "e2e/test_failures.py",
    "e2e/test_lifecycle.py",
    "e2e/test_repeats.py",
    "e2e/test_versions.py",
    "e2e/test_backup.py",
    "e2e/test_standard.py",
    "e2e/results/test_objectives.py",
    "e2e/results/test_comparison.py",
    "e2e/targets/test_variants.py",
    "integration/test_interferences.py",
    "integration/test_transitions.py",
    "integration/test_two_operators.py",
    "integration/load/test_losses.py",
    "integration/load/test_processes.py",
    "integration/load/test_each_once.py",
)
"""What takes more than a minute and a half begins first: begun last, the others wait for it."""

# For `make unit`; without it, a test has as many examples as it says, or 100.
settings.register_profile("quick", max_examples=10, deadline=None)
# No test of times: the default deadline of 200 ms for an example is missed on a busy machine.
settings.register_profile("whole", deadline=None)
settings.load_profile("whole")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with long files; give tests of slow suites without a time-out that of the suite."""
    places = {TESTS / file: place for place, file in enumerate(LONG_FILES)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
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
