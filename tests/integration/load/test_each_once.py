"""Queries that are to be sent once, while masters and workers are killed."""

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import StepRunId
from solrbench.decide.load import plan_resumption
from support.load.processes import (
    GOES_ON,
    SOON,
    Load,
    kill_one,
    make_plan,
    run_plan,
    running,
    sent,
    serving,
)
from support.servers.http_server import HttpServer

pytestmark = pytest.mark.timeout(150)

QUERIES = "\n".join(f"word{number}" for number in range(3000))
SLOWLY = {"users": 3, "thinkTime": {"constantMilliseconds": 20}}
FIRST = {"name": "first", "users": 3, "requests": 100}
LAST = {"name": "last", "users": 4, "requests": 60}


def each_once(server: HttpServer, *steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
    plan = make_plan(server, *steps, **fields) | {"attempt": 1}
    plan["workload"]["queries"]["order"] = "Once"
    return plan


def begun_again(plan: dict[str, Any], stored: Sequence[StepRunResult]) -> dict[str, Any]:
    """Return the plan of the next attempt, as the operator makes it."""
    done = {each.id for each in stored}
    left = [each for each in plan["stepRuns"] if each["id"] not in done]
    first = StepRunId(1, 0, len(stored), left[0]["step"]["name"])
    assert str(first) == left[0]["id"]
    attempt = plan["attempt"] + 1
    resumption = plan_resumption(first, stored, attempt, 1).model_dump(by_alias=True)
    return plan | {"attempt": attempt, "stepRuns": left, "resumption": resumption}


def kill_all(load: Load) -> None:
    """Lose the master and remove its workers, as the operator does before it begins again."""
    for each in (load.master, *load.workers):
        each.send_signal(signal.SIGKILL)
        assert each.wait(5) == -signal.SIGKILL


def lose_in_step(
    folder: Path, server: HttpServer, step: dict[str, Any]
) -> tuple[dict[str, Any], list[StepRunResult]]:
    """Lose a master in the second step; return the plan of the next one, and what was stored."""
    warm_up = {"requests": 50, "users": 2}
    plan = each_once(server, FIRST, {"name": "cut", **step}, LAST, warmUp=warm_up)
    with running(folder, plan, QUERIES) as load:
        stored = [load.store("r1-s0-first")]
        load.wait(lambda state: state.step == "cut" and state.requests > 60, 20)
        kill_all(load)
    return begun_again(plan, stored), stored


def lose_before_stored(folder: Path, plan: dict[str, Any], stored: Sequence[StepRunResult]) -> Any:
    """Lose a master that waits to be rid of its first document; return the plan of the next."""
    with running(folder, plan, QUERIES) as load:
        state = load.wait(lambda state: state.stage == "Storing", 40)
        assert (state.unacknowledged, state.step) == (["r1-s1-cut"], None)
        kill_all(load)
    return begun_again(plan, stored)


@pytest.mark.parametrize(
    ("step", "twice"),
    [(SLOWLY | {"requests": 300}, True), ({"requestsPerSecond": 100, "durationSeconds": 3}, False)],
    ids=["requests", "rate"],
)
def test_no_query_is_sent_twice_though_masters_are_lost(
    tmp_path: Path, step: dict[str, Any], twice: bool
) -> None:
    with serving() as server:
        plan, stored = lose_in_step(tmp_path, server, step)
        if twice:
            plan = lose_before_stored(tmp_path, plan, stored)
        before = sent(server).total()
        cut, last = run_plan(tmp_path, plan, QUERIES)
        asked = sent(server)
    assert before > 150 + 60 + (350 if twice else 0)
    assert max(asked.values()) == 1
    # The warm-up was sent again, with other queries.
    assert asked.total() == before + 50 + cut.requests[0].requests + last.requests[0].requests
    assert (cut.attempt, last.requests[0].requests) == (3 if twice else 2, 60)
    assert last.list_offsets == [cut.list_offsets[0] + 60]
    for each in (*stored, cut, last):
        assert (each.queries_may_repeat, each.queries_exhausted) == (False, False)


def test_steps_of_any_number_of_requests_say_that_queries_may_come_twice(tmp_path: Path) -> None:
    with serving() as server:
        plan, stored = lose_in_step(tmp_path, server, SLOWLY | {"durationSeconds": 2})
        stored += run_plan(tmp_path, plan, QUERIES)
        asked = sent(server)
    assert max(asked.values()) > 1
    assert [each.queries_may_repeat for each in stored] == [False, True, True]


def test_those_left_begin_a_step_again_with_other_queries(tmp_path: Path) -> None:
    with serving() as server:
        plan = each_once(server, {"name": "exact", "requests": 400, **SLOWLY}, LAST, **GOES_ON)
        with running(tmp_path, plan, QUERIES, **SOON) as load:
            load.wait(lambda state: state.requests > 60, 60)
            kill_one(load)
            stored = [load.store("r1-s0-exact"), load.store("r1-s1-last")]
            assert load.exit_codes() == [0, -signal.SIGKILL, 0]
        asked = sent(server)
    assert max(asked.values()) == 1
    assert asked.total() > 460
    assert [each.requests[0].requests for each in stored] == [400, 60]
    assert [each.list_offsets for each in stored] == [[800], [860]]
    assert [each.queries_may_repeat for each in stored] == [False, False]
