"""Responses of ten documents, about 4 KB, with the headers that Solr 9 sends."""

import json
import random

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
    return [_with_headers(_body(draw, number)) for number in range(RESPONSES)]


def _with_headers(body: bytes) -> bytes:
    return f"{_HEADERS}Content-Length: {len(body)}\r\n\r\n".encode() + body


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
