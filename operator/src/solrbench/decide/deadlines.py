"""How long each stage may take."""

from solrbench.api.v1alpha1 import Spec
from solrbench.decide.conditions import ACCEPTED, DATA_INDEXED, MEASURED, TARGET_READY


def deadline_seconds(spec: Spec, condition: str) -> int | None:
    """Return the limit of a stage in seconds, or `None` where waiting has no limit.

    A benchmark waits in the queue for as long as others run. One that refers to missing objects
    has as long as provisioning may take: they may be applied a moment later.

    Args:
        spec: with the deadlines
        condition: type of the condition that the stage makes true

    """
    limits = {
        ACCEPTED: spec.deadlines.provisioning_seconds,
        TARGET_READY: spec.deadlines.provisioning_seconds,
        DATA_INDEXED: spec.deadlines.indexing_seconds,
        MEASURED: spec.deadlines.measuring_seconds,
    }
    return limits.get(condition)
