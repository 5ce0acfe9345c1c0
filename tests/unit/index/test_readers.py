import io
import json
import re
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.api.v1alpha1.dataset import Format
from solrbench.index import readers
from solrbench.index.errors import IndexingError
from solrbench.index.files import flattened
from solrbench.index.readers import READERS, read_xml
from support.failing import failing


def read(wanted: Format, data: bytes) -> Iterator[dict[str, Any]]:
    stream = io.BufferedReader(io.BytesIO(data))
    for load in READERS[wanted](stream, "f"):
        yield load()[0]


GOOD = [
    (Format.JSONL, b'{"a":1}\n\n{"a":2}', [{"a": 1}, {"a": 2}]),
    (Format.JSONL, b'\xef\xbb\xbf{"a":1}\r\n\xef\xbb\xbf{"a":2}\r\n', [{"a": 1}, {"a": 2}]),
    (Format.JSONL, b"", []),
    (Format.JSON, b' [ {"a":1.5}, {"b":[{"c":null}]} ]\n', [{"a": 1.5}, {"b": [{"c": None}]}]),
    (Format.JSON, b'{"a":1}{"a":2}\n{"a":3}', [{"a": 1}, {"a": 2}, {"a": 3}]),
    (Format.JSON, b'\xef\xbb\xbf[{"a":"\xc3\xa9"}]', [{"a": "é"}]),
    (Format.JSON, b" \n ", []),
    (Format.JSON, b"[]", []),
    (Format.CSV, b'a,b\r\n1,"x, ""y""\nz"\r\n,2\r\n', [{"a": "1", "b": 'x, "y"\nz'}, {"b": "2"}]),
    (Format.CSV, b"\xef\xbb\xbfa\n\n1\n", [{"a": "1"}]),
    (Format.CSV, b"", []),
]

BAD = [
    (Format.JSONL, b'{"a":1}\n{"a":}\n', 1, "f: line 2, column 6"),
    (Format.JSONL, b'{"a":1}\n[1]\n', 1, "f: line 2: a document must be a JSON object"),
    (Format.JSONL, b'{"a":1}\n{"a":"\xff"}\n', 1, "f: line 2, byte 7: not UTF-8"),
    (Format.JSONL, b'{"a":1}\n{"a"', 1, "f: line 2"),
    (Format.JSON, b'[{"a":1},{"a":2},{"a":}]', 2, "f: record 3"),
    (Format.JSON, b'[{"a":1},{"a":2}', 2, "f: record 3"),
    (Format.JSON, b'[{"a":1}, 7]', 1, "f: record 2: a document must be a JSON object"),
    (Format.JSONL, b'{"a":1}\n{"a":"\x01"}\n', 1, "f: line 2, column 7: unexpected control"),
    (Format.JSON, b'{"a":1}{"a":\xff}', 1, "f: line 1 (record 2): control characters, or bytes"),
    (Format.JSON, b'[{"a":1},\n\n{"a":"\xe9"}]', 1, "f: line 3 (record 2)"),
    (Format.JSON, b'[{"a":1},\n{"a":"\x02"}]', 1, "f: line 2 (record 2)"),
    (Format.JSON, b'[{"a":"\x7f"},\n{"a":}]', 1, "f: record 2"),
    (Format.XML, b"<add>\n<doc><field name='a'>\x03</field></doc></add>", 0, "f: line 2, column"),
    (Format.XML, b"<?xml version='1.0' encoding='gb2312'?><add/>", 0, "f: line 1, column"),
    (Format.XML, b"<?xml version='1.0' encoding='none'?><add/>", 0, "f: line 1, column"),
    (Format.JSON, b"<add/>", 0, "f: begins with b'<'"),
    (Format.CSV, b"a,b\n1,2\n3\n", 1, "f: line 3: 1 cells, the header has 2"),
    (Format.CSV, b"a,a\n1,2\n", 0, "f: line 1: the header"),
    (Format.CSV, b"a,\n1,2\n", 0, "f: line 1: the header"),
    (Format.CSV, b'a,b\n1,2\n3,"x"y\n', 1, "f: line 3"),
    (Format.CSV, b'a,b\n1,"2\n', 0, "f: line 2: unexpected end of data"),
    (Format.CSV, b"a,b\n1,2\n1,\xff\n", 1, "f: line 3: not UTF-8"),
]


FLAT = b'{"id": "1", "price": 1.50, "tags": ["a", 2, true]}\n'


@pytest.mark.parametrize("other", ["null", '{"b":1}', "[]", "[null]", "[[1]]", "[{}]", "9" * 20])
def test_line_that_needs_no_change_comes_along(other: str) -> None:
    lines = FLAT + b'{"a":%b}' % other.encode()
    flat, changed = (load() for load in READERS[Format.JSONL](io.BytesIO(lines), "f"))
    assert flat == (orjson.loads(FLAT), FLAT.rstrip())
    # Not by orjson, which would round the last one.
    assert changed == (json.loads(b'{"a":%b}' % other.encode()), None)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=1), inner),
    max_leaves=4,
)


@given(st.dictionaries(st.text(max_size=2), VALUES, max_size=4), st.binary(max_size=2), st.data())
def test_line_is_the_same_to_both_parsers(document: Any, noise: bytes, data: st.DataObject) -> None:
    """What comes along as it stands is JSON of exactly its document, and flat."""
    line = json.dumps(document, ensure_ascii=data.draw(st.booleans())).encode(errors="replace")
    place = data.draw(st.integers(0, len(line)))
    lines = io.BytesIO(b"%b%b%b" % (line[:place], noise, line[place:]))
    with suppress(IndexingError):
        for found, text in (load() for load in READERS[Format.JSONL](lines, "f")):
            if text is not None:
                assert found == orjson.loads(text)
                assert flattened(found) is found


@pytest.mark.parametrize(("wanted", "data", "expected"), GOOD)
def test_readers_return_the_records_of_each_format(
    wanted: Format, data: bytes, expected: list[dict[str, Any]]
) -> None:
    assert list(read(wanted, data)) == expected


@pytest.mark.parametrize(("wanted", "data", "before", "location"), BAD)
def test_names_the_place_of_what_is_malformed(
    wanted: Format, data: bytes, before: int, location: str
) -> None:
    documents = read(wanted, data)
    assert len([next(documents) for _ in range(before)]) == before
    with failing(IndexingError, "MalformedDocument", f"^{re.escape(location)}.*; ", permanent=True):
        next(documents)


def nested(levels: int) -> bytes:
    return b'{"a":%b%b}' % (b"[" * (levels - 1), b"]" * (levels - 1))


def test_levels_of_json_are_limited() -> None:
    deepest = readers.MAX_LEVELS
    # The list around them is a level, too.
    for inside in (nested(deepest) * 2, b"[%b,%b]" % (nested(deepest - 1), nested(deepest - 1))):
        assert [[*each] for each in read(Format.JSON, inside)] == [["a"], ["a"]]
    for outside in (nested(2) + nested(deepest + 1), b"[{},%b]" % nested(deepest)):
        message = "^f: record 2: is nested deeper than 1000 levels; give it fewer levels"
        with failing(IndexingError, "MalformedDocument", message, permanent=True):
            list(read(Format.JSON, outside))


def test_brackets_in_texts_are_no_levels() -> None:
    # The first chunk that is read ends between a backslash and the quote that it escapes.
    before = b"x" * ((1 << 16) - len(b'{"a":"') - 1)
    data = b'{"a":"%b\\"%b\\\\"}{"a":"{"}' % (before, b"[" * 2000)
    texts = [each["a"] for each in read(Format.JSON, data)]
    assert texts == [before.decode() + '"' + "[" * 2000 + "\\", "{"]


def test_endless_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "LONGEST_LINE_BYTES", 1 << 10)
    with pytest.raises(IndexingError, match="f: line 2: line is longer"):
        list(read(Format.JSONL, b'{"a":1}\n{"a":"' + b"x" * 2000 + b'"}\n'))
    with pytest.raises(IndexingError, match="f: line 2: line is longer"):
        list(read(Format.CSV, b"a,b\n" + b"x," * 2000))


class Endless(io.RawIOBase):
    """A file of very many equal records that is never whole in memory."""

    def __init__(self, head: bytes, record: bytes, count: int, tail: bytes) -> None:
        self._parts = iter([head, *([record * 100] * (count // 100)), tail])
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._parts, b"")
        piece = self._rest[: len(buffer)]
        buffer[: len(piece)] = piece
        self._rest = self._rest[len(piece) :]
        return len(piece)


@pytest.mark.parametrize(
    ("wanted", "head", "record", "tail"),
    [
        (Format.JSON, b'[{"a":"0"}', b',{"a":"%s"}' % (b"x" * 500), b"]"),
        (Format.JSON, b'{"a":"0"}', b'{"a":"%s"}\n' % (b"x" * 500), b""),
        (Format.JSONL, b'{"a":"0"}\n', b'{"a":"%s"}\n' % (b"x" * 500), b""),
        (Format.CSV, b"a\n0\n", b"%s\n" % (b"x" * 500), b""),
        (
            Format.XML,
            b"<add><doc><field name='a'>0</field></doc>",
            b"<doc><field name='a'>%s</field></doc>" % (b"x" * 500),
            b"</add>",
        ),
        # Filled up, in an element and behind all of them.
        (Format.XML, b"<add><doc><field name='a'>0</field></doc>", b" " * 500, b"</add>"),
        (Format.XML, b"<add><doc><field name='a'>0</field></doc></add>", b" " * 500, b""),
    ],
)
def test_memory_does_not_grow_with_the_file(
    wanted: Format, head: bytes, record: bytes, tail: bytes
) -> None:
    stream = io.BufferedReader(Endless(head, record, 8000, tail), 1 << 16)
    records = READERS[wanted](stream, "f")
    next(records)
    tracemalloc.start()
    assert sum(len(load()[0]["a"]) == 500 for load in records) == (8000 if record.strip() else 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


def documents_of_xml(text: str) -> list[dict[str, Any]]:
    return [load()[0] for load in read_xml(io.BytesIO(text.encode()), "f.xml")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<add><doc><field name='a'>1</field></doc></add>", [{"a": "1"}]),
        (
            """<?xml version='1.0'?><update>
            <add commitWithin='9'><doc/></add>
            <add><doc><field name='a'>&lt;x&#233;</field></doc></add></update>""",
            [{}, {"a": "<xé"}],
        ),
        (
            """<add><doc><field name='a'>1</field><field name='b'/><field name='a'>2</field>
            <field name='a'>3</field><field name='c' null='true'>x</field></doc></add>""",
            [{"a": ["1", "2", "3"], "b": ""}],
        ),
        ("<add><doc><field name='a'><![CDATA[<b>]]> c</field></doc></add>", [{"a": "<b> c"}]),
        ("<add/>", []),
    ],
)
def test_xml_reader_returns_the_documents(text: str, expected: list[dict[str, Any]]) -> None:
    assert documents_of_xml(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<add><doc><field name='a'>1</doc></add>", "line 1, column 30: mismatched tag"),
        ("<add>\n<doc>", "line 2"),
        ("", "no element found"),
        ("<delete><id>1</id></delete>", "<delete> at the top is no document"),
        ("<add><doc><doc/></doc></add>", "<doc> inside <doc>"),
        ("<add><doc><field>1</field></doc></add>", "<field> has no name"),
        ("<add><doc><field name='a' update='set'>1</field></doc></add>", "atomic updates"),
        ("<add><doc>stray</doc></add>", "text outside a field: 'stray'"),
        ("<!DOCTYPE add SYSTEM 'file:///etc/passwd'><add/>", "document type declaration"),
        (
            "<!DOCTYPE a [<!ENTITY x 'y'>]><add><doc><field name='a'>&x;</field></doc></add>",
            "document type declaration",
        ),
    ],
)
def test_xml_reader_refuses_other_commands(text: str, message: str) -> None:
    with failing(IndexingError, "MalformedDocument", f"^(?=f.xml: line ).*{re.escape(message)}"):
        documents_of_xml(text)


def test_documents_before_the_malformed_one_are_read() -> None:
    one = "<doc><field name='a'>" + "x" * 70_000 + "</field></doc>"
    records = read_xml(io.BytesIO(f"<add>{one}{one}<oops></add>".encode()), "f.xml")
    assert len(next(records)()[0]["a"]) == 70_000
