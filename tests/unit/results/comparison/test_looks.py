import pytest

from solrbench.results.comparison.looks import Looks, level_at


@pytest.mark.parametrize(
    ("look", "level"), [(4, 0.0), (5, 0.0625), (6, 0.03), (10, 1 / 12), (20, 1 / 3), (25, 1 / 3)]
)
def test_level_grows_with_the_square_of_the_repeats(look: int, level: float) -> None:
    assert level_at(look, 5, 20, 0.01) == pytest.approx(0.01 * level)


def test_a_single_look_has_the_whole_level() -> None:
    assert level_at(7, 7, 7, 0.01) == 0.01


def test_many_comparisons_spend_less_at_each_look() -> None:
    looks = Looks(5, 20)
    assert looks.share(20, family=3) == pytest.approx(1 / 3.5)
    assert looks.share(5, family=3) == looks.share(5)


@pytest.mark.parametrize(("minimum", "maximum"), [(1, 5), (6, 5)])
def test_looks_that_no_design_has_are_refused(minimum: int, maximum: int) -> None:
    with pytest.raises(ValueError, match="looks from"):
        Looks(minimum, maximum)
