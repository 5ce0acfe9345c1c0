"""Workloads of one transaction, and a server that makes ids of queries."""

import json
from collections.abc import Iterable
from typing import Any

from solrbench.api.v1alpha1.workload import Workload
from solrbench.load.engine.target import LoadTarget
from solrbench.load.recording.worker_result import WorkerRequestStats, WorkerStepResult
from solrbench.load.workload.name_table import RequestNameTable
from solrbench.load.workload.query_file import WorkloadQuery
from solrbench.load.workload.request_mix import PreparedWorkload
from solrbench.load.workload.requests import prepare_node
from solrbench.load.workload.transactions import TransactionSource, prepare_transaction
from support.load.builders import plain
from support.servers.http_server import Exchange

CHAIN = (
    {"name": "a", "parameters": {"q": "{{q}}"}, "extract": {"id": "response.docs[0].id"}},
    {"name": "b", "parameters": {"q": "{{id}}!"}, "extract": {"id": "response.docs[0].id"}},
    {"name": "c", "parameters": {"q": "{{id}}"}, "method": "POST"},
)


def workload(
    *requests: dict[str, Any], inputs: bool = True, order: str = "Sequential", **fields: Any
) -> Workload:
    source = {"configMap": {"name": "i"}, "order": order}
    transaction = {"requests": list(requests)} | ({"inputs": source} if inputs else {})
    mix = [{"name": "lend", "transaction": transaction}]
    return Workload.model_validate({"mix": mix, **fields})


def prepare(
    spec: Workload, lines: list[WorkloadQuery] | None = None
) -> tuple[TransactionSource, list[str]]:
    names = RequestNameTable()
    return prepare_transaction(spec, 0, names, lines), list(names.names)


async def echo(exchange: Exchange) -> None:
    """Response with an id made from the query; `broken` fails."""
    if exchange.query == "broken":
        exchange.send(b"", 500)
        return
    docs = [{"id": f"<{exchange.query}>"}]
    body = {"responseHeader": {"status": 0}, "response": {"numFound": 1, "docs": docs}}
    exchange.send(json.dumps(body, separators=(",", ":")).encode())


def target(
    url: str,
    *requests: dict[str, Any],
    inputs: Iterable[str] = ("x",),
    order: str = "Sequential",
    timeout_seconds: float = 5.0,
) -> LoadTarget:
    """Return a target of transactions, each of which begins with an input as `q`."""
    spec = workload(*requests, order=order)
    part, names = prepare(spec, plain(*inputs))
    prepared = PreparedWorkload(tuple(names), [part], transactions=frozenset([0]))
    return LoadTarget(prepared, 1, [prepare_node(spec, "books", url)], timeout_seconds)


def by_name(result: WorkerStepResult) -> dict[str, WorkerRequestStats]:
    return {each.request: each for each in result.requests}
