"""Drivers of sweeps and benchmarks on a cluster in memory."""

import pytest

from support.fakes.operator_driver import SweepDriver


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch) -> SweepDriver:
    return SweepDriver(monkeypatch)
