"""How long each phase may take."""

from solrbench.api.v1alpha1 import Spec


def deadline_seconds(spec: Spec, phase: str) -> int | None:
    """Return the limit of a phase in seconds, or `None` where waiting has no limit.

    A benchmark waits in the queue for as long as others run. One that refers to missing objects
    has as long as provisioning may take: they may be applied a moment later.
    """
    limits = {
        "Pending": spec.deadlines.provisioning_seconds,
        "Provisioning": spec.deadlines.provisioning_seconds,
        "Indexing": spec.deadlines.indexing_seconds,
        "Measuring": spec.deadlines.measuring_seconds,
    }
    return limits.get(phase)
