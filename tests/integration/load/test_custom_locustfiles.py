"""Custom locustfiles in real workers, against a server that counts."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest
import yaml

from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.contract.step_document import RequestResult, SlowRequest, StepRunResult
from solrbench.present.fact_tables import verdict_lines
from solrbench.present.server_tables import slow_lines
from solrbench.stats.histograms import decode
from support.load.custom_locustfiles import FAST, custom_load, custom_plan
from support.load.processes import LATE_SECONDS, measure, sent, serving
from support.results.builders import verdict_of_document
from support.servers.http_server import Exchange, respond_after

pytestmark = pytest.mark.timeout(150)

CLASSES = """
import time
from locust import FastHttpUser, HttpUser, User, constant, task, tag, events
from helpers import word

class Writer(HttpUser):
    weight = 1
    wait_time = constant(0.01)

    @task
    def write(self):
        with self.client.get("/select?q=write", name="write", catch_response=True) as answer:
            if answer.json()["response"]["numFound"] != 99:
                answer.failure("wrong number")

    @tag("slow")
    @task
    def never(self):
        self.client.get("/select?q=never", name="never")

class Reader(HttpUser):
    weight = 2
    wait_time = constant(0.01)

    @task
    def read(self):
        self.client.get("/select?q=" + word(), name="read")

class PartialResults(Exception):
    pass

class Other(User):
    fixed_count = 1
    wait_time = constant(0.01)

    @task
    def compute(self):
        self.environment.events.request.fire(
            request_type="SELF", name="compute", response_time=7.5, response_length=11,
            exception=None, context={},
        )
        self.environment.events.request.fire(
            request_type="SELF", name="half", response_time=-1, response_length=0,
            exception=PartialResults("1 of 2"), context={},
        )

class Streamer(FastHttpUser):
    fixed_count = 1
    wait_time = constant(0.01)

    @task
    def stream(self):
        answer = self.client.get("/select", params={"q": "brook"}, name="stream", stream=True)
        if "numFound" not in "".join(part for part in answer.iter_content()):
            raise AssertionError("another reader has consumed the stream")
        self.environment.events.request.fire(
            request_type="SELF", name="whole stream", response_time=1, response_length=0,
            exception=None, context={},
        )
"""


def shown(slow: SlowRequest) -> tuple[str, str | None, int | None, str | None]:
    return slow.query, slow.node, slow.qtime_milliseconds, slow.failure


def verdict_of(document: StepRunResult) -> StepVerdict:
    steps = [{"name": document.step, "users": 2, "durationSeconds": 2}]
    return verdict_of_document(document, {"workers": 2, "steps": steps})


def named(document: StepRunResult) -> dict[str, int]:
    return {each.request: each.requests for each in document.requests}


def check_slowest(exact: StepRunResult, read: RequestResult, node: str) -> None:
    # None of those that were sent before measuring began is in a list.
    counts = {each.request: len(each.slow_requests) for each in exact.requests}
    assert counts == {"log-in": 0, "read": 10}
    times = [each.service_time_microseconds for each in read.slow_requests]
    assert times == sorted(times, reverse=True)
    assert times[0] == read.max_microseconds
    slowest = ("GET /solr/books/select?q=river", node, 1, None)
    assert {shown(each) for each in read.slow_requests} == {slowest}
    assert all(0 <= each.second <= exact.seconds for each in read.slow_requests)


def test_exact_requests_ramp_warm_up_and_page(tmp_path: Path) -> None:
    with serving() as server:
        plan = custom_plan(
            server,
            {"name": "exact", "users": 5, "requests": 203},
            {"name": "ramp", "users": 4, "spawnRate": 8, "durationSeconds": 1},
            warmUp={"requests": 30, "users": 3},
        )
        with custom_load(tmp_path, plan, FAST) as load:
            state = load.wait(lambda state: state.stage == "Measuring" and state.users == 4, 60)
            assert state.step == "ramp"
            state = load.wait(lambda state: len(state.unacknowledged) == 2, 60)
            exact, ramp = (load.fetch(step_run_id) for step_run_id in state.unacknowledged)
            totals = [
                sum(each.requests + each.ramp_requests for each in document.requests)
                for document in (exact, ramp)
            ]
            load.wait_for_page({"warm-up": 33, "exact": totals[0], "ramp": totals[1]})
            measure(load, *state.unacknowledged)
    assert (exact.users, exact.warm_up_requests) == (5, 30)
    assert named(exact) == {"log-in": 0, "read": 203}
    assert {each.request: each.ramp_requests for each in exact.requests} == {"log-in": 5, "read": 0}
    read = next(each for each in exact.requests if each.request == "read")
    assert decode(read.service_time_histogram).count == 203
    assert sum(window.requests for window in read.windows) == 203
    assert read.bytes_received > 203 * 70
    check_slowest(exact, read, server.url.split("/")[2])
    lines = verdict_lines([verdict_of(exact)])
    for kind in ("Partial", "Empty"):
        assert f"Not decided for exact ({kind}Results): {kind} results were not counted." in lines
    assert [(each.users, each.requests) for each in exact.workers] == [(3, 122), (2, 81)]
    assert named(ramp)["read"] > 50
    assert sum(each.ramp_requests for each in ramp.requests) > 4
    assert 0.9 < ramp.seconds < 1 + LATE_SECONDS
    assert [each.users for each in ramp.workers] == [2, 2]
    asked = sent(server)
    paths = {path for _, path, _ in server.requests}
    assert paths <= {"/solr/books/select", "/solr", "/solr/admin/metrics"}
    # What is under way when the last request is counted is cut off, but Solr has seen it.
    ramped = next(each for each in ramp.requests if each.request == "read")
    counted = 30 + 203 + ramped.requests + ramped.ramp_requests
    assert counted <= asked["river"] <= counted + 3 + 5
    assert asked["hello"] == 3 + 5 + 4


def test_warm_up_ends_when_custom_users_are_steady(tmp_path: Path) -> None:
    windows = {"windows": 4, "windowRequests": 50, "deviationPercent": 50}
    until = {"untilSteady": {"maxSeconds": 900, **windows}, "users": 4}
    with serving(respond_after(0.02)) as server:
        plan = custom_plan(server, {"name": "after", "users": 4, "requests": 100}, warmUp=until)
        with custom_load(tmp_path, plan, FAST) as load:
            after = load.store("r1-s0-after", 90)
            assert load.exit_codes() == [0, 0, 0]
    assert after.warm_up_steady is True
    assert after.warm_up_requests >= 200
    assert sum(each.requests for each in after.warm_up_thousands) == after.warm_up_requests
    assert [each.requests for each in after.thousands] == [100]
    read = next(each for each in after.requests if each.request == "read")
    assert (read.requests, read.partial_results, read.empty_results) == (100, None, None)
    assert all(each.core_cpu_seconds for each in after.workers)
    # A user may begin once more before it learns that the warm-up is closed; what is under way at
    # the end of a step of `requests` is cut off.
    assert 0 <= sent(server)["river"] - after.warm_up_requests - 100 <= 4 + 4


def test_classes_tags_failures_and_users_without_http(tmp_path: Path) -> None:
    with serving() as server:
        step = {"name": "mixed", "users": 8, "durationSeconds": 2}
        plan = custom_plan(server, step, locustfile={"excludeTags": ["slow"]})
        helpers = "def word():\n    return 'lake'\n"
        with custom_load(tmp_path, plan, CLASSES, helpers=helpers) as load:
            load.wait(lambda state: state.stage == "Measuring" and state.users == 8, 60)
            (mixed,) = measure(load, "r1-s0-mixed")
    counts = named(mixed)
    assert counts.keys() == {"compute", "half", "read", "write", "stream", "whole stream"}
    by_name = {each.request: each for each in mixed.requests}
    assert by_name["write"].failures == by_name["write"].requests
    kinds = [(each.kind, each.sample) for each in by_name["write"].failure_kinds]
    assert kinds == [("CheckFailed", "wrong number")]
    assert by_name["read"].failures == by_name["compute"].failures == 0
    assert by_name["compute"].min_microseconds == by_name["compute"].max_microseconds == 7500
    assert by_name["half"].min_microseconds == 0  # no time is below it
    assert by_name["compute"].bytes_received == 11 * counts["compute"]
    # 2 fixed, then 4 readers and 2 writers.
    assert 1.2 < counts["read"] / counts["write"] < 3
    asked = sent(server)
    # A user may begin once more before it learns that the time is over.
    assert 0 <= asked["lake"] - counts["read"] <= 4
    assert 0 <= asked["write"] - counts["write"] <= 2
    assert asked["never"] == 0
    node = server.url.split("/")[2]
    assert {name: {shown(each) for each in r.slow_requests} for name, r in by_name.items()} == {
        "read": {("GET /solr/books/select?q=lake", node, 1, None)},
        "write": {("GET /solr/books/select?q=write", node, 1, "CheckFailed")},
        "compute": {("SELF compute", None, None, None)},
        "half": {("SELF half", None, None, "PartialResults")},
        # Its answer is not read when it is recorded, and must not be.
        "stream": {("GET /solr/books/select?q=brook", node, None, None)},
        "whole stream": {("SELF whole stream", None, None, None)},
    }
    assert 0 <= counts["stream"] - counts["whole stream"] <= 1
    (line,) = [each for each in slow_lines([mixed], 1) if each.startswith("compute: ")]
    assert line.startswith("compute: 7.5 ms in mixed, repeat 1, second ")
    assert line.endswith(": SELF compute")
    # Partial results that the file's own code finds are no gap.
    (partial,) = [each for each in verdict_of(mixed).reasons if each.reason == "PartialResults"]
    count = counts["half"]
    begin = f"{count:,} of {count:,} requests of half had partial results (100 %, limit 0 %). "
    assert partial.message.startswith(begin)


def test_request_under_way_at_the_end_is_finished_and_bad_status_is_a_failure(
    tmp_path: Path,
) -> None:
    async def slow(exchange: Exchange) -> None:
        await asyncio.sleep(0.4)
        exchange.send(b"no", status=503)

    text = FAST.replace("constant(0.01)", "constant(0)").replace("def on_start", "def unused")
    with serving(slow) as server:
        plan = custom_plan(server, {"name": "slow", "users": 3, "durationSeconds": 1}, workers=1)
        with custom_load(tmp_path, plan, text) as load:
            (slow_step,) = measure(load, "r1-s0-slow")
    (result,) = slow_step.requests
    assert result.requests == result.failures == 9
    assert [each.kind for each in result.failure_kinds] == ["HTTP503"]
    assert len([path for _, path, _ in server.requests if "select" in path]) == 9


def test_names_are_bounded(tmp_path: Path) -> None:
    text = """
from itertools import count
from locust import User, task
import gevent

class Chatty(User):
    numbers = count()

    @task
    def speak(self):
        self.environment.events.request.fire(
            request_type="X", name=f"name {next(self.numbers)}", response_time=1,
            response_length=0, exception=None, context={},
        )
        gevent.sleep(0.001)
"""
    with serving() as server:
        plan = custom_plan(server, {"name": "chatty", "users": 4, "requests": 400})
        with custom_load(tmp_path, plan, text) as load:
            (document,) = measure(load, "r1-s0-chatty")
    assert len(document.requests) == 50
    assert sum(named(document).values()) == 400
    assert named(document)["other"] > 250


EXAMPLE = Path(__file__).parents[3] / "examples" / "custom-locustfile.yaml"


def test_example_checks_out(tmp_path: Path) -> None:
    async def solr(exchange: Exchange) -> None:
        found = b'{"responseHeader":{"status":0},"response":{"numFound":1,"docs":[{"id":"7"}]}}'
        exchange.send(b'{"doc":{"id":"7"}}' if exchange.path.endswith("/get") else found)

    files, body = yaml.safe_load_all(EXAMPLE.read_text("utf-8"))
    locustfile = body["spec"]["workload"]["locustfile"]
    with serving(solr) as server:
        step = {"name": "desks", "users": 8, "durationSeconds": 2}
        plan = custom_plan(server, step, locustfile=locustfile)
        data = files["data"]
        with custom_load(tmp_path, plan, data["locustfile.py"], library=data["library.py"]) as load:
            (document,) = measure(load, "r1-s0-desks")
    by_name = {each.request: each for each in document.requests}
    assert by_name.keys() == {"check-out", "find-item", "show-item", "write-loan", "browse"}
    assert {n: e.failure_kinds for n, e in by_name.items() if e.failures} == {}
    counts = {name: each.requests for name, each in by_name.items()}
    slow = {name: {shown(each)[:2] for each in r.slow_requests} for name, r in by_name.items()}
    assert slow["check-out"] == {("transaction check-out", None)}
    assert {each[0].partition("=")[0] for each in slow["show-item"]} == {"GET /solr/books/get?id"}
    written = {each[0] for each in slow["write-loan"]}
    assert written == {"POST /solr/books/update?commitWithin=10000"}
    # What began in time is counted to its end; parts of it that began later are not.
    assert counts["check-out"] == counts["find-item"] >= counts["write-loan"] > 5
    paths = Counter(path for _, path, _ in server.requests)
    assert 0 <= paths["/solr/books/update"] - counts["check-out"] <= 6
