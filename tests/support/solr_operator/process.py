"""The double as a test has it: install the definitions, start and end the process, remove all."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from support.cluster import kube
from support.solr_operator.definitions import load_definitions
from support.solr_operator.names import name_of

TESTS = Path(__file__).parents[2]
START_SECONDS = 30
STARTED = "watching\n"
"""What the process says when it is at work."""

COPIES = {
    "library/busybox:1.28.0-glibc": "localhost/solrbench/busybox:1",
    "pravega/zookeeper:0.2.15": "docker.io/library/zookeeper:3.9.4",
}
"""What `hack/cluster/images` has in their place."""


class SolrOperator:
    """The double, and the definitions it needs, in the cluster of the suite."""

    def __init__(self, log: Path, namespace: str = kube.NAMESPACE) -> None:
        self.log = log
        self.namespace = namespace
        self._process: subprocess.Popen[bytes] | None = None
        self._definitions = load_definitions()

    def install(self) -> None:
        """Let the API server serve the kinds."""
        for body in self._definitions:
            # Too large for the annotation of a client-side apply.
            kube.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(body))
        for name in self._names():
            kube.wait_for(f"kind {name}", partial(_is_established, name), START_SECONDS)

    def uninstall(self) -> None:
        """Remove the kinds, with all of them that is left."""
        kube.kubectl("delete", "crd", *self._names(), "--ignore-not-found")

    def _names(self) -> list[str]:
        return [name_of(body) for body in self._definitions]

    def start(self) -> None:
        """Start the process and wait until it watches."""
        copies = [f"--image={wanted}={copy}" for wanted, copy in COPIES.items()]
        paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
        before = self._starts()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "support.solr_operator"),
                    *("--namespace", self.namespace),
                    *copies,
                ],
                env=os.environ | {"PYTHONPATH": paths},
                stdin=subprocess.PIPE,  # it ends when this does, however the suite ends
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        kube.wait_for("watching operator", lambda: self._has_started(before), START_SECONDS)

    def _starts(self) -> int:
        return self.log.read_text("utf-8").count(STARTED) if self.log.exists() else 0

    def _has_started(self, before: int) -> bool:
        assert self.is_running(), f"the double ended: {self.log.read_text('utf-8')[-2000:]}"
        return self._starts() > before

    def is_running(self) -> bool:
        """Return whether the process is there."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End the process as a node failure would: at once, in the middle of anything."""
        if self._process is None:
            return
        ended_by_itself = self._process.poll() is not None
        self._process.kill()
        code = self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()
        self._process = None
        if ended_by_itself:
            pytest.fail(f"the double ended with {code}: {self.log.read_text('utf-8')[-2000:]}")


def _is_established(name: str) -> bool:
    conditions = (kube.get("customresourcedefinitions", name) or {}).get("status", {}).get(
        "conditions"
    ) or []
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)
