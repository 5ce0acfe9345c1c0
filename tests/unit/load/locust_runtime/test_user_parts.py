import json
import subprocess
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from solrbench.load.locust_runtime.user_parts import start_users_in_parts, stop_users_in_parts

PROGRAM = """
from functools import partial
from locust.env import Environment
from locust.runners import LocalRunner
import gevent, json
from solrbench.load.locust_runtime.placeholder_user import USER_CLASS, placeholder_user_class
from solrbench.load.locust_runtime.user_parts import start_users_in_parts

runner = LocalRunner(Environment(user_classes=[placeholder_user_class(lambda: None)]))
start_users_in_parts(runner, partial(gevent.sleep, 0))
turns = [0]

def count_turns():
    while True:
        turns[0] += 1
        gevent.sleep(0)

gevent.spawn(count_turns)
gevent.sleep(0)
before = turns[0]
runner.spawn_users({USER_CLASS: 1000})
print(json.dumps([turns[0] - before, runner.user_count]))
"""

Calls = list[dict[str, int] | str]


def stopped(counts: dict[str, int], stop_timeout: float | None) -> Calls:
    calls: Calls = []
    environment = SimpleNamespace(stop_timeout=stop_timeout)
    runner = SimpleNamespace(environment=environment, stop_users=calls.append)
    stop_users_in_parts(runner, nullcontext(), lambda: calls.append("pause"))
    runner.stop_users(counts)
    return calls


@pytest.mark.parametrize(
    ("count", "parts"), [(0, []), (1, [1]), (200, [200]), (201, [200, 1]), (450, [200, 200, 50])]
)
def test_others_run_between_parts(count: int, parts: list[int]) -> None:
    calls = stopped({"A": count, "B": 1}, None)
    assert calls[:-2:2] == [{"A": part} for part in parts]
    assert calls[-2:] == [{"B": 1}, "pause"]
    assert calls[1::2] == ["pause"] * (len(parts) + 1)


def test_users_that_are_given_time_stop_together() -> None:
    assert stopped({"A": 1000, "B": 1}, 3.0) == [{"A": 1000, "B": 1}]


@pytest.mark.parametrize(
    ("count", "parts"), [(0, []), (1, [1]), (200, [200]), (450, [200, 200, 50])]
)
def test_others_run_between_parts_of_users_that_start(count: int, parts: list[int]) -> None:
    calls: list[object] = []

    def start(counts: dict[str, int], wait: bool = False) -> list[str]:
        calls.append((counts, wait))
        return ["user"] * sum(counts.values())

    runner = SimpleNamespace(spawn_users=start)
    start_users_in_parts(runner, lambda: calls.append("pause"))
    assert len(runner.spawn_users({"A": count}, True)) == count
    assert calls[:-1:2] == [({"A": part}, False) for part in parts]
    assert calls[1:-1:2] == ["pause"] * len(parts)
    assert calls[-1] == ({}, True)


@pytest.mark.slow
def test_real_users_start_while_other_greenlets_run() -> None:
    """In a process of its own: importing Locust patches the one it is in."""
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, timeout=60
    )
    turns, users = json.loads(finished.stdout)
    assert turns >= 4
    assert users == 1000
