"""The operator against the real API server, killed and disturbed: all ends as undisturbed."""

import os
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.kinds import SWEEP
from support.cluster.admission import reach_api_server
from support.cluster.disturbed_operator import drawn, outcome

CASES = int(os.environ.get("INTERFERENCES", "7"))
"""One of each fault; `make soak` draws 500."""
OUTAGE_SECONDS = 8.0
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    server = reach_api_server()
    server.install_definition()
    server.install_definition(SWEEP)
    found = outcome(None, tmp_path_factory.mktemp("undisturbed"))
    states = [each for each in found.values() if isinstance(each, dict)]
    assert [each["phase"] for each in states[:4]] == ["Failed"] * 4
    assert not any(each["held"] for each in states)
    return found


@pytest.mark.parametrize("seed", range(CASES))
def test_a_disturbed_operator_comes_to_the_same_end(
    seed: int, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    interference = drawn(seed, OUTAGE_SECONDS)
    assert outcome(interference, tmp_path) == undisturbed, interference


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_an_api_server_that_is_away_for_five_minutes(
    undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    assert outcome(drawn(6, 300.0), tmp_path) == undisturbed
