"""The benchmark's collection: config set, collection and caches, made once, read back and checked.

On a Solr of others its config set identifies it: CREATE stores both in one step, so at no time can
a collection of the benchmark be taken for a foreign one, or the other way round.
"""

from solrbench.api.v1alpha1.collection import Collection, RouterName
from solrbench.api.v1alpha1.dataset import Backup
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.lifecycle import REFUSALS
from solrbench.reasons.target import TargetReason
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import config_set_of, live_nodes, replicas
from solrbench.solr.config_set import config_properties, differences, flatten_properties
from solrbench.solr.responses import Config, ConfigOverlay, ConfigSets, RequestStatus

HIDDEN_PROPERTIES = frozenset({"query.boolTofilterOptimizer"})
"""What `/config` never shows (9.10); the overlay does, though it only repeats what was set."""

NETWORK_ERROR_MARKERS = (
    "Name or service not known",
    "UnknownHost",
    "onnection refused",
    "Connection reset",
    "Timeout",
    "timed out",
    "No route to host",
)
"""Parts of Solr's messages when a node did not reach another one, as it may at the start."""

CREATE_TIMEOUT_SECONDS = 180.0

REQUEST_EXISTS = "Task with the same requestid already exists"
"""Solr's message when a request comes again before its status shows the first one."""


def upload_config_set(solr: SolrClient, name: str, archive: bytes) -> None:
    """Upload a config set in place of what is there."""
    # Even where one is listed: Solr stores file by file, so it may be half of one.
    params = {"action": "UPLOAD", "name": name, "overwrite": "true", "cleanup": "true"}
    solr.post("/admin/configs", params, content=archive, timeout_seconds=60)


def create_collection(
    solr: SolrClient, name: str, wanted: Collection, nodes: list[str], config_set: str
) -> None:
    """Create the collection on exactly these nodes, replicas dealt out one node after another.

    Where others have collections too, `config_set` marks it as ours.

    It raises `PermanentError` if access is denied, or Solr cannot load the config set, whose
    half-made collection is then removed; `TemporaryError` if nodes did not reach each other.
    """
    params = {
        "action": "CREATE",
        "name": name,
        "collection.configName": config_set,
        # By default Solr shuffles the nodes: repeats would differ in who has which shards.
        "createNodeSet.shuffle": "false",
        **_layout(wanted),
    }
    try:
        # Jetty takes 8 KiB of a request's head: the names of 50 nodes, if they are long.
        form = {"createNodeSet": ",".join(nodes)}
        solr.post("/admin/collections", params, form=form, timeout_seconds=CREATE_TIMEOUT_SECONDS)
    except (PermanentError, TemporaryError) as error:
        if error.reason in REFUSALS:
            raise
        # Without Solr's own word it may still be at work; the next attempt finds what it made.
        if error.reason != TargetReason.SOLR_ERROR or "already exists" in error.message:
            raise TemporaryError(error.reason, error.message) from error
        if config_set_of(solr, name) == config_set:
            delete_collection(solr, name)
        raise _creation_error(error.message) from error


def _layout(wanted: Collection) -> dict[str, str | int]:
    params: dict[str, str | int] = {
        "nrtReplicas": wanted.replicas.nrt,
        "tlogReplicas": wanted.replicas.tlog,
        "pullReplicas": wanted.replicas.pull,
        "router.name": wanted.router.name.value,
    }
    if wanted.router.field is not None:
        params["router.field"] = wanted.router.field
    if wanted.router.name is RouterName.IMPLICIT:  # takes names, not a number
        return params | {"shards": ",".join(f"shard{i}" for i in range(1, wanted.shards + 1))}
    return params | {"numShards": wanted.shards}


def _creation_error(message: str) -> SolrbenchError:
    # Solr reports both as HTTP 400; only the text shows whether another attempt may succeed.
    if _is_of_network(message):
        return TemporaryError(TargetReason.COLLECTION_NOT_CREATED, message)
    text = f"Solr did not create the collection; check collection.configSet: {message}"
    return PermanentError(TargetReason.COLLECTION_REFUSED, text)


def _is_of_network(message: str) -> bool:
    return any(sign in message for sign in NETWORK_ERROR_MARKERS)


def delete_collection(solr: SolrClient, name: str) -> None:
    """Delete a collection if it is there."""
    try:
        solr.post("/admin/collections", {"action": "DELETE", "name": name})
    except (PermanentError, TemporaryError) as error:
        if error.reason in REFUSALS:
            raise
        if "Could not find collection" not in error.message:
            raise TemporaryError(error.reason, error.message) from error


def restore_backup(
    solr: SolrClient, name: str, backup: Backup, location: str, request: str
) -> bool:
    """Return whether Solr has restored a backup into a collection that is there.

    The first call asks for it under the id `request`, later ones ask how it stands. Each replica
    copies the index by itself. The collection is read-only meanwhile, and reloaded at the end.

    It raises `PermanentError` with `RestoreFailed` and what Solr says, or if access is denied;
    `TemporaryError` if Solr or its nodes did not respond.
    """
    optional = {"repository": backup.repository, "backupId": backup.backup_id}
    params = {
        "action": "RESTORE",
        "name": backup.name,
        "collection": name,
        "location": location,
        "async": request,
        **{key: value for key, value in optional.items() if value is not None},
    }
    wanted = {"action": "REQUESTSTATUS", "requestid": request}
    try:
        # The status of a request that failed has its error.
        status = solr.get("/admin/collections", RequestStatus, wanted)
    except PermanentError as error:
        raise _restore_error(error) from error
    if status.state == "failed":
        raise _restore_error(PermanentError(TargetReason.SOLR_ERROR, str(status.message)))
    if status.state == "notfound":
        try:
            solr.post("/admin/collections", params)
        except (PermanentError, TemporaryError) as error:
            # It may have arrived: the next call finds it.
            if REQUEST_EXISTS in error.message or _is_of_network(error.message):
                raise TemporaryError(error.reason, error.message) from error
            raise _restore_error(error) from error
    return status.state == "completed"


def _restore_error(error: SolrbenchError) -> SolrbenchError:
    if error.reason != TargetReason.SOLR_ERROR:
        return type(error)(error.reason, error.message)
    # What is wrong with a backup is HTTP 500 as often as 400.
    return PermanentError(
        IndexingReason.RESTORE_FAILED,
        "Solr did not restore the backup; check spec.dataset.backup, and that Solr's user (8983)"
        f" may read its files: {error.message}",
    )


def apply_properties(
    solr: SolrClient, name: str, wanted: Collection
) -> dict[str, tuple[object, object]]:
    """Set caches and query settings; return what Solr shows otherwise: name to (wanted, found)."""
    properties = config_properties(wanted)
    # Each change reloads every core: one that changes nothing would only empty the caches.
    if not properties or not _mismatches(solr, name, properties):
        return {}
    solr.post(f"/{name}/config", json={"set-property": properties}, timeout_seconds=60)
    return _mismatches(solr, name, properties)


def unset_properties(solr: SolrClient, name: str, wanted: Collection) -> None:
    """Take back settings of a collection that `wanted` has not, so that their defaults hold."""
    overlay = solr.get(f"/{name}/config/overlay", ConfigOverlay).properties
    stale = sorted(flatten_properties(overlay).keys() - config_properties(wanted).keys())
    if stale:
        solr.post(f"/{name}/config", json={"unset-property": stale}, timeout_seconds=60)


def reload_collection(solr: SolrClient, name: str) -> None:
    """Open new searchers, whose caches are empty: those of a reloaded core are not filled."""
    params = {"action": "RELOAD", "name": name}
    solr.post("/admin/collections", params, timeout_seconds=CREATE_TIMEOUT_SECONDS)


def _mismatches(
    solr: SolrClient, name: str, properties: dict[str, object]
) -> dict[str, tuple[object, object]]:
    hidden = {key: value for key, value in properties.items() if key in HIDDEN_PROPERTIES}
    shown = {key: value for key, value in properties.items() if key not in hidden}
    differing = differences(solr.get(f"/{name}/config", Config).sections, shown)
    if hidden:
        overlay = solr.get(f"/{name}/config/overlay", ConfigOverlay).properties
        differing |= differences(overlay, hidden)
    return differing


def removable_config_set(solr: SolrClient, name: str, prefix: str) -> str | None:
    """Return the config set of a collection, which shows whose it is; None without a collection.

    It raises `PermanentError` with `AuthenticationFailed` if config sets may not be listed.
    """
    _config_sets(solr, prefix)  # without this permission they could not be removed at the end
    return config_set_of(solr, name)


def delete_stale_collection(solr: SolrClient, name: str, config_set: str, prefix: str) -> None:
    """Delete collection and config sets of earlier attempts; `config_set` and all others stay."""
    used = config_set_of(solr, name)
    if used is not None and used != config_set and used.startswith(prefix):
        delete_collection(solr, name)
    _delete_config_sets(solr, prefix, spared=config_set)


def remove_managed_collection(
    solr: SolrClient, name: str, prefix: str, *, at_once: bool = False
) -> None:
    """Delete collection and config sets of every attempt; what is not ours stays.

    With `at_once` it is done even if a node is away, which will then keep its part on disk. It
    raises `TemporaryError` if Solr did not do it, or a node is away that has to.
    """
    used = config_set_of(solr, name)
    if used is not None and used.startswith(prefix):
        if not at_once:
            # Solr forgets a collection whose node is away, but the core stays on that node's disk:
            # later no core of the same name can be made there (seen with Solr 9.10).
            away = {replica.node for replica in replicas(solr, name)} - set(live_nodes(solr))
            if away:
                raise TemporaryError(
                    TargetReason.SOLR_NOT_LIVE,
                    f"not live: {', '.join(sorted(away))}, which hold replicas of {name};"
                    " start them",
                )
        delete_collection(solr, name)
    # Solr refuses to delete a config set that a collection still uses.
    _delete_config_sets(solr, prefix)


def _config_sets(solr: SolrClient, prefix: str) -> list[str]:
    config_sets = solr.get("/admin/configs", ConfigSets, {"action": "LIST"}).names
    return [config_set for config_set in config_sets if config_set.startswith(prefix)]


def _delete_config_sets(solr: SolrClient, prefix: str, spared: str | None = None) -> None:
    for config_set in _config_sets(solr, prefix):
        if config_set != spared:
            solr.post("/admin/configs", {"action": "DELETE", "name": config_set})
