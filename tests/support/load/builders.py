"""Parts that several tests of the load need."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import httpx2 as httpx
import pytest

from solrbench.api.v1alpha1.arrivals import ThinkTime
from solrbench.api.v1alpha1.request_mix import Expectation, Queries
from solrbench.api.v1alpha1.workload import Workload
from solrbench.contract.load_plan import LoadPlan
from solrbench.load.engine import user_group
from solrbench.load.engine.engine import Engine
from solrbench.load.engine.measurement import EngineReport, ProgressUpdate, UsersReady
from solrbench.load.engine.target import LoadTarget
from solrbench.load.recording.worker_result import WorkerRequestStats, WorkerStepResult
from solrbench.load.schedule.arrivals import ArrivalRate
from solrbench.load.schedule.messages import Assignment, Start, StartMeasuring
from solrbench.load.workload.name_table import RequestNameTable, UncheckedNames
from solrbench.load.workload.query_file import WorkloadQuery, _parse_line
from solrbench.load.workload.request_mix import PreparedWorkload, QuerySource
from solrbench.load.workload.requests import (
    PreparedRequest,
    RequestBuilder,
    RequestExtras,
    prepare_node,
)
from solrbench.load.workload.response_checks import compile_expectation
from solrbench.net.http import NO_AUTH, HttpAuth

# Where only time counts: little work for the processor until it is over.
SHORT_THINK = ThinkTime(constant_milliseconds=5)


def queries_spec(**fields: Any) -> Queries:
    return Queries.model_validate({"configMap": {"name": "queries"}, **fields})


def workload(order: str = "Sequential", **fields: Any) -> Workload:
    return Workload(queries=queries_spec(order=order), **fields)


def plain(*texts: str) -> list[WorkloadQuery]:
    return [WorkloadQuery(None, (("q", text),)) for text in texts]


def assignment(*, think: ThinkTime | None = None, offset: int = 0, **fields: Any) -> Assignment:
    """Return what one worker has to do: by default, one user of one worker at a barrier."""
    given = {
        "key": "r1-s0-calm",
        "repeat": 1,
        "step": "calm",
        "worker": 0,
        "workers": 1,
        "users": 1,
        "start": Start.BARRIER,
        "think_time": think,
        "offsets": [offset],
    }
    return Assignment.model_validate(given | fields)


class RequestList(NamedTuple):
    """All requests of a list, in its order."""

    names: tuple[str, ...]
    requests: list[PreparedRequest]
    unchecked: UncheckedNames


def prepare_requests(spec: Workload, queries: Iterable[WorkloadQuery]) -> RequestList:
    """Return the requests for the queries of a workload of one entry."""
    names = RequestNameTable()
    builder = RequestBuilder(spec, spec.entries[0], names)
    requests = [builder.build(query) for query in queries]
    return RequestList(names.names, requests, names.unchecked)


def parse_lines(lines: Iterable[bytes], file: str) -> Iterator[WorkloadQuery]:
    """Yield the query of each line that has one; `file` names it in errors."""
    for number, raw in enumerate(lines, start=1):
        query = _parse_line(raw, number, file)
        if query is not None:
            yield query


def target(
    *urls: str,
    queries: list[WorkloadQuery] | None = None,
    timeout_seconds: float = 5.0,
    spec: Workload | None = None,
    access: HttpAuth = NO_AUTH,
) -> LoadTarget:
    spec = spec or workload()
    assert spec.queries is not None
    names, requests, unchecked = prepare_requests(spec, queries or plain("a", "b", "c"))
    return LoadTarget(
        requests=PreparedWorkload(
            names, [QuerySource(requests, spec.queries)], unchecked=unchecked
        ),
        seed=spec.queries.seed,
        nodes=[prepare_node(spec, "books", url, access) for url in urls],
        timeout_seconds=timeout_seconds,
    )


def plan_of(workload: Any, **fields: Any) -> LoadPlan:
    """Return a plan of a workload without a step."""
    given = {
        "benchmark": "ns/b",
        "attempt": 1,
        "solrUrls": ["http://node:8983/solr"],
        "collection": "books",
        "workload": workload,
        "workers": 1,
        "stepRuns": [],
        "masterHost": "m",
        "token": "t",
    }
    return LoadPlan.model_validate(given | fields)


def mix_plan(url: str, *entries: dict[str, Any]) -> LoadPlan:
    return plan_of({"mix": entries}, solrUrls=[url])


def write_lists(folder: Path, *texts: str) -> None:
    """Write the files of the entries of a mix, whose key is `lines`."""
    for index, text in enumerate(texts):
        file = folder / f"mix-{index}" / "lines"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


def expecting(**expected: object) -> PreparedRequest:
    """Return a request whose response is expected to be so."""
    extra = None
    if expected:
        extra = RequestExtras(expectation=compile_expectation(Expectation.model_validate(expected)))
    return PreparedRequest(b"", 0, is_readable=True, extra=extra)


def sent_json(request: PreparedRequest) -> Any:
    """Return the JSON body of a request, which must be as long as it says."""
    assert request.extra is not None
    head, body = request.extra.content.split(b"\r\n\r\n")
    assert head == b"Content-Length: %d" % len(body)
    return json.loads(body)


class RecordingListener:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.progress: list[ProgressUpdate] = []
        self.all_ready = asyncio.Event()
        self.outcome: asyncio.Future[WorkerStepResult] = asyncio.get_running_loop().create_future()

    def __call__(self, report: EngineReport) -> None:
        match report:
            case UsersReady():
                self.all_ready.set()
            case ProgressUpdate():
                self.progress.append(report)
            case WorkerStepResult():
                self.outcome.set_result(report)
            case failure:
                raise failure


async def begin_step(what: LoadTarget, duty: Assignment, listener: RecordingListener) -> Engine:
    """Return an engine that measures a step run with all its users at once."""
    engine = Engine(what, listener, asyncio.get_running_loop())
    engine.execute(duty)
    for _ in range(duty.worker_users):
        engine.add_user()
    await asyncio.wait_for(listener.all_ready.wait(), 20)
    engine.execute(StartMeasuring(key=duty.key))
    return engine


async def run_step(
    what: LoadTarget, duty: Assignment, listener: RecordingListener | None = None
) -> WorkerStepResult:
    """Run a whole step run with all its users at once."""
    listener = listener or RecordingListener()
    await begin_step(what, duty, listener)
    return await asyncio.wait_for(listener.outcome, 20)


def access_to(respond: Callable[[httpx.Request], httpx.Response]) -> Any:
    """Return an `HttpAuth` by which a function is reached in place of a server."""
    transport = httpx.MockTransport(respond)
    return SimpleNamespace(open_client=lambda _: httpx.Client(transport=transport))


def do_not_pause(seconds: float) -> None:
    """Stand in for `time.sleep` where nothing is to be waited for."""
    raise AssertionError(f"paused for {seconds} s")


def send_first_at_once(patch: pytest.MonkeyPatch) -> None:
    """Let users that think not wait before their first request."""
    patch.setattr(user_group, "first_wait_seconds", lambda spec, seed: 0.0)


async def until(probe: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not probe():  # noqa: ASYNC110 - servers send no notification
            await asyncio.sleep(0.001)


def only(result: WorkerStepResult) -> WorkerRequestStats:
    assert len(result.requests) == 1
    return result.requests[0]


def kinds(result: WorkerStepResult) -> dict[str, int]:
    return {each.kind: each.count for each in only(result).failure_kinds}


def duty(worker: int = 0, workers: int = 1, **fields: Any) -> Assignment:
    """Return the share of a worker in requests at planned times."""
    given = {"distribution": "Uniform", "max_in_flight": 100} | fields
    rate = ArrivalRate.model_validate(given)
    return assignment(
        users=workers, worker=worker, workers=workers, open_loop=rate, requests=rate.requests
    )
