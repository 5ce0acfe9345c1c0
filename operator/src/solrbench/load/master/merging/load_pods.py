"""The pods of the load beside those of the target in the telemetry of a step run."""

from collections.abc import Sequence

from solrbench.plan.names import LOAD_MASTER
from solrbench.results.model.telemetry import ServerFigures, Telemetry
from solrbench.telemetry.summary import spreads_of, worst_servers

SPREAD = "load-pods"


def add_load_pods(
    telemetry: Telemetry | None, workers: Sequence[ServerFigures | None]
) -> Telemetry | None:
    """Return telemetry with the pods of the workers, which read themselves.

    Args:
        telemetry: what the master read, its own pod included; None if it is turned off
        workers: the pod of each, None where it was not read

    """
    pods = [each for each in workers if each is not None]
    if telemetry is None or not pods:
        return telemetry
    masters = [each for each in telemetry.pods if each.component == LOAD_MASTER]
    spreads = {SPREAD: spreads_of(SPREAD, [*masters, *pods])}
    return telemetry.model_copy(
        update={
            "pods": [*telemetry.pods, *worst_servers(pods)],
            "spreads": telemetry.spreads | spreads,
        }
    )
