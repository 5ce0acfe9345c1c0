import asyncio
import logging
import random
from collections.abc import Callable

import pytest

from solrbench.dataset.errors import IndexingError
from solrbench.dataset.retries import RetryPolicy, log_retries
from solrbench.reasons.indexing import IndexingReason

LATE = IndexingError(IndexingReason.SOLR_UNAVAILABLE, "busy", permanent=False)
WRONG = IndexingError(IndexingReason.DOCUMENT_REFUSED, "no such field", permanent=True)
AT_ONCE = RetryPolicy(3, 0.0, 0.0, 0.0)


class Action:
    """Fails in turn with each of `failures`, then returns the number of calls."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.calls = 0

    def __call__(self) -> int:
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return self.calls

    async def awaited(self) -> int:
        return self()


def run(action: Action, policy: RetryPolicy = AT_ONCE) -> int:
    return policy.call(action)


def run_async(action: Action, policy: RetryPolicy = AT_ONCE) -> int:
    return asyncio.run(policy.call_async(action.awaited))


both = pytest.mark.parametrize("call", [run, run_async])
Call = Callable[[Action], int]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the waits, which end at once."""
    found: list[float] = []
    monkeypatch.setattr("tenacity.nap.time.sleep", found.append)
    return found


@pytest.mark.parametrize(
    ("attempt", "shortest", "longest"),
    [(1, 0.5, 1.5), (2, 1.0, 2.0), (4, 4.0, 5.0), (6, 15.0, 15.0), (20, 15.0, 15.0)],
)
def test_waits_double_up_to_the_longest(
    attempt: int, shortest: float, longest: float, waits: list[float]
) -> None:
    random.seed(1)
    runs = 200 if shortest < longest else 5
    for _ in range(runs):
        run(Action(*[LATE] * attempt), RetryPolicy(attempt))
    last = waits[attempt - 1 :: attempt]
    assert len(last) == runs
    assert shortest <= min(last) < shortest * 1.02
    assert longest * 0.98 < max(last) <= longest


def test_the_same_seed_waits_the_same(waits: list[float]) -> None:
    for _ in range(2):
        random.seed(7)
        run(Action(LATE, LATE))
        run(Action(LATE, LATE), RetryPolicy())
    assert waits[:4] == waits[4:]
    assert waits[2] != 0.5


@both
def test_failures_that_may_pass_are_retried(call: Call) -> None:
    assert call(Action(LATE, LATE, LATE)) == 4


@both
def test_the_last_failure_is_raised_after_all_retries(call: Call) -> None:
    failures = [
        IndexingError(IndexingReason.INTERRUPTED, str(n), permanent=False) for n in range(5)
    ]
    action = Action(*failures)
    with pytest.raises(IndexingError, match="3") as caught:
        call(action)
    assert caught.value is failures[3]
    assert action.calls == 4


@both
@pytest.mark.parametrize("failure", [WRONG, ValueError("a bug")])
def test_nothing_else_is_retried(call: Call, failure: Exception) -> None:
    action = Action(LATE, failure)
    with pytest.raises(type(failure)) as caught:
        call(action)
    assert caught.value is failure
    assert action.calls == 2


def test_a_call_that_is_cancelled_is_not_retried() -> None:
    calls = 0

    async def cancel() -> None:
        called = asyncio.Event()

        async def hang() -> None:
            nonlocal calls
            calls += 1
            called.set()
            await asyncio.get_running_loop().create_future()

        task = asyncio.create_task(AT_ONCE.call_async(hang))
        await called.wait()
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())
    assert calls == 1


@both
def test_each_retry_is_logged(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    log_retries()
    with caplog.at_level(logging.WARNING):
        call(Action(LATE, LATE))
    assert caplog.messages == [f"retry {n} in 0.0 s: {LATE}" for n in (1, 2)]
