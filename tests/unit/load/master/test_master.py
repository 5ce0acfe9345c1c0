"""A master in a process of its own: importing Locust patches the one it is in."""

import pytest

from support.load.own_process import run_python

pytestmark = pytest.mark.slow

CRASH = """
import json, sys
from types import SimpleNamespace
from gevent.event import AsyncResult
from solrbench.load.master import master

calls = []

def note(name):
    return lambda *given: calls.append([name, *map(str, given)])

def crash():
    raise ValueError("unexpected")

master.write_termination_message = note("termination message")
one = master.Master.__new__(master.Master)
one._ended = AsyncResult()
one._settings = SimpleNamespace(unacknowledged_seconds=60)
one._store = SimpleNamespace(wait_until_empty=note("wait until stored"))
one._worker_pool = SimpleNamespace(shut_down=note("shut down"), fail=note("fail"))
one._coordinator = SimpleNamespace(run=crash, status=SimpleNamespace(fail=note("state")))
master.gevent.spawn(one._run_plan).link_exception(one._crashed)
code = one._ended.get(timeout=10)
json.dump([code, calls], sys.stdout)
"""


def test_results_are_offered_although_the_run_met_an_unexpected_error() -> None:
    code, calls = run_python("-c", CRASH)
    failure = "LoadMasterFailed: ValueError('unexpected')"
    assert code == 4
    assert calls == [
        ["fail", failure],
        ["state", failure],
        ["termination message", failure],
        ["shut down", "4"],
        ["wait until stored", "60"],
    ]
