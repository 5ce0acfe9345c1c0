"""How long each phase may take."""

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.decide.deadlines import deadline_seconds
from support.resources.small_resource import resource

LIMITS = {"provisioningSeconds": 10, "indexingSeconds": 20, "measuringSeconds": 30}
SPEC = SolrBenchmark.parse(resource({"spec.deadlines": LIMITS})).spec


@pytest.mark.parametrize(
    ("phase", "seconds"),
    [
        ("Pending", 10),
        ("Provisioning", 10),
        ("Indexing", 20),
        ("Measuring", 30),
        ("Queued", None),
        ("Suspended", None),
        ("Succeeded", None),
    ],
)
def test_limit_of_a_phase(phase: str, seconds: int | None) -> None:
    assert deadline_seconds(SPEC, phase) == seconds
