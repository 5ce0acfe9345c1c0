"""The load master reads its own machine."""

from pathlib import Path

from solrbench.load.master.telemetry.machine_source import MachineSource
from solrbench.telemetry.readings import figures_of
from solrbench.telemetry.summary import with_shares


def test_real_machine_is_named_and_has_processors() -> None:
    source = MachineSource()
    readings = [*source.read(full=True), *source.read(full=False)]
    machine = with_shares(figures_of(readings))
    assert machine.server == Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
    assert machine.readings == 2
    assert machine.figures["cpus"] >= 1
    assert machine.figures["cpu_busy_percent"] >= 0
    assert source.missing() is None


def test_machine_without_a_name_has_no_readings(tmp_path: Path) -> None:
    assert list(MachineSource(tmp_path).read(full=True)) == []
