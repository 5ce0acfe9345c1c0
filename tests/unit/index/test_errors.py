import asyncio
import json
import logging
import random
from collections.abc import Callable

import pytest

from solrbench.index.errors import IndexingError, RetryPolicy, log_retries, parse_failure
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import LifecycleReason
from support.narrowing import not_none

# the answer of Solr 9.10.1 to a document with a bad number
REFUSED = {
    "responseHeader": {"status": 400, "QTime": 2},
    "error": {
        "metadata": ["error-class", "org.apache.solr.common.SolrException"],
        "msg": "ERROR: [doc=q] Error adding field 'n_i'='abc' msg=For input string: \"abc\"",
        "code": 400,
    },
}


# of a chain with TolerantUpdateProcessorFactory
TOLERATED = (
    b'{"responseHeader":{"errors":[{"type":"ADD","id":"2","message":"ERROR: [doc=2] unknown field'
    b' \'x\'"}],"maxErrors":-1,"status":0,"QTime":9}}'
)


@pytest.mark.parametrize("more", ['"rf":1', '"errors":[],"maxErrors":-1'])
def test_accepted_update_is_no_failure(more: str) -> None:
    body = f'{{"responseHeader":{{{more},"status":0,"QTime":9}}}}'
    assert parse_failure(200, body.encode(), "core") is None


def test_refused_document_is_named_in_solrs_words() -> None:
    failure = not_none(parse_failure(400, json.dumps(REFUSED).encode(), "http://n/solr/c"))
    assert failure.reason is IndexingReason.DOCUMENT_REFUSED
    assert failure.permanent
    assert "http://n/solr/c: HTTP 400: ERROR: [doc=q] Error adding field 'n_i'" in str(failure)
    assert "spec.collection.configSet" in str(failure)


@pytest.mark.parametrize(
    ("status", "body", "remedy"),
    [
        (409, b'{"error":{"msg":"version conflict for a expected=17 actual=-1"}}', "_version_"),
        (413, b"<html>413 Request Entity Too Large</html>", "indexing.batchSize"),
        (200, TOLERATED, "'message': \"ERROR: [doc=2] unknown field 'x'\"}]; correct the document"),
    ],
)
def test_what_no_retry_cures_has_a_remedy_of_its_own(status: int, body: bytes, remedy: str) -> None:
    failure = not_none(parse_failure(status, body, "core"))
    assert (failure.reason, failure.permanent) == (IndexingReason.DOCUMENT_REFUSED, True)
    assert remedy in str(failure)


REFUSED_LOGIN = (LifecycleReason.AUTHENTICATION_FAILED, True, "target.existing.basicAuth.secret")
REDIRECTED = (LifecycleReason.REDIRECT_REFUSED, True, "redirects are not followed")
BUSY = (IndexingReason.SOLR_UNAVAILABLE, False, ": <html>down</html>")


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((status, REFUSED_LOGIN) for status in (401, 403)),
        *((status, REDIRECTED) for status in (301, 302, 307, 308)),
        *((status, BUSY) for status in (404, 408, 409, 429, 500, 502, 503, 504)),
    ],
)
def test_status_says_whether_trying_again_helps(
    status: int, expected: tuple[Reason, bool, str]
) -> None:
    failure = not_none(parse_failure(status, b"<html>down</html>", "core"))
    assert (failure.reason, failure.permanent) == expected[:2]
    assert f"core: HTTP {status}" in str(failure)
    assert expected[2] in str(failure)


MANY_VALUES = b'{"responseHeader":{"status":0},"x":[%s{}]}' % (b"{}," * 300_000)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"OK", b"[]", b"{}", b'{"responseHeader":{"status":-1}}', b'{"responseHeader":1}'),
        pytest.param(MANY_VALUES, id="more values than are read"),
    ],
)
def test_200_without_solrs_word_is_no_success(body: bytes) -> None:
    failure = not_none(parse_failure(200, body, "core"))
    assert (failure.reason, failure.permanent) == (IndexingReason.SOLR_UNAVAILABLE, False)


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


def run_async(action: Action) -> int:
    return asyncio.run(AT_ONCE.call_async(action.awaited))


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
    why = IndexingReason.INTERRUPTED
    failures = [IndexingError(why, str(n), permanent=False) for n in range(5)]
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
