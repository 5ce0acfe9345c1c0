import pytest

from solrbench.results.comparison.looks import Looks


@pytest.mark.parametrize(
    ("look", "share"), [(4, 0.0), (5, 0.0625), (6, 0.03), (10, 1 / 12), (20, 1 / 3), (25, 1 / 3)]
)
def test_share_grows_with_the_square_of_the_repeats(look: int, share: float) -> None:
    assert Looks(5, 20).share(look) == pytest.approx(share)


def test_a_single_look_has_the_whole_level() -> None:
    assert Looks(7, 7).share(7) == 1


def test_many_comparisons_spend_less_at_each_look() -> None:
    looks = Looks(5, 20)
    assert looks.share(20, family=3) == pytest.approx(1 / 3.5)
    assert looks.share(5, family=3) == looks.share(5)


@pytest.mark.parametrize(
    ("minimum", "maximum", "every"), [(5, 20, 5), (4, 20, 4), (3, 20, 5), (2, 10, 2), (5, 21, 4)]
)
def test_rounds_spend_no_more_than_the_level_of_all(minimum: int, maximum: int, every: int) -> None:
    """By the inequality of Boole; looks that agree with each other spend less."""
    looks = Looks(minimum, maximum, every)
    taken = range(every, maximum + 1, every)
    assert sum(looks.share(each, family=11) for each in taken) <= 1.1


def test_rounds_of_five_repeats_spend_what_has_come_in() -> None:
    looks = Looks(5, 20, every=5)
    assert [looks.share(each) for each in (5, 10, 15, 20)] == [1 / 16, 3 / 16, 5 / 16, 7 / 16]


def test_a_round_beyond_the_first_look_has_all_that_is_spent_by_then() -> None:
    assert Looks(5, 20, every=3).share(6) == pytest.approx(0.09)


@pytest.mark.parametrize(("minimum", "maximum"), [(1, 5), (6, 5)])
def test_looks_that_no_design_has_are_refused(minimum: int, maximum: int) -> None:
    with pytest.raises(ValueError, match="looks from"):
        Looks(minimum, maximum)
