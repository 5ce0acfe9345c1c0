"""Shell blocks of the pages that need an API server and no pods: run as written, by bash.

The server is one of their own, so that releases, namespaces and definitions have the names of the
page. What a reader puts in place of a word of the page is in `REPLACED`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from solrbench.kube.client import connect
from support.cluster.benchmarks import secret, small
from support.cluster.finished_objects import finish_objects
from support.cluster.own_api_server import own_api_server
from support.repository import ROOT
from support.resources.small_sweep import small_sweep
from support.shell_blocks import Block
from support.shell_files import make_folder, outputs_of
from support.shell_runs import Runner, blocks_run_by
from support.solr.table_server import serving_table

BLOCKS = blocks_run_by(Runner.API_SERVER)
INSTALLING = [each for each in BLOCKS if "helm install " in each[1].text]
SOLR = "http://solr.search.svc:8983/solr"
REPLACED = {
    "NAME": "quickstart",
    "NAMESPACE": "solrbench",
    "<where you pushed the image>": "registry.example.com/solrbench",
    "<its tag>": "0.1.0",
}
BENCHMARKS = ("heap-1gi", "heap-512mi", "longevity", "quickstart")
SWEEPS = ("heaps-before", "heaps-after")
"""That the reader has measured before, in the namespace of the context."""
POLL_SECONDS = 0.3


def name_of(value: object) -> str:
    return str(value.line if isinstance(value, Block) else Path(str(value)).relative_to(ROOT))


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a reader's shell, of whose cluster only the API server runs."""
    folder = tmp_path_factory.mktemp("server")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with own_api_server(folder) as kubeconfig:
        yield {"PATH": path, "HOME": str(folder), "KUBECONFIG": str(kubeconfig), "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def measured(environment: dict[str, str]) -> dict[str, str]:
    """The same with definitions, and with all that the pages take for granted."""
    call(environment, "kubectl", "create", "-f", "crds")
    call(environment, "kubectl", "wait", "--for=condition=Established", "crd", "--all")
    labels = {"solrbench.io/sweep": "packages"}
    bodies = [small(name) for name in BENCHMARKS]
    bodies += [small_sweep({"metadata.name": name}) for name in SWEEPS]
    for body in bodies:
        body["metadata"] |= {"namespace": "default", "labels": labels}
    login = secret("quickstart-solrcloud-security-bootstrap", "default", admin="password")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "solrbench"}}
    wanted = {"apiVersion": "v1", "kind": "List", "items": [namespace, login, *bodies]}
    call(environment, "kubectl", "apply", "-f", "-", stdin=json.dumps(wanted))
    call(environment, "kubectl", "apply", "-n", "solrbench", "-f", "examples/quickstart.yaml")
    finish_objects(connect(kubeconfig=Path(environment["KUBECONFIG"])))
    return environment


def call(environment: dict[str, str], *command: str, stdin: str = "") -> None:
    done = subprocess.run(
        command, env=environment, cwd=ROOT, input=stdin, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def run(page: Path, block: Block, folder: Path, environment: dict[str, str], solr: str) -> None:
    """Run a block in the folder of a clone, while what it waits for happens."""
    make_folder(page, folder)
    for name in outputs_of(block):
        (folder / name).unlink(missing_ok=True)
    own = folder / "kubeconfig"
    shutil.copy(environment["KUBECONFIG"], own)
    script = f"set -euo pipefail\n{block.script}"
    for word, value in {**REPLACED, SOLR: solr}.items():
        script = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", value, script)
    cluster, log = connect(kubeconfig=own), folder / "block.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env={**environment, "KUBECONFIG": str(own)},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            while process.poll() is None:
                finish_objects(cluster)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(POLL_SECONDS)
        finally:
            process.kill()
            process.wait()
    assert process.returncode == 0, f"{script}\n{log.read_text()}"
    assert all((folder / name).stat().st_size for name in outputs_of(block))


@pytest.fixture(scope="module")
def solr() -> Iterator[str]:
    with serving_table() as table:
        yield table.url


@pytest.mark.parametrize(("page", "block"), INSTALLING, ids=name_of)
def test_block_that_installs_succeeds_in_an_empty_cluster(
    page: Path, block: Block, tmp_path: Path, environment: dict[str, str], solr: str
) -> None:
    run(page, block, tmp_path, environment, solr)
    call(environment, "helm", "uninstall", "solrbench", "-n", "solrbench", "--no-hooks")
    call(environment, "kubectl", "delete", "crd", "--all")


@pytest.mark.parametrize(
    ("page", "block"), [each for each in BLOCKS if each not in INSTALLING], ids=name_of
)
def test_block_succeeds(
    page: Path, block: Block, tmp_path: Path, measured: dict[str, str], solr: str
) -> None:
    run(page, block, tmp_path, measured, solr)


def test_there_are_such_blocks() -> None:
    assert len(INSTALLING) >= 2
    assert len(BLOCKS) >= 20
