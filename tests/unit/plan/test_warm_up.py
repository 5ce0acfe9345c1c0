from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.load.warm_up import WarmUp
from solrbench.plan.warm_up import DEFAULT_WARM_UP, warm_up_of
from support.resources.small_resource import Changes, custom_locustfile, resource

ONCE: Changes = {"spec.workload.queries": {"configMap": {"name": "q"}, "order": "Once"}}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, DEFAULT_WARM_UP),
        (custom_locustfile(), DEFAULT_WARM_UP),
        (ONCE, None),
        (ONCE | {"spec.warmUp": {"requests": 5}}, WarmUp(requests=5)),
        ({"spec.warmUp": {"requests": 0}}, None),
        ({"spec.warmUp": {"durationSeconds": 9}}, WarmUp(duration_seconds=9)),
    ],
    ids=["default", "locustfile", "finite list", "finite list, as given", "none", "as given"],
)
def test_warm_up(changes: dict[str, Any], expected: WarmUp | None) -> None:
    spec = SolrBenchmark.model_validate(resource(changes)).spec
    assert warm_up_of(spec) == expected
