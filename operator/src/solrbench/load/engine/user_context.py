"""What the users of a step run share."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

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

    """

    supply: RequestSupply
    recorder: StepRunRecorder
    timeout_seconds: float
    loop: asyncio.AbstractEventLoop
    on_user_finished: Callable[[], None]
