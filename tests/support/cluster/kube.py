"""The cluster as its users see it: the two commands, the API server, and Solr behind its proxy.

Nothing of the operator's own adapters is used here: the suite must not check them with
themselves.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from urllib.parse import urlencode

from support.cluster import api_server

NAMESPACE = os.environ.get("SOLRBENCH_NAMESPACE", "solrbench")
"""Where `hack/install` puts the operator."""
if (_worker := os.environ.get("PYTEST_XDIST_WORKER", "gw0")) != "gw0":
    # Each process of the suite has an operator of its own, which runs one benchmark at a time.
    NAMESPACE += f"-{_worker.removeprefix('gw')}"
MIN_POLL_SECONDS, MAX_POLL_SECONDS = 0.1, 0.5
"""What comes soon is looked for often; for the rest, requests would take the pods' CPU time."""
OWNED = ("pods", "jobs", "statefulsets", "services", "configmaps", "persistentvolumeclaims")
"""The kinds of which a benchmark owns objects."""

Body = dict[str, Any]
T = TypeVar("T")


def kubectl(*arguments: str, stdin: str | None = None, namespace: str = NAMESPACE) -> str:
    done = subprocess.run(
        ["kubectl", "--namespace", namespace, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    if done.returncode:
        raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def solrbench(*arguments: str) -> str:
    """Return what a command of ours prints; it must succeed."""
    command = [sys.executable, "-m", "solrbench.cli", *arguments, "-n", NAMESPACE]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def apply(*bodies: Body, namespace: str = NAMESPACE) -> None:
    kubectl("apply", "-f", "-", stdin="\n---\n".join(map(json.dumps, bodies)), namespace=namespace)


def get(kind: str, name: str, namespace: str = NAMESPACE) -> Body | None:
    """Return an object of a kind (its plural), or None."""
    return api_server.read(api_server.path_of(kind, namespace, name))


def items(kind: str, selector: str = "", namespace: str = NAMESPACE) -> list[Body]:
    """Return the objects of a kind (its plural) with some labels."""
    path = api_server.path_of(kind, namespace)
    found = api_server.read(path, labelSelector=selector)
    assert found is not None, f"the API server does not serve {path}"
    return list(found["items"])


def benchmark(name: str) -> Body:
    """Return a benchmark that must be there."""
    body = get("solrbenchmarks", name)
    assert body is not None, f"benchmark {name} is gone"
    return body


def status(name: str) -> Body:
    """Return the status of a benchmark, empty before the first reconcile."""
    return _status_of(benchmark(name))


def condition(name: str, type_: str) -> Body:
    """Return one condition of a benchmark, empty before the first reconcile."""
    return _condition_of(benchmark(name), type_)


def _status_of(body: Body) -> Body:
    found: Body = body.get("status") or {}
    return found


def _condition_of(body: Body, type_: str) -> Body:
    found = _status_of(body).get("conditions") or []
    return next((each for each in found if each["type"] == type_), {})


def wait_for(what: str, probe: Callable[[], T], seconds: float) -> T:
    """Return the first true result of `probe`."""
    began = time.monotonic()
    while True:
        result = probe()
        if result:
            return result
        waited = time.monotonic() - began
        assert waited < seconds, f"no {what} after {seconds:.0f} s"
        time.sleep(min(max(waited / 20, MIN_POLL_SECONDS), MAX_POLL_SECONDS))


def wait_for_status(what: str, name: str, holds: Callable[[Body], bool], seconds: float) -> Body:
    """Wait until a benchmark, which must be there, is as wanted; return it."""
    path = api_server.path_of("solrbenchmarks", NAMESPACE, name)
    came, body = api_server.wait_for_object(path, lambda body: body is None or holds(body), seconds)
    assert body is not None, f"benchmark {name} is gone"
    assert came, f"no {what} after {seconds:.0f} s; status: {json.dumps(_status_of(body))[:4000]}"
    return body


def wait_for_phase(name: str, phase: str, seconds: float = 300) -> None:
    wait_for(f"{phase} of {name}", lambda: status(name).get("phase") == phase, seconds)


def wait_for_end(name: str, seconds: float = 600) -> Body:
    """Wait until a benchmark is finished; return its status."""

    def ended(body: Body) -> bool:
        return _condition_of(body, "Succeeded").get("status") in ("True", "False")

    return _status_of(wait_for_status(f"end of {name}", name, ended, seconds))


def wait_for_success(name: str, seconds: float = 600) -> Body:
    """Wait until a benchmark succeeded; return its status."""
    found = wait_for_end(name, seconds)
    assert found["phase"] == "Succeeded", found["conditions"]
    return found


def measured(*bodies: Body) -> Iterator[Body]:
    """Apply objects, the last of them a benchmark; yield its status at its end, then delete it."""
    apply(*bodies)
    name = bodies[-1]["metadata"]["name"]
    yield wait_for_success(name)
    delete(name)


def wait_for_reason(name: str, type_: str, reason: str, seconds: float) -> str:
    """Wait until a condition has a reason; return its message."""

    def has_reason(body: Body) -> bool:
        return _condition_of(body, type_).get("reason") == reason

    body = wait_for_status(f"{type_} with reason {reason}", name, has_reason, seconds)
    return str(_condition_of(body, type_)["message"])


def owned(name: str) -> list[str]:
    """Return everything that belongs to a benchmark, as plural/name."""
    label = f"solrbench.io/benchmark={name}"
    return [f"{kind}/{body['metadata']['name']}" for kind in OWNED for body in items(kind, label)]


def delete(name: str, seconds: float = 90) -> None:
    """Delete a benchmark and check that nothing of it is left."""
    kubectl("delete", "solrbenchmark", name, "--ignore-not-found", "--wait=false")
    path = api_server.path_of("solrbenchmarks", NAMESPACE, name)
    gone, body = api_server.wait_for_object(path, lambda body: body is None, seconds)
    assert gone, f"{name} is not deleted after {seconds:.0f} s: {json.dumps(body)[:4000]}"
    wait_for(f"removal of everything of {name}", lambda: not owned(name), seconds)


def solr(pod: str, path: str, *, port: int = 8983, **params: Any) -> Body:
    """Send a request to Solr behind a port of one pod, past the operator."""
    query = urlencode({"wt": "json", **params}, doseq=True)
    place = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}:{port}/proxy/solr{path}?{query}"
    response = api_server.read(place)
    assert response is not None, f"nothing at {place}"
    return response


def pods(name: str, component: str) -> list[Body]:
    labels = f"solrbench.io/benchmark={name},app.kubernetes.io/component={component}"
    return items("pods", labels)


def kill_one(name: str, component: str) -> None:
    """End the first pod of a component of a benchmark, as `kill` does."""
    kill(pods(name, component)[0]["metadata"]["name"])


def kill(pod: str) -> None:
    """End a pod as a crash of its node would: at once, without a word."""
    kubectl("delete", "pod", pod, "--grace-period=0", "--force", "--wait=false")
