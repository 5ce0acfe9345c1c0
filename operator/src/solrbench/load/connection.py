"""One TCP connection that carries one request after another.

A connection knows nothing of users, passes or what a good answer is: it writes bytes and hands
over status and body of the answer.
"""

import asyncio
from typing import Protocol, cast

from httptools import HttpParserError, HttpResponseParser


class Owner(Protocol):
    """Who asks over a connection."""

    def answered(self, status: int, body: bytes, received: int, keep: bool) -> None:
        """Take an answer: HTTP status, body, bytes on the wire, may the connection be kept."""

    def malformed(self, message: str) -> None:
        """Learn that what came is no HTTP."""

    def lost(self, error: Exception | None, received: int) -> None:
        """Learn that the connection ended after `received` bytes of an answer."""


class Connection(asyncio.Protocol):
    """One connection. Nobody is told of its end while it has no owner."""

    __slots__ = (
        "_chunks",
        "_complete",
        "_keep",
        "_parser",
        "_received",
        "_transport",
        "answers",
        "owner",
    )

    def __init__(self) -> None:
        self.owner: Owner | None = None
        self.answers = 0
        """Whole answers so far: 0 means that the connection is fresh."""
        self._parser = HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._chunks: list[bytes] = []
        self._received = 0
        self._complete = False
        self._keep = True

    @property
    def is_open(self) -> bool:
        """Say whether the connection is there."""
        return self._transport is not None

    def send(self, request: bytes) -> None:
        """Write one request; the answer to the one before must have come."""
        if self._transport is not None:
            self._transport.write(request)

    def close(self) -> None:
        """End the connection at once; the owner hears nothing more."""
        self.owner = None
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; part of asyncio's protocol interface, as the following."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Parse a piece of an answer, and hand the answer over if it was the last one."""
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserError as error:
            if self.owner is not None and not self._complete:
                self.owner.malformed(f"answer is not HTTP: {error}")
                return
        if self._complete:
            self._hand_over()

    def connection_lost(self, error: Exception | None) -> None:
        """Tell the owner, who may be waiting for an answer."""
        self._transport = None
        if self.owner is not None:
            self.owner.lost(error, self._received)

    def on_body(self, body: bytes) -> None:
        """Keep a piece of the body; called by the parser."""
        self._chunks.append(body)

    def on_message_complete(self) -> None:
        """Note that the answer is whole; called by the parser, which then forgets."""
        self._complete = True
        self._keep = self._parser.should_keep_alive()

    def _hand_over(self) -> None:
        chunks, received = self._chunks, self._received
        self._chunks, self._received, self._complete = [], 0, False
        self.answers += 1
        body = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        if self.owner is not None:
            self.owner.answered(self._parser.get_status_code(), body, received, self._keep)
