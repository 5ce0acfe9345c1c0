"""The operator in a process of its own behind a proxy that disturbs it, and what it leaves.

No pod may be made in its namespace, so that benchmarks end by their deadline within seconds; all
that they own is real, and so are the controllers of Kubernetes.
"""

import http.client
import multiprocessing
import os
import signal
import socket
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any

from kubernetes.config import kube_config

from bench.harness.processes import wait_until
from bench.servers.api_proxy import credentials, write_kubeconfig
from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.cli.__main__ import start
from solrbench.contract.names import FINALIZER
from support.cluster import api_server, kube
from support.cluster.benchmarks import small
from support.cluster.faulty_proxy import Fault, FaultyProxy, Interference, faulty_proxy
from support.resources.small_sweep import small_sweep, users_axis

Body = dict[str, Any]
SECONDS = 90.0
"""For all benchmarks to end, beside an interference."""
LOOK_SECONDS = 0.4
"""Between two looks at all of them, each of which costs the API server up to seven lists."""
OWNED = ("configmaps", "services", "jobs", "statefulsets", "poddisruptionbudgets")
WRITES = 40
"""Fewer than the operator sends for the bodies of `bodies`."""
COMPARED = ("Accepted", "CleanedUp", "Complete", "Succeeded")
"""What TargetReady says last depends on the moment of the deadline."""
EVIDENCE = "-report-evidence"
FAREWELL_SECONDS = 5.0
FORKS = multiprocessing.get_context("forkserver")
"""Starts operators from a process that has imported all modules, which takes 1.7 s of CPU time."""
FORKS.set_forkserver_preload(["solrbench.cli.main", "solrbench.controller.main"])


def bodies() -> list[Body]:
    """Return what is measured: two benchmarks and a sweep of two points, all at a time."""
    spec = {"deadlines": {"provisioningSeconds": 2}, "cleanup": "Always"}
    template = small("one", **spec)["spec"]
    template.pop("cleanup")
    sweep = small_sweep({"spec.axes": [users_axis(2)], "spec.template.spec": template})
    sweep["spec"]["startOn"] = "FreshTarget"
    sweep["spec"]["cleanup"] = "Always"
    return [small("one", **spec), small("two", **spec), sweep]


def drawn(seed: int, outage_seconds: float) -> Interference:
    """Return an interference of a seed; the faults take turns."""
    source, fault = Random(seed), list(Fault)[seed % len(Fault)]
    seconds = outage_seconds if fault is Fault.OUTAGE else source.uniform(2, 6)
    return Interference(fault, source.randint(1, WRITES), seconds, seed)


@dataclass
class DisturbedOperator:
    """An operator that is started again as often as it ends."""

    namespace: str
    folder: Path
    host: str = "operator"
    exit_codes: tuple[int, ...] = (-9,)
    process: BaseProcess | None = None
    environment: dict[str, str] = field(default_factory=dict)

    def keep_running(self) -> None:
        """Start it, or start it again after it was killed."""
        if self.process is not None and self.process.is_alive():
            return
        if self.process is not None:
            assert self.process.exitcode in self.exit_codes, self.log()[-3000:]
        arguments = (self.host, self.environment, str(self.folder / "operator.log"))
        self.process = FORKS.Process(target=_operate, args=arguments)
        self.process.start()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it lives."""
        if self.process is not None and self.process.is_alive():
            assert self.process.pid is not None
            os.kill(self.process.pid, number)

    def kill(self) -> None:
        """Kill it as a kernel without memory does; the thread of a proxy calls it, too."""
        if self.process is not None:
            self.process.kill()

    def close(self) -> None:
        """End it, by force if it does not go."""
        if self.process is not None:
            self.send(signal.SIGCONT)
            self.process.terminate()
            self.process.join(FAREWELL_SECONDS)
            self.process.kill()
            self.process.join()

    def log(self) -> str:
        return (self.folder / "operator.log").read_text(errors="replace")

    def connect_to(self, proxy: FaultyProxy) -> None:
        """Let it reach the API server by a proxy."""
        kubeconfig = self.folder / "kubeconfig"
        write_kubeconfig(kubeconfig, proxy.server_port)
        self.set_environment(KUBECONFIG=str(kubeconfig))

    def set_environment(self, **variables: str) -> None:
        """Set what it is started with; it reaches the API server as the tests do."""
        self.environment = dict(os.environ) | {
            "SOLRBENCH_NAMESPACES": self.namespace,
            "SOLRBENCH_IMAGE": "none",
            "SOLRBENCH_CONCURRENCY": "4",
            "SOLRBENCH_METRICS_PORT": "0",
            "SOLRBENCH_HEALTH_PORT": "0",
            **variables,
        }


def _operate(host: str, environment: dict[str, str], log: str) -> None:
    """Be the program on a machine of a name, which the holder of a Lease has."""
    with Path(log).open("ab") as output:
        for number in (1, 2):
            os.dup2(output.fileno(), number)
    os.environ.clear()
    os.environ.update(environment)
    # The one variable that was read when the modules were imported.
    kube_config.KUBE_CONFIG_DEFAULT_LOCATION = environment["KUBECONFIG"]
    socket.gethostname = lambda: host
    sys.argv = ["solrbench", "operator"]
    start()


def outcome(interference: Interference | None, folder: Path) -> Body:
    """Return how all ends with an interference, after all is deleted again without a rest."""
    seconds = SECONDS + (0 if interference is None else 2 * interference.seconds)
    with namespace_without_pods() as namespace:
        operator = DisturbedOperator(namespace, folder)
        with faulty_proxy(_connect, interference, operator.kill) as proxy:
            operator.connect_to(proxy)
            try:
                found = bring_to_end(namespace, operator.keep_running, operator.log, seconds)
                assert interference is None or proxy.disturbed or interference.fault is Fault.HIDE
            finally:
                operator.close()
        assert "unexpected exception" not in operator.log(), operator.log()[-3000:]
        return found


def bring_to_end(
    namespace: str, keep_running: Callable[[], None], log: Callable[[], str], seconds: float
) -> Body:
    """Return how all ends within so many seconds, after all is deleted again without a rest."""
    for body in bodies():
        body["metadata"]["namespace"] = namespace
        path = api_server.path_of(f"{body['kind'].lower()}s", namespace)
        response = api_server.client().post(path, json=body)
        assert response.is_success, response.text
    _wait(namespace, keep_running, log, seconds)
    found = _ends(namespace) | {"left": _left(namespace)}
    for plural in ("solrbenchmarksweeps", "solrbenchmarks"):
        api_server.client().delete(api_server.path_of(plural, namespace))
    _wait_until_gone(namespace, keep_running, seconds)
    return found


def _connect() -> http.client.HTTPConnection:
    host, port, context = credentials()
    return http.client.HTTPSConnection(host, port, context=context, timeout=300)


@contextmanager
def namespace_without_pods() -> Iterator[str]:
    """Make a namespace that takes no pod, and delete it at the end, whatever holds it."""
    name, http_client = f"disturbed-{uuid.uuid4().hex[:8]}", api_server.client()
    http_client.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
    quota = {"metadata": {"name": "no-pods"}, "spec": {"hard": {"pods": "0"}}}
    place = f"/api/v1/namespaces/{name}"
    http_client.post(f"{place}/resourcequotas", json=quota).raise_for_status()
    try:
        yield name
    finally:
        nothing = {"metadata": {"finalizers": None}}
        merge = {"Content-Type": "application/merge-patch+json"}
        with suppress(AssertionError):
            for each in kube.items("solrbenchmarks", namespace=name):
                path = api_server.path_of("solrbenchmarks", name, each["metadata"]["name"])
                http_client.patch(path, json=nothing, headers=merge)
        http_client.delete(place)


def _resources(namespace: str) -> list[Body]:
    plurals = (BENCHMARK.plural, SWEEP.plural)
    return [each for plural in plurals for each in kube.items(plural, "", namespace)]


def _wait(
    namespace: str, keep_running: Callable[[], None], log: Callable[[], str], seconds: float
) -> None:
    """Keep operators running until all are over and cleaned up."""
    deadline = time.monotonic() + seconds
    while True:
        keep_running()
        found = [_conditions(each) for each in _resources(namespace)]
        if len(found) == 5 and all(map(_is_over, found)):
            return
        assert time.monotonic() < deadline, f"{found}\n{log()[-3000:]}"
        time.sleep(LOOK_SECONDS)


def _conditions(body: Body) -> dict[str, list[str]]:
    found = (body.get("status") or {}).get("conditions") or []
    return {
        each["type"]: [each["status"], each["reason"]] for each in found if each["type"] in COMPARED
    }


def _is_over(conditions: dict[str, list[str]]) -> bool:
    ended = conditions.get("Complete", [""])[0] == "True"
    return ended and conditions.get("CleanedUp", ["True"])[0] == "True"


def _ends(namespace: str) -> Body:
    """Return how each resource has ended, without times and numbers of versions."""
    found = {}
    for body in _resources(namespace):
        status, metadata = body["status"], body["metadata"]
        points = [[each["name"], each["state"]] for each in status.get("points", [])]
        found[f"{body['kind']}/{metadata['name']}"] = {
            "conditions": _conditions(body),
            "phase": status.get("phase"),
            "attempts": status.get("attempts"),
            "points": points,
            "held": FINALIZER in metadata.get("finalizers", []),
        }
    return found


def _left(namespace: str) -> list[str]:
    """Return what is there of all benchmarks, but evidence, which is never in the way."""
    label = "app.kubernetes.io/managed-by=solrbench-operator"
    names = [
        f"{plural}/{each['metadata']['name']}"
        for plural in OWNED
        for each in kube.items(plural, label, namespace)
    ]
    return sorted(each for each in names if not each.endswith(EVIDENCE))


def _wait_until_gone(namespace: str, keep_running: Callable[[], None], seconds: float) -> None:
    def is_gone() -> bool:
        keep_running()
        return not _resources(namespace) and not any(
            kube.items(plural, "solrbench.io/benchmark", namespace) for plural in OWNED
        )

    wait_until(is_gone, seconds, "all objects to be gone", LOOK_SECONDS)
