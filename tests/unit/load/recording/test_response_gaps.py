"""Who waited on one worker, and over all of them."""

import pytest

from solrbench.contract.request_counts import MAX_LISTED_RESPONSE_GAPS, MAX_USER_SHARES
from solrbench.load.master.merge import merge_response_gaps, merge_user_shares
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.response_gaps import (
    NodeActivity,
    UserActivity,
    longest_response_gaps,
    user_shares,
)
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.workload.requests import PreparedRequest
from support.load.worker_results import outcome
from support.narrowing import not_none

MS = 1_000_000
REQUEST = PreparedRequest(b"q=solr", 0, is_readable=True)
ORIGIN = 1000 * MS


def recorder() -> StepRunRecorder:
    made = StepRunRecorder(("query",), 0)
    made.measure_from(ORIGIN)
    return made


def users(*counts: int) -> list[UserActivity]:
    """Return users of one node with so many requests each, of 2 ms, 10 ms apart."""
    counter, node = recorder(), NodeActivity("a:1")
    made = [UserActivity(number, node, counter) for number in range(len(counts))]
    for user, count in zip(made, counts, strict=True):
        for turn in range(count):
            user.record(REQUEST, ORIGIN + 10 * turn * MS, ORIGIN + (10 * turn + 2) * MS)
    return made


def result(made: list[UserActivity]) -> WorkerStepResult:
    gaps = longest_response_gaps(made, [], ORIGIN)
    return outcome(response_gaps=gaps, user_shares=user_shares(made))


def test_the_one_user_that_waits_is_named_with_node_and_time() -> None:
    normal = users(*[50] * 7)
    stuck = UserActivity(7, NodeActivity("b:2"), recorder())
    stuck.record(REQUEST, ORIGIN + 5 * MS, ORIGIN + 752_005 * MS)
    first, *_ = longest_response_gaps([*normal, stuck], [], ORIGIN)
    assert (first.user, first.node) == (7, "b:2")
    assert (first.microseconds, first.second) == (752_000_000, 0.005)
    assert first.query.endswith("q=solr")
    shares = not_none(user_shares([*normal, stuck]))
    last = shares.fewest[0]
    assert (last.user, last.requests) == (7, 1)
    assert (shares.median_requests, shares.most_requests, shares.users) == (50, 50, 8)


def test_requests_of_the_ramp_are_no_waits() -> None:
    node = NodeActivity("a:1")
    user = UserActivity(0, node, recorder())
    user.record(REQUEST, ORIGIN - 1, ORIGIN + 900 * MS)
    assert longest_response_gaps([user], [node], ORIGIN) == []
    assert user.requests == 0


def test_a_node_is_silent_while_requests_wait_and_no_response_comes() -> None:
    node = NodeActivity("a:1")
    node.record(REQUEST, ORIGIN, ORIGIN + 10 * MS)
    # Nothing waits from 10 to 50 ms; two requests wait from then on, until 300 ms.
    node.record(REQUEST, ORIGIN + 50 * MS, ORIGIN + 300 * MS)
    node.record(REQUEST, ORIGIN + 60 * MS, ORIGIN + 310 * MS)
    found = sorted((each.microseconds for each in node.response_gaps(ORIGIN)), reverse=True)
    assert found == [250_000, 10_000, 10_000]


def test_lists_are_bounded() -> None:
    node = NodeActivity("a:1")
    for turn in range(1, 100):
        node.record(REQUEST, ORIGIN + 1000 * turn * MS, ORIGIN + (1000 * turn + turn) * MS)
    found = longest_response_gaps([], [node], ORIGIN)
    longest = [each.microseconds // 1000 for each in found]
    assert longest == list(range(99, 99 - MAX_LISTED_RESPONSE_GAPS, -1))
    many = users(*range(1, 40))
    assert len(longest_response_gaps(many, [], ORIGIN)) == MAX_LISTED_RESPONSE_GAPS


def test_users_of_all_workers_are_one_distribution() -> None:
    parts = [result(users(0, 10, 20)), result(users(30, 40))]
    shares = not_none(merge_user_shares(parts))
    assert (shares.users, shares.idle_users, shares.most_requests) == (5, 1, 40)
    assert [each.requests for each in shares.fewest] == [0, 10, 20][:MAX_USER_SHARES]
    assert shares.median_requests == 20
    assert len(merge_response_gaps(parts)) == 4
    assert merge_user_shares([outcome()]) is None


@pytest.mark.parametrize("count", range(1, 60))
def test_the_median_is_that_of_the_user_in_the_middle(count: int) -> None:
    assert not_none(user_shares(users(*range(1, count + 1)))).median_requests == (count + 1) // 2


def test_half_of_the_users_without_requests_have_a_median_of_none() -> None:
    assert not_none(user_shares(users(0, 0, 5, 9))).median_requests == 0


def test_response_that_ended_no_later_than_another_ends_no_gap() -> None:
    node = NodeActivity("a:1")
    node.record(REQUEST, 0, 5 * MS)
    node.record(REQUEST, 0, 4 * MS)
    assert node.last_ns == 5 * MS
