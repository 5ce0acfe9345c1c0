"""The real API server's verdict on sweeps, by a definition of a group of its own."""

import copy
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from hack.generate.crd import build_crd
from solrbench.api.kinds import SWEEP
from solrbench.api.rules import plain
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from support.cluster.admission import RejectedError, reach_api_server, refusals
from support.cluster.definitions import installed, try_create
from support.resources.bad.sweeps import BAD_SWEEPS
from support.resources.small_resource import Changes, change
from support.resources.small_sweep import CACHES, HEAP, small_sweep

pytestmark = pytest.mark.cluster
Body = dict[str, Any]
GROUP = f"t{uuid.uuid4().hex[:8]}.solrbench.test"
REFUSED: dict[str, tuple[Changes, str]] = {
    "design": ({"spec.design": "Full"}, "spec.design must not change"),
    "order": ({"spec.order": "Random"}, "spec.order must not change"),
    "objective": ({"spec.objective.metric": "RequestsPerSecond"}, "spec.objective must not"),
    "seed": ({"spec.seed": 2}, "spec.seed must not change"),
}
ACCEPTED: dict[str, Changes] = {
    "values": {"spec.axes.0.values": [*HEAP["values"], "4Gi"]},
    "suspend": {"spec.suspend": True},
    "parallelism": {"spec.parallelism": 2},
    "fail fast": {"spec.failFast": True},
    "ttl": {"spec.ttlSecondsAfterFinished": 1},
    "exclude": {"spec.exclude": ["point.heap == '1Gi'"]},
}


@pytest.fixture(scope="module")
def dynamic() -> Iterator[DynamicClient]:
    reach_api_server()
    definition = copy.deepcopy(build_crd(SWEEP))
    definition["metadata"]["name"] = f"{SWEEP.plural}.{GROUP}"
    definition["spec"]["group"] = GROUP
    found = DynamicClient(config.new_client_from_config())
    with installed(found, definition):
        yield found


@pytest.fixture(scope="module")
def stored(dynamic: DynamicClient) -> Iterator[Body]:
    resource = dynamic.resources.get(api_version=f"{GROUP}/v1alpha1", kind=SWEEP.name)
    yield resource.create(body=renamed(small_sweep()), namespace="default").to_dict()
    resource.delete(name="trial", namespace="default")


def renamed(body: Body) -> Body:
    """Return a sweep of the other group."""
    return body | {"apiVersion": f"{GROUP}/v1alpha1"}


def update(dynamic: DynamicClient, stored: Body, changes: Changes) -> Body:
    """Return what would be stored.

    Raises:
        RejectedError: if it is refused.
    """
    body = copy.deepcopy(stored)
    for path, value in changes.items():
        change(body, path, value)
    resource = dynamic.resources.get(api_version=f"{GROUP}/v1alpha1", kind=SWEEP.name)
    with refusals():
        found: Body = resource.replace(
            body=body, namespace="default", query_params=[("dryRun", "All")]
        ).to_dict()
    return found


def test_a_sweep_is_stored_with_the_defaults_of_the_models(dynamic: DynamicClient) -> None:
    body = small_sweep({"spec.axes": [HEAP, CACHES], "spec.baseline": {"caches": "small"}})
    found = try_create(dynamic, renamed(body))["spec"]
    sweep = SolrBenchmarkSweep.parse(body)
    assert found == plain(sweep.spec)


@pytest.mark.parametrize("name", BAD_SWEEPS)
def test_bad_sweeps_are_refused_with_field_and_remedy(dynamic: DynamicClient, name: str) -> None:
    changes, words = BAD_SWEEPS[name]
    with pytest.raises(RejectedError) as caught:
        try_create(dynamic, renamed(small_sweep(changes)))
    assert words in str(caught.value)


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_change_points_is_refused(
    dynamic: DynamicClient, stored: Body, name: str
) -> None:
    changes, words = REFUSED[name]
    with pytest.raises(RejectedError) as caught:
        update(dynamic, stored, changes)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_may_change_is_stored(dynamic: DynamicClient, stored: Body, name: str) -> None:
    assert update(dynamic, stored, ACCEPTED[name])["spec"] != stored["spec"]


def test_no_field_of_a_template_is_lost(dynamic: DynamicClient) -> None:
    selector = {"spec.target.solrCloud.nodeSelector": {"a.example/b": "c"}}
    body = small_sweep({"metadata.name": "other"}, selector)
    found = try_create(dynamic, renamed(body))
    assert found["spec"]["template"] == body["spec"]["template"] | {
        "metadata": {"labels": {}, "annotations": {}}
    }
