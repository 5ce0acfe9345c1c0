"""One line for each bar, and the table of them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One bar and what was reached.

    `bar` is empty for a figure that only helps to read the others, and `is_met` None where nothing
    could be measured; `detail` holds the figures behind it, or why there are none.
    """

    what: str
    bar: str
    figure: str
    is_met: bool | None
    detail: str = ""


def at_most(what: str, value: float, bar: float, form: str, detail: str = "") -> Row:
    """Return the line of a figure with an upper bar; `form` is its format with its unit."""
    bound = f"<= {bar:g}{form.partition('}')[2]}"
    return Row(what, bound, form.format(value), value <= bar, detail)


def at_least(what: str, value: float, bar: float, form: str, detail: str = "") -> Row:
    """Return the line of a figure with a lower bar; `form` is its format with its unit."""
    bound = f">= {bar:g}{form.partition('}')[2]}"
    return Row(what, bound, form.format(value), value >= bar, detail)


def share_row(what: str, part: int, whole: int, bar: float, detail: str = "") -> Row:
    """Return the line of a share with a lower bar in per cent; of nothing it is 0."""
    share = 100 * part / whole if whole else 0.0
    return at_least(what, share, bar, f"{part} of {whole}, {{:.1f}} %", detail)


def within(what: str, off: float, bar: float, detail: str) -> Row:
    """Return the line of a figure that is off by some per cent of what is known."""
    return Row(what, f"within {bar:g} %", f"{off:.2f} %", off <= bar, detail)


def ratio_row(what: str, own: float, other: float, bar: float, peer: str) -> Row:
    """Return the line of a ratio of requests per CPU-second."""
    detail = f"{own:,.0f} and {other:,.0f} requests per CPU-second, {peer}"
    return at_least(f"{what} / {peer}", own / other, bar, "{:.2f} x", detail)


def skipped(what: str, bar: str, reason: object) -> Row:
    """Return the line of something that cannot be measured here."""
    return Row(what, bar, "-", None, str(reason))


def render(rows: Sequence[Row]) -> str:
    """Return the table as Markdown, which terminals show well enough."""
    verdicts = {True: "met", False: "MISSED", None: "skipped"}
    cells: list[tuple[str, ...]] = [("what", "bar", "reached", "", "detail")]
    cells += [
        (row.what, row.bar, row.figure, verdicts[row.is_met] if row.bar else "", row.detail)
        for row in rows
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(5)]
    cells.insert(1, tuple("-" * width for width in widths))
    lines = (
        " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        for row in cells
    )
    return "\n".join(f"| {line} |" for line in lines)
