"""The verdict on real workers: healthy, saturated, throttled and without a server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.contract.step_document import StepRunResult
from support.load.processes import make_plan, running
from support.results.builders import verdict_of_document
from support.servers.fast_server import fast_server

pytestmark = [pytest.mark.alone, pytest.mark.timeout(60)]

CPU_GROUPS = Path("/sys/fs/cgroup/cpu")
"""Where version 1 of control groups keeps CPU quotas; only root may make groups there."""

CALM = {"constantMilliseconds": 10}

ANY_HOST = {"maxStolenPercent": 100, "maxCpuPressurePercent": 100, "maxOthersCpuPercent": 100}
"""What the host of the suite's machine takes of its CPUs is not of interest here."""


def verdict_of(document: StepRunResult, step: dict[str, Any], **validity: int) -> StepVerdict:
    limits = ANY_HOST | validity
    load = {"workers": len(document.workers), "steps": [step], "validity": limits}
    # Pods and empty results are not recorded here.
    return verdict_of_document(document, load)


def messages_by_reason(verdict: StepVerdict) -> dict[str, str]:
    return {each.reason: each.message for each in verdict.reasons}


def test_saturated_worker_is_invalid_and_healthy_one_is_not(tmp_path: Path) -> None:
    calm = {"name": "calm", "users": 4, "requests": 300, "thinkTime": CALM}
    full = {"name": "full", "users": 64, "durationSeconds": 3}
    with fast_server() as server:
        plan = make_plan(server, calm, full, workers=1)
        with running(tmp_path, plan, "a\nb\n") as load:
            state = load.wait(lambda state: len(state.unacknowledged) == 2, 40)
            found = [load.fetch(step_run_id) for step_run_id in state.unacknowledged]
    verdict = verdict_of(found[0], calm)
    # A step of a second is too short to be Valid.
    assert (verdict.verdict, messages_by_reason(verdict)) == ("Inconclusive", {})
    # Together the two processes want more than two cores, and get less if others run here.
    reasons = messages_by_reason(verdict_of(found[1], full))
    assert set(reasons) == {"WorkerSaturated"}
    assert "limit 90 %)" in reasons["WorkerSaturated"]
    for worker in found[1].workers:
        assert worker.core_cpu_seconds is not None
        assert 0 < worker.core_cpu_seconds <= worker.cpu_seconds + 0.01
        assert worker.stolen_seconds is not None
        assert 0 <= worker.stolen_seconds <= found[1].seconds


@contextmanager
def cpu_group(milli_cores: int) -> Iterator[Path]:
    """Make a control group that may use so much."""
    folder = CPU_GROUPS / f"solrbench-test-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / "cpu.cfs_period_us").write_text("100000")
        (folder / "cpu.cfs_quota_us").write_text(str(100 * milli_cores))
    except OSError as error:
        pytest.skip(f"no control group of version 1 to be made: {error}")
    try:
        yield folder
    finally:
        for pid in (folder / "cgroup.procs").read_text().split():
            (CPU_GROUPS / "cgroup.procs").write_text(pid)
        folder.rmdir()


def test_throttled_worker_is_invalid(tmp_path: Path) -> None:
    free = {"name": "free", "users": 2, "durationSeconds": 2, "thinkTime": CALM}
    held = {"name": "held", "users": 32, "durationSeconds": 3}
    with fast_server() as server, cpu_group(100) as group:
        plan = make_plan(server, free, held, workers=1)
        with running(tmp_path, plan, "a\nb\n") as load:
            load.wait(lambda state: state.step == "free" and state.requests > 0)
            (group / "cgroup.procs").write_text(str(load.workers[0].pid))
            state = load.wait(lambda state: len(state.unacknowledged) == 2, 40)
            found = [load.fetch(step_run_id) for step_run_id in state.unacknowledged]
            # The group goes when no process is in it.
            load.workers[0].kill()
            load.workers[0].wait()
    (worker,) = found[1].workers
    assert worker.cpu_limit_cores == 0.1
    reasons = messages_by_reason(verdict_of(found[1], held))
    assert set(reasons) == {"WorkerSaturated", "PodThrottled"}
    assert " at 0.1 cores (" in reasons["PodThrottled"]


def test_server_that_ends_is_not_hammered_and_the_step_is_invalid(tmp_path: Path) -> None:
    step = {"name": "alone", "users": 4, "durationSeconds": 5}
    with fast_server() as server, running(tmp_path, make_plan(server, step), "a\n") as load:
        load.wait(lambda state: state.requests > 0)
        server.process.kill()
        load.wait(lambda state: len(state.unacknowledged) == 1)
        document = load.fetch("r1-s0-alone")
    reasons = messages_by_reason(verdict_of(document, step, max_failed_percent=10))
    assert "limit 10 % of the seconds)" in reasons["RequestsFailed"]
    (result,) = document.requests
    # Each user fails at most 11 times in the first second, and once in each of the others.
    assert 4 <= result.failures <= 4 * (11 + 5)
