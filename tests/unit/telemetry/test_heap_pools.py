"""Tests of `load.telemetry.heap_pools`."""

import pytest

from solrbench.telemetry.heap_pools import heap_after_gc


@pytest.mark.parametrize(
    ("pools", "found"),
    [
        ({"G1 Eden Space": 0, "G1 Survivor Space": 2, "G1 Old Gen": 30}, 32),
        ({"G1 Eden Space": 0, "G1 Survivor Space": 2, "G1 Old Gen": 0}, None),
        ({"PS-Eden-Space": 1, "PS-Survivor-Space": 2, "PS-Old-Gen": 7}, 10),
        ({"Eden Space": 1, "Survivor Space": 2, "Tenured Gen": 0}, None),
        ({"ZGC Young Generation": 5, "ZGC Old Generation": 0}, None),
        ({"ZGC Young Generation": 5, "ZGC Old Generation": 6}, 11),
        ({"Shenandoah": 9}, 9),
        ({"G1 Survivor Space": 2}, None),
        ({}, None),
    ],
)
def test_the_old_generation_must_have_been_collected(
    pools: dict[str, float], found: float | None
) -> None:
    assert heap_after_gc(pools) == found
