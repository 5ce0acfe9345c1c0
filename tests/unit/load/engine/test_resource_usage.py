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


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("cpu_", "cpu.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def group(root: Path, own: str) -> ControlGroup:
    (root / "own").write_text(own)
    return ControlGroup(root, root / "own")


def test_version_2_in_a_container(tmp_path: Path) -> None:
    write(tmp_path, cpu_max="50000 100000\n", cpu_stat="usage_usec 9\nthrottled_usec 2500000\n")
    found = group(tmp_path, "0::/\n")
    assert (found.throttled_seconds(), found.limit_cores()) == (2.5, 0.5)


def test_version_2_without_a_limit_on_a_node(tmp_path: Path) -> None:
    write(tmp_path, pods__one__cpu_max="max 100000\n", pods__one__cpu_stat="throttled_usec 0\n")
    found = group(tmp_path, "0::/pods/one\n")
    assert (found.throttled_seconds(), found.limit_cores()) == (0.0, None)


@pytest.mark.parametrize("own", ["3:cpu,cpuacct:/pods/one\n", "3:cpu,cpuacct:/\n0::/\n"])
def test_version_1_whatever_its_path_says(tmp_path: Path, own: str) -> None:
    write(
        tmp_path,
        **{
            "cpu,cpuacct__cpu_cfs_quota_us": "150000\n",
            "cpu,cpuacct__cpu_cfs_period_us": "100000\n",
            "cpu,cpuacct__cpu_stat": "nr_throttled 3\nthrottled_time 1500000000\n",
        },
    )
    found = group(tmp_path, own)
    assert (found.throttled_seconds(), found.limit_cores()) == (1.5, 1.5)


def test_version_1_beside_version_2_and_without_a_limit(tmp_path: Path) -> None:
    write(
        tmp_path,
        cpu__own__cpu_cfs_quota_us="-1\n",
        cpu__own__cpu_cfs_period_us="100000\n",
        cpu__own__cpu_stat="throttled_time 0\n",
    )
    found = group(tmp_path, "4:memory:/other\n1:cpu:/own\n0::/\n")
    assert (found.throttled_seconds(), found.limit_cores()) == (0.0, None)


def test_what_cannot_be_read_is_absent_not_zero(tmp_path: Path) -> None:
    for found in (group(tmp_path, "0::/\n"), ControlGroup(tmp_path, tmp_path / "none")):
        assert (found.throttled_seconds(), found.limit_cores()) == (None, None)


def test_usage_is_what_happened_between_begin_and_end(tmp_path: Path) -> None:
    write(tmp_path, cpu_max="200000 100000\n", cpu_stat="throttled_usec 1000000\n")
    meter = UsageMeter(group(tmp_path, "0::/\n"))
    write(tmp_path, cpu_stat="throttled_usec 3000000\n")
    meter.begin()
    write(tmp_path, cpu_stat="throttled_usec 3500000\n")
    total = sum(number * number for number in range(200_000))
    meter.end()
    write(tmp_path, cpu_stat="throttled_usec 9000000\n")
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
    assert usage.measured_seconds == 25.0
    assert usage.cpu_seconds == pytest.approx(10)
    most_cpu, most_busy = usage.most_cpu, usage.most_busy
    assert most_cpu is not None
    assert (most_cpu.begin_seconds, most_cpu.seconds) == (10.0, 5.0)
    assert most_cpu.cpu_seconds == pytest.approx(5)
    assert most_busy is not None
    assert most_busy.begin_seconds == 10.0
    assert most_busy.core_busy_seconds == pytest.approx(5.5)


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
        most = meter.usage().most_cpu
        assert most is not None
        return most.begin_seconds, most.seconds

    assert worst(2.0) == (0.0, 2.0)
    assert worst(7.0) == (0.0, 5.0)
    assert worst(7.5) == (5.0, 2.5)


def test_kernel_without_run_queue_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage_module, "SCHEDULED", tmp_path / "none")
    assert UsageMeter(group(tmp_path, "0::/\n")).usage().core_waiting_seconds is None


def test_pressure_is_the_time_in_which_any_process_waited(tmp_path: Path) -> None:
    text = "some avg10=1.00 avg60=0.00 avg300=0.00 total=2500000\nfull avg10=0.00 total=9\n"
    write(tmp_path, cpu_max="max 100000\n", cpu_pressure=text)
    assert group(tmp_path, "0::/\n").pressure("cpu")["cpu_some_seconds"] == 2.5


@pytest.mark.parametrize(
    "text", [None, "", "full total=1\n", "some avg10=0.00\n", "some total=x\n"]
)
def test_pressure_that_is_not_reported(tmp_path: Path, text: str | None) -> None:
    write(tmp_path, cpu_max="max 100000\n", **({} if text is None else {"cpu_pressure": text}))
    assert group(tmp_path, "0::/\n").pressure("cpu").get("cpu_some_seconds") is None


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
    write(tmp_path, cpu_max="max 100000\n", cpu_pressure="some total=1000000\n")
    meter = UsageMeter(group(tmp_path, "0::/\n"))
    write(tmp_path, cpu_pressure="some total=4000000\n")
    meter.end()
    assert (meter.usage().stolen_seconds, meter.usage().pressure_seconds) == (2.0, 3.0)
