"""Two operators of one Lease, paused and killed in turn: one writes at a time."""

import os
from pathlib import Path

import pytest

from solrbench.api.kinds import BENCHMARK, SWEEP
from support.cluster.admission import reach_api_server
from support.cluster.disturbed_operator import OWNED, bring_to_end, namespace_without_pods
from support.cluster.two_operators import OperatorPair, doubles, recorded, writes_without_lease

SECONDS = float(os.environ.get("TWO_OPERATORS_SECONDS", "20"))
"""For which they are paused and killed; `make soak-interferences` takes ten minutes."""
SEED = int(os.environ.get("SEED", "1"))
RESOURCES = (BENCHMARK.plural, SWEEP.plural)
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(2 * SECONDS + 600)]


def test_every_status_is_of_the_holder_of_the_lease_and_no_object_is_made_twice(
    tmp_path: Path,
) -> None:
    server = reach_api_server()
    server.install_definition()
    server.install_definition(SWEEP)
    with (
        namespace_without_pods() as namespace,
        recorded(namespace, "leases", *RESOURCES, *OWNED) as versions,
    ):
        operators, ends = OperatorPair(namespace, tmp_path, SEED, SECONDS), []
        try:
            while not operators.is_over():
                ends.append(bring_to_end(namespace, operators.keep_running, operators.log, 240))
        finally:
            operators.close()
    leases, resources = versions["leases"], [each for kind in RESOURCES for each in versions[kind]]
    holders = {each["spec"]["acquireTime"] for each in leases}
    print(f"{len(ends)} rounds, {operators.counts}, {len(holders)} times another holder")
    assert len(holders) > 1
    assert writes_without_lease(resources, leases) == []
    assert doubles(body for kind in (BENCHMARK.plural, *OWNED) for body in versions[kind]) == {}
    assert all(each == ends[0] for each in ends)
    states = [each for each in ends[0].values() if isinstance(each, dict)]
    assert [each["phase"] for each in states[:4]] == ["Failed"] * 4
    assert "unexpected exception" not in operators.log()
