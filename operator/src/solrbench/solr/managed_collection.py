"""A collection of ours among those of others.

Its config set identifies it: CREATE stores both in one step, so at no time can a collection of the
benchmark be taken for a foreign one, or the other way round.
"""

from solrbench.decide.checks.targets.existing_target import CollectionOwner
from solrbench.errors import TemporaryError
from solrbench.reasons.target import TargetReason
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import config_set_of, live_nodes, replicas
from solrbench.solr.collections import delete_collection


def observe_owner(solr: SolrClient, name: str, prefix: str) -> CollectionOwner:
    """Return the collection of this name, if there is one, with the config set that identifies it.

    Args:
        solr: the cloud
        name: of the collection
        prefix: of the config sets of every attempt of this benchmark

    Raises:
        PermanentError: `AuthenticationFailed` if config sets may not be listed.

    """
    _config_sets(solr, prefix)  # without this permission they could not be removed at the end
    return CollectionOwner(name, config_set_of(solr, name), prefix)


def delete_stale_collection(solr: SolrClient, name: str, config_set: str, prefix: str) -> None:
    """Delete collection and config sets of earlier attempts; all others stay.

    Args:
        solr: the cloud
        name: of the collection
        config_set: of this attempt
        prefix: of the config sets of every attempt of this benchmark

    Raises:
        TemporaryError: if Solr did not do it.

    """
    found = config_set_of(solr, name)
    if found is not None and found != config_set and found.startswith(prefix):
        delete_collection(solr, name)
    _delete_config_sets(solr, [each for each in _config_sets(solr, prefix) if each != config_set])


def remove(solr: SolrClient, name: str, prefix: str, *, at_once: bool = False) -> None:
    """Delete collection and config sets of every attempt; what is not ours stays.

    Args:
        solr: the cloud
        name: of the collection
        prefix: of the config sets of every attempt of this benchmark
        at_once: whether to do it even if a node is away, which will then keep its part on disk

    Raises:
        TemporaryError: if Solr did not do it, or a node is away that has to.

    """
    found = config_set_of(solr, name)
    if found is not None and found.startswith(prefix):
        if not at_once:
            _expect_nodes(solr, name)
        delete_collection(solr, name)
    _delete_config_sets(solr, _config_sets(solr, prefix))


def _config_sets(solr: SolrClient, prefix: str) -> list[str]:
    found = solr.get("/admin/configs", {"action": "LIST"})["configSets"]
    return [each for each in found if each.startswith(prefix)]


def _delete_config_sets(solr: SolrClient, found: list[str]) -> None:
    for each in found:
        solr.post("/admin/configs", {"action": "DELETE", "name": each})


def _expect_nodes(solr: SolrClient, name: str) -> None:
    """Wait for the nodes of a collection.

    Solr forgets a collection whose node is away, but the core stays on that node's disk: later no
    core of the same name can be made there (seen with Solr 9.10).
    """
    away = {each.node for each in replicas(solr, name)} - set(live_nodes(solr))
    if away:
        raise TemporaryError(
            TargetReason.SOLR_NOT_LIVE,
            f"not live: {', '.join(sorted(away))}, which hold replicas of {name}; start them",
        )
