"""Readings as series of few windows."""

import pytest

from solrbench.telemetry.readings import Reading
from solrbench.telemetry.series import series_of


def readings(count: int) -> list[Reading]:
    return [
        Reading(
            "solr-0",
            1000.0 + 10 * each,
            gauges={"heap_limit_bytes": 512.0}
            | ({"filter_cache_entries": each, "index_bytes": 9} if each % 5 == 0 else {}),
            peaks={"heap_after_gc_bytes": 100.0 + each % 2},
        )
        for each in range(count)
    ]


def test_series_has_few_windows_counted_from_the_first_reading() -> None:
    found = {each.figure: each for each in series_of("solr", readings(300))}
    heap = found["heap_after_gc_bytes"]
    assert len(heap.values) == len(heap.seconds) == 48
    assert set(heap.values) == {100.0}
    assert 0 < heap.seconds[0] < 100
    assert heap.limit == 512


def test_figures_of_full_readings_have_series_of_their_own() -> None:
    found = {each.figure: each for each in series_of("solr", readings(100))}
    assert len(found["cache_entries"].values) == 20
    assert found["index_bytes"].values == [9] * 20


def test_cpu_is_the_share_between_readings() -> None:
    spent = [0.0, 5.0, 5.0, 1.0, 11.0]  # the node was started again before the fourth
    found = series_of(
        "solr",
        [
            Reading("solr-0", 10.0 * each, counters={"cpu_seconds": cpu}, gauges={"cpus": 2.0})
            for each, cpu in enumerate(spent)
        ],
    )
    (cpu,) = found
    assert cpu.figure == "cpu_percent"
    assert cpu.seconds == pytest.approx([10, 20, 30], abs=10)
    assert cpu.values == [25.0, 0.0, 50.0]


def test_kind_without_trends_has_no_series() -> None:
    assert series_of("machines", readings(9)) == []
    assert series_of("solr", readings(1)) == []
