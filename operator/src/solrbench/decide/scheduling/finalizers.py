"""How long a benchmark needs the operator: for its deletion, and for anything at all."""

from collections.abc import Mapping
from typing import Any

from solrbench.decide.conditions import CLEANED_UP, EXPORTED, SUCCEEDED
from solrbench.plan.names import ANNOTATION_RELEASED


def needs_finalizer(*, body: Mapping[str, Any], **_: object) -> bool:
    """Return whether an existing Solr may hold a collection that the operator is to remove.

    All else goes by owner references, so that neither a benchmark nor its namespace waits for an
    operator.
    """
    spec = body.get("spec") or {}
    existing = (spec.get("target") or {}).get("existing")
    if not existing or existing.get("collectionPolicy") == "UseExisting":
        return False
    return not (_is_cleaned_up(body) or _is_empty_handed(body) or _is_released(body))


def _is_empty_handed(body: Mapping[str, Any]) -> bool:
    """Return whether a benchmark is suspended and nothing of it is left on the existing Solr."""
    status = body.get("status") or {}
    is_suspended = (body.get("spec") or {}).get("suspend") and status.get("phase") == "Suspended"
    return bool(is_suspended and not (status.get("target") or {}).get("nodes"))


def _is_released(body: Mapping[str, Any]) -> bool:
    """Return whether the operator's release is gone, and nothing is measured since."""
    annotations = body["metadata"].get("annotations") or {}
    if annotations.get(ANNOTATION_RELEASED) != "true":
        return False
    return bool((body.get("spec") or {}).get("suspend")) or is_over(body)


def is_over(body: Mapping[str, Any]) -> bool:
    """Return whether a benchmark succeeded or failed, as its conditions say."""
    conditions = (body.get("status") or {}).get("conditions") or []
    return any(each["type"] == SUCCEEDED and each["status"] != "Unknown" for each in conditions)


def needs_reconcile(body: Mapping[str, Any]) -> bool:
    """Return whether a benchmark has anything left to do, or a time to live to end.

    One that is over may get a new spec, whose generation its status is to show.
    """
    spec = body.get("spec") or {}
    if spec.get("ttlSecondsAfterFinished") is not None or not _is_cleaned_up(body):
        return True
    return _is_changed(body) or _may_need_export(body)


def _is_changed(body: Mapping[str, Any]) -> bool:
    """Return whether the status is not about the present spec."""
    generation = body["metadata"].get("generation")
    status = body.get("status") or {}
    return bool(status.get("observedGeneration", generation) != generation)


def _may_need_export(body: Mapping[str, Any]) -> bool:
    """Return whether the export is not decided for the present generation."""
    if ((body.get("spec") or {}).get("results") or {}).get("export") is None:
        return False
    conditions = (body.get("status") or {}).get("conditions") or []
    generation = body["metadata"].get("generation", 0)
    return not any(
        each["type"] == EXPORTED
        and each["status"] != "Unknown"
        and each.get("observedGeneration", 0) >= generation
        for each in conditions
    )


def _is_cleaned_up(body: Mapping[str, Any]) -> bool:
    conditions = (body.get("status") or {}).get("conditions") or []
    return any(each["type"] == CLEANED_UP and each["status"] == "True" for each in conditions)
