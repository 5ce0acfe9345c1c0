"""The verdict on real workers: healthy, saturated, throttled and without a server."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.harness.processes import CpuQuota, DidNotHappenError, cpu_quota
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.contract.step_document import StepRunResult
from support.load.processes import make_plan, running
from support.results.builders import verdict_of_document
from support.servers.fast_server import fast_server

pytestmark = [pytest.mark.alone, pytest.mark.timeout(60)]

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
    with fast_server(tmp_path) as server:
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


@pytest.fixture
def quota() -> Iterator[CpuQuota]:
    try:
        with cpu_quota() as made:
            yield made
    except DidNotHappenError as error:
        pytest.skip(str(error))


def test_throttled_worker_is_invalid(tmp_path: Path, quota: CpuQuota) -> None:
    free = {"name": "free", "users": 2, "durationSeconds": 2, "thinkTime": CALM}
    held = {"name": "held", "users": 32, "durationSeconds": 3}
    quota.limit(0.1)
    with fast_server(tmp_path) as server:
        plan = make_plan(server, free, held, workers=1)
        with running(tmp_path, plan, "a\nb\n") as load:
            # It starts free, as imports alone would take ten seconds of its quota.
            load.wait(lambda state: state.workers == 1)
            quota.add(load.workers[0].pid)
            load.wait(lambda state: len(state.unacknowledged) == 2, 40)
            document = load.fetch("r1-s1-held")
    (worker,) = document.workers
    assert worker.cpu_limit_cores == 0.1
    reasons = messages_by_reason(verdict_of(document, held))
    assert set(reasons) == {"WorkerSaturated", "PodThrottled"}
    assert " at 0.1 cores (" in reasons["PodThrottled"]


def test_server_that_ends_is_not_hammered_and_the_step_is_invalid(tmp_path: Path) -> None:
    step = {"name": "alone", "users": 4, "durationSeconds": 5}
    with fast_server(tmp_path) as server, running(tmp_path, make_plan(server, step), "a\n") as load:
        load.wait(lambda state: state.requests > 0)
        os.kill(server.pid, signal.SIGKILL)
        load.wait(lambda state: len(state.unacknowledged) == 1)
        document = load.fetch("r1-s0-alone")
    reasons = messages_by_reason(verdict_of(document, step, max_failed_percent=10))
    assert "limit 10 % of the seconds)" in reasons["RequestsFailed"]
    (result,) = document.requests
    # Each user fails at most 11 times in the first second, and once in each of the others.
    assert 4 <= result.failures <= 4 * (11 + 5)
