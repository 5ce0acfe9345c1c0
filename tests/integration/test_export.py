"""Exports to a real S3 server that checks signatures, and what each mistake is called."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.servers.running import free_port
from solrbench.decide.hosts import check_addresses
from solrbench.export import command
from solrbench.present.report import Report
from support.resources.exports import FOLDER, ExportPod, bucket, export_pod
from support.servers import certificates
from support.servers.s3_server import ACCESS, PROGRAM, SECRET, S3Server, s3_server

pytestmark = pytest.mark.skipif(
    shutil.which(PROGRAM) is None and os.environ.get("CI") != "true",
    reason=f"{PROGRAM} is missing; hack/tool versitygw builds it",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3"), ("reports", "locked")) as started:
        yield started


@pytest.fixture
def one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the forms of the report out, which take seconds to draw."""
    monkeypatch.setattr(command, "report_files", lambda _: [("SHA256SUMS", b"no other file")])


@pytest.fixture
def pod(tmp_path: Path) -> ExportPod:
    return export_pod(tmp_path, ACCESS, SECRET)


def test_every_file_is_in_the_bucket_and_read_back(pod: ExportPod, server: S3Server) -> None:
    export = bucket(server.url, prefix="whole")
    outcome = pod.run(export)
    assert outcome.reason is None, outcome.message
    files = pod.read_back(export, server.objects("reports"))
    assert (outcome.files, outcome.bytes) == (len(files), sum(map(len, files.values())))
    assert outcome.sha256 == hashlib.sha256(files["SHA256SUMS"]).hexdigest()
    assert Report.parse(files["report.json"]) == pod.report


@pytest.mark.usefixtures("one_file")
def test_older_exports_go_and_nothing_else(pod: ExportPod, server: S3Server) -> None:
    export = bucket(server.url, prefix="kept", keep=2)
    for name in ("20260501T120000Z-aaaaaaaa", "20260502T120000Z-bbbbbbbb"):
        assert pod.run(export, folder=name).removed == 0
    root = server.folder / "reports/kept" / pod.report.benchmark
    (root / "notes").mkdir()
    (root / "notes/mine.txt").write_text("kept")
    assert pod.run(export).removed == 1
    left = {each.name for each in root.iterdir() if any(file.is_file() for file in each.rglob("*"))}
    assert left == {"20260502T120000Z-bbbbbbbb", FOLDER, "notes"}


@pytest.mark.usefixtures("one_file")
def test_a_second_try_writes_the_same_export(pod: ExportPod, server: S3Server) -> None:
    export = bucket(server.url, prefix="twice", keep=1)
    first, second = pod.run(export), pod.run(export)
    assert (second.files, second.removed) == (first.files, 0)


def test_a_wrong_secret_is_forbidden(tmp_path: Path, server: S3Server) -> None:
    outcome = export_pod(tmp_path, ACCESS, "wrong").run(bucket(server.url))
    assert outcome.reason == "BucketForbidden"
    assert "correct the Secret" in str(outcome.message)
    assert "<" not in str(outcome.message)  # the server's response must not be shown


def test_a_missing_bucket_is_named(pod: ExportPod, server: S3Server) -> None:
    outcome = pod.run(bucket(server.url, bucket="nowhere"))
    assert outcome.reason == "BucketNotFound"
    assert "bucket nowhere" in str(outcome.message)
    assert pod.code.read_text() == "3"


def test_a_missing_key_of_the_secret_is_named(pod: ExportPod, server: S3Server) -> None:
    (pod.root / "credentials/secretAccessKey").unlink()
    outcome = pod.run(bucket(server.url))
    assert outcome.reason == "ExportSecretNotFound"
    assert "Secret s3" in str(outcome.message)
    assert "secretAccessKey" in str(outcome.message)
    assert pod.code.read_text() == "1"


@pytest.mark.timeout(90)
def test_nothing_listens(pod: ExportPod, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solrbench.export.destination.MAX_RETRIES", 1)
    outcome = pod.run(bucket(f"http://127.0.0.1:{free_port()}"))
    assert outcome.reason == "ExportUnreachable"
    assert pod.code.read_text() == "1"


@pytest.mark.timeout(90)
@pytest.mark.usefixtures("one_file")
def test_a_private_authority_must_be_trusted(
    pod: ExportPod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solrbench.export.destination.MAX_RETRIES", 1)
    authority = certificates.authority(tmp_path, "ours")
    files = certificates.server_files(tmp_path, "ours", "127.0.0.1")
    with s3_server(tmp_path / "tls", ("reports",), files) as server:
        assert pod.run(bucket(server.url)).reason == "ExportUnreachable"
        shutil.copy(authority, pod.root / "ca/ca.crt")
        outcome = pod.run(bucket(server.url, tls={"caSecret": {"name": "ours"}}))
        assert outcome.reason is None, outcome.message


@pytest.mark.parametrize(
    ("host", "patterns"), [("127.0.0.1", ["*"]), ("metadata.example.org", ["*.svc"])]
)
def test_addresses_that_are_never_allowed_are_refused(
    pod: ExportPod, host: str, patterns: list[str]
) -> None:
    export = bucket(f"http://{host}:9000")
    outcome = pod.run(export, check=check_addresses, allowed_hosts=patterns)
    assert outcome.reason == "HostNotAllowed"
    assert "spec.results.export.s3.endpoint" in str(outcome.message)
    assert pod.code.read_text() == "3"
