import pytest

from solrbench.load.validation.response_checks import LONGEST_SAMPLE, check_response

HEADER = b'{"responseHeader":{"zkConnected":true,"status":%s,"QTime":3}'
GOOD = HEADER % b"0" + b',"response":{"numFound":0,"docs":[]}}\n'


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        GOOD.rstrip(),
        b'{\n  "responseHeader":{\n    "status":0,\n    "QTime":1},\n  "response":{}}\n',
        b'{"responseHeader":{"status":0}}',
        b'{"response":{"numFound":0,"docs":[]}}',
        GOOD.replace(b"[]", b'[{"t":"say \\"partialResults\\":true and \\"error\\":{"}]'),
        HEADER % b"0" + b',"partialResults":false}',
    ],
)
def test_complete_responses_pass(body: bytes) -> None:
    assert check_response(200, body, is_json=True) is None


@pytest.mark.parametrize(
    ("status", "body", "kind", "part"),
    [
        (503, b"no\n  live   nodes", "HTTP503", "no live nodes"),
        (404, b"", "HTTP404", ""),
        (200, b"", "MalformedResponse", "not one JSON object"),
        (200, GOOD[:-3], "MalformedResponse", "not one JSON object"),
        (200, b"<html></html>", "MalformedResponse", "<html>"),
        (200, b"[" + GOOD + b"]", "MalformedResponse", "not one JSON object"),
        (200, b'{"responseHeader":{"QTime":1}}', "MalformedResponse", "no status"),
        (200, HEADER % b"400" + b',"error":{"msg":"bad field"}}', "SolrError", "bad field"),
        (200, b'{"error":{"msg":"bad field","code":400}}', "SolrError", "bad field"),
        (200, HEADER % b"0" + b',"partialResults":true}', "PartialResults", "partial"),
        (200, HEADER % b"0" + b',"partialResults": "omitted"}', "PartialResults", "partial"),
    ],
)
def test_broken_responses_fail_with_their_kind(
    status: int, body: bytes, kind: str, part: str
) -> None:
    found = check_response(status, body, is_json=True)
    assert found is not None
    assert found.kind == kind
    assert part in found.message


def test_content_counts_only_as_json() -> None:
    assert check_response(200, b"id\n1\n", is_json=False) is None
    assert check_response(500, b"id\n1\n", is_json=False) is not None


def test_samples_are_short_lines() -> None:
    found = check_response(500, b"trace\n\tat " * 1000, is_json=True)
    assert found is not None
    assert len(found.message) <= LONGEST_SAMPLE
    assert "\n" not in found.message


def test_long_details_of_partial_results_hide_no_status() -> None:
    details = b"shard 2 timed out; " * 60
    body = (
        b'{"responseHeader":{"partialResults":true,"partialResultsDetails":"' + details + b'",'
        b'"status":0,"QTime":7},"response":{"numFound":0,"docs":[]}}'
    )
    found = check_response(200, body, is_json=True)
    assert found is not None
    assert found.kind == "PartialResults"
