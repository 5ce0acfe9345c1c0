"""What grew in each step, as a table."""

from collections.abc import Sequence

from solrbench.api.v1alpha1.status.trends import Trend
from solrbench.results.text.tables.table import Table

_NOTE = (
    "Growth of steps of five minutes and more, beside caches that fill and load that moves, with"
    " its 95 % confidence interval."
)


def trend_table(trends: Sequence[Trend]) -> Table:
    """Return a row for each figure of each step; without rows if no step was long enough."""
    head = ("Step", "Variant", "Figure", "Server", "Trend")
    rows = [
        (each.step, each.variant or "", each.figure, each.server or "", each.message)
        for each in trends
    ]
    return Table("Trends", head, rows, texts=frozenset(head), note=_NOTE)
