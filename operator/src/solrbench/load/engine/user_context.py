"""What the users of a step run share."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from solrbench.load.engine.request_supply import RequestSupply
from solrbench.load.recording.recorder import StepRunRecorder


@dataclass(frozen=True, slots=True)
class UserContext:
    """Where users take requests from, and what they report to.

    Attributes:
        supply: the requests of the step run
        recorder: counts what became of them
        timeout_seconds: a response that takes longer is a failure
        loop: the event loop that users run in
        on_user_finished: called by a user when it has nothing left to do
        silent_nodes: nodes, by host and port, to which a user could not connect ahead in time; the
            others do not wait for them before the step: their first request tries again

    """

    supply: RequestSupply
    recorder: StepRunRecorder
    timeout_seconds: float
    loop: asyncio.AbstractEventLoop
    on_user_finished: Callable[[], None]
    silent_nodes: set[tuple[str, int]] = field(default_factory=set)
