from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.load.warm_up import WarmUp
from solrbench.plan.warm_up import DEFAULT_WARM_UP, empties_caches, prepares_each_step, warm_up_of
from support.resources.small_resource import Changes, custom_locustfile, resource

ONCE: Changes = {"spec.workload.queries": {"configMap": {"name": "q"}, "order": "Once"}}

BETWEEN: Changes = {"spec.load.between.warmUp": {"requests": 7}}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, DEFAULT_WARM_UP),
        (custom_locustfile(), DEFAULT_WARM_UP),
        (ONCE, None),
        (ONCE | {"spec.warmUp": {"requests": 5}}, WarmUp(requests=5)),
        ({"spec.warmUp": {"requests": 0}}, None),
        ({"spec.warmUp": {"durationSeconds": 9}}, WarmUp(duration_seconds=9)),
        (BETWEEN | {"spec.warmUp": {"durationSeconds": 9}}, WarmUp(requests=7)),
        ({"spec.load.between": {}, "spec.warmUp": {"requests": 9}}, WarmUp(requests=9)),
        ({"spec.load.between.warmUp": {"requests": 0}}, None),
        (ONCE | {"spec.workload.warmUpQueries": {"configMap": {"name": "w"}}}, DEFAULT_WARM_UP),
    ],
)
def test_warm_up_of_a_step_follows_its_spec(
    changes: dict[str, Any], expected: WarmUp | None
) -> None:
    spec = SolrBenchmark.model_validate(resource(changes)).spec
    assert warm_up_of(spec) == expected


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        (None, (False, False)),
        ({}, (True, False)),
        ({"caches": "Empty"}, (True, True)),
        ({"before": "EachRepeat", "caches": "Empty"}, (False, True)),
    ],
)
def test_preparation_of_a_step_follows_its_spec(
    between: dict[str, Any] | None, expected: tuple[bool, bool]
) -> None:
    changes = {} if between is None else {"spec.load.between": between}
    spec = SolrBenchmark.model_validate(resource(changes)).spec
    assert (prepares_each_step(spec), empties_caches(spec)) == expected
