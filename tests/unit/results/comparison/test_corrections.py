import pytest

from solrbench.results.comparison.corrections import Correction, benjamini_hochberg, holm


def test_holm_ends_at_the_first_that_fails() -> None:
    # 0.01 <= 0.05 / 4; 0.015 <= 0.05 / 3; 0.03 > 0.05 / 2, so 0.04 does not hold either.
    assert holm([0.04, 0.01, 0.03, 0.015], 0.05) == [False, True, False, True]


def test_benjamini_and_hochberg_take_all_up_to_the_last_that_passes() -> None:
    # Of five: 0.028 > 0.02, but 0.029 <= 0.03, so the one before it holds, too.
    p_values = [0.9, 0.005, 0.028, 0.029, 0.5]
    assert benjamini_hochberg(p_values, 0.05) == [False, True, True, True, False]


@pytest.mark.parametrize("correction", [holm, benjamini_hochberg])
def test_a_single_test_has_the_whole_level(correction: Correction) -> None:
    assert correction([0.05], 0.05) == [True]
    assert correction([0.051], 0.05) == [False]
    assert correction([], 0.05) == []
