"""A collection of ours among those of others.

Its config set tells it apart: CREATE stores both in one step, so there is no moment in which a
collection of ours looks like somebody else's, or the other way round.
"""

from solrbench.errors import Never
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import config_set_of
from solrbench.solr.collections import delete_collection


def is_there(solr: SolrClient, name: str, config_set: str, prefix: str) -> bool:
    """Return whether the collection of this attempt is there; one of an earlier attempt goes.

    Args:
        solr: the cloud
        name: of the collection
        config_set: of this attempt
        prefix: of the config sets of every attempt of this benchmark

    Raises:
        Never: `CollectionExists` if somebody else's collection has the name.

    """
    found = config_set_of(solr, name)
    if found is None or found == config_set:
        return found is not None
    if not found.startswith(prefix):
        raise Never(
            "CollectionExists",
            f"target.existing has a collection {name} that is not of this benchmark; it is left"
            " alone, give the benchmark another name",
        )
    delete_collection(solr, name)
    return False


def remove(solr: SolrClient, name: str, prefix: str) -> None:
    """Delete collection and config sets of every attempt; what is not ours stays.

    Raises:
        NotYet: if Solr did not do it.

    """
    found = config_set_of(solr, name)
    if found is not None and found.startswith(prefix):
        delete_collection(solr, name)
    for each in solr.get("/admin/configs", {"action": "LIST"})["configSets"]:
        if each.startswith(prefix):
            solr.post("/admin/configs", {"action": "DELETE", "name": each})
