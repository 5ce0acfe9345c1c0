"""Results on a claim, and after a change of the spec in a bucket; with thread dumps of Solr."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import claim, small
from support.servers import web_server
from support.servers.s3_server import ACCESS, PROGRAM, SECRET

NAME = "exported"
CLAIM = "exports"
FILES, S3 = "exports-files", "exports-s3"
BUCKET = "reports"


def run_in(pod: str, command: str) -> str:
    return kube.kubectl("exec", pod, "--", "sh", "-c", command)


def change(export: dict[str, Any]) -> None:
    patch = json.dumps({"spec": {"results": {"export": export}}})
    kube.kubectl("patch", "sbench", NAME, "--type=merge", "-p", patch)


@pytest.fixture(scope="module")
def s3_url() -> Iterator[str]:
    """Run an S3 server in a pod, over a claim that has the exports of the first test, too."""
    program = shutil.which(PROGRAM)
    if program is None:
        pytest.skip(f"{PROGRAM} is missing; hack/tool versitygw builds it")
    keys = {"accessKeyId": ACCESS, "secretAccessKey": SECRET}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": S3}, "stringData": keys}
    kube.apply(claim(CLAIM, "256Mi"), secret)
    web_server.start(FILES, CLAIM)
    web_server.put(FILES, Path(program))
    folder = f"{web_server.FOLDER}/s3"
    run_in(FILES, f"chmod +x {web_server.FOLDER}/{PROGRAM} && mkdir -p {folder}/{BUCKET}")
    listen = f"--port :{web_server.PORT} --access {ACCESS} --secret {SECRET}"
    command = f"exec {web_server.FOLDER}/{PROGRAM} {listen} posix --nometa {folder}"
    yield web_server.start(S3, CLAIM, ["sh", "-c", command])
    for each in (FILES, S3):
        web_server.stop(each)
    kube.kubectl("delete", f"persistentvolumeclaim/{CLAIM}", f"secret/{S3}")


@pytest.fixture(scope="module")
def status(s3_url: str) -> Iterator[dict[str, Any]]:
    kube.apply(
        small(
            NAME,
            load={"steps": [{"name": "two-users", "users": 2, "durationSeconds": 5}]},
            diagnostics={"threadDumps": {"count": 1, "intervalSeconds": 1}},
            results={"export": {"persistentVolumeClaim": {"claimName": CLAIM}, "keep": 1}},
        )
    )
    shown = kube.solrbench("watch", NAME, "--timeout", "8m")  # which waits for the export, too
    found = kube.status(NAME)
    assert {"Succeeded": "True", "Exported": "True"}.items() <= {
        each["type"]: each["status"] for each in found["conditions"]
    }.items(), shown
    yield found
    kube.delete(NAME)


def test_files_are_on_the_claim_with_their_digests(status: dict[str, Any]) -> None:
    location = status["export"]["location"]
    assert location.startswith(f"pvc://{CLAIM}/solrbench/{kube.NAMESPACE}/{NAME}/")
    folder = f"{web_server.FOLDER}/{location.removeprefix(f'pvc://{CLAIM}/')}"
    run_in(FILES, f"cd {folder} && sha256sum --check --quiet SHA256SUMS")
    (digest, *_) = run_in(FILES, f"sha256sum {folder}SHA256SUMS").split()
    assert digest == status["export"]["sha256"]
    dump = run_in(FILES, f"cat {folder}diagnostics/*/threads-1-{NAME}-solr-0-8983.txt")
    assert '"qtp' in dump
    assert "org.apache.solr." in dump or "org.eclipse.jetty." in dump


def test_a_changed_export_runs_again(status: dict[str, Any], s3_url: str) -> None:
    bucket = {"endpoint": s3_url, "bucket": "nowhere", "credentialsSecret": {"name": S3}}
    export = {"persistentVolumeClaim": None, "s3": bucket}
    change(export)
    message = kube.wait_for_reason(NAME, "Exported", "BucketNotFound", 180)
    assert "bucket nowhere" in message
    change({"s3": {"bucket": BUCKET}})
    kube.wait_for_reason(NAME, "Exported", "Exported", 180)
    found = kube.status(NAME)["export"]
    assert found["location"].startswith(f"s3://{BUCKET}/solrbench/{kube.NAMESPACE}/{NAME}/")
    assert found["files"] == status["export"]["files"]
