"""A backup in place of an index Job: asked for once, waited for, then counted.

The operator may end at any time: the next one goes on with what Solr does.
"""

from datetime import timedelta
from typing import Any

import httpx2 as httpx
import pytest

from solrbench.controller.context import ReconcileContext
from solrbench.controller.stages.indexing import reconcile_index
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.decide.outcome import TargetLostError
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from support.cluster.benchmarks import config_map, small
from support.controller.runs import NOW, provisioned, reconcile_context, stored_status
from support.controller.world import World, condition_of, message_of
from support.controller.worlds import Index, indexed_world, passed
from support.failing import failing
from support.resources.small_resource import Changes, create
from support.solr.cloud import Cloud

BACKUP = {"name": "nightly", "location": "/backups"}


def changes(**dataset: Any) -> Changes:
    return create() | {
        "spec.dataset": {"backup": BACKUP, **dataset},
        "spec.workload.queries": {"configMap": {"name": "q"}},
    }


def restores(cloud: Cloud) -> int:
    return cloud.changed.count(("RESTORE", "nightly"))


def begun(cloud: Cloud, **dataset: Any) -> ReconcileContext:
    """Reconcile until Solr was asked for the backup."""
    run = provisioned(cloud, changes(**dataset))
    with failing(TemporaryError, "Restoring"):
        reconcile_index(run)
    return run


def gone_on(
    cloud: Cloud, run: ReconcileContext, seconds: float, **dataset: Any
) -> ReconcileContext:
    """Make the next reconcile of the stage."""
    now = NOW + timedelta(seconds=seconds)
    after = reconcile_context(cloud, changes(**dataset), stored_status(run), now)
    reconcile_index(after)
    return after


def test_backup_is_restored_and_counted_without_a_job() -> None:
    cloud = Cloud(documents=7, deleted_documents=2)
    run = begun(cloud)
    with pytest.raises(TemporaryError, match="nightly"):
        gone_on(cloud, run, 5)
    cloud.end_requests("completed")
    after = gone_on(cloud, run, 12)
    assert restores(cloud) == 1
    done = after.conditions.get(DATA_INDEXED)
    assert (done.status, done.reason) == ("True", "Restored")
    assert done.message == "restored 7 documents in 12 s"
    dataset = after.status.dataset
    assert (dataset.documents, dataset.deleted_documents, dataset.index_bytes) == (7, 2, 700)
    assert (dataset.seconds, dataset.documents_per_second) == (12, None)
    cluster: Any = after.cluster
    assert not cluster.applied


def test_operator_that_was_away_finds_its_request_again() -> None:
    cloud = Cloud()
    status = stored_status(provisioned(cloud, changes()))
    for _ in range(2):  # the first one ends before it has stored a status
        with pytest.raises(TemporaryError):
            reconcile_index(reconcile_context(cloud, changes(), status))
    assert restores(cloud) == 1


@pytest.mark.parametrize("what", ["start", "attempt"])
def test_each_collection_has_a_request_of_its_own(what: str) -> None:
    cloud = Cloud()
    run = begun(cloud)
    cloud.end_requests("completed")
    later, attempts = NOW + timedelta(minutes=1), run.status.attempts
    if what == "start":  # it was suspended, and its collection removed
        run.update(start_time=later)
    else:
        run.update(attempts=attempts.model_copy(update={"target": attempts.target + 1}))
    with pytest.raises(TemporaryError):
        gone_on(cloud, run, 60)
    assert restores(cloud) == len(cloud.requests) == 2


@pytest.mark.parametrize(
    ("found", "expected"), [(0, None), (5, 6), (0, 6)], ids=["none", "fewer", "none of some"]
)
def test_backup_with_another_number_of_documents_is_refused(
    found: int, expected: int | None
) -> None:
    cloud = Cloud(documents=found)
    dataset = {} if expected is None else {"expectedDocuments": expected}
    run = begun(cloud, **dataset)
    cloud.end_requests("completed")
    with failing(PermanentError, "DocumentCountMismatch", rf"has {found} documents"):
        gone_on(cloud, run, 5, **dataset)


@pytest.mark.parametrize(("lost", "error"), [(False, PermanentError), (True, TargetLostError)])
def test_restore_that_failed_with_a_node_begins_again(
    lost: bool, error: type[SolrbenchError]
) -> None:
    cloud = Cloud()
    run = begun(cloud)
    cloud.end_requests("failed", exception={"msg": "Could not restore core", "rspCode": 500})
    if lost:
        cloud.nodes = dict.fromkeys(cloud.nodes, "2")
    with pytest.raises(error):
        gone_on(cloud, run, 5)


class Restored(Index):
    """A Solr that is asked to restore a backup."""

    def __init__(self, state: str, **documents: int) -> None:
        super().__init__(**documents)
        self.state = state
        self.asked: list[dict[str, str]] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        params = dict(request.url.params)
        if params.get("action") == "REQUESTSTATUS":
            return httpx.Response(200, json={"status": {"state": self.state, "msg": ""}})
        if params.get("action") == "RESTORE":
            self.asked.append(params)
            return httpx.Response(200, json={"responseHeader": {"status": 0}})
        return super().answer(request)


@pytest.fixture
def world() -> World:
    world = indexed_world()
    del world.cluster.objects["Job", "default", "one-index"]
    backup = {"name": "nightly", "claimName": "backups", "location": "2026"}
    world.body()["spec"]["dataset"] = {"backup": backup}
    return world


def test_folder_on_a_claim_is_where_the_pods_mount_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    solr = Restored("notfound")
    after = passed(world, monkeypatch, solr)
    assert condition_of(after, "DataIndexed") == ("False", "Restoring")
    assert [each["location"] for each in solr.asked] == ["/mnt/backup/2026"]


def test_time_of_the_restore_stays_while_replicas_are_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed(world, monkeypatch, Restored("running"))
    world.now += timedelta(seconds=40)
    after = passed(world, monkeypatch, Restored("completed", leader=9, tlog=9, pull=0))
    assert condition_of(after, "DataIndexed") == ("False", "ReplicasDisagree")
    world.now += timedelta(seconds=30)
    whole = Restored("completed", leader=9, tlog=9, pull=9)
    after = passed(world, monkeypatch, whole)
    assert condition_of(after, "DataIndexed") == ("True", "Restored")
    assert (after.status.dataset.documents, whole.commits) == (9, 0)
    assert after.status.dataset.seconds == pytest.approx(40, abs=5)


def test_claim_that_is_not_there_is_named() -> None:
    dataset = {"backup": {"name": "nightly", "claimName": "backups"}}
    queries = {"queries": {"configMap": {"name": "mine"}}}
    world = World(small("one", dataset=dataset, workload=queries))
    world.cluster.put(config_map("mine", queries__txt="q=*:*"))
    after = world.reconcile("one")
    assert condition_of(after, "Accepted") == ("False", "VolumeClaimNotFound")
    wanted = "spec.dataset.backup.claimName: there is no PersistentVolumeClaim backups"
    assert wanted in message_of(after, "Accepted")
