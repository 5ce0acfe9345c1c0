"""Reasons that concern a sweep."""

from solrbench.reasons.kinds import Kind, Reason


class SweepReason(Reason):
    """Acceptance and course of a sweep over several benchmarks."""

    POINTS_ACCEPTED = (
        "PointsAccepted",
        Kind.DONE,
        "The benchmark of every point is valid.",
        "Nothing needs to be done.",
    )
    INVALID_POINTS = (
        "InvalidPoints",
        Kind.WARNING,
        (
            "The sweep cannot start, or begins no further point: the message names what is wrong"
            " by point and field."
        ),
        "Correct the sweep; it goes on by itself.",
    )
    POINTS_DO_NOT_FIT = (
        "PointsDoNotFit",
        Kind.WARNING,
        (
            "Nothing begins, as a point needs pods that no node could take even if nothing else"
            " ran: the message names point and pods."
        ),
        (
            "Take smaller values, or add nodes: the sweep goes on by itself. Where nodes are added"
            " on demand, set `spec.checkRoom` to false."
        ),
    )
    SWEEP_CHANGED = (
        "SweepChanged",
        Kind.WARNING,
        (
            "The template, the baseline or the fields of the axes changed after a point had begun,"
            " so further points could not be compared with it."
        ),
        "Change them back, or create another sweep.",
    )
    POINTS_REMOVED = (
        "PointsRemoved",
        Kind.WARNING,
        "Points that have begun are in the sweep no more; no further point begins.",
        "Put their values back, or create another sweep.",
    )
    RUNNING_POINTS = (
        "RunningPoints",
        Kind.WAITING,
        "Points wait in the queue of all benchmarks, or run.",
        "Wait.",
    )
    POINTS_FAILED = (
        "PointsFailed",
        Kind.PERMANENT,
        "All points are over, and some benchmarks failed; the results of the others count.",
        "Read the conditions of the benchmarks that the message names.",
    )
    STOPPED_AFTER_FAILURE = (
        "StoppedAfterFailure",
        Kind.PERMANENT,
        "A point failed, and with `spec.failFast` no further one begins.",
        "Read the conditions of the benchmark, or set `spec.failFast` to false to go on.",
    )
    POINT_NOT_CREATED = (
        "PointNotCreated",
        Kind.WARNING,
        "The benchmark of a point could not be created; it is tried again.",
        "Remove the cause that the message names.",
    )
