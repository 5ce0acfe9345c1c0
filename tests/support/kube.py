"""The cluster as its users see it: kubectl, and Solr behind the API server's proxy.

Nothing of the operator's own adapters is used here: the suite must not check them with
themselves.
"""

import json
import os
import subprocess
import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlencode

NAMESPACE = os.environ.get("SOLRBENCH_NAMESPACE", "solrbench")
"""Where `hack/install` puts the operator."""
POLL_SECONDS = 0.3

Body = dict[str, Any]
T = TypeVar("T")


def kubectl(*arguments: str, stdin: str | None = None, namespace: str = NAMESPACE) -> str:
    """Return what kubectl prints."""
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


def apply(*bodies: Body, namespace: str = NAMESPACE) -> None:
    """Apply objects as a user does."""
    kubectl("apply", "-f", "-", stdin="\n---\n".join(map(json.dumps, bodies)), namespace=namespace)


def get(kind: str, name: str, namespace: str = NAMESPACE) -> Body | None:
    """Return an object, or None."""
    text = kubectl("get", kind, name, "-o", "json", "--ignore-not-found", namespace=namespace)
    return json.loads(text) if text.strip() else None


def items(kind: str, selector: str = "", namespace: str = NAMESPACE) -> list[Body]:
    """Return the objects of a kind with some labels."""
    found: list[Body] = json.loads(
        kubectl("get", kind, "-l", selector, "-o", "json", namespace=namespace)
    )["items"]
    return found


def benchmark(name: str) -> Body:
    """Return a benchmark that must be there."""
    body = get("solrbenchmark", name)
    assert body is not None, f"benchmark {name} is gone"
    return body


def status(name: str) -> Body:
    """Return the status of a benchmark, empty before the first pass."""
    found: Body = benchmark(name).get("status") or {}
    return found


def condition(name: str, type_: str) -> Body:
    """Return one condition of a benchmark, empty before the first pass."""
    found = status(name).get("conditions") or []
    return next((each for each in found if each["type"] == type_), {})


def wait_for(what: str, probe: Callable[[], T], seconds: float) -> T:
    """Return the first true answer of `probe`."""
    end = time.monotonic() + seconds
    while True:
        answer = probe()
        if answer:
            return answer
        assert time.monotonic() < end, f"no {what} after {seconds:.0f} s"
        time.sleep(POLL_SECONDS)


def wait_for_end(name: str, seconds: float = 600) -> Body:
    """Wait until a benchmark is finished; return its status."""

    def ended() -> bool:
        return condition(name, "Succeeded").get("status") in ("True", "False")

    try:
        wait_for(f"end of {name}", ended, seconds)
    except AssertionError as error:
        raise AssertionError(f"{error}; status: {json.dumps(status(name))[:4000]}") from error
    return status(name)


def wait_for_success(name: str, seconds: float = 600) -> Body:
    """Wait until a benchmark succeeded; return its status."""
    found = wait_for_end(name, seconds)
    assert found["phase"] == "Succeeded", found["conditions"]
    return found


def wait_for_reason(name: str, type_: str, reason: str, seconds: float) -> str:
    """Wait until a condition has a reason; return its message."""

    def has_reason() -> bool:
        return condition(name, type_).get("reason") == reason

    try:
        wait_for(f"{type_} with reason {reason}", has_reason, seconds)
    except AssertionError as error:
        raise AssertionError(f"{error}; it is {condition(name, type_)}") from error
    return str(condition(name, type_)["message"])


def owned(name: str) -> list[str]:
    """Return everything that belongs to a benchmark, as kind/name."""
    kinds = "pods,jobs,statefulsets,services,configmaps,persistentvolumeclaims"
    found = kubectl("get", kinds, "-l", f"solrbench.io/benchmark={name}", "-o", "name")
    return found.split()


def delete(name: str, seconds: float = 90) -> None:
    """Delete a benchmark and check that nothing of it is left."""
    kubectl("delete", "solrbenchmark", name, "--ignore-not-found", "--wait=false")
    wait_for(f"deletion of {name}", lambda: get("solrbenchmark", name) is None, seconds)

    def nothing_left() -> bool:
        return not owned(name)

    wait_for(f"removal of everything of {name}", nothing_left, seconds)


def solr(pod: str, path: str, **params: Any) -> Body:
    """Ask one Solr pod itself, past the operator."""
    query = urlencode({"wt": "json", **params}, doseq=True)
    place = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}:8983/proxy/solr{path}?{query}"
    answer: Body = json.loads(kubectl("get", "--raw", place))
    return answer


def pods(name: str, component: str) -> list[Body]:
    """Return the pods of one component of a benchmark."""
    labels = f"solrbench.io/benchmark={name},app.kubernetes.io/component={component}"
    return items("pods", labels)


def kill(pod: str) -> None:
    """End a pod as a crash of its node would: at once, without a word."""
    kubectl("delete", "pod", pod, "--grace-period=0", "--force", "--wait=false")
