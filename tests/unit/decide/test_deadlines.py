"""How long each stage may take."""

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.decide.conditions import (
    ACCEPTED,
    CLEANED_UP,
    COMPLETE,
    DATA_INDEXED,
    MEASURED,
    SUCCEEDED,
    TARGET_READY,
)
from solrbench.decide.deadlines import deadline_seconds
from support.resources.small_resource import resource

LIMITS = {"provisioningSeconds": 10, "indexingSeconds": 20, "measuringSeconds": 30}
SPEC = SolrBenchmark.parse(resource({"spec.deadlines": LIMITS})).spec


@pytest.mark.parametrize(
    ("condition", "seconds"),
    [
        (ACCEPTED, 10),
        (TARGET_READY, 10),
        (DATA_INDEXED, 20),
        (MEASURED, 30),
        (SUCCEEDED, None),
        (CLEANED_UP, None),
        (COMPLETE, None),
    ],
)
def test_limit_of_a_stage(condition: str, seconds: int | None) -> None:
    assert deadline_seconds(SPEC, condition) == seconds
