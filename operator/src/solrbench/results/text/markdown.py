"""Tables and lists of Markdown whose cells cannot break them."""

from collections.abc import Iterable


def markdown_table(lines: Iterable[Iterable[str]]) -> str:
    """Return lines of cells, the second of them the rule, as a table."""
    return "\n".join(
        "| " + " | ".join(escape_markdown(cell) for cell in line) + " |" for line in lines
    )


def markdown_list(lines: Iterable[str]) -> str:
    """Return a list with one item for each line."""
    return "\n".join(f"- {escape_markdown(line)}" for line in lines)


def escape_markdown(cell: str) -> str:
    """Return text that stays in its cell or item and is no HTML."""
    return " ".join(cell.splitlines()).replace("|", "\\|").replace("<", "&lt;")
