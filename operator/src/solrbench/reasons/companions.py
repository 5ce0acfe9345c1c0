"""Reasons of the companions."""

from solrbench.reasons.kinds import Kind, Reason


class CompanionReason(Reason):
    """Objects of `spec.companions`, made beside the target."""

    COMPANION_REFUSED = (
        "CompanionRefused",
        Kind.PERMANENT,
        (
            "The manifests of the companions have a kind or a field that companions must not have,"
            " are too many or too large, or are no YAML."
        ),
        "Correct what the message names.",
    )
    COMPANIONS_CHANGED = (
        "CompanionsChanged",
        Kind.PERMANENT,
        "The manifests of the companions changed after the benchmark had made them.",
        "Create the benchmark again, so that all of it is measured with the same companions.",
    )
    COMPANION_NOT_READY = (
        "CompanionNotReady",
        Kind.WAITING,
        "Not all pods of the companions are ready.",
        "Wait; if it lasts, read the logs of the pods that the message names.",
    )
    COMPANION_LOST = (
        "CompanionLost",
        Kind.WARNING,
        "A pod of the companions was replaced or restarted after the target was ready.",
        "Check its log; target and data are made again, as `spec.backoffLimit` allows.",
    )
