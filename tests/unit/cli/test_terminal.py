import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.cli.terminal import GAP, MAX_TABLES, list_cells, split_columns, wrap_line

WIDTHS = [4, 7, 10, 8, 8, 9]
NAMES, GROUPS = [0, 1], [[2, 3], [4, 5]]
WHOLE = sum(WIDTHS) + 5 * GAP


@pytest.mark.parametrize("width", [None, WHOLE, WHOLE + 1])
def test_table_that_fits_has_all_columns_in_order(width: int | None) -> None:
    (whole,) = split_columns(WIDTHS, NAMES, GROUPS, width)
    assert (whole.columns, whole.widths) == ((0, 1, 2, 3, 4, 5), tuple(WIDTHS))


def test_table_too_wide_is_split_between_groups() -> None:
    tables = split_columns(WIDTHS, NAMES, GROUPS, WHOLE - 1)
    assert [each.columns for each in tables] == [(0, 1, 2, 3), (0, 1, 4, 5)]


def test_group_too_wide_is_split_evenly() -> None:
    tables = split_columns([4, 9, 9, 9, 9], [0], [[1, 2, 3, 4]], 40)
    assert [each.columns for each in tables] == [(0, 1, 2), (0, 3, 4)]


def test_names_are_folded_before_there_are_too_many_tables() -> None:
    widths = [40, *[9] * 2 * MAX_TABLES]
    tables = split_columns(widths, [0], [list(range(1, len(widths)))], 60)
    assert 1 < len(tables) <= MAX_TABLES
    assert {each.widths[0] for each in tables} == {30}


@pytest.mark.parametrize("width", [1, 15, 24])
def test_no_table_where_none_fits(width: int) -> None:
    assert split_columns([8, *[9] * 12], [0], [list(range(1, 13))], width) == []


@given(
    st.lists(st.integers(1, 20), min_size=4, max_size=16), st.integers(1, 3), st.integers(1, 250)
)
def test_no_column_is_lost_and_no_table_too_wide(widths: list[int], names: int, width: int) -> None:
    middle = (names + len(widths)) // 2
    groups = [list(range(names, middle)), list(range(middle, len(widths)))]
    tables = split_columns(widths, range(names), groups, width)
    for each in tables:
        assert sum(each.widths) + GAP * (len(each.widths) - 1) <= width
        shown = zip(each.columns[names:], each.widths[names:], strict=True)
        assert all(widths[column] == room for column, room in shown)
    shown_columns = [column for each in tables for column in each.columns[names:]]
    assert shown_columns in ([], list(range(names, len(widths))))


def test_line_is_broken_between_words_and_indented() -> None:
    text = "load: Measuring two-users, 2 users, 123 of 126 requests/s"
    assert wrap_line(text, 30, 2) == [
        "  load: Measuring two-users,",
        "    2 users,",
        "    123 of 126 requests/s",
    ]


@pytest.mark.parametrize("width", [None, 80])
def test_line_that_fits_stays_as_it_is(width: int | None) -> None:
    assert wrap_line("took 5 ms,  q=a  b", width, 2) == ["  took 5 ms,  q=a  b"]


def test_word_longer_than_the_line_is_not_cut() -> None:
    lines = wrap_line("5 ms: http://solr:8983/solr/base 7 ms", 12)
    assert lines == ["5 ms:", "http://solr:8983/solr/base", "7 ms"]


@pytest.mark.parametrize(
    "quantity", ["95 %", "+12.3 %", "(QTime 12 ms)", "20,000 of 20,000 documents", "99 %,"]
)
def test_quantity_is_never_broken(quantity: str) -> None:
    for width in range(max(len(quantity), len("words,")), 100):
        lines = wrap_line(f"some words, {quantity} and some more", width)
        kept = quantity.removeprefix("(QTime ")
        assert any(kept in line for line in lines), (width, lines)
        assert max(map(len, lines)) <= width


QUANTITIES = st.builds(
    "{}{} {}".format,
    st.sampled_from(["", "+", "-", "("]),
    st.one_of(st.integers(0, 10**9), st.decimals(0, 10**6, places=3)),
    st.sampled_from(["ms", "s", "%", "requests/s,", "MiB"]),
)
WORDS = st.text("abcdefgh:,()-", min_size=1, max_size=10)


@given(st.lists(st.one_of(WORDS, QUANTITIES), min_size=1), st.integers(24, 200))
def test_no_width_breaks_a_quantity(parts: list[str], width: int) -> None:
    lines = wrap_line(" ".join(parts), width)
    assert " ".join(lines).split() == " ".join(parts).split()
    assert max(map(len, lines)) <= width
    left = iter(lines)
    line = next(left)
    for part in parts:
        while part not in line:
            line = next(left)  # raises where a part is on no line
        line = line[line.index(part) + len(part) :]


def test_list_has_a_line_for_each_cell() -> None:
    cells = [("P95", "12.3 ms"), ("Requests/s", "123")]
    assert list_cells(cells, 40) == ["  P95         12.3 ms", "  Requests/s  123"]
    assert list_cells(cells, 20) == ["  P95", "    12.3 ms", "  Requests/s  123"]
