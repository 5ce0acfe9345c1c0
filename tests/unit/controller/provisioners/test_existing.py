from datetime import timedelta

import pytest

from solrbench.contract import names
from solrbench.contract.load_plan import LoadPlan
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners.existing import LOADING_PATIENCE
from solrbench.controller.provisioners.registry import EXISTING
from solrbench.controller.stages.indexing import reconcile_index
from solrbench.controller.stages.load import reconcile_load
from solrbench.controller.stages.target import reconcile_target, restart_target, verify_target
from solrbench.decide.conditions import ACCEPTED, DATA_INDEXED, TARGET_READY
from solrbench.decide.outcome import TargetLostError
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.target import TargetReason
from support.controller.runs import CONFIG_SETS, NOW, provisioned, reconcile_context, stored_status
from support.failing import failing
from support.narrowing import not_none
from support.resources.small_resource import create, use
from support.solr.cloud import Cloud


def ready(cloud: Cloud, changes: dict[str, object] | None = None) -> ReconcileContext:
    """Return the reconcile after the one in which the target became ready."""
    run = provisioned(cloud, changes)
    assert run.conditions.is_true(TARGET_READY)
    return reconcile_context(cloud, changes, stored_status(run))


def later(cloud: Cloud, run: ReconcileContext, seconds: float = 0) -> ReconcileContext:
    """Return the next reconcile."""
    return reconcile_context(cloud, None, stored_status(run), NOW + timedelta(seconds=seconds))


def test_makes_a_collection_of_its_own_once() -> None:
    cloud = Cloud()
    cloud.make("others", "_default")
    run = ready(cloud)
    assert cloud.changed == [("UPLOAD", f"{CONFIG_SETS}1"), ("CREATE", "base")]
    reconcile_target(run)
    assert len(cloud.changed) == 2


def test_reconcile_after_a_crash_finds_what_the_one_before_made() -> None:
    cloud = Cloud()
    provisioned(cloud)
    known = ready(Cloud()).status.model_copy(update={"conditions": []})
    reconcile_target(reconcile_context(cloud, None, known))
    assert cloud.changed == [("UPLOAD", f"{CONFIG_SETS}1"), ("CREATE", "base")]


def test_status_has_what_solr_reports() -> None:
    target = ready(Cloud()).status.target
    assert (target.live_nodes, target.solr_version) == (2, "9.10.1")
    assert target.heap_bytes == 1 << 30
    assert target.zookeepers is None
    assert target.url == "http://search.team.svc:8983/solr/base"
    assert target.nodes == {"a:8983_solr": "1", "b:8983_solr": "1"}


def test_version_that_was_not_tested_is_measured_with_a_warning() -> None:
    def accepted(cloud: Cloud) -> tuple[str, str]:
        found = ready(cloud).conditions.get(ACCEPTED)
        assert found.status == "True"
        return found.reason, found.message

    assert accepted(Cloud())[0] == "Accepted"
    reason, message = accepted(Cloud(version="10.0.0"))
    assert reason == "VersionNotTested"
    assert "not been tested on Solr 10.0" in message


def test_collection_of_the_same_name_is_not_touched() -> None:
    cloud = Cloud()
    cloud.make("base", "_default")
    with pytest.raises(PermanentError, match="left alone"):
        provisioned(cloud)
    known = ready(Cloud()).status
    EXISTING.remove_collection(reconcile_context(cloud, None, known))
    assert cloud.changed == []


@pytest.mark.parametrize("stranger", [True, False])
def test_nodes_are_noted_only_where_a_collection_may_be_made(stranger: bool) -> None:
    """Clean-up asks only a target whose nodes are recorded; this one would deny access."""
    cloud = Cloud() if stranger else Cloud(authorization="Basic x", probes_open=True)
    if stranger:
        cloud.make("base", "_default")
    run = reconcile_context(cloud)
    with failing(PermanentError, "CollectionExists" if stranger else "AuthenticationFailed"):
        reconcile_target(run)
    assert run.status.target.nodes == {}
    EXISTING.remove_collection(run)


@pytest.mark.parametrize(
    ("cloud", "changes", "reason"),
    [
        (Cloud(version="11.0.0"), {}, "UnsupportedSolrVersion"),
        (Cloud(version="10.0.0"), {"spec.workload.parameters": {"wt": "php"}}, "FieldNotInVersion"),
        (Cloud(), {"spec.collection.replicas": {"nrt": 3}}, "TooFewNodes"),
        (Cloud(redirect=True), {}, "RedirectRefused"),
        (Cloud(authorization="Basic x"), {}, "AuthenticationFailed"),
    ],
)
def test_what_can_never_work_ends_the_benchmark(
    cloud: Cloud, changes: dict[str, object], reason: str
) -> None:
    with failing(PermanentError, reason):
        provisioned(cloud, create() | changes)
    assert cloud.changed == []


def test_target_that_does_not_answer_is_waited_for() -> None:
    with failing(TemporaryError, "SolrUnreachable"):
        reconcile_target(reconcile_context(Cloud(down=True)))


def test_collection_of_the_user_is_only_read() -> None:
    cloud = Cloud(deleted_documents=3)
    cloud.make("books", "_default")
    run = ready(cloud, use())
    reconcile_index(run)
    assert run.conditions.get(DATA_INDEXED).reason == "ExistingCollection"
    assert (run.status.dataset.documents, run.status.dataset.index_bytes) == (5, 700)
    assert run.status.dataset.deleted_documents == 3
    restart_target(run, TargetLostError(TargetReason.TARGET_NODE_LOST, "x"))
    reconcile_target(reconcile_context(cloud, use(), stored_status(run)))
    EXISTING.remove_collection(run)
    assert cloud.changed == []
    assert cloud.collections.keys() == {"books"}
    assert names.collection(run.benchmark) == "books"


@pytest.mark.parametrize("between", [{}, {"books": "current", "current": "books-2026"}])
def test_collection_of_the_user_may_be_named_by_an_alias(between: dict[str, str]) -> None:
    cloud = Cloud(aliases=between or {"books": "books-2026"})
    cloud.make("books-2026", "_default")
    run = ready(cloud, use())
    reconcile_index(run)
    assert run.status.dataset.documents == 5
    assert (run.status.target.url or "").endswith("/solr/books")
    with failing(TemporaryError, "LoadStarted"):
        reconcile_load(run)
    key = run.namespace, names.child(run.benchmark, names.LOAD_MASTER)
    body = not_none(run.cluster.get("v1", "ConfigMap", *key))
    plan = LoadPlan.model_validate_json(body["data"]["load-plan.json"])
    assert (plan.collection, plan.collection_of_cores) == ("books", "books-2026")


def test_collection_of_the_user_must_be_there_and_active() -> None:
    cloud = Cloud()
    with failing(TemporaryError, "CollectionNotFound", "no collection books"):
        reconcile_target(reconcile_context(cloud, use()))
    cloud.aliases["books"] = "books-2025,books-2026"
    cloud.make("books-2026", "_default")
    with failing(TemporaryError, "CollectionNotFound", "books is an alias of several .*2025,"):
        reconcile_target(reconcile_context(cloud, use()))
    cloud.aliases.clear()
    cloud.make("books", "_default", state="recovering")
    with pytest.raises(TemporaryError, match="books_shard1_replica_n1 is recovering"):
        reconcile_target(reconcile_context(cloud, use()))


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ({"a:8983_solr": "1"}, "b:8983_solr is no longer live"),
        ({"a:8983_solr": "1", "b:8983_solr": "2"}, "b:8983_solr was restarted"),
    ],
)
def test_node_with_another_life_is_a_lost_target(nodes: dict[str, str], text: str) -> None:
    cloud = Cloud()
    run = ready(cloud)
    cloud.nodes = nodes
    with pytest.raises(TargetLostError, match=text):
        verify_target(later(cloud, run, 11))


def test_node_that_came_along_is_no_loss() -> None:
    cloud = Cloud()
    run = later(cloud, ready(cloud), 11)
    cloud.nodes["c:8983_solr"] = "1"
    verify_target(run)
    assert run.status.target.check_time == run.now


def test_nodes_are_not_queried_in_every_reconcile() -> None:
    cloud = Cloud()
    run = ready(cloud)
    cloud.down = True
    EXISTING.check_unchanged(later(cloud, run, 5), [])
    with pytest.raises(TemporaryError):
        EXISTING.check_before_storing(later(cloud, run, 5))


def test_silence_is_borne_for_a_while() -> None:
    cloud = Cloud()
    run = ready(cloud)
    cloud.down = True
    run = later(cloud, run, 11)
    EXISTING.check_unchanged(run, [])
    EXISTING.check_unchanged(later(cloud, run, 71), [])
    with failing(TargetLostError, "TargetUnreachable"):
        EXISTING.check_unchanged(later(cloud, run, 72), [])


def test_a_live_node_that_does_not_respond_is_waited_for() -> None:
    cloud = Cloud(silent={"b:8983_solr"})
    with failing(TemporaryError, "SolrUnreachable", "live, but did not respond.*: b:8983_solr"):
        ready(cloud)
    cloud.silent = set()
    run = ready(cloud)
    cloud.silent = {"b:8983_solr"}
    run = later(cloud, run, 11)
    EXISTING.check_unchanged(run, [])
    with failing(TargetLostError, "TargetUnreachable"):
        EXISTING.check_unchanged(later(cloud, run, 72), [])


def test_absence_of_the_operator_is_no_silence_of_the_target() -> None:
    cloud = Cloud()
    run = ready(cloud)
    cloud.down = True
    run = later(cloud, run, 300)
    EXISTING.check_unchanged(run, [])
    assert run.status.target.unanswered_since == run.now
    with pytest.raises(TargetLostError):
        EXISTING.check_unchanged(later(cloud, run, 361), [])
    cloud.down = False
    run = later(cloud, run, 361)
    EXISTING.check_unchanged(run, [])
    assert run.status.target.unanswered_since is None


def test_nodes_that_were_there_must_come_back() -> None:
    cloud = Cloud()
    run = ready(cloud)
    first = cloud.nodes
    cloud.nodes = {"a:8983_solr": "1"}
    restart_target(run, TargetLostError(TargetReason.TARGET_NODE_LOST, "node b is gone"))
    with failing(TemporaryError, "SolrNotLive", "b:8983_solr"):
        reconcile_target(later(cloud, run))
    cloud.nodes = first | {"b:8983_solr": "2"}
    run = later(cloud, run)
    reconcile_target(run)
    assert run.status.target.nodes == cloud.nodes
    attempts = run.status.attempts
    assert (attempts.target, attempts.load, attempts.first_load_on_target) == (2, 2, None)


def test_lost_target_gets_a_fresh_collection() -> None:
    cloud = Cloud()
    run = ready(cloud)
    cloud.changed.clear()
    restart_target(run, TargetLostError(TargetReason.TARGET_NODE_LOST, "node b was started again"))
    reconcile_target(later(cloud, run))
    assert cloud.changed == [
        ("DELETE", "base"),
        ("DELETE CONFIG", f"{CONFIG_SETS}1"),
        ("UPLOAD", f"{CONFIG_SETS}2"),
        ("CREATE", "base"),
    ]


def test_collection_is_not_deleted_while_a_node_still_loads_it() -> None:
    """A core that is deleted while it is loaded would be taken for the one that follows."""
    cloud = Cloud()
    run = ready(cloud)
    cloud.changed.clear()
    cloud.make("base", f"{CONFIG_SETS}1", state="down")
    restart_target(run, TargetLostError(TargetReason.TARGET_NODE_LOST, "node a was started again"))
    run = later(cloud, run)
    with failing(TemporaryError, "ReplicasNotActive", "base_shard1_replica_n1 is down"):
        reconcile_target(run)
    assert cloud.changed == []
    reconcile_target(later(cloud, run, LOADING_PATIENCE.total_seconds()))
    assert cloud.changed[0] == ("DELETE", "base")


def test_nothing_of_ours_stays() -> None:
    cloud = Cloud()
    cloud.make("others", "_default")
    run = ready(cloud)
    EXISTING.remove_collection(run)
    assert cloud.collections.keys() == {"others"}
    assert cloud.config_sets == {"_default"}
