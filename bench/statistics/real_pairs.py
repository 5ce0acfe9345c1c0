"""Words on equal benchmarks on a real Solr, in pods and by the operator that is installed.

One benchmark provisions a Solr and keeps it. A chain of benchmarks with one spec follows on its
collection, each compared with the one before and repeated until that is decided: every one but the
first is the second side of a pair. No further pair begins after the time that is given.

The question is how often conclusions are wrong, so the noise is kept low: Solr is 20 ms away, by a
relay in a pod. Without it a query takes 0.2 to 1 ms of CPU time and nothing else, and what is
compared is the host, whose processors a loop of additions found to differ by 18 % between one time
of 2 s and the next.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.harness.processes import wait_until
from bench.harness.table import Row, skipped
from bench.operator.stored_objects import ApiServer, benchmarks_path, exists
from bench.servers import relay
from bench.statistics.comparison_conclusions import LOOKS, Outcome, equal_rows
from solrbench.api.kinds import BENCHMARK
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.decide.conditions import SUCCEEDED, stored_condition

Body = dict[str, Any]

TARGET = "pairs-target"
QUERIES = "pairs-queries"
WAY = "pairs-way"

_DELAY_MILLISECONDS = 20
_USERS = 4
_STEP_SECONDS = 6
_COMPILED_REQUESTS = 100_000
_PORT = 8983
_SCRIPT = "/relay/relay.py"


def target_benchmark() -> Body:
    """Return the benchmark that makes Solr, fills a collection and keeps both."""
    small = {"requests": {"cpu": "100m", "memory": "768Mi"}, "limits": {"memory": "1536Mi"}}
    zookeeper = {
        "replicas": 1,
        "heap": "128Mi",
        "resources": {"requests": {"cpu": "50m", "memory": "192Mi"}, "limits": {"memory": "512Mi"}},
    }
    solr = {
        "provisioner": "StatefulSet",
        "nodes": 1,
        "heap": "512Mi",
        "resources": small,
        "zookeeper": zookeeper,
    }
    return _benchmark(
        TARGET,
        target={"solrCloud": solr},
        dataset={"generator": {"documents": 20_000, "seed": 1}},
        workload={"queries": {"configMap": {"name": QUERIES}}},
        warmUp={"requests": _COMPILED_REQUESTS},
        load={"steps": [{"name": "first", "users": 2, "requests": 1000}]},
        cleanup="Never",
    )


def pair_benchmark(number: int, url: str) -> Body:
    """Return a benchmark of the chain; all but the first are compared with the one before."""
    repeats: Body = {"count": LOOKS.minimum}
    comparison: Body = {"primary": "Average"}
    if number:
        repeats = {"until": "Decided", "min": LOOKS.minimum, "max": LOOKS.maximum}
        comparison["baseline"] = {"benchmark": {"name": pair_name(number - 1)}}
    existing = {"urls": [url], "collectionPolicy": "UseExisting", "collectionName": TARGET}
    return _benchmark(
        pair_name(number),
        target={"existing": existing},
        workload={"queries": {"configMap": {"name": QUERIES}}},
        warmUp={"requests": 200},
        load={
            "repeats": repeats,
            "steps": [{"name": "users", "users": _USERS, "durationSeconds": _STEP_SECONDS}],
        },
        comparison=comparison,
    )


def config_map() -> Body:
    """Return the queries of the chain, and what the pod of the way runs."""
    words = ("books", "music", "films", "games")
    lines = "".join(f"q=category_s:{word}\n" for word in words)
    script = Path(relay.__file__).read_text("utf-8")
    return {"metadata": {"name": QUERIES}, "data": {"queries.txt": lines, "relay.py": script}}


def way_pod(image: str, server: str) -> Body:
    """Return the pod through which the benchmarks reach Solr; any image with Python will do."""
    container = {
        "name": "relay",
        "image": image,
        "command": ["python", _SCRIPT, str(_PORT), server, str(_DELAY_MILLISECONDS)],
        "ports": [{"containerPort": _PORT}],
        "readinessProbe": {"tcpSocket": {"port": _PORT}, "periodSeconds": 1},
        "volumeMounts": [{"name": "relay", "mountPath": "/relay"}],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    spec = {
        "containers": [container],
        "volumes": [{"name": "relay", "configMap": {"name": QUERIES}}],
        "automountServiceAccountToken": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65532,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
    return {"metadata": {"name": WAY, "labels": {"app": WAY}}, "spec": spec}


def way_service() -> Body:
    """Return the Service before that pod."""
    spec = {"selector": {"app": WAY}, "ports": [{"port": _PORT}]}
    return {"metadata": {"name": WAY}, "spec": spec}


def pair_name(number: int) -> str:
    """Return the name of a benchmark of the chain."""
    return f"pair-{number:02}"


def _benchmark(name: str, **spec: Any) -> Body:
    return {
        "apiVersion": BENCHMARK.api_version,
        "kind": BENCHMARK.name,
        "metadata": {"name": name},
        "spec": spec,
    }


_START_SECONDS = 600.0
_PAIR_SECONDS = 600.0
_LOOK_SECONDS = 2.0
"""Rarely: each look costs the API server CPU time of the machine that is measured."""
_OVER = ("True", "False")
_OPERATOR = "app.kubernetes.io/name=solr-benchmark-operator"


def real_pairs(_folder: Path, pairs: int, minutes: float) -> list[Row]:
    """Measure equal pairs and count the conclusions; none begins after so many minutes."""
    place = os.environ.get("SOLRBENCH_NAMESPACE", "solrbench")
    what = "equal pairs of benchmarks on a real Solr"
    try:
        api = ApiServer()
        image = _operator_image(api, place)
    except Exception as error:  # noqa: BLE001 - whatever is missing, other parts can be measured
        return [skipped(what, ">= 99 %", f"no cluster with an operator: {error}")]
    end = time.monotonic() + 60 * minutes
    with _objects(api, place, pairs):
        statuses = list(_measured(api, place, image, pairs, end))
    if not statuses:
        return [skipped(what, ">= 99 %", f"no pair within {minutes:g} minutes")]
    rows = equal_rows(f"{len(statuses)} {what}", [_outcome(each) for each in statuses])
    counted = Counter(str(_outcome(each).conclusion) for each in statuses)
    invalid = sum(each["summary"].get("verdict") == "Invalid" for each in statuses)
    detail = ", ".join(f"{number} {word}" for word, number in counted.most_common())
    return [*rows, Row("conclusions on them", "", detail, None, f"{invalid} Invalid")]


def _operator_image(api: ApiServer, place: str) -> str:
    path = f"/apis/apps/v1/namespaces/{place}/deployments"
    items = api.call("GET", path, query={"labelSelector": _OPERATOR})["items"]
    if not items:
        raise LookupError(f"no operator in namespace {place}")
    return str(items[0]["spec"]["template"]["spec"]["containers"][0]["image"])


@contextmanager
def _objects(api: ApiServer, place: str, pairs: int) -> Iterator[None]:
    """Remove all that was made, what uses the target first."""
    names = [pair_name(number) for number in reversed(range(pairs + 1))]
    try:
        yield
    finally:
        for name in (*names, TARGET):
            _delete(api, f"{benchmarks_path(place)}/{name}")
        for kind, name in (("pods", WAY), ("services", WAY), ("configmaps", QUERIES)):
            _delete(api, f"{_core(place)}/{kind}/{name}")


def _measured(api: ApiServer, place: str, image: str, pairs: int, end: float) -> Iterator[Body]:
    """Yield the status of the second side of each pair."""
    api.call("POST", f"{_core(place)}/configmaps", config_map())
    api.call("POST", benchmarks_path(place), target_benchmark())
    _ended(api, place, TARGET, _START_SECONDS)
    server = f"{TARGET}-solr-0.{TARGET}-solr.{place}.svc:8983"
    api.call("POST", f"{_core(place)}/services", way_service())
    api.call("POST", f"{_core(place)}/pods", way_pod(image, server))
    wait_until(lambda: _is_ready(api, place), _START_SECONDS, "the way to Solr")
    for number in range(pairs + 1):
        if time.monotonic() >= end:
            return
        url = f"http://{WAY}.{place}.svc:8983/solr"
        api.call("POST", benchmarks_path(place), pair_benchmark(number, url))
        status = _ended(api, place, pair_name(number), _PAIR_SECONDS)
        if number:
            yield status


def _is_ready(api: ApiServer, place: str) -> bool:
    pod = api.call("GET", f"{_core(place)}/pods/{WAY}")
    return stored_condition(pod, "Ready").get("status") == "True"


def _ended(api: ApiServer, place: str, name: str, seconds: float) -> Body:
    """Wait for the end of a benchmark, which must succeed, and return its status."""
    path = f"{benchmarks_path(place)}/{name}"
    wait_until(
        lambda: stored_condition(api.call("GET", path), SUCCEEDED).get("status") in _OVER,
        seconds,
        name,
        _LOOK_SECONDS,
    )
    body = api.call("GET", path)
    found = stored_condition(body, SUCCEEDED)
    if found["status"] != "True":
        raise RuntimeError(f"{name}: {found['reason']}: {found['message']}")
    status: Body = body["status"]
    return status


def _outcome(status: Body) -> Outcome:
    """Return the word on the primary figure of the only step."""
    (primary,) = (each for each in status["comparison"]["figures"] if each.get("primary"))
    word = primary.get("conclusion")
    return Outcome(None if word is None else Conclusion(word), status["report"]["repeats"])


def _core(place: str) -> str:
    return f"/api/v1/namespaces/{place}"


def _delete(api: ApiServer, path: str) -> None:
    """Delete an object if it is there, and wait until it is gone."""
    if exists(api, path):
        api.call("DELETE", path)
        wait_until(lambda: not exists(api, path), _START_SECONDS, f"end of {path}")
