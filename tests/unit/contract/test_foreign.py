"""Bytes of others: what is read of them, what is refused, and how much memory either takes."""

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter

from solrbench.analysis.baseline import MAX_FIGURES_MEMORY
from solrbench.contract import foreign
from solrbench.contract.environment import Environment
from solrbench.contract.foreign import ForeignDataError, decode_json, read, read_samples, unpack
from solrbench.contract.load_plan import LoadState
from solrbench.contract.pod_plans import ExportOutcome, IndexProgress
from solrbench.contract.step_document import StepRunResult
from solrbench.load.master_client import MAX_STATE_MEMORY
from solrbench.solr.client import MAX_RESPONSE_MEMORY
from support.repository import ROOT
from support.results.builders import make_document, make_result
from support.servers import hostile_documents

MAX_GROWTH = 32.0
"""MiB."""
TEXT_GROWTH = 56.0
"""The longest text that a result may have, 14 MiB, is there as bytes, as the parser's and as a
string; a quarter beyond is what the allocator had not given back, 35 to 48 MiB in all."""


def test_what_was_packed_is_unpacked() -> None:
    assert unpack(gzip.compress(b"a" * 5_000_000), 5_000_000) == b"a" * 5_000_000
    assert unpack(gzip.compress(b""), 0) == b""


PACKED = gzip.compress(b"abc", mtime=0)
"""Without the time, which would be in the names of tests."""


@pytest.mark.parametrize(
    ("packed", "problem"),
    [
        (b"", "end is missing"),
        (b"no gzip", "broken"),
        (PACKED[:-1], "end is missing"),
        (PACKED + b"x", "not last"),
        (PACKED * 2, "not last"),
        (PACKED[:-8] + bytes(8), "broken"),
        (gzip.compress(bytes(1001), mtime=0), "more than 1000 bytes"),
        (gzip.compress(bytes(9_000_000), mtime=0), "more than 1000 bytes"),
    ],
)
def test_what_is_no_gzip_file_or_too_much_is_refused(packed: bytes, problem: str) -> None:
    with pytest.raises(ForeignDataError, match=problem):
        unpack(packed, 1000)


@pytest.mark.parametrize(
    "text", [b"", b"{", b"NaN", b"'a'", b"[" * 100_000, b"\xff", '{"ä": NaN}'.encode()]
)
def test_what_is_no_json_is_refused_without_a_word_of_it(text: bytes) -> None:
    with pytest.raises(ForeignDataError, match="it is not JSON") as caught:
        decode_json(text + b" hunter2")
    assert "hunter2" not in str(caught.value)


def test_texts_that_are_wide_are_read_as_others() -> None:
    value = {"ä": ["\N{GRINNING FACE}\n", 1, -0.5, 1e300, True, None, {}]}
    assert decode_json(orjson.dumps(value)) == value


@pytest.mark.parametrize("value", [{}, [], 0, "a", {"a": 0}, ["a"]])
def test_values_are_counted_before_any_is_made(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    many = orjson.dumps([value] * 30_000)
    assert len(decode_json(many, 20_000_000)) == 30_000
    monkeypatch.setattr(orjson, "loads", pytest.fail)
    with pytest.raises(ForeignDataError, match=r"take [\d,]+ bytes of memory, more than 1,000,000"):
        decode_json(many, 1_000_000)


@pytest.mark.parametrize("other", ['"a"', r'"\""', r'"\\"', '", "', '[{"b": "]"}]'])
@pytest.mark.parametrize("character", ["\N{GRINNING FACE}", r"\u4e2d", "ä"])
def test_a_text_counts_as_wide_as_one_character_makes_it(other: str, character: str) -> None:
    decode_json(f'[{other}, "{"x" * 9000}"]'.encode(), 1000)
    wide = f'[{other}, "{character}{"x" * 9000}"]'.encode()
    decode_json(wide, 37_000)
    with pytest.raises(ForeignDataError, match="bytes of memory"):
        decode_json(wide, 36_000)


@pytest.mark.parametrize("part", [b'"', b'\\"', b"\\", b'""', b'"x'])
def test_texts_without_end_take_no_time(part: bytes) -> None:
    text = part * (4_000_000 // len(part)) + "ä".encode()
    began = time.process_time()
    with pytest.raises(ForeignDataError):
        decode_json(text)
    assert time.process_time() - began < 1.0


def test_a_document_is_read_as_its_model() -> None:
    document = make_document("a", 1, make_result([1000, 2000]))
    assert read(StepRunResult, document.model_dump_json(by_alias=True).encode()) == document


@pytest.mark.parametrize(
    "text",
    [
        b'{"requests":[%s]}',
        b'{"requests":[{"failureKinds":[%s]}]}',
        b'{"requests":[{"serviceTimes":{"percentiles":[%s]}}]}',
        b'{"workers":[{"percentiles":[%s]}]}',
        b'{"telemetry":{"spreads":{"a":[%s]}}}',
        b'{"telemetry":{"solr":[%s]}}',
        b'{"caches":[%s]}',
    ],
)
def test_a_list_is_read_up_to_its_first_bad_item(text: bytes) -> None:
    problems: list[int] = []
    for count in (1, 1000):
        with pytest.raises(ForeignDataError) as caught:
            read(StepRunResult, text % b",".join([b"{}"] * count))
        cause: Any = caught.value.__cause__
        problems.append(cause.error_count())
    assert problems[0] == problems[1]


def test_a_mapping_is_read_up_to_its_first_bad_item() -> None:
    usage = dict.fromkeys(map(str, range(1000)), "x")
    with pytest.raises(ForeignDataError) as caught:
        read(IndexProgress, orjson.dumps({"pod": 0, "usage": usage}))
    cause: Any = caught.value.__cause__
    assert cause.error_count() == 1


def test_a_message_is_short_and_quotes_no_value() -> None:
    with pytest.raises(ForeignDataError) as caught:
        read(IndexProgress, orjson.dumps({"pod": "hunter2", "usage": {"x" * 9000: "y"}}))
    message = str(caught.value)
    assert message.startswith("pod: must be a whole number; usage.xxx")
    assert len(message) < 2 * foreign.MAX_PROBLEM


def _forbidding(schema: Any) -> Iterator[str]:
    """Yield the models of a schema in which each unknown field is an error of its own."""
    if isinstance(schema, dict):
        if (
            schema.get("type") == "model"
            and schema["config"].get("extra_fields_behavior") == "forbid"
        ):
            yield schema["cls"].__name__
        for each in schema.values():
            yield from _forbidding(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _forbidding(each)


@pytest.mark.parametrize(
    "model", [StepRunResult, LoadState, IndexProgress, ExportOutcome, Environment]
)
def test_unknown_fields_of_others_are_no_errors(model: Any) -> None:
    assert set(_forbidding(TypeAdapter(model).core_schema)) <= {"RequestCounts"}


LIMITS = {"Solr": MAX_RESPONSE_MEMORY, "state": MAX_STATE_MEMORY, "baseline": MAX_FIGURES_MEMORY}


@pytest.mark.parametrize(
    "name", [name for name in hostile_documents.CASES if name.endswith("read")]
)
def test_documents_that_are_read_use_most_of_their_limit(name: str) -> None:
    _, make = hostile_documents.CASES[name]
    document = make()
    text = gzip.decompress(document) if name.startswith("baseline") else document
    limit = LIMITS.get(name.partition(":")[0], foreign.MAX_VALUES_BYTES)
    decode_json(text, limit)
    with pytest.raises(ForeignDataError, match="bytes of memory"):
        decode_json(text, limit * 8 // 10)


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_no_document_makes_the_operator_grow_by_much() -> None:
    command = [sys.executable, "-m", hostile_documents.__name__]
    measured = subprocess.run(command, capture_output=True, check=True, cwd=ROOT / "tests")
    growth: dict[str, float] = json.loads(measured.stdout)
    assert growth.keys() == hostile_documents.CASES.keys()
    texts = ("text", "text as is read")
    limits = {each: TEXT_GROWTH if each.endswith(texts) else MAX_GROWTH for each in growth}
    assert {name: each for name, each in growth.items() if each > limits[name]} == {}


SAMPLES = """\
# HELP size Size of something{with="braces"} 9
# TYPE size gauge
size{core="a",path="C:\\\\x\\"}, 1"} 1.5
size{core="b"} 2.0E3 1700000000000
size{core="c"} NaN
size{core="d"} +Inf
size{core="e"} -1
size{core="f"} 1e9999
size{core="g"} 0
size{core="h"} 3x
size_total{core="i"} 4
other{core="j"} 5
size 6
"""


def test_samples_of_some_names_with_a_number() -> None:
    found = [(name, each.get("core"), value) for name, each, value in read_samples(SAMPLES, "size")]
    sizes = [("size", "a", 1.5), ("size", "b", 2000.0), ("size", "g", 0.0), ("size", None, 6.0)]
    assert found == sizes
    assert [name for name, *_ in read_samples(SAMPLES, r"\w+(?<!size)")] == ["size_total", "other"]


def test_quotes_in_labels_are_theirs() -> None:
    _, labels, _ = next(read_samples(SAMPLES, "size"))
    assert labels["path"] == 'C:\\\\x\\"}, 1'


@pytest.mark.parametrize(
    "text", ["", "\n", "size{", "size{}", "size{} ", "size{a} x", "{" * 10_000]
)
def test_text_of_others_has_no_samples(text: str) -> None:
    assert list(read_samples(text, "size")) == []


def test_a_name_of_a_megabyte_without_a_value_takes_no_time() -> None:
    text = f"size{{{'a' * 1_000_000}}} 1"
    assert list(read_samples(text, "size")) == [("size", {}, 1.0)]
