"""Workers killed in the middle of a step whose users go to the others."""

import signal
from pathlib import Path
from typing import Any

import pytest

from solrbench.contract.step_document import StepRunResult
from solrbench.stats.histograms import decode
from support.load.custom_locustfiles import FAST, custom_load, custom_plan
from support.load.processes import GOES_ON, SOON, kill_one, make_plan, running, sent, serving

pytestmark = pytest.mark.timeout(150)


def measured(document: StepRunResult) -> int:
    (result,) = document.requests
    assert decode(result.service_time_histogram).count == result.requests
    assert sum(each.requests for each in document.workers) == result.requests
    return result.requests


def test_users_of_a_lost_worker_go_to_the_other_and_a_new_worker_joins(tmp_path: Path) -> None:
    think = {"thinkTime": {"constantMilliseconds": 20}}
    with serving() as server:
        plan = make_plan(
            server,
            {"name": "first", "users": 5, "durationSeconds": 24, **think},
            {"name": "second", "users": 5, "requests": 50},
            **GOES_ON,
        )
        with running(tmp_path, plan, "a\nb\n", **SOON) as load:
            load.wait(lambda state: state.step == "first" and state.requests > 100, 60)
            kill_one(load)
            state = load.wait(lambda state: (state.workers, state.users) == (1, 5), 12)
            assert state.stage == "Measuring"
            load.workers.append(load.start("worker"))
            load.wait(lambda state: state.workers == 2 and state.step == "first", 60)
            first, second = (load.store(each) for each in ("r1-s0-first", "r1-s1-second"))
            assert load.exit_codes() == [0, -signal.SIGKILL, 0, 0]
    assert [each.users for each in first.workers] == [5]
    assert len(first.lost_workers) == 1
    assert first.requests[0].failures == 0
    # What the lost one measured is missing, and nothing else.
    assert measured(first) + 50 < sent(server).total()
    assert [each.users for each in second.workers] == [3, 2]
    assert (measured(second), second.lost_workers) == (50, [])


def test_step_of_requests_is_repeated_by_who_is_left(tmp_path: Path) -> None:
    think = {"thinkTime": {"constantMilliseconds": 50}}
    with serving() as server:
        plan = make_plan(server, {"name": "exact", "users": 3, "requests": 400, **think}, **GOES_ON)
        queries = "\n".join(f"w{n}" for n in range(400))
        with running(tmp_path, plan, queries, **SOON) as load:
            load.wait(lambda state: state.requests > 20, 60)
            kill_one(load)
            exact = load.store("r1-s0-exact", 40)
            assert load.exit_codes() == [0, -signal.SIGKILL, 0]
    assert (measured(exact), exact.lost_workers) == (400, [])
    assert [each.users for each in exact.workers] == [3]
    asked = sent(server)
    assert asked.total() > 400
    # The one that is left sends each query of the list once.
    assert set(asked) == {f"w{n}" for n in range(400)}


def test_arrivals_are_planned_again_for_the_remaining_workers(tmp_path: Path) -> None:
    with serving() as server:
        step = {"requestsPerSecond": 50, "arrivalDistribution": "Uniform", "durationSeconds": 10}
        plan = make_plan(server, {"name": "planned", **step}, **GOES_ON)
        with running(tmp_path, plan, "a\nb\n", **SOON) as load:
            load.wait(lambda state: state.requests > 20, 60)
            kill_one(load)
            planned = load.store("r1-s0-planned")
            assert load.exit_codes() == [0, -signal.SIGKILL, 0]
    assert (measured(planned), planned.planned_requests, planned.lost_workers) == (500, 500, [])
    assert [each.users for each in planned.workers] == [1]
    assert sent(server).total() > 500


def test_custom_step_of_requests_is_repeated_too(tmp_path: Path) -> None:
    with serving() as server:
        plan = custom_plan(server, {"name": "exact", "users": 5, "requests": 2000}, **GOES_ON)
        with custom_load(tmp_path, plan, FAST, SOON) as load:
            load.wait(lambda state: state.requests > 50, 60)
            kill_one(load)
            exact = load.store("r1-s0-exact")
            assert load.exit_codes() == [0, -signal.SIGKILL, 0]
    read = next(each for each in exact.requests if each.request == "read")
    assert (read.requests, exact.lost_workers) == (2000, [])
    assert [each.users for each in exact.workers] == [5]


@pytest.mark.parametrize("mode", [{}, GOES_ON], ids=["RepeatStep", "Redistribute"])
def test_custom_users_of_a_lost_worker(tmp_path: Path, mode: dict[str, Any]) -> None:
    with serving() as server:
        step = {"name": "long", "users": 5, "durationSeconds": 12}
        with custom_load(tmp_path, custom_plan(server, step, **mode), FAST, SOON) as load:
            load.wait(lambda state: state.stage == "Measuring" and state.requests > 50, 60)
            kill_one(load)
            if not mode:
                state = load.wait(lambda state: state.stage == "Failed", 15)
                assert (state.reason, state.unacknowledged) == ("WorkerLost", [])
                return
            state = load.wait(lambda state: (state.workers, state.users) == (1, 5), 12)
            assert state.stage == "Measuring"
            document = load.store("r1-s0-long")
            assert load.exit_codes() == [0, -signal.SIGKILL, 0]
    assert [each.users for each in document.workers] == [5]
    assert len(document.lost_workers) == 1
    read = next(each for each in document.requests if each.request == "read")
    assert read.requests < sent(server)["river"]
