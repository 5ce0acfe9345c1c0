"""The control group of the load master's own pod."""

from collections.abc import Sequence

from solrbench.plan.names import LOAD_MASTER
from solrbench.telemetry.own_pod import read_own_pod
from solrbench.telemetry.readings import Reading


class OwnPodSource:
    """The pod of this process."""

    kind = "pods"

    def read(self, *, full: bool) -> Sequence[Reading]:
        """Return one reading."""
        del full
        return [read_own_pod(LOAD_MASTER)]

    def missing(self) -> str | None:
        """Return nothing: what cannot be read of the pod is missing in its figures."""
        return None
