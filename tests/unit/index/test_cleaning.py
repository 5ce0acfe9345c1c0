"""What is cleaned in files of each format, and how it is counted."""

import csv
import gzip
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.api.v1alpha1.dataset import Cleaning, Dataset, Format
from solrbench.api.v1alpha1.status import CleanedStatus
from solrbench.index.cleaning import Cleaner, marked
from solrbench.index.errors import IndexingError, RetryPolicy
from solrbench.index.files import MAX_FILES, Partition, ReadCounts
from solrbench.index.readers import READERS
from solrbench.index.sources import ReadContext, read_documents
from support.failing import failing

ALL = {"controlCharacters": "Remove", "invalidBytes": "Replace", "markup": "Remove"}
WHOLE = Partition(0, 1, 10)
Document = dict[str, Any]


def cleaned(
    data: bytes, wanted: Format = Format.JSONL, **changes: str
) -> tuple[list[Document], dict[str, int]]:
    cleaning = Cleaning.model_validate(ALL | changes)
    cleaner = Cleaner(cleaning)
    stream = marked(io.BufferedReader(io.BytesIO(data)), cleaning, wanted, "f")
    documents = [cleaner.clean(load()[0]) for load in READERS[wanted](stream, "f")]
    return documents, {name: n for name, n in cleaner.cleaned.model_dump().items() if n}


DIRTY: dict[Format, bytes] = {
    Format.JSONL: b'\x00{"a":"x\x01\xe9y","b":["<b>z</b>"]}\x00\n\x1a{"a":"w"}\n\x1a',
    Format.JSON: b'[{"a":"x\x01\xe9y","b":["<b>z</b>"]},{"a":"w"}]',
    Format.CSV: b"a,b\nx\x01\xe9y,<b>z</b>\nw,\n\x00\x00\x1a",
    Format.XML: (
        b"<add>\x02<doc><field name='a'>x\x01\xe9y</field><field name='b'>&lt;b&gt;z&lt;/b&gt;"
        b"</field></doc>\n<doc><field name='a'>w</field></doc></add>\n\x1a\r\n"
    ),
}


@pytest.mark.parametrize("wanted", DIRTY)
def test_each_format_is_cleaned_and_counted_by_document(wanted: Format) -> None:
    documents, counts = cleaned(DIRTY[wanted], wanted)
    b = ["z"] if wanted in (Format.JSONL, Format.JSON) else "z"
    assert documents == [{"a": "x\ufffdy", "b": b}, {"a": "w"}]
    expected = {"control_characters": 1, "invalid_bytes": 1, "markup_characters": 7}
    assert counts == {"documents": 1} | expected


@pytest.mark.parametrize("wanted", DIRTY)
def test_without_cleaning_the_file_and_its_line_are_named(wanted: Format) -> None:
    stream = io.BufferedReader(io.BytesIO(DIRTY[wanted]))
    place = "f: line [12].*spec.dataset.cleaning"
    with failing(IndexingError, "MalformedDocument", place, permanent=True):
        _ = [load() for load in READERS[wanted](stream, "f")]


@pytest.mark.parametrize(
    ("changes", "text", "expected"),
    [
        ({}, "one\x0ctwo\x85", "onetwo"),
        ({"controlCharacters": "Space"}, "one\x0ctwo", "one two"),
        ({"controlCharacters": "Keep"}, "one\x7ftwo", "one\x7ftwo"),
        ({}, "tab\tand\r\nline", "tab\tand\r\nline"),
        ({}, "H<sub>2</sub>O <p>one</p><p class='a b'>two<br/>three", "H2O  one  two three"),
        ({}, "a &lt;b&gt; &amp;amp; &#233;&#x1;", "a <b> &amp; é"),
        ({}, "3 < 4 > 2, <me@example.org>, ?a=1&copy=2 &nosuch;", None),
        ({"markup": "Keep"}, "<b>&amp;</b>", "<b>&amp;</b>"),
        ({}, "<!-- one -->two<![CDATA[", "two<![CDATA["),
    ],
)
def test_values_are_cleaned(changes: dict[str, str], text: str, expected: str | None) -> None:
    (document,), _ = cleaned(json.dumps({"a": text}).encode(), Format.JSONL, **changes)
    assert document == {"a": text if expected is None else expected}


def test_names_are_cleaned_and_other_values_stay() -> None:
    line = b'{"a\\u0001":"x","n":1.5,"t":true,"o":{"l":[null,2,"y\\u0002"]}}'
    (document,), counts = cleaned(line)
    assert document == {"a": "x", "n": 1.5, "t": True, "o": {"l": [None, 2, "y"]}}
    assert counts == {"documents": 1, "control_characters": 2}


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"<?xml version='1.0' encoding='ISO-8859-1'?><add/>", Format.XML),
        ("a\n1\n".encode("utf-16"), Format.CSV),
    ],
)
def test_other_encodings_are_refused_by_name(data: bytes, wanted: Format) -> None:
    with failing(IndexingError, "MalformedDocument", "f: .*16?.* cannot be cleaned|ISO-8859-1"):
        cleaned(data, wanted)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def as_format(texts: list[str], wanted: Format) -> bytes:
    match wanted:
        case Format.JSONL:
            return "\n".join(json.dumps({"a": each}, ensure_ascii=False) for each in texts).encode()
        case Format.JSON:
            return json.dumps([{"a": each} for each in texts], ensure_ascii=False).encode()
        case Format.CSV:
            file = io.StringIO(newline="")
            csv.writer(file).writerows([["a", "b"], *([each, "x"] for each in texts)])
            return file.getvalue().encode()
        case _:
            fields = (f"<doc><field name='a'>{escape(each)}</field></doc>" for each in texts)
            return f"<add>{''.join(fields)}</add>".encode()


@given(st.lists(TEXT, min_size=1, max_size=5), st.sampled_from(list(DIRTY)), st.data())
def test_what_is_clean_stays_and_broken_bytes_never_stop_a_file(
    texts: list[str], wanted: Format, data: st.DataObject
) -> None:
    clean = ["".join(c for c in each if c.isprintable()) for each in texts]
    whole = as_format(clean, wanted)
    documents, counts = cleaned(whole, wanted, markup="Keep")
    assert [each.get("a", "") for each in documents] == clean
    assert counts == {}
    # A byte that is no UTF-8 within a value is one place, in one document.
    marks = as_format([f"{each}#" for each in clean[:1]], wanted)
    place = marks.rindex(b"#")
    byte = bytes([data.draw(st.sampled_from([0x80, 0xC3, 0xE9, 0xFF]))])
    documents, counts = cleaned(marks[:place] + byte + marks[place + 1 :], wanted, markup="Keep")
    assert documents[0]["a"] == clean[0] + "\ufffd"
    assert counts == {"documents": 1, "invalid_bytes": 1}


@given(st.text("<>!?/ab &;#\x00\ufdd0\ufdd1\n-", max_size=200))
def test_cleaned_text_is_clean_whatever_it_was(text: str) -> None:
    (document,), _ = cleaned(json.dumps({"a": text}).encode())
    assert not set(document["a"]) & set("\x00\ufdd0\ufdd1")
    again, counts = cleaned(json.dumps(document).encode(), markup="Keep")
    assert again == [document]
    assert counts == {}


def test_markup_takes_time_in_proportion_to_the_text() -> None:
    cleaner = Cleaner(Cleaning.model_validate(ALL))
    for bad in ("<a ", "<!--", "&a", "<a" + " " * 50, "<a b='", "</"):
        assert cleaner.clean({"a": bad * 100_000})["a"]  # quadratic, this took hours


def dataset(pattern: str = "*.jsonl", **more: Any) -> Dataset:
    claim = {"claimName": "data", "paths": [pattern]}
    return Dataset.model_validate({"persistentVolumeClaim": claim} | more)


def read(wanted: Dataset, folder: Path, part: Partition = WHOLE) -> tuple[int, ReadCounts]:
    context = ReadContext(folder, RetryPolicy())
    number = sum(1 for _ in read_documents(wanted, part, context))
    return number, context.counts


def test_files_are_cleaned_in_constant_memory(tmp_path: Path) -> None:
    line = json.dumps({"a": "x" * 1000 + "y"}).encode().replace(b"y", b"\x01\xff") + b"\n"
    with gzip.open(tmp_path / "a.jsonl.gz", "wb") as file:
        for _ in range(5_000):
            file.write(line)
    tracemalloc.start()
    number, counts = read(dataset("*.gz", cleaning=ALL), tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (number, counts.files, counts.slowest[0].bytes) == (5_000, 1, 5_000 * len(line))
    every = dict.fromkeys(("documents", "control_characters", "invalid_bytes"), 5_000)
    assert counts.cleaned == CleanedStatus(**every)
    assert peak < 2 << 20


def test_each_pod_counts_its_own_documents_of_each_file(tmp_path: Path) -> None:
    for name, lines in (("a", 30), ("b", 25)):
        (tmp_path / f"{name}.jsonl").write_text('{"t":"x\\u0001"}\n' * lines)
    found = [read(dataset(cleaning=ALL), tmp_path, Partition(pod, 2, 10)) for pod in (0, 1)]
    files = [{each.name: each.documents for each in counts.slowest} for _, counts in found]
    assert files == [{"a.jsonl": 20, "b.jsonl": 10}, {"a.jsonl": 10, "b.jsonl": 15}]
    assert [n for n, _ in found] == [30, 25]
    assert [c.cleaned.documents for _, c in found if c.cleaned is not None] == [30, 25]


def test_only_the_slowest_of_many_files_are_remembered(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 3):
        name = f"{number:03}-{'long' * 20}"
        (tmp_path / f"{name}.jsonl").write_text('{"a":1}\n')
    _, counts = read(dataset(), tmp_path)
    assert (counts.files, len(counts.slowest)) == (MAX_FILES + 3, MAX_FILES)
    assert {len(each.name) for each in counts.slowest} == {60}
    assert counts.cleaned is None
