import pytest

from solrbench.load.workload.response_checks import LONGEST_SAMPLE, NO_HEADER, check_response
from support.narrowing import not_none

HEADER = b'{"responseHeader":{"zkConnected":true,"status":%s,"QTime":3}'
GOOD = HEADER % b"0" + b',"response":{"numFound":0,"docs":[]}}\n'
DETAILED = (
    b'{"responseHeader":{"partialResults":true,"partialResultsDetails":"%b",'
    b'"status":0,"QTime":7},"response":{"numFound":0,"docs":[]}}'
)
STREAM = b'{"result-set":{"docs":[%s]}}'
BRACES = b'{\n "result-set":{"docs":[{"EXCEPTION":"oh {","EOF":true}]}}\n'
REFUSED = b'{"responseHeader":{"errors":[{"type":"ADD","message":"bad date"}],"status":0}}'


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        GOOD.rstrip(),
        b'{\n  "responseHeader":{\n    "status":0,\n    "QTime":1},\n  "response":{}}\n',
        b'{"responseHeader":{"status":0}}',
        GOOD.replace(b"[]", b'[{"status":5,"error":{"a":1},"EXCEPTION":"x","EOF":true}]'),
        GOOD.replace(b'"response":{', b'"grouped":{"a":{').replace(
            b"[]", b'[{"partialResults":true}]}'
        ),
        b'{"responseHeader":{"errors":[],"maxErrors":10,"status":0,"QTime":1}}',
        b'{"responseHeader": {"params": {"q": "}"}, "status": 0}, "response": {"docs": []}}',
        GOOD.replace(b"[]", b'[{"t":"say \\"partialResults\\":true and \\"error\\":{"}]'),
        HEADER % b"0" + b',"partialResults":false}',
        HEADER % b"0" + b',"partialResults": false}',
    ],
)
def test_complete_responses_pass(body: bytes) -> None:
    assert check_response(200, body, is_readable=True) is None


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
        # The status of a document is none of the header.
        (200, b'{"responseHeader":{"QTime":1},"a":{"status":0}}', "MalformedResponse", "no status"),
        (200, HEADER % b"400" + b',"error":{"msg":"bad field"}}', "SolrError", "bad field"),
        (200, b'{"error":{"msg":"bad field","code":400}}', "SolrError", "bad field"),
        (200, HEADER % b"0" + b',"partialResults":true}', "PartialResults", "partial"),
        (200, HEADER % b"0" + b',"partialResults": "omitted"}', "PartialResults", "partial"),
        # Long details hide no status.
        (200, DETAILED % (b"shard 2 timed out; " * 60), "PartialResults", "partial"),
        (200, STREAM % b'{"EXCEPTION":"no such field","EOF":true}', "SolrError", "no such field"),
        (200, BRACES, "SolrError", "oh {"),
        (200, b'{ "error":{"msg":"bad field","code":400}}', "SolrError", "bad field"),
        (200, REFUSED, "SolrError", "bad date"),
        (200, HEADER % b"500" + b',"x":{"status":0,"y":1}}', "SolrError", "500"),
    ],
)
def test_broken_responses_fail_with_their_kind(
    status: int, body: bytes, kind: str, part: str
) -> None:
    found = not_none(check_response(status, body, is_readable=True))
    assert found.kind == kind
    assert part in found.message


@pytest.mark.parametrize(
    "body",
    [
        b'{"response":{"numFound":1,"docs":[{"status":5}]}}',
        b'{"doc":{"id":"1","status":"sold","partialResults":true}}',
        b'{"doc":{"error":{"a":1},"EXCEPTION":"x"}}',
        STREAM % b'{"id":"1","status":3},{"EOF":true,"RESPONSE_TIME":4}',
        b'{"grouped":{"a":{"matches":1,"groups":[{"doclist":{"docs":[{"status":7}]}}]}}}',
    ],
)
def test_responses_without_a_header_are_good_but_do_not_show_whether_they_are_whole(
    body: bytes,
) -> None:
    assert check_response(200, body, is_readable=True) is NO_HEADER


def test_content_counts_only_as_json() -> None:
    assert check_response(200, b"id\n1\n", is_readable=False) is None
    assert check_response(500, b"id\n1\n", is_readable=False) is not None


def test_samples_are_short_lines() -> None:
    found = not_none(check_response(500, b"trace\n\tat " * 1000, is_readable=True))
    assert len(found.message) <= LONGEST_SAMPLE
    assert "\n" not in found.message
