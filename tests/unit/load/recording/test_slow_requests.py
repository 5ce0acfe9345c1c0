import random

import pytest

from solrbench.load.recording.slow_requests import SlowestRequests, SlowSample, qtime_milliseconds
from solrbench.load.validation.response_checks import RequestFailure
from solrbench.load.workload.prepared_request import (
    PreparedRequest,
    RequestExtras,
    describe_request,
    json_content,
)
from solrbench.results.model.step_result import MOST_SLOW


def sample(
    microseconds: int, failed: RequestFailure | None = None, started_ns: int = 0
) -> SlowSample:
    request = PreparedRequest(f"q={microseconds}".encode(), 0, is_json=True)
    return SlowSample(microseconds, request, started_ns, "solr-0:8983", 3, failed)


def test_only_the_slowest_are_kept() -> None:
    times = random.Random(2).sample(range(100_000), 5000)
    kept, noted = SlowestRequests(), 0
    for microseconds in times:
        if microseconds > kept.threshold_microseconds:
            kept.add(sample(microseconds))
            noted += 1
    found = [each.service_time_microseconds for each in kept.entries(0)]
    assert found == sorted(times, reverse=True)[:MOST_SLOW]
    assert noted < 200


def test_of_equals_the_first_stay() -> None:
    kept = SlowestRequests()
    for number in range(MOST_SLOW + 5):
        if kept.threshold_microseconds < 7:
            kept.add(sample(7, started_ns=number * 10**9))
    assert [each.second for each in kept.entries(0)] == list(range(MOST_SLOW))


def test_entry_says_what_was_asked_and_how_it_ended() -> None:
    kept = SlowestRequests()
    kept.add(sample(9, RequestFailure("Timeout", "no complete response"), started_ns=3_500_000_000))
    (entry,) = kept.entries(1_000_000_000)
    assert (entry.query, entry.node, entry.second) == ("q=9", "solr-0:8983", 2.5)
    assert (entry.qtime_milliseconds, entry.failure) == (3, "Timeout")


def test_entry_is_one_line_of_bounded_length() -> None:
    extra = RequestExtras(json_content(b'{\n "query": "' + b"a" * 400 + b'"}\n'))
    kept = SlowestRequests()
    kept.add(sample(9)._replace(request=PreparedRequest(b"wt=json", 0, True, 2, extra)))
    (entry,) = kept.entries(0)
    assert entry.query.startswith('wt=json { "query": "aaa')
    assert len(entry.query) == 300


def test_form_and_body_are_shown_as_they_were_sent() -> None:
    assert describe_request(PreparedRequest(b"5\r\n\r\nq=a+b", 0, is_json=True)) == "q=a+b"
    extra = RequestExtras(json_content(b'{"query":"a"}'))
    assert (
        describe_request(PreparedRequest(b"wt=json", 0, True, 2, extra)) == 'wt=json {"query":"a"}'
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'{"responseHeader":{"status":0,"QTime":123,"params":{}}}', 123),
        (b'{"responseHeader":{"status":0,"QTime": 7}}', 7),
        (b'{"responseHeader":{"status":0}}', None),
        (b"", None),
    ],
)
def test_qtime_is_read_from_the_header(body: bytes, found: int | None) -> None:
    assert qtime_milliseconds(body) == found
