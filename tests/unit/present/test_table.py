"""The one form of a table, and its rendering as Markdown and CSV."""

import csv
import io
from collections.abc import Sequence

import pytest

from solrbench.present.table import (
    Cell,
    Column,
    NameColumn,
    NumberColumn,
    TextColumn,
    build_table,
    conclusion,
    escape_markdown,
    items_to_csv,
    markdown_facts,
    table_to_markdown,
)

COLUMNS: Sequence[Column[dict[str, object]]] = (
    NameColumn("Name", lambda item: item["name"]),
    TextColumn("Conclusion", lambda item: conclusion(str(item["conclusion"]))),
    NumberColumn("Time", lambda item: item.get("time"), "{} ms".format),
    NumberColumn("Late", lambda item: item.get("late")),
)
ITEMS: Sequence[dict[str, object]] = [
    {"name": "a|b", "conclusion": "Worse", "time": 3},
    {"name": "<c>", "conclusion": "", "time": None},
]


def test_a_value_is_shown_with_its_unit_and_none_is_empty() -> None:
    table = build_table("Times", COLUMNS, ITEMS)
    assert table.texts == [("a|b", "Worse", "3 ms", ""), ("<c>", "", "", "")]
    assert table.rows[0][1] == Cell("Worse", mark="bad")


def test_columns_that_are_empty_in_every_row_go_unless_others_are_meant() -> None:
    table = build_table("Times", COLUMNS, ITEMS)
    assert table.without_empty_columns().head == ("Name", "Conclusion", "Time")
    with_late = table.without_empty_columns({"Conclusion"})
    assert with_late.head == ("Name", "Conclusion", "Time", "Late")
    assert table.without_column("Conclusion").texts[0] == ("a|b", "3 ms", "")


def test_a_table_without_rows_is_false() -> None:
    assert build_table("Times", COLUMNS, ITEMS)
    assert not build_table("Times", COLUMNS, [])


def test_markdown_sets_numbers_flush_right_and_lets_no_cell_break_out() -> None:
    table = build_table("Times", COLUMNS[:3], ITEMS)
    assert table_to_markdown(table).splitlines() == [
        "| Name | Conclusion | Time |",
        "| --- | --- | --: |",
        "| a\\|b | Worse | 3 ms |",
        "| &lt;c> |  |  |",
    ]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("q=*:*", r"q=\*:\*"),
        ("_text_:a_b~1 c~", r"\_text\_:a_b\~1 c\~"),
        ("p95 * of 2 * 3", "p95 * of 2 * 3"),
        ("* decides", r"\* decides"),
        ("# a", r"\# a"),
    ],
)
def test_markdown_shows_the_marks_of_a_text(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped


def test_names_of_facts_are_texts_in_markdown() -> None:
    # Conditions of sweeps are named by values of tenants.
    assert markdown_facts({"Best with q *:*": "<b>"}) == r"- **Best with q \*:\***: &lt;b>"


def test_csv_has_raw_values() -> None:
    columns = [COLUMNS[0], COLUMNS[2]]
    lines = list(csv.DictReader(io.StringIO(items_to_csv(columns, ITEMS))))
    assert lines == [{"Name": "a|b", "Time": "3"}, {"Name": "<c>", "Time": ""}]


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\t=1", "\r=1"])
def test_csv_has_no_text_that_a_spreadsheet_runs_as_a_formula(name: str) -> None:
    text = items_to_csv(COLUMNS[:3:2], [{"name": name, "time": -3}])
    assert next(csv.DictReader(io.StringIO(text, newline=""))) == {
        "Name": f"'{name}".replace("\r", " "),
        "Time": "-3",
    }


@pytest.mark.parametrize(
    ("text", "mark"), [("Worse on one target", "bad"), ("Met", "good"), ("Same", ""), (None, "")]
)
def test_the_first_word_of_a_conclusion_marks_its_cell(text: str | None, mark: str) -> None:
    assert conclusion(text) == Cell(text or "", mark=mark)
