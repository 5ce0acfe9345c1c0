"""Ten documents to every question, and a count: `python -m bench.servers.canned PORT`.

Responses have about 4 KB, with the headers that Solr 9 sends. The server parses next to nothing, so
that it is not the bottleneck: a request is what ends in an empty line, so only requests without a
body are understood.
"""

import asyncio
import json
import random
import sys
from itertools import cycle
from typing import cast

import uvloop

_TEXT = (
    "solar panel archive ledger river copper museum harbour letter season bridge garden winter "
    "record market temple island pottery survey sample vessel charcoal bronze timber valley"
)
WORDS = _TEXT.split()
ROWS = 10
RESPONSES = 64

_HEADERS = (
    "HTTP/1.1 200 OK\r\n"
    "Content-Security-Policy: default-src 'none'; base-uri 'none'; connect-src 'self'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: SAMEORIGIN\r\n"
    "X-XSS-Protection: 1; mode=block\r\n"
    "Content-Type: application/json;charset=utf-8\r\n"
    "Vary: Accept-Encoding\r\n"
)


def canned_responses(seed: int = 1) -> list[bytes]:
    """Return different whole responses, headers included; the same for the same seed."""
    draw = random.Random(seed)
    bodies = [_body(draw, number) for number in range(RESPONSES)]
    return [f"{_HEADERS}Content-Length: {len(each)}\r\n\r\n".encode() + each for each in bodies]


def _body(draw: random.Random, number: int) -> bytes:
    header = {
        "zkConnected": True,
        "status": 0,
        "QTime": draw.randrange(1, 40),
        "params": {"q": draw.choice(WORDS), "rows": str(ROWS), "wt": "json"},
    }
    found = draw.randrange(ROWS, 90_000)
    documents = [_document(draw, number * ROWS + row) for row in range(ROWS)]
    response = {
        "numFound": found,
        "start": 0,
        "maxScore": round(draw.uniform(1, 9), 6),
        "numFoundExact": True,
        "docs": documents,
    }
    whole = {"responseHeader": header, "response": response}
    # Indented, as it is by default since Solr 7, but without a space behind the colon.
    return json.dumps(whole, indent=2, separators=(",", ":")).encode() + b"\n"


def _document(draw: random.Random, number: int) -> dict[str, object]:
    return {
        "id": f"doc-{number:08d}",
        "title_t": " ".join(draw.choices(WORDS, k=5)),
        "category_s": draw.choice(WORDS),
        "year_i": draw.randrange(1850, 2026),
        "text_t": " ".join(draw.choices(WORDS, k=22)),
        "_version_": draw.randrange(2**60, 2**61),
    }


_BACKLOG = 1024
_COUNT = b"GET /served "


class Canned(asyncio.Protocol):
    """One connection."""

    served = 0
    responses = cycle(canned_responses())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; part of asyncio's protocol interface, as the following."""
        self._transport = cast("asyncio.Transport", transport)
        self._pending = b""

    def data_received(self, data: bytes) -> None:
        """Respond to every complete request."""
        if self._pending:
            data = self._pending + data
        if data.startswith(_COUNT):
            body = str(Canned.served).encode()
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
            self._transport.write(body)
            return
        whole = data.count(b"\r\n\r\n")
        self._pending = b"" if data.endswith(b"\r\n\r\n") else data.rpartition(b"\r\n\r\n")[2]
        for _ in range(whole):
            self._transport.write(next(Canned.responses))
        Canned.served += whole


async def serve(port: int) -> None:
    """Serve until the process is ended."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Canned, "127.0.0.1", port, backlog=_BACKLOG)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
