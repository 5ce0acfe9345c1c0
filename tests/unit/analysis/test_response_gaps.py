"""Who waited in each step, as status, answers and tables show it."""

from typing import Any

from solrbench.analysis.response_gaps import answer_response_gaps, step_response_gaps
from solrbench.api.v1alpha1 import Status
from solrbench.contract.request_counts import ResponseGap, UserShare, UserShares
from solrbench.contract.step_document import StepRunResult
from solrbench.present.limit_tables import stall_table, user_table
from solrbench.stats.histograms import Histogram
from support.results.builders import make_document, make_result, make_spec
from support.results.samples import benchmark_samples

NODE = "solr-0:8983"


def shares(*counts: int) -> UserShares:
    histogram = Histogram()
    for each in counts:
        histogram.record(each)
    ordered = sorted(enumerate(counts), key=lambda entry: entry[1])
    return UserShares(
        users=len(counts),
        idle_users=0,
        histogram=histogram.encode(),
        median_requests=sorted(counts)[(len(counts) - 1) // 2],
        most_requests=max(counts),
        fewest=[UserShare(user=u, node=NODE, requests=n) for u, n in ordered[:3]],
    )


def gap(user: int | None, milliseconds: int, second: float = 1.0) -> ResponseGap:
    return ResponseGap(
        node=NODE, user=user, second=second, microseconds=1000 * milliseconds, query="q=a"
    )


def document(step: str, repeat: int, **fields: Any) -> StepRunResult:
    return make_document(step, repeat, make_result([1000]), **fields)


MCGILL = [
    document("a", 1, response_gaps=[gap(1, 40)], user_shares=shares(*[98] * 8)),
    document("a", 2, response_gaps=[gap(6, 752_000, 3.0)], user_shares=shares(*[100] * 6, 7, 100)),
    document("b", 1, response_gaps=[gap(None, 900)]),
]


def test_the_repeat_with_the_straggler_is_shown() -> None:
    a, b = step_response_gaps(benchmark_samples(make_spec("a", "b", "c"), MCGILL))
    assert (a.least_user_requests, a.median_user_requests, a.most_user_requests) == (7, 100, 100)
    assert (a.least_user, a.least_user_node, a.least_user_repeat) == (6, NODE, 2)
    assert (a.longest_milliseconds, a.longest_user, a.longest_second) == (752_000, 6, 3.0)
    assert (b.step, b.least_user, b.longest_user, b.longest_milliseconds) == ("b", None, None, 900)


def test_only_a_straggler_is_an_answer() -> None:
    spec = make_spec("a", "b", "c")
    gaps, first = (
        step_response_gaps(benchmark_samples(spec, each)) for each in (MCGILL, MCGILL[:1])
    )
    (answer,) = answer_response_gaps(Status(response_gaps=gaps))
    assert answer == (
        f"In repeat 2 of step a, user 6 (on {NODE}) received 7 responses; the median user received"
        " 100. Its longest wait was 752 s, starting at second 3."
    )
    assert not list(answer_response_gaps(Status(response_gaps=first)))


def test_a_single_response_is_one() -> None:
    once = document("a", 1, response_gaps=[gap(1, 40)], user_shares=shares(*[100] * 7, 1))
    gaps = step_response_gaps(benchmark_samples(make_spec("a"), [once]))
    (answer,) = answer_response_gaps(Status(response_gaps=gaps))
    assert " received 1 response; the median user received 100." in answer


def test_the_longest_wait_of_a_straggler_may_be_in_another_repeat() -> None:
    longer = document("a", 3, response_gaps=[gap(6, 800_000)], user_shares=shares(*[98] * 8))
    gaps = step_response_gaps(benchmark_samples(make_spec("a", "b"), [*MCGILL, longer]))
    (answer,) = answer_response_gaps(Status(response_gaps=gaps))
    assert answer.startswith("In repeat 2 of step a, user 6 ")
    assert answer.endswith(" Its longest wait was 800 s, starting at second 1 of repeat 3.")


def test_tables_begin_with_who_is_farthest_behind() -> None:
    users, waits = user_table(MCGILL), stall_table(MCGILL)
    assert [row[:2] for row in users.texts] == [("a", "2"), ("a", "1")]
    assert users.texts[0][-1] == f"6 on {NODE}"
    assert [row[2] for row in waits.texts] == ["6", "all", "1"]


def test_documents_of_older_versions_show_nothing() -> None:
    old = [document("a", 1)]
    assert step_response_gaps(benchmark_samples(make_spec("a"), old)) == []
    assert not user_table(old).rows
    assert not stall_table(old).rows
