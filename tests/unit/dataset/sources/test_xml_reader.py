import io
from typing import Any

import pytest

from solrbench.dataset.errors import IndexingError
from solrbench.dataset.sources.xml_reader import read_xml
from solrbench.reasons.indexing import IndexingReason


def read(text: str) -> list[dict[str, Any]]:
    return [load() for load in read_xml(io.BytesIO(text.encode()), "f.xml")]


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
def test_reads(text: str, expected: list[dict[str, Any]]) -> None:
    assert read(text) == expected


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
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(IndexingError) as caught:
        read(text)
    assert caught.value.reason is IndexingReason.MALFORMED_DOCUMENT
    assert message in str(caught.value)
    assert str(caught.value).startswith("f.xml: line ")


def test_documents_before_the_malformed_one_are_read() -> None:
    one = "<doc><field name='a'>" + "x" * 70_000 + "</field></doc>"
    records = read_xml(io.BytesIO(f"<add>{one}{one}<oops></add>".encode()), "f.xml")
    assert len(next(records)()["a"]) == 70_000
