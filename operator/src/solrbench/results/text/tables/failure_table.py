"""Failed requests by kind, over all stored step runs."""

from collections.abc import Iterable
from dataclasses import dataclass

from solrbench.results.model.step_result import FailureKind, StepRunResult
from solrbench.results.stats.number_format import format_share
from solrbench.results.text.tables.table import Row, Table

MOST_FAILURE_ROWS = 100
"""Rows of the table, those with most failures."""

_HEAD = ("Step", "Variant", "Request", "Failure", "Requests", "Share", "Sample")
_NOTE = "Share of the requests of that name in the step. The sample is one message of that kind."


@dataclass
class _Failures:
    """Failures of one kind, of one request name in one step and variant."""

    count: int = 0
    requests: int = 0
    sample: str = ""

    def add(self, kind: FailureKind) -> None:
        self.count += kind.count
        self.sample = self.sample or kind.sample


_Key = tuple[str, str, str, str]


def failure_table(documents: Iterable[StepRunResult]) -> Table:
    """Return the kinds of failures, the most frequent one first; without rows if none failed."""
    found: dict[_Key, _Failures] = {}
    requests: dict[tuple[str, str, str], int] = {}
    for document in documents:
        for result in document.requests:
            place = (document.step, document.variant, result.request)
            requests[place] = requests.get(place, 0) + result.requests
            for kind in result.failure_kinds:
                found.setdefault((*place, kind.kind), _Failures()).add(kind)
    ordered = sorted(found.items(), key=lambda each: (-each[1].count, each[0]))
    rows = [_row(key, failures, requests[key[:3]]) for key, failures in ordered[:MOST_FAILURE_ROWS]]
    left_out = len(ordered) - len(rows)
    more = f" {left_out} more kinds with fewer failures are left out." if left_out else ""
    table = Table(
        "Failed requests by kind", _HEAD, rows, 4, frozenset({"Sample"}), f"{_NOTE}{more}"
    )
    return table.without_empty_columns()


def _row(key: _Key, failures: _Failures, requests: int) -> Row:
    return (*key, str(failures.count), format_share(failures.count, requests), failures.sample)
