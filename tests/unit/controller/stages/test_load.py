"""The plan that the load gets, and what is made of its results."""

from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract import names
from solrbench.contract.load_plan import LoadPlan, Resumption
from solrbench.contract.windows import RequestWindow
from solrbench.controller import endpoint
from solrbench.controller.objects import ensure_agent_token, stored_token
from support.cluster.benchmarks import service
from support.controller.runs import reconcile_context
from support.controller.world import condition_of
from support.controller.worlds import master_pod, measured_so_far, plan_of, solr_pod
from support.resources.small_resource import create
from support.results.builders import make_document, make_result
from support.solr.cloud import Cloud

VARIANTS = [
    {"name": "raw", "endpoint": "Nodes"},
    {"name": "service", "endpoint": "Service"},
    {"name": "proxy", "urls": ["http://proxy/solr"]},
]


def planned(**target: object) -> LoadPlan:
    """Return the plan that the load pods of a benchmark read."""
    world = measured_so_far(retries=2)
    world.body()["spec"]["target"] |= target
    world.cluster.put(service("proxy", "default", selector={"app": "proxy"}, clusterIP="10.96.0.7"))
    return plan_of(world)


def test_plan_has_each_variant_once_with_its_urls(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = {"proxy.default.svc": ["10.96.0.7"]}
    monkeypatch.setattr(endpoint, "resolve", lambda host: addresses.get(host, ["10.96.0.1"]))
    plan = planned(variants=VARIANTS)
    node = "http://one-solr-0.one-solr.default.svc:8983/solr"
    assert {each.variant: each.urls for each in plan.variants} == {
        "raw": [node],
        "service": ["http://one-solr-common.default.svc:8983/solr"],
        "proxy": ["http://proxy.default.svc/solr"],
    }
    assert sorted((each.id, each.variant) for each in plan.step_runs) == [
        ("r1-v0-s0-two-users", "raw"),
        ("r1-v1-s0-two-users", "service"),
        ("r1-v2-s0-two-users", "proxy"),
    ]


def test_plan_has_the_rate_where_a_ramp_begins() -> None:
    world = measured_so_far(retries=2)
    step = {"requestsPerSecond": 8, "rampSeconds": 3, "requests": 10}
    world.body()["spec"]["load"]["steps"] = [{"name": name} | step for name in ("low", "high")]
    plan = plan_of(world)
    assert [each.ramp_from_requests_per_second for each in plan.step_runs] == [0.0, 8.0]


def test_plan_has_the_updates_of_a_step_and_the_generator_that_makes_them() -> None:
    world = measured_so_far(retries=2)
    body = world.body()
    body["spec"]["load"]["steps"] = [{"users": 2, "requests": 10, "indexing": {"batchSize": 50}}]
    plan = plan_of(world)
    assert [each.batch_size for each in plan.step_runs] == [50]
    assert plan.generator is not None
    assert plan.dataset is None
    # So documents are not counted while they come and go.
    assert SolrBenchmark.parse(body).spec.may_change_index
    body["spec"]["load"] = {"steps": [], "capacity": {"indexing": {}}}
    body["spec"]["objectives"] = [{"name": "fast", "responseTime": {"maxMilliseconds": 200}}]
    assert SolrBenchmark.parse(body).spec.may_change_index
    body["spec"]["dataset"] = {"configMap": {"name": "books", "keys": ["books.jsonl"]}}
    body["spec"]["workload"] = {"queries": {"configMap": {"name": "queries"}}}
    spec = SolrBenchmark.parse(body).spec
    assert spec.sampled_dataset == spec.dataset
    body["spec"]["load"] = {"steps": [{"users": 2, "requests": 10}]}
    assert SolrBenchmark.parse(body).spec.sampled_dataset is None


def test_proxy_must_be_an_allowed_host() -> None:
    world = measured_so_far(retries=2)
    outside = {"name": "outside", "urls": ["http://proxy.example.org/solr"]}
    world.body()["spec"]["target"] |= {"variants": [VARIANTS[0], outside]}
    world.cluster.put(solr_pod())
    assert condition_of(world.reconcile("one"), "Succeeded") == ("False", "HostNotAllowed")
    assert world.cluster.names("Job") == set()


def test_without_variants_the_load_goes_to_the_nodes() -> None:
    plan = planned()
    assert plan.variants == []
    assert plan.solr_urls == ["http://one-solr-0.one-solr.default.svc:8983/solr"]
    assert [(each.id, each.variant) for each in plan.step_runs] == [("r1-s0-two-users", "")]
    assert plan.resumption == Resumption(), "the first attempt has nothing to go on behind"


def test_plan_of_a_new_attempt_has_the_offsets_of_earlier_ones() -> None:
    world = measured_so_far(retries=3, load=3)
    load = world.body()["spec"]["load"]
    load["repeats"] = {"count": 2}
    load["steps"] = [
        {"name": name, "users": 1, "requests": 5} for name in ("two-users", "more", "most")
    ]
    for place, step in enumerate(("two-users", "more")):
        given: Any = {"id": f"r1-s{place}-{step}", "list_offsets": [12 + place]}
        world.store(make_document(step, 1, make_result([9]), attempt=2, **given))
    plan = plan_of(world)
    assert plan.step_runs[0].id == "r1-s2-most"
    assert plan.resumption == Resumption(offsets=[13], lost_steps=1, lost_warm_ups=0)


def test_stored_steps_of_variants_are_compared() -> None:
    world = measured_so_far(retries=2)
    spec = world.body()["spec"]
    spec["target"]["variants"] = VARIANTS[:2]
    spec["load"]["repeats"] = {"count": 2}
    world.cluster.put(solr_pod())
    for repeat in (1, 2):
        for place, (variant, time) in enumerate({"raw": 1000, "service": 1100}.items()):
            given: Any = {"variant": variant, "id": f"r{repeat}-v{place}-s0-two-users"}
            world.store(make_document("two-users", repeat, make_result([time] * 9), **given))
    status = world.reconcile("one").status
    assert status.report.stored_steps == status.report.total_steps == 4
    found = [(each.variant, each.requests) for each in status.results]
    assert found == [("raw", 18), ("service", 18)]
    (comparison,) = status.comparisons
    assert comparison.average is not None
    assert (comparison.variant, comparison.average.percent) == ("service", 10)
    assert world.body()["status"]["comparisons"][0]["baseline"] == "raw"


@pytest.mark.parametrize(("reuses", "attempt"), [(None, 1), ("Cluster", 1), (None, 2)])
def test_status_has_open_loop_stats_and_cold_start(reuses: str | None, attempt: int) -> None:
    world = measured_so_far(retries=2)
    if reuses is not None:
        world.body()["status"]["target"]["reuses"] = reuses
    world.cluster.put(solr_pod())
    before = world.reconcile("one").status
    assert (before.open_loop, before.cold_start) == ([], None)
    first = RequestWindow(
        requests=1000,
        failures=0,
        end_seconds=2,
        seconds=2,
        mean_microseconds=7000,
        max_microseconds=9000,
    )
    given: Any = {"requests_per_second": 9.0, "planned_requests": 9, "thousands": [first]}
    given |= {"outlier_windows": 0, "attempt": attempt}
    world.store(make_document("two-users", 1, make_result([1000] * 9), **given))
    world.reconcile("one")
    stored = world.body()["status"]
    (open_loop,) = stored["openLoop"]
    sent = {"step": "two-users", "plannedArrivals": 9, "sentArrivals": 9}
    assert sent.items() <= open_loop.items()
    assert "lagP99Milliseconds" not in open_loop
    if reuses is not None or attempt > 1:  # another point, or attempt, has warmed it up
        assert "coldStart" not in stored
        return
    assert stored["coldStart"]["firstThousandAverageMilliseconds"] == 7
    assert "steadyAverageMilliseconds" not in stored["coldStart"]


def test_a_plan_keeps_its_token_while_a_job_lives() -> None:
    world = measured_so_far(retries=2)
    token = plan_of(world).token
    assert len(token) >= 43
    del world.cluster.objects["Job", "default", "one-load-worker"]
    assert plan_of(world).token == token
    assert plan_of(measured_so_far(retries=2)).token != token


def test_a_load_that_an_earlier_release_began_is_made_anew() -> None:
    world = measured_so_far(retries=2)
    plan_of(world)
    del world.cluster.objects["Job", "default", "one-load-worker"]
    master = world.cluster.objects["Job", "default", "one-load-master"]
    (container,) = master["spec"]["template"]["spec"]["containers"]
    newer, container["image"] = container["image"], "solrbench:earlier"
    world.reconcile("one")
    assert ("Job", "default", "one-load-master") not in world.cluster.objects
    after = world.reconcile("one")
    assert after.status.attempts.load == 1
    for name in ("one-load-master", "one-load-worker"):
        pods = world.cluster.objects["Job", "default", name]["spec"]["template"]["spec"]
        assert [each["image"] for each in pods["containers"]] == [newer]


@pytest.mark.parametrize("changed", [{"data": {}}, {"metadata": {"ownerReferences": []}}])
def test_a_load_whose_token_is_gone_begins_anew(changed: dict[str, dict[str, Any]]) -> None:
    world = measured_so_far(retries=2)
    world.cluster.put(solr_pod())
    world.reconcile("one")
    world.cluster.put(master_pod())
    config_map = world.cluster.objects["ConfigMap", "default", "one-load-master"]
    for key, fields in changed.items():
        config_map[key] = (config_map[key] if fields else {}) | fields
    after = world.reconcile("one")
    assert condition_of(after, "Measured") == ("False", "LoadPodLost")
    assert after.status.attempts.load == 2


def test_agents_of_a_target_have_one_token_that_stays() -> None:
    run = reconcile_context(Cloud(), create() | {"spec.load.telemetry.collect": "ServersAndPods"})
    assert stored_token(run, names.SOLR) == ""
    ensure_agent_token(run)
    token = stored_token(run, names.SOLR)
    assert len(token) >= 43
    ensure_agent_token(run)
    assert stored_token(run, names.SOLR) == token


def test_without_agents_there_is_no_token_of_them() -> None:
    run = reconcile_context(Cloud(), create() | {"spec.load.telemetry.collect": "Servers"})
    ensure_agent_token(run)
    assert stored_token(run, names.SOLR) == ""
