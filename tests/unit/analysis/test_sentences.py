import pytest

from solrbench.analysis.sentences import comparison_lines, format_overhead
from solrbench.api.v1alpha1.comparisons import Comparison, Conclusion, Overhead


@pytest.mark.parametrize(
    ("overhead", "text"),
    [
        (Overhead(percent=25), "+25 % (one repeat, no confidence)"),
        (
            Overhead(percent=12.34, low_percent=9.8, high_percent=14.81, word=Conclusion.WORSE),
            "+12.3 % (95 % confidence: +9.8 % … +14.8 %), Worse",
        ),
        (
            Overhead(percent=-3, low_percent=-5, high_percent=-1, word=Conclusion.SAME),
            "-3 % (95 % confidence: -5 % … -1 %), Same",
        ),
        (
            Overhead(
                percent=3, low_percent=-1, high_percent=7, word=Conclusion.UNCLEAR, more_repeats=1
            ),
            "+3 % (95 % confidence: -1 % … +7 %), Unclear: about 1 more repeat",
        ),
        (
            Overhead(
                percent=3, low_percent=0, high_percent=6, word=Conclusion.UNCLEAR, more_repeats=51
            ),
            "+3 % (95 % confidence: 0 % … +6 %), Unclear: more than 50 more repeats",
        ),
        (
            Overhead(
                percent=1_667_386, low_percent=900, high_percent=50_138_336, word=Conclusion.WORSE
            ),
            "16700 times (95 % confidence: +900 % … 501000 times), Worse",
        ),
    ],
)
def test_overhead_is_formatted_with_its_interval(overhead: Overhead, text: str) -> None:
    assert format_overhead(overhead) == text


def test_each_figure_has_a_line_that_names_everything() -> None:
    comparison = Comparison(
        step="five-users",
        variant="proxy",
        baseline="raw",
        request="query",
        repeats=1,
        failures=7,
        average=Overhead(percent=1),
        requests_per_second=Overhead(percent=-2),
    )
    index = "(five-users, query); failed requests: 7"
    assert comparison_lines([comparison]) == [
        f"proxy vs raw: +1 % (one repeat, no confidence), average {index}",
        f"proxy vs raw: -2 % (one repeat, no confidence), requests/s {index}",
    ]
