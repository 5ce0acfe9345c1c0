"""The config set of a collection that is made for a benchmark."""

from solrbench.controller.context import ReconcileContext
from solrbench.errors import TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.solr import archive


def read_archive(context: ReconcileContext) -> bytes:
    """Return the config set as a zip: the user's, or the built-in one.

    Raises:
        TemporaryError: if the ConfigMap is gone.

    """
    reference = context.benchmark.spec.collection.config_set.config_map
    if reference is None:
        return archive.built_in_archive()
    name = reference.name
    body = context.cluster.get("v1", "ConfigMap", context.namespace, name)
    if body is None:
        raise TemporaryError(
            LifecycleReason.CONFIG_MAP_NOT_FOUND, f"ConfigMap {name} was deleted; create it again"
        )
    return archive.archive_of(body)
