"""What the checks see of a response in javabin."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.load.engine.target import validate_response
from solrbench.load.recording.request_stats import qtime_milliseconds
from solrbench.load.workload.javabin import JavabinError, plain_num_found, summarize
from solrbench.load.workload.response_checks import (
    EMPTY_RESULT,
    EMPTY_WITHOUT_HEADER,
    NO_HEADER,
    RequestFailure,
    check_response,
    num_found,
)
from support.load.builders import expecting
from support.narrowing import not_none
from support.solr.javabin import RECORDED, Documents, write

HEADER = {"status": 0, "QTime": 3}


def validate(body: bytes, **expected: object) -> RequestFailure | None:
    return validate_response(expecting(**expected), 200, body)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("good", 12345678901),
        ("empty", 0),
        ("headless", 4),
        ("grouped", 42),
        ("mlt", 77),
        ("types", 8),
        ("failed", None),
        ("tolerant", None),
        ("stream", None),
    ],
)
def test_number_of_documents_is_that_of_the_response(name: str, count: int | None) -> None:
    assert num_found(RECORDED[name]) == count


@pytest.mark.parametrize(
    ("name", "remark"),
    [
        ("good", None),
        ("grouped", None),
        ("mlt", None),
        ("types", None),
        ("empty", EMPTY_RESULT),
        ("headless", NO_HEADER),
    ],
)
def test_good_responses_pass(name: str, remark: RequestFailure | None) -> None:
    assert validate(RECORDED[name]) is remark


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("partial", "PartialResults", "response has partial results"),
        ("omitted", "PartialResults", '"partialResults": "omitted"'),
        ("failed", "SolrError", "no servers hosting shard"),
        ("tolerant", "SolrError", '"message": "bad"'),
        ("stream", "SolrError", "collection not found"),
    ],
)
def test_bad_responses_fail_with_the_kinds_of_json(name: str, kind: str, text: str) -> None:
    failed = not_none(validate(RECORDED[name]))
    assert failed.kind == kind
    assert text in failed.message


@pytest.mark.parametrize(
    ("sections", "kind"),
    [
        ({"responseHeader": HEADER, "partialResults": True}, "PartialResults"),
        ({"responseHeader": {"QTime": 3}}, "MalformedResponse"),
        ({}, EMPTY_WITHOUT_HEADER.kind),
    ],
)
def test_header_and_what_stands_behind_it_count(sections: dict[str, Any], kind: str) -> None:
    assert not_none(validate(write({**sections, "response": Documents(0)}))).kind == kind


def test_expectations_hold_as_for_json() -> None:
    assert validate(RECORDED["good"], minNumFound=12345678901, contains="Größe 2") is None
    failed = not_none(validate(RECORDED["good"], maxNumFound=5))
    assert failed.kind == "ExpectationFailed"
    assert 'expected at most 5 documents, found 12345678901: {"zkConnected": true' in failed.message
    assert not_none(validate(RECORDED["good"], contains="absent")).kind == "ExpectationFailed"


def test_names_are_texts_so_that_they_do_not_double() -> None:
    # A map whose names are new ones, each a list with the one before it twice.
    names = (b"\xe0\x82" + bytes([0xE0 + place] * 2) + b"\x00" for place in range(1, 21))
    with pytest.raises(JavabinError, match="a name is no text"):
        summarize(b"\x02\xd5" + b"\xe0\x21a\x00" + b"".join(names))
    with pytest.raises(JavabinError, match="a key is no text"):
        summarize(b"\x02\xc1" + b"\x81\x21a\x00")


def test_a_text_that_is_there_many_times_is_shown_once() -> None:
    text = "x" * 400
    failed = not_none(validate(write({"error": {"msg": [text] * 1000, "code": 500}})))
    assert failed.kind == "SolrError"
    assert text[:200] in failed.message


def test_http_errors_come_first() -> None:
    assert not_none(check_response(503, RECORDED["good"], is_readable=True)).kind == "HTTP503"


def test_time_of_solr_is_read() -> None:
    assert qtime_milliseconds(RECORDED["good"]) == 321
    assert qtime_milliseconds(RECORDED["headless"]) is None
    assert qtime_milliseconds(b"\x02broken") is None


def test_binary_that_is_not_looked_into_has_no_number() -> None:
    assert num_found(b"\x02\xff\xff") is None
    assert check_response(200, b"\x02\xff", is_readable=False) is None


def test_documents_behind_the_number_are_not_read() -> None:
    head = write({"responseHeader": HEADER, "response": Documents(5)})[:-1]
    assert validate(head + b"\xff" * 1000) is None


@pytest.mark.parametrize(
    "body",
    [
        b"\x02",
        b"\x02\x01",
        b"\x02\xc1\xe0\x2e",
        b"\x02\xc1" + b"\x81" * 100_000,  # each byte is a list with the next one
        b"\x02\x0a" + b"\xff" * 20,
        b"\x02\xc1\xe0\x28response\x0c\x81\x21x",
    ],
)
def test_what_is_no_javabin_is_malformed(body: bytes) -> None:
    failed = not_none(validate(body))
    assert failed.kind == "MalformedResponse"
    assert failed.message.startswith("response is not javabin: ")


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=40) | st.dictionaries(st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=20,
)
_DOCUMENTS = st.lists(st.dictionaries(st.text(max_size=5), _VALUES, max_size=4), max_size=3)


@given(
    st.dictionaries(st.text(min_size=1, max_size=4), _VALUES, max_size=4),
    st.integers(0, 2**50),
    _DOCUMENTS,
)
def test_whatever_stands_before_the_response_is_passed_over(
    before: dict[str, Any], count: int, documents: list[dict[str, Any]]
) -> None:
    found = Documents(count, tuple(documents))
    sections = {"responseHeader": HEADER, **before, "match": Documents(9, tuple(documents))}
    summary = summarize(write(sections | {"response": found}))
    assert (summary.header, summary.num_found) == (HEADER, count)


@given(st.dictionaries(st.text(max_size=12), st.text(), max_size=4), st.integers(0, 2**50))
def test_quick_look_at_a_good_response_sees_the_same(params: dict[str, str], count: int) -> None:
    header = HEADER | {"params": params}
    body = write({"responseHeader": header, "response": Documents(count)})
    plain = plain_num_found(body)
    assert plain in (None, count)
    # Parameters may look like what it searches for; then all is read.
    alike = ("partial", "errors", "response")
    assert plain is not None or any(each in str(params) for each in alike)
    for bad in ({"status": 500}, {"partialResults": True}, {"errors": ["x"]}):
        body = write({"responseHeader": header | bad, "response": Documents(count)})
        assert plain_num_found(body) is None


def test_quick_look_reads_what_solr_writes() -> None:
    found = {name: plain_num_found(body) for name, body in RECORDED.items()}
    plain = {name: count for name, count in found.items() if count is not None}
    assert plain == {"good": 12345678901, "empty": 0, "mlt": 77, "types": 8}


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    refused_or_read(b"\x02" + body)


@given(st.sampled_from(sorted(RECORDED)), st.integers(0, 400), st.integers(0, 255))
def test_damaged_responses_are_read_or_refused(name: str, place: int, byte: int) -> None:
    body = bytearray(RECORDED[name])
    body[1 + place % (len(body) - 1)] = byte
    refused_or_read(bytes(body))


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_response_that_is_cut_off_is_refused_or_shows_the_same(name: str) -> None:
    whole = summarize(RECORDED[name])
    for end in range(1, len(RECORDED[name])):
        try:
            assert summarize(RECORDED[name][:end]) == whole
        except JavabinError:
            continue


def refused_or_read(body: bytes) -> None:
    began = time.process_time()
    failed = validate(body)
    assert failed is None or failed.kind
    assert time.process_time() - began < 1.0
