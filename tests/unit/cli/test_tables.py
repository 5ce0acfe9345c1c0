import io

import pytest
from rich.console import Console

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status import Status
from solrbench.cli.tables import print_result
from support.benchmarks import small
from support.statuses import full_status


def printed(status: Status) -> str:
    out = io.StringIO()
    benchmark = SolrBenchmark.parse(small("one")).model_copy(update={"status": status})
    print_result(Console(file=out, width=80), benchmark)
    return out.getvalue()


def test_table_is_not_cut_where_there_is_no_terminal() -> None:
    status = full_status()
    text = printed(status.model_copy(update={"phase": "Succeeded"}))
    for word in (status.results[0].step, "P95", "Requests/s", "report -n default one"):
        assert word in text
    assert "…" not in text.replace(" % … ", "")  # that of an interval


@pytest.mark.parametrize(
    ("found", "typed"),
    [("/usr/bin/solrbench", "solrbench report"), (None, ".venv/bin/solrbench report")],
)
def test_next_command_can_be_typed_as_it_stands(
    monkeypatch: pytest.MonkeyPatch, found: str | None, typed: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: found)
    monkeypatch.setattr("sys.argv", [".venv/bin/solrbench", "run"])
    assert f"  {typed}" in printed(full_status())


def test_invalid_steps_are_told_above_and_below_the_table() -> None:
    text = printed(full_status().model_copy(update={"phase": "Succeeded"}))
    lines = [line.strip() for line in text.splitlines()]
    assert "verdict: 1 of 1 steps is Invalid: two-users (proxy)" in lines
    doubt = "two-users (proxy) is Invalid: WorkersLost: 1 of 2 workers were lost, bound 0"
    assert doubt in lines
    assert "not checked: PodThrottled of two-users (proxy): no cpu.stat" in lines
    (row,) = [line for line in lines if "two-users" in line and "query" in line and "│" in line]
    assert "Invalid" in row


def test_comparisons_are_printed_below_the_table() -> None:
    status = full_status().model_copy(update={"phase": "Succeeded"})
    lines = [line.strip() for line in printed(status).splitlines()]
    place = "average (two-users, query); failed requests: 1"
    assert f"proxy vs raw: +12.3 % (95 % confidence: +9.8 % … +14.8 %), {place}" in lines
    assert "vs" not in printed(status.model_copy(update={"comparisons": []})).split()


def test_failure_shows_reason_and_message() -> None:
    status = full_status().model_copy(update={"phase": "Failed"})
    succeeded = next(each for each in status.conditions if each.type == "Succeeded")
    text = printed(status)
    assert f"{succeeded.reason}: {succeeded.message}" in text


def test_nothing_measured_means_no_table() -> None:
    assert "P95" not in printed(full_status().model_copy(update={"results": []}))
