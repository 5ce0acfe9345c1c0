"""What the load is told."""

import json

from solrbench.plan.load_plan import LoadPlan
from unit.controller.test_losses import measured_so_far, solr_pod

VARIANTS = [
    {"name": "raw", "door": "Nodes"},
    {"name": "service", "door": "Service"},
    {"name": "proxy", "urls": ["http://proxy/solr"]},
]


def planned(**target: object) -> LoadPlan:
    """Return the plan that the load pods of a benchmark read."""
    world = measured_so_far(retries=2)
    body = world.cluster.objects["SolrBenchmark", "default", "one"]
    body["spec"]["target"] |= target
    world.cluster.put(solr_pod())
    world.make_pass("one")
    found = world.cluster.objects["ConfigMap", "default", "one-load-master"]
    return LoadPlan.model_validate(json.loads(found["data"]["load-plan.json"]))


def test_variants_are_told_once_with_their_addresses() -> None:
    plan = planned(variants=VARIANTS)
    node = "http://one-solr-0.one-solr.default.svc:8983/solr"
    assert {each.variant: each.urls for each in plan.variants} == {
        "raw": [node],
        "service": ["http://one-solr-common.default.svc:8983/solr"],
        "proxy": ["http://proxy/solr"],
    }
    assert [(each.id, each.variant) for each in plan.passes] == [
        ("r1-v0-s0-two-users", "raw"),
        ("r1-v1-s0-two-users", "service"),
        ("r1-v2-s0-two-users", "proxy"),
    ]


def test_without_variants_the_load_goes_to_the_nodes() -> None:
    plan = planned()
    assert plan.variants == []
    assert plan.solr_urls == ["http://one-solr-0.one-solr.default.svc:8983/solr"]
    assert [(each.id, each.variant) for each in plan.passes] == [("r1-s0-two-users", "")]
