"""Which fields the definition of a kind has in this cluster, to distinguish its versions."""

from typing import Any

from solrbench.cluster.client import Cluster
from solrbench.errors import TemporaryError
from solrbench.reasons.target import TargetReason

KINDS = "x-kubernetes-group-version-kind"


def known_fields(
    cluster: Cluster, api_version: str, kind: str, path: tuple[str, ...]
) -> frozenset[str]:
    """Return the names of the fields at `path` of a kind, as the API server publishes them.

    The OpenAPI document needs no right to read definitions.

    Raises:
        TemporaryError: if the document does not hold the kind (yet): it follows a new definition.

    """
    document = cluster.read(f"/openapi/v3/apis/{api_version}")
    fields = None if document is None else fields_at(document, api_version, kind, path)
    if fields is None:
        raise TemporaryError(
            TargetReason.SCHEMA_NOT_PUBLISHED,
            f"the API server has not published the schema of {kind}",
        )
    return fields


def fields_at(
    document: dict[str, Any], api_version: str, kind: str, path: tuple[str, ...]
) -> frozenset[str] | None:
    """Return the fields at `path` of a kind, or `None` if the document does not hold the kind."""
    group, _, version = api_version.partition("/")
    wanted = {"group": group, "version": version, "kind": kind}
    for schema in document.get("components", {}).get("schemas", {}).values():
        if wanted in schema.get(KINDS, []):
            place = schema
            for part in path:
                place = place.get("properties", {}).get(part, {})
            return frozenset(place.get("properties", {}))
    return None
