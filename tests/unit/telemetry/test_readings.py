from solrbench.telemetry.readings import Reading, figures_of


def reading(second: float, **counters: float) -> Reading:
    return Reading("a", second, counters=counters)


def test_a_counter_that_began_anew_has_no_difference() -> None:
    found = figures_of([reading(0, cpu_seconds=50, a=1), reading(1, cpu_seconds=2, a=3)])
    assert found.figures == {"a": 2}


def test_a_single_reading_has_no_differences() -> None:
    found = figures_of([reading(3, cpu_seconds=50)])
    assert (found.seconds, found.readings, found.figures) == (0, 1, {})


def test_the_unit_stays_at_the_end_of_the_name() -> None:
    peaks = [
        Reading("a", t, peaks={"heap_used_bytes": n, "threads": n}) for t, n in ((0, 1), (1, 3))
    ]
    assert figures_of(peaks).figures == {
        "heap_used_max_bytes": 3,
        "heap_used_mean_bytes": 2,
        "threads_max": 3,
        "threads_mean": 2,
    }
