"""What the sampler reads: one source for each kind of server."""

from collections.abc import Sequence
from typing import Protocol

from solrbench.telemetry.readings import Reading


class TelemetrySource(Protocol):
    """Servers of one kind.

    Attributes:
        kind: what they are, a field of `Telemetry`

    """

    kind: str

    def read(self, *, full: bool) -> Sequence[Reading]:
        """Return a reading of each server that responds, never raise; `full` with everything."""

    def missing(self) -> str | None:
        """Return a sentence on what could not be read so far, and why; None if all was."""
