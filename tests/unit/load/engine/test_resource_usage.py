"""Files of both versions of control groups, as containers and nodes show them."""

import os
from pathlib import Path

import pytest

from solrbench.load.engine import resource_usage as usage_module
from solrbench.load.engine.resource_usage import (
    SCHEDULED,
    UsageMeter,
    _ClockReading,
    stolen_seconds,
)
from solrbench.telemetry.kernel_files import ControlGroup
from support.narrowing import not_none


def group(root: Path, files: dict[str, str], own: str = "0::/\n") -> ControlGroup:
    """Write files of a control group, and return it."""
    for name, text in {**files, "own": own}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return ControlGroup(root, root / "own")


OF_A_NODE = {"pods/one/cpu.max": "max 100000\n", "pods/one/cpu.stat": "throttled_usec 0\n"}
COMBINED = {
    "cpu,cpuacct/cpu.cfs_quota_us": "150000\n",
    "cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    "cpu,cpuacct/cpu.stat": "nr_throttled 3\nthrottled_time 1500000000\n",
}
BESIDE_VERSION_2 = {
    "cpu/own/cpu.cfs_quota_us": "-1\n",
    "cpu/own/cpu.cfs_period_us": "100000\n",
    "cpu/own/cpu.stat": "throttled_time 0\n",
}


@pytest.mark.parametrize(
    ("files", "own", "throttled", "limit"),
    [
        (OF_A_NODE, "0::/pods/one\n", 0.0, None),
        (COMBINED, "3:cpu,cpuacct:/pods/one\n", 1.5, 1.5),
        (COMBINED, "3:cpu,cpuacct:/\n0::/\n", 1.5, 1.5),
        (BESIDE_VERSION_2, "4:memory:/other\n1:cpu:/own\n0::/\n", 0.0, None),
        # What cannot be read is absent, not zero.
        ({}, "0::/\n", None, None),
        ({}, "", None, None),
    ],
)
def test_limit_is_that_of_the_own_group_in_either_version(
    tmp_path: Path, files: dict[str, str], own: str, throttled: float | None, limit: float | None
) -> None:
    found = group(tmp_path, files, own)
    assert (found.throttled_seconds(), found.limit_cores()) == (throttled, limit)


def test_usage_is_what_happened_between_begin_and_end(tmp_path: Path) -> None:
    stat = tmp_path / "cpu.stat"
    files = {"cpu.max": "200000 100000\n", "cpu.stat": "throttled_usec 1000000\n"}
    meter = UsageMeter(group(tmp_path, files))
    stat.write_text("throttled_usec 3000000\n")
    meter.begin()
    stat.write_text("throttled_usec 3500000\n")
    total = sum(number * number for number in range(200_000))
    meter.end()
    stat.write_text("throttled_usec 9000000\n")
    usage = meter.usage()
    assert total > 0
    assert usage.throttled_seconds == pytest.approx(0.5)
    assert usage.cpu_limit_cores == 2
    # The clocks are read one after another.
    assert 0 < (usage.core_cpu_seconds or 0) <= usage.cpu_seconds + 0.01
    assert usage.measured_seconds
    if SCHEDULED.exists():
        assert usage.core_waiting_seconds is not None
        assert 0 <= usage.core_waiting_seconds <= usage.measured_seconds


def test_load_is_kept_of_the_worst_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    now = _ClockReading(0.0, 0.0, 0.0, 0.0, None)
    monkeypatch.setattr(usage_module, "_read", lambda _: now)
    monkeypatch.setattr(usage_module, "_clock", lambda: now.clock)
    meter = UsageMeter()
    spent = [(1, 0.5), (1, 0.5), (5, 0.5), (1, 4.0), (2, 0.5)]
    for second in range(1, 26):
        cpu, waiting = spent[(second - 1) // 5]
        waited = (now.waiting or 0) + waiting / 5
        now = _ClockReading(
            now.process + cpu / 5, now.thread + cpu / 5, float(second), waited, None
        )
        meter.tick()
    meter.end()
    now = now._replace(process=99.0, thread=99.0, clock=60.0)
    meter.tick()
    meter.end()
    usage = meter.usage()
    assert (usage.measured_seconds, usage.cpu_seconds) == pytest.approx((25.0, 10))
    most_cpu, most_busy = not_none(usage.most_cpu), not_none(usage.most_busy)
    found = (most_cpu.begin_seconds, most_cpu.seconds, most_cpu.cpu_seconds)
    assert found == pytest.approx((10.0, 5.0, 5))
    assert (most_busy.begin_seconds, most_busy.core_busy_seconds) == pytest.approx((10.0, 5.5))


def test_rest_is_a_slice_only_if_it_is_long_or_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def worst(end: float) -> tuple[float, float]:
        now = _ClockReading(0.0, 0.0, 0.0, None, None)
        monkeypatch.setattr(usage_module, "_read", lambda _: now)
        monkeypatch.setattr(usage_module, "_clock", lambda: now.clock)
        meter = UsageMeter()
        if end > 5:
            now = _ClockReading(1.0, 1.0, 5.0, None, None)
            meter.tick()
        now = _ClockReading(now.process + 2, now.thread + 2, end, None, None)
        meter.end()
        most = not_none(meter.usage().most_cpu)
        return most.begin_seconds, most.seconds

    assert worst(2.0) == (0.0, 2.0)
    assert worst(7.0) == (0.0, 5.0)
    assert worst(7.5) == (5.0, 2.5)


def test_kernel_without_run_queue_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage_module, "SCHEDULED", tmp_path / "none")
    assert UsageMeter(group(tmp_path, {})).usage().core_waiting_seconds is None


@pytest.mark.parametrize(
    "text", [None, "", "full total=1\n", "some avg10=0.00\n", "some total=x\n"]
)
def test_pressure_that_is_not_reported(tmp_path: Path, text: str | None) -> None:
    files = {} if text is None else {"cpu.pressure": text}
    assert group(tmp_path, files).pressure("cpu").get("cpu_some_seconds") is None


def test_stolen_time_is_the_mean_over_the_cpus(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  1 2 3 4 5 6 7 800 0 0\ncpu0 1 2 3 4 5 6 7 500 0 0\ncpu1 0\nintr 5\n")
    assert stolen_seconds(stat) == 800 / os.sysconf("SC_CLK_TCK") / 2


@pytest.mark.parametrize(
    "text", [None, "", "cpu 1 2 3\ncpu0 1\n", "cpu  1 2 3 4 5 6 7 x\ncpu0 1\n"]
)
def test_stolen_time_that_is_not_reported(tmp_path: Path, text: str | None) -> None:
    stat = tmp_path / "stat"
    if text is not None:
        stat.write_text(text)
    assert stolen_seconds(stat) is None


def test_time_of_others_is_measured_between_begin_and_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stolen = iter([5.0, 7.0, 90.0])
    monkeypatch.setattr(usage_module, "stolen_seconds", lambda: next(stolen))
    meter = UsageMeter(group(tmp_path, {"cpu.pressure": "some total=1000000\n"}))
    (tmp_path / "cpu.pressure").write_text("some total=4000000\n")
    meter.end()
    assert (meter.usage().stolen_seconds, meter.usage().pressure_seconds) == (2.0, 3.0)
