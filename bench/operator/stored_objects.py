"""The stored objects of a busy cluster: finished and waiting benchmarks, and those of others."""

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import uuid4

from bench.harness.processes import DidNotHappenError, wait_until
from solrbench.api.kinds import BENCHMARK
from solrbench.api.rules import plain
from solrbench.api.v1alpha1.step_result import RESULT_FIELDS, StepResult
from solrbench.contract.names import LABEL_BENCHMARK, LABEL_COMPONENT, REPORT
from solrbench.kube.connection import Query, open_connection
from solrbench.kube.kubeconfig import find_access
from solrbench.manifests.common import owner_reference

Body = dict[str, Any]
_Item = TypeVar("_Item")

_CLIENTS = 6
_GONE_SECONDS = 300.0
_AT_ONCE = 100
_RESPONSE_SECONDS = 60.0
_STEPS, _NAMES = 4, 3
_OF_OTHER_STEPS = ("documents_", "response_")
"""How figures begin that only steps which index, and open loops, have."""


class ApiServer:
    """The API server of the kubeconfig; safe for threads."""

    def __init__(self) -> None:
        self._connection = open_connection(find_access())

    def call(
        self, method: str, path: str, body: Body | None = None, query: Query | None = None
    ) -> Body:
        """Return what the API server responds with, unless it refuses."""
        kind = "merge-patch+json" if method == "PATCH" else "json"
        content = self._connection.send(
            f"{method} {path}",
            method,
            path,
            query=query,
            body=body,
            content_type=f"application/{kind}",
            seconds=_RESPONSE_SECONDS,
        )
        parsed: Body = json.loads(content)
        return parsed

    def each(self, make: Callable[[_Item], object], items: Iterable[_Item]) -> None:
        """Call `make` with every item, several at a time."""
        with ThreadPoolExecutor(_CLIENTS) as pool:
            list(pool.map(make, items))


@contextmanager
def namespace(api: ApiServer, purpose: str) -> Iterator[str]:
    """Make a namespace, and delete it with all that is in it; no operator may run there then."""
    name = f"bench-{purpose}-{uuid4().hex[:6]}"
    api.call("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    try:
        yield name
    finally:
        _drop_finalizers(api, name)
        api.call("DELETE", f"/api/v1/namespaces/{name}")
        # On a busy machine the rest goes later: the API server goes on with it.
        with suppress(DidNotHappenError):
            place = f"/api/v1/namespaces/{name}"
            wait_until(lambda: not exists(api, place), _GONE_SECONDS, f"namespace {name} is gone")


def exists(api: ApiServer, path: str) -> bool:
    """Return whether there is an object at a path."""
    folder, _, name = path.rpartition("/")
    query = {"fieldSelector": f"metadata.name={name}"}
    return bool(api.call("GET", folder, query=query)["items"])


def list_benchmarks(api: ApiServer, name: str) -> Iterator[Body]:
    """Yield the benchmarks of a namespace; in parts, as all of them have tens of megabytes."""
    token = ""
    while True:
        query: Query = {"limit": _AT_ONCE, "continue": token}
        found = api.call("GET", benchmarks_path(name), query=query)
        yield from found["items"]
        token = found["metadata"].get("continue", "")
        if not token:
            return


def _drop_finalizers(api: ApiServer, name: str) -> None:
    path, metadata = benchmarks_path(name), (e["metadata"] for e in list_benchmarks(api, name))
    held = [each["name"] for each in metadata if each.get("finalizers")]
    nothing = {"metadata": {"finalizers": None}}
    api.each(lambda each: api.call("PATCH", f"{path}/{each}", nothing), held)


def benchmarks_path(name: str) -> str:
    """Return the path of the benchmarks of a namespace."""
    return f"/apis/{BENCHMARK.api_version}/namespaces/{name}/{BENCHMARK.plural}"


def benchmark(name: str, **spec: Any) -> Body:
    """Return a benchmark whose target does not exist, so that it can never start a pod."""
    steps = [{"name": f"step-{number}", "users": 1, "requests": 100} for number in range(_STEPS)]
    return {
        "apiVersion": BENCHMARK.api_version,
        "kind": BENCHMARK.name,
        "metadata": {"name": name},
        "spec": {
            "target": {"existing": {"solrCloudName": "none"}},
            "dataset": {"generator": {"documents": 1000, "seed": 1}},
            "workload": {"queries": {"generated": {"count": 100}}},
            "load": {"steps": steps},
            **spec,
        },
    }


def store(api: ApiServer, place: str, body: Body, status: Body) -> Body:
    """Store a benchmark with a status; return what is stored."""
    made = api.call("POST", benchmarks_path(place), body)
    path = f"{benchmarks_path(place)}/{body['metadata']['name']}/status"
    status = {"observedGeneration": made["metadata"]["generation"], **status}
    return api.call("PUT", path, made | {"status": status})


def running_status(now: datetime) -> Body:
    """Return the status of a benchmark that waits for its target."""
    return {
        "phase": "Provisioning",
        "startTime": now.isoformat(),
        "phaseStartTime": now.isoformat(),
        "conditions": _conditions(now, Accepted=("True", "Accepted")),
    }


def waiting_status(now: datetime, position: int) -> Body:
    """Return the status of a benchmark in the queue."""
    return {
        "phase": "Queued",
        "phaseStartTime": now.isoformat(),
        "queue": {"position": position, "waitingSince": now.isoformat()},
        "conditions": _conditions(
            now, Accepted=("True", "Accepted"), Succeeded=("Unknown", "Queued")
        ),
    }


def finished_status(now: datetime, number: int) -> Body:
    """Return the status of a benchmark that ended `number` times five minutes ago."""
    ended = now - timedelta(minutes=5 * number)
    names = [f"request-{each}" for each in range(_NAMES)]
    return {
        "phase": "Succeeded",
        "progressPercent": 100,
        "startTime": (ended - timedelta(minutes=5)).isoformat(),
        "phaseStartTime": ended.isoformat(),
        "completionTime": ended.isoformat(),
        "results": [_result(step, name) for step in range(_STEPS) for name in names],
        "verdicts": [{"step": f"step-{step}", "verdict": "Valid"} for step in range(_STEPS)],
        "conditions": _conditions(
            ended,
            Accepted=("True", "Accepted"),
            TargetReady=("True", "TargetReady"),
            DataIndexed=("True", "DataIndexed"),
            Measured=("True", "Measured"),
            CleanedUp=("True", "CleanedUp"),
            Succeeded=("True", "Succeeded"),
        ),
    }


PERCENTILES = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9)


def _result(step: int, name: str) -> Body:
    interval = {"lower": 990 + step, "upper": 1010 + step}
    numbers: dict[str, Any] = {
        each.name: interval if each.name.endswith("_interval") else 1000 + step
        for each in RESULT_FIELDS
        if each.shown.only_with is None and not each.name.startswith(_OF_OTHER_STEPS)
    }
    bounds = {"lower_milliseconds": 990.0, "upper_milliseconds": 1010.0}
    numbers["percentiles"] = [
        {"percent": percent, "milliseconds": 1000.0, **bounds} for percent in PERCENTILES
    ]
    result = StepResult.model_validate(
        numbers | {"step": f"step-{step}", "request": name, "variant": None, "is_transaction": None}
    )
    return plain(result)


def _conditions(now: datetime, **known: tuple[str, str]) -> list[Body]:
    return [
        {
            "type": type_,
            "status": truth,
            "reason": reason,
            "message": "as the bench has it",
            "lastTransitionTime": now.isoformat(),
            "observedGeneration": 1,
        }
        for type_, (truth, reason) in known.items()
    ]


def report(owner: Body) -> Body:
    """Return a ConfigMap of a benchmark's report, with some kilobytes in it."""
    metadata = owner["metadata"]
    return {
        "metadata": {
            "name": f"{metadata['name']}-report",
            "labels": {LABEL_BENCHMARK: metadata["name"], LABEL_COMPONENT: REPORT},
            "ownerReferences": [owner_reference(BENCHMARK, metadata["name"], metadata["uid"])],
        },
        "data": {"chunk": "x" * 4000},
    }
