import json
from typing import Any
from urllib.parse import parse_qs, urlencode

import httpx2 as httpx
import pytest

from solrbench.api.v1alpha1.collection import Collection
from solrbench.api.v1alpha1.dataset import Backup
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.solr.collection import (
    apply_properties,
    create_collection,
    delete_collection,
    delete_stale_collection,
    removable_config_set,
    remove_managed_collection,
    restore_backup,
    upload_config_set,
)
from support.failing import failing
from support.solr.cloud import Cloud
from support.solr.recorded_solr import Solr

OK = {"responseHeader": {"status": 0}}
NODES = ["a:8983_solr", "b:8983_solr"]


def wanted(**fields: Any) -> Collection:
    return Collection.model_validate(fields)


def test_config_set_takes_the_place_of_one_half_uploaded() -> None:
    solr = Solr({"UPLOAD": OK})
    solr.call(upload_config_set, "books", b"zip")
    (_, _, params, body) = solr.asked[0]
    assert {"name": "books", "overwrite": "true", "cleanup": "true"}.items() <= params.items()
    assert body == b"zip"


@pytest.mark.parametrize(
    ("collection", "expected"),
    [
        (
            wanted(shards=3, replicas={"nrt": 1, "pull": 2}),
            {"numShards": "3", "nrtReplicas": "1", "tlogReplicas": "0", "pullReplicas": "2"},
        ),
        (
            wanted(shards=2, router={"name": "implicit"}),
            {"shards": "shard1,shard2", "router.name": "implicit"},
        ),
        (
            wanted(router={"field": "author"}),
            {"router.name": "compositeId", "router.field": "author", "numShards": "1"},
        ),
    ],
)
def test_creates_what_is_wanted_on_the_given_nodes(
    collection: Collection, expected: dict[str, str]
) -> None:
    solr = Solr({"CREATE": OK})
    solr.call(create_collection, "books", collection, NODES, "ours")
    ((_, path, params, body),) = solr.asked
    assert path == "/admin/collections"
    assert expected.items() <= params.items()
    assert parse_qs(body.decode()) == {"createNodeSet": ["a:8983_solr,b:8983_solr"]}
    assert params["createNodeSet.shuffle"] == "false"
    assert params["collection.configName"] == "ours"
    assert ("numShards" in params) != ("shards" in params)


def test_a_url_has_room_for_what_creates_a_collection_on_many_nodes() -> None:
    base, namespace = "b" * 40, "n" * 63
    nodes = [f"{base}-solr-{i}.{base}-solr.{namespace}.svc:8983_solr" for i in range(100)]
    solr = Solr({"CREATE": OK})
    solr.call(create_collection, base, wanted(shards=256), nodes, base)
    ((_, _, params, body),) = solr.asked
    assert len(urlencode(params)) < 1024
    assert parse_qs(body.decode()) == {"createNodeSet": [",".join(nodes)]}


@pytest.mark.parametrize(
    ("text", "kind", "reason", "match"),
    [
        (
            "Underlying core creation failed while creating collection: books",
            PermanentError,
            "CollectionRefused",
            r"collection\.configSet: .*Underlying core creation failed",
        ),
        (
            "IOException: books-solr-1.books-solr: Name or service not known",
            TemporaryError,
            "CollectionNotCreated",
            "not known",
        ),
    ],
    ids=["config set", "nodes that did not find each other"],
)
def test_half_made_collection_is_removed(
    text: str, kind: type[SolrbenchError], reason: str, match: str
) -> None:
    refused = 400, {"error": {"msg": text, "code": 400}}
    made = {"cluster": {"collections": {"books": {"configName": "ours", "shards": {}}}}}
    solr = Solr({"CREATE": refused, "CLUSTERSTATUS": made, "DELETE": OK})
    with failing(kind, reason, match):
        solr.call(create_collection, "books", wanted(), NODES, "ours")
    assert solr.actions() == ["CREATE", "CLUSTERSTATUS", "DELETE"]


@pytest.mark.parametrize(
    "reply",
    [(400, {"error": {"msg": "collection already exists: books"}}), httpx.ReadTimeout("slow")],
)
def test_collection_that_may_be_there_is_left_alone(reply: Any) -> None:
    solr = Solr({"CREATE": reply})
    with pytest.raises(TemporaryError):
        solr.call(create_collection, "books", wanted(), NODES, "ours")
    assert solr.actions() == ["CREATE"]


def test_deleting_what_is_not_there_is_no_failure() -> None:
    gone = (400, {"error": {"msg": "Could not find collection : books"}})
    Solr({"DELETE": gone}).call(delete_collection, "books")
    broken = Solr({"DELETE": (500, {"error": {"msg": "no leader"}})})
    with pytest.raises(TemporaryError, match="no leader"):
        broken.call(delete_collection, "books")


def config(size: str) -> dict[str, Any]:
    return {"config": {"query": {"filterCache": {"size": size}}}}


def test_settings_are_set_and_read_back() -> None:
    solr = Solr({"/books/config": [config("512"), OK, config("7")]})
    assert solr.call(apply_properties, "books", wanted(caches={"filter": {"size": 7}})) == {}
    bodies = [json.loads(body) for method, _, _, body in solr.asked if method == "POST"]
    assert bodies == [{"set-property": {"query.filterCache.size": 7}}]


def test_settings_that_are_so_already_are_not_sent() -> None:
    solr = Solr({"/books/config": config("7")})
    assert solr.call(apply_properties, "books", wanted(caches={"filter": {"size": 7}})) == {}
    assert solr.call(apply_properties, "books", wanted()) == {}
    assert [method for method, _, _, _ in solr.asked] == ["GET"]


def test_setting_without_effect_is_returned() -> None:
    solr = Solr({"/books/config": [config("512"), OK, config("512")]})
    different = solr.call(apply_properties, "books", wanted(caches={"fieldValue": {"size": 7}}))
    assert different == {"query.fieldValueCache.size": (7, None)}


def test_setting_that_config_never_shows_is_read_from_the_overlay() -> None:
    overlay = {"overlay": {"props": {"query": {"boolTofilterOptimizer": "true"}}}}
    overlays = [{"overlay": {}}, overlay]
    solr = Solr({"/books/config": config("7"), "/books/config/overlay": overlays})
    both = wanted(boolToFilterOptimizer=True, caches={"filter": {"size": 7}})
    assert solr.call(apply_properties, "books", both) == {}
    assert solr.call(apply_properties, "books", both) == {}
    assert [path for method, path, *_ in solr.asked if method == "POST"] == ["/books/config"]


PREFIX = "solrbench-0b5b-"
SECOND = f"{PREFIX}2"


def test_our_own_collection_is_known_by_its_config_set() -> None:
    cloud = Cloud()
    assert cloud.call(removable_config_set, "base", PREFIX) is None
    cloud.make("base", SECOND)
    assert cloud.call(removable_config_set, "base", PREFIX) == SECOND
    cloud.call(delete_stale_collection, "base", SECOND, PREFIX)
    assert cloud.changed == []


def test_collection_of_an_earlier_attempt_goes() -> None:
    cloud = Cloud()
    cloud.make("base", f"{PREFIX}1")
    assert cloud.call(removable_config_set, "base", PREFIX) == f"{PREFIX}1"
    assert cloud.changed == []
    cloud.call(delete_stale_collection, "base", SECOND, PREFIX)
    cloud.call(delete_stale_collection, "base", SECOND, PREFIX)
    assert cloud.changed == [("DELETE", "base")]


@pytest.mark.parametrize("config_set", ["_default", "base", "solrbench-other-1"])
def test_foreign_collection_is_left_alone(config_set: str) -> None:
    cloud = Cloud()
    cloud.make("base", config_set)
    found = cloud.call(removable_config_set, "base", PREFIX)
    cloud.call(delete_stale_collection, "base", SECOND, PREFIX)
    cloud.call(remove_managed_collection, "base", PREFIX)
    assert found == config_set
    assert cloud.changed == []


def test_removal_takes_collection_and_every_config_set_of_ours() -> None:
    cloud = Cloud(config_sets={"_default", "base", f"{PREFIX}1", SECOND, "solrbench-other-1"})
    cloud.make("base", SECOND)
    cloud.make("others", "_default")
    cloud.call(remove_managed_collection, "base", PREFIX)
    cloud.call(remove_managed_collection, "base", PREFIX)
    assert cloud.collections.keys() == {"others"}
    assert cloud.config_sets == {"_default", "base", "solrbench-other-1"}


def test_node_that_is_away_would_keep_its_part_so_it_is_waited_for() -> None:
    cloud = Cloud()
    cloud.make("base", SECOND)
    del cloud.nodes["a:8983_solr"]
    with failing(TemporaryError, "SolrNotLive", "a:8983_solr"):
        cloud.call(remove_managed_collection, "base", PREFIX)
    assert cloud.changed == []
    cloud.call(remove_managed_collection, "base", PREFIX, at_once=True)
    assert cloud.collections == {}


BACKUP = Backup(name="nightly", location="/backups")
FAILED = {
    "responseHeader": {"status": 0, "QTime": 2},
    "Operation restore caused exception:": "org.apache.solr.common.SolrException: no match",
    "exception": {"msg": "numShardsOfBackup:2 numShardsOfCollection:1", "rspCode": 400},
}
"""What 9.10 stores of a request that failed, beside its status."""


def request_status(state: str, **stored: Any) -> dict[str, Any]:
    return {"status": {"state": state, "msg": f"found [ours] in {state} tasks"}} | stored


def restored(solr: Solr, backup: Backup = BACKUP) -> bool:
    return solr.call(restore_backup, "books", backup, "/backups", "ours")


def test_backup_is_asked_for_once_under_an_id_that_is_known() -> None:
    solr = Solr({"REQUESTSTATUS": request_status("notfound"), "RESTORE": OK})
    assert not restored(solr, BACKUP.model_copy(update={"repository": "s3", "backup_id": 0}))
    (_, _, status, _), (method, path, params, _) = solr.asked
    assert status["requestid"] == params["async"] == "ours"
    assert (method, path) == ("POST", "/admin/collections")
    wanted = {"name": "nightly", "collection": "books", "location": "/backups"}
    assert (wanted | {"repository": "s3", "backupId": "0"}).items() <= params.items()


def test_what_a_backup_leaves_to_solr_is_not_sent() -> None:
    solr = Solr({"REQUESTSTATUS": request_status("notfound"), "RESTORE": OK})
    restored(solr)
    assert not {"repository", "backupId"} & solr.asked[1][2].keys()


@pytest.mark.parametrize(
    ("state", "done"), [("submitted", False), ("running", False), ("completed", True)]
)
def test_restore_under_way_is_not_asked_for_again(state: str, done: bool) -> None:
    solr = Solr({"REQUESTSTATUS": request_status(state, success={})})
    assert restored(solr) is done
    assert solr.actions() == ["REQUESTSTATUS"]


@pytest.mark.parametrize(
    ("replies", "message"),
    [
        ({"REQUESTSTATUS": request_status("failed", **FAILED)}, "numShardsOfBackup:2"),
        ({"REQUESTSTATUS": request_status("failed")}, "in failed tasks"),
        (
            {
                "REQUESTSTATUS": request_status("notfound"),
                "RESTORE": (500, {"error": {"msg": "specified location x does not exist."}}),
            },
            "location x does not exist",
        ),
    ],
)
def test_backup_that_cannot_be_restored_ends_with_what_solr_says(
    replies: dict[str, Any], message: str
) -> None:
    with failing(PermanentError, "RestoreFailed", rf"spec\.dataset\.backup.*{message}"):
        restored(Solr(replies))


@pytest.mark.parametrize(
    "reply",
    [
        (400, {"error": {"msg": "Task with the same requestid already exists. (ours)"}}),
        (500, {"error": {"msg": "Connection refused"}}),
        httpx.ReadTimeout("30 s"),
    ],
)
def test_request_that_may_have_arrived_is_looked_for_again(reply: Any) -> None:
    solr = Solr({"REQUESTSTATUS": request_status("notfound"), "RESTORE": reply})
    with pytest.raises(TemporaryError):
        restored(solr)


def test_password_that_is_wrong_is_no_fault_of_the_backup() -> None:
    with failing(PermanentError, "AuthenticationFailed"):
        restored(Solr({"REQUESTSTATUS": (401, {})}))
