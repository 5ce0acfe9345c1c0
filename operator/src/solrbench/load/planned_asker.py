"""One connection of an open loop: connects ahead of any request, then carries planned ones."""

import asyncio
from typing import Protocol

from solrbench.load.answers import Failure, failure, judge
from solrbench.load.asker import Asker
from solrbench.load.requests import Node, PreparedRequest


class Pool(Protocol):
    """Where a connection belongs."""

    def completed(
        self, asker: "PlannedAsker", request: PreparedRequest, ended_ns: int, received: int
    ) -> None:
        """Count the request that ended; its fate is in `asker.failed`."""

    def retried(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""


class PlannedAsker(Asker):
    """Carries requests that are due, whichever of a node's connections is free.

    Attributes:
        place: place of its node
        intended_ns: when the request under way was to start
        failed: what was wrong with the last one

    """

    def __init__(
        self,
        pool: Pool,
        place: int,
        node: Node,
        timeout_seconds: float,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(node, timeout_seconds, loop)
        self.place = place
        self.intended_ns = 0
        self.failed: Failure | None = None
        self._pool = pool

    @property
    def is_open(self) -> bool:
        """Say whether there is a connection."""
        return self._connection is not None

    @property
    def began_ns(self) -> int:
        """When the last request was sent."""
        return self._began_ns

    async def connect(self) -> Failure | None:
        """Open the connection; return why there is none."""
        seconds = self._timeout_ns / 1e9
        where = f"{self._node.host}:{self._node.port}"
        self.failed = failure("Timeout", f"cannot connect to {where} within {seconds:g} s")
        await self.prepare()
        return None if self.is_open else self.failed

    def carry(self, request: PreparedRequest, intended_ns: int, now_ns: int) -> None:
        """Send a request that was to start at a time."""
        self.intended_ns = intended_ns
        self.ask(request, now_ns)

    def completed(
        self,
        request: PreparedRequest,
        ended_ns: int,
        received: int,
        failed: Failure | None,
        answer: tuple[int, bytes] | None,
    ) -> None:
        """Judge a request and give it back."""
        self.failed = failed if answer is None else judge(*answer, request.json)
        self._pool.completed(self, request, ended_ns, received)

    def retried(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._pool.retried(request)

    def _fail(self, ended_ns: int, received: int, failed: Failure) -> None:
        """Keep the reason where no request is there to bear it: nobody asks while connecting."""
        self.failed = failed
        super()._fail(ended_ns, received, failed)
