import pytest

from solrbench.stats import number_format


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (12.345, "12.3"), (12345.6, "12346"), (0.00012345, "0.000123"), (100.0, "100")],
)
def test_numbers_have_three_significant_digits(value: float, text: str) -> None:
    assert number_format.format_number(value) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"), [(0.25, "0.25 ms"), (999, "999 ms"), (1234.5, "1.23 s")]
)
def test_times_carry_their_unit(milliseconds: float, text: str) -> None:
    assert number_format.format_milliseconds(milliseconds) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (0, 1_000_000, "0 %"),
        (1, 1_000_000, "0.0001 %"),
        (1, 3, "33.3 %"),
        (999_999, 1_000_000, "99.9999 %"),
        (7, 7, "100 %"),
        (0, 0, ""),
    ],
)
def test_few_is_not_none_and_most_is_not_all(part: int, whole: int, text: str) -> None:
    assert number_format.format_share(part, whole) == text


@pytest.mark.parametrize(
    ("value", "kept"), [(0, 0), (0.0004, 0.0004), (0.123456, 0.123), (1.23456, 1.235)]
)
def test_what_is_stored_with_decimals_is_never_0_if_there_is_any(value: float, kept: float) -> None:
    assert number_format.round_decimals(value) == kept


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [(1, 2, "1 to 2"), (1, None, "at least 1"), (None, 2, "at most 2"), (None, None, "")],
)
def test_one_bound_is_shown_alone(lower: float | None, upper: float | None, text: str) -> None:
    assert number_format.format_range(lower, upper) == text


@pytest.mark.parametrize(
    ("cores", "text"), [(0.5, "0.5 cores"), (0.1 * 10, "1 core"), (2, "2 cores")]
)
def test_one_core_is_one(cores: float, text: str) -> None:
    assert number_format.format_cores(cores) == text


def test_per_cent_carry_their_unit() -> None:
    assert number_format.format_percent(1.2345) == "1.23 %"
