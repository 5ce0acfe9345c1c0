"""Words on equal benchmarks on a real Solr, in pods and by the operator that is installed.

One benchmark provisions a Solr and keeps it. A chain of benchmarks with one spec follows on its
collection, each compared with the one before and repeated until that is decided: every one but the
first is the second side of a pair. No further pair begins after the time that is given.

The question is how often the words are wrong, so the noise is kept low. Before the chain, so many
queries are sent that the JVM's compiler has done most of its work: until then each repeat is
quicker than the one before. One user leaves Solr a core of its own on a machine with two, where
repeats of 4 s differ by 16 % with two users, and by 3 to 4 % with one: too much for 20 of them.
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
from bench.operator.stored_objects import ApiServer, benchmarks_path
from bench.statistics.comparison_words import LOOKS, Outcome, equal_rows
from solrbench.api.kinds import BENCHMARK
from solrbench.api.v1alpha1.status.comparison_word import Word

Body = dict[str, Any]

_TARGET = "pairs-target"
_QUERIES = "pairs-queries"
_START_SECONDS = 600.0
_PAIR_SECONDS = 600.0
_STEP_SECONDS = 10
_COMPILED_REQUESTS = 300_000
_OVER = ("True", "False")


def real_pairs(folder: Path, pairs: int, minutes: float) -> list[Row]:
    """Measure pairs of equal benchmarks and count the words.

    Args:
        folder: not used; there are no processes of its own
        pairs: pairs wanted
        minutes: after which no further one begins

    """
    del folder
    place = os.environ.get("SOLRBENCH_NAMESPACE", "solrbench")
    what = "equal pairs of benchmarks on a real Solr"
    try:
        api = ApiServer()
        api.call("GET", f"{benchmarks_path(place)}?limit=1")
    except Exception as error:  # noqa: BLE001 - whatever is missing, other parts can be measured
        return [skipped(what, ">= 99 %", f"no cluster with an operator: {error}")]
    end = time.monotonic() + 60 * minutes
    with _objects(api, place, pairs):
        statuses = list(_measured(api, place, pairs, end))
    if not statuses:
        return [skipped(what, ">= 99 %", f"no pair within {minutes:g} minutes")]
    rows = equal_rows(f"{len(statuses)} {what}", [_outcome(each) for each in statuses])
    words = Counter(str(_outcome(each).word) for each in statuses)
    invalid = sum(each["summary"].get("verdict") != "Valid" for each in statuses)
    detail = ", ".join(f"{number} {word}" for word, number in words.most_common())
    return [*rows, Row("words on them", "", detail, None, f"{invalid} Invalid")]


@contextmanager
def _objects(api: ApiServer, place: str, pairs: int) -> Iterator[None]:
    """Remove all that was made, what uses the target first."""
    names = [_name(number) for number in reversed(range(pairs + 1))]
    try:
        yield
    finally:
        for name in (*names, _TARGET):
            _delete(api, f"{benchmarks_path(place)}/{name}")
        _delete(api, f"{_config_maps(place)}/{_QUERIES}")


def _measured(api: ApiServer, place: str, pairs: int, end: float) -> Iterator[Body]:
    """Yield the status of the second side of each pair."""
    lines = "".join(f"q=category_s:{word}\n" for word in ("books", "music", "films", "games"))
    api.call("POST", _config_maps(place), config_map(lines))
    api.call("POST", benchmarks_path(place), target_benchmark())
    _ended(api, place, _TARGET, _START_SECONDS)
    url = f"http://{_TARGET}-solr-0.{_TARGET}-solr.{place}.svc:8983/solr"
    for number in range(pairs + 1):
        if time.monotonic() >= end:
            return
        api.call("POST", benchmarks_path(place), pair_benchmark(number, url))
        status = _ended(api, place, _name(number), _PAIR_SECONDS)
        if number:
            yield status


def _ended(api: ApiServer, place: str, name: str, seconds: float) -> Body:
    """Wait for the end of a benchmark and return its status.

    Raises:
        RuntimeError: if it failed.

    """
    path = f"{benchmarks_path(place)}/{name}"
    wait_until(lambda: _succeeded(api.call("GET", path)).get("status") in _OVER, seconds, name)
    body = api.call("GET", path)
    found = _succeeded(body)
    if found["status"] != "True":
        raise RuntimeError(f"{name}: {found['reason']}: {found['message']}")
    status: Body = body["status"]
    return status


def _succeeded(body: Body) -> Body:
    conditions = body.get("status", {}).get("conditions", [])
    return next((each for each in conditions if each["type"] == "Succeeded"), {})


def _outcome(status: Body) -> Outcome:
    """Return the word on the primary figure of the only step."""
    (primary,) = (each for each in status["comparison"]["figures"] if each.get("primary"))
    word = primary.get("word")
    return Outcome(None if word is None else Word(word), status["report"]["repeats"])


def target_benchmark() -> Body:
    """Return the benchmark that makes Solr, fills a collection and keeps both."""
    small = {"requests": {"cpu": "100m", "memory": "768Mi"}, "limits": {"memory": "1536Mi"}}
    zookeeper = {
        "replicas": 1,
        "heap": "128Mi",
        "resources": {
            "requests": {"cpu": "50m", "memory": "192Mi"},
            "limits": {"memory": "512Mi"},
        },
    }
    solr = {
        "provisioner": "StatefulSet",
        "nodes": 1,
        "heap": "512Mi",
        "resources": small,
        "zookeeper": zookeeper,
    }
    return _benchmark(
        _TARGET,
        target={"solrCloud": solr},
        dataset={"generator": {"documents": 20_000, "seed": 1}},
        workload={"queries": {"configMap": {"name": _QUERIES}}},
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
        comparison["baseline"] = {"benchmark": {"name": _name(number - 1)}}
    existing = {"urls": [url], "collectionPolicy": "UseExisting", "collectionName": _TARGET}
    return _benchmark(
        _name(number),
        target={"existing": existing},
        workload={"queries": {"configMap": {"name": _QUERIES}}},
        warmUp={"requests": 1000},
        load={
            "repeats": repeats,
            "steps": [{"name": "one-user", "users": 1, "durationSeconds": _STEP_SECONDS}],
        },
        comparison=comparison,
    )


def config_map(lines: str) -> Body:
    """Return the queries of the chain."""
    return {"metadata": {"name": _QUERIES}, "data": {"queries.txt": lines}}


def _benchmark(name: str, **spec: Any) -> Body:
    return {
        "apiVersion": BENCHMARK.api_version,
        "kind": BENCHMARK.name,
        "metadata": {"name": name},
        "spec": spec,
    }


def _name(number: int) -> str:
    return f"pair-{number:02}"


def _config_maps(place: str) -> str:
    return f"/api/v1/namespaces/{place}/configmaps"


def _delete(api: ApiServer, path: str) -> None:
    """Delete an object if it is there, and wait until it is gone."""
    if _is_there(api, path):
        api.call("DELETE", path)
        wait_until(lambda: not _is_there(api, path), _START_SECONDS, f"end of {path}")


def _is_there(api: ApiServer, path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return bool(api.call("GET", f"{folder}?fieldSelector=metadata.name%3D{name}")["items"])
