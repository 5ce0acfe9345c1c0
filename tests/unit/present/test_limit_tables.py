from solrbench.api.v1alpha1 import Status
from solrbench.present.limit_tables import limit_lines, objective_table, trial_tables
from solrbench.present.markdown import to_markdown
from support.narrowing import not_none
from support.results.reports import make_report
from support.results.statuses import CAPACITY_DOCUMENTS, CAPACITY_USERS, full_status


def test_every_limit_has_its_line_and_a_benchmark_without_limits_none() -> None:
    missed = "fast (two-users, proxy): Missed. p95 is 13.3 ms (95 %: 12.8 to 14.1)"
    missed += " (limit: at most 10 ms)"
    holds = "proxy: Found: holds 160 requests/s (95 %: 155 to 166) at p95 ≤ 200 ms"
    assert limit_lines(full_status()) == [
        ("Objectives", [missed]),
        ("Not run", ["twenty-users was not run, because r1-s1-eight-users missed fast"]),
        ("Capacity", [holds]),
        ("Scalability", ["knee at 6.1 users, no decline measured"]),
    ]
    assert limit_lines(Status()) == []


def test_a_bound_that_is_known_alone_is_in_the_table() -> None:
    objectives = not_none(full_status().objectives)
    (result,) = objectives.results
    results = [result, result.model_copy(update={"value": None, "upper": None})]
    status = Status(objectives=objectives.model_copy(update={"results": results}))
    both, one = objective_table(status).texts
    assert both[4:] == ("13.3 ms", "12.8 … 14.1 ms", "10 ms")
    assert one[4:] == ("", "at least 12.8 ms", "10 ms")


def test_trials_are_a_curve_from_the_lowest_rate_on() -> None:
    (table,) = trial_tables(full_status())
    assert (table.caption, table.head[0]) == ("proxy: trials by rate", "Requests/s")
    assert table.texts == [("40", "52 ms", "0 %", "met"), ("170", "250 ms", "0 %", "missed")]


def test_trials_with_users_begin_with_the_fewest() -> None:
    status = Status(capacity=[CAPACITY_USERS])
    (table,) = trial_tables(status)
    assert (table.caption, table.head[0]) == ("direct: trials by users", "Users")
    met, missed = table.texts
    assert met == ("9", "191", "80 ms", "0 %", "met")
    assert missed == ("25", "190", "222 ms", "0 %", "missed")
    found = "direct: Found: holds 23 users (95 %: 21 to 25) at p95 ≤ 200 ms"
    assert limit_lines(status) == [("Capacity", [found])]


def test_trials_that_index_have_documents_beside_updates() -> None:
    (table,) = trial_tables(Status(capacity=[CAPACITY_DOCUMENTS]))
    assert table.head == ("Requests/s", "Documents/s", "P95", "Failures", "Objectives")
    assert table.texts[0] == ("10.5", "5250", "455 ms", "0 %", "met")


def test_markdown_has_a_section_for_each() -> None:
    text = to_markdown(make_report().model_copy(update={"status": full_status()}))
    for title in ("## Objectives", "## Not run", "## Capacity", "### proxy: trials by rate"):
        assert title in text
