import pytest

from solrbench.load.master.throughput import ThroughputMeter


def test_rate_is_that_of_the_last_five_seconds() -> None:
    speed = ThroughputMeter()
    for second in range(20):
        speed.add(second, 100 * second if second < 10 else 1000 + 300 * (second - 10))
    assert speed.rate(19) == pytest.approx(300)


def test_rate_needs_two_totals() -> None:
    speed = ThroughputMeter()
    assert speed.rate(0) == 0
    speed.add(0, 10)
    assert speed.rate(1) == 0
    speed.add(2, 10)
    assert speed.rate(2) == 0
    speed.add(2.5, 60)
    assert speed.rate(2.5) == pytest.approx(20)


def test_rate_falls_to_zero_when_nothing_comes_any_more() -> None:
    speed = ThroughputMeter()
    speed.add(0, 0)
    speed.add(1, 50)
    assert speed.rate(3) == pytest.approx(50)
    assert speed.rate(7) == 0


@pytest.mark.parametrize("explicit", [True, False])
def test_reset_forgets_earlier_step_run(explicit: bool) -> None:
    speed = ThroughputMeter()
    speed.add(0, 0)
    speed.add(1, 5000)
    if explicit:
        speed.reset()
    speed.add(2, 10)
    assert speed.rate(2) == 0
    speed.add(3, 30)
    assert speed.rate(3) == pytest.approx(20)
