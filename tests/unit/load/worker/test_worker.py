"""A worker in a process of its own: importing Locust patches the one it is in."""

import random

import pytest

from support.load.own_process import run_python

pytestmark = pytest.mark.slow

PROGRAM = """
import json, sys
from locust.stats import RequestStats
from solrbench.load.worker.worker import add_to_locust_stats
from solrbench.load.recording.request_stats import RequestTotals
from solrbench.stats.histograms import buckets_of
from collections import Counter

stats = RequestStats()
times = json.load(sys.stdin)
for start in range(0, len(times), 1000):
    some = times[start:start + 1000]
    second = RequestTotals(len(some), 3, 50_000, sum(some), min(some), max(some),
                    Counter(buckets_of(some)), Counter({"HTTP503": 2, "Timeout": 1}))
    add_to_locust_stats(stats, "storm", "query", second, 1_700_000_000.5 + start / 1000)
entry = stats.entries["query", "storm"]
json.dump({
    "entry": entry.to_dict(),
    "percentiles": [entry.get_response_time_percentile(p) for p in (0.5, 0.95, 0.99)],
    "total": [stats.total.num_requests, stats.total.num_failures, len(stats.total.response_times)],
    "per_second": list(entry.num_reqs_per_sec.values()),
    "errors": [[e.method, e.name, e.error, e.occurrences] for e in stats.errors.values()],
}, sys.stdout)
"""

ORDER = """
import asyncio, json, sys, traceback
from types import SimpleNamespace
from solrbench.load.worker.worker import Worker
from solrbench.load.engine.engine import Engine
from solrbench.load.engine.virtual_user import ClosedLoopUser
from solrbench.load.master.distributed_step_run import DistributedStepRun
from solrbench.load.schedule.messages import StartMeasuring
from support.load.builders import assignment, target

def note(user):
    frames = traceback.extract_stack()[:-1]
    hops = [frame.name for frame in frames if "/src/solrbench/" in frame.filename]
    json.dump([*hops, "start"], sys.stdout)

ClosedLoopUser.start = note
worker = Worker.__new__(Worker)
worker._pod = None
engine = Engine(target("http://solr:8983/solr"), print, asyncio.new_event_loop())
worker._engine = engine
runner = SimpleNamespace(
    send_message=lambda _, data, client_id: worker._on_command(msg=SimpleNamespace(data=data))
)
step_run = DistributedStepRun(assignment(requests=1), {"a": "pod-a"}, None, runner, None)
step_run.assign()
engine.add_user()
step_run.command(StartMeasuring)
"""


def test_page_shows_what_the_engine_counted() -> None:
    rng = random.Random(3)
    times = [int(rng.lognormvariate(9, 1)) + 1 for _ in range(5000)]
    shown = run_python("-c", PROGRAM, given=times)
    assert shown["total"][:2] == [5000, 15]
    assert shown["total"][2] < 2000
    assert shown["per_second"] == [1000] * 5
    entry = shown["entry"]
    assert (entry["method"], entry["name"]) == ("storm", "query")
    assert entry["avg_response_time"] == pytest.approx(sum(times) / 5000 / 1000)
    ordered = sorted(times)
    for percent, value in zip((0.5, 0.95, 0.99), shown["percentiles"], strict=True):
        # Two digits are kept, and Locust counts ranks its own way.
        assert value == pytest.approx(ordered[int(percent * 5000)] / 1000, rel=0.06)
    assert shown["errors"] == [["storm", "query", "HTTP503", 10], ["storm", "query", "Timeout", 5]]


def test_few_functions_lie_between_the_order_to_measure_and_a_virtual_user() -> None:
    # Locust adds `send_message`, `send_to_client` and, in the worker, `handle_message`.
    hops = ["command", "_on_command", "execute", "start_measuring", "start", "start"]
    assert run_python("-c", ORDER) == hops


def test_only_running_a_command_patches_the_process() -> None:
    program = (
        "import solrbench.load.engine.engine, solrbench.load.master.result_store\n"
        "from gevent import monkey\n"
        "import json, sys\n"
        "print(json.dumps([monkey.is_module_patched('socket'), 'locust' in sys.modules]))\n"
    )
    assert run_python("-c", program) == [False, False]


def test_process_is_patched_before_anything_else_is_imported() -> None:
    """What a module took from an unpatched library would hold up all the greenlets."""
    program = (
        "import json, sys\n"
        "from gevent import monkey\n"
        "patch_all, loaded = monkey.patch_all, []\n"
        "def patch():\n"
        "    loaded.extend(n for n in sys.modules if n.startswith(('solrbench', 'http')))\n"
        "    return patch_all()\n"
        "monkey.patch_all = patch\n"
        "import solrbench.load.__main__\n"
        "print(json.dumps(loaded))\n"
    )
    assert run_python("-c", program) == ["solrbench", "solrbench.load", "solrbench.load.__main__"]
