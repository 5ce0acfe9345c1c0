"""Who waited, as tables: the requests of users, and the longest waits."""

from collections.abc import Iterable

from solrbench.results.model.response_gaps import ResponseGap
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import format_milliseconds
from solrbench.results.text.tables.table import Row, Table

MOST_SHARE_ROWS = 100
MOST_WAIT_ROWS = 20

_SHARE_HEAD = ("Step", "Variant", "Repeat", "Users", "Least", "Median", "Most", "User with least")
_SHARE_NOTE = (
    "Requests of a single user. A user far below the others waited for its responses: see the"
    " longest waits."
)
_WAIT_HEAD = ("Step", "Variant", "Repeat", "User", "Node", "Second", "Waited", "Query")
_WAIT_NOTE = (
    "Of a user: its longest wait for a response. Of all users of a node, as one load worker saw"
    " it: no response came, though requests waited. Second: since the step began to be measured."
)


def user_table(documents: Iterable[StepRunResult]) -> Table:
    """Return the least, median and most requests of a user, those farthest behind first."""
    found = [
        (each.fewest[0].requests / max(each.median_requests, 1), document)
        for document in documents
        if (each := document.user_shares) is not None and each.users > 1 and each.fewest
    ]
    ordered = sorted(found, key=lambda entry: entry[0])[:MOST_SHARE_ROWS]
    rows = [_share_row(document) for _, document in ordered]
    texts = frozenset({"User with least"})
    table = Table("Requests by user", _SHARE_HEAD, rows, 3, texts, _SHARE_NOTE)
    return table.without_empty_columns()


def wait_table(documents: Iterable[StepRunResult]) -> Table:
    """Return the longest waits of users and of nodes, the longest first."""
    found = [(document, each) for document in documents for each in document.response_gaps]
    found.sort(key=lambda entry: -entry[1].microseconds)
    rows = [_wait_row(document, gap) for document, gap in found[:MOST_WAIT_ROWS]]
    texts = frozenset({"User", "Node", "Query"})
    table = Table("Longest waits", _WAIT_HEAD, rows, 3, texts, _WAIT_NOTE)
    return table.without_empty_columns()


def _share_row(document: StepRunResult) -> Row:
    shares = document.user_shares
    if shares is None:
        return ()
    last = shares.fewest[0]
    return (
        document.step,
        document.variant,
        str(document.repeat),
        str(shares.users),
        str(last.requests),
        str(shares.median_requests),
        str(shares.most_requests),
        f"{last.user} on {last.node}",
    )


def _wait_row(document: StepRunResult, gap: ResponseGap) -> Row:
    return (
        document.step,
        document.variant,
        str(document.repeat),
        "all" if gap.user is None else str(gap.user),
        gap.node,
        f"{gap.second:.1f}",
        format_milliseconds(gap.microseconds / 1000),
        gap.query,
    )
