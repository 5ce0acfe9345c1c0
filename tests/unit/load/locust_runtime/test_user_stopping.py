from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from solrbench.load.locust_runtime.user_stopping import stop_users_in_parts

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
