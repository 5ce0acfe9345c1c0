import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from solrbench.contract.request_counts import NO_REQUESTS, RequestCounts, sum_counts
from support.results.builders import make_result

SIGNED = {"bytes_received", "sum_microseconds", "response_sum_microseconds"}
EXTREMES = {"min_microseconds", "max_microseconds", "response_max_microseconds"}
IF_KNOWN = {"partial_results", "empty_results"}
TOTALS = RequestCounts.model_fields.keys() - EXTREMES - IF_KNOWN


@st.composite
def counts(draw: st.DrawFn) -> RequestCounts:
    number, signed = st.integers(0, 2**40), st.integers(-(2**40), 2**40)
    kinds: dict[str, st.SearchStrategy[int | None]] = {
        name: signed if name in SIGNED else number for name in TOTALS
    }
    kinds |= {name: st.one_of(number, st.none()) for name in EXTREMES | IF_KNOWN}
    return RequestCounts.model_validate({name: draw(kind) for name, kind in kinds.items()})


@given(counts(), counts(), counts())
def test_sum_does_not_depend_on_the_order(
    a: RequestCounts, b: RequestCounts, c: RequestCounts
) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c) == sum_counts([c, a, b])


@given(counts())
def test_no_requests_change_nothing(each: RequestCounts) -> None:
    assert sum_counts([]) == NO_REQUESTS
    assert each + NO_REQUESTS == NO_REQUESTS + each == sum_counts([each]) == each


@given(counts(), counts())
def test_every_number_is_added_by_its_rule(a: RequestCounts, b: RequestCounts) -> None:
    found = a + b
    for name in TOTALS:
        assert getattr(found, name) == getattr(a, name) + getattr(b, name)
    for name in EXTREMES:
        rule = min if name.startswith("min") else max
        known = [each for each in (getattr(a, name), getattr(b, name)) if each is not None]
        assert getattr(found, name) == (rule(known) if known else None)
    for name in IF_KNOWN:
        both = (getattr(a, name), getattr(b, name))
        assert getattr(found, name) == (None if None in both else sum(both))


def test_counts_of_a_result_are_its_numbers_alone() -> None:
    result = make_result([5, 7])
    assert result.numbers().keys() == RequestCounts.model_fields.keys()
    assert (result + result).requests == 4
    assert type(result + result) is RequestCounts


@pytest.mark.parametrize(
    "fields",
    [
        {"requests": "1", "failures": 0},
        {"requests": 1.0, "failures": 0},
        {"requests": True, "failures": 0},
        {"requests": -1, "failures": 0},
        {"requests": 2**53 + 1, "failures": 0},
        {"requests": 1},
        {"requests": 1, "failures": 0, "bytesReceived": 2**63},
        {"requests": 1, "failures": 0, "lostRequests": 1},
    ],
)
def test_decoding_is_strict_and_bounded(fields: dict[str, object]) -> None:
    assert RequestCounts.model_validate({"requests": 1, "failures": 0}).requests == 1
    with pytest.raises(ValidationError):
        RequestCounts.model_validate(fields)
