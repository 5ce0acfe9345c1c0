import pytest

from solrbench.api.v1alpha1.workload.mix import Expectation
from solrbench.load.engine.response_validation import validate_response
from solrbench.load.validation.expectations import compile_expectation, num_found
from solrbench.load.validation.response_checks import (
    EMPTY_RESULT,
    EMPTY_WITHOUT_HEADER,
    NO_HEADER,
)
from solrbench.load.workload.prepared_request import PreparedRequest, RequestExtras


def answer(found: object, docs: str = "[]") -> bytes:
    text = f'{{"responseHeader":{{"status":0,"QTime":1}},"response":{{"numFound":{found},"start":0'
    return f'{text},"docs":{docs}}}}}\n'.encode()


def asked(**expected: object) -> PreparedRequest:
    extra = None
    if expected:
        extra = RequestExtras(expectation=compile_expectation(Expectation.model_validate(expected)))
    return PreparedRequest(b"", 0, is_json=True, extra=extra)


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        ({"minNumFound": 3}, answer(3)),
        ({"maxNumFound": 3}, answer(3)),
        ({"minNumFound": 1, "maxNumFound": 1}, answer(1)),
        ({"contains": "é"}, answer(1, '["é"]')),
        ({"minNumFound": 10}, answer(1_000_000_000_000)),
    ],
)
def test_answers_as_expected(expected: dict[str, object], body: bytes) -> None:
    assert validate_response(asked(**expected), 200, body) is None


@pytest.mark.parametrize(
    ("expected", "body", "message"),
    [
        ({"minNumFound": 3}, answer(2), "expected at least 3 documents, found 2: {"),
        ({"maxNumFound": 3}, answer(4), "expected at most 3 documents, found 4: {"),
        ({"contains": "x"}, answer(1), "expected the text 'x', found a response without: {"),
        (
            {"minNumFound": 0},
            b'{"responseHeader":{"status":0,"QTime":1}}',
            "expected a numFound, found a response without: {",
        ),
    ],
)
def test_unmet_expectations_say_what_was_found(
    expected: dict[str, object], body: bytes, message: str
) -> None:
    found = validate_response(asked(**expected), 200, body)
    assert found is not None
    assert found.kind == "ExpectationFailed"
    assert found.message.startswith(message)


def test_a_broken_answer_is_broken_whatever_was_expected() -> None:
    found = validate_response(asked(minNumFound=1), 503, b"")
    assert found is not None
    assert found.kind == "HTTP503"


def test_empty_results_are_remarked_unless_they_fail() -> None:
    assert validate_response(asked(), 200, answer(0)) is EMPTY_RESULT
    assert validate_response(asked(maxNumFound=0), 200, answer(0)) is EMPTY_RESULT
    assert validate_response(asked(), 200, answer(" 0")) is EMPTY_RESULT
    assert validate_response(asked(), 200, answer(10)) is None
    assert validate_response(asked(), 200, answer(" 10")) is None
    failed = validate_response(asked(minNumFound=1), 200, answer(0))
    assert failed is not EMPTY_RESULT


def test_the_header_may_be_as_long_as_the_question_that_it_repeats() -> None:
    header = b'{"responseHeader":{"status":0,"params":{"q":"%b"}},' % (b"word " * 2000)
    assert (
        validate_response(asked(), 200, header + b'"response":{"numFound":0,"docs":[]}}')
        is EMPTY_RESULT
    )


@pytest.mark.parametrize(
    ("grouped", "found"),
    [
        ('{"matches":0,"groups":[]}', 0),
        ('{"matches":7,"groups":[{"groupValue":"a","doclist":{"numFound":3,"docs":[]}}]}', 7),
        ('{"matches":7,"doclist":{"numFound":0,"docs":[]}}', 7),
    ],
)
def test_groups_found_what_they_match(grouped: str, found: int) -> None:
    body = f'{{"responseHeader":{{"status":0,"QTime":1}},"grouped":{{"x_s":{grouped}}}}}'.encode()
    assert num_found(body) == found
    assert validate_response(asked(maxNumFound=found), 200, body) is (
        EMPTY_RESULT if found == 0 else None
    )


def test_documents_like_none_are_empty_although_the_one_compared_with_was_found() -> None:
    start = b'{"responseHeader":{"status":0,"QTime":1},"match":{"numFound":1,"docs":[{"id":"a"}]},'
    none, some = (start + b'"response":{"numFound":%d,"docs":[]}}' % n for n in (0, 3))
    assert validate_response(asked(), 200, none) is EMPTY_RESULT
    assert validate_response(asked(), 200, some) is None
    assert (num_found(none), num_found(some)) == (0, 3)


def test_empty_response_without_a_header_has_both_remarks() -> None:
    empty, good = (b'{"response":{"numFound":%d,"docs":[]}}' % found for found in (0, 1))
    assert validate_response(asked(), 200, empty) is EMPTY_WITHOUT_HEADER
    assert validate_response(asked(), 200, good) is NO_HEADER
    failed = validate_response(asked(minNumFound=2), 200, good)
    assert failed is not None
    assert failed.kind == "ExpectationFailed"


def test_fields_called_matches_are_none_of_groups() -> None:
    assert num_found(answer(5, '[{"matches":0}]')) == 5


def test_stored_text_is_no_number_of_documents() -> None:
    body = answer(5, '[{"t":"say \\"numFound\\":0 aloud"}]')
    assert validate_response(asked(), 200, body) is None
    assert num_found(body) == 5


def test_what_is_no_json_may_still_hold_a_text() -> None:
    request = asked(contains="id,title")._replace(is_json=False)
    assert validate_response(request, 200, b"id,title\n1,a\n") is None
    assert validate_response(request, 200, b"title\n") is not None
