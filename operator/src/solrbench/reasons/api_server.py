"""Reasons that the Kubernetes API server gives."""

from solrbench.reasons.kinds import Kind, Reason


class ApiServerReason(Reason):
    """What the API server responds to the operator's requests."""

    API_UNREACHABLE = (
        "ApiUnreachable",
        Kind.WARNING,
        "The Kubernetes API server did not respond or responded with a server error.",
        "Wait; if it lasts, check the API server and the operator's network policies.",
    )
    API_REFUSED = (
        "ApiRefused",
        Kind.WARNING,
        "The Kubernetes API server denied a request of the operator.",
        "Compare the operator's role with that of its chart; check quotas and admission policies.",
    )
    MANIFEST_REJECTED = (
        "ManifestRejected",
        Kind.PERMANENT,
        "The Kubernetes API server rejected an object of the benchmark as invalid.",
        "Correct the field that the message names.",
    )
    KIND_NOT_SERVED = (
        "KindNotServed",
        Kind.WARNING,
        "The cluster does not serve a kind of resource that the benchmark needs.",
        "Install the operator that brings this kind.",
    )
    NOT_FOUND = (
        "NotFound",
        Kind.WARNING,
        "An object was deleted while it was in use.",
        "Create the object again.",
    )
    CONFLICT = (
        "Conflict",
        Kind.WAITING,
        "An object changed between reading and writing it.",
        "Nothing needs to be done: the next reconcile reads the new version.",
    )
    STATUS_REJECTED = (
        "StatusRejected",
        Kind.PERMANENT,
        "The status is too large for the API server, or violates the schema; results are left out.",
        "Read the results with `solrbench report`; reduce steps, variants or request names.",
    )
    NAME_TAKEN = (
        "NameTaken",
        Kind.WARNING,
        (
            "An object with the name of one that the benchmark needs exists and belongs to"
            " something else, such as a deleted benchmark of the same name."
        ),
        "Delete the object that the message names, or give the benchmark another name.",
    )
