import pytest

from solrbench.results.stats.segmented_regression import CurveShape, SizeRuns, fit_segments


def sizes(levels: list[float], runs: int = 3, deviation: float = 0.05) -> list[SizeRuns]:
    return [SizeRuns(1.0 + place, level, deviation, runs) for place, level in enumerate(levels)]


def test_a_hinge_bends_at_its_joint_with_both_slopes() -> None:
    found = fit_segments(sizes([1.02, 0.98, 1.01, 1.0, 3.0, 5.02, 6.98, 9.0]))
    assert found is not None
    assert found.shape is CurveShape.BENDS
    assert found.lower <= 4 <= found.upper
    assert found.joint == pytest.approx(4, abs=0.15)
    assert found.before == pytest.approx(0, abs=0.05)
    assert found.after == pytest.approx(2, abs=0.1)


def test_what_does_not_fit_into_memory_bends_at_its_size() -> None:
    levels = [10 * max(0.0, 1 - 3.5 / (1 + place)) for place in range(8)]
    found = fit_segments(sizes(levels))
    assert found is not None
    assert found.shape is CurveShape.BENDS
    assert found.lower <= 3.5 <= found.upper


def test_a_straight_line_has_no_bend() -> None:
    found = fit_segments(sizes([1.04, 1.97, 3.02, 3.96, 5.01, 6.03]))
    assert found is not None
    assert found.shape is CurveShape.STRAIGHT


def test_a_curve_that_rises_ever_faster_is_no_clear_bend() -> None:
    found = fit_segments(sizes([(1.0 + place) ** 2 / 4 for place in range(8)]))
    assert found is not None
    assert found.shape is CurveShape.CURVED


@pytest.mark.parametrize("levels", [[0.0] * 6, [2.0] * 6])
def test_the_same_everywhere_is_straight(levels: list[float]) -> None:
    found = fit_segments(sizes(levels, deviation=0.0))
    assert found is not None
    assert found.shape is CurveShape.STRAIGHT


def test_too_few_sizes_or_runs_have_no_word() -> None:
    assert fit_segments(sizes([1, 1, 1, 3, 5])) is None
    assert fit_segments(sizes([1, 1, 1, 3, 5, 7], runs=2)) is None
