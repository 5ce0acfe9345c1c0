"""A real master and real workers on loopback, against a server that counts."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx2 as httpx
import pytest

from bench.servers.running import free_port
from solrbench.stats.histograms import decode
from support.load.processes import (
    LATE_SECONDS,
    SOURCES,
    make_plan,
    measure,
    running,
    sent,
    serving,
    wait_for_handler,
)

pytestmark = pytest.mark.timeout(90)


def test_run_from_first_worker_to_last_acknowledgement(tmp_path: Path) -> None:
    queries = [f"word{number}" for number in range(97)]
    with serving() as server:
        plan = make_plan(
            server,
            {"name": "exact", "users": 5, "requests": 1001},
            {"name": "ramp", "users": 4, "spawnRate": 8, "durationSeconds": 1},
            warmUp={"requests": 50, "users": 3},
        )
        with running(tmp_path, plan, "\n".join(queries)) as load:
            state = load.wait(lambda state: len(state.unacknowledged) == 2)
            assert state.unacknowledged == ["r1-s0-exact", "r1-s1-ramp"]
            exact, ramp = (load.fetch(step_run_id) for step_run_id in state.unacknowledged)
            ramped = ramp.requests[0].requests + ramp.requests[0].ramp_requests
            load.wait_for_page({"warm-up": 50, "exact": 1001, "ramp": ramped})
            assert (load.results / "r1-s0-exact.json").exists()
            assert load.acknowledge("r1-s0-exact") == 204
            assert load.acknowledge("r1-s0-exact") == 204
            assert not (load.results / "r1-s0-exact.json").exists()
            assert load.http.get("/solrbench/results/r1-s0-exact").status_code == 404
            assert load.acknowledge("r9-s9-never") == 404
            assert load.master.poll() is None
            assert load.acknowledge("r1-s1-ramp") == 204
            assert load.exit_codes() == [0, 0, 0]
    (result,) = exact.requests
    assert (exact.attempt, exact.users, exact.warm_up_requests) == (2, 5, 50)
    assert (result.requests, result.failures) == (1001, 0)
    assert decode(result.service_time_histogram).count == 1001
    assert [worker.users for worker in exact.workers] == [3, 2]
    assert exact.seconds > 0
    assert ramp.requests[0].ramp_requests > 0
    # A busy machine may begin to measure late, and ends on time.
    assert 0 < ramp.seconds < 1 + LATE_SECONDS
    asked = [path for _, path, _ in server.requests if path == "/solr/books/select"]
    assert len(asked) == 50 + 1001 + ramped


def test_variants_take_turns_with_the_same_requests(tmp_path: Path) -> None:
    queries = [f"word{number}" for number in range(23)]
    endpoints, repeats = ("raw", "proxy"), (1, 2)
    with serving() as raw, serving() as proxy:
        low = {"name": "low", "users": 2, "requests": 40}
        up = {"name": "up", "users": 4, "requests": 60}
        plan = make_plan(raw, warmUp={"requests": 20, "users": 2})
        plan["variants"] = [
            {"variant": name, "urls": [each.url]}
            for name, each in zip(endpoints, (raw, proxy), strict=True)
        ]
        plan["stepRuns"] = [
            {
                "id": f"r{repeat}-v{place}-s{number}-{step['name']}",
                "repeat": repeat,
                "variant": variant,
                "step": step,
            }
            for repeat in repeats
            for place, variant in enumerate(endpoints)
            for number, step in enumerate([low, up])
        ]
        ids = [each["id"] for each in plan["stepRuns"]]
        with running(tmp_path, plan, "\n".join(queries)) as load:
            load.wait(lambda state: state.variant == "proxy")
            load.wait(lambda state: len(state.unacknowledged) == len(ids))
            load.wait_for_page(
                {
                    f"{step} ({variant})": 2 * requests
                    for variant in endpoints
                    for step, requests in {"warm-up": 20, "low": 40, "up": 60}.items()
                }
            )
            found = measure(load, *ids)
    assert [each.variant for each in found] == ["raw", "raw", "proxy", "proxy"] * 2
    assert [each.warm_up_requests for each in found] == [20, 0] * 4
    starts = [each.start_time for each in found]
    assert starts == sorted(starts)
    asked = [sent(each) for each in (raw, proxy)]
    assert asked[0].total() == 2 * (20 + 40 + 60)
    assert asked[0] == asked[1]


def test_every_endpoint_is_probed_before_the_first_step_run(tmp_path: Path) -> None:
    with serving() as server:
        plan = make_plan(server, {"name": "any", "users": 1, "requests": 1}, workers=1)
        closed = f"http://127.0.0.1:{free_port()}/solr"
        plan["variants"] = [
            {"variant": "raw", "urls": [server.url]},
            {"variant": "proxy", "urls": [closed]},
        ]
        with running(tmp_path, plan, "a\n", **{"target-seconds": 1}) as load:
            assert load.exit_codes(20) == [4, 4]
            log = (tmp_path / "log").read_text()
            assert "TargetUnreachable: none of 1 nodes of variant proxy responded" in log
            assert closed in log


def test_worker_killed_in_the_middle_fails_the_run_but_not_what_is_finished(tmp_path: Path) -> None:
    with serving() as server:
        plan = make_plan(
            server,
            {"name": "short", "users": 2, "requests": 10},
            {"name": "long", "users": 2, "durationSeconds": 60},
        )
        with running(tmp_path, plan, "a\nb\n") as load:
            load.wait(lambda state: state.step == "long" and state.requests > 0)
            load.workers[0].send_signal(signal.SIGKILL)
            state = load.wait(lambda state: state.stage == "Failed", 20)
            assert (state.reason, state.unacknowledged) == ("WorkerLost", ["r1-s0-short"])
            assert load.workers[1].wait(5) == 4
            assert load.fetch("r1-s0-short").requests[0].requests == 10
            assert load.acknowledge("r1-s0-short") == 204
            assert load.exit_codes() == [4, -signal.SIGKILL, 4]


def test_sigterm_ends_each_process_at_once(tmp_path: Path) -> None:
    with serving() as server:
        plan = make_plan(server, {"name": "long", "users": 4, "durationSeconds": 60})
        with running(tmp_path, plan, "a\n") as load:
            load.wait(lambda state: state.stage == "Measuring")
            load.workers[0].terminate()
            assert load.workers[0].wait(10) == 143
            state = load.wait(lambda state: state.stage == "Failed", 10)
            assert state.reason == "WorkerLost"


def test_sigterm_ends_a_worker_that_waits_for_its_master(tmp_path: Path) -> None:
    with serving() as server:
        plan = make_plan(server, {"name": "any", "users": 1, "requests": 1}, workers=1)
    with running(tmp_path, plan, "a\n") as load:
        load.master.kill()
        wait_for_handler(load.workers[0].pid, signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            load.workers[0].wait(3)
        load.workers[0].terminate()
        assert load.workers[0].wait(2) == 143


@pytest.mark.parametrize("content", ["", '{"benchmark": 3}'])
def test_plan_that_cannot_be_read_fails_for_good(tmp_path: Path, content: str) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(content)
    ran = subprocess.run(
        [sys.executable, "-m", "solrbench.load", "worker", "--plan", str(plan)],
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert ran.returncode == 3
    assert f"BadPlan: cannot read {plan}" in ran.stderr


@pytest.mark.parametrize(
    ("queries", "reason"), [("# nothing\n", "NoQueries"), ('{"q":\n', "MalformedQueries")]
)
def test_bad_queries_fail_for_good(tmp_path: Path, queries: str, reason: str) -> None:
    with serving() as server:
        plan = make_plan(server, {"name": "any", "users": 1, "requests": 1}, workers=1)
        with running(tmp_path, plan, queries) as load:
            assert load.exit_codes(20) == [3, 3]
            assert reason in (tmp_path / "log").read_text()
        assert server.requests == []


def test_start_does_nothing_and_who_has_not_the_token_takes_no_part(tmp_path: Path) -> None:
    with serving() as server:
        plan = make_plan(server, {"name": "long", "users": 2, "durationSeconds": 60}, workers=1)
        with running(tmp_path, plan, "a\n") as load:
            load.wait(lambda state: state.stage == "Measuring" and state.users == 2)
            load.plan.write_text(json.dumps(plan | {"token": "another"}))
            stranger = load.start("worker")
            try:
                state = load.wait(lambda state: state.refused > 0)
                assert (state.stage, state.workers) == ("Measuring", 1)
            finally:
                stranger.kill()
                stranger.wait()
            with httpx.Client(base_url=load.http.base_url, trust_env=False) as browser:
                assert browser.post("/stop").status_code == 401
                assert browser.get("/solrbench/state").status_code == 401
                assert load.wait(lambda state: state.refused > 2).stage == "Measuring"
                opened = browser.get("/", params={"token": plan["token"]}, follow_redirects=True)
                assert "tests/small" in opened.text
                refused = load.http.post("/swarm", data={"user_count": 100, "spawn_rate": 100})
                assert refused.json()["success"] is False
                browser.post("/stop")
            assert load.exit_codes() == [3, 4]


def test_workers_end_when_their_master_is_gone(tmp_path: Path) -> None:
    with serving() as server:
        plan = make_plan(server, {"name": "long", "users": 2, "durationSeconds": 60})
        with running(tmp_path, plan, "a\n") as load:
            load.wait(lambda state: state.stage == "Measuring")
            load.master.kill()
            assert load.exit_codes(25)[1:] == [4, 4]
